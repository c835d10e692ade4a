/**
 * From many questions to the rows that answer them: a bounded number of statements, however many questions there are.
 * Structural questions find rows by both ends.
 */
import {
  type Assembly,
  type CarrierCounts,
  type Contig,
  farthest,
  isAskedFor,
  isInsertion,
  type ObservedQuestion,
  type StructuralQuestion,
  windowOf,
} from '../../../plugins/beacon/contract.js';
import type { Database, Scalar } from '../binding.js';
import type { CarrierPercents } from './carriers.js';
import {
  alleleOfRow,
  alleleSelection,
  contigCode,
  type IndexPath,
  limitToPublished,
  namedIn,
  placeHalves,
  type StoredAlleleRow,
  segmentOfRow,
  storableBounds,
} from './layout.js';

/** A row that answers a question. */
export interface AlleleSighting {
  /** Its place among the questions of the group. */
  question: number;
  segment: number;
  /** The id of the row, if it is of an allele with carriers. */
  id?: number;
  calls: number;
  carriers: string | null;
  /** What counts instead of the carriers, which were not read. */
  counts?: CarrierCounts | undefined;
  /** Allele fractions of the carriers, by ordinal, if they were read. */
  percents?: CarrierPercents | undefined;
}

/** What is read for a group of questions, all of one kind. */
export interface QuestionGroup<Question extends ObservedQuestion = ObservedQuestion> {
  assembly: Assembly;
  questions: readonly Question[];
  datasets: ReadonlySet<string>;
  /** The window of the dataset that a segment is of; undefined if that dataset is not asked. */
  windowIn(segment: number): number | undefined;
  /** The largest of the windows. */
  window: number;
  /** Segments whose rows may be counted by their numbers alone, numbered from 0, and those whose carriers are needed; all need them if omitted. */
  sums?: { summed: ReadonlyMap<number, number>; others: readonly number[] };
  /** The rows that are read; those with carriers if omitted. */
  from?: IndexPath['from'];
}

/** Fewer questions than this look each row up in the list of segments. */
const fewQuestions = 16;

/** The path to visible rows of the group's datasets that fulfil the conditions. */
export function pathOfGroup(
  {
    datasets,
    questions,
    from = 'beacon_alleles',
  }: Pick<QuestionGroup, 'datasets' | 'from'> & { questions: Pick<readonly unknown[], 'length'> },
  where: string[],
  bindings: Scalar[],
  { byPlace = false }: Pick<IndexPath, 'byPlace'> = {},
): IndexPath {
  const path: IndexPath = { from, byPlace, where, bindings };
  limitToPublished(path, namedIn(datasets), { few: questions.length <= fewQuestions });
  return path;
}

/** A table of values `q`, one row for each question, and what they are compared with. */
interface SightingLookup {
  columns: Readonly<Record<string, 'integer' | 'text'>>;
  rows: readonly (readonly Scalar[])[];
  selection: LookupStatement;
  path: IndexPath;
  at?: RowPlaces;
}

/** The condition for rows of one contig: `q.start` is in a column of theirs. */
interface RowPlaces {
  contig: number;
  column: 'start' | 'trimmed';
}

/** Whether the rows of a contig are on another server. */
export async function isFar(database: Database, contig: number): Promise<boolean> {
  const far = database.engine.partitioning?.far;
  return far !== undefined && (await database.run((inside) => far.has(inside, 'beacon_alleles', contig)));
}

/** A table of the rows at places on another server, which binds the places; undefined if they are on this one. */
export async function farRows(
  database: Database,
  { contig, column }: RowPlaces,
  columns: SightingLookup['columns'],
): Promise<string | undefined> {
  const { bound, partitioning } = database.engine;
  if (!partitioning || !(await isFar(database, contig))) return undefined;
  return partitioning.far.rows('beacon_alleles', `a.contig = ${contig}`, column, bound(columns), 'start');
}

