/** Small VCF files as text, and reading them. */
import { Readable } from 'node:stream';
import { sourceOf } from '../../../../core/files.js';
import type { Assembly, CalledAllele, Sex } from '../../../../plugins/beacon/contract.js';
import { Panel } from '../../../../plugins/beacon/vcf/panel.js';
import { openVcf } from '../../../../plugins/beacon/vcf/reader.js';
import type { MissingRule, QualityRule, RecordFilter } from '../../../../plugins/beacon/vcf/rules.js';
import type { ReadChromosomes, VcfSummary } from '../../../../plugins/beacon/vcf/summary.js';

export interface VcfText {
  samples?: string[];
  header?: string[];
  /** Fields separated by blanks. */
  records: string[];
}

export function vcf({ samples = ['s'], header = [], records }: VcfText): string {
  const columns = ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT', ...samples];
  const lines = ['##fileformat=VCFv4.2', ...header, columns.join('\t')];
  return `${[...lines, ...records.map((record) => record.replaceAll(' ', '\t'))].join('\n')}\n`;
}

export interface ReadOptions {
  samples?: string[];
  assembly?: Assembly;
  panel?: Panel;
  filter?: RecordFilter | undefined;
  quality?: QualityRule;
  missing?: MissingRule;
  sexOf?: (sample: string) => Sex;
  /** Chunk size in bytes, to split lines anywhere. */
  chunk?: number;
}

export interface ReadVcf {
  /** Those with carriers. */
  alleles: CalledAllele[];
  /** Alleles with samples that were not called, each as a `line` with these for carriers of no copies. */
  uncalled: string[];
  chromosomes: ReadChromosomes;
  samples: readonly string[];
  summary: VcfSummary;
}

/** Reads a whole file from memory; messages call it `x.vcf`. */
export async function read(file: string | Buffer, options: ReadOptions = {}): Promise<ReadVcf> {
  const bytes = Buffer.from(file);
  const size = options.chunk ?? 1 << 16;
  function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const source = sourceOf('x.vcf', bytes.length, () => Readable.from(chunks(), { objectMode: false }));
  const opened = await openVcf({
    source,
    assembly: options.assembly ?? 'GRCh37',
    samples: options.samples ?? [],
    panel: options.panel,
    filter: options.filter,
    quality: options.quality,
    missing: options.missing,
    sexOf: options.sexOf,
  });
  const alleles: CalledAllele[] = [];
  const uncalled: string[] = [];
  for await (const batch of opened.batches()) {
    for (const { uncalled: samples = [], ...allele } of batch) {
      if (allele.carriers.length > 0) alleles.push(allele);
      if (samples.length > 0) uncalled.push(line({ ...allele, carriers: samples.map((sample) => [sample, 0]) }));
    }
  }
  return { alleles, uncalled, samples: opened.samples, summary: opened.summary, chromosomes: opened.chromosomes };
}

/** `1:99-100 A>C SNP 0:1`: a called allele in one line, structural kinds in brackets. */
export function line(allele: CalledAllele): string {
  const { contig, start, end, reference, alternate, kind, structural, mate, carriers } = allele;
  const where = `${contig}:${start}-${mate === undefined ? '' : `${mate}:`}${end}`;
  const who = carriers.map(([sample, copies]) => `${sample}:${copies}`).join(',');
  return `${where} ${reference}>${alternate} ${structural ? `[${kind}]` : kind} ${who}`;
}

export { Panel };
