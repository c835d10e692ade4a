/** Random loads, removals and merges, also while a merge is under way: what is there equals the memory adapter's state. */
import { expect } from 'chai';
import fc from 'fast-check';
import { openMemory } from '../../../adapters/memory/adapter.js';
import type { Storage } from '../../../core/storage.js';
import {
  type Allele,
  type AlleleQuery,
  type BeaconRepository,
  beacon,
  type CountedAllele,
  type Dataset,
  type ObservedQuestion,
  type SampleChange,
} from '../../../plugins/beacon/contract.js';
import { runSql, selectNumber } from '../../support/sql.js';
import { storages } from '../../support/storages.js';
import { stores } from '../../support/stores.js';
import { once } from './support/alleles.js';

const now = new Date('2026-01-16T08:00:00.000Z');
const samples = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];

interface Load {
  do: 'load';
  samples: number[];
  alleles: { which: number; ranges: number; copies: number[] }[];
}

type Change = Load | { do: 'remove'; sample: number } | { do: 'describe'; sample: number; change: SampleChange };
type Action = Change | { do: 'merge'; meanwhile: { turn: number; change: Change }[] } | { do: 'give up'; turn: number };

/** Few alleles, so that nearly all come with several loads. */
const alleles: readonly Allele[] = [
  ...[3, 4, 5, 4000].map((start) => ({ contig: '1' as const, start, reference: 'A', alternate: 'C', ...small(start) })),
  { contig: '1', start: 4, end: 6, reference: 'AC', alternate: 'A', kind: 'DEL', structural: false },
  // Found by other bases too.
  { contig: '1', start: 2, end: 5, reference: 'GAC', alternate: 'GA', kind: 'DEL', structural: true },
  { contig: '2', start: 10, end: 300, reference: 'N', alternate: '<DEL>', kind: 'DEL', structural: true },
  { contig: '2', start: 10, end: 10_300, reference: 'N', alternate: '<DUP>', kind: 'DUP', structural: true },
  { contig: '2', start: 60, end: 61, reference: 'N', alternate: '<INS>', kind: 'INS', structural: true },
  breakend('1', 7, '1', 90),
  breakend('1', 90, '1', 7),
  breakend('1', 7, '2', 40),
  breakend('2', 40, '1', 7),
];

function small(start: number) {
  return { end: start + 1, kind: 'SNP', structural: false };
}

function breakend(contig: Allele['contig'], start: number, mate: Allele['contig'], end: number): Allele {
  const alternate = `G]${mate}:${end + 1}]`;
  return { contig, start, end, reference: 'G', alternate, kind: 'BND', structural: true, mate };
}

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('load' as const),
      samples: fc.oneof(
        { weight: 4, arbitrary: fc.tuple(fc.nat(samples.length - 1)) },
        { weight: 1, arbitrary: fc.uniqueArray(fc.nat(samples.length - 1), { minLength: 2, maxLength: 4 }) },
      ),
      alleles: fc.array(
        fc.record({
          which: fc.nat(alleles.length - 1),
          ranges: fc.nat(2),
          copies: fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }),
        }),
        { maxLength: 6 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), sample: fc.nat(samples.length - 1) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('describe' as const),
      sample: fc.nat(samples.length - 1),
      change: fc.record({ case: fc.constantFrom('one', 'two'), sex: fc.constantFrom('male', 'female') }),
    }),
  },
);

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 12, arbitrary: change },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('merge' as const),
      meanwhile: fc.array(fc.record({ turn: fc.nat(20), change }), { maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('give up' as const), turn: fc.nat(12) }) },
);

async function apply(repository: BeaconRepository, change: Change): Promise<unknown> {
  if (change.do === 'remove') return repository.removeSamples('ds', [samples[change.sample] ?? ''], now);
  if (change.do === 'describe') {
    const name = samples[change.sample] ?? '';
    if (!(await repository.samples('ds')).includes(name)) return 0;
    return repository.describeSamples('ds', new Map([[name, change.change]]), now);
  }
  const called = change.alleles.flatMap(({ which, ranges, copies }) => {
    const allele = alleles[which] as Allele;
    const { start, end } = allele;
    const stated = allele.structural && ranges > 0;
    const carriers = change.samples.flatMap((_, i) => (copies[i] ? [[i, copies[i]] as const] : []));
    if (carriers.length === 0) return [];
    return [
      {
        ...allele,
        ...(stated && { startRange: { min: start - 1, max: start + ranges } }),
        ...(stated && ranges > 1 && { endRange: { min: end, max: end + 5 } }),
        ...(stated && allele.kind === 'INS' && { length: 1000 * ranges }),
        carriers,
      },
    ];
  });
  const names = change.samples.map((sample) => samples[sample] ?? '');
  return repository.importAlleles({ dataset: 'ds', samples: names, alleles: once(called) }, now);
}

