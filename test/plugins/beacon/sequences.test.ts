/** Any sequence of loads and deletions leaves the data of the remaining files: compared with a naive recount. */

import { Readable } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Source, sourceOf } from '../../../core/files.js';
import { type AlleleQuery, type BeaconRepository, beacon, type Contig } from '../../../plugins/beacon/contract.js';
import { loadVariants } from '../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../plugins/beacon/loading/permit.js';
import { dealt } from '../../support/dealt.js';
import { engines } from './support/engines.js';
import { NaiveDataset, type NaiveLoad } from './support/naive.js';
import { dataset } from './support/serve.js';
import { vcf } from './support/vcf.js';

const now = new Date('2026-01-02T03:04:05Z');
/** Few names, positions and bases, so that they often coincide. */
const people = ['a', 'b', 'c', 'd'];
const sets = ['one', 'two'] as const;
const places = fc.integer({ min: 1, max: 6 });
const contig = fc.constantFrom('1', 'chr1', 'X');
const sequence = fc.constantFrom('A', 'G', 'GA', 'GT', 'GAT');

interface Alternates {
  ref: string;
  alts: string[];
  info: string;
  /** The position of the record, if fixed. */
  pos?: number;
}

const plain: fc.Arbitrary<Alternates> = fc
  .tuple(
    sequence,
    fc.uniqueArray(fc.oneof({ weight: 6, arbitrary: sequence }, fc.constant('*')), { minLength: 1, maxLength: 3 }),
  )
  .map(([ref, alts]) => ({ ref, alts: alts.filter((alt) => alt !== ref), info: '.' }))
  .filter(({ alts }) => alts.length > 0);

const symbolic = (pos: number): fc.Arbitrary<Alternates> =>
  fc
    .tuple(fc.constantFrom('DEL', 'DUP', 'DUP:TANDEM', 'INS', 'INV'), fc.integer({ min: 1, max: 8 }), fc.boolean())
    .map(([kind, length, stated]) => {
      const insertion = kind === 'INS';
      const end = insertion ? pos : pos + length;
      const placed = stated || insertion ? `END=${end}` : `SVLEN=${kind === 'DEL' ? -length : length}`;
      return { ref: 'G', alts: [`<${kind}>`], info: `SVTYPE=${kind.split(':')[0]};${placed}` };
    });

const twoSymbols: fc.Arbitrary<Alternates> = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .map(([one, two]) => ({ ref: 'G', alts: ['<DEL>', '<DUP>'], info: `SVTYPE=DEL;SVLEN=-${one},${two}` }));

const breakend: fc.Arbitrary<Alternates> = fc
  // Two positions, so that the far end of one is often the position of another.
  .tuple(contig, fc.constantFrom(2, 3), fc.constantFrom(2, 3), fc.constantFrom('G]@]', 'G[@[', ']@]G', '[@[G', 'G.'))
  .map(([there, pos, position, form]) => ({
    pos,
    ref: 'G',
    alts: [form.replace('@', `${there}:${position}`)],
    info: 'SVTYPE=BND',
  }));

function genotype(alleles: number): fc.Arbitrary<string> {
  const call = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: alleles }).map(String) }, fc.constant('.'));
  const diploid = fc.tuple(call, fc.constantFrom('/', '|'), call).map((parts) => parts.join(''));
  return fc.oneof({ weight: 4, arbitrary: diploid }, call);
}

function record(samples: number): fc.Arbitrary<string> {
  return fc.tuple(fc.oneof({ weight: 9, arbitrary: contig }, fc.constant('Un_1')), places).chain(([chrom, anywhere]) =>
    fc
      .oneof({ weight: 5, arbitrary: plain }, symbolic(anywhere), twoSymbols, { weight: 2, arbitrary: breakend })
      .chain(({ ref, alts, info, pos = anywhere }) =>
        fc
          .tuple(
            fc.array(genotype(alts.length), { minLength: samples, maxLength: samples }),
            fc.constantFrom('GT', 'GT:DP', 'DP:GT'),
          )
          .map(([calls, format]) => {
            const columns = calls.map((call) => format.replace('GT', call).replace('DP', '7'));
            return [chrom, pos, '.', ref, alts.join(','), '.', 'PASS', info, format, ...columns].join(' ');
          }),
      ),
  );
}

const some = fc.shuffledSubarray(people, { minLength: 1 });

/** One or two files with the same samples, loaded for some of them. */
const files = some.chain((samples) => {
  const file = fc
    .array(record(samples.length), { minLength: 1, maxLength: 12 })
    // A file of which nothing is usable is refused.
    .filter((records) => records.some((each) => !each.startsWith('Un_1')))
    .map((records) => vcf({ samples, records }));
  return fc.record({
    texts: fc.array(file, { minLength: 1, maxLength: 2 }),
    samples: fc.shuffledSubarray(samples, { minLength: 1 }),
  });
});

type Step =
  | { do: 'load'; set: string; texts: string[]; samples: string[] }
  | { do: 'remove'; set: string; samples: string[] }
  | { do: 'drop'; set: string };

const set = fc.constantFrom(...sets);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(set, files).map(([id, load]): Step => ({ do: 'load', set: id, ...load })) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), set, samples: some }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), set }) },
);

