/**
 * From alleles that are queried by their bases to the rows that match. Of a whole genome many rows lie between the first
 * and the last question: then each place is looked up. Else the stretch is read as a whole, which costs less than looking
 * for what is not there.
 */
import {
  type CarrierCounts,
  type Contig,
  farthest,
  isPlain,
  type SequenceQuestion,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { allelesByPlace, contigCode, countColumns, segmentOfRow, segmentRows, sourceOfPath } from './layout.js';
import { onContig } from './portions.js';
import {
  type AlleleSighting,
  answering,
  askedRows,
  farRows,
  isFar,
  type LookupStatement,
  lookUp,
  pathOfGroup,
  type QuestionGroup,
} from './sightings.js';

/** Rows for each question, up to which a stretch is read as a whole. */
const dense = 4;

const exact = { n: 'integer', start: 'integer', reference: 'text', alternate: 'text' } as const;

/** Rows of sequence questions on one contig. The questions are by ascending start. */
export async function sequenceSightings(
  database: Database,
  contig: Contig,
  group: QuestionGroup<SequenceQuestion>,
): Promise<AlleleSighting[]> {
  const asked = new AskedPlaces(group.questions);
  if (asked.count === 0) return [];
  const code = contigCode(group.assembly, contig);
  const around = await surroundings(database, code, asked);
  const sums = isDiploid(contig) ? group.sums : undefined;
  const rows = await rowsAt(database, code, { ...group, sums }, asked, around.near);
  const found: PlacedSighting[] = [];
  asked.answeredBy(rows, (question, row) => found.push(sightingOf(rows, row, question, sums?.summed)));
  const spelled = around.spelled ? await spelledOtherwise(database, code, group, asked) : [];
  return sums ? eachOnce(database, code, group, sums.summed, found, spelled) : [...found, ...spelled];
}

/** The questions that a row may answer, by ascending start. */
class AskedPlaces {
  readonly #questions: readonly SequenceQuestion[];
  /** Their places in the group. */
  readonly numbers: number[] = [];
  readonly #starts: number[] = [];

  constructor(questions: readonly SequenceQuestion[]) {
    this.#questions = questions;
    for (let n = 0; n < questions.length; n++) {
      const question = questions[n] as SequenceQuestion;
      if (!isStorable(question)) continue;
      this.numbers.push(n);
      this.#starts.push(question.start);
    }
  }

  get count(): number {
    return this.numbers.length;
  }

  /** First and last start. */
  get reach(): [number, number] {
    return [this.#starts[0] as number, this.#starts.at(-1) as number];
  }

  /** Distinct starts. */
  get starts(): number[] {
    return this.#starts.filter((start, i) => start !== this.#starts[i - 1]);
  }

  get entries(): [number, SequenceQuestion][] {
    return this.numbers.map((n) => [n, this.#questions[n] as SequenceQuestion]);
  }

  /** The questions that each row answers; rows may be of other starts, too. */
  answeredBy({ start, reference, alternate }: SightingColumns, visit: (question: number, row: number) => void): void {
    for (let row = 0; row < start.length; row++) {
      const place = start[row] as number;
      for (let i = this.#firstAt(place); this.#starts[i] === place; i++) {
        const question = this.numbers[i] as number;
        const asked = this.#questions[question] as SequenceQuestion;
        if (asked.reference === reference[row] && asked.alternate === alternate[row]) visit(question, row);
      }
    }
  }

  #firstAt(start: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Positions beyond the bounds are not stored, nor are alleles of this kind by other letters. */
function isStorable({ start, reference, alternate }: SequenceQuestion): boolean {
  return Number.isInteger(start) && start >= 0 && start <= farthest && isPlain(reference) && isPlain(alternate);
}

interface PlaceSurroundings {
  /** Rows between the first and the last question, of all datasets, if they are few and on this server. */
  near: number | undefined;
  /** Whether a structural allele of plain bases may answer by other bases than those that are stored. */
  spelled: boolean;
}

async function surroundings(database: Database, code: number, asked: AskedPlaces): Promise<PlaceSurroundings> {
  const most = dense * asked.count;
  const trimmed =
    '(select count(*) from (select 1 from beacon_alleles a where a.contig = ? ' +
    'and a.trimmed is not null and a.trimmed between ? and ? limit 1) as trimmed_rows) as trimmed';
  // Another server would send all rows between them up to what it sends at once, whatever the limit here.
  if (await isFar(database, code)) {
    const [found] = await database.query<{ trimmed: unknown }>(`select ${trimmed}`, [code, ...asked.reach]);
    return { near: undefined, spelled: Number(found?.trimmed) > 0 };
  }
  const [found] = await database.query<{ near: unknown; trimmed: unknown }>(
    `select (select count(*) from (select 1 from ${allelesByPlace(database.engine)} a ` +
      `where a.contig = ? and a.start between ? and ? limit ?) as near_rows) as near, ${trimmed}`,
    [code, ...asked.reach, most + 1, code, ...asked.reach],
  );
  const near = Number(found?.near);
  return { near: near > most ? undefined : near, spelled: Number(found?.trimmed) > 0 };
}

/** Columns of rows, in the order of their names. */
interface SightingColumns {
  id: readonly number[];
  start: readonly number[];
  reference: readonly string[];
  alternate: readonly string[];
  calls: readonly number[];
  carriers: readonly (string | null)[];
  carrier_count: readonly (number | null)[];
  twice_count: readonly (number | null)[];
  case_count: readonly (number | null)[];
}

const columns: readonly (keyof SightingColumns)[] = [
  'id',
  'start',
  'reference',
  'alternate',
  'calls',
  'carriers',
  ...countColumns,
];

function columnsOfRows(lists: readonly (readonly unknown[])[]): SightingColumns {
  return Object.fromEntries(columns.map((column, i) => [column, lists[i] ?? []])) as unknown as SightingColumns;
}

/** Without carriers if their numbers are enough. */
function selectionOf({ engine }: Database, sums: QuestionGroup['sums']): LookupStatement {
  const others = sums?.others ?? [];
  const needed = `or a.id / ${segmentRows} in (select r.segment from ${engine.bound({ segment: 'integer' })} r)`;
  const carriers = `case when a.carrier_count is null ${others.length > 0 ? needed : ''} then a.carriers end`;
  return {
    text: columns
      .map((column) => (column === 'carriers' && sums ? `${carriers} as carriers` : `a.${column}`))
      .join(', '),
    bindings: others.length > 0 ? [engine.values.json(others.map((segment) => [segment])) as string] : [],
  };
}

/** A sighting in a row of this id. */
interface PlacedSighting extends AlleleSighting {
  id: number;
}

function sightingOf(
  rows: SightingColumns,
  row: number,
  question: number,
  summed?: ReadonlyMap<number, number>,
): PlacedSighting {
  const id = rows.id[row] as number;
  const segment = segmentOfRow({ id });
  const counts = summed?.has(segment) ? countsOf(rows, row) : undefined;
  return { id, question, segment, calls: rows.calls[row] as number, carriers: rows.carriers[row] ?? null, counts };
}

/** Undefined for a row of release 0.1, which did not count. */
function countsOf(rows: SightingColumns, row: number): CarrierCounts | undefined {
  const carriers = rows.carrier_count[row] ?? null;
  if (carriers !== null) {
    return { carriers, twice: rows.twice_count[row] as number, cases: rows.case_count[row] as number };
  }
  // Without text, the row is of a sole sample.
  if (rows.carriers[row] !== null) return undefined;
  return { carriers: 1, twice: (rows.calls[row] as number) >= 2 ? 1 : 0, cases: 1 };
}

/** Whether every person has two copies of every place. */
function isDiploid(contig: Contig): boolean {
  return contig !== 'X' && contig !== 'Y' && contig !== 'MT';
}

/**
 * The sightings, of which those in several rows of a segment are with carriers: a sample may be in more than one of them. That is
 * so if files state an allele of plain bases in different ways, and rare.
 */
async function eachOnce(
  database: Database,
  code: number,
  group: QuestionGroup<SequenceQuestion>,
  summed: ReadonlyMap<number, number>,
  found: readonly PlacedSighting[],
  spelled: readonly AlleleSighting[],
): Promise<AlleleSighting[]> {
  const times = new Uint8Array(group.questions.length * summed.size);
  const cellOf = ({ question, segment }: AlleleSighting) =>
    question * summed.size + (summed.get(segment) ?? Number.NaN);
  let several = false;
  for (const sightings of [found, spelled]) {
    for (const sighting of sightings) {
      const cell = cellOf(sighting);
      const before = times[cell];
      if (before === undefined) continue;
      times[cell] = Math.min(before + 1, 2);
      several ||= before > 0;
    }
  }
  if (!several) return [...found, ...spelled];
  const alone = found.filter((sighting) => times[cellOf(sighting)] !== 2);
  const shared = found.filter((sighting) => times[cellOf(sighting)] === 2);
  // Whole numbers of our own making.
  const rows = await database.query<{ id: number | string; carriers: string | null }>(
    `select a.id, a.carriers from beacon_alleles a where ${onContig(database.engine, 'a')} ` +
      `and a.id in (${[-1, ...shared.map(({ id }) => id)].join(', ')})`,
    [code],
  );
  const carriers = new Map(rows.map(({ id, carriers }) => [Number(id), carriers]));
  return [
    ...alone,
    ...shared.map((sighting) => ({ ...sighting, carriers: carriers.get(sighting.id) ?? null, counts: undefined })),
    ...spelled,
  ];
}

/** The rows at the places of the questions, and perhaps others between them. */
async function rowsAt(
  database: Database,
  code: number,
  group: QuestionGroup<SequenceQuestion>,
  asked: AskedPlaces,
  near: number | undefined,
): Promise<SightingColumns> {
  if (near === 0) return columnsOfRows([]);
  const { engine } = database;
  const selection = selectionOf(database, group.sums);
  const { text, bindings } =
    near === undefined
      ? await eachPlace(database, code, group, asked, selection)
      : stretch(database, code, group, asked, selection);
  // As lists of values: an object of the driver for each row would cost more than finding it.
  const [row] = await database.query<{ lists: unknown }>(engine.lists(text, columns), bindings);
  return columnsOfRows(engine.values.parseJson(row?.lists) as unknown[][]);
}

function stretch(
  { engine }: Database,
  code: number,
  group: QuestionGroup<SequenceQuestion>,
  { reach }: AskedPlaces,
  selection: LookupStatement,
): LookupStatement {
  const path = pathOfGroup(group, ['a.contig = ?', 'a.start between ? and ?'], [code, ...reach], {
    byPlace: true,
  });
  const text = `select ${selection.text} from ${sourceOfPath(engine, path)} a where ${path.where.join(' and ')}`;
  return { text, bindings: [...selection.bindings, ...path.bindings] };
}

async function eachPlace(
  database: Database,
  code: number,
  group: QuestionGroup<SequenceQuestion>,
  { starts }: AskedPlaces,
  selection: LookupStatement,
): Promise<LookupStatement> {
  const columns = { start: 'integer' } as const;
  const rows = starts.map((start) => [start]);
  const far = await farRows(database, { contig: code, column: 'start' }, columns);
  if (far !== undefined) {
    // Without a join, which a planner without statistics makes row by row.
    const { where, bindings } = pathOfGroup(group, ['a.contig = ?'], [code]);
    const text = `select ${selection.text} from ${far} a where ${where.join(' and ')}`;
    return { text, bindings: [...selection.bindings, database.engine.values.json(rows) as string, ...bindings] };
  }
  const path = pathOfGroup(group, ['a.contig = ?', 'a.start = q.start'], [code], { byPlace: true });
  return lookUp(database, { columns, rows, selection, path });
}

/** Structural alleles of plain bases, by the bases that are left without the shared ones. */
async function spelledOtherwise(
  database: Database,
  code: number,
  group: QuestionGroup<SequenceQuestion>,
  { entries }: AskedPlaces,
): Promise<AlleleSighting[]> {
  const asStored = 'a.start = q.start and a.reference = q.reference and a.alternate = q.alternate';
  const rows = await askedRows(database, {
    columns: exact,
    rows: entries.map(([n, { start, reference, alternate }]) => [n, start, reference, alternate]),
    path: pathOfGroup(group, ['a.contig = ?', 'a.trimmed = q.start', `not (${asStored})`], [code]),
    at: { contig: code, column: 'trimmed' },
  });
  return answering(rows, group);
}