const assembly = 'GRCh37';
const queries: readonly AlleleQuery[] = [
  ...(['1', '2', '3'] as const).flatMap((contig): AlleleQuery[] => [
    { assembly, contig },
    { assembly, contig, start: { min: 0, max: 8 } },
    { assembly, contig, start: { min: 0, max: 20_000 }, end: { min: 0, max: 400 } },
    { assembly, contig, kinds: [{ kind: 'BND' }] },
    { assembly, contig, mate: '1' },
    { assembly, contig, overlaps: { start: 7, end: 91 } },
  ]),
  ...[3, 4, 7, 90].map((start): AlleleQuery => ({ assembly, contig: '1', start: { min: start, max: start } })),
  ...alleles.map(({ contig, start, reference, alternate }): AlleleQuery => {
    const bases = alternate.startsWith('<') || alternate.includes(']') ? {} : { reference, alternate };
    return { assembly, contig, start: { min: start, max: start }, ...bases };
  }),
  { assembly, contig: '1', start: { min: 3, max: 3 }, reference: 'AC', alternate: 'A' },
];

const observed: readonly ObservedQuestion[] = [
  { type: 'sequence', contig: '1', start: 3, reference: 'A', alternate: 'C' },
  { type: 'sequence', contig: '1', start: 3, reference: 'AC', alternate: 'A' },
  { type: 'structural', contig: '2', start: 10, end: 300, kind: 'DEL' },
  { type: 'structural', contig: '2', start: 60, end: 61, kind: 'INS', length: 1000 },
  { type: 'structural', contig: '1', start: 7, end: 90, kind: 'BND', mate: '1' },
  { type: 'structural', contig: '2', start: 40, end: 7, kind: 'BND', mate: '1' },
];

/** All that a repository returns. */
async function stateOf(repository: BeaconRepository): Promise<unknown> {
  const exported: CountedAllele[] = [];
  await repository.eachAllele('ds', async (some) => void exported.push(...some));
  const found = [];
  for (const query of queries) {
    const [hit, limited] = [await repository.search(query, ['ds']), await isRefused(repository, query)];
    expect(await repository.present(query, ['ds'])).to.have.lengthOf(hit.length);
    found.push({ query, hit, limited });
  }
  const examples = await Promise.all([true, false].map((structural) => repository.examples('ds', structural, 20)));
  return {
    ...{ exported, found, samples: await repository.samples('ds') },
    examples: examples.map((some) => some.map(({ start, end, alternate }) => `${start} ${end} ${alternate}`).sort()),
    dataset: await repository.dataset('ds'),
    recount: await repository.recount('ds'),
    facts: await repository.sampleFacts('ds'),
    observed: await repository.observe(assembly, observed, ['ds'], { cases: 2 }),
    counted: await repository.observe(assembly, observed, ['ds']),
  };
}

async function isRefused(repository: BeaconRepository, query: AlleleQuery): Promise<boolean> {
  return repository.search(query, ['ds'], { limit: 5 }).then(
    () => false,
    () => true,
  );
}

const published = (where = '1 = 1') =>
  `select count(*) as number from beacon_segments where state = 'published' and ${where}`;

