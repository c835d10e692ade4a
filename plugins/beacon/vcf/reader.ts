/** Opens a VCF for some of its samples, and reads its called alleles in batches. */
import { blocks, type Source, utf8 } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import { Header } from '../../../core/vcf.js';
import { type Assembly, type CalledAllele, InsertionLengths } from '../domain/allele.js';
import type { Sex } from '../domain/sample.js';
import { defaultMostSamples } from '../settings.js';
import { AnnotationReader } from './consequences/entries.js';
import { AnnotationHeader } from './consequences/header.js';
import type { DepthChoice } from './depths/choice.js';
import type { Panel } from './panel.js';
import { RecordReader } from './record.js';
import { ReferenceCheck } from './reference/check.js';
import type { PackedReference } from './reference/packed.js';
import type { MissingRule, QualityRule, RecordFilter } from './rules.js';
import type { SiteGenotypes } from './site-genotypes.js';
import { emptySummary, noChromosomes, type ReadChromosomes, type VcfSummary } from './summary.js';

export interface VcfRequest {
  source: Source;
  /** The assembly that the file must be of. */
  assembly: Assembly;
  /** The samples to read, by name (blanks around it do not count); if empty, all of the file. */
  samples: readonly string[];
  /** The largest number of samples that the file may have, `plugins.beacon.loads.samples`; 10,000 if omitted. */
  mostSamples?: number | undefined;
  /** Only alleles that overlap it. */
  panel?: Panel | undefined;
  /** Only records with an accepted FILTER; if omitted, all. */
  filter?: RecordFilter | undefined;
  /** Only genotypes with a sufficient GQ; if omitted, all. */
  quality?: QualityRule | undefined;
  /** What becomes of missing genotypes and GQ. */
  missing?: MissingRule | undefined;
  /** The sex of a sample, asked while records are read; unknown if omitted. */
  sexOf?: ((sample: string) => Sex) | undefined;
  /** Makes what takes the genotypes by which samples are compared, for the chosen samples. */
  genotypes?: ((samples: number) => SiteGenotypes) | undefined;
  /** The same for the depths by which calls and coverage files are compared. */
  depths?: ((samples: number) => DepthChoice) | undefined;
  /** The reference with which REF is compared, if one is loaded. */
  reference?: PackedReference | undefined;
  /** Whether alleles come with what VEP or SnpEff wrote of them, as `annotation`. */
  annotations?: boolean | undefined;
  /** Alleles in a batch; 8192 if omitted. */
  batch?: number | undefined;
}

export interface OpenVcf {
  /** The chosen samples, in the order of the carriers' indexes. */
  readonly samples: readonly string[];
  /** Grows while batches are read. */
  readonly summary: VcfSummary;
  readonly chromosomes: ReadChromosomes;
  /** Whether the header names chromosomes, so that records on other contigs do not stand for theirs. */
  readonly namesChromosomes: boolean;
  /** Batches of called alleles in the order of the file; read once. */
  batches(): AsyncGenerator<CalledAllele[]>;
  /** Closes the file if the batches are not read to their end. */
  close(): Promise<void>;
}

/**
 * Reads the header. Throws an `unprocessable` fault if the file is not a VCF, is of another assembly, lacks a sample or has too
 * many.
 */
export async function openVcf(request: VcfRequest): Promise<OpenVcf> {
  const { name } = request.source;
  const header = new Header(request.assembly, name);
  const annotated = request.annotations ? new AnnotationHeader() : undefined;
  const text = blocks(request.source.chunks(), name);
  try {
    const rest = await readHeader(text, header, name, annotated);
    const { mostSamples = defaultMostSamples } = request;
    if (header.samples.length > mostSamples) throw new TooManySamples(name, header.samples.length, mostSamples);
    const samples = chooseSamples(request.samples, header.samples, name);
    const positions = new Map(header.samples.map((sample, column) => [sample, column]));
    const columns = samples.map((sample) => positions.get(sample) ?? -1);
    const { panel, filter, quality, assembly, missing: rule = {} } = request;
    if (rule.genotype !== undefined && header.samples.length > 1) {
      throw new Fault(
        'unprocessable',
        `${name}: the file has ${header.samples.length} samples, so that a genotype that was not called does not say which of them ` +
          'the record is about: missing genotypes count as carriers only in files of one sample',
      );
    }
    const check = request.reference && new ReferenceCheck(name, request.reference);
    const warnings = [...header.warnings, ...(check?.differences(header.md5s) ?? [])];
    const summary = { ...emptySummary(quality?.minimum), warnings };
    const chromosomes = noChromosomes();
    const genotypes = request.genotypes?.(samples.length);
    const depths = request.depths?.(samples.length);
    const sexOf = (sample: number) => request.sexOf?.(samples[sample] ?? '') ?? 'unknown';
    const missing = { assembly, rule, sexOf };
    const layout = annotated?.layout();
    const annotations = layout && 'field' in layout ? new AnnotationReader(layout) : undefined;
    if (annotations) Object.assign(summary, { annotations: annotations.summary });
    else if (layout) Object.assign(summary, { annotations: { alleles: 0, unreadable: 0, first: layout } });
    const options = {
      name,
      header,
      columns,
      panel,
      filter,
      quality,
      genotypes,
      depths,
      check,
      annotations,
      missing,
      chromosomes,
    };
    const reader = new RecordReader(options, summary);
    return {
      samples,
      summary,
      chromosomes,
      namesChromosomes: header.namesChromosomes,
      batches() {
        const batches = batchesOfText(text, rest, reader, request.batch ?? 8192);
        return check ? check.checked(batches, summary, chromosomes) : batches;
      },
      async close() {
        request.source.close();
        await text.return(undefined);
      },
    };
  } catch (cause) {
    await text.return(undefined);
    throw cause;
  }
}

