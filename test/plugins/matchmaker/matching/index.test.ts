import { expect } from 'chai';
import fc from 'fast-check';
import type { Patient } from '../../../../plugins/matchmaker/contract.js';
import { Multimap } from '../../../../plugins/matchmaker/matching/columns.js';
import { FeatureTable } from '../../../../plugins/matchmaker/matching/features.js';
import { Exclusive } from '../../../../plugins/matchmaker/matching/follower.js';
import { compareFeatures } from '../../../../plugins/matchmaker/matching/genotype.js';
import { PatientIndex } from '../../../../plugins/matchmaker/matching/patient-index.js';
import { type GenomicProfile, type Profile, Profiler } from '../../../../plugins/matchmaker/matching/profile.js';
import { Best, byRank, Greatest, geneFirst } from '../../../../plugins/matchmaker/matching/score.js';
import type { IndexSearchOptions } from '../../../../plugins/matchmaker/matching/search.js';
import { Work } from '../../../../plugins/matchmaker/matching/work.js';
import { fewer } from '../../../support/sample.js';
import {
  bruteForce,
  everyHit,
  expectedAnswer,
  featuresOf,
  ofAnySpecies,
  patientOf,
  sharesGeneWith,
  smallWorld,
  steppedBeside,
  worldOfDiseases,
} from './support/toy.js';

const options: fc.Arbitrary<IndexSearchOptions & { places: number }> = fc.record({
  weights: fc.constantFrom(
    { genotype: 0.75, phenotype: 0.25 },
    { genotype: 0.5, phenotype: 0.5 },
    { genotype: 0, phenotype: 1 },
    { genotype: 1, phenotype: 0 },
  ),
  limit: fc.constantFrom(1, 2, 5, 100),
  threshold: fc.constantFrom(0, 0, 0.05, 0.25, 1),
  places: fc.constantFrom(0, 1, 2, 5),
});

type Step =
  | { kind: 'put'; number: number; parts: Partial<Patient>; owner: string | undefined }
  | { kind: 'remove'; number: number }
  | { kind: 'compact' }
  | {
      kind: 'search';
      parts: Partial<Patient>;
      options: IndexSearchOptions & { places: number };
      owners: (string | undefined)[] | 'all';
    };

const number = fc.integer({ min: 1, max: 40 });
const owner = fc.constantFrom(undefined, 'lab', 'clinic', '["9606","lab"]');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('put' as const), number, parts: ofAnySpecies, owner }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), number }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'compact' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('search' as const),
      parts: ofAnySpecies,
      options,
      owners: fc.oneof(fc.constant('all' as const), fc.uniqueArray(owner)),
    }),
  },
);

function compact(index: PatientIndex): void {
  for (const _ of index.compact());
}

