import { expect } from 'chai';
import fc from 'fast-check';
import type { Patient } from '../../../../plugins/matchmaker/contract.js';
import { Greatest } from '../../../../plugins/matchmaker/matching/best.js';
import { PatientIndex } from '../../../../plugins/matchmaker/matching/index.js';
import { Multimap } from '../../../../plugins/matchmaker/matching/multimap.js';
import { type Profile, Profiler } from '../../../../plugins/matchmaker/matching/profile.js';
import type { SearchOptions } from '../../../../plugins/matchmaker/matching/search.js';
import { bruteForce, featuresOf, ofAnySpecies, patientOf, smallWorld } from './support/toy.js';

const options: fc.Arbitrary<SearchOptions> = fc.record({
  weights: fc.constantFrom(
    { genotype: 0.75, phenotype: 0.25 },
    { genotype: 0.5, phenotype: 0.5 },
    { genotype: 0, phenotype: 1 },
    { genotype: 1, phenotype: 0 },
  ),
  limit: fc.constantFrom(1, 2, 5, 100),
  threshold: fc.constantFrom(0, 0, 0.05, 0.25, 1),
});

type Step =
  | { kind: 'put'; number: number; parts: Partial<Patient> }
  | { kind: 'remove'; number: number }
  | { kind: 'compact' }
  | { kind: 'search'; parts: Partial<Patient>; options: SearchOptions };

const number = fc.integer({ min: 1, max: 40 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('put' as const), number, parts: ofAnySpecies }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), number }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'compact' as const }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('search' as const), parts: ofAnySpecies, options }) },
);

function compact(index: PatientIndex): void {
  for (const _ of index.compact());
}

