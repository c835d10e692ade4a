/** Door for facts about the human genome that several plugins need. */

export {
  type Accession,
  type Assembly,
  accessionNamed,
  accessionOf,
  assemblies,
  assemblyNamed,
  type Contig,
  contigNamed,
  contigs,
  lengthOf,
} from './genome/reference.js';

export interface GenomeRegion {
  chromosome: 'X' | 'Y';
  /** Zero-based half-open, in bases. */
  start: number;
  end: number;
}

/**
 * The pseudo-autosomal regions, of which both sexes have two copies, by assembly. From the Genome Reference Consortium's
 * assembly reports.
 */
export const pseudoautosomal: Readonly<Record<'GRCh37' | 'GRCh38', readonly GenomeRegion[]>> = {
  GRCh37: [
    { chromosome: 'X', start: 60_000, end: 2_699_520 },
    { chromosome: 'X', start: 154_931_043, end: 155_260_560 },
    { chromosome: 'Y', start: 10_000, end: 2_649_520 },
    { chromosome: 'Y', start: 59_034_049, end: 59_363_566 },
  ],
  GRCh38: [
    { chromosome: 'X', start: 10_000, end: 2_781_479 },
    { chromosome: 'X', start: 155_701_382, end: 156_030_895 },
    { chromosome: 'Y', start: 10_000, end: 2_781_479 },
    { chromosome: 'Y', start: 56_887_902, end: 57_217_415 },
  ],
};
