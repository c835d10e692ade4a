/** From many questions to the rows that answer them: a bounded number of statements, however many questions there are. */
import {
  type Assembly,
  type Contig,
  farthest,
  isAskedFor,
  isInsertion,
  isPlain,
  type ObservedQuestion,
  type SequenceQuestion,
  type StructuralQuestion,
  windowOf,
} from '../../../plugins/beacon/contract.js';
import type { Database, Scalar } from '../binding.js';
import { present, segmentOf } from './as-written.js';
import { type AlleleRow, alleleOf, alleleSelection, contigCode, segmentRows, spanLimits } from './layout.js';
import { held, namedIn, type Path, type Seen, seen } from './paths.js';

/** A row that answers a question. */
export interface Sighting {
  /** Which of the questions. */
  question: number;
  segment: number;
  calls: number;
  carriers: string | null;
}

/** What is read for a group of questions, all of one kind. */
export interface Group<Question extends ObservedQuestion = ObservedQuestion> {
  assembly: Assembly;
  /** By number. */
  questions: ReadonlyMap<number, Question>;
  datasets: ReadonlySet<string>;
  /** The window of the dataset that a segment is of; undefined if that dataset is not asked. */
  windowIn(segment: number): number | undefined;
  /** The largest of the windows. */
  window: number;
  /** Whether there are segments with rows as an earlier release wrote them. */
  asWritten: boolean;
}

/** Fewer questions than this look each row up in the list of segments. */
const fewQuestions = 16;

const located = { n: 'integer', low: 'integer', high: 'integer' } as const;
const exact = { n: 'integer', start: 'integer', reference: 'text', alternate: 'text' } as const;
const twoEnded = { ...located, stop_low: 'integer', stop_high: 'integer', mate: 'integer' } as const;

/** Rows of sequence-resolved questions on one contig. */
export async function sequenceSightings(
  database: Database,
  contig: Contig,
  group: Group<SequenceQuestion>,
): Promise<Sighting[]> {
  const sound = [...group.questions].filter(([, asked]) => isStorable(asked));
  if (sound.length === 0) return [];
  const questions = sound.map(([n, { start, reference, alternate }]) => [n, start, reference, alternate]);
  const code = contigCode(group.assembly, contig);
  const asStored = ['a.start = q.start', 'a.reference = q.reference', 'a.alternate = q.alternate'];
  const sightings = await lookUpMany(database, group, {
    columns: exact,
    rows: questions,
    selection: `q.n as question, a.id / ${segmentRows} as segment, a.calls, a.carriers`,
    where: ['a.contig = ?', ...asStored],
    bindings: [code],
    form: 'present',
  });
  // Structural alleles of plain bases, by the bases that are left without the shared ones.
  const spelled = await lookUp<AskedRow>(database, group, {
    columns: exact,
    rows: questions,
    selection: `q.n as question, ${alleleSelection}`,
    where: ['a.contig = ?', 'a.trimmed = q.start', `not (${asStored.join(' and ')})`],
    bindings: [code],
    form: 'present',
  });
  const found = [...sightings, ...answering(spelled, group)];
  if (!group.asWritten) return found;
  for (const [span, limit] of spanLimits.entries()) {
    const starts = sound.map(([n, { start }]) => [n, Math.max(start - limit, 0), start]);
    const rows = await lookUp<AskedRow>(database, group, {
      columns: located,
      rows: starts,
      selection: `q.n as question, ${alleleSelection}`,
      // As the index of long alleles has it.
      where: ['a.contig = ?', ...(span > 0 ? [`a.span = ${span}`, 'a.span > 0'] : ['a.span = 0']), between('start')],
      bindings: [code],
      form: 'asWritten',
    });
    found.push(...answering(rows.map(inPresentForm), group));
  }
  return found;
}

/** Positions beyond the bounds are not stored, nor are alleles of this kind by other letters. */
function isStorable({ start, reference, alternate }: SequenceQuestion): boolean {
  return isPosition(start) && isPlain(reference) && isPlain(alternate);
}

function isPosition(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= farthest;
}

