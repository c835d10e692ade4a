/** Observations: who carries the alleles that answer each of many questions, as of one moment. */
import type {
  Assembly,
  Contig,
  Observation,
  ObservedQuestion,
  ObserveOptions,
  SequenceQuestion,
  StructuralQuestion,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { eachCarrier } from './carriers.js';
import { type DatasetState, DatasetStates } from './dataset-states.js';
import type { SampleNames, Segments } from './samples.js';
import { type Group, type Sighting, sequenceSightings, structuralSightings } from './sightings.js';

/** Questions that are answered together: the rows of all are in memory at once. */
const together = 1000;

type Numbered<Question extends ObservedQuestion> = Map<number, Question>;

export class Observations {
  readonly #database: Database;
  readonly #names: SampleNames;
  readonly #states = new DatasetStates();

  constructor(database: Database, names: SampleNames) {
    this.#database = database;
    this.#names = names;
  }

  async observe(
    assembly: Assembly,
    questions: readonly ObservedQuestion[],
    ids: readonly string[],
    { cases, signal }: ObserveOptions = {},
  ): Promise<Observation[][]> {
    signal?.throwIfAborted();
    return this.#database.until(signal).snapshot(async (snapshot) => {
      const states = await this.#states.of(snapshot, assembly, ids);
      const bySegment = new Map(states.flatMap((state) => [...state.segments].map((segment) => [segment, state])));
      const about = {
        assembly,
        datasets: new Set(states.map(({ id }) => id)),
        windowIn: (segment: number) => bySegment.get(segment)?.window,
        window: Math.max(0, ...states.map(({ window }) => window)),
        asWritten: states.some(({ asWritten }) => asWritten),
      };
      const observations: Observation[][] = questions.map(() => []);
      for (const { part, read } of states.length > 0 ? partsOf(questions) : []) {
        const sightings = await read(snapshot, about);
        const names = await this.#names.of(snapshot, new Set(sightings.map(({ segment }) => segment)));
        const byQuestion = grouped(sightings, ({ question }) => question);
        for (const [n, question] of part) {
          const here = grouped(byQuestion.get(n) ?? [], ({ segment }) => bySegment.get(segment));
          observations[n] = states.map((state) => counted(question, state, here.get(state) ?? [], names, cases));
        }
      }
      return observations;
    });
  }
}

interface Part {
  part: Numbered<ObservedQuestion>;
  read(snapshot: Database, about: Omit<Group, 'questions'>): Promise<Sighting[]>;
}

/** The questions in parts that few statements answer: by contig, except for junctions. */
function* partsOf(questions: readonly ObservedQuestion[]): Generator<Part> {
  const sequences = new Map<Contig, Numbered<SequenceQuestion>>();
  const structural = new Map<Contig, Numbered<StructuralQuestion>>();
  const junctions: Numbered<StructuralQuestion> = new Map();
  for (const [n, question] of questions.entries()) {
    if (question.type === 'sequence') numbered(sequences, question.contig).set(n, question);
    else if (question.mate === undefined) numbered(structural, question.contig).set(n, question);
    else junctions.set(n, question);
  }
  for (const [contig, all] of sequences) {
    for (const part of slices(all)) {
      yield { part, read: (snapshot, about) => sequenceSightings(snapshot, contig, { ...about, questions: part }) };
    }
  }
  for (const [contig, all] of structural) {
    for (const part of slices(all)) {
      const read: Part['read'] = (snapshot, about) =>
        structuralSightings(snapshot, contig, { ...about, questions: part, fromMate: false });
      yield { part, read };
    }
  }
  for (const part of slices(junctions)) {
    yield { part, read: (snapshot, about) => junctionSightings(snapshot, about, part) };
  }
}

/** Rows of junctions, from both of their sides. */
async function junctionSightings(
  snapshot: Database,
  about: Omit<Group, 'questions'>,
  part: Numbered<StructuralQuestion>,
): Promise<Sighting[]> {
  const found: Sighting[] = [];
  for (const fromMate of [false, true]) {
    const byContig = new Map<Contig, Numbered<StructuralQuestion>>();
    for (const [n, question] of part) {
      numbered(byContig, fromMate ? (question.mate ?? question.contig) : question.contig).set(n, question);
    }
    for (const [contig, questions] of byContig) {
      found.push(...(await structuralSightings(snapshot, contig, { ...about, questions, fromMate })));
    }
  }
  return found;
}

function numbered<Key, Question extends ObservedQuestion>(
  groups: Map<Key, Numbered<Question>>,
  key: Key,
): Numbered<Question> {
  const known = groups.get(key) ?? new Map<number, Question>();
  groups.set(key, known);
  return known;
}

function* slices<Question extends ObservedQuestion>(all: Numbered<Question>): Generator<Numbered<Question>> {
  const entries = [...all];
  for (let i = 0; i < entries.length; i += together) yield new Map(entries.slice(i, i + together));
}

function grouped<Key, Value>(values: readonly Value[], keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

function counted(
  question: ObservedQuestion,
  { id, assembly, observed, placesIn, of }: DatasetState,
  sightings: readonly Sighting[],
  names: Segments,
  cases: number | undefined,
): Observation {
  const place = { assembly, contig: question.contig, start: question.start };
  try {
    for (const { segment, carriers, calls } of sightings) {
      const places = placesIn(segment, names.get(segment)?.names ?? new Map());
      eachCarrier(carriers, calls, (ordinal, copies) => observed.add(places[ordinal] ?? -1, copies));
    }
  } catch (error) {
    // So that the next question does not find the carriers of this one.
    observed.result(place);
    throw error;
  }
  return { dataset: id, ...observed.result(place, cases), of: of[question.type] };
}
