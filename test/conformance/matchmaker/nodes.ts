/** Nodes, and the queries they were sent. */
import assert from 'node:assert/strict';
import type { NodeRepository, PeerNode } from '../../../plugins/matchmaker/contract.js';
import { cases, faults, giveUp, givingUp, oddText, same } from '../core.js';
import { at } from './build.js';

function node(id: string, more: Partial<PeerNode> = {}): PeerNode {
  return {
    id,
    label: `Node ${id}`,
    url: `https://${id}.example.org/match`,
    contentType: 'application/json',
    token: { sealed: 'abc' },
    enabled: true,
    created: at(1),
    ...more,
  };
}

export const nodeCases = cases<NodeRepository>({
  [givingUp]: {
    async 'aborted reads of nodes throw the reason'({ repository }) {
      for (const id of ['a', 'b']) await repository.add(node(id));
      await giveUp((signal) => repository.nodes({ signal }));
    },
  },
  'nodes: all nodes, by id': {
    async 'a node is returned as it was added, with its state'({ repository }) {
      const [one, other] = [
        node(`b${oddText}`, { label: oddText, url: oddText, contact: oddText, quirks: ['seqr', oddText] }),
        node('a', { token: { file: oddText }, contentType: oddText, enabled: false, created: at(1.234) }),
      ];
      await repository.add(one);
      await repository.add(other);
      await faults('conflict', repository.add(node('a')));
      const state = { failures: 0, owed: 0 };
      same(await repository.nodes(), [
        { ...other, state },
        { ...one, state },
      ]);
      assert.equal(await repository.connected(), true);
      assert.equal(await repository.replace({ ...one, enabled: false, label: 'New' }), true);
      assert.equal(await repository.connected(), false);
      assert.equal((await repository.nodes())[1]?.label, 'New');
      same((await repository.nodes())[1]?.quirks, ['seqr', oddText]);
      await repository.replace(node(one.id, { created: at(5), quirks: [] }));
      const [, replaced] = await repository.nodes();
      same([replaced?.quirks, replaced?.contact, replaced?.created], [undefined, undefined, at(1)]);
      assert.equal(await repository.replace(node('c')), false);
      assert.equal(await repository.remove('b'), false);
      assert.equal(await repository.remove(one.id), true);
      same.each(await repository.nodes(), ({ id }) => id, ['a']);
    },
  },
  'noteSuccess and noteFailure record the last success, the last failure and the failures since': {
    async 'the state of a node shows its last success and its last failure'({ repository }) {
      await repository.add(node(oddText));
      await repository.noteFailure(oddText, { reason: oddText, at: at(1.234), failures: 1, retryAt: at(9.876) });
      same((await repository.nodes())[0]?.state, {
        lastFailure: at(1.234),
        failure: oddText,
        failures: 1,
        retryAt: at(9.876),
        owed: 0,
      });
      await repository.noteFailure(oddText, { reason: 'still gone', at: at(3), failures: 2 });
      await repository.replace(node(oddText));
      same((await repository.nodes())[0]?.state, {
        lastFailure: at(3),
        failure: 'still gone',
        failures: 2,
        owed: 0,
      });
      await repository.noteFailure(oddText, { reason: 'still gone', at: at(3), failures: 3, retryAt: at(9) });
      await repository.noteSuccess(oddText, at(4.567));
      await repository.replace(node(oddText, { label: 'New', enabled: false }));
      same((await repository.nodes())[0]?.state, {
        lastSuccess: at(4.567),
        lastFailure: at(3),
        failure: 'still gone',
        failures: 0,
        owed: 0,
      });
    },
  },
  'answered is true for one caller; an owed query stays until it is answered': {
    async 'only the first answer to a version counts'({ repository }) {
      await repository.add(node('a'));
      assert.equal(await repository.answered('a', { number: 1, version: 2 }), true);
      assert.equal(await repository.answered('a', { number: 1, version: 2 }), false);
      assert.equal(await repository.answered('a', { number: 1, version: 1 }), false, 'an older version');
      assert.equal(await repository.answered('a', { number: 2, version: 1 }), true);
      const both = await Promise.all([3, 3].map((version) => repository.answered('a', { number: 1, version })));
      same(both.sort(), [false, true]);
      await repository.forget(1);
      assert.equal(await repository.answered('a', { number: 1, version: 1 }), true);
      assert.equal(await repository.answered('a', { number: 2, version: 1 }), false);
    },
    async 'an owed query stays until it is answered, settled or forgotten'({ repository, storage }) {
      const before = await storage.rowCounts?.();
      await repository.add(node('a'));
      await repository.add(node('b'));
      for (const number of [3, 1, 2]) await repository.owe(['a'], { number, version: 1 });
      await repository.owe(['b', 'a'], { number: 1, version: 1 });
      await repository.owe([], { number: 1, version: 1 });
      const owed = (number: number, version = 1) => ({ number, version });
      same(await repository.owed('a', 10, at(1)), [owed(2), owed(3), owed(1)]);
      same(await repository.owed('a', 2, at(1)), [owed(2), owed(3)]);
      const atOnce = { failures: 0, due: new Date(0) };
      same.each(await repository.nodes(), ({ state }) => state, [
        { ...atOnce, owed: 3 },
        { ...atOnce, owed: 1 },
      ]);
      await repository.owe(['a'], owed(3, 2));
      await repository.settle('a', owed(3, 1));
      assert.equal(await repository.answered('a', owed(2)), true);
      same(await repository.owed('a', 10, at(1)), [owed(1), owed(3, 2)]);
      assert.equal(await repository.answered('a', owed(3, 1)), true);
      await repository.owe(['a'], owed(2));
      same(await repository.owed('a', 10, at(1)), [owed(3, 2), owed(1)], 'an older answer settles nothing');
      await repository.settle('a', owed(3, 2));
      await repository.settle('a', owed(1));
      same(await repository.owed('b', 10, at(1)), [owed(1)]);
      await repository.forget(1);
      same(await repository.owed('a', 10, at(1)), []);
      same(await repository.owed('b', 10, at(1)), []);
      await repository.owe(['a'], owed(9));
      await repository.remove('a');
      same(await repository.owed('a', 10, at(1)), []);
      await repository.remove('b');
      same(await storage.rowCounts?.(), before, 'no row is left');
    },
  },
  'owe: unless this version or a later one was answered': {
    async 'a query that is answered while it is noted as owed is owed no more'({ repository }) {
      await repository.add(node('a'));
      const all = Array.from({ length: 24 }, (_, i) => ({ number: i + 1, version: 2 }));
      for (const { number } of all) await repository.owe(['a'], { number, version: 1 });
      await Promise.all(
        all.map(async (question) => {
          const both = [() => repository.owe(['a'], question), () => repository.answered('a', question)];
          await Promise.all((question.number % 2 === 0 ? both : both.reverse()).map((verb) => verb()));
        }),
      );
      same(await repository.owed('a', 100, at(1)), []);
      same((await repository.nodes())[0]?.state, { failures: 0, owed: 0 });
      for (const question of all) assert.equal(await repository.answered('a', question), false);
    },
  },
  'owed: those that were owed least often first': {
    async 'concurrent notes of one query each count as a try'({ repository }) {
      await repository.add(node('a'));
      const note = (number: number, times: number) =>
        Promise.all(Array.from({ length: times }, () => repository.owe(['a'], { number, version: 1 })));
      await Promise.all([note(1, 4), note(2, 2), note(3, 3)]);
      for (const number of [5, 3, 1]) await repository.answered('a', { number, version: 1 });
      for (const number of [5, 4, 3, 3, 3, 1]) await repository.owe(['a'], { number, version: 2 });
      await repository.answered('a', { number: 3, version: 1 });
      same.each(await repository.owed('a', 10, at(1)), ({ number }) => number, [1, 4, 5, 2, 3]);
    },
  },
  'owe: is to be repeated by each of the nodes; concurrent calls neither fail nor lose one': {
    async 'an older version is not owed again, and nodes in any order do not wait for each other'({ repository }) {
      const ids = ['a', 'b', 'c', 'd'];
      for (const id of ids) await repository.add(node(id));
      await repository.owe(ids, { number: 1, version: 3 });
      await repository.owe(ids, { number: 1, version: 2 });
      same(await repository.owed('c', 10, at(1)), [{ number: 1, version: 3 }]);
      const calls = Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? ids : ids.toReversed()));
      await Promise.all(calls.map((each) => repository.owe(each, { number: 1, version: 4 })));
      for (const id of ids) same(await repository.owed(id, 10, at(1)), [{ number: 1, version: 4 }]);
    },
  },
  'owe: not before `from`, if it is given; a later note replaces that time': {
    async 'an owed query is not repeated before its time'({ repository }) {
      await repository.add(node('a'));
      await repository.add(node('b'));
      const owed = (number: number, version = 1) => ({ number, version });
      await repository.owe(['a', 'b'], owed(1), at(5.678));
      await repository.owe(['a'], owed(2), at(7));
      await repository.answered('b', owed(2));
      same(await repository.owed('a', 10, at(5.677)), []);
      same(await repository.owed('a', 10, at(5.678)), [owed(1)]);
      same(await repository.owed('a', 10, at(7)), [owed(1), owed(2)]);
      const states = async () => (await repository.nodes()).map(({ state: { owed, due } }) => ({ owed, due }));
      same(await states(), [
        { owed: 2, due: at(5.678) },
        { owed: 1, due: at(5.678) },
      ]);
      assert.equal(await repository.answered('a', owed(1)), true);
      same((await states())[0], { owed: 1, due: at(7) });
      // What was owed until later is owed at once, and the other way round.
      await repository.owe(['a'], owed(2));
      same(await repository.owed('a', 10, at(1)), [owed(2)]);
      await repository.owe(['a'], owed(2), at(9));
      same(await repository.owed('a', 10, at(8)), []);
      await repository.owe(['a'], owed(1), at(2));
      same((await states())[0], { owed: 1, due: at(9) }, 'what was answered is not owed');
      await repository.settle('a', owed(2));
      same(await states(), [
        { owed: 0, due: undefined },
        { owed: 1, due: at(5.678) },
      ]);
      assert.equal(await repository.answered('b', owed(1)), true);
    },
  },
});
