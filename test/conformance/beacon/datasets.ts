/** Datasets: their descriptions, order and absence. */
import assert from 'node:assert/strict';
import { type BeaconRepository, beacon } from '../../../plugins/beacon/contract.js';
import { cases, faults, onlyOne, same, undone } from '../core.js';
import {
  answers,
  at,
  called,
  carried,
  contentOf,
  dataset,
  exactly,
  filled,
  idsOf,
  load,
  small,
  structural,
  totals,
} from './build.js';

const allele = small('1', 100, 'A', 'T');
const nothing = { alleleCount: 0, callCount: 0, sampleCount: 0 };
const updating = 'updateDataset replaces the description and sets updated; returns false if there is no such dataset';
const removing = 'removeDataset removes the dataset with all its alleles; returns false if there is none';

export const datasetCases = cases<BeaconRepository>({
  'addDataset adds a dataset with this description and without alleles': {
    async 'a dataset is returned with the description it was added with'({ repository }) {
      const full = dataset('ds-1', {
        name: 'Åse\'s "panel" \\ % _ 🧬',
        assembly: 'GRCh38',
        access: 'CONTROLLED',
        version: 2.5,
        description: 'Zwei\nZeilen\u2028 & <b>mehr</b>',
        externalUrl: 'https://example.org/?a=1&b=%20',
      });
      for (const description of [full, dataset('ds-2')]) {
        await repository.addDataset(description, at(0.123));
        const expected = { ...description, created: at(0.123), updated: at(0.123), ...nothing };
        same(await repository.dataset(description.id), expected);
      }
      assert.equal((await repository.dataset('ds-2'))?.description, undefined);
      assert.equal((await repository.dataset('ds-2'))?.externalUrl, undefined);
    },
  },
  'what does not exist is undefined: never null, never an exception': {
    async 'a dataset that does not exist is undefined and has no samples or alleles'({ repository }) {
      assert.equal(await repository.dataset('nowhere'), undefined);
      same(await repository.datasets(), []);
      same(await repository.samples('nowhere'), []);
      same(await repository.examples('nowhere', false, 10), []);
      assert.equal(await repository.removeDataset('nowhere'), false);
      assert.equal(await repository.updateDataset(dataset('nowhere'), at(1)), false);
      assert.equal(await repository.dataset('nowhere'), undefined, 'updating does not add');
      await answers(repository, exactly(allele), ['nowhere'], []);
    },
  },
  'a not-found fault if the dataset does not exist': {
    async 'loading into or removing from a dataset that does not exist is refused'({ repository }) {
      await faults('not-found', load(repository, 'nowhere', ['s'], [called(allele, [0, 1])]));
      await faults('not-found', repository.removeSamples('nowhere', ['s'], at(1)));
      same(await repository.datasets(), []);
    },
  },
  'recount throws `not-found` if the dataset does not exist': {
    async 'a dataset that does not exist is not recounted'({ repository }) {
      await faults('not-found', repository.recount('ds'));
      await repository.addDataset(dataset('ds'), at(1));
      same(await repository.recount('ds'), { alleles: 0, calls: 0, samples: 0 });
      await faults('not-found', repository.recount('DS'));
      await repository.removeDataset('ds');
      await faults('not-found', repository.recount('ds'));
    },
  },
  'addDataset throws a conflict fault if the id exists': {
    async 'a dataset that exists is not added again'({ repository }) {
      await filled(repository, ['s'], [called(allele, [0, 1])]);
      const before = await contentOf(repository, 'ds');
      await faults('conflict', repository.addDataset(dataset('ds', { name: 'other' }), at(5)));
      same(await contentOf(repository, 'ds'), before);
    },
    async 'of several concurrent calls that add one dataset, one succeeds'({ repository }) {
      const outcomes = await Promise.allSettled([1, 2, 3, 4].map((i) => repository.addDataset(dataset('ds'), at(i))));
      onlyOne('conflict', outcomes);
      assert.equal((await repository.datasets()).length, 1);
    },
  },
  'text is compared by code unit': {
    async 'ids and sample names differ by case'({ repository }) {
      await repository.addDataset(dataset('ds'), at(0));
      await repository.addDataset(dataset('DS'), at(0));
      await load(repository, 'ds', ['sample', 'Sample'], [called(allele, [0, 1], [1, 1])]);
      same(await repository.samples('ds'), ['Sample', 'sample']);
      await answers(repository, exactly(allele), ['DS'], []);
      await answers(repository, exactly(allele), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 2, samples: 2 }]);
      await repository.removeSamples('ds', ['SAMPLE'], at(2));
      await repository.removeSamples('ds', ['Sample'], at(2));
      same(await repository.samples('ds'), ['sample']);
      assert.equal(await repository.removeDataset('DS'), true);
      same(await idsOf(repository), ['ds']);
    },
  },
  'text is returned as it was stored: it is not normalised': {
    async 'names are compared by code units, not by appearance'({ repository }) {
      const [composed, decomposed] = ['Zo\u00eb', 'Zoe\u0308'];
      await repository.addDataset(dataset('ds', { name: decomposed }), at(0));
      assert.equal((await repository.dataset('ds'))?.name, decomposed);
      await load(repository, 'ds', [composed, decomposed], [called(small('1', 1, 'A', 'T'), [0, 1], [1, 1])]);
      same(await repository.samples('ds'), [decomposed, composed]);
      await repository.removeSamples('ds', [composed], at(2));
      same(await repository.samples('ds'), [decomposed]);
    },
  },
  'datasets and samples come in code-unit order': {
    async 'datasets are listed by id in code-unit order'({ repository }) {
      const ordered = ['10', '2', 'B', 'Z', 'a', 'ds-10', 'ds-2', 'ds.1', 'ds1', 'ds:1', 'ds_1', 'dsa', 'z'];
      for (const id of ordered.toReversed()) {
        await repository.addDataset(dataset(id), at(0));
        await load(repository, id, ['s'], [called(allele, [0, 1])]);
      }
      same(await idsOf(repository), ordered);
      const hits = ordered.map((id) => ({ dataset: id, alleles: 1, calls: 1, samples: 1 }));
      await answers(repository, exactly(allele), ordered.toReversed(), hits, 'datasets are returned in the same order');
    },
    async 'samples are listed in code-unit order'({ repository }) {
      // In code units 🧬 (D83E DDEC) comes before ～ (FF5E); in code points and in UTF-8 it comes after.
      const ordered = [' ', '"quoted"', '%', '10', '2', 'B', "O'Neill", 'a', 'b-1', 'b_1', 'Å', '🧬', '～'];
      await filled(repository, ordered.slice(5).reverse(), []);
      await load(repository, 'ds', ordered.slice(0, 7).reverse(), []);
      same(await repository.samples('ds'), ordered);
    },
  },
  [updating]: {
    async 'updating replaces the whole description'({ repository }) {
      await repository.addDataset(dataset('ds', { description: 'old', externalUrl: 'https://example.org' }), at(0));
      await repository.addDataset(dataset('other'), at(0));
      await load(repository, 'ds', ['s'], [called(allele, [0, 2])], { now: at(1) });
      const changed = dataset('ds', { name: 'new', access: 'REGISTERED', version: 3 });
      assert.equal(await repository.updateDataset(changed, at(7.007)), true);
      same(await repository.dataset('ds'), {
        ...changed,
        created: at(0),
        updated: at(7.007),
        alleleCount: 1,
        callCount: 2,
        sampleCount: 1,
      });
      same((await repository.dataset('other'))?.name, 'Dataset other', 'another dataset is untouched');
    },
  },
  'with from, updateDataset returns false if the description has changed; of several, one succeeds': {
    async 'an update from a description succeeds only if it is still the description'({ repository }) {
      await repository.addDataset(dataset('ds', { description: 'first', access: 'CONTROLLED' }), at(0));
      const before = await repository.dataset('ds');
      assert.ok(before);
      await load(repository, 'ds', ['s'], [called(allele, [0, 2])], { now: at(1) });
      const closed = dataset('ds', { access: 'REGISTERED' });
      assert.equal(await repository.updateDataset(closed, at(2), before), true, 'totals and dates are not compared');
      const opened = dataset('ds', { access: 'PUBLIC' });
      assert.equal(await repository.updateDataset(opened, at(3), before), false, 'the description has changed');
      assert.equal(await repository.updateDataset(dataset('nowhere'), at(3), dataset('nowhere')), false);
      const left = await repository.dataset('ds');
      same([left?.access, left?.updated], ['REGISTERED', at(2)]);
      const names = Array.from({ length: 8 }, (_, i) => `by ${i}`);
      const taken = await Promise.all(
        names.map((name) => repository.updateDataset(dataset('ds', { name }), at(4), closed)),
      );
      same(taken.filter(Boolean).length, 1, 'of several concurrent updates, one succeeds');
      same((await repository.dataset('ds'))?.name, names[taken.indexOf(true)]);
    },
  },
  'the assembly of a dataset with samples cannot change: a conflict fault': {
    async 'the assembly of a dataset with samples cannot change'({ repository }) {
      await repository.addDataset(dataset('ds'), at(0));
      assert.equal(await repository.updateDataset(dataset('ds', { assembly: 'GRCh38' }), at(1)), true, 'it is empty');
      await repository.updateDataset(dataset('ds'), at(2));
      await load(repository, 'ds', ['without alleles'], []);
      const before = await repository.dataset('ds');
      await faults('conflict', repository.updateDataset(dataset('ds', { assembly: 'GRCh38', name: 'x' }), at(3)));
      same(await repository.dataset('ds'), before);
      assert.equal(await repository.updateDataset(dataset('ds', { name: 'same assembly' }), at(4)), true);
      await repository.removeSamples('ds', ['without alleles'], at(5));
      assert.equal(await repository.updateDataset(dataset('ds', { assembly: 'GRCh38' }), at(6)), true, 'again');
    },
  },
  'datasets of another assembly have no matching alleles': {
    async 'a dataset of another assembly has no matches'({ repository }) {
      const ids = ['ds37', 'ds38'];
      await repository.addDataset(dataset('ds37'), at(0));
      await repository.addDataset(dataset('ds38', { assembly: 'GRCh38' }), at(0));
      for (const id of ids) await load(repository, id, ['s'], [called(allele, [0, id === 'ds37' ? 1 : 2])]);
      const hit = (id: string, calls: number) => ({ dataset: id, alleles: 1, calls, samples: 1 });
      await answers(repository, exactly(allele), ids, [hit('ds37', 1)]);
      await answers(repository, exactly(allele, { assembly: 'GRCh38' }), ids, [hit('ds38', 2)]);
    },
  },
  [removing]: {
    async 'a dataset is removed with all its alleles'({ repository }) {
      for (const id of ['ds', 'other']) {
        await repository.addDataset(dataset(id), at(0));
        await load(repository, id, ['s'], [called(allele, [0, 1]), called(structural('1', 50, 900, 'DEL'), [0, 1])]);
      }
      const before = await contentOf(repository, 'other');
      assert.equal(await repository.removeDataset('ds'), true);
      assert.equal(await repository.removeDataset('ds'), false);
      assert.equal(await repository.dataset('ds'), undefined);
      same(await repository.samples('ds'), []);
      await answers(
        repository,
        exactly(allele),
        ['ds', 'other'],
        [{ dataset: 'other', alleles: 1, calls: 1, samples: 1 }],
      );
      same(await contentOf(repository, 'other'), before, 'a dataset that shares its alleles is untouched');
    },
    async 'a dataset added again under an old id is empty'({ repository }) {
      await filled(repository, ['s', 't'], [called(allele, [0, 1], [1, 2])]);
      await repository.removeDataset('ds');
      await repository.addDataset(dataset('ds'), at(9));
      same(await repository.dataset('ds'), { ...dataset('ds'), created: at(9), updated: at(9), ...nothing });
      await totals(repository, 'ds', { alleles: 0, calls: 0, samples: 0 });
      await answers(repository, exactly(allele), ['ds'], []);
      await load(repository, 'ds', ['t'], [called(allele, [0, 1])]);
      await totals(repository, 'ds', { alleles: 1, calls: 1, samples: 1 });
    },
  },
  'examples returns up to limit alleles of the dataset: structural ones if structural, else plain ones': {
    async 'examples are alleles of the dataset, structural or plain, no more than requested'({ repository }) {
      const plain = [small('1', 10, 'A', 'T'), small('2', 20, 'AC', 'A'), small('MT', 30, 'G', 'GTT')];
      const large = [structural('1', 10, 5000, 'DEL'), structural('X', 10, 90, 'DUP:TANDEM')];
      await repository.addDataset(dataset('ds'), at(0));
      await repository.addDataset(dataset('other'), at(0));
      await load(repository, 'ds', ['s'], carried([...plain, ...large], [0, 1]));
      await load(repository, 'ds', ['t'], carried([...plain, ...large], [0, 1]));
      await load(repository, 'other', ['s'], [called(small('3', 1, 'A', 'T'), [0, 1])]);
      for (const [kind, alleles] of Object.entries({ plain, structural: large })) {
        const sorted = (list: readonly { start: number; contig: string }[]) =>
          list.toSorted((a, b) => a.start - b.start || (a.contig < b.contig ? -1 : 1));
        const all = await repository.examples('ds', kind === 'structural', 100);
        same(sorted(all), sorted(alleles), 'each allele once, without its carriers');
        for (const limit of [0, 1]) {
          const some = await repository.examples('ds', kind === 'structural', limit);
          assert.equal(some.length, limit);
        }
      }
    },
  },
  'datasets and alleles join the transaction in which they are written': {
    async 'a transaction that fails undoes its changes to datasets and alleles'({ storage, repository }) {
      await repository.addDataset(dataset('kept'), at(0));
      await load(repository, 'kept', ['s'], [called(allele, [0, 1])]);
      const before = await contentOf(repository, 'kept');
      await undone(storage, async (scope) => {
        const inside = scope.repository(beacon);
        await inside.addDataset(dataset('ds'), at(1));
        await load(inside, 'ds', ['s'], [called(allele, [0, 1])]);
        await load(inside, 'kept', ['t'], [called(allele, [0, 1]), called(small('2', 5, 'C', 'G'), [0, 1])]);
        await inside.removeSamples('kept', ['s'], at(2));
        same(await inside.samples('kept'), ['t'], 'the transaction sees its own writes');
      });
      assert.equal(await repository.dataset('ds'), undefined);
      same(await contentOf(repository, 'kept'), before);
    },
  },
  'repositories store and return copies of plain data': {
    async 'changing a returned dataset does not change the storage'({ repository }) {
      const description = dataset('ds');
      await repository.addDataset(description, at(0));
      description.name = 'changed';
      const carried = called({ ...allele }, [0, 1]);
      await load(repository, 'ds', ['s'], [carried]);
      carried.start = 5;
      const [returned] = await repository.datasets();
      returned?.created.setTime(0);
      const [example] = await repository.examples('ds', false, 1);
      if (example) example.alternate = 'C';
      same((await repository.dataset('ds'))?.created, at(0));
      same((await repository.dataset('ds'))?.name, 'Dataset ds');
      same(await repository.examples('ds', false, 1), [allele]);
    },
  },
});
