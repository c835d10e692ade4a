/** What is known of samples beside their alleles. */
import assert from 'node:assert/strict';
import type { Allele, BeaconRepository, Sample, Searched } from '../../../plugins/beacon/contract.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { type Case, cases, faults, reopening, same } from '../core.js';
import {
  at,
  batches,
  called,
  contentOf,
  dataset,
  facts,
  filled,
  load,
  noChange,
  small,
  stateOf,
  totals,
} from './build.js';

const a = small('1', 100, 'A', 'T');
const b = small('1', 200, 'C', 'CAG');
const alleles = [called(a, [0, 1]), called(b, [0, 2])];

const given =
  'Import.facts: what is known of the samples; it replaces what an earlier import said of them, field by field';
const again = 'importing the same again changes nothing, unless facts or searched say something new';
const corrects = 'describeSamples corrects what is known of samples and returns the number of samples that changed';
const addsOnce =
  'addBatches returns false, and adds nothing, if the series has another number of batches, or if the dataset does not exist';

/** A sample of which nothing was said. */
function unknown(name: string, added: Date, fields: Partial<Sample> = {}): Sample {
  const searched = { small: true, structural: true };
  const nothing = { sex: 'unknown', affected: undefined, labels: {}, phenotypes: [], diseases: [] } as const;
  return { ...nothing, name, case: name, coverageId: name, added, searched, ...fields } as Sample;
}

/** The samples of a dataset, with what is known of them. */
async function knows(repository: BeaconRepository, expected: readonly Sample[], message?: string, id = 'ds') {
  same(await repository.sampleFacts(id), expected, message);
}

const only = (kind: keyof Searched) => ({ small: kind === 'small', structural: kind === 'structural' });