describe('matchmaker: the index', () => {
  let profiler: Profiler;
  before(async () => {
    profiler = new Profiler(await worldOfDiseases());
  });

  it('equals brute force, bit for bit, after adding, changing, removing and compacting', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120, size: 'max' }), async (steps) => {
        const index = new PatientIndex(profiler.information);
        const model = new Map<number, Profile>();
        const ownerOf = new Map<number, string | undefined>();
        for (const step of steps) {
          if (step.kind === 'put') {
            const profile = profiler.profile(patientOf(`P${step.number}`, step.parts));
            index.put(step.number, profile, step.owner);
            model.set(step.number, profile);
            ownerOf.set(step.number, step.owner);
          } else if (step.kind === 'remove') {
            index.remove(step.number);
            model.delete(step.number);
          } else if (step.kind === 'compact') {
            compact(index);
            expect(index.slots).to.equal(model.size);
          } else {
            const query = profiler.profile(patientOf('query', step.parts));
            const { owners } = step;
            const isWanted = (one: string | undefined) => owners === 'all' || owners.includes(one);
            const options = { ...step.options, ...(owners !== 'all' && { isWanted }) };
            const wanted = new Map([...model].filter(([number]) => isWanted(ownerOf.get(number))));
            const found = await index.search(query, options, new Work());
            expect(found).to.eql(bruteForce(query, wanted, profiler, step.options));
            const shares = sharesGeneWith(query, wanted);
            expect(geneFirst(found.hits, step.options, shares)).to.eql(
              expectedAnswer(everyHit(query, wanted, profiler, step.options), step.options, shares),
            );
          }
          expect(index.size).to.equal(model.size);
          if (step.kind === 'search') continue;
          const numbers = Array.from({ length: 40 }, (_, i) => i + 1);
          const known = numbers.filter((number) => index.numberOf(`P${number}`) === number);
          expect(known, 'found by id').to.eql(numbers.filter((number) => model.has(number)));
          expect(index.numberOf('P')).to.equal(undefined);
        }
      }),
      { numRuns: fewer(150, 3) },
    );
  });

  it('names patients that share a gene which few list, of some owners, if any may be left out', async () => {
    // Of 300 patients three are 1 %: the lower its number, the more patients list a gene.
    const gene = fc.nat({ max: 9999 }).map((draw) => `G${Math.floor((draw / 10_000) ** 3 * 400)}`);
    const listed = fc.oneof(
      { weight: 9, arbitrary: fc.array(gene, { maxLength: 4 }) },
      { weight: 1, arbitrary: fc.array(gene, { minLength: 8, maxLength: 14 }) },
    );
    const listing = (genes: string[]) => ({ genomicFeatures: genes.map((id) => ({ gene: { id } })) });
    const stored = fc.record({ genes: listed, owner, removed: fc.nat({ max: 9 }).map((draw) => draw === 0) });
    let [named, mixed] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(stored, { minLength: 330, maxLength: 330 }),
        fc.array(fc.tuple(listed, fc.nat({ max: 329 }), options), { minLength: 5, maxLength: 5 }),
        async (patients, queries) => {
          const index = new PatientIndex(profiler.information);
          for (const [number, { genes, owner }] of patients.entries()) {
            index.put(number, profiler.profile(patientOf(`P${number}`, listing(genes))), owner);
          }
          for (const [number, { removed }] of patients.entries()) if (removed) index.remove(number);
          const live = [...patients.entries()].filter(([, { removed }]) => !removed);
          const isFew = (wanted: string) =>
            live.filter(([, { genes }]) => genes.includes(wanted)).length <= live.length / 100;
          for (const [genes, other, { limit, places }] of queries) {
            // All that share a gene reach the threshold.
            const asked = { weights: { genotype: 0.75, phenotype: 0.25 }, threshold: 0, limit, places };
            // Some of a stored patient's genes, so that many queries share one.
            const own = [...new Set([...genes, ...(patients[other]?.genes.slice(0, 5) ?? [])])];
            const query = profiler.profile(patientOf('query', listing(own)));
            const isNamed = (one: string | undefined) => one !== 'clinic';
            const found = await index.search(query, { ...asked, isNamed }, new Work());
            const { sharers: _, ...unnamed } = await index.search(query, asked, new Work());
            expect(found).to.deep.include(unnamed);
            const mayLeaveOut = found.sharing >= Math.min(places, limit) && own.length <= 10;
            const sharers = live.flatMap(([number, { genes: theirs, owner }]) => {
              const shared = [...new Set(theirs)].filter((one) => own.includes(one) && isFew(one));
              const isOne = mayLeaveOut && shared.length > 0 && isNamed(owner) && new Set(theirs).size <= 10;
              return isOne ? [{ number, id: `P${number}`, owner, shared }] : [];
            });
            const byNumber = found.sharers.toSorted((one, two) => one.number - two.number);
            expect(byNumber.map(({ genes: _, ...rest }) => rest)).to.eql(sharers.map(({ shared: _, ...rest }) => rest));
            const symbols = new Map<number, string>();
            for (const [i, { genes: numbers }] of byNumber.entries()) {
              const { shared = [] } = sharers[i] ?? {};
              expect(numbers).to.have.length(shared.length);
              for (const one of numbers) if (shared.length === 1) symbols.set(one, shared[0] as string);
            }
            expect(new Set(symbols.values()).size, 'a number for each gene').to.equal(symbols.size);
            named += sharers.length;
            mixed += sharers.length > 0 && sharers.length < found.sharing ? 1 : 0;
          }
        },
      ),
      { numRuns: 20 },
    );
    expect(Math.min(named, mixed), `${named} named, ${mixed} searches with others`).to.be.above(0);
  });

  it('equals brute force if thousands of patients let it skip some', async () => {
    const drawn = fc.sample(ofAnySpecies, { numRuns: 4000, seed: 7 });
    const index = new PatientIndex(profiler.information);
    const model = new Map<number, Profile>();
    const put = (number: number, parts: Partial<Patient>) => {
      const profile = profiler.profile(patientOf(`P${number}`, parts));
      index.put(number, profile);
      model.set(number, profile);
    };
    const check = async (seed: number) => {
      const queries = fc.sample(fc.tuple(ofAnySpecies, options), { numRuns: 40, seed });
      for (const [parts, chosen] of queries) {
        for (const asked of [parts, { features: parts.features ?? [] }]) {
          const query = profiler.profile(patientOf('query', asked));
          expect(await index.search(query, chosen, new Work())).to.eql(bruteForce(query, model, profiler, chosen));
        }
      }
    };
    drawn.forEach((parts, i) => {
      put(i + 1, parts);
    });
    await check(1);
    for (let number = 1; number <= 4000; number += 3) {
      if (number % 2 === 0) put(number, drawn[(number * 7) % 4000] ?? {});
      else {
        index.remove(number);
        model.delete(number);
      }
    }
    await check(2);
    expect(index.wasteful).to.equal(true);
    const before = index.bytes;
    compact(index);
    expect(index.wasteful).to.equal(false);
    expect(index.slots).to.equal(model.size);
    expect(index.bytes).to.be.below(before);
    await check(3);
  });

  it('orders equal scores by id, in byte order, whatever the order of insertion', async () => {
    const index = new PatientIndex(profiler.information);
    const ids = ['b', 'a', 'ä', 'B', '𝄞', '\uffee'];
    for (const [i, id] of ids.entries()) {
      index.put(i + 1, profiler.profile(patientOf(id, { features: featuresOf(220) })));
    }
    const query = profiler.profile(patientOf('q', { features: featuresOf(220) }));
    const found = async (limit: number) => {
      const options = { weights: { genotype: 0.75, phenotype: 0.25 }, limit, threshold: 0 };
      return (await index.search(query, options, new Work())).hits.map(({ id }) => id);
    };
    expect(await found(10)).to.eql(['B', 'a', 'b', 'ä', '\uffee', '𝄞']);
    expect(await found(2)).to.eql(['B', 'a']);
  });

  it('is searched in bounded steps, yielding to other work between them', async () => {
    const index = new PatientIndex(profiler.information);
    const model = new Map<number, Profile>();
    const drawn = fc
      .sample(ofAnySpecies, { numRuns: 300, seed: 9 })
      .map((parts) => profiler.profile(patientOf('', parts)));
    for (let number = 1; number <= 40_000; number++) {
      const profile = { ...(drawn[number % drawn.length] as Profile), id: `P${number}` };
      index.put(number, profile);
      model.set(number, profile);
    }
    const all = { weights: { genotype: 0.75, phenotype: 0.25 }, limit: 5, threshold: 0, places: 2 };
    const slice = 20_000;
    let inAll = 0;
    const queries: Partial<Patient>[] = [
      { features: featuresOf(220, 231, 239) },
      { features: featuresOf(201) }, // shared by thousands, with the same score
      { features: featuresOf(220), genomicFeatures: [{ gene: { id: 'GENA' } }], disorders: [{ id: 'MIM:1' }] },
    ];
    for (const parts of queries) {
      const query = profiler.profile(patientOf('q', parts));
      const work = new Work(undefined, slice);
      const { result: hits, turns, most } = await steppedBeside(work, index.search(query, all, work));
      expect(hits).to.eql(bruteForce(query, model, profiler, all));
      // Not divided: sorting 4096 slots, and ranking a portion of 1024.
      expect(most, 'steps between two turns').to.be.at.most(slice + 55_000);
      expect(turns).to.be.at.least(Math.floor(work.steps / (slice + 55_000)));
      inAll += work.steps;
    }
    expect(inAll, 'steps of all queries').to.be.above(5 * slice);
  });

  it('returns correct results after a cancelled search', async () => {
    const index = new PatientIndex(profiler.information);
    const model = new Map<number, Profile>();
    fc.sample(ofAnySpecies, { numRuns: 500, seed: 11 }).forEach((parts, i) => {
      const profile = profiler.profile(patientOf(`P${i}`, parts));
      index.put(i + 1, profile);
      model.set(i + 1, profile);
    });
    const query = profiler.profile(
      patientOf('q', { features: featuresOf(220, 231), genomicFeatures: [{ gene: { id: '1' } }] }),
    );
    const all = { weights: { genotype: 0.75, phenotype: 0.25 }, limit: 10, threshold: 0, places: 4 };
    for (let turns = 1; turns <= 20; turns++) {
      const closing = new AbortController();
      const searched = index.search(query, all, new Work(closing.signal, 100)).then(
        () => 'found',
        (error: Error) => error.message,
      );
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      closing.abort(new Error('gone'));
      expect(await searched).to.equal('gone');
      expect(await index.search(query, all, new Work())).to.eql(bruteForce(query, model, profiler, all));
    }
  });

  it('returns no patient for a query that has nothing to compare', async () => {
    const index = new PatientIndex(profiler.information);
    index.put(1, profiler.profile(patientOf('a', { features: featuresOf(220) })));
    const all = { weights: { genotype: 0.75, phenotype: 0.25 }, limit: 10, threshold: 0 };
    for (const parts of [{}, { features: featuresOf(118) }, { features: [{ id: 'HP:9999999' }] }]) {
      const { hits } = await index.search(profiler.profile(patientOf('q', parts)), all, new Work());
      expect(hits).to.eql([]);
    }
  });
});

