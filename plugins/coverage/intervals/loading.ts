/**
 * Loads interval files: the whole file is read and checked before any of it is published. An event announces replaced gene
 * tables to other plugins; rows of replaced sets, also of known sites, are removed later.
 */
import { failedDownload, SkippedLines } from '../../../core/files.js';
import { type Announcing, Fault, type SweepRules } from '../../../core/plugin.js';
import type { Batch, Build, IntervalKind, IntervalRepository, IntervalSet, SetKind, StagedSet } from '../contract.js';
import { BuildCheck } from './build-check.js';
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

// Which sets of known sites are no longer used.

/** What interrupted loads left, and replaced sets. */
export const staleSites: SweepRules = {
  unit: 'sets',
  what: 'replaced and interrupted sets of known sites',
  idleMs: 10 * 60 * 1000,
};
