/** The reference of beacon@1 reads the rows that a query asks for, and misses none. */
import { expect } from 'chai';
import fc from 'fast-check';
import { openMemory } from '../../../adapters/memory/adapter.js';
import { defineContract, defineStore, type Tables } from '../../../core/storage.js';
import {
  type Allele,
  type AlleleQuery,
  alleleKey,
  type BeaconStorage,
  byAllele,
  contigs,
  matches,
} from '../../../plugins/beacon/contract.js';
import { store as reference } from '../../../plugins/beacon/store.js';
import { alleles, allelesIn, keyOfAllele } from '../../../plugins/beacon/stored-alleles.js';
import { at, batches, called, dataset, small } from '../../conformance/beacon/build.js';

const position = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 70_000 }));
const bounds = fc.tuple(position, fc.integer({ min: -2, max: 400 })).map(([min, more]) => ({ min, max: min + more }));
const contig = fc.constantFrom(...contigs.slice(0, 3));

const allele: fc.Arbitrary<Allele> = fc
  .record({
    contig,
    start: position,
    length: fc.oneof(fc.integer({ min: -1, max: 20 }), position),
    mate: fc.option(contig),
  })
  .map(({ contig, start, length, mate }) => ({
    contig,
    start,
    end: Math.max(0, start + length),
    reference: 'N',
    alternate: mate === null ? '<DEL>' : `N[${mate}:${start + length + 1}[`,
    kind: mate === null ? 'DEL' : 'BND',
    structural: true,
    ...(mate !== null && { mate }),
  }));

const query: fc.Arbitrary<AlleleQuery> = fc
  .record(
    { contig, start: bounds, end: bounds, overlaps: bounds, reference: fc.constantFrom('N', 'A'), mate: contig },
    { requiredKeys: ['contig'] },
  )
  .map(({ overlaps, ...rest }) => ({
    assembly: 'GRCh37',
    ...rest,
    ...(overlaps && { overlaps: { start: overlaps.min, end: overlaps.max } }),
  }));

const contract = defineContract<Tables>('beacon@1');
const store = defineStore<Tables>({
  contract,
  tables: [alleles],
  steps: { '001-alleles': { tables: [alleles] } },
  repository: (tables) => tables,
});

/** Tables with these alleles in dataset 7, and one in another. */
async function stored(all: readonly Allele[]): Promise<Tables> {
  const open = { contracts: [contract], bindings: new Map(), stores: new Map([[contract.id, async () => store]]) };
  const tables = (await openMemory(open)).repository(contract);
  const row = (dataset: number, one: Allele) => ({
    ...keyOfAllele(dataset, one),
    portions: [],
    uncalled: [],
    people: 0,
  });
  const [first] = all;
  await tables.table(alleles).append([...all.map((one) => row(7, one)), ...(first ? [row(8, first)] : [])]);
  return tables;
}

async function read(tables: Tables, which: Parameters<typeof allelesIn>[2]): Promise<Allele[]> {
  const found: Allele[] = [];
  for await (const each of allelesIn(tables, 7, which)) found.push(each.allele);
  return found;
}

const keys = (all: readonly Allele[]) => all.map(alleleKey).sort();

describe('alleles above tables', function () {
  this.timeout(120_000);

  it('find each matching allele once, as a scan of all alleles does, and list all in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(allele, { maxLength: 25 }),
        fc.array(query, { minLength: 4, maxLength: 4 }),
        async (some, queries) => {
          const all = [...new Map(some.map((each) => [alleleKey(each), each])).values()].sort(byAllele);
          const tables = await stored(all);
          for (const asked of queries) {
            const found = (await read(tables, { query: asked })).filter((each) => matches(each, asked));
            expect(keys(found)).to.deep.equal(keys(all.filter((each) => matches(each, asked))));
          }
          expect(await read(tables, {})).to.deep.equal(all);
          const [after] = some;
          if (after === undefined) return;
          expect(await read(tables, { after })).to.deep.equal(all.filter((each) => byAllele(each, after) > 0));
          const starts = new Map([[after.contig, new Set([after.start])]]);
          const there = all.filter((each) => each.contig === after.contig && each.start === after.start);
          expect(keys(await read(tables, { starts }))).to.deep.equal(keys(there));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are not all read if a query matches few', async () => {
    const snv = (start: number): Allele => ({
      ...{ contig: '1', start, end: start + 1, reference: 'A', alternate: 'T', kind: 'SNP', structural: false },
    });
    const long = { ...snv(40), end: 9000, alternate: '<DEL>', kind: 'DEL', structural: true };
    const tables = await stored([...Array.from({ length: 5000 }, (_, i) => snv(10 * i)), long]);
    const asked = { assembly: 'GRCh37', contig: '1' } as const;
    const cases: [AlleleQuery, number][] = [
      [{ ...asked, start: { min: 5000, max: 5000 } }, 1],
      // Of the small ones 5000; 5010 begins where the interval ends.
      [{ ...asked, overlaps: { start: 5000, end: 5010 } }, 2],
      [{ ...asked, end: { min: 9000, max: 9001 } }, 2],
      [{ ...asked, overlaps: { start: 40_000, end: 40_001 } }, 1],
    ];
    for (const [each, count] of cases) {
      const candidates = await read(tables, { query: each });
      expect(candidates.filter((one) => matches(one, each))).to.have.lengthOf(count);
      expect(candidates.length, JSON.stringify(each)).to.be.below(10);
    }
  });

  it('leave with their dataset, and all else that is stored of it', async () => {
    const whole = defineContract<{ tables: Tables; kept: BeaconStorage }>('beacon@1');
    const repository = (tables: Tables) => ({ tables, kept: reference.repository(tables) });
    const stores = new Map([[whole.id, async () => defineStore({ ...reference, contract: whole, repository })]]);
    const storage = await openMemory({ contracts: [whole], stores });
    const { tables, kept } = storage.repository(whole);
    const counts = () => Promise.all(reference.tables.map((each) => tables.table(each as typeof alleles).count()));
    const all = [
      { ...called(small('1', 100, 'A', 'T'), [0, 1]), uncalled: [1] },
      called(small('2', 5, 'C', 'G'), [1, 2]),
    ];
    await kept.addDataset(dataset('ds'), at(0));
    await kept.importAlleles({ dataset: 'ds', samples: ['a', 'b'], alleles: batches(all) }, at(0));
    await kept.addBatches('ds', 'series', 0, [['a']]);
    expect(await counts()).to.deep.equal([1, 2, 2, 1]);
    await kept.removeSamples('ds', ['b'], at(1));
    expect(await counts()).to.deep.equal([1, 1, 1, 1]);
    expect(await kept.removeDataset('ds')).to.equal(true);
    expect(await counts()).to.deep.equal([0, 0, 0, 0]);
  });
});
