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

/** The first letters of the stable ids of Ensembl: of genes, transcripts and exons. */
export type EnsemblPrefix = 'ENSG' | 'ENST' | 'ENSE';

/**
 * The stable id, without version, of an id of Ensembl or GENCODE: `ENSG00000177000` of `gene:ENSG00000177000.14` and, mapped to
 * GRCh37, `ENSG00000177000.14_12`; `ENSG00000182378` of `ENSG00000182378.15_PAR_Y` and `ENSGR0000182378.8`, its copy on Y in newer
 * and older releases. Undefined for any other text.
 */
export function ensemblId(text: string, prefix: EnsemblPrefix): string | undefined {
  const found = /^(?:[a-z]+:)?(ENS[GTE])(?:R(\d{10})|(\d{11}))(?:\.\d+)?(?:_\d+|_PAR_Y){0,2}$/i.exec(text);
  if (found?.[1]?.toUpperCase() !== prefix) return undefined;
  return `${prefix}${found[2] === undefined ? found[3] : `0${found[2]}`}`;
}

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