for (const engine of storages) {
  describe(`Merging of small imports on ${engine.name}`, function () {
    const runs = Number(process.env.TEST_COMPACTION_RUNS ?? 1);
    this.timeout(120_000 * runs);

    it(`changes nothing that is seen, whatever else happens (${runs} random stores)`, async () => {
      const home = await engine.home([beacon]);
      const storage = await home.open([beacon]);
      const repository = storage.repository(beacon);
      try {
        const cases = fc.array(action, { minLength: 20, maxLength: 60, size: 'max' });
        await fc.assert(
          fc.asyncProperty(cases, async (actions) => {
            const model = await openMemory({ contracts: [beacon], stores });
            await follow(repository, model, actions);
          }),
          { numRuns: runs },
        );
      } finally {
        await storage.close();
        await home.discard();
      }
    });

    async function follow(repository: BeaconRepository, model: Storage, actions: readonly Action[]): Promise<void> {
      const naive = model.repository(beacon);
      const both = async (change: Change) => {
        expect(await apply(repository, change)).to.deep.equal(await apply(naive, change));
      };
      const compare = async () => expect(await stateOf(repository)).to.deep.equal(await stateOf(naive));
      const description = { id: 'ds', name: 'ds', assembly, access: 'PUBLIC', version: 1 } as const;
      for (const each of [repository, naive]) await each.addDataset(description, new Date(0));
      try {
        for (const each of actions) {
          if (each.do === 'give up') await giveUp(repository, each.turn);
          else if (each.do !== 'merge') await both(each);
          else {
            let turn = 0;
            const left = await repository.compact('ds', async () => {
              for (const { change } of each.meanwhile.filter((other) => other.turn === turn)) {
                await both(change);
                await compare();
              }
              turn++;
            });
            expect(left).to.be.at.least(0);
          }
          if (each.do !== 'load') await compare();
        }
        while ((await repository.compact('ds', async () => {})) > 0);
        expect(await repository.fragmented()).to.deep.equal([]);
        await compare();
        await repository.sweep(now);
        expect(await repository.leftovers()).to.equal(0);
        for (const sample of samples) {
          const left = (await naive.dataset('ds')) as Dataset;
          if (left.sampleCount > 0) await both({ do: 'remove', sample: samples.indexOf(sample) });
        }
        await compare();
      } finally {
        await repository.removeDataset('ds');
      }
    }

    async function giveUp(repository: BeaconRepository, turn: number): Promise<void> {
      let turns = 0;
      const pause = async () => {
        if (turns++ === turn) throw new Error('not now');
      };
      await repository.compact('ds', pause).catch((error: Error) => expect(error.message).to.equal('not now'));
    }

    describe('of a dataset with many imports', () => {
      /** Alleles that all samples carry, and that one does, on the only chromosome. */
      const [shared, own] = [30, 10];

      it('stores each allele once for 64 imports, and rewrites no more to remove a sample', async () => {
        const home = await engine.home([beacon]);
        const storage = await home.open([beacon]);
        const repository = storage.repository(beacon);
        try {
          await repository.addDataset({ id: 'ds', name: 'ds', assembly, access: 'PUBLIC', version: 1 }, now);
          for (let n = 0; n < 70; n++) {
            await loadSample(repository, n);
            while ((await repository.compact('ds', async () => {})) > 0);
          }
          const rows = () => selectNumber(home.section, 'select count(*) as number from beacon_alleles');
          // 64 imports, and six that are not merged yet.
          expect(await selectNumber(home.section, published())).to.equal(1 + 6);
          expect(await selectNumber(home.section, published('loads = 64'))).to.equal(1);
          expect(await rows()).to.equal(shared + 64 * own + 6 * (shared + own));
          const before = await selectNumber(home.section, 'select max(id) as number from beacon_segments');
          await repository.removeSamples('ds', ['s5'], now);
          expect(await rows()).to.equal(shared + 63 * own + 6 * (shared + own));
          const after = await selectNumber(home.section, 'select max(id) as number from beacon_segments');
          expect(after - before, 'segments that are written').to.equal(1);
          expect(await repository.recount('ds')).to.deep.equal({
            alleles: shared + 69 * own,
            calls: 69 * (shared + own),
            samples: 69,
          });
        } finally {
          await storage.close();
          await home.discard();
        }
      });

      it('leaves no row of a dataset that was merged and removed', async () => {
        const home = await engine.home([beacon]);
        const storage = await home.open([beacon]);
        const repository = storage.repository(beacon);
        try {
          await repository.addDataset({ id: 'ds', name: 'ds', assembly, access: 'PUBLIC', version: 1 }, now);
          for (let n = 0; n < 9; n++) {
            const loaded = once(alleles.map((allele) => ({ ...allele, carriers: [[0, 1]] as const, uncalled: [1] })));
            await repository.importAlleles({ dataset: 'ds', samples: [`s${n}`, `t${n}`], alleles: loaded }, now);
          }
          while ((await repository.compact('ds', async () => {})) > 0);
          await repository.removeSamples('ds', ['s0'], now);
          await repository.addBatches('ds', 'x', 0, [['s1']]);
          await repository.removeDataset('ds');
          const tables = 'alleles breakends uncalled extents samples segments sample_facts batches'.split(' ');
          for (const table of tables)
            expect(await selectNumber(home.section, `select count(*) as number from beacon_${table}`), table).to.equal(
              0,
            );
        } finally {
          await storage.close();
          await home.discard();
        }
      });

      it('never merges imports of two generations', async () => {
        const home = await engine.home([beacon]);
        const storage = await home.open([beacon]);
        const repository = storage.repository(beacon);
        try {
          await repository.addDataset({ id: 'ds', name: 'ds', assembly, access: 'PUBLIC', version: 1 }, now);
          for (let n = 0; n < 15; n++) await loadSample(repository, n);
          await runSql(home.section, ['update beacon_segments set generation = id % 2']);
          while ((await repository.compact('ds', async () => {})) > 0);
          // Eight of one generation, seven of the other.
          expect(await selectNumber(home.section, published('loads = 8'))).to.equal(1);
          expect(await selectNumber(home.section, published('loads = 1'))).to.equal(7);
          const merged = await selectNumber(
            home.section,
            "select generation as number from beacon_segments where loads = 8 and state = 'published'",
          );
          expect(await selectNumber(home.section, published(`generation = ${merged}`))).to.equal(1);
          await repository.removeSamples('ds', ['s1', 's2'], now);
          expect(await selectNumber(home.section, published(`generation = ${1 - merged}`))).to.equal(6);
          expect(await selectNumber(home.section, published(`generation = ${merged}`))).to.equal(1);
        } finally {
          await storage.close();
          await home.discard();
        }
      });

      async function loadSample(repository: BeaconRepository, n: number): Promise<void> {
        const starts = [
          ...Array.from({ length: shared }, (_, i) => 100 * i),
          ...Array.from({ length: own }, (_, i) => 100 * i + n + 1),
        ].sort((one, other) => one - other);
        const called = starts.map((start) => ({
          ...{
            contig: '1' as const,
            start,
            end: start + 1,
            reference: 'A',
            alternate: 'C',
            kind: 'SNP',
            structural: false,
          },
          carriers: [[0, 1] as const],
        }));
        await repository.importAlleles({ dataset: 'ds', samples: [`s${n}`], alleles: once(called) }, now);
      }
    });
  });
}
