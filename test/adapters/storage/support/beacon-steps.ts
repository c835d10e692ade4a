/** Random calls of beacon@1: changes of two datasets, and questions about them. */
import {
  type AlleleQuery,
  type BeaconRepository,
  beacon,
  byAllele,
  type CountedAllele,
  type CountingRules,
  carriersByName,
  type DatasetDescription,
  type NumberedCarriers,
  type ObservedQuestion,
  type ReplaceRules,
  type SampleChange,
  siteOf,
} from '../../../../plugins/beacon/contract.js';
import { at, batches } from '../../../conformance/beacon/build.js';
import { inForm, steppedForm } from '../../../conformance/beacon/forms.js';
import { type HistoryStep, historyStep, questions } from '../../../conformance/beacon/histories.js';
import type { Random } from '../../../conformance/core.js';
import { type History, nasty } from './history.js';

const ids = ['d', 'D-1'];
const assembly = 'GRCh37';

type Change =
  | { verb: 'add' | 'update'; dataset: DatasetDescription; from?: DatasetDescription }
  | { verb: 'drop' | 'compact'; id: string }
  | { verb: 'rewrite'; id: string; width: 10 | 20 }
  | { verb: 'batches'; id: string; series: string; after: number; batches: string[][] }
  | { verb: 'change'; id: string; step: HistoryStep; abort: boolean };

type Question =
  | { verb: 'query'; query: AlleleQuery; limit?: number; most: number }
  | { verb: 'observe'; questions: readonly ObservedQuestion[]; cases?: number; carriers: boolean; fractions: boolean }
  | { verb: 'nearby'; id: string; question: ObservedQuestion; reach: number; limit: number }
  | { verb: 'list'; id: string; after?: CountedAllele; portions: number };

type BeaconStep = (Change | Question) & { now: number };

function beaconStep(random: Random): BeaconStep {
  const now = random.int(1, 9);
  const id = random.pick(ids);
  const dice = random.next();
  if (dice < 0.12) return { verb: random.pick(['add', 'update']), dataset: description(random, id), now };
  if (dice < 0.15) return { verb: 'update', dataset: description(random, id), from: description(random, id), now };
  if (dice < 0.18) return { verb: 'drop', id, now };
  if (dice < 0.21) return { verb: 'compact', id, now };
  if (dice < 0.24) return { verb: 'rewrite', id, width: random.pick([10, 20]), now };
  if (dice < 0.28) {
    const some = () => random.list(0, 3, () => random.pick(nasty));
    return {
      verb: 'batches',
      id,
      series: random.pick(nasty),
      after: random.int(0, 2),
      batches: random.list(0, 2, some),
      now,
    };
  }
  if (dice < 0.68) return { verb: 'change', id, step: renamed(historyStep(random)), abort: random.chance(0.05), now };
  if (dice < 0.82) {
    const limit = random.chance(0.3) && { limit: random.pick([0, 1, 3, 1000]) };
    return { verb: 'query', query: queryOf(random), ...limit, most: random.int(0, 3), now };
  }
  if (dice < 0.92) {
    const cases = random.chance(0.5) && { cases: random.pick([0, 1, 9]) };
    const requested = { ...cases, carriers: random.chance(0.5), fractions: random.chance(0.3) };
    return { verb: 'observe', questions: random.some(questions), ...requested, now };
  }
  if (dice < 0.96) {
    const question = random.pick(questions.filter(({ type }) => type === 'structural'));
    return {
      verb: 'nearby',
      id,
      question,
      reach: random.pick([0, 1, 300, 20_000]),
      limit: random.pick([0, 1, 9]),
      now,
    };
  }
  return { verb: 'list', id, portions: random.int(0, 1), now };
}

function description(random: Random, id: string): DatasetDescription {
  return {
    id,
    name: random.pick(nasty),
    assembly: random.chance(0.8) ? assembly : 'GRCh38',
    access: random.pick(['PUBLIC', 'CONTROLLED'] as const),
    version: random.int(1, 2),
    ...(random.chance(0.3) && { description: random.pick(nasty) }),
    ...(random.chance(0.5) && { counting: counting(random) }),
  };
}

