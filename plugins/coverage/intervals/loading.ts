/**
 * Loads interval files: the whole file is read and checked, also that well-known genes have the places of the stated build, before
 * any of it is published. An event announces replaced gene tables to other plugins; rows of replaced sets, also of known sites, are
 * removed later.
 */
import { failedDownload, SkippedLines } from '../../../core/files.js';
import { type Announcing, Fault, type SweepRules } from '../../../core/plugin.js';
import {
  type Batch,
  type Build,
  builds,
  type Chromosome,
  type IntervalKind,
  type IntervalRepository,
  type IntervalSet,
  type Place,
  type SetKind,
  type StagedSet,
} from '../contract.js';
import { AnnotationReader } from './gtf.js';
import {
  emptyRows,
  expectedSkips,
  type IntervalInput,
  type IntervalReader,
  type IntervalRows,
  Refusal,
  type SkipReason,
} from './reader.js';
import { BiomartReader, NamesReader } from './tables.js';

/**
 * Replaced sets, and sets of interrupted loads. Ten minutes, because a list of a set that has been replaced since may
 * take that long.
 */
export const staleSets: SweepRules = {
  unit: 'sets',
  what: 'replaced and interrupted sets of intervals',
  idleMs: 10 * 60 * 1000,
};

/** A BioMart table of one kind, a GTF or GFF3 file of all three, or HGNC's names. */
export type FileKind = IntervalKind | 'gtf' | 'names';

export interface IntervalLoadRequest {
  repository: Pick<IntervalRepository, 'load' | 'select'>;
  kind: FileKind;
  /** Needed for all kinds but names. */
  build?: Build | undefined;
  source: IntervalInput;
  /** Name of the release; if omitted, as the file states it. */
  release?: string | undefined;
  /** Loads even if a set shrinks, many rows are skipped, or the file seems to be of the other build. */
  force?: boolean | undefined;
  /** Fraction by which a set may shrink. */
  maxShrink: number;
  now: Date;
  signal?: AbortSignal | undefined;
  /** The fraction of the file that was read, 0 to 1, and its rows so far. */
  onProgress?: ((fraction: number, rows: number) => void) | undefined;
}

export interface IntervalLoadReport {
  /** The sets that were published. */
  sets: IntervalSet[];
  /** Rows of the file that were loaded, including repeated ones. */
  read: number;
  /** Rows that were skipped, by reason. */
  skipped: Record<string, number>;
  /** What the operator should check. */
  warnings: string[];
}

/**
 * Throws an `unprocessable` fault that names the file (and the line) if the file is not of its kind, is a failed download,
 * has no usable row, is of the other build, or would shrink a set by more than `maxShrink` or remove a whole chromosome from
 * it, or if more than one in twenty of its rows of a kind are skipped for one reason (on chromosomes that are loaded). The
 * old sets then stay.
 */
export async function loadIntervals(request: IntervalLoadRequest): Promise<IntervalLoadReport> {
  const { repository, kind, build, source, now, signal, maxShrink, force = false } = request;
  const reader = readerOf(kind, build);
  const counts: RowCounts = new SkippedLines();
  const sets = await repository.load(
    {
      sets: reader.kinds.map((each) => (each === 'names' ? { kind: each } : { kind: each, ...(build && { build }) })),
      rows: checkedRows(countedRows(source, reader, counts, request.onProgress), request),
      accept: (staged) => {
        for (const set of staged) checkSize(source.name, set, { maxShrink, force, counts });
        if (!force) counts.check(source.name, expectedSkips);
        const release = request.release ?? reader.release?.();
        return {
          source: source.name,
          checksum: source.checksum(),
          read: counts.lines,
          skipped: counts.reasons,
          ...(release !== undefined && { release }),
        };
      },
      ...(signal && { signal }),
    },
    now,
  );
  const warnings = [...reader.warnings(), ...loadWarnings(source, sets)];
  return { sets, read: counts.lines, skipped: counts.reasons, warnings };
}

function readerOf(kind: FileKind, build: Build | undefined): IntervalReader {
  if (kind === 'names') return new NamesReader();
  if (!build) throw new Fault('invalid', 'A genome build is needed: GRCh37 or GRCh38');
  return kind === 'gtf' ? new AnnotationReader(build) : new BiomartReader(kind, build);
}

