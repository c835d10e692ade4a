/** All alleles of a dataset, in order. */
import assert from 'node:assert/strict';
import {
  type Allele,
  type AlleleQuery,
  type BeaconRepository,
  byAllele,
  type CountedAllele,
} from '../../../plugins/beacon/contract.js';
import { cases, faults, same } from '../core.js';
import { at, breakend, called, carried, dataset, filled, listed, load, small, structural, throws } from './build.js';

const counted = (allele: Allele, calls: number): CountedAllele => ({ ...allele, calls });

export const exportCases = cases<BeaconRepository>({
  'eachAllele hands on every allele of the dataset once, in the order of byAllele, with its calls over all samples': {
    async 'every allele is exported once and in order, with the calls of all imports'({ repository }) {
      // In this order: by chromosome, start, end, then reference and alternate by code units.
      const ordered = [
        small('2', 7, 'A', 'C'),
        small('2', 7, 'A', 'CT'),
        small('2', 7, 'AT', 'A'),
        structural('2', 7, 90, 'DEL'),
        small('10', 3, 'A', 'T'),
        structural('10', 4, 5, 'INS'),
        breakend('X', 4, 'G[2:3[', '2', 2),
        breakend('X', 4, 'G]1:9]', '1', 8),
        small('MT', 0, 'G', 'GN'),
      ];
      const expected = ordered.map((allele, i) => counted(allele, i % 2 === 0 ? 3 : 1));
      for (const id of ['ds', 'other']) await repository.addDataset(dataset(id), at(0));
      await repository.addDataset(dataset('newer', { assembly: 'GRCh38' }), at(0));
      const shuffled = ordered.map((_, i) => (i * 4) % ordered.length);
      const first = shuffled.map((i) => called(ordered[i] as Allele, [i % 2, 1]));
      await load(repository, 'ds', ['a', 'b'], first, { size: 2 });
      const even = ordered.filter((_, i) => i % 2 === 0);
      await load(repository, 'ds', ['c'], carried(even, [0, 2]));
      const elsewhere = [called(small('2', 7, 'A', 'G'), [0, 1]), called(small('2', 7, 'A', 'C'), [0, 2])];
      await load(repository, 'other', ['a'], elsewhere);
      await load(repository, 'newer', ['a'], elsewhere);
      same(await listed(repository, 'ds'), expected);
      await repository.removeSamples('ds', ['a', 'b'], at(2));
      const wanted = even.map((allele) => counted(allele, 2));
      same(await listed(repository, 'ds'), wanted, 'after samples were removed');
      same(await listed(repository, 'newer'), [
        counted(small('2', 7, 'A', 'C'), 2),
        counted(small('2', 7, 'A', 'G'), 1),
      ]);
    },
  },
  'eachAllele returns the widest ranges that imports of its present carriers gave; search ignores ranges': {
    async 'an exported allele has the widest ranges that imports of its remaining carriers gave'({ repository }) {
      const plain = structural('1', 100, 200, 'DEL');
      const wide = { ...plain, startRange: { min: 90, max: 110 }, endRange: { min: 200, max: 205 } };
      const late = { ...plain, startRange: { min: 95, max: 120 } };
      const join = { ...breakend('X', 4, 'G]1:9]', '1', 8), endRange: { min: 0, max: 2147483647 } };
      await repository.addDataset(dataset('ds'), at(0));
      const now = () => listed(repository, 'ds');
      await load(repository, 'ds', ['a'], [called(wide, [0, 1]), called(join, [0, 1])]);
      same(await now(), [counted(wide, 1), counted(join, 1)]);
      await load(repository, 'ds', ['b'], [called(plain, [0, 1])]);
      await load(repository, 'ds', ['c', 'a'], [called(late, [0, 2], [1, 1])]);
      const widest = { ...plain, startRange: { min: 90, max: 120 }, endRange: { min: 200, max: 205 } };
      same(await now(), [counted(widest, 4), counted(join, 1)]);
      const exact: AlleleQuery = {
        assembly: 'GRCh37',
        contig: '1',
        start: { min: 100, max: 100 },
        end: { min: 200, max: 200 },
      };
      same(await repository.search(exact, ['ds']), [{ dataset: 'ds', alleles: 1, calls: 4, samples: 3 }]);
      same(await repository.search({ ...exact, start: { min: 90, max: 99 } }, ['ds']), []);
      await repository.removeSamples('ds', ['c'], at(2));
      same(await now(), [counted(wide, 2), counted(join, 1)], 'without the sample whose import gave a wider one');
      await repository.removeSamples('ds', ['a'], at(3));
      same(await now(), [counted(plain, 1)], 'without any sample whose import gave one');
      // Given several times in one import, next to each other and far apart.
      await repository.removeSamples('ds', ['b'], at(4));
      const between = called(small('2', 5, 'A', 'C'), [0, 1]);
      const several = [called(wide, [0, 1]), called(late, [1, 1]), between, called(plain, [1, 1])];
      await load(repository, 'ds', ['d', 'e'], several, { size: 1 });
      same(await now(), [counted(widest, 2), counted(small('2', 5, 'A', 'C'), 1)]);
    },
  },
  'with after, eachAllele passes only the alleles after this one in the order of byAllele': {
    async 'alleles are listed from any place on, stored or not'({ repository }) {
      const wide = { ...structural('1', 5, 90, 'DEL'), startRange: { min: 2, max: 7 } };
      const ordered = [
        small('1', 4, 'A', 'C'),
        small('1', 5, 'A', 'C'),
        small('1', 5, 'A', 'CT'),
        wide,
        small('1', 9, 'A', 'C'),
        breakend('X', 4, 'G]1:9]', '1', 8),
        breakend('X', 4, 'G]1:9]', '2', 8),
        small('MT', 0, 'G', 'GN'),
      ];
      await repository.addDataset(dataset('ds'), at(0));
      for (const name of ['a', 'b']) await load(repository, 'ds', [name], carried(ordered, [0, 1]));
      const expected = ordered.map((each) => counted(each, 2));
      const others = [
        small('1', 3, 'A', 'C'),
        small('1', 5, 'A', 'CA'),
        small('1', 10, 'A', 'C'),
        small('2', 5, 'A', 'C'),
        small('MT', 1, 'A', 'C'),
      ];
      for (const after of [...ordered, ...others]) {
        const wanted = expected.filter((each) => byAllele(each, after) > 0);
        same(await listed(repository, 'ds', { after }), wanted);
      }
      await faults('not-found', listed(repository, 'nowhere', { after: wide }));
    },
  },
  'eachAllele passes nothing more once take returns false; pages after one another make the whole': {
    async 'a listing ends once its consumer has enough'({ repository, given }) {
      const count = 2500;
      const alleles = Array.from({ length: count }, (_, i) =>
        called(small('1', i >> 2, 'A', `C${'T'.repeat(i % 4)}`), [0, 1]),
      );
      await filled(repository, ['s'], alleles);
      const all: Allele[] = [];
      for (let pages = 0; all.length < count; pages++) {
        const last = all.at(-1);
        given('last', last);
        let portions = 0;
        await repository.eachAllele(
          'ds',
          async (some) => {
            portions++;
            // A page ends within a portion.
            all.push(...some.slice(0, 777).map(({ calls: _, ...allele }) => allele));
            return false;
          },
          last ? { after: last } : {},
        );
        assert.equal(portions, 1, 'nothing is passed after false');
        assert.ok(pages < count, 'pages end');
      }
      const expected = alleles.map(({ carriers: _, ...allele }) => allele);
      same(all, expected);
      let passed = 0;
      await repository.eachAllele('ds', async (some) => {
        passed += some.length;
        return passed < 1000;
      });
      assert.ok(passed >= 1000, 'it goes on after true');
      assert.equal((await listed(repository, 'ds')).length, count, 'it goes on after undefined');
      const reason = new Error('The caller has left');
      await throws(reason, listed(repository, 'ds', { signal: AbortSignal.abort(reason) }));
    },
  },
  'eachAllele passes portions of at most a few thousand alleles': {
    async 'alleles of a large dataset come in portions'({ repository }) {
      const count = 12_000;
      const alleles = Array.from({ length: count }, (_, i) =>
        called(small('1', i >> 1, 'A', i % 2 ? 'T' : 'C'), [0, 1]),
      );
      await filled(repository, ['s'], alleles, { size: 5000 });
      const found: string[] = [];
      await repository.eachAllele('ds', async (portion) => {
        assert.ok(portion.length > 0 && portion.length <= 5000, `a portion of ${portion.length}`);
        for (const { start, alternate } of portion) found.push(`${start}${alternate}`);
      });
      const expected = alleles.map(({ start, alternate }) => `${start}${alternate}`);
      same(found, expected);
    },
  },
  'eachAllele shows one state, and waits for its consumer': {
    async 'an export does not see changes that are made meanwhile'({ repository }) {
      const count = 6000;
      const alleles = Array.from({ length: count }, (_, i) => called(small('1', i, 'A', 'C'), [0, 1]));
      await filled(repository, ['s'], alleles, { size: 5000 });
      let changed = false;
      let found = 0;
      await repository.eachAllele('ds', async (portion) => {
        if (!changed) {
          changed = true;
          await load(repository, 'ds', ['t'], [called(small('2', 1, 'A', 'C'), [0, 1])]);
          await repository.removeSamples('ds', ['s'], at(2));
        }
        found += portion.length;
      });
      same(found, count);
      same(await listed(repository, 'ds'), [counted(small('2', 1, 'A', 'C'), 1)]);
    },
  },
  'eachAllele throws what take throws; a not-found fault if the dataset does not exist': {
    async 'an error of the consumer is thrown, and a dataset that does not exist is a fault'({ repository }) {
      await repository.addDataset(dataset('ds'), at(0));
      same(await listed(repository, 'ds'), []);
      await load(repository, 'ds', ['s'], [called(small('1', 5, 'A', 'C'), [0, 1])]);
      const failure = new Error('the disk is full');
      const failing = repository.eachAllele('ds', () => Promise.reject(failure));
      await throws(failure, failing);
      same((await listed(repository, 'ds')).length, 1);
      await faults('not-found', listed(repository, 'nowhere'));
    },
  },
});
