/** Random histories of imports, corrections and removals: what is observed depends on what remains, not on the way there. */
import {
  type Allele,
  type AlleleQuery,
  alleleKey,
  type BeaconRepository,
  byAllele,
  type CalledAllele,
  type Carrier,
  type Chromosomes,
  type Contig,
  type Counts,
  carriersByName,
  changedFacts,
  type DatasetAlleles,
  type FoundAllele,
  isAskedFor,
  matches,
  type NamedCarrier,
  type Observation,
  Observed,
  type ObservedQuestion,
  type ReplacedAlleles,
  type ReplaceRules,
  type Sample,
  type SampleChange,
  type Search,
  type Searched,
  searchedWith,
  sexes,
  Tally,
  unknownFacts,
  widened,
} from '../../../plugins/beacon/contract.js';
import { type Case, property, type Random, same } from '../core.js';
import { at, batches, breakend, dataset, small, structural } from './build.js';

export type HistoryStep =
  | {
      do: 'import';
      samples: string[];
      facts: [string, SampleChange][];
      searched: Search;
      alleles: CalledAllele[];
      replaces: boolean;
    }
  | { do: 'describe'; changes: [string, SampleChange][] }
  | { do: 'remove'; samples: string[] };

/** Few names and places, so that they often coincide. */
const names = ['a', 'A', 'b', 'c', 'd', 'e'];
const cases = ['a', 'f1', 'f2'];
/** An autosome, X and Y on both sides of the border of a pseudo-autosomal region, and MT. */
const places: readonly [Contig, number][] = [
  ['1', 100],
  ['X', 59_999],
  ['X', 60_000],
  ['Y', 9_999],
  ['Y', 10_000],
  ['MT', 100],
];
const bases: readonly [string, string][] = [
  ['A', 'T'],
  ['A', 'C'],
  ['A', 'AT'],
];
const assembly = 'GRCh37';
/** The window of the dataset, in bases; of the questions below, 200, 200 and twice that of the dataset. */
const window = 500;
const minimumHeteroplasmy = 20;
const around = [-201, -200, -1, 0, 1, 200, 201];
const far = [-1001, -1000, 0, 1000, 1001];

export const questions: readonly ObservedQuestion[] = [
  ...places.flatMap(([contig, start]) =>
    bases.map(([reference, alternate]) => ({ type: 'sequence' as const, contig, start, reference, alternate })),
  ),
  { type: 'sequence', contig: '2', start: 101, reference: 'CT', alternate: 'C' },
  { type: 'structural', contig: '3', start: 10_000, end: 11_001, kind: 'DEL' },
  { type: 'structural', contig: 'X', start: 10_000, end: 11_001, kind: 'DUP' },
  { type: 'structural', contig: '3', start: 500, end: 501, kind: 'INS', length: 300 },
  { type: 'structural', contig: '3', start: 500, end: 501, kind: 'INS' },
  { type: 'structural', contig: '5', start: 100_000, end: 700_000, kind: 'BND', mate: '9' },
  { type: 'structural', contig: '9', start: 700_000, end: 100_000, kind: 'BND', mate: '5' },
  { type: 'structural', contig: '5', start: 100_000, end: 700_000, kind: 'BND', mate: '5' },
];

const queries: readonly AlleleQuery[] = [
  { assembly, contig: '1' },
  { assembly, contig: '2', start: { min: 101, max: 101 }, reference: 'CT', alternate: 'C' },
  { assembly, contig: '3', overlaps: { start: 0, end: 10_500 } },
  { assembly, contig: '5', start: { min: 99_500, max: 700_500 } },
];

function allele(random: Random): Allele {
  const dice = random.next();
  if (dice < 0.5) {
    const [contig, start] = random.pick(places);
    const [reference, alternate] = random.pick(bases);
    return small(contig, start, reference, alternate);
  }
  if (dice < 0.6) {
    // One deletion in two spellings, of which the longer one is structural.
    if (random.chance(0.5)) return small('2', 101, 'CT', 'C');
    return { ...small('2', 100, 'ACTG', 'ACG'), structural: true };
  }
  if (dice < 0.75) {
    const [contig, kind] = random.pick([['3', 'DEL'], ['3', 'DEL:ME'], ['X', 'DUP'], ['X', 'DUP:TANDEM']] as const); // biome-ignore format: one line
    return structural(contig, 10_000 + random.pick(around), 11_001 + random.pick(around), kind);
  }
  if (dice < 0.85) {
    const start = 500 + random.pick([-200, 0, 0, 0, 201]);
    const length = random.pick([0, 99, 100, 300, 500, 501]);
    return { ...structural('3', start, start + 1, 'INS'), ...(length > 0 && { length }) };
  }
  const [here, there] = [100_000 + random.pick(far), 700_000 + random.pick(far)];
  const mate = random.pick(['5', '9'] as const);
  if (random.chance(0.5)) return breakend('5', here, `G]${mate}:${there + 1}]`, mate, there);
  return breakend(mate, there, `[5:${here + 1}[G`, '5', here);
}