/** Rows of structural questions whose alleles, of the one form of a junction, begin on one contig. */
export async function structuralSightings(
  database: Database,
  contig: Contig,
  { fromMate, ...group }: Group<StructuralQuestion> & { fromMate: boolean },
): Promise<Sighting[]> {
  const questions = [...group.questions].flatMap(([n, question]) => {
    const window = windowOf(question, group.window);
    const near = (position: number) => ({ min: Math.ceil(position - window), max: Math.floor(position + window) });
    const ends = isInsertion(question.kind) ? { min: 0, max: farthest } : near(question.end);
    const [here, there] = fromMate ? [ends, near(question.start)] : [near(question.start), ends];
    const mate = fromMate ? question.contig : question.mate;
    const code = mate === undefined ? 0 : contigCode(group.assembly, mate);
    const bounds = [...held(here), ...held(there)];
    return bounds.every(Number.isFinite) ? [[n, ...bounds, code]] : [];
  });
  if (questions.length === 0) return [];
  const rows = await lookUp<AskedRow>(database, group, {
    columns: twoEnded,
    rows: questions,
    selection: `q.n as question, ${alleleSelection}`,
    where: [
      'a.contig = ?',
      'a.structural = 1',
      between('start'),
      between('stop', 'stop_'),
      'coalesce(a.mate, 0) = q.mate',
    ],
    bindings: [contigCode(group.assembly, contig)],
  });
  return answering(group.asWritten ? rows.map(inPresentForm) : rows, group);
}

function between(column: string, of = ''): string {
  return `a.${column} between q.${of}low and q.${of}high`;
}

interface LookUp {
  columns: Readonly<Record<string, 'integer' | 'text'>>;
  rows: readonly (readonly Scalar[])[];
  selection: string;
  where: string[];
  bindings: Scalar[];
  form?: Seen['form'];
}

/** As lists of values: an object of the driver for each row would cost more than finding it. */
async function lookUpMany(database: Database, group: Asked, lookUp: LookUp): Promise<Sighting[]> {
  const { text, bindings } = statementOf(database, group, lookUp);
  const [row] = await database.query<{ lists: unknown }>(
    database.engine.lists(text, ['question', 'segment', 'calls', 'carriers']),
    bindings,
  );
  const lists = database.engine.values.parseJson(row?.lists) as [number[], number[], number[], (string | null)[]];
  const [numbers, segments, calls, carriers] = lists;
  return numbers.map((question, i) => ({
    question,
    segment: segments[i] as number,
    calls: calls[i] as number,
    carriers: carriers[i] as string | null,
  }));
}

async function lookUp<Row>(database: Database, group: Asked, lookUp: LookUp): Promise<Row[]> {
  const { text, bindings } = statementOf(database, group, lookUp);
  return database.query<Row>(text, bindings);
}

type Asked = Pick<Group, 'datasets' | 'questions'>;

function statementOf(
  { engine }: Database,
  { datasets, questions }: Asked,
  { columns, rows, selection, where, bindings, form }: LookUp,
): { text: string; bindings: Scalar[] } {
  const path: Path = { from: 'beacon_alleles', where, bindings };
  seen(path, namedIn(datasets), { few: questions.size <= fewQuestions, ...(form && { form }) });
  const text = `select ${selection} ${engine.lookUp(engine.bound(columns), path.from, where.join(' and '))}`;
  return { text, bindings: [engine.values.json(rows) as string, ...bindings] };
}

type AskedRow = AlleleRow & { question: number };

function inPresentForm(row: AskedRow): AskedRow {
  return present(row);
}

/** Those of the rows whose allele is one that the question asks for. */
function answering(rows: readonly AskedRow[], { questions, assembly, windowIn }: Group): Sighting[] {
  return rows.flatMap((row) => {
    const segment = segmentOf(row);
    const asked = questions.get(row.question);
    const window = windowIn(segment);
    if (!asked || window === undefined || !isAskedFor(alleleOf(row), asked, assembly, window)) return [];
    return [{ question: row.question, segment, calls: row.calls, carriers: row.carriers }];
  });
}
