/**
 * Imports the intervals of a chanjo2 database: all kinds of a build together, checked like any load. The tables are read as
 * `mysql --batch` prints them: a header line, cells separated by tabs, NULL for no value. chanjo2 copied them from BioMart
 * files, coordinates and repeated rows included, so that each row is turned back into a line of such a file.
 */
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
import { checkedRows, checkSize, countedRows, loadWarnings, type RowCounts } from './loading.js';
import { type IntervalReader, type IntervalRows, openIntervals, Refusal, type SkipReason } from './reader.js';
import { type BiomartColumn, BiomartReader, columnNames } from './tables.js';

export interface Chanjo2Table {
  kind: IntervalKind;
  file: string;
}

export interface Chanjo2Request {
  repository: Pick<IntervalRepository, 'load' | 'select'>;
  /** No kind twice. */
  tables: readonly Chanjo2Table[];
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
export async function surveyTable({ kind, file }: Chanjo2Table): Promise<{ rows: Map<Build, number>; other: number }> {
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
      counts: new SkippedLines() satisfies RowCounts as RowCounts,
    })),
  );

  async function* rows(): AsyncGenerator<Batch> {
    let before = 0;
    for (const [i, { source, reader, counts }] of tables.entries()) {
      const read = countedRows(source, reader, counts, (fraction, done) =>
        request.onProgress?.((i + fraction) / tables.length, before + done),
      );
      yield* checkedRows(read, { build, force, source, repository });
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
      loadWarnings(source, sets.slice(i, i + 1)).map((warning) => `${kind}: ${warning}`),
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
export function buildsOfSurveys(surveys: readonly { rows: ReadonlyMap<Build, number> }[], wanted?: Build): Build[] {
  const there = builds.filter((build) => surveys.some(({ rows }) => rows.has(build)));
  const chosen = there.filter((build) => wanted === undefined || build === wanted);
  if (chosen.length > 0) return chosen;
  throw new Fault('unprocessable', `The tables have no rows of ${wanted ?? 'GRCh37 or GRCh38'}`);
}

// Tables of chanjo2 as `mysql --batch` prints them.

/** BioMart's columns and those of chanjo2's tables; chanjo2 keeps no strand. */
const columns: Readonly<Record<IntervalKind, readonly (readonly [BiomartColumn, string | undefined])[]>> = {
  genes: [
    ['chromosome', 'chromosome'],
    ['geneStart', 'start'],
    ['geneEnd', 'stop'],
    ['gene', 'ensembl_ids'],
    ['symbol', 'hgnc_symbol'],
    ['hgnc', 'hgnc_id'],
  ],
  transcripts: [
    ['chromosome', 'chromosome'],
    ['gene', 'ensembl_gene_id'],
    ['transcript', 'ensembl_id'],
    ['transcriptStart', 'start'],
    ['transcriptEnd', 'stop'],
    ['refseqMrna', 'refseq_mrna'],
    ['refseqMrnaPredicted', 'refseq_mrna_pred'],
    ['refseqNcrna', 'refseq_ncrna'],
    ['maneSelect', 'refseq_mane_select'],
    ['manePlusClinical', 'refseq_mane_plus_clinical'],
  ],
  exons: [
    ['chromosome', 'chromosome'],
    ['gene', 'ensembl_gene_id'],
    ['transcript', 'ensembl_transcript_id'],
    ['exon', 'ensembl_id'],
    ['exonStart', 'start'],
    ['exonEnd', 'stop'],
    ['strand', undefined],
    ['rank', 'rank_in_transcript'],
  ],
};

/** The header line of a table: which column is where. */
class Header {
  readonly #places: ReadonlyMap<string, number>;

  /** Throws a Refusal if the line is not the header of such a table. */
  constructor(kind: IntervalKind, line: string) {
    const names = line.split('\t');
    this.#places = new Map(names.map((name, i) => [name.trim().toLowerCase(), i]));
    const wanted = ['build', ...columns[kind].flatMap(([, column]) => column ?? [])];
    const missing = wanted.filter((column) => !this.#places.has(column));
    if (missing.length === 0) return;
    throw new Refusal(`not the header of chanjo2's table ${kind}: ${missing.join(', ')} missing`);
  }

  /** The cell of a column; empty for NULL. */
  cell(values: readonly string[], column: string): string {
    const cell = values[this.#places.get(column) ?? -1]?.trim() ?? '';
    return cell === 'NULL' || cell === '\\N' ? '' : cell;
  }

  /** The build of a row, stored as `GRCh37` or by its name in the program, `build_37`. */
  build(values: readonly string[]): Build | undefined {
    const number = /^(?:GRCh|build_)(37|38)$/i.exec(this.cell(values, 'build'))?.[1];
    return builds.find((build) => number !== undefined && build.endsWith(number));
  }
}

/** Reads the rows of one build, and ignores those of the other. */
class Chanjo2Reader implements IntervalReader {
  readonly kinds: readonly IntervalKind[];
  readonly kind: IntervalKind;
  readonly #build: Build;
  readonly #biomart: BiomartReader;
  readonly #onSkip: (skip: SkipReason, row: string) => void;
  #header: Header | undefined;

  /** `onSkip` is called for each skipped row, with its id in the table. */
  constructor(kind: IntervalKind, build: Build, onSkip: (skip: SkipReason, row: string) => void) {
    this.kinds = [kind];
    this.kind = kind;
    this.#build = build;
    this.#biomart = new BiomartReader(kind, build);
    this.#onSkip = onSkip;
  }

  line(text: string, rows: IntervalRows): SkipReason | 'read' | undefined {
    if (text.trim() === '') return undefined;
    if (!this.#header) {
      this.#header = new Header(this.kind, text);
      return this.#biomart.line(columns[this.kind].map(([name]) => columnNames[name]).join('\t'), rows);
    }
    const header = this.#header;
    const values = text.split('\t');
    if (header.build(values) !== this.#build) return undefined;
    let outcome: SkipReason | 'read' = 'incomplete';
    for (const line of this.#biomartLines(header, values)) outcome = this.#biomart.line(line, rows) ?? outcome;
    if (outcome !== 'read') this.#onSkip(outcome, `${this.kind} id ${header.cell(values, 'id')}`);
    return outcome;
  }

  finish(rows: IntervalRows): void {
    if (!this.#header) throw new Refusal('the file is empty');
    this.#biomart.finish(rows);
  }

  warnings(): string[] {
    return [];
  }

  /** One line, or one per Ensembl id for a gene with several. */
  #biomartLines(header: Header, values: readonly string[]): string[] {
    const cells = columns[this.kind].map(([, column]) => (column === undefined ? '' : header.cell(values, column)));
    if (this.kind !== 'genes') return [cells.join('\t')];
    const place = columns.genes.findIndex(([, column]) => column === 'ensembl_ids');
    return idsOf(cells[place] ?? '').map((id) => cells.with(place, id).join('\t'));
  }
}

/** The ids of a JSON list; one empty id if there is none. */
function idsOf(cell: string): string[] {
  const ids = cell.match(/ENSG\d{11}(?:\.\d+)?/g) ?? [];
  return ids.length > 0 ? ids : [''];
}