function change(random: Random): SampleChange {
  const said: SampleChange = {};
  if (random.chance(0.5)) said.case = random.pick(cases);
  if (random.chance(0.5)) said.sex = random.pick(sexes);
  if (random.chance(0.2)) said.affected = random.chance(0.3) ? undefined : random.chance(0.5);
  if (random.chance(0.2)) said.labels = random.chance(0.5) ? { assay: 'WGS', run: '1' } : {};
  return said;
}

function chromosomes(random: Random): Chromosomes {
  const some = () => random.some(['1', 'MT', '5'] as const);
  return { ...(random.chance(0.7) && { small: some() }), ...(random.chance(0.5) && { structural: some() }) };
}

export function historyStep(random: Random): HistoryStep {
  const dice = random.next();
  const changes = (some: string[]) => some.map((name): [string, SampleChange] => [name, change(random)]);
  if (dice < 0.6) {
    const samples = random.some(names);
    const alleles = random.list(0, 12, (): CalledAllele => {
      const carriers = random.some([...samples.keys()]).map((sample): Carrier => [sample, random.int(1, 3)]);
      const uncalled = random.some([...samples.keys()]).filter((sample) => !carriers.some(([one]) => one === sample));
      const levelled = carriers.filter(() => random.chance(0.6));
      const fractions = levelled.map(([sample]) => [sample, random.pick([0, 19, 20, 47, 100])] as const);
      return {
        ...allele(random),
        carriers,
        ...(random.chance(0.5) && { uncalled }),
        ...(random.chance(0.7) && { fractions }),
      };
    });
    return {
      do: 'import',
      samples,
      facts: changes(random.some(samples)),
      searched: {
        ...random.pick([{ small: true, structural: true }, { small: true, structural: false }, { small: false, structural: true }, { small: false, structural: false }]), // biome-ignore format: one line
        ...(random.chance(0.3) && { skipped: chromosomes(random) }),
        ...(random.chance(0.3) && { read: chromosomes(random) }),
      },
      alleles: alleles.filter(({ carriers, uncalled = [] }) => carriers.length + uncalled.length > 0),
      replaces: random.chance(0.4),
    };
  }
  if (dice < 0.8) return { do: 'describe', changes: changes(random.some(names)) };
  return { do: 'remove', samples: random.some([...names, 'nobody']) };
}

/** What each sample carries, with what its import stated of the allele. */
type Carried = Map<string, { allele: Allele; copies: number; percent?: number }>;

interface Known {
  sample: Sample;
  carried: Carried;
  uncalled: Map<string, Allele>;
}

function isOfKind({ structural }: Allele, kinds: Searched): boolean {
  return structural ? kinds.structural : kinds.small;
}

/** For every sample of a dataset, what is known of it and which alleles it carries: what a store is compared with. */
export class Samples {
  readonly #all = new Map<string, Known>();

