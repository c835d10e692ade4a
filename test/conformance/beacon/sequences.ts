/** Random sequences of imports, removals and queries, compared with the model after every step. */
import type {
  Allele,
  AlleleQuery,
  Assembly,
  BeaconRepository,
  Bounds,
  CalledAllele,
  Contig,
  Counts,
  KindFilter,
} from '../../../plugins/beacon/contract.js';
import { type Case, property, type Random, same } from '../core.js';
import { at, batches, breakend, dataset, small, structural, totals } from './build.js';
import { Samples } from './histories.js';

type Step =
  | { do: 'import'; dataset: string; samples: string[]; alleles: CalledAllele[]; batch: number }
  | { do: 'remove'; dataset: string; samples: string[] }
  | { do: 'drop'; dataset: string }
  | { do: 'ask'; query: AlleleQuery; datasets: string[] };

/** Few names, places and bases, so that they often coincide. */
const datasets: Readonly<Record<string, Assembly>> = { one: 'GRCh37', two: 'GRCh37', three: 'GRCh38' };
const samples = ['a', 'A', 'b', 'c'];
const here: readonly Contig[] = ['1', '2'];
const bases = ['A', 'C', 'G', 'GA', 'GT', 'GTT', 'N', 'GN'];
const kinds = ['SNP', 'INS', 'DEL', 'DUP', 'DUP:TANDEM', 'BND', 'MNP'];
const reach = 12;

function allele(random: Random): Allele {
  const contig = random.pick(here);
  const start = random.int(0, reach);
  if (random.chance(0.5)) {
    const plain = small(contig, start, random.pick(bases), random.pick(bases));
    return random.chance(0.2) ? { ...plain, structural: true } : plain;
  }
  if (random.chance(0.5)) {
    const kind = random.pick(['DEL', 'DUP', 'DUP:TANDEM', 'INS']);
    return structural(contig, start, start + random.int(1, reach), kind, `<${kind}>`);
  }
  const mate = random.pick(here);
  const there = random.int(0, reach);
  const text = `${mate}:${there + 1}`;
  const alternate = random.pick([`G]${text}]`, `G[${text}[`, `]${text}]G`, `[${text}[G`]);
  return breakend(contig, start, alternate, mate, there, random.pick(['G', 'N']));
}

function bounds(random: Random): Bounds {
  const [one, two] = [random.int(0, reach * 2), random.int(0, reach * 2)];
  return { min: Math.min(one, two), max: random.chance(0.2) ? Number.MAX_SAFE_INTEGER : Math.max(one, two) };
}

function kindFilter(random: Random): KindFilter {
  const kind = random.pick(kinds);
  return random.chance(0.3) ? { kind, structural: random.chance(0.5) } : { kind };
}

function query(random: Random): AlleleQuery {
  const query: AlleleQuery = { assembly: random.pick(['GRCh37', 'GRCh37', 'GRCh38']), contig: random.pick(here) };
  if (random.chance(0.4)) query.start = bounds(random);
  if (random.chance(0.3)) query.end = bounds(random);
  if (random.chance(0.3)) {
    const { min, max } = bounds(random);
    query.overlaps = { start: min, end: Math.min(max + 1, Number.MAX_SAFE_INTEGER) };
  }
  if (random.chance(0.3)) query.reference = random.pick(bases);
  if (random.chance(0.3)) query.alternate = random.pick(bases);
  if (random.chance(0.3)) query.kinds = random.list(0, 2, () => kindFilter(random));
  if (random.chance(0.2)) query.mate = random.pick(here);
  return query;
}