describe('matchmaker: species', () => {
  it('are never compared with each other; a patient without a species is human', async () => {
    const profiler = new Profiler(await smallWorld());
    const index = new PatientIndex(profiler.information);
    const parts: Partial<Patient> = {
      features: featuresOf(220),
      disorders: [{ id: 'MIM:1' }],
      genomicFeatures: [{ gene: { id: 'GENA' } }],
    };
    const species = [undefined, 'NCBITaxon:9606', 'NCBITaxon:09606', 'NCBITaxon:10090', 'NCBITaxon:96060'];
    const of = (id: string, name: string | undefined, more = parts) =>
      profiler.profile(patientOf(id, { ...more, ...(name === undefined ? {} : { species: name }) }));
    for (const [i, name] of species.entries()) index.put(i + 1, of(`${i}`, name));
    const all = { weights: { genotype: 0.75, phenotype: 0.25 }, limit: 10, threshold: 0 };
    const found = async (name: string | undefined, more = parts) =>
      (await index.search(of('q', name, more), all, new Work())).hits.map(({ id }) => id);
    for (const name of [undefined, 'NCBITaxon:9606']) expect(await found(name)).to.eql(['0', '1', '2']);
    expect(await found('NCBITaxon:10090')).to.eql(['3']);
    expect(await found('NCBITaxon:7955')).to.eql([]);
    for (const key of ['features', 'disorders', 'genomicFeatures']) {
      const { [key]: only } = parts;
      expect(await found('NCBITaxon:10090', { [key]: only }), key).to.eql(['3']);
    }
    // A patient whose species changes is found under the new one, also after compacting.
    index.put(1, of('0', 'NCBITaxon:10090'));
    expect([await found(undefined), await found('NCBITaxon:10090')]).to.eql([
      ['1', '2'],
      ['0', '3'],
    ]);
    compact(index);
    expect([await found(undefined), await found('NCBITaxon:10090')]).to.eql([
      ['1', '2'],
      ['0', '3'],
    ]);
  });
});