/** Passes the rows on. Throws after the last if they are not of the build. */
export async function* checkedRows(
  rows: AsyncIterable<Batch>,
  {
    build,
    force,
    source,
    repository,
  }: Pick<IntervalLoadRequest, 'build' | 'force' | 'source'> & { repository: Pick<IntervalRepository, 'select'> },
): AsyncGenerator<Batch> {
  const check = build && !force ? new BuildCheck(build) : undefined;
  for await (const batch of rows) {
    check?.take(batch);
    yield batch;
  }
  await check?.judge(source.name, repository);
}

/** Approximate rows of a batch. */
const batchRows = 2000;

/** By kind of row. */
export type RowCounts = SkippedLines<SkipReason>;

/** Reads and counts the rows of a file. Throws an `unprocessable` fault that names file and line. */
export async function* countedRows(
  source: IntervalInput,
  reader: IntervalReader,
  counts: RowCounts,
  onProgress: IntervalLoadRequest['onProgress'],
): AsyncGenerator<Batch> {
  let rows = emptyRows();
  const full = () => rows.genes.length + rows.transcripts.length + rows.exons.length + rows.names.length >= batchRows;
  for await (const { lines, first } of source.blocks()) {
    for (const [i, line] of lines.entries()) {
      const outcome = at(source, first + i, () => {
        const failed = failedDownload(line);
        if (failed !== undefined) throw new Refusal(failed);
        return reader.line(line, rows);
      });
      if (outcome === 'read') counts.read(reader.kind);
      else if (outcome !== undefined) counts.skip(reader.kind, outcome, first + i, line);
    }
    if (!full()) continue;
    yield rows;
    rows = emptyRows();
    onProgress?.(source.progress(), counts.lines);
  }
  at(source, undefined, () => reader.finish(rows));
  yield rows satisfies IntervalRows;
}

/** Adds file and line to a Refusal. */
function at<Result>(source: IntervalInput, line: number | undefined, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const where = line === undefined ? source.name : `${source.name}, line ${line}`;
    throw new Fault('unprocessable', `${where}: ${cause.message}`, { cause });
  }
}

/** Throws if a set is empty, or would lose more than `maxShrink` of the set that it replaces, or a whole chromosome. */
export function checkSize(
  file: string,
  { kind, rows, chromosomes, replaces }: StagedSet,
  { maxShrink, force, counts }: { maxShrink: number; force: boolean; counts?: RowCounts | undefined },
): void {
  if (rows === 0) {
    const reasons = Object.entries(counts?.reasons ?? {}).map(([reason, count]) => `${count} skipped: ${reason}`);
    const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
    throw new Fault('unprocessable', `${file}: it has no ${kind}${why}`);
  }
  if (!replaces || force) return;
  const advice = 'The file may be cut short; the old set stays. Force the load if the file is right';
  if (rows < replaces.rows * (1 - maxShrink)) {
    throw new Fault('unprocessable', `${file} has ${rows} ${kind}, but the loaded set has ${replaces.rows}. ${advice}`);
  }
  const there = new Set(chromosomes.map(({ chromosome }) => chromosome));
  const lost = replaces.chromosomes.filter(({ chromosome }) => !there.has(chromosome));
  if (lost.length > 0) {
    const list = lost.map(({ chromosome }) => chromosome).join(', ');
    throw new Fault('unprocessable', `${file} has no ${kind} of ${list}, but the loaded set has. ${advice}`);
  }
}

export function loadWarnings(
  source: IntervalInput,
  sets: readonly Pick<IntervalSet, 'kind' | 'chromosomes'>[],
): string[] {
  const warnings = source.endsWithLine() ? [] : ['The last line of the file has no line break: it may be cut short.'];
  const withoutMt = sets.some(
    ({ kind, chromosomes }) => kind !== 'names' && !chromosomes.some(({ chromosome }) => chromosome === 'MT'),
  );
  if (withoutMt)
    warnings.push('The file has nothing on chromosome MT, which complete files end with: it may be cut short.');
  return warnings;
}

// The event `coverage/intervals-replaced@1`: a gene table was replaced. Other plugins listen to it by `context.on`.

export interface IntervalsReplaced {
  /** The sets that are new; `build` is omitted for names of genes, which hold for every build. */
  readonly sets: readonly { readonly kind: SetKind; readonly build?: Build }[];
}