function counting(random: Random): CountingRules {
  const least = random.chance(0.5) && { minimumHeteroplasmy: random.pick([0, 20, 48]) };
  return { passOnly: random.chance(0.5), window: random.pick([0, 500, 2000]), ...least };
}

/** With names and cases that engines could confuse. */
function renamed(step: HistoryStep): HistoryStep {
  const name = (one: string) => nasty[['a', 'A', 'b', 'c', 'd', 'e', 'f1', 'f2'].indexOf(one)] ?? one;
  const change = ([one, said]: [string, SampleChange]): [string, SampleChange] => [
    name(one),
    { ...said, ...(said.case !== undefined && { case: name(said.case) }) },
  ];
  if (step.do === 'describe') return { ...step, changes: step.changes.map(change) };
  const samples = step.samples.map(name);
  return step.do === 'remove' ? { ...step, samples } : { ...step, samples, facts: step.facts.map(change) };
}

function queryOf(random: Random): AlleleQuery {
  const place = () =>
    random.pick([0, 99, 100, 101, 102, 500, 9_999, 10_000, 11_001, 60_000, 100_000, 700_000, 2 ** 31]);
  const bounds = () => {
    const [one, other] = [place(), place()];
    return { min: Math.min(one, other), max: Math.max(one, other) };
  };
  const stretch = () => ({ start: place(), end: place() });
  const bases = () => random.pick(['A', 'T', 'AT', 'N', 'NN', 'G', 'CT', 'C', 'ACTG']);
  return {
    assembly: random.chance(0.9) ? assembly : 'GRCh38',
    contig: random.pick(['1', '2', '3', '5', '9', 'X', 'Y', 'MT'] as const),
    ...(random.chance(0.5) && { start: bounds() }),
    ...(random.chance(0.3) && { end: bounds() }),
    ...(random.chance(0.3) && { overlaps: stretch() }),
    ...(random.chance(0.3) && { reference: bases() }),
    ...(random.chance(0.3) && { alternate: bases() }),
    ...(random.chance(0.2) && { kinds: [{ kind: random.pick(['SNP', 'DEL', 'DUP', 'BND', 'INS']) }] }),
    ...(random.chance(0.1) && { mate: random.pick(['5', '9'] as const) }),
  };
}

function runBeacon(repository: BeaconRepository, step: BeaconStep): Promise<unknown> {
  const now = at(step.now);
  switch (step.verb) {
    case 'add':
      return repository.addDataset(step.dataset, now);
    case 'update':
      return repository.updateDataset(step.dataset, now, step.from);
    case 'drop':
      return repository.removeDataset(step.id);
    case 'compact':
      // How much is merged is the adapter's own affair; nothing else may change.
      return repository.compact(step.id, async () => {}).then(() => 'merged');
    case 'rewrite':
      return repository.rewriteAlleles(step.id, steppedForm(step.width), now);
    case 'batches':
      return repository.addBatches(step.id, step.series, step.after, step.batches);
    case 'change':
      return change(repository, step.id, step.step, step.abort, now);
    case 'query':
      return query(repository, step);
    case 'observe':
      return observe(repository, step);
    case 'nearby':
      if (step.question.type === 'sequence') throw new TypeError('Only structural variants have neighbours');
      return repository.nearby(step.id, step.question, { reach: step.reach, limit: step.limit });
    case 'list':
      return list(repository, step.id, step.portions, step.after);
  }
}

async function change(
  repository: BeaconRepository,
  id: string,
  step: HistoryStep,
  abort: boolean,
  now: Date,
): Promise<unknown> {
  if (step.do === 'describe') return repository.describeSamples(id, new Map(step.changes), now);
  if (step.do === 'remove') return repository.removeSamples(id, step.samples, now);
  const { samples, facts, searched, alleles, replaces } = step;
  const { alignedTo } = (await repository.dataset(id)) ?? {};
  const form = [10, 20].map(steppedForm).find((one) => one.alignedTo === alignedTo);
  // As by a source that breaks off.
  const broken = (async function* () {
    yield* batches(
      alleles.map((one) => inForm(one, form)),
      3,
    );
    if (abort) throw new RangeError('The source broke off');
  })();
  let judged: unknown;
  const rules: ReplaceRules = {
    judge: (found) => {
      judged = [...found].sort();
    },
  };
  const said = {
    facts: new Map(facts),
    searched: () => searched,
    ...(replaces && { replaces: rules }),
    ...(alignedTo !== undefined && { alignedTo }),
  };
  const changed = await repository.importAlleles({ dataset: id, samples, alleles: broken, ...said }, now);
  return { changed, judged };
}