  import({ samples, facts, searched, alleles, replaces }: Extract<HistoryStep, { do: 'import' }>, now: Date): void {
    const said = new Map(facts);
    const before = new Set(samples.filter((name) => this.#all.has(name)));
    let added = 0;
    for (const name of replaces ? before : []) {
      const known = this.#all.get(name) as Known;
      this.#all.set(name, { ...known, sample: this.#takeOut(known, searched) });
    }
    for (const name of samples) {
      const known = this.#all.get(name);
      const searchedNothing = { small: false, structural: false };
      const nothing: Sample = { ...unknownFacts(name), name, added: now, searched: searchedNothing };
      const { unsearched: _, ...sample } = changedFacts(known?.sample ?? nothing, said.get(name) ?? {});
      this.#all.set(name, {
        sample: { ...sample, ...searchedWith(known?.sample, searched) },
        carried: known?.carried ?? new Map(),
        uncalled: known?.uncalled ?? new Map(),
      });
    }
    const stated = new Map<string, Allele>();
    const percents = new Map<string, number>();
    for (const { carriers, uncalled: _, fractions = [], ...each } of alleles) {
      const key = alleleKey(each);
      for (const [index, percent] of fractions) {
        if (!percents.has(`${index} ${key}`)) percents.set(`${index} ${key}`, percent);
      }
      // What an import states is of carriers.
      if (carriers.length > 0) stated.set(key, widened(stated.get(key) ?? each, each));
    }
    for (const { carriers, uncalled = [], fractions: _, ...each } of alleles) {
      const key = alleleKey(each);
      const { startRange, endRange, length, ...itself } = each;
      for (const index of uncalled) {
        const known = this.#all.get(samples[index] ?? '')?.uncalled;
        if (!known || known.has(key)) continue;
        known.set(key, itself);
        added++;
      }
      for (const [index, copies] of carriers) {
        const carried = this.#all.get(samples[index] ?? '')?.carried;
        if (!carried || carried.has(key)) continue;
        const percent = percents.get(`${index} ${key}`);
        carried.set(key, { allele: stated.get(key) ?? each, copies, ...(percent !== undefined && { percent }) });
        added += copies;
      }
    }
    for (const name of added > 0 || replaces ? before : []) {
      const known = this.#all.get(name);
      if (!known) continue;
      const { sample } = known;
      const { small = 0, structural = 0 } = sample.later ?? {};
      const later = { small: small + Number(searched.small), structural: structural + Number(searched.structural) };
      if (later.small + later.structural > 0) this.#all.set(name, { ...known, sample: { ...sample, later } });
    }
  }

