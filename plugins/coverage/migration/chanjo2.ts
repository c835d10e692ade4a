/** Imports the intervals of a chanjo2 database: all kinds of a build together, checked like any load. */
import { SkippedLines } from '../../../core/files.js';
import { type Finding, Findings } from '../../../core/migration.js';
import { Fault } from '../../../core/plugin.js';
import {
  type Batch,
  type Build,
  builds,
  type IntervalKind,
  type IntervalRepository,
  type IntervalSet,
  type StagedSet,
} from '../contract.js';
import { Refusal } from '../intervals/cells.js';
import { type Counts, checked, checkSize, rowsOf, warningsOf } from '../intervals/loading.js';
import { openIntervals } from '../intervals/source.js';
import { Chanjo2Reader, Header } from './chanjo2-reader.js';

export interface Table {
  kind: IntervalKind;
  file: string;
}

export interface Chanjo2Request {
  repository: Pick<IntervalRepository, 'load' | 'select'>;
  /** No kind twice. */
  tables: readonly Table[];
  build: Build;
  release?: string | undefined;
  /** Loads even if a set shrinks, or was read from the same files. */
  force: boolean;
  maxShrink: number;
  /** Stages and checks everything, but publishes nothing. */
  dryRun: boolean;
  now: Date;
  signal?: AbortSignal | undefined;
  /** The fraction of the files that was read, 0 to 1, and the rows so far. */
  onProgress?: ((fraction: number, rows: number) => void) | undefined;
}

export interface BuildReport {
  build: Build;
  /** `unchanged`: the loaded sets were read from the same files. */
  outcome: 'loaded' | 'would load' | 'unchanged';
  sets: { kind: IntervalKind; read: number; rows: number; chromosomes: IntervalSet['chromosomes'] }[];
  /** Rows that were not imported. */
  notCarried: Finding[];
  warnings: string[];
}

/** Counts the rows of a table by build, and those of neither build. */
export async function surveyTable({ kind, file }: Table): Promise<{ rows: Map<Build, number>; other: number }> {
  const source = await openIntervals(file);
  const rows = new Map<Build, number>();
  let [header, other]: [Header | undefined, number] = [undefined, 0];
  for await (const { lines } of source.blocks()) {
    for (const line of lines) {
      if (line.trim() === '') continue;
      if (!header) {
        header = headerOf(kind, line, source.name);
        continue;
      }
      const build = header.build(line.split('\t'));
      if (build === undefined) other++;
      else rows.set(build, (rows.get(build) ?? 0) + 1);
    }
  }
  if (!header) throw new Fault('unprocessable', `${source.name}: the file is empty`);
  return { rows, other };
}

function headerOf(kind: IntervalKind, line: string, name: string): Header {
  try {
    return new Header(kind, line);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    throw new Fault('unprocessable', `${name}, line 1: ${cause.message}`, { cause });
  }
}

/** Ends a load that publishes nothing, with what it would have published after all checks. */
class NothingToPublish extends Error {
  readonly staged: readonly StagedSet[];
  readonly isUnchanged: boolean;

  constructor(staged: readonly StagedSet[], isUnchanged: boolean) {
    super('nothing is published');
    this.staged = staged;
    this.isUnchanged = isUnchanged;
  }
}

/** Throws what a load throws: an `unprocessable` fault if the tables cannot be right; the old sets then stay. */
export async function importChanjo2(request: Chanjo2Request): Promise<BuildReport> {
  const { repository, build, release, force, maxShrink, dryRun, now, signal } = request;
  const findings = new Findings();
  const tables = await Promise.all(
    request.tables.map(async ({ kind, file }) => ({
      kind,
      source: await openIntervals(file),
      reader: new Chanjo2Reader(kind, build, (skip, row) => findings.note(skip, row)),
      counts: new SkippedLines() satisfies Counts as Counts,
    })),
  );

  async function* rows(): AsyncGenerator<Batch> {
    let before = 0;
    for (const [i, { source, reader, counts }] of tables.entries()) {
      const read = rowsOf(source, reader, counts, (fraction, done) =>
        request.onProgress?.((i + fraction) / tables.length, before + done),
      );
      yield* checked(read, { build, force, source, repository });
      before += counts.lines;
    }
  }

  const accept = (staged: readonly StagedSet[]) => {
    for (const [i, set] of staged.entries()) {
      const { source, counts } = tables[i] ?? {};
      checkSize(source?.name ?? '', set, { maxShrink, force, counts });
    }
    const isSame = staged.every(({ replaces, rows }, i) => {
      const checksum = tables[i]?.source.checksum();
      return replaces?.checksum === checksum && replaces?.rows === rows && (!release || replaces.release === release);
    });
    if (dryRun || (isSame && !force)) throw new NothingToPublish(staged, isSame && !force);
    return tables.map(({ source, counts }) => ({
      source: source.name,
      checksum: source.checksum(),
      read: counts.lines,
      skipped: counts.reasons,
      ...(release !== undefined && { release }),
    }));
  };

  const report = (outcome: BuildReport['outcome'], sets: readonly StagedSet[]): BuildReport => ({
    build,
    outcome,
    sets: tables.map(({ kind, counts }, i) => {
      const { rows = 0, chromosomes = [] } = sets[i] ?? {};
      return { kind, read: counts.lines, rows, chromosomes };
    }),
    notCarried: findings.list(),
    warnings: tables.flatMap(({ kind, source }, i) =>
      warningsOf(source, sets.slice(i, i + 1)).map((warning) => `${kind}: ${warning}`),
    ),
  });

  try {
    const sets = tables.map(({ kind }) => ({ kind, build }));
    const loaded = await repository.load({ sets, rows: rows(), accept, ...(signal && { signal }) }, now);
    return report('loaded', loaded);
  } catch (error) {
    if (!(error instanceof NothingToPublish)) throw error;
    return report(error.isUnchanged ? 'unchanged' : 'would load', error.staged);
  }
}

/** The builds to import: those of which any table has rows. Throws an `unprocessable` fault if there are none. */
export function buildsOf(surveys: readonly { rows: ReadonlyMap<Build, number> }[], wanted?: Build): Build[] {
  const there = builds.filter((build) => surveys.some(({ rows }) => rows.has(build)));
  const chosen = there.filter((build) => wanted === undefined || build === wanted);
  if (chosen.length > 0) return chosen;
  throw new Fault('unprocessable', `The tables have no rows of ${wanted ?? 'GRCh37 or GRCh38'}`);
}