const bounds = fc.tuple(places, places).map(([one, two]) => ({ min: Math.min(one, two) - 1, max: Math.max(one, two) }));
const pattern = fc.oneof(sequence, fc.constantFrom('N', 'GN', 'NN', 'GNN'));
const kind = fc.record(
  {
    kind: fc.constantFrom('SNP', 'MNP', 'INS', 'DEL', 'DUP', 'DUP:TANDEM', 'INV', 'BND'),
    structural: fc.boolean(),
  },
  { requiredKeys: ['kind'] },
);
const query: fc.Arbitrary<AlleleQuery> = fc.record(
  {
    assembly: fc.constant('GRCh37' as const),
    contig: fc.constantFrom<Contig[]>('1', '1', 'X', '2'),
    start: bounds,
    end: bounds,
    reference: pattern,
    alternate: pattern,
    kinds: fc.array(kind, { minLength: 1, maxLength: 2 }),
    mate: fc.constantFrom<Contig[]>('1', '1', 'X', '2'),
  },
  { requiredKeys: ['assembly', 'contig'] },
);
/** Most queries have few conditions, so that many have matches. */
const loose = query.map(({ assembly, contig: place, start, reference }) => ({
  assembly,
  contig: place,
  ...(start && { start }),
  ...(reference?.includes('N') && { reference }),
}));
const questions = fc.array(fc.oneof(query, loose), { minLength: 4, maxLength: 8 });

function source(text: string): Source {
  const bytes = Buffer.from(text);
  return sourceOf('random.vcf', bytes.length, () => Readable.from([bytes], { objectMode: false }));
}

/** One allele that three queries find, since random ones would have to happen to find some. */
const found: [Step, AlleleQuery[]] = [
  { do: 'load', set: 'one', texts: [vcf({ samples: ['a'], records: ['1 3 . A G . PASS . GT 0/1'] })], samples: ['a'] },
  [
    { assembly: 'GRCh37', contig: '1' },
    { assembly: 'GRCh37', contig: '1', start: { min: 2, max: 2 } },
    { assembly: 'GRCh37', contig: '1', start: { min: 0, max: 6 }, reference: 'N' },
  ],
];

/** The datasets of the beacon, and the remaining files of each. */
class Remaining {
  readonly #repository: BeaconRepository;
  readonly #prefix: string;
  readonly #loads = new Map<string, NaiveLoad[]>();

  constructor(repository: BeaconRepository, prefix: string) {
    this.#repository = repository;
    this.#prefix = prefix;
  }

  async begin(): Promise<void> {
    for (const id of sets) await this.#add(id);
  }

  async end(): Promise<void> {
    for (const id of sets) await this.#repository.removeDataset(this.#prefix + id);
  }

  async take(taken: Step): Promise<void> {
    const id = this.#prefix + taken.set;
    const loads = this.#loads.get(taken.set) ?? [];
    if (taken.do === 'load') {
      const found = await this.#repository.dataset(id);
      const [first, ...others] = taken.texts.map(source);
      if (!found || !first) throw new Error('a dataset and a file are needed');
      const sources = [first, ...others] as const;
      await loadVariants({
        permit: permitAll,
        repository: this.#repository,
        dataset: found,
        sources,
        samples: taken.samples,
        now,
      });
      loads.push(...taken.texts.map((text) => ({ text, samples: taken.samples })));
    } else if (taken.do === 'remove') {
      await this.#repository.removeSamples(id, taken.samples, now);
      const kept = loads.map(({ text, samples }) => ({
        text,
        samples: samples.filter((sample) => !taken.samples.includes(sample)),
      }));
      this.#loads.set(taken.set, kept);
    } else {
      await this.#repository.removeDataset(id);
      await this.#add(taken.set);
    }
  }

  /** Returns how many of the answers found alleles. */
  async compare(asked: readonly AlleleQuery[]): Promise<number> {
    let hits = 0;
    for (const id of sets) {
      const loads = this.#loads.get(id) ?? [];
      const stored = await this.#repository.dataset(this.#prefix + id);
      expect(
        stored && { alleles: stored.alleleCount, calls: stored.callCount, samples: stored.sampleCount },
        'totals',
      ).to.deep.equal(new NaiveDataset(loads).totals());
    }
    const naive = new Map(sets.map((id) => [id, new NaiveDataset(this.#loads.get(id) ?? [])]));
    for (const each of asked) {
      const expected = sets.flatMap((id) => {
        const counts = naive.get(id)?.answer(each);
        return counts ? [{ dataset: this.#prefix + id, ...counts }] : [];
      });
      const ids = sets.map((id) => this.#prefix + id);
      expect(await this.#repository.search(each, ids), JSON.stringify(each)).to.deep.equal(expected);
      const present = expected.map((hit) => hit.dataset);
      expect(await this.#repository.present(each, ids), JSON.stringify(each)).to.deep.equal(present);
      hits += present.length;
    }
    return hits;
  }

  async #add(id: string): Promise<void> {
    await this.#repository.addDataset(dataset(this.#prefix + id), now);
    this.#loads.set(id, []);
  }
}

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: random files, loaded and deleted (${engine.name})`, function () {
    this.timeout(120_000);

    it('leave the results of a naive recount of the remaining files', async () => {
      const opened = await engine.open([beacon]);
      try {
        const repository = opened.storage.repository(beacon);
        let run = 0;
        let hits = 0;
        const steps = fc.array(fc.tuple(step, questions), { minLength: 3, maxLength: 8 });
        await fc.assert(
          fc.asyncProperty(steps, async (taken) => {
            const remaining = new Remaining(repository, `r${run++}-`);
            await remaining.begin();
            for (const [each, asked] of taken) {
              await remaining.take(each);
              hits += await remaining.compare(asked);
            }
            await remaining.end();
          }),
          { numRuns: Number(process.env.TEST_HISTORIES ?? 15), endOnFailure: false, examples: [[[found]]] },
        );
        // The comparison is meaningful: the queries do find alleles, those of the example at least.
        expect(hits).to.be.greaterThan(2);
      } finally {
        await opened.storage.close();
        await opened.discard?.();
      }
    });
  });
}