  /** What an import replaces of each sample that is there, where `within` is everything but chromosome X. */
  replacedBy({ samples, searched, alleles }: Extract<HistoryStep, { do: 'import' }>): Map<string, ReplacedAlleles> {
    const again = alleles.flatMap(({ carriers, ...each }) => carriers.map(([n]) => `${samples[n]} ${alleleKey(each)}`));
    return new Map(
      samples.flatMap((name) => {
        const lost = [...(this.#all.get(name)?.carried ?? [])].filter(([, { allele }]) => isOfKind(allele, searched));
        const kept = lost.filter(([key]) => again.includes(`${name} ${key}`)).length;
        const outside = lost.filter(([, { allele }]) => allele.contig === 'X').length;
        return this.#all.has(name) ? [[name, { before: lost.length, kept, outside }]] : [];
      }),
    );
  }

  #takeOut({ sample, carried, uncalled }: Known, kinds: Searched): Sample {
    for (const [key, { allele }] of carried) if (isOfKind(allele, kinds)) carried.delete(key);
    for (const [key, allele] of uncalled) if (isOfKind(allele, kinds)) uncalled.delete(key);
    const { unsearched: { small, structural } = {}, searched, ...rest } = sample;
    const left = { ...(small && !kinds.small && { small }), ...(structural && !kinds.structural && { structural }) };
    const still = {
      small: searched.small && !kinds.small,
      structural: searched.structural && !kinds.structural,
    };
    return { ...rest, searched: still, unsearched: left };
  }

  describe(changes: readonly [string, SampleChange][]): void {
    for (const [name, said] of changes) {
      const known = this.#all.get(name);
      if (known) this.#all.set(name, { ...known, sample: changedFacts(known.sample, said) });
    }
  }

  remove(samples: readonly string[]): void {
    for (const name of samples) this.#all.delete(name);
  }

  names(): string[] {
    return [...this.#all.keys()].sort();
  }

  totals(): Counts {
    const carried = [...this.#all.values()].flatMap((sample) => [...sample.carried]);
    const calls = carried.reduce((sum, [, { copies }]) => sum + copies, 0);
    return { alleles: new Set(carried.map(([key]) => key)).size, calls, samples: this.#all.size };
  }

  search(query: AlleleQuery): Counts | undefined {
    const tally = new Tally();
    for (const [name, { carried }] of this.#all) {
      for (const { allele, copies } of carried.values())
        if (matches(allele, query)) tally.add(allele, [[name, copies]]);
    }
    return tally.alleles > 0 ? tally.counts() : undefined;
  }

  has(name: string): boolean {
    return this.#all.has(name);
  }

  facts(): Sample[] {
    return this.names().flatMap((name) => this.#all.get(name)?.sample ?? []);
  }

  observe(id: string, question: ObservedQuestion, fractions = false): Observation {
    const all = [...this.#all.values()];
    const observed = new Observed(all.map(({ sample }) => sample));
    for (const [number, { carried, uncalled }] of all.entries()) {
      for (const allele of uncalled.values()) {
        if (isAskedFor(allele, question, assembly, window)) observed.miss(number);
      }
      for (const { allele, copies, percent } of carried.values()) {
        const least = question.contig === 'MT' ? minimumHeteroplasmy : 0;
        if (isAskedFor(allele, question, assembly, window)) observed.add(number, copies, percent, least);
      }
    }
    const { type, contig, start } = question;
    const place = { assembly, contig, start, type } as const;
    return { dataset: id, ...observed.result(place, { cases: names.length, carriers: true, fractions }) };
  }

  found(id: string, query: AlleleQuery): DatasetAlleles[] {
    const alleles = new Map<string, FoundAllele & { named: NamedCarrier[] }>();
    for (const name of this.names()) {
      for (const [key, { allele, copies }] of this.#all.get(name)?.carried ?? []) {
        if (!matches(allele, query)) continue;
        const known = alleles.get(key) ?? { ...allele, calls: 0, samples: 0, named: [] };
        const named: NamedCarrier[] = [...known.named, [name, copies]];
        alleles.set(key, { ...widened(known, allele), calls: known.calls + copies, samples: known.samples + 1, named });
      }
    }
    return alleles.size > 0 ? [{ dataset: id, alleles: [...alleles.values()].sort(byAllele) }] : [];
  }

  /** By allele, of all that any sample carries: the fractions by name. */
  fractions(): Map<string, { allele: Allele; fractions: [string, number][] }> {
    const found = new Map<string, { allele: Allele; fractions: [string, number][] }>();
    for (const name of this.names()) {
      for (const [key, { allele, percent }] of this.#all.get(name)?.carried ?? []) {
        const { fractions } = found.get(key) ?? { fractions: [] };
        found.set(key, { allele, fractions: percent === undefined ? fractions : [...fractions, [name, percent]] });
      }
    }
    return found;
  }

  /** Loads what remains into another dataset: each sample by itself, at the time at which it was added. */
  async loadInto(repository: BeaconRepository, id: string): Promise<void> {
    for (const { name, added, searched, unsearched, later: _, ...facts } of this.facts()) {
      const { carried, uncalled } = this.#all.get(name) ?? {};
      const alleles = [
        ...[...(carried?.values() ?? [])].map(
          ({ allele, copies, percent }): CalledAllele => ({
            ...allele,
            carriers: [[0, copies]],
            ...(percent !== undefined && { fractions: [[0, percent]] }),
          }),
        ),
        ...[...(uncalled?.values() ?? [])].map((allele): CalledAllele => ({ ...allele, carriers: [], uncalled: [0] })),
      ];
      const search = { ...searched, ...(unsearched && { skipped: unsearched }) };
      const said = { facts: new Map([[name, facts]]), searched: () => search };
      await repository.importAlleles(
        { dataset: id, samples: [name], alleles: batches(alleles), ...said },
        added ?? at(0),
      );
    }
  }
}

/** Carriers may come in any order, and have any numbers. */
function byName(observations: readonly (readonly Observation[])[]) {
  return observations.map((each) =>
    each.map(({ named, ...rest }) => ({
      ...rest,
      named: named && carriersByName(named),
      uncalled: named?.uncalled.map((number) => named.names[number]).sort(),
    })),
  );
}

/** Takes the steps in a dataset, and compares it with the model after each and with a fresh dataset in the end. */
export async function compareHistory(
  repository: BeaconRepository,
  id: string,
  steps: readonly HistoryStep[],
): Promise<void> {
  const rules = { counting: { passOnly: false, window, minimumHeteroplasmy } };
  const samples = new Samples();
  const check = async (dataset: string, when: string) => {
    const expected = questions.map((question) => [samples.observe(dataset, question)]);
    const requested = { cases: names.length, carriers: true };
    const detailed = await repository.observe(assembly, questions, [dataset], requested);
    same(byName(detailed), byName(expected), when);
    const levelled = await repository.observe(assembly, questions, [dataset], { ...requested, fractions: true });
    const levels = questions.map((question) => [samples.observe(dataset, question, true)]);
    same(byName(levelled), byName(levels), `${when}, with fractions`);
    const fractions = [...samples.fractions().values()];
    const found = await repository.fractions(
      dataset,
      fractions.map(({ allele }) => allele),
    );
    same(
      found.map((one) => [...one].sort()),
      fractions.map((one) => one.fractions.sort()),
      `fractions, ${when}`,
    );
    const counts = expected.map((found) => found.map(({ detail: _, named: __, ...counts }) => counts));
    same(await repository.observe(assembly, questions, [dataset]), counts, `${when}, without detail`);
    for (const query of queries) {
      const found = samples.found(dataset, query);
      same(await repository.found(query, [dataset], { limit: 100, carriers: true }), found, `what is found, ${when}`);
      const unnamed = found.map((each) => ({ ...each, alleles: each.alleles.map(({ named: _, ...rest }) => rest) }));
      same(await repository.found(query, [dataset], { limit: 100 }), unnamed, `what is found, ${when}, without names`);
    }
  };
  await repository.addDataset(dataset(id, rules), at(0));
  for (const [i, step] of steps.entries()) {
    const now = at(i + 1);
    if (step.do === 'import') {
      const { samples: imported, alleles, facts, searched, replaces } = step;
      let judged: ReadonlyMap<string, ReplacedAlleles> | undefined;
      const rules: ReplaceRules = {
        judge: (found) => {
          judged = found;
        },
        within: ({ contig }) => contig !== 'X',
      };
      const said = { facts: new Map(facts), searched: () => searched, ...(replaces && { replaces: rules }) };
      const before = samples.totals();
      const change = await repository.importAlleles(
        { dataset: id, samples: imported, alleles: batches(alleles, 5), ...said },
        now,
      );
      if (replaces) same([...(judged ?? [])].sort(), [...samples.replacedBy(step)].sort(), `what is replaced, ${i}`);
      const there = imported.filter((name) => samples.has(name)).length;
      same(
        [change.samples, change.replaced?.samples],
        [imported.length - there, replaces ? there : undefined],
        `samples, ${i}`,
      );
      samples.import(step, now);
      const { alleles: gone, calls: taken } = change.replaced ?? { alleles: 0, calls: 0 };
      const after = samples.totals();
      const net = [before.alleles + change.alleles - gone, before.calls + change.calls - taken];
      same(net, [after.alleles, after.calls], `what changed, ${i}`);
    } else if (step.do === 'describe') {
      const known = step.changes.filter(([name]) => samples.has(name));
      await repository.describeSamples(id, new Map(known), now);
      samples.describe(known);
    } else {
      await repository.removeSamples(id, step.samples, now);
      samples.remove(step.samples);
    }
    same(await repository.sampleFacts(id), samples.facts(), `what is known of the samples after step ${i}`);
    await check(id, `what is observed after step ${i}`);
  }
  const fresh = `${id}-fresh`;
  await repository.addDataset(dataset(fresh, rules), at(0));
  await samples.loadInto(repository, fresh);
  const once = samples.facts().map(({ later: _, ...sample }) => sample);
  same(await repository.sampleFacts(fresh), once, 'a fresh dataset knows the same of its samples');
  await check(fresh, 'a fresh dataset observes the same');
  const totals = async (of: string) => {
    const { alleleCount, callCount, sampleCount } = (await repository.dataset(of)) ?? {};
    return { alleleCount, callCount, sampleCount };
  };
  same(await totals(id), await totals(fresh), 'the totals of a fresh dataset');
  for (const each of [id, fresh]) await repository.removeDataset(each);
}

export const historyCases: readonly Case<BeaconRepository>[] = [
  {
    name: 'any history of imports, corrections and removals is observed and found as what remains',
    promise: 'observe and found count the carriers of what remains, as if it had been loaded just now',
    async run(context) {
      let next = 0;
      await property<HistoryStep>(context, {
        runs: 5,
        generate: (random) => random.list(4, 10, () => historyStep(random)),
        check: (steps) => compareHistory(context.repository, `h${next++}`, steps),
      });
    },
  },
];
