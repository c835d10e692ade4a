/** The outbox. */
import assert from 'node:assert/strict';
import { type Case, same } from '../../../core/conformance.js';
import type { MailRepository, NewNotice, ToldMatch } from '../contract.js';
import { at } from './build.js';

let made = 0;

function told(id: string, node = 'n'): ToldMatch {
  return {
    node: { id: node, label: 'N' },
    patient: { id, contact: { name: 'ä', href: 'mailto:a@b.se' } },
    genes: ['G'],
  };
}

function notice(patient: string, others: readonly ToldMatch[], due = at(1)): NewNotice {
  made += 1;
  return {
    id: `00000000-0000-4000-9000-${String(made).padStart(12, '0')}`,
    created: at(1),
    due,
    to: ['x@example.org'],
    patient: { id: patient },
    matches: [...others],
  };
}

const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id);

export const mailCases: readonly Case<MailRepository>[] = [
  {
    name: 'a notice waits until it is due and sent',
    promise: 'due: those that are due, oldest first; sent takes them out',
    async run({ repository }) {
      const [late, soon] = [notice('P', [told('A')], at(20)), notice('Q', [told('A')], at(10))];
      for (const one of [late, soon]) assert.equal(await repository.add(one), true);
      same(await repository.due(at(5), 10), []);
      same(await repository.due(at(10), 10), [{ ...soon, failures: 0 }]);
      same(ids(await repository.due(at(30), 10)), ids([soon, late]));
      same(ids(await repository.due(at(30), 1)), ids([soon]));
      same(await repository.waiting(), { waiting: 2, failing: 0 });
      await repository.failed([soon.id], 'away', at(40));
      same(await repository.waiting(), { waiting: 2, failing: 1 });
      same(ids(await repository.due(at(30), 10)), ids([late]));
      assert.equal((await repository.due(at(40), 10))[1]?.failures, 1);
      await repository.sent([soon.id, late.id]);
      same(await repository.waiting(), { waiting: 0, failing: 0 });
    },
  },
  {
    name: 'nobody is told twice of one match',
    promise: 'add: less the matches that the submitter was told of before; false where none is left',
    async run({ repository }) {
      const first = notice('P', [told('A'), told('B')]);
      assert.equal(await repository.add(first), true);
      await repository.sent([first.id]);
      assert.equal(await repository.add(notice('P', [told('B')])), false);
      const second = notice('P', [told('A'), told('C'), told('A', 'other'), told('C')]);
      assert.equal(await repository.add(second), true);
      const [left] = await repository.due(at(1), 10);
      same(
        left?.matches.map(({ node, patient }) => [node.id, patient.id]),
        [
          ['n', 'C'],
          ['other', 'A'],
        ],
      );
      assert.equal(await repository.add(notice('Q', [told('A')])), true, 'another patient’s submitter');
      const both = await Promise.all([1, 2].map(() => repository.add(notice('R', [told('A'), told('B')]))));
      same(both.sort(), [false, true]);
    },
  },
  {
    name: 'a patient is forgotten on either side',
    promise: 'forget deletes what there is about a patient',
    async run({ repository }) {
      const named = notice('P', [told('X'), told('Y')]);
      const only = notice('Q', [told('X')]);
      const own = notice('X', [told('P')]);
      for (const one of [named, only, own]) await repository.add(one);
      await repository.forget('X');
      const left = await repository.due(at(1), 10);
      same(ids(left), ids([named]));
      same(
        left[0]?.matches.map(({ patient }) => patient.id),
        ['Y'],
      );
      assert.equal(await repository.add(notice('P', [told('X')])), true, 'it is new again');
      assert.equal(await repository.add(notice('P', [told('Y')])), false);
    },
  },
  {
    name: 'of two patients with one id, one is forgotten',
    promise: 'forget: only of one patient of this id, where named',
    async run({ repository }) {
      const fill = async () => {
        await repository.forget('X');
        await repository.forget('P');
        const all = [notice('P', [told('X', 'here'), told('X', 'there')]), notice('X', [told('P', 'there')])];
        for (const one of all) assert.equal(await repository.add(one), true);
        return ids(all);
      };
      const left = async () =>
        (await repository.due(at(1), 10)).map(({ id, matches }) => [id, ...matches.map(({ node }) => node.id)]);
      const [first] = await fill();
      await repository.forget('X', { own: true, nodes: ['here'] });
      same(await left(), [[first, 'there']]);
      assert.equal(await repository.add(notice('P', [told('X', 'there')])), false);
      assert.equal(await repository.add(notice('P', [told('X', 'here')])), true, 'it is new again');
      const [second, own] = await fill();
      await repository.forget('X', { own: false, nodes: ['there'] });
      same(await left(), [
        [second, 'here'],
        [own, 'there'],
      ]);
      assert.equal(await repository.add(notice('X', [told('P', 'there')])), false);
      assert.equal(await repository.add(notice('P', [told('X', 'there')])), true, 'it is new again');
    },
  },
];