/** Announces sets that are in place now; nothing if there are none. */
export async function announceReplaced(
  { announce }: Pick<Announcing, 'announce'>,
  sets: IntervalsReplaced['sets'],
): Promise<void> {
  if (sets.length === 0) return;
  const event: IntervalsReplaced = { sets: sets.map(({ kind, build }) => (build ? { kind, build } : { kind })) };
  await announce('coverage/intervals-replaced@1', event);
}

/** The event `coverage/sites-replaced@1`: a set of known variants was loaded or removed. */
export interface SitesReplaced {
  readonly name: string;
  readonly build: Build;
}

export async function announceSites(
  { announce }: Pick<Announcing, 'announce'>,
  { name, build }: SitesReplaced,
): Promise<void> {
  await announce<SitesReplaced>('coverage/sites-replaced@1', { name, build });
}

// Which sets of known sites are no longer used.

/** What interrupted loads left, and replaced sets. */
export const staleSites: SweepRules = {
  unit: 'sets',
  what: 'replaced and interrupted sets of known sites',
  idleMs: 10 * 60 * 1000,
};

/** What interrupted loads left, and replaced sets. */
export const staleRegions: SweepRules = { ...staleSites, what: 'replaced and interrupted sets of regions' };

// Checks of which build a file is.

// The positions of some genes in each build. They reveal a file of one build that is loaded as the other. The genes are on
// many panels, their Ensembl ids are stable, and their positions in the two builds do not overlap.

/** First and last base, 1-based, as Ensembl states them. */
type AnchorEnds = readonly [first: number, last: number];

interface AnchorGene {
  ensembl: string;
  hgnc: number;
  chromosome: Chromosome;
  ends: Readonly<Record<Build, AnchorEnds>>;
}

function anchor(
  ensembl: string,
  hgnc: number,
  chromosome: Chromosome,
  GRCh37: AnchorEnds,
  GRCh38: AnchorEnds,
): AnchorGene {
  return { ensembl, hgnc, chromosome, ends: { GRCh37, GRCh38 } };
}

const anchors: readonly AnchorGene[] = [
  anchor('ENSG00000177000', 7436, '1', [11845780, 11866977], [11785723, 11806455]), // MTHFR
  anchor('ENSG00000134086', 12687, '3', [10182692, 10193904], [10141008, 10152220]), // VHL
  anchor('ENSG00000228716', 2861, '5', [79922047, 79950802], [80626226, 80654983]), // DHFR
  anchor('ENSG00000134982', 583, '5', [112043195, 112181936], [112707498, 112846239]), // APC
  anchor('ENSG00000001626', 1884, '7', [117105838, 117356025], [117465784, 117715971]), // CFTR
  anchor('ENSG00000165731', 9967, '10', [43572475, 43625799], [43077069, 43130351]), // RET
  anchor('ENSG00000171862', 9588, '10', [89622870, 89731687], [87862563, 87971930]), // PTEN
  anchor('ENSG00000244734', 4827, '11', [5246694, 5250625], [5225464, 5229395]), // HBB
  anchor('ENSG00000110195', 3791, '11', [71900602, 71907345], [72189558, 72196323]), // FOLR1
  anchor('ENSG00000133703', 6407, '12', [25357723, 25403870], [25205246, 25250929]), // KRAS
  anchor('ENSG00000139618', 1101, '13', [32889611, 32973805], [32315086, 32400268]), // BRCA2
  anchor('ENSG00000092054', 7577, '14', [23881947, 23904927], [23412740, 23435660]), // MYH7
  anchor('ENSG00000141510', 11998, '17', [7565097, 7590856], [7661779, 7687550]), // TP53
  anchor('ENSG00000076351', 30521, '17', [26721661, 26734215], [28394642, 28407197]), // SLC46A1
  anchor('ENSG00000012048', 1100, '17', [41196312, 41277500], [43044295, 43125364]), // BRCA1
  anchor('ENSG00000130164', 6547, '19', [11200038, 11244492], [11089362, 11133820]), // LDLR
  anchor('ENSG00000142168', 11179, '21', [33031935, 33041244], [31659622, 31668931]), // SOD1
  anchor('ENSG00000186575', 7773, '22', [29999545, 30094589], [29603556, 29698600]), // NF2
  anchor('ENSG00000185010', 3546, 'X', [154064063, 154255215], [154835788, 155026940]), // F8
  anchor('ENSG00000184895', 11311, 'Y', [2654896, 2655740], [2786855, 2787699]), // SRY
];