function step(random: Random): Step {
  const ids = Object.keys(datasets);
  const dice = random.next();
  if (dice < 0.5) return { do: 'ask', query: query(random), datasets: random.chance(0.7) ? ids : random.some(ids) };
  if (dice < 0.8) {
    const named = random.some(samples);
    const alleles = random.list(0, 8, () => ({
      ...allele(random),
      carriers: random.some([...named.keys()]).map((sample) => [sample, random.int(1, 2)] as const),
    }));
    // An allele exists because a sample carries it.
    const carried = alleles.filter(({ carriers }) => carriers.length > 0);
    return { do: 'import', dataset: random.pick(ids), samples: named, alleles: carried, batch: random.int(1, 5) };
  }
  if (dice < 0.95) return { do: 'remove', dataset: random.pick(ids), samples: random.some([...samples, 'stranger']) };
  return { do: 'drop', dataset: random.pick(ids) };
}

/** The beacon and a model of each of its datasets side by side, in datasets of their own. */
class Comparison {
  readonly #repository: BeaconRepository;
  readonly #models = new Map<string, { assembly: Assembly; samples: Samples }>();
  readonly #prefix: string;

  constructor(repository: BeaconRepository, prefix: string) {
    this.#repository = repository;
    this.#prefix = prefix;
  }

  async begin(): Promise<void> {
    for (const id of Object.keys(datasets)) await this.#add(id);
  }

  async end(): Promise<void> {
    for (const id of this.#models.keys()) await this.#repository.removeDataset(id);
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'ask') return this.#ask(step.query, step.datasets);
    const id = this.#prefix + step.dataset;
    const model = this.#models.get(id)?.samples as Samples;
    const before = model.totals();
    if (step.do === 'import') {
      const { samples, alleles, batch } = step;
      const change = await this.#repository.importAlleles(
        { dataset: id, samples, alleles: batches(alleles, batch) },
        at(1),
      );
      const searched = { small: true, structural: true };
      model.import({ do: 'import', samples, alleles, facts: [], searched, replaces: false }, at(1));
      same(change, difference(model.totals(), before), 'what the import returns');
    } else if (step.do === 'remove') {
      const change = await this.#repository.removeSamples(id, step.samples, at(2));
      model.remove(step.samples);
      same(change, difference(before, model.totals()), 'what the removal returns');
    } else {
      same(await this.#repository.removeDataset(id), true, 'what the removal of the dataset returns');
      return this.#add(step.dataset);
    }
    await totals(this.#repository, id, model.totals());
    same(await this.#repository.samples(id), model.names(), 'the samples');
  }

  async #ask(query: AlleleQuery, asked: readonly string[]): Promise<void> {
    const ids = asked.map((id) => this.#prefix + id);
    const expected = ids.toSorted().flatMap((id) => {
      const { assembly, samples } = this.#models.get(id) ?? {};
      const counts = assembly === query.assembly ? samples?.search(query) : undefined;
      return counts ? [{ dataset: id, ...counts }] : [];
    });
    same(await this.#repository.search(query, ids), expected, 'what search returns');
    same(
      await this.#repository.present(query, ids),
      expected.map((hit) => hit.dataset),
      'what present returns',
    );
  }

  async #add(id: string): Promise<void> {
    const assembly = datasets[id] ?? 'GRCh37';
    await this.#repository.addDataset(dataset(this.#prefix + id, { assembly }), at(0));
    this.#models.set(this.#prefix + id, { assembly, samples: new Samples() });
  }
}

function difference(one: Counts, other: Counts): Counts {
  const { alleles, calls, samples } = one;
  return { alleles: alleles - other.alleles, calls: calls - other.calls, samples: samples - other.samples };
}

export const sequenceCases: readonly Case<BeaconRepository>[] = [
  {
    name: 'queries after any sequence of imports and removals agree with the reference model',
    promise: 'search finds the alleles for which matches holds, counted by Tally, after any imports and removals',
    async run(context) {
      let next = 0;
      await property<Step>(context, {
        runs: 25,
        generate: (random) => random.list(10, 30, () => step(random)),
        async check(steps) {
          const comparison = new Comparison(context.repository, `p${next++}-`);
          await comparison.begin();
          for (const each of steps) await comparison.take(each);
          await comparison.end();
        },
      });
    },
  },
];