describe('matchmaker: parts of the index', () => {
  it('compares a feature with those of a slot by gene as if they were unpacked', () => {
    // Genes by number and by spelling, absent ones, and keys that only the query has.
    const genes = fc.constantFrom({}, { gene: 0 }, { gene: 1 }, { gene: 'a' }, { gene: 'b' });
    const zygosities = fc.constantFrom({}, { zygosity: 0 }, { zygosity: 1 });
    const effects = fc.constantFrom({}, { effect: 'SO:0000001' }, { effect: 'SO:0000002' });
    const feature = fc
      .tuple(genes, zygosities, effects)
      .map(([gene, zygosity, effect]): GenomicProfile => ({ ...gene, ...zygosity, ...effect, places: [], index: 0 }));
    const slots = fc.array(fc.array(feature, { maxLength: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(slots, feature, (stored, asked) => {
        const table = new FeatureTable();
        for (const features of stored) table.append(features);
        for (const query of table.translated([asked])) {
          for (const [slot, features] of stored.entries()) {
            const shared = table.features(slot, 'gene').filter(({ gene }) => gene !== undefined && gene === query.gene);
            const most = Math.max(0, ...shared.map((other) => compareFeatures(query, other).sixteenths));
            expect(table.likenessByGene(query, slot)).to.equal(most);
            expect(table.count(slot)).to.equal(features.length);
          }
        }
      }),
    );
  });

  it('has a map that equals a map of lists', () => {
    const key = fc.oneof(fc.nat(5), fc.integer({ min: 2 ** 37, max: 2 ** 37 + 4 }), fc.maxSafeNat());
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat(50)), { maxLength: 200 }), fc.nat(7), (entries, dropped) => {
        const map = new Multimap();
        const model = new Map<number, number[]>();
        const check = () => {
          for (const [key, expected] of model) {
            expect([...map.values(key)].reverse()).to.eql(expected);
            expect(map.newest(key)).to.equal(expected.at(-1));
          }
        };
        for (const [key, value] of entries) {
          map.add(key, value);
          model.set(key, [...(model.get(key) ?? []), value]);
        }
        check();
        const change = (value: number) => (value % 8 === dropped ? undefined : value + 100);
        for (const _ of map.remap(change));
        for (const [key, values] of model) {
          model.set(
            key,
            values.map(change).filter((value) => value !== undefined),
          );
        }
        check();
        expect(map.newest(2 ** 52 + 12345)).to.equal(undefined);
      }),
    );
  });

  it('keeps the greatest of many', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30)), fc.integer({ min: 1, max: 8 }), (values, count) => {
        const greatest = new Greatest(count);
        for (const value of values) greatest.offer(value);
        const sorted = values.toSorted((one, other) => other - one);
        expect(greatest.least).to.equal(sorted[count - 1] ?? -Infinity);
      }),
    );
  });

  it('keeps the first of many by rank', () => {
    const ranked = fc.tuple(fc.nat(3), fc.nat(30)).map(([total, id]) => ({
      id: String(id),
      score: { total, genotype: 0, phenotype: total },
    }));
    fc.assert(
      fc.property(fc.array(ranked), fc.integer({ min: 1, max: 8 }), (items, limit) => {
        const best = new Best(limit);
        for (const item of items) best.offer(item);
        expect(best.items).to.eql(items.toSorted(byRank).slice(0, limit));
      }),
    );
  });

  it('admits one at a time, changes first', async () => {
    const access = new Exclusive();
    const order: string[] = [];
    const named = (name: string) => async () => {
      order.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} is over`);
      if (name === 'fails') throw new Error(name);
    };
    const all = [
      access.read(named('one')),
      access.read(named('fails')).catch(() => {}),
      access.read(named('two')),
      access.change(named('change')),
    ];
    await Promise.all(all);
    await access.change(named('last'));
    const expected = ['one', 'change', 'fails', 'two', 'last'].flatMap((name) => [name, `${name} is over`]);
    expect(order).to.eql(expected);
  });
});