async function query(
  repository: BeaconRepository,
  { query: asked, limit, most }: Extract<BeaconStep, { verb: 'query' }>,
) {
  const limited = limit === undefined ? {} : { limit };
  const calls = [
    repository.search(asked, [...ids, 'none'], limited),
    repository.present(asked, ids, { most }),
    repository.found(asked, ids, { limit: limit ?? 1000, carriers: limit !== 3 }),
  ];
  // A limit is a fault of each by itself.
  return Promise.all(calls.map((call) => (call as Promise<unknown>).catch((error) => `${error}`)));
}

async function observe(repository: BeaconRepository, step: Extract<BeaconStep, { verb: 'observe' }>) {
  const { cases, carriers, fractions } = step;
  const found = await repository.observe(assembly, step.questions, ids, {
    ...(cases !== undefined && { cases }),
    carriers,
    fractions,
  });
  return found.map((all) => all.map(({ named, ...rest }) => ({ ...rest, ...(named && { named: namesOf(named) }) })));
}

/** Numbers of samples are the adapter's own. */
function namesOf(named: NumberedCarriers) {
  return [carriersByName(named), named.uncalled.map((number) => named.names[number]).sort()];
}

async function list(repository: BeaconRepository, id: string, portions: number, after?: CountedAllele) {
  const all: CountedAllele[] = [];
  await repository.eachAllele(id, async (some) => all.push(...some) > 0 && portions > 0, after && { after });
  // How many come in a portion is the adapter's own affair.
  return portions > 0 ? all : all.slice(0, 1);
}

async function lookAtBeacon(repository: BeaconRepository): Promise<unknown> {
  const each = [];
  for (const id of ids) {
    const dataset = await repository.dataset(id);
    if (dataset === undefined) {
      each.push([await repository.samples(id), await repository.salt(id), await repository.batches(id, 'a')]);
      continue;
    }
    const alleles = await list(repository, id, 1);
    const middle = alleles[Math.floor(alleles.length / 2)];
    const sites = alleles.filter(({ reference, alternate }) => isBase(reference) && isBase(alternate)).map(siteOf);
    each.push([
      dataset,
      await repository.samples(id),
      await repository.sampleFacts(id),
      await repository.recount(id),
      typeof (await repository.salt(id)),
      await Promise.all(nasty.map((series) => repository.batches(id, series))),
      alleles,
      middle && (await list(repository, id, 1, middle)),
      // Which ones is the adapter's own affair.
      (await repository.examples(id, true, 2)).length,
      (await repository.examples(id, false, 1000)).map(({ startRange: _, endRange: __, ...one }) => one).sort(byAllele),
      await genotypesOf(repository, id, sites),
      (await repository.fractions(id, alleles)).map((one) => [...one].sort()),
    ]);
  }
  return [await repository.datasets(), each];
}

function isBase(bases: string): boolean {
  return bases.length === 1 && bases !== 'N';
}

async function genotypesOf(
  repository: BeaconRepository,
  id: string,
  sites: Parameters<BeaconRepository['genotypes']>[1],
) {
  const found = await repository.genotypes(id, sites);
  return found?.samples.map((sample, number) => [sample, sites.map((_, place) => found.genotypes.at(number, place))]);
}

export const beaconHistories: History<BeaconRepository, BeaconStep> = {
  contract: beacon,
  steps: (random) => random.list(3, 25, () => beaconStep(random)),
  perform: runBeacon,
  all: lookAtBeacon,
  // A source that breaks off.
  thrown: (error) => (error instanceof RangeError ? error.message : undefined),
  async clear(repository) {
    for (const id of ids) await repository.removeDataset(id);
  },
};