interface SampledGene {
  gene: string;
  place: Place;
}

/** Rows that are compared with the loaded sets. Rows of anchors are all compared. */
const mostSampled = 1000;

/** Genes that must contradict a build if none of them is an anchor. */
const fewestGenes = 3;

const anchored = new Set(anchors.map(({ ensembl }) => ensembl));
/** Files of RefSeq have other ids of genes. */
const ofHgnc = new Map<number | undefined, string>(anchors.map(({ hgnc, ensembl }) => [hgnc, ensembl]));

/** Takes an evenly spread sample of the rows that pass, and compares it at the end. */
export class BuildCheck {
  readonly #build: Build;
  readonly #ofAnchors: SampledGene[] = [];
  #sample: SampledGene[] = [];
  #seen = 0;
  #every = 1;

  constructor(build: Build) {
    this.#build = build;
  }

  take({ genes = [], transcripts = [], exons = [] }: Batch): void {
    for (const row of genes) {
      const anchor = row.ensembl.startsWith('GeneID:') ? ofHgnc.get(row.hgnc) : undefined;
      this.#look(anchor ?? row.ensembl, row);
    }
    for (const row of transcripts) this.#look(row.gene, row);
    for (const row of exons) this.#look(row.gene, row);
  }

  /** Throws an `unprocessable` fault if more rows contradict the build than fit it. */
  async judge(file: string, repository: Pick<IntervalRepository, 'select'>): Promise<void> {
    const other = builds.find((build) => build !== this.#build) ?? this.#build;
    const rows = [...this.#ofAnchors, ...this.#sample];
    const genes = [...new Set(rows.map(({ gene }) => gene))];
    const [here, there] = await Promise.all([
      knownPositions(repository, this.#build, genes),
      knownPositions(repository, other, genes),
    ]);
    let [right, wrong, foreign] = [0, 0, 0];
    const doubtful = new Set<string>();
    for (const { gene, place } of rows) {
      const [fits, fitsOther] = [here, there].map((places) => places.get(gene)?.some((one) => meet(one, place)));
      // A gene that is unknown, or at this position in both builds or in neither, says nothing about the build.
      if (fits === fitsOther) continue;
      if (fits ?? !fitsOther) {
        right += 1;
      } else {
        wrong += 1;
        if (fitsOther) foreign += 1;
        doubtful.add(gene);
      }
    }
    // Some genes have nearly the same position in both builds.
    const isClear = doubtful.size >= fewestGenes || [...doubtful].some((gene) => anchored.has(gene));
    if (wrong <= right || !isClear) return;
    const hint = foreign > wrong / 2 ? ` The file seems to be of ${other}.` : '';
    throw new Fault(
      'unprocessable',
      `${file} does not fit ${this.#build}: of ${right + wrong} rows that were compared with the known positions of ` +
        `their genes, ${wrong} are elsewhere.${hint} The old set stays. Force the load if the file is right`,
    );
  }

  #look(gene: string, { chromosome, start, end }: Place): void {
    if (chromosome === 'MT') return; // the same in both builds
    if (anchored.has(gene)) this.#ofAnchors.push({ gene, place: { chromosome, start, end } });
    else if (this.#seen++ % this.#every === 0) this.#sample.push({ gene, place: { chromosome, start, end } });
    if (this.#sample.length < mostSampled) return;
    this.#sample = this.#sample.filter((_, i) => i % 2 === 0);
    this.#every *= 2;
  }
}

/** The positions of genes in a build: of anchors as listed here, of others as in the loaded set. */
async function knownPositions(
  repository: Pick<IntervalRepository, 'select'>,
  build: Build,
  genes: readonly string[],
): Promise<Map<string, Place[]>> {
  const places = new Map<string, Place[]>();
  for (const { ensembl, chromosome, start, end } of await repository.select('genes', build, { genes })) {
    if (anchored.has(ensembl)) continue;
    const known = places.get(ensembl);
    if (known === undefined) places.set(ensembl, [{ chromosome, start, end }]);
    else known.push({ chromosome, start, end });
  }
  for (const { ensembl, chromosome, ends } of anchors) {
    const [first, last] = ends[build];
    places.set(ensembl, [{ chromosome, start: first - 1, end: last }]);
  }
  return places;
}

function meet(left: Place, right: Place): boolean {
  return left.chromosome === right.chromosome && left.start < right.end && right.start < left.end;
}