interface RestOfHeader {
  block: string;
  at: number;
  line: number;
}

/** Largest header in decompressed bytes: many times that of real files, and read within a second. */
const longestHeader = 32 * 1024 * 1024;

/** Takes header lines up to `#CHROM`; returns where the records begin. */
async function readHeader(
  text: AsyncGenerator<string>,
  header: Header,
  name: string,
  annotated: AnnotationHeader | undefined,
): Promise<RestOfHeader> {
  let line = 1;
  let before = 0;
  for (;;) {
    const next = await text.next();
    if (next.done) {
      const reason = line === 1 ? 'the file is empty' : 'the header ends without a #CHROM line';
      throw new Fault('unprocessable', `${name}: ${reason}`);
    }
    const block = next.value;
    for (let at = 0; at < block.length; ) {
      const end = block.indexOf('\n', at);
      if (before + end > longestHeader) {
        throw new Fault('unprocessable', `${name}: the header is longer than ${longestHeader} bytes`);
      }
      if (line === 1 || !Header.isPassedOver(block, at)) header.take(block.slice(at, end).replace(/\r$/, ''), line);
      else if (annotated && AnnotationHeader.isOne(block, at))
        annotated.take(utf8(block.slice(at, end).trimEnd()), line);
      line++;
      at = end + 1;
      if (header.complete) return { block, at, line };
    }
    before += block.length;
  }
}

async function* batchesOfText(
  text: AsyncGenerator<string>,
  rest: RestOfHeader,
  reader: RecordReader,
  size: number,
): AsyncGenerator<CalledAllele[]> {
  const insertions = new InsertionLengths();
  let batch: CalledAllele[] = [];
  let line = reader.read(rest.block, rest.at, rest.line, batch);
  for await (const block of text) {
    if (batch.length >= size) {
      // Alleles of the last place wait for further records there.
      const isLast = ({ contig, start }: CalledAllele) => contig === batch.at(-1)?.contig && start >= reader.start;
      const complete = batch.findLastIndex((allele) => !isLast(allele)) + 1;
      const waiting = complete === 0 ? [] : batch.splice(complete);
      insertions.tellApart(batch);
      yield batch;
      batch = waiting;
    }
    line = reader.read(block, 0, line, batch);
  }
  insertions.tellApart(batch);
  if (batch.length > 0) yield batch;
}

function chooseSamples(wanted: readonly string[], there: readonly string[], name: string): readonly string[] {
  if (wanted.length === 0) return there;
  const chosen = [...new Set(wanted.map((sample) => sample.trim()))];
  const known = new Set(there);
  if (chosen.some((sample) => !known.has(sample))) throw new UnknownSamples(name, there);
  return chosen;
}

/** Thrown if a file has more samples than are read of one. */
export class TooManySamples extends Fault {
  constructor(name: string, samples: number, most: number) {
    super(
      'unprocessable',
      `${name}: the file has ${samples} samples, and the limit is ${most} (plugins.beacon.loads.samples): split it by samples ` +
        '(bcftools view -S), or raise the limit',
    );
  }
}

/** Thrown if the file lacks a requested sample. The message names no sample; a command may list those of the file. */
export class UnknownSamples extends Fault {
  readonly there: readonly string[];

  constructor(name: string, there: readonly string[]) {
    super('unprocessable', `${name}: one or more of the requested samples are not in this file`);
    this.there = there;
  }
}