describe('matchmaker: the index', () => {
  let profiler: Profiler;
  before(async () => {
    profiler = new Profiler(await smallWorld());
  });

  it('equals brute force, to the last bit, after any adding, changing, removing and compacting', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        const index = new PatientIndex(profiler.information);
        const model = new Map<number, Profile>();
        for (const step of steps) {
          if (step.kind === 'put') {
            const profile = profiler.profile(patientOf(`P${step.number}`, step.parts));
            index.put(step.number, profile);
            model.set(step.number, profile);
          } else if (step.kind === 'remove') {
            index.remove(step.number);
            model.delete(step.number);
          } else if (step.kind === 'compact') {
            compact(index);
            expect(index.slots).to.equal(model.size);
          } else {
            const query = profiler.profile(patientOf('query', step.parts));
            expect(index.search(query, step.options)).to.eql(bruteForce(query, model, profiler, step.options));
          }
          expect(index.size).to.equal(model.size);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('equals brute force where thousands of patients let it leave some out', () => {
    const drawn = fc.sample(ofAnySpecies, { numRuns: 4000, seed: 7 });
    const index = new PatientIndex(profiler.information);
    const model = new Map<number, Profile>();
    const put = (number: number, parts: Partial<Patient>) => {
      const profile = profiler.profile(patientOf(`P${number}`, parts));
      index.put(number, profile);
      model.set(number, profile);
    };
    const check = (seed: number) => {
      const queries = fc.sample(fc.tuple(ofAnySpecies, options), { numRuns: 40, seed });
      for (const [parts, chosen] of queries) {
        for (const asked of [parts, { features: parts.features ?? [] }]) {
          const query = profiler.profile(patientOf('query', asked));
          expect(index.search(query, chosen)).to.eql(bruteForce(query, model, profiler, chosen));
        }
      }
    };
    drawn.forEach((parts, i) => {
      put(i + 1, parts);
    });
    check(1);
    for (let number = 1; number <= 4000; number += 3) {
      if (number % 2 === 0) put(number, drawn[(number * 7) % 4000] ?? {});
      else {
        index.remove(number);
        model.delete(number);
      }
    }
    check(2);
    expect(index.wasteful).to.equal(true);
    const before = index.bytes;
    compact(index);
    expect(index.wasteful).to.equal(false);
    expect(index.slots).to.equal(model.size);
    expect(index.bytes).to.be.below(before);
    check(3);
  });

  it('orders equal scores by id, in the order of bytes, whoever came first', () => {
    const index = new PatientIndex(profiler.information);
    const ids = ['b', 'a', 'ä', 'B', '𝄞', '\uffee'];
    for (const [i, id] of ids.entries()) {
      index.put(i + 1, profiler.profile(patientOf(id, { features: featuresOf(220) })));
    }
    const query = profiler.profile(patientOf('q', { features: featuresOf(220) }));
    const found = (limit: number) =>
      index.search(query, { weights: { genotype: 0.75, phenotype: 0.25 }, limit, threshold: 0 }).map(({ id }) => id);
    expect(found(10)).to.eql(['B', 'a', 'b', 'ä', '\uffee', '𝄞']);
    expect(found(2)).to.eql(['B', 'a']);
  });

  it('answers nobody to a query that has nothing to compare', () => {
    const index = new PatientIndex(profiler.information);
    index.put(1, profiler.profile(patientOf('a', { features: featuresOf(220) })));
    const all = { weights: { genotype: 0.75, phenotype: 0.25 }, limit: 10, threshold: 0 };
    expect(index.search(profiler.profile(patientOf('q', {})), all)).to.eql([]);
    expect(index.search(profiler.profile(patientOf('q', { features: featuresOf(118) })), all)).to.eql([]);
    expect(index.search(profiler.profile(patientOf('q', { features: [{ id: 'HP:9999999' }] })), all)).to.eql([]);
  });
});

describe('matchmaker: species', () => {
  it('are never compared with each other; a patient that names none is human', async () => {
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
    const found = (name: string | undefined, more = parts) =>
      index.search(of('q', name, more), all).map(({ id }) => id);
    for (const name of [undefined, 'NCBITaxon:9606']) expect(found(name)).to.eql(['0', '1', '2']);
    expect(found('NCBITaxon:10090')).to.eql(['3']);
    expect(found('NCBITaxon:7955')).to.eql([]);
    for (const key of ['features', 'disorders', 'genomicFeatures']) {
      const { [key]: only } = parts;
      expect(found('NCBITaxon:10090', { [key]: only }), key).to.eql(['3']);
    }
    // One that changes its species is found where it is now, also after compacting.
    index.put(1, of('0', 'NCBITaxon:10090'));
    expect([found(undefined), found('NCBITaxon:10090')]).to.eql([
      ['1', '2'],
      ['0', '3'],
    ]);
    compact(index);
    expect([found(undefined), found('NCBITaxon:10090')]).to.eql([
      ['1', '2'],
      ['0', '3'],
    ]);
  });
});

describe('matchmaker: parts of the index', () => {
  it('has a map that equals a map of lists', () => {
    const key = fc.oneof(fc.nat(5), fc.integer({ min: 2 ** 37, max: 2 ** 37 + 4 }), fc.maxSafeNat());
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat(50)), { maxLength: 200 }), fc.nat(7), (entries, dropped) => {
        const map = new Multimap();
        const model = new Map<number, number[]>();
        const check = () => {
          for (const [key, expected] of model) {
            const found: number[] = [];
            for (let at = map.first(key); at >= 0; at = map.next(at)) found.push(map.value(at));
            expect(found.reverse()).to.eql(expected);
          }
        };
        for (const [key, value] of entries) {
          map.add(key, value);
          model.set(key, [...(model.get(key) ?? []), value]);
        }
        check();
        const change = (value: number) => (value % 8 === dropped ? undefined : value + 100);
        map.remap(change);
        for (const [key, values] of model) {
          model.set(
            key,
            values.map(change).filter((value) => value !== undefined),
          );
        }
        check();
        expect(map.first(2 ** 52 + 12345)).to.equal(-1);
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
});
