/** Observations: who carries the alleles that answer each of many questions, as of one moment. */
import {
  type Assembly,
  type Contig,
  leastFraction,
  type Observation,
  type ObservedQuestion,
  type ObserveOptions,
  type Requested,
  type SequenceQuestion,
  type StructuralQuestion,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { grouped, listUnder, slices } from '../lists.js';
import { eachCarrier } from './carriers.js';
import type { DatasetState, DatasetStates } from './dataset-states.js';
import { addFractions } from './fractions.js';
import { sequenceSightings } from './sequence-sightings.js';
import { type AlleleSighting, type QuestionGroup, structuralSightings } from './sightings.js';
import { uncalledSequences } from './uncalled.js';

/** Questions that are answered together: the rows of all are in memory at once. */
const questionsTogether = 1000;

export async function observeAlleles(
  database: Database,
  known: DatasetStates,
  assembly: Assembly,
  questions: readonly ObservedQuestion[],
  ids: readonly string[],
  { signal, ...requested }: ObserveOptions = {},
): Promise<readonly (readonly Observation[])[]> {
  signal?.throwIfAborted();
  return database.until(signal).snapshot(async (snapshot) => {
    const states = await known.of(snapshot, assembly, ids);
    const bySegment = new Map(states.flatMap((state) => [...state.segments.keys()].map((segment) => [segment, state])));
    const about = {
      assembly,
      datasets: new Set(states.map(({ id }) => id)),
      windowIn: (segment: number) => bySegment.get(segment)?.window,
      window: Math.max(0, ...states.map(({ window }) => window)),
      // Numbers do not say who the carriers are.
      ...(requested.cases === undefined && !requested.carriers && !requested.fractions && { sums: sumsOf(states) }),
    };
    const missed = states.some(({ uncalled }) => uncalled) ? await missedIn(snapshot, questions, about) : undefined;
    const isApart = (n: number) =>
      missed?.has(n) || states.some(({ observed }) => observed.hasUnsearched(questions[n] as ObservedQuestion));
    // Most alleles of a whole genome are not in the dataset: an object for each would cost more than looking for it.
    const unseen = {
      sequence: states.map((state) => nothingSeen(state, 'sequence', requested)),
      structural: states.map((state) => nothingSeen(state, 'structural', requested)),
    };
    const observations: (readonly Observation[])[] = questions.map(({ type }) => unseen[type]);
    // If there are more datasets than a statement names, they are separated here.
    const only = states.length === 1;
    const countAll = (n: number, found: readonly AlleleSighting[]) => {
      const here = only ? undefined : grouped(found, ({ segment }) => bySegment.get(segment));
      observations[n] = states.map((state) =>
        countSightings(
          questions[n] as ObservedQuestion,
          state,
          { found: here ? (here.get(state) ?? []) : found, missed: missed?.get(n) ?? [] },
          requested,
        ),
      );
    };
    const read = async (part: QuestionPart, group: Omit<QuestionGroup, 'questions'>) => {
      const sightings = await part.read(snapshot, group);
      const isOnMt = part.numbers.some((n) => questions[n]?.contig === 'MT');
      if (isOnMt || requested.fractions) await addFractions(snapshot, sightings);
      for (const [i, found] of grouped(sightings, ({ question }) => question)) {
        countAll(part.numbers[i] as number, found);
      }
    };
    const all = states.length > 0 ? questions.map((_, n) => n) : [];
    const apart = all.filter(isApart);
    // A sample that was not called may be a carrier: numbers alone do not show that.
    const { sums: _, ...byName } = about;
    for (const n of apart) countAll(n, []);
    for (const part of partsOf(questions, apart)) await read(part, byName);
    const others = apart.length === 0 ? all : all.filter((n) => !isApart(n));
    for (const part of partsOf(questions, others)) await read(part, about);
    return observations;
  });
}

/** By number of a question: the rows of samples that were not called. */
async function missedIn(
  snapshot: Database,
  questions: readonly ObservedQuestion[],
  { sums: _, ...about }: Omit<QuestionGroup, 'questions'>,
): Promise<Map<number, AlleleSighting[]>> {
  const missed = new Map<number, AlleleSighting[]>();
  const group = { ...about, from: 'beacon_uncalled' } as const;
  for (const { numbers, read } of partsOf(
    questions,
    questions.map((_, n) => n),
    uncalledSequences,
  )) {
    for (const [i, found] of grouped(await read(snapshot, group), ({ question }) => question)) {
      missed.set(numbers[i] as number, found);
    }
  }
  return missed;
}

function sumsOf(states: readonly DatasetState[]): QuestionGroup['sums'] {
  const summed = new Map(states.flatMap((state) => [...state.summed]).map((segment, i) => [segment, i]));
  const others = states.flatMap(({ segments }) => [...segments.keys()].filter((segment) => !summed.has(segment)));
  return { summed, others };
}

interface QuestionPart {
  /** Of the questions, among all. Sightings number them within the part. */
  numbers: readonly number[];
  read(snapshot: Database, about: Omit<QuestionGroup, 'questions'>): Promise<AlleleSighting[]>;
}

/** The questions of these numbers in parts that few statements answer: by contig, except for junctions. */
function* partsOf(
  questions: readonly ObservedQuestion[],
  among: readonly number[],
  sequencesIn = sequenceSightings,
): Generator<QuestionPart> {
  const sequences = new Map<Contig, number[]>();
  const structural = new Map<Contig, number[]>();
  const junctions: number[] = [];
  for (const n of among) {
    const question = questions[n] as ObservedQuestion;
    if (question.type === 'sequence') listUnder(sequences, question.contig).push(n);
    else if (question.mate === undefined) listUnder(structural, question.contig).push(n);
    else junctions.push(n);
  }
  const startOf = (n: number) => (questions[n] as ObservedQuestion).start;
  for (const [contig, numbers] of sequences) {
    numbers.sort((one, other) => startOf(one) - startOf(other));
    for (const part of pieces<SequenceQuestion>(numbers, questions)) {
      yield { ...part, read: (snapshot, about) => sequencesIn(snapshot, contig, { ...about, ...part }) };
    }
  }
  for (const [contig, numbers] of structural) {
    for (const part of pieces<StructuralQuestion>(numbers, questions)) {
      const read: QuestionPart['read'] = (snapshot, about) =>
        structuralSightings(snapshot, contig, { ...about, ...part, fromMate: false });
      yield { ...part, read };
    }
  }
  for (const part of pieces<StructuralQuestion>(junctions, questions)) {
    yield { ...part, read: (snapshot, about) => junctionSightings(snapshot, about, part.questions) };
  }
}

/** Rows of junctions, from both of their sides. */
async function junctionSightings(
  snapshot: Database,
  about: Omit<QuestionGroup, 'questions'>,
  junctions: readonly StructuralQuestion[],
): Promise<AlleleSighting[]> {
  const found: AlleleSighting[] = [];
  for (const fromMate of [false, true]) {
    const byContig = new Map<Contig, number[]>();
    for (const [n, { contig, mate = contig }] of junctions.entries())
      listUnder(byContig, fromMate ? mate : contig).push(n);
    for (const [contig, numbers] of byContig) {
      const questions = numbers.map((n) => junctions[n] as StructuralQuestion);
      const sightings = await structuralSightings(snapshot, contig, { ...about, questions, fromMate });
      for (const sighting of sightings) found.push({ ...sighting, question: numbers[sighting.question] as number });
    }
  }
  return found;
}

/** The questions of these numbers, which are of one type, a part at a time. */
function* pieces<Question extends ObservedQuestion>(
  numbers: readonly number[],
  questions: readonly ObservedQuestion[],
): Generator<{ numbers: readonly number[]; questions: readonly Question[] }> {
  for (const part of slices(numbers, questionsTogether)) {
    yield { numbers: part, questions: part.map((n) => questions[n] as Question) };
  }
}

interface SightingsOfQuestions {
  found: readonly AlleleSighting[];
  /** Rows of samples that were not called, in any dataset. */
  missed: readonly AlleleSighting[];
}

function countSightings(
  question: ObservedQuestion,
  { id, assembly, observed, segments, minimumHeteroplasmy }: DatasetState,
  { found, missed }: SightingsOfQuestions,
  requested: Requested,
): Observation {
  const { type, contig, start } = question;
  const place = { assembly, contig, start, type };
  try {
    const least = leastFraction(contig, minimumHeteroplasmy);
    for (const { segment, counts, carriers, calls, percents } of found) {
      if (counts) observed.addCounts(counts);
      else {
        const places = segments.get(segment) as Int32Array;
        eachCarrier(carriers, calls, (ordinal, copies) =>
          observed.add(places[ordinal] ?? -1, copies, percents?.get(ordinal), least),
        );
      }
    }
    for (const { segment, carriers, calls } of missed) {
      const places = segments.get(segment);
      if (places) eachCarrier(carriers, calls, (ordinal) => observed.miss(places[ordinal] ?? -1));
    }
  } catch (error) {
    // So that the next question does not find the carriers of this one.
    observed.result(place);
    throw error;
  }
  return { dataset: id, ...observed.result(place, requested) };
}

/** The observation of any question without a carrier for which all samples were searched and called; all of them share it. */
function nothingSeen(state: DatasetState, type: ObservedQuestion['type'], requested: Requested): Observation {
  const { id, observed } = state;
  return Object.freeze({ dataset: id, ...observed.unseen(type, requested) });
}
