/** Saving, finding and removing patients, and their owners. */
import assert from 'node:assert/strict';
import { type MatchmakerRepository, matchmaker } from '../../../plugins/matchmaker/contract.js';
import { cases, faults, giveUp, givingUp, meet, oddText, type StorageScope, same, undone } from '../core.js';
import { ada, at, bob, changes, counted, facts, patient, root, save, saveMany, saveOne } from './build.js';

const held = 'held: the patient is locked until the end of the transaction';
const removing = 'removePatient removes the patient, with all data for counting and finding it';

export const patientCases = cases<MatchmakerRepository>({
  [givingUp]: {
    async 'aborted reads of patients throw the reason'({ repository }) {
      await saveMany(repository, 400);
      const numbers = (await repository.patients({ limit: 400 })).map(({ number }) => number);
      await giveUp((signal) => repository.patients({ owner: 'ada', limit: 400, signal }));
      const byNumber = async (signal: AbortSignal) => {
        const found = await repository.patientsByNumber(numbers, { signal });
        return found.toSorted((one, other) => one.number - other.number);
      };
      await giveUp(byNumber);
    },
  },
  'savePatients adds each patient, or replaces the one with the same id': {
    async 'a patient is returned as it was saved'({ repository }) {
      const odd = patient(`P/1${oddText}`, {
        label: oddText,
        contact: { name: oddText, href: `mailto:${oddText}` },
        _own: { nested: [1, 2.5, null, oddText], empty: {} },
        genomicFeatures: [{ gene: { id: 'GPX4' }, variant: { assembly: 'GRCh37', referenceName: '1', start: 0 } }],
      });
      const { outcome, stored } = await saveOne(repository, odd, 0.123, { owner: oddText, all: false });
      assert.equal(outcome, 'inserted');
      const expected = { version: 1, owner: oddText, created: at(0.123), updated: at(0.123), patient: odd };
      same(stored, { number: stored.number, ...expected });
      assert.ok(Number.isInteger(stored.number) && stored.number > 0);
      same(await repository.patient(odd.id), stored);
      same(await repository.patientsById([odd.id, 'nobody']), [stored]);
      same(await repository.patientsByNumber([stored.number, stored.number + 1000]), [stored]);
      same(await repository.patients({ owner: oddText, label: oddText, limit: 9 }), [stored]);
      same(await repository.contacts(), [{ href: odd.contact.href, patients: 1 }]);
      const changed = { ...odd, sex: 'MALE' } as const;
      const again = await saveOne(repository, changed, 2.345, { owner: oddText, all: false });
      same(again.stored, { ...stored, version: 2, updated: at(2.345), patient: changed });
      const contact = { name: 'Other', href: 'https://other.example/' };
      same(await repository.replaceContact(odd.contact.href, contact, contact.href, at(3)), 1);
      same((await repository.patient(odd.id))?.patient, { ...changed, contact });
    },
    async 'an update replaces the whole patient and increments its version'({ repository }) {
      const first = await saveOne(repository, patient('P', { label: 'one', sex: 'MALE' }), 1);
      const changed = patient('P', { label: oddText });
      const second = await saveOne(repository, changed, 2);
      assert.equal(second.outcome, 'updated');
      const { number } = first.stored;
      const expected = { number, version: 2, owner: 'ada', created: at(1), updated: at(2), patient: changed };
      same(second.stored, expected);
      same(await repository.patient('P'), expected);
      same(await repository.patients({ label: oddText, limit: 9 }), [expected]);
      same(await repository.patients({ label: 'one', limit: 9 }), []);
    },
  },
  'patient: with owners only a patient of one of these': {
    async 'a patient is found for its owners alone, if owners are named'({ repository }) {
      const { stored } = await saveOne(repository, patient('p'), 1);
      same(await repository.patient('p', ['bo', 'ada']), stored);
      for (const owners of [[], ['bo'], ['Ada', 'ad%']]) same(await repository.patient('p', owners), undefined);
      same(await repository.patient('q', ['ada']), undefined);
    },
  },
  'what does not exist is undefined: never null, never an exception': {
    async 'an absent patient is undefined'({ repository }) {
      assert.equal(await repository.patient('nobody'), undefined);
      assert.equal(await repository.removePatient('nobody', root), undefined);
      same(await repository.patientsById([]), []);
      same(await repository.patientsByNumber([]), []);
      same(await repository.patients({ limit: 10 }), []);
      same(await repository.contacts(), []);
    },
  },
  'a patient that equals the stored one is unchanged, and so is its version': {
    async 'an equal patient is unchanged, in any order of its keys'({ repository }) {
      await saveOne(repository, patient('P', { label: 'one', disorders: [{ id: 'MIM:1', label: 'x' }] }), 1);
      const before = await changes(repository, 0);
      const { features, contact, id } = patient('P');
      const turned = { disorders: [{ label: 'x', id: 'MIM:1' }], label: 'one', features, contact, id };
      const again = await saveOne(repository, turned, 2);
      assert.equal(again.outcome, 'unchanged');
      assert.equal(again.stored.version, 1);
      same(again.stored.updated, at(1));
      same(await changes(repository, before.revision), { revision: before.revision, saved: [], removed: [] });
    },
  },
  'all in one transaction; returns the outcomes in the same order': {
    async 'many patients are saved in one call, each with its outcome'({ repository }) {
      same(await repository.savePatients([]), []);
      await saveOne(repository, patient('theirs'), 1, bob);
      await saveOne(repository, patient('same'), 1);
      await saveOne(repository, patient('old'), 1);
      const before = await changes(repository, 0);
      const fresh = Array.from({ length: 996 }, (_, i) => patient(`P${(i * 7) % 996}`));
      const changed = patient('old', { label: 'new' });
      const group = [changed, ...fresh, patient('theirs', { label: 'mine' }), patient('same'), patient('last')];
      const outcomes = await repository.savePatients(group.map((one) => save(one, 2)));
      const expected = ['updated', ...fresh.map(() => 'inserted'), 'foreign', 'unchanged', 'inserted'];
      same.each(outcomes, ({ outcome }) => outcome, expected);
      const stored = outcomes.flatMap((one) => (one.outcome === 'foreign' ? [] : [one.stored]));
      same.each(
        stored,
        ({ patient }) => patient,
        group.filter(({ id }) => id !== 'theirs'),
      );
      for (const one of stored) same(await repository.patientsByNumber([one.number]), [one]);
      const after = await changes(repository, before.revision);
      assert.equal(after.saved.length, 998, 'neither the foreign one nor the unchanged one');
      const all = (await repository.patients({ limit: 2000 })).map((one) => one.patient);
      same(await repository.counts(), counted(all));
      assert.equal(all.length, 1000);
      assert.equal(all.find(({ id }) => id === 'theirs')?.label, undefined);
    },
  },
  'a patient of another owner stays as it is, unless the writer may change all': {
    async 'only its owner, or a writer that may change all, changes a patient'({ repository }) {
      await saveOne(repository, patient('P'), 1);
      const foreign = [{ outcome: 'foreign' }];
      same(await repository.savePatients([save(patient('P', { label: 'mine' }), 2, bob)]), foreign);
      same(await repository.savePatients([save(patient('P'), 2, bob)]), foreign, 'even where nothing would change');
      await faults('forbidden', repository.removePatient('P', bob));
      assert.equal((await repository.patient('P'))?.patient.label, undefined);
      const { outcome, stored } = await saveOne(repository, patient('P', { label: 'theirs' }), 3, root);
      assert.deepEqual([outcome, stored.owner], ['updated', 'ada'], 'a patient keeps its owner');
      assert.equal((await repository.removePatient('P', root))?.patient.label, 'theirs');
    },
    async 'one of two owners that add the same id concurrently succeeds'({ repository }) {
      const outcomes = await Promise.all(
        [ada, bob, ada, bob].map((writer) => repository.savePatients([save(patient('P'), 1, writer)])),
      );
      const owner = (await repository.patient('P'))?.owner;
      assert.ok(owner === 'ada' || owner === 'bob');
      same(
        outcomes.flatMap((each) => each.map(({ outcome }) => outcome)).sort(),
        ['foreign', 'foreign', 'inserted', 'unchanged'],
        'the other owner is refused twice',
      );
    },
  },
  [removing]: {
    async 'a removed patient is absent, and its id can be added again with another number'({ repository }) {
      const { stored } = await saveOne(repository, patient('P'), 1);
      same(await repository.removePatient('P', ada), stored);
      assert.equal(await repository.patient('P'), undefined);
      assert.equal(await repository.removePatient('P', ada), undefined);
      const anew = await saveOne(repository, patient('P'), 2, bob);
      assert.equal(anew.outcome, 'inserted');
      assert.ok(anew.stored.number > stored.number);
      assert.deepEqual([anew.stored.version, anew.stored.owner], [1, 'bob']);
    },
  },
  'patients: by number, ascending': {
    async 'patients are listed by number, in pages, by owner and label'({ repository }) {
      for (const i of [3, 1, 2, 5, 4]) {
        await saveOne(repository, patient(`P${i}`, { label: `L${i % 2}` }), i, i === 2 ? bob : ada);
      }
      const ids = async (page: Parameters<MatchmakerRepository['patients']>[0]) =>
        (await repository.patients(page)).map((stored) => stored.patient.id);
      same(await ids({ limit: 10 }), ['P3', 'P1', 'P2', 'P5', 'P4']);
      same(await ids({ limit: 10, owner: 'ada' }), ['P3', 'P1', 'P5', 'P4']);
      same(await ids({ limit: 10, owner: 'ada', label: 'L1' }), ['P3', 'P1', 'P5']);
      same(await ids({ limit: 10, owner: 'ada', label: 'L0' }), ['P4']);
      for (const label of ['L_', 'l1', 'L1 ', '%']) same(await ids({ limit: 10, label }), []);
      same(await ids({ limit: 10, owner: 'nobody' }), []);
      const [, second] = await repository.patients({ limit: 2 });
      same(await ids({ limit: 2, after: second?.number ?? 0 }), ['P2', 'P5']);
    },
  },
  'patientsById and patientsByNumber take any number': {
    async 'any number of patients is found in one call'({ repository }) {
      await saveMany(repository, 700);
      // Those that there are come last.
      const ids = Array.from({ length: 40_000 }, (_, i) => `P${i}`).reverse();
      const found = await repository.patientsById(ids);
      assert.equal(found.length, 700);
      const numbers = [...ids.map((_, i) => i + 1_000_000), ...found.map(({ number }) => number)];
      assert.equal((await repository.patientsByNumber(numbers)).length, 700);
    },
  },
  'if the work throws, nothing is written': {
    async 'a transaction that fails saves no patient'({ storage, repository }) {
      await saveOne(repository, patient('P', { label: 'before' }), 1);
      const before = await changes(repository, 0);
      await undone(storage, async (scope) => {
        const inside = scope.repository(matchmaker);
        await saveOne(inside, patient('P', { label: 'after' }), 2);
        await saveOne(inside, patient('Q'), 2);
        await inside.removePatient('P', ada);
      });
      same(await changes(repository, 0), before);
      assert.equal((await repository.counts()).cases, 1);
    },
  },
  'concurrent saves of one id each see the state that another left': {
    async 'concurrent additions of one patient end with one patient'({ repository }) {
      const labels = ['a', 'b', 'c', 'd', 'e', 'f'];
      const outcomes = await Promise.all(labels.map((label) => saveOne(repository, patient('P', { label }), 1)));
      assert.equal(outcomes.filter(({ outcome }) => outcome === 'inserted').length, 1);
      assert.deepEqual(outcomes.map(({ stored }) => stored.version).sort(), [1, 2, 3, 4, 5, 6]);
      assert.equal((await repository.patient('P'))?.version, 6);
      assert.equal((await repository.counts()).cases, 1);
    },
    async 'concurrent lists with the same patients, in any order, neither deadlock nor lose one'({
      storage,
      repository,
    }) {
      const mine = (id: string) => (scope: StorageScope) =>
        saveOne(scope.repository(matchmaker), patient(id, { label: 'mine' }), 1);
      const theirs = ['Q', 'P'].map((id) => save(patient(id, { label: 'theirs' }), 2));
      const saved = await meet(storage, mine('P'), () => repository.savePatients(theirs), mine('Q'));
      same.each(saved, (one) => one.outcome !== 'foreign' && [one.outcome, one.stored.patient.id, one.stored.version], [
        ['updated', 'Q', 2],
        ['updated', 'P', 2],
      ]);
      assert.equal((await repository.counts()).cases, 2);
    },
  },
  'replaceContact replaces the contact of every patient with this contact address': {
    async 'a contact is replaced for all of its patients'({ repository }) {
      const other = { name: 'Other', href: 'https://other.example/' };
      await saveOne(repository, patient('P1'), 1);
      await saveOne(repository, patient('P2'), 1, bob);
      await saveOne(repository, patient('P3', { contact: other }), 1);
      same(await repository.contacts(), [
        { href: 'https://other.example/', patients: 1 },
        { href: 'mailto:who@example.org', patients: 2 },
      ]);
      const { revision } = await changes(repository, 0);
      const contact = { name: 'Dr. Strange', href: 'mailto:strange@example.org', institution: 'X' };
      assert.equal(await repository.replaceContact('mailto:who@example.org', contact, contact.href, at(2)), 2);
      assert.equal(await repository.replaceContact('mailto:who@example.org', contact, contact.href, at(2)), 0);
      const { saved } = await changes(repository, revision);
      same.each(
        saved,
        ({ patient: { id, contact }, version, owner, updated }) => ({
          id,
          contact,
          version,
          owner,
          updated,
        }),
        [
          { id: 'P1', contact, version: 2, owner: 'ada', updated: at(2) },
          { id: 'P2', contact, version: 2, owner: 'bob', updated: at(2) },
        ],
      );
      assert.equal((await repository.counts()).submitters, 2);
      assert.equal(await repository.replaceContact(contact.href, other, other.href, at(3)), 2);
      assert.equal((await repository.counts()).submitters, 1);
      same(await repository.counts(), await repository.recount());
    },
  },
  'replaceFacts leaves a patient that has another version by now, or was removed': {
    async 'the facts of a patient are replaced unless the patient has changed'({ repository }) {
      const { stored } = await saveOne(repository, patient('P'), 1);
      const { number } = stored;
      const { revision } = await changes(repository, 0);
      const understood = { ...facts(stored.patient), genes: ['GPX4', 'GPX4'] };
      const replaced = await repository.replaceFacts([
        { number, version: 1, facts: understood },
        { number: number + 5, version: 1, facts: understood },
      ]);
      assert.equal(replaced, 1);
      same((await repository.counts()).genes, { total: 2, unique: 1 });
      const after = await changes(repository, revision);
      same(after.saved, [stored]);
      await saveOne(repository, patient('P', { label: 'new' }), 2);
      assert.equal(await repository.replaceFacts([{ number, version: 1, facts: understood }]), 0);
      same((await repository.counts()).genes, { total: 0, unique: 0 });
    },
  },
  'held: no other transaction changes or removes it, and a later removal sees what this one writes': {
    async 'a held patient stays as it is until the end of the transaction'({ storage, repository }) {
      const { stored } = await saveOne(repository, patient('P'), 1);
      let isOver = false;
      const changes = [
        () => repository.replaceContact(stored.patient.contact.href, { name: 'x', href: 'x' }, 'x', at(2)),
        () => repository.removePatient('P', ada),
      ];
      const done = await meet(
        storage,
        async (scope) => {
          const inside = scope.repository(matchmaker);
          same([await inside.held(stored.number), await inside.held(stored.number + 1)], [stored, undefined]);
        },
        () => Promise.all(changes.map((change) => change().then(() => isOver))),
        async (scope) => {
          same(await scope.repository(matchmaker).patient('P'), stored);
          isOver = true;
        },
      );
      same(done, [true, true], 'they waited');
      same(await repository.patient('P'), undefined);
    },
  },
  [held]: {
    async 'a patient is changed in the transaction that holds it, while another caller wants to change it'({
      storage,
      repository,
    }) {
      const { stored } = await saveOne(repository, patient('P'), 1);
      await meet(
        storage,
        (scope) => scope.repository(matchmaker).held(stored.number),
        () => saveOne(repository, patient('P', { label: 'other' }), 2),
        async (scope) => {
          const mine = await saveOne(scope.repository(matchmaker), patient('P', { label: 'mine' }), 3);
          same(mine.stored.version, 2);
        },
      );
      const last = await repository.held(stored.number);
      assert.deepEqual([last?.version, last?.patient.label], [3, 'other']);
    },
  },
  'addClient throws conflict if the id exists': {
    async 'clients are added once, listed and removed'({ repository }) {
      const scout = { id: `scout${oddText}`, url: oddText, contact: oddText, created: at(1.234) };
      const plain = { id: 'plain', created: at(2) };
      await repository.addClient(scout);
      await repository.addClient(plain);
      await faults('conflict', repository.addClient({ ...plain, id: scout.id }));
      same(await repository.clients(), [plain, scout]);
      same(await repository.removeClient('scout'), false, 'compared as it is');
      same(await repository.removeClient(scout.id), true);
      same(await repository.removeClient(scout.id), false);
      same(await repository.clients(), [plain]);
    },
  },
});
