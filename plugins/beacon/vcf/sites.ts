/** A dataset as a sites-only VCF 4.3, for the command and for the handover: no sample, no genotype. */
import { lengthOf } from '../../../core/genome.js';
import { repeatUnits, symbol, typeNamed } from '../../../core/vcf.js';
import {
  type BeaconRepository,
  type Bounds,
  type Contig,
  type CountedAllele,
  contigs,
  type Dataset,
  writtenAlternate,
} from '../contract.js';

/**
 * Passes the text of the VCF to `write` in portions, each after the one before was taken; returns the number of alleles. All of
 * it shows one state of the dataset. Throws a `not-found` fault if the dataset is gone, and the signal's reason.
 */
export async function exportSites(
  repository: Pick<BeaconRepository, 'eachAllele'>,
  dataset: Dataset,
  write: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  let alleles = 0;
  await write(sitesHeader(dataset));
  await repository.eachAllele(dataset.id, async (portion) => {
    signal.throwIfAborted();
    alleles += portion.length;
    await write(portion.map((allele) => siteLine(allele, dataset.sampleCount)).join(''));
  });
  return alleles;
}

// Alleles of a dataset as the text of a sites-only VCF 4.3: no sample, no genotype.

/** The header, each line ended. */
export function sitesHeader(dataset: Dataset): string {
  const { assembly, id, sampleCount } = dataset;
  const lines = [
    '##fileformat=VCFv4.3',
    '##source=Trefoil',
    `##reference=${assembly}`,
    `##dataset=<ID=${id},Samples=${sampleCount}>`,
    ...contigs.map((contig) => `##contig=<ID=${contig},length=${lengthOf(assembly, contig)},assembly=${assembly}>`),
    '##INFO=<ID=AC,Number=A,Type=Integer,Description="Alternate alleles called, over all samples of the dataset">',
    '##INFO=<ID=AN,Number=1,Type=Integer,Description="Alleles by convention, not by genotypes: two for each sample of ' +
      'the dataset on chromosomes 1 to 22 and X, one on Y and MT; never less than AC">',
    '##INFO=<ID=SVTYPE,Number=1,Type=String,Description="Type of structural variant">',
    '##INFO=<ID=RU,Number=1,Type=String,Description="Unit of a repeat, N for each of its bases">',
    '##INFO=<ID=SVLEN,Number=A,Type=Integer,Description="Length, if stated and not shown by ALT or END">',
    '##INFO=<ID=END,Number=1,Type=Integer,Description="Last base of the variant">',
    '##INFO=<ID=CHR2,Number=1,Type=String,Description="Chromosome of the other end of a junction">',
    '##INFO=<ID=END2,Number=1,Type=Integer,Description="Position of the other end, if END is that of the record">',
    '##INFO=<ID=CIPOS,Number=2,Type=Integer,Description="Confidence interval around POS">',
    '##INFO=<ID=CIEND,Number=2,Type=Integer,Description="Confidence interval around END, or around the position in ALT">',
    '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
  ];
  return `${lines.join('\n')}\n`;
}

/** One record, ended. */
export function siteLine(allele: CountedAllele, samples: number): string {
  const info = [`AC=${allele.calls}`, `AN=${Math.max(allele.calls, samples * ploidy(allele.contig))}`];
  if (allele.structural) info.push(...structuralInfo(allele));
  const { contig, reference } = allele;
  return `${[contig, positionOf(allele), '.', reference, writtenAlternate(allele), '.', '.', info.join(';')].join('\t')}\n`;
}

/** One-based. A telomere, which a dot for the base of a breakend shows, is before the first base or after the last. */
function positionOf({ start, alternate }: CountedAllele): number {
  if (!/^\.[[\]]|[[\]]\.$/.test(alternate)) return start + 1;
  return start === 0 ? 0 : start + 2;
}

function ploidy(contig: Contig): number {
  return contig === 'Y' || contig === 'MT' ? 1 : 2;
}

/** The INFO from which a reader gets the same kind, end, mate, length and ranges. */
function structuralInfo(allele: CountedAllele): string[] {
  const info = placeInfo(allele);
  if (allele.length !== undefined) {
    const units = repeatUnits(allele.kind);
    info.push(units ? `RU=${'N'.repeat(allele.length / units)}` : `SVLEN=${allele.length}`);
  }
  if (allele.startRange) info.push(`CIPOS=${offsets(allele.startRange, allele.start)}`);
  if (allele.endRange) info.push(`CIEND=${offsets(allele.endRange, allele.end)}`);
  return info;
}

function offsets({ min, max }: Bounds, from: number): string {
  return `${min - from},${max - from}`;
}

function placeInfo(allele: CountedAllele): string[] {
  const { kind, mate, start, end } = allele;
  const alternate = writtenAlternate(allele);
  // A subtype (DUP:TANDEM) is in ALT; SVTYPE is its main type.
  const word = symbol(alternate);
  const svtype = `SVTYPE=${word !== undefined && typeNamed(word) === kind ? kind.split(':', 1)[0] : kind}`;
  if (/[[\].]/.test(alternate)) return [svtype];
  if (mate === undefined) return [svtype, `END=${end}`];
  // Beside POS, END would be read as the end of the record.
  const isBesidePosition = end === start || end === start + 1;
  return [svtype, `CHR2=${mate}`, `${isBesidePosition ? 'END2' : 'END'}=${end + 1}`];
}