export const sampleCases: readonly Case<BeaconRepository>[] = [
  ...cases<BeaconRepository>({
    'sampleFacts: the samples of a dataset with what is known of them, in the order of samples': {
      async 'a sample of which nothing is said is its own case'({ repository }) {
        await knows(repository, [], 'no such dataset');
        await repository.addDataset(dataset('ds'), at(0));
        await knows(repository, []);
        // By UTF-16 code units a surrogate pair comes before U+FFEE.
        await load(repository, 'ds', ['\uffee', 't', '\u{10400}', 'S'], [called(a, [0, 1])], { now: at(3.003) });
        const names = ['S', 't', '\u{10400}', '\uffee'];
        same(await repository.samples('ds'), names);
        const expected = names.map((name) => unknown(name, at(3.003)));
        await knows(repository, expected);
      },
    },
    [given]: {
      async 'facts come back as an import gives them'({ repository }) {
        await repository.addDataset(dataset('ds'), at(0));
        const dates = { run_date: '2025-12-31', analysis_date: '2026-01-02' };
        const labels = {
          assay: 'WGS',
          run: 'Run 7 ',
          kit: 'PCR-free',
          pipeline: '"raredisease" 2.1 E\u0301',
          ...dates,
        };
        const delay = { id: 'HP:0001263', label: 'Global developmental delay; "mild", or so ' };
        const diseases = [{ id: 'OMIM:607208', label: 'Dravets syndrom, typ A\u030a' }];
        const s = { case: 'Family E\u0301 ', sex: 'female', affected: true, labels } as const;
        const terms = { coverageId: 'T of 2024 E\u0301 ', phenotypes: [delay, { id: 'HP:0001250' }], diseases };
        const t = {
          case: 'Family E\u0301 ',
          sex: 'male',
          affected: false,
          labels: { assay: 'WES' },
          ...terms,
        } as const;
        const said = facts({ s, t, elsewhere: { case: 'family 2' } });
        await load(repository, 'ds', ['s', 't', 'u'], alleles, { facts: said, now: at(1) });
        await knows(repository, [unknown('s', at(1), s), unknown('t', at(1), t), unknown('u', at(1))]);
      },
      async 'a later import replaces what it says of a sample, and leaves the rest'({ repository }) {
        await repository.addDataset(dataset('ds'), at(0));
        const first = facts({
          s: { case: 'f', sex: 'male', labels: { assay: 'WGS', run: '1' } },
          t: { sex: 'female' },
        });
        await load(repository, 'ds', ['s', 't'], alleles, { facts: first, now: at(1) });
        const second = facts({ s: { case: 'g', affected: true, labels: { assay: 'WES' } } });
        await load(repository, 'ds', ['s', 't', 'u'], [called(a, [0, 1])], { facts: second, now: at(2) });
        const s = unknown('s', at(1), { case: 'g', sex: 'male', affected: true, labels: { assay: 'WES' } });
        await knows(repository, [s, unknown('t', at(1), { sex: 'female' }), unknown('u', at(2))]);
      },
    },
    'Sample.later: how many imports named the sample and added calls after the one that added it, by kind': {
      async 'it is known how many later imports may have changed the alleles of a sample'({ repository }) {
        await filled(repository, ['s', 't'], [called(a, [0, 1])], { now: at(1) });
        const imported = (allele: Allele, samples: string[], searched: Searched) =>
          load(repository, 'ds', samples, [called(allele, [0, 1])], { searched: () => searched, now: at(2) });
        await imported(a, ['s', 't'], { small: true, structural: true });
        await knows(repository, [unknown('s', at(1)), unknown('t', at(1))], 'nothing is new');
        await imported(b, ['s'], only('small'));
        const once = unknown('s', at(1), { later: { small: 1, structural: 0 } });
        await knows(repository, [once, unknown('t', at(1))]);
        await imported(a, ['u', 't'], { small: true, structural: true });
        const others = [unknown('t', at(1), { later: { small: 1, structural: 1 } }), unknown('u', at(2))];
        await knows(repository, [once, ...others]);
        await repository.describeSamples('ds', facts({ s: { sex: 'male' } }), at(3));
        await knows(repository, [{ ...once, sex: 'male' }, ...others], 'kept by a correction');
        await repository.removeSamples('ds', ['s'], at(4));
        await load(repository, 'ds', ['s'], [called(a, [0, 1])], { now: at(5) });
        await knows(repository, [unknown('s', at(5)), ...others], 'gone with the sample');
      },
    },
    'batches: those of a series, in the order in which they were added, whatever becomes of samples': {
      async 'batches come back as they were added, in their series and order'({ repository }) {
        for (const id of ['ds', 'other']) await repository.addDataset(dataset(id), at(0));
        await load(repository, 'ds', ['s'], [called(a, [0, 1])]);
        same([await repository.batches('ds', 'x'), await repository.batches('nowhere', 'x')], [[], []]);
        const first = [['s v ', 'E\u0301 \u{10400}"'], ['t v']];
        const many = Array.from({ length: 1000 }, (_, i) => [`n${i} v`]);
        same(await repository.addBatches('ds', 'x', 0, first), true);
        same(await repository.addBatches('ds', 'x', 2, many), true);
        // A series is called as it is written.
        const others = ['X', 'x ', 'x y', '\u00e1', 'a\u0301'];
        for (const series of others) same(await repository.addBatches('ds', series, 0, [[series]]), true);
        await repository.removeSamples('ds', ['s'], at(2));
        same(await repository.batches('ds', 'x'), [...first, ...many]);
        for (const series of others) same(await repository.batches('ds', series), [[series]]);
        same(await repository.batches('other', 'x'), []);
        same(await repository.addBatches('other', 'x', 0, [['u v']]), true);
        await repository.removeDataset('ds');
        await repository.addDataset(dataset('ds'), at(3));
        same([await repository.batches('ds', 'x'), await repository.batches('other', 'x')], [[], [['u v']]]);
      },
    },
    [addsOnce]: {
      async 'of callers that know the same batches, one adds to them'({ repository }) {
        await repository.addDataset(dataset('ds'), at(0));
        same(await repository.addBatches('nowhere', 'x', 0, [['s v']]), false);
        same(await repository.addBatches('ds', 'x', 1, [['s v']]), false);
        const callers = Array.from({ length: 8 }, (_, i) => [[`a${i} v`], [`b${i} v`]]);
        const outcomes = await Promise.all(callers.map((added) => repository.addBatches('ds', 'x', 0, added)));
        same(outcomes.filter((added) => added).length, 1);
        same(await repository.batches('ds', 'x'), callers[outcomes.indexOf(true)]);
        same(await repository.addBatches('ds', 'x', 1, [['c v']]), false);
        same(await repository.addBatches('ds', 'x', 2, [['c v']]), true);
      },
    },
    'Import.searched: which kinds of alleles the samples were searched for, in addition to those of earlier imports': {
      async 'what samples were searched for adds up over imports'({ repository }) {
        await repository.addDataset(dataset('ds'), at(0));
        let read = false;
        const source = (async function* () {
          yield* batches(alleles);
          read = true;
        })();
        const searched = () => {
          assert.ok(read, 'asked once all alleles were read');
          return only('small');
        };
        await repository.importAlleles({ dataset: 'ds', samples: ['s', 't'], alleles: source, searched }, at(1));
        const [small, structural] = [{ searched: only('small') }, { searched: only('structural') }];
        await knows(repository, [unknown('s', at(1), small), unknown('t', at(1), small)]);
        await load(repository, 'ds', ['t', 'u'], [], { searched: () => only('structural'), now: at(2) });
        await knows(repository, [unknown('s', at(1), small), unknown('t', at(1)), unknown('u', at(2), structural)]);
      },
    },
    [again]: {
      async 'an import that says nothing new changes nothing'({ repository }) {
        const said = facts({ s: { case: 'f', sex: 'male', labels: { assay: 'WGS' } } });
        const searched = () => only('small');
        await filled(repository, ['s'], alleles, { facts: said, searched, now: at(1) });
        const before = await stateOf(repository, 'ds');
        same(await load(repository, 'ds', ['s'], alleles, { facts: said, searched, now: at(2) }), noChange);
        same(await load(repository, 'ds', ['s'], [], { searched, now: at(3) }), noChange);
        same(await stateOf(repository, 'ds'), before);
      },
      async 'an import that says something new of its samples alone updates the dataset'({ repository }) {
        const searched = () => only('small');
        await filled(repository, ['s'], alleles, { searched, now: at(1) });
        const said = facts({ s: { sex: 'male' } });
        same(await load(repository, 'ds', ['s'], alleles, { facts: said, searched, now: at(2) }), noChange);
        same((await repository.dataset('ds'))?.updated, at(2));
        same(await load(repository, 'ds', ['s'], alleles, { now: at(3) }), noChange);
        same((await repository.dataset('ds'))?.updated, at(3));
        await knows(repository, [unknown('s', at(1), { sex: 'male' })]);
        await totals(repository, 'ds', { alleles: 2, calls: 3, samples: 1 });
      },
    },
    'importAlleles: visible all at once or, after any failure, not at all': {
      async 'an import that fails says nothing of its samples'({ repository }) {
        await filled(repository, ['s'], alleles, { facts: facts({ s: { sex: 'male' } }) });
        const before = await stateOf(repository, 'ds');
        const failing = (async function* () {
          yield* batches([called(b, [1, 1])]);
          throw new Error('the file ends in the middle of a line');
        })();
        const said = facts({ s: { sex: 'female' }, t: { case: 'f' } });
        const request = { dataset: 'ds', samples: ['s', 't'], alleles: failing, facts: said };
        await assert.rejects(repository.importAlleles(request, at(2)));
        same(await stateOf(repository, 'ds'), before);
      },
    },
    [corrects]: {
      async 'samples are corrected, and those that changed are counted'({ repository }) {
        const seizure = { id: 'HP:0001250' };
        const told = { affected: true, labels: { assay: 'WGS', run: '1' }, phenotypes: [seizure] };
        await filled(repository, ['s', 't', 'u'], alleles, {
          facts: facts({ s: { sex: 'male', ...told } }),
          now: at(1),
        });
        const diseases = [{ id: 'MONDO:0100135', label: 'Dravet syndrome' }];
        const t = { case: 'f', sex: 'female', coverageId: 'u', phenotypes: [seizure], diseases } as const;
        const changes = facts({
          s: { case: 'f', affected: undefined, labels: { kit: 'k' }, phenotypes: [] },
          t,
          u: { sex: 'unknown', case: 'u', coverageId: 'u' },
        });
        same(await repository.describeSamples('ds', changes, at(4.004)), 2);
        const s = unknown('s', at(1), { case: 'f', sex: 'male', labels: { kit: 'k' } });
        await knows(repository, [s, unknown('t', at(1), t), unknown('u', at(1))]);
        same((await repository.dataset('ds'))?.updated, at(4.004));
        await totals(repository, 'ds', { alleles: 2, calls: 3, samples: 3 });
        for (const none of [changes, new Map()]) same(await repository.describeSamples('ds', none, at(5)), 0);
        same((await repository.dataset('ds'))?.updated, at(4.004), 'nothing changed, so the dataset was not updated');
        const phenotypes = [{ ...seizure, label: 'Seizure' }];
        same(await repository.describeSamples('ds', facts({ t: { phenotypes } }), at(5)), 1);
        await knows(repository, [s, unknown('t', at(1), { ...t, phenotypes }), unknown('u', at(1))]);
      },
      async 'the facts of many samples are kept and corrected'({ repository }) {
        const names = Array.from({ length: 3000 }, (_, i) => `s${String(i).padStart(4, '0')}`);
        const said = new Map(names.map((name, i) => [name, { case: `f${i % 1000}` }]));
        await filled(repository, names, [called(a, [2999, 1])], { facts: said });
        const males = new Map(names.map((name) => [name, { sex: 'male' as const }]));
        same(await repository.describeSamples('ds', males, at(2)), 3000);
        const expected = names.map((name, i) => unknown(name, at(1), { case: `f${i % 1000}`, sex: 'male' }));
        await knows(repository, expected);
      },
    },
    'describeSamples changes nothing if the dataset does not exist or lacks one of the samples': {
      async 'a correction of a sample that the dataset lacks changes nothing'({ repository }) {
        for (const id of ['ds', 'other']) await repository.addDataset(dataset(id), at(0));
        await load(repository, 'ds', ['s'], alleles);
        await load(repository, 'other', ['t'], alleles);
        const before = await stateOf(repository, 'ds');
        await faults('not-found', repository.describeSamples('nowhere', facts({ s: { sex: 'male' } }), at(2)));
        await faults('not-found', repository.describeSamples('nowhere', new Map(), at(2)));
        const changes = facts({ s: { sex: 'male' }, t: { sex: 'male' } });
        await faults('not-found', repository.describeSamples('ds', changes, at(2)));
        same(await stateOf(repository, 'ds'), before);
      },
    },
    'removeSamples removes samples with all that is known of them': {
      async 'what is known of a sample leaves with it'({ repository }) {
        const said = facts({ s: { case: 'f', sex: 'male' }, t: { case: 'f', sex: 'female' } });
        await filled(repository, ['s', 't'], [called(a, [0, 1], [1, 2])], { facts: said, now: at(1) });
        await repository.removeSamples('ds', ['s', 'nobody'], at(2));
        const t = unknown('t', at(1), { case: 'f', sex: 'female' });
        await knows(repository, [t]);
        const before = await contentOf(repository, 'ds');
        await load(repository, 'ds', ['s'], alleles, { searched: () => only('small'), now: at(3) });
        await knows(repository, [unknown('s', at(3), { searched: only('small') }), t]);
        await repository.removeSamples('ds', ['s'], at(4));
        same(await contentOf(repository, 'ds'), before);
      },
    },
    'removeDataset removes a dataset with all its alleles': {
      async 'what is known of samples leaves with their dataset, and others keep theirs'({ repository }) {
        const said = facts({ s: { case: 'f', sex: 'male' } });
        for (const id of ['ds', 'other']) {
          await repository.addDataset(dataset(id), at(0));
          await load(repository, id, ['s'], alleles, { facts: said });
        }
        await repository.removeDataset('ds');
        await knows(repository, []);
        await repository.addDataset(dataset('ds'), at(2));
        await load(repository, 'ds', ['s'], alleles, { now: at(3) });
        await knows(repository, [unknown('s', at(3))]);
        same(await repository.describeSamples('ds', facts({ s: { sex: 'female' } }), at(4)), 1);
        await knows(repository, [unknown('s', at(1), { case: 'f', sex: 'male' })], undefined, 'other');
      },
    },
    'salt: a secret of the dataset, the same until the dataset is removed; undefined if it does not exist': {
      async 'every dataset has a salt of its own, as long as it exists'({ repository }) {
        same(await repository.salt('ds'), undefined);
        for (const id of ['ds', 'other']) await repository.addDataset(dataset(id), at(0));
        const salt = await repository.salt('ds');
        assert.ok(salt !== undefined && salt.length >= 16, 'text of at least 128 bits');
        assert.notEqual(await repository.salt('other'), salt);
        same(await repository.updateDataset(dataset('ds', { name: 'Renamed' }), at(1)), true);
        await load(repository, 'ds', ['s'], alleles);
        await repository.removeSamples('ds', ['s'], at(2));
        same(await repository.salt('ds'), salt, 'after updates, imports and removals');
        const shown = JSON.stringify([await repository.datasets(), await repository.dataset('ds')]);
        assert.ok(!shown.includes(salt), 'secret');
        await repository.removeDataset('ds');
        same(await repository.salt('ds'), undefined);
        await repository.addDataset(dataset('ds'), at(3));
        const next = await repository.salt('ds');
        assert.ok(next !== undefined && next !== salt, 'another dataset with the same id');
      },
    },
    'DatasetDescription.counting: set for a dataset that serves as a record of local observations': {
      async 'the counting rules of a dataset come back, and are part of its description'({ repository }) {
        const counting = { quality: 20, passOnly: true, window: 500 };
        await repository.addDataset(dataset('ds', { counting }), at(0));
        same((await repository.dataset('ds'))?.counting, counting);
        same((await repository.datasets())[0]?.counting, counting);
        const loose = { passOnly: false, window: 2000 };
        const from = dataset('ds', { counting: loose });
        same(await repository.updateDataset(dataset('ds'), at(1), from), false, 'other rules: another description');
        same(await repository.updateDataset(from, at(1), dataset('ds', { counting })), true);
        same((await repository.dataset('ds'))?.counting, loose);
        same(await repository.updateDataset(dataset('ds'), at(2), from), true);
        assert.ok(!('counting' in ((await repository.dataset('ds')) ?? {})), 'absent, not undefined');
      },
    },
  }),
  reopening(
    'what is known of samples is there after closing and opening again',
    given,
    beacon,
    async (repository) => {
      await filled(repository, ['s'], alleles, { facts: facts({ s: { case: 'f', labels: { run: '1' } } }) });
      await repository.describeSamples('ds', facts({ s: { sex: 'male' } }), at(2));
      await repository.addBatches('ds', 'x', 0, [['s v']]);
    },
    async (repository) => [
      ...[await stateOf(repository, 'ds'), await repository.salt('ds'), await repository.batches('ds', 'x')],
    ],
  ),
];