/** A statement that looks up rows for each row of `q`. */
export async function lookUp(
  database: Database,
  { columns, rows, selection, path, at }: SightingLookup,
): Promise<LookupStatement> {
  const { engine } = database;
  const bound = engine.bound(columns);
  const far = at && (await farRows(database, at, columns));
  if (far !== undefined) {
    const text = `select ${selection.text} from ${bound} q join ${far} a on ${path.where.join(' and ')}`;
    const asked = engine.values.json(rows) as string;
    return { text, bindings: [...selection.bindings, asked, asked, ...path.bindings] };
  }
  const select = (where: readonly string[]) =>
    `select ${selection.text} ${engine.lookUp(bound, path.from, where.join(' and '))}`;
  const bindings = [...selection.bindings, engine.values.json(rows) as string, ...path.bindings];
  const halves = path.byPlace ? placeHalves(engine, 'a.id') : [];
  if (halves.length === 0) return { text: select(path.where), bindings };
  return {
    text: halves.map((half) => select([...path.where, half])).join(' union all '),
    bindings: halves.flatMap(() => bindings),
  };
}

export interface LookupStatement {
  text: string;
  bindings: Scalar[];
}

/** Rows of alleles, each with the number of a question that it may answer. */
export async function askedRows(database: Database, asked: Omit<SightingLookup, 'selection'>): Promise<AnsweringRow[]> {
  const selection = { text: `q.n as question, ${alleleSelection}`, bindings: [] };
  const { text, bindings } = await lookUp(database, { ...asked, selection });
  return database.query<AnsweringRow>(text, bindings);
}

type AnsweringRow = StoredAlleleRow & { question: number };

/** Those of the rows whose allele is one that the question asks for. */
export function answering(
  rows: readonly AnsweringRow[],
  { questions, assembly, windowIn }: QuestionGroup,
): AlleleSighting[] {
  return rows.flatMap((row) => {
    const segment = segmentOfRow(row);
    const asked = questions[row.question];
    const window = windowIn(segment);
    if (!asked || window === undefined || !isAskedFor(alleleOfRow(row), asked, assembly, window)) return [];
    return [{ question: row.question, segment, id: Number(row.id), calls: row.calls, carriers: row.carriers }];
  });
}

/** The condition that a column lies between two columns of the question. */
function betweenBounds(column: string, of = ''): string {
  return `a.${column} between q.${of}low and q.${of}high`;
}

// From structural questions to the rows that may answer them, by both ends.

const twoEnded = {
  n: 'integer',
  low: 'integer',
  high: 'integer',
  stop_low: 'integer',
  stop_high: 'integer',
  mate: 'integer',
} as const;

/** Rows of structural questions whose alleles, of the one form of a junction, begin on one contig. */
export async function structuralSightings(
  database: Database,
  contig: Contig,
  { fromMate, ...group }: QuestionGroup<StructuralQuestion> & { fromMate: boolean },
): Promise<AlleleSighting[]> {
  const questions = group.questions.flatMap((question, n) => {
    const window = windowOf(question, group.window);
    const near = (position: number) => ({ min: Math.ceil(position - window), max: Math.floor(position + window) });
    const ends = isInsertion(question.kind) ? { min: 0, max: farthest } : near(question.end);
    const [here, there] = fromMate ? [ends, near(question.start)] : [near(question.start), ends];
    const mate = fromMate ? question.contig : question.mate;
    const code = mate === undefined ? 0 : contigCode(group.assembly, mate);
    const bounds = [...storableBounds(here), ...storableBounds(there)];
    return bounds.every(Number.isFinite) ? [[n, ...bounds, code]] : [];
  });
  if (questions.length === 0) return [];
  const where = [
    'a.contig = ?',
    'a.structural = 1',
    betweenBounds('start'),
    betweenBounds('stop', 'stop_'),
    'coalesce(a.mate, 0) = q.mate',
  ];
  const path = pathOfGroup(group, where, [contigCode(group.assembly, contig)]);
  const rows = await askedRows(database, { columns: twoEnded, rows: questions, path });
  return answering(rows, group);
}
