/**
 * From alleles that are asked for by their bases to the rows that answer. Of a whole genome many rows lie between the first
 * and the last question: then each place is looked up. Else the stretch is read as a whole, which costs less than looking
 * for what is not there.
 */
import { type Contig, farthest, isPlain, type SequenceQuestion } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { contigCode, segmentRows, spanLimits } from './layout.js';
import {
  answering,
  askedRows,
  between,
  type Group,
  inPresentForm,
  lookUp,
  pathOf,
  type Sighting,
  type Statement,
} from './sightings.js';

/** Rows for each question, up to which a stretch is read as a whole. */
const dense = 4;

const exact = { n: 'integer', start: 'integer', reference: 'text', alternate: 'text' } as const;
const located = { n: 'integer', low: 'integer', high: 'integer' } as const;

/** Rows of sequence questions on one contig. The questions are by ascending start. */
export async function sequenceSightings(
  database: Database,
  contig: Contig,
  group: Group<SequenceQuestion>,
): Promise<Sighting[]> {
  const asked = new AskedPlaces(group.questions);
  if (asked.count === 0) return [];
  const code = contigCode(group.assembly, contig);
  const around = await surroundings(database, code, asked);
  const sightings = asked.answeredBy(await rowsAt(database, code, group, asked, around.near));
  if (around.spelled) sightings.push(...(await spelledOtherwise(database, code, group, asked)));
  if (group.asWritten) sightings.push(...(await asWritten(database, code, group, asked)));
  return sightings;
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

  /** The sightings in rows of these starts, and others. */
  answeredBy({ start, reference, alternate, segment, calls, carriers }: Rows): Sighting[] {
    const found: Sighting[] = [];
    for (let row = 0; row < start.length; row++) {
      const place = start[row] as number;
      for (let i = this.#firstAt(place); this.#starts[i] === place; i++) {
        const question = this.numbers[i] as number;
        const asked = this.#questions[question] as SequenceQuestion;
        if (asked.reference !== reference[row] || asked.alternate !== alternate[row]) continue;
        found.push({
          question,
          segment: segment[row] as number,
          calls: calls[row] as number,
          carriers: carriers[row] as string | null,
        });
      }
    }
    return found;
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

interface Surroundings {
  /** Rows between the first and the last question, of all datasets, if they are few. */
  near: number | undefined;
  /** Whether a structural allele of plain bases may answer by other bases than those that are stored. */
  spelled: boolean;
}

async function surroundings(database: Database, code: number, asked: AskedPlaces): Promise<Surroundings> {
  const most = dense * asked.count;
  const [found] = await database.query<{ near: unknown; trimmed: unknown }>(
    'select (select count(*) from (select 1 from beacon_alleles a where a.contig = ? and a.start between ? and ? ' +
      'limit ?) as near_rows) as near, (select count(*) from (select 1 from beacon_alleles a where a.contig = ? ' +
      'and a.trimmed is not null and a.trimmed between ? and ? limit 1) as trimmed_rows) as trimmed',
    [code, ...asked.reach, most + 1, code, ...asked.reach],
  );
  const near = Number(found?.near);
  return { near: near > most ? undefined : near, spelled: Number(found?.trimmed) > 0 };
}

/** Columns of rows, in the order of their names. */
interface Rows {
  start: readonly number[];
  reference: readonly string[];
  alternate: readonly string[];
  segment: readonly number[];
  calls: readonly number[];
  carriers: readonly (string | null)[];
}

const none: Rows = { start: [], reference: [], alternate: [], segment: [], calls: [], carriers: [] };
const selection = `a.start, a.reference, a.alternate, a.id / ${segmentRows} as segment, a.calls, a.carriers`;

/** The rows at the places of the questions, and perhaps others between them. */
async function rowsAt(
  database: Database,
  code: number,
  group: Group<SequenceQuestion>,
  asked: AskedPlaces,
  near: number | undefined,
): Promise<Rows> {
  if (near === 0) return none;
  const { engine } = database;
  const { text, bindings } = near === undefined ? eachPlace(database, code, group, asked) : stretch(code, group, asked);
  // As lists of values: an object of the driver for each row would cost more than finding it.
  const [row] = await database.query<{ lists: unknown }>(engine.lists(text, Object.keys(none)), bindings);
  const [start, reference, alternate, segment, calls, carriers] = engine.values.parseJson(row?.lists) as [
    number[],
    string[],
    string[],
    number[],
    number[],
    (string | null)[],
  ];
  return { start, reference, alternate, segment, calls, carriers };
}

function stretch(code: number, group: Group<SequenceQuestion>, { reach }: AskedPlaces): Statement {
  const path = pathOf(group, ['a.contig = ?', 'a.start between ? and ?'], [code, ...reach], 'present');
  return { text: `select ${selection} from ${path.from} a where ${path.where.join(' and ')}`, bindings: path.bindings };
}

function eachPlace(
  database: Database,
  code: number,
  group: Group<SequenceQuestion>,
  { starts }: AskedPlaces,
): Statement {
  const path = pathOf(group, ['a.contig = ?', 'a.start = q.start'], [code], 'present');
  const rows = starts.map((start) => [start]);
  return lookUp(database, { columns: { start: 'integer' }, rows, selection, path });
}

/** Structural alleles of plain bases, by the bases that are left without the shared ones. */
async function spelledOtherwise(
  database: Database,
  code: number,
  group: Group<SequenceQuestion>,
  { entries }: AskedPlaces,
): Promise<Sighting[]> {
  const asStored = 'a.start = q.start and a.reference = q.reference and a.alternate = q.alternate';
  const rows = await askedRows(database, {
    columns: exact,
    rows: entries.map(([n, { start, reference, alternate }]) => [n, start, reference, alternate]),
    path: pathOf(group, ['a.contig = ?', 'a.trimmed = q.start', `not (${asStored})`], [code], 'present'),
  });
  return answering(rows, group);
}

/** Rows as an earlier release wrote them, within the reach of their bases. */
async function asWritten(
  database: Database,
  code: number,
  group: Group<SequenceQuestion>,
  { entries }: AskedPlaces,
): Promise<Sighting[]> {
  const found: Sighting[] = [];
  for (const [span, limit] of spanLimits.entries()) {
    // As the index of long alleles has it.
    const long = span > 0 ? [`a.span = ${span}`, 'a.span > 0'] : ['a.span = 0'];
    const rows = await askedRows(database, {
      columns: located,
      rows: entries.map(([n, { start }]) => [n, Math.max(start - limit, 0), start]),
      path: pathOf(group, ['a.contig = ?', ...long, between('start')], [code], 'asWritten'),
    });
    found.push(...answering(rows.map(inPresentForm), group));
  }
  return found;
}
