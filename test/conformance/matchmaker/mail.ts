/** The outbox. */
import assert from 'node:assert/strict';
import type { MailRepository, NewNotice, NewReportedMatch, Notice } from '../../../plugins/matchmaker/contract.js';
import { cases, faults, imitations, lookalikes, originals, same } from '../core.js';
import { at } from './build.js';

let made = 0;

/** A match with a new pair, unless one is given. */
function told(id: string, node = 'n', pair?: string): NewReportedMatch {
  made += 1;
  return {
    node: { id: node, label: 'N' },
    patient: { id, contact: { name: 'ä', href: 'mailto:a@b.se' } },
    score: 0.1234567890123456,
    genes: ['G'],
    terms: ['HP:0001250 Seizure'],
    pair: pair ?? `pair ${made}`,
  };
}

function notice(patient: string, matches: NewReportedMatch[], due = at(1), search = 's'): NewNotice {
  made += 1;
  return {
    id: `00000000-0000-4000-9000-${String(made).padStart(12, '0')}`,
    created: at(1.005),
    due,
    search,
    to: ['x@example.org'],
    patient: { id: patient },
    matches,
  };
}

/** The notice as `due` returns it. */
const kept = ({ matches, ...notice }: NewNotice, failures = 0): Notice => ({
  ...notice,
  failures,
  matches: matches.map(({ pair: _, ...match }) => match),
});

const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id);
const others = ({ matches }: Notice) => matches.map(({ node, patient }) => [node.id, patient.id]);

export const mailCases = cases<MailRepository>({
  'due: notices that are due, oldest first; sent removes them': {
    async 'a notice waits until it is due, and is removed when it was sent'({ repository }) {
      const [late, soon] = [notice('P', [told('A')], at(20)), notice('Q', [told('A')], at(10.007))];
      for (const one of [late, soon]) assert.equal(await repository.add([one]), true);
      same(await repository.due(at(5), 10), []);
      same(await repository.due(at(10.006), 10), []);
      same(await repository.due(at(10.007), 10), [kept(soon)]);
      same(ids(await repository.due(at(30), 10)), ids([soon, late]));
      same(ids(await repository.due(at(30), 1)), ids([soon]));
      same(await repository.waiting(), { waiting: 2, failing: 0 });
      await repository.failed([soon.id], 'away', at(40.003));
      same(await repository.waiting(), { waiting: 2, failing: 1 });
      same(ids(await repository.due(at(30), 10)), ids([late]));
      same(await repository.due(at(40.003), 10), [kept(late), { ...kept(soon, 1), due: at(40.003) }]);
      await repository.sent([soon.id, late.id]);
      same(await repository.waiting(), { waiting: 0, failing: 0 });
    },
  },
  'texts are compared as they are': {
    async 'patients, nodes, searches and ids that look alike are different ones'({ repository }) {
      const made = lookalikes.map((text) => ({
        ...notice(text, [told(`match ${text}`, text, `pair ${text}`)], at(10), text),
        id: text,
      }));
      assert.equal(await repository.add(made), true);
      const waiting = async () => new Map((await repository.due(at(90), 100)).map((one) => [one.id, one]));
      same([...(await waiting()).keys()].sort(), [...lookalikes].sort());
      for (const [i, text] of lookalikes.entries()) {
        await repository.release(text, at(5));
        same(ids(await repository.due(at(9), 100)), [text]);
        await repository.failed([text], text, at(60));
        same((await waiting()).get(text), { ...kept(made[i] as NewNotice, 1), due: at(60) });
        same(await repository.waiting(), { waiting: lookalikes.length - i, failing: 1 });
        // The pair stays known, also if the id is erased later; the ids do not.
        await repository.forget(text);
        await repository.erase(text);
        same((await waiting()).has(text), false);
        same((await waiting()).size, lookalikes.length - i - 1);
        assert.equal(await repository.add([notice(text, [told(`match ${text}`, text, `pair ${text}`)])]), false);
        assert.equal(
          await repository.add([{ ...notice(`new ${text}`, [told('m', text)], at(10), text), id: text }]),
          true,
        );
        await repository.sent([text]);
      }
      // As a match of others: one is forgotten, one erased, and one stays.
      const all = lookalikes.map((text) => notice(`submitter of ${text}`, [told(text, 'm', `match ${text}`)], at(10)));
      assert.equal(await repository.add(all), true);
      for (const [i, text] of lookalikes.entries()) {
        await (i % 2 === 0 ? repository.forget(text) : repository.erase(text));
        await repository.erase(text);
        same(ids(await repository.due(at(90), 100)), ids(all.slice(i + 1)));
        const again = [notice('anybody', [told(`new ${text}`, 'm', `match ${text}`)])];
        assert.equal(await repository.add(again), i % 2 === 1);
        await repository.sent(ids(again));
      }
    },
    async 'what looks like a patient, node, search or id of a notice is not it'({ repository }) {
      const made = originals.map((text) => ({ ...notice(text, [told(text, text)], at(10), text), id: text }));
      await repository.add(made);
      for (const text of imitations) {
        await repository.release(text, at(5));
        await repository.sent([text]);
        await repository.failed([text], 'away', at(60));
        for (const own of [true, false]) {
          await repository.forget(text, { own, nodes: originals });
          await repository.erase(text, { own, nodes: originals });
        }
        for (const original of originals) await repository.forget(original, { own: false, nodes: [text] });
        await repository.forget(text);
        await repository.erase(text);
        const expected = made.map((one) => kept(one));
        same(await repository.due(at(10), 10), expected);
      }
      // Their matches are known, and those of others are not.
      for (const text of originals) {
        assert.equal(await repository.add([notice(text, [told(text, text)])]), false);
        for (const other of imitations) assert.equal(await repository.add([notice(text, [told(text, other)])]), true);
      }
    },
  },
  'release: the notices of the search become due at the time, unless they are due earlier': {
    async 'the end of a search releases its notices'({ repository }) {
      const early = notice('P', [told('A')], at(10));
      const late = notice('Q', [told('A')], at(90));
      const other = notice('R', [told('A')], at(90), 'other');
      await repository.add([early, late, other]);
      await repository.release('s', at(20));
      await repository.release('none', at(20));
      same(ids(await repository.due(at(19), 10)), ids([early]));
      same(await repository.due(at(20), 10), [kept(early), { ...kept(late), due: at(20) }]);
      same(ids(await repository.due(at(90), 10)), ids([early, late, other]));
    },
  },
  'add: without matches that were reported before; a notice without any match left is not added': {
    async 'no submitter is notified twice of one match'({ repository }) {
      const first = notice('P', [told('A'), told('B')]);
      assert.equal(await repository.add([first]), true);
      await repository.sent([first.id]);
      assert.equal(await repository.add([notice('P', [told('B')])]), false, 'the same ids, with any pair');
      assert.equal(await repository.add([]), false);
      const second = notice('P', [told('A'), told('C'), told('A', 'other'), told('C')]);
      assert.equal(await repository.add([notice('P', [told('B')]), second]), true);
      const waiting = await repository.due(at(1), 10);
      same(ids(waiting), ids([second]));
      same(waiting.flatMap(others), [
        ['n', 'C'],
        ['other', 'A'],
      ]);
      assert.equal(await repository.add([notice('Q', [told('A')])]), true, 'another patient’s submitter');
    },
  },
  'add: a match was reported before if its pair is known; within a call the first notice reports it': {
    async 'a pair is reported once, under any ids'({ repository }) {
      const first = notice('P', [told('A', 'n', 'pair X')]);
      await repository.add([first]);
      await repository.sent([first.id]);
      assert.equal(await repository.add([notice('P', [told('A2', 'n', 'pair X')])]), false, 'its match has another id');
      assert.equal(await repository.add([notice('P2', [told('A', 'm', 'pair X')])]), false, 'both have other ids');
      assert.equal(await repository.add([notice('P', [told('A', 'n', 'pair Y')])]), false, 'the content has changed');
      assert.equal(await repository.add([notice('P3', [told('A3', 'n', 'pair Y')])]), false, 'and is known since');
      const both = [notice('Q', [told('B', 'n', 'pair Z')]), notice('B', [told('Q', 'n', 'pair Z'), told('C')])];
      assert.equal(await repository.add(both), true);
      same((await repository.due(at(1), 10)).map(others), [[['n', 'B']], [['n', 'C']]]);
      const many = Array.from({ length: 1200 }, (_, i) => told(`M${i}`, 'n', `pair M${i % 600}`));
      await repository.add([notice('R', many)]);
      same((await repository.due(at(1), 10))[2]?.matches.length, 600);
    },
  },
  'add: among concurrent calls only one reports a match': {
    async 'one of several concurrent searches reports a match'({ repository }) {
      const add = (round: number, matches: NewReportedMatch[]) => repository.add([notice(`R${round}`, matches)]);
      for (let round = 0; round < 5; round++) {
        const byIds = [1, 2, 3].map(() => add(round, [told('A'), told('B')]));
        same((await Promise.all(byIds)).sort(), [false, false, true]);
        // The same pairs under other ids, named in another order.
        const pairs = [`pair ${round} A`, `pair ${round} B`];
        const byPairs = [1, 2, 3].map((i) => {
          const all = pairs.map((pair) => told(`${i} of ${pair}`, 'n', pair));
          return add(round, i === 2 ? all.reverse() : all);
        });
        await Promise.all(byPairs);
        const waiting = (await repository.due(at(1), 100)).flatMap(({ matches }) => matches);
        same(waiting.length, 4 * (round + 1));
      }
    },
  },
  'forget deletes all notices about a patient; its pairs stay known': {
    async 'a patient is forgotten as the subject and as a match'({ repository }) {
      const [x, y] = ['pair of X', 'pair of Y'];
      const named = notice('P', [told('X', 'n', x), told('Y', 'n', y)]);
      const only = notice('Q', [told('X')]);
      const own = notice('X', [told('P', 'n', 'pair of own')]);
      await repository.add([named, only, own]);
      await repository.forget('X');
      const left = await repository.due(at(1), 10);
      same(left.map(others), [[['n', 'Y']]]);
      assert.equal(await repository.add([notice('P', [told('X2', 'n', x)])]), false, 'the pair is known');
      assert.equal(await repository.add([notice('X2', [told('P', 'n', 'pair of own')])]), false);
      assert.equal(await repository.add([notice('P', [told('X')])]), true, 'another patient with that id is new');
      assert.equal(await repository.add([notice('P', [told('Y')])]), false);
    },
  },
  'erase: as forget, and deletes its pairs too': {
    async 'a patient is erased with its pairs'({ repository }) {
      const [x, y] = ['pair of X', 'pair of Y'];
      const all = [
        notice('P', [told('X', 'n', x), told('Y', 'n', y)]),
        notice('X', [told('P', 'n', 'pair of own')]),
        notice('Q', [told('X', 'far', 'pair of far')]),
      ];
      await repository.add(all);
      await repository.erase('X', { own: true, nodes: ['n'] });
      same((await repository.due(at(1), 10)).map(others), [[['n', 'Y']], [['far', 'X']]]);
      assert.equal(await repository.add([notice('P', [told('X2', 'n', x)])]), true, 'nothing is known of it');
      assert.equal(await repository.add([notice('X2', [told('P', 'n', 'pair of own')])]), true);
      assert.equal(await repository.add([notice('P', [told('Y2', 'n', y)])]), false, 'another patient’s pair stays');
      assert.equal(await repository.add([notice('Q', [told('X3', 'far', 'pair of far')])]), false);
      await repository.erase('X');
      assert.equal(await repository.add([notice('Q', [told('X4', 'far', 'pair of far')])]), true);
    },
  },
  'erase: pairs of a patient that was forgotten before stay': {
    async 'the pairs of a patient that was forgotten stay when its id is erased'({ repository }) {
      await repository.add([notice('P', [told('A', 'n', 'first')]), notice('Q', [told('P', 'n', 'second')])]);
      await repository.forget('P');
      await repository.erase('P');
      await repository.erase('P', { own: true, nodes: ['n'] });
      assert.equal(await repository.add([notice('P', [told('A', 'n', 'first')])]), false);
      assert.equal(await repository.add([notice('Q', [told('P', 'n', 'second')])]), false);
      same(await repository.waiting(), { waiting: 0, failing: 0 });
    },
  },
  'forget: only of the selected patient with this id': {
    async 'one of two patients with the same id is forgotten'({ repository }) {
      const fill = async () => {
        await repository.erase('X');
        await repository.erase('P');
        const all = [notice('P', [told('X', 'here'), told('X', 'there')]), notice('X', [told('P', 'there')])];
        for (const one of all) assert.equal(await repository.add([one]), true);
        return ids(all);
      };
      const left = async () =>
        (await repository.due(at(1), 10)).map(({ id, matches }) => [id, ...matches.map(({ node }) => node.id)]);
      const [first] = await fill();
      await repository.forget('X', { own: true, nodes: ['here'] });
      same(await left(), [[first, 'there']]);
      assert.equal(await repository.add([notice('P', [told('X', 'there')])]), false);
      assert.equal(await repository.add([notice('P', [told('X', 'here')])]), true, 'it is new again');
      const [second, own] = await fill();
      await repository.forget('X', { own: false, nodes: ['there'] });
      same(await left(), [
        [second, 'here'],
        [own, 'there'],
      ]);
      assert.equal(await repository.add([notice('X', [told('P', 'there')])]), false);
      assert.equal(await repository.add([notice('P', [told('X', 'there')])]), true, 'it is new again');
    },
  },
  'forget: deletes its part of notices that name it as a match; also if others of them are forgotten meanwhile': {
    async 'several patients in one notice are forgotten at once'({ repository }) {
      for (let round = 0; round < 5; round++) {
        const named = ['A', 'B', 'C'].map((id) => `${id}${round}`);
        await repository.add([notice(`P${round}`, [...named.map((id) => told(id)), told('stays')])]);
        await Promise.all(named.map((id) => repository.forget(id)));
        same(
          (await repository.due(at(1), 100)).at(-1)?.matches.map(({ patient }) => patient.id),
          ['stays'],
        );
      }
    },
  },
  'forget: deletes every trace of an id; also if its matches are forgotten meanwhile': {
    async 'patients that were reported to each other are forgotten at once'({ repository }) {
      for (let round = 0; round < 8; round++) {
        const [x, y] = [`X${round}`, `Y${round}`];
        // Ids and pairs in another order for either of the two.
        const all = [1, 2, 3, 4].flatMap((i) => [
          notice(x, [told(y, `n${i}`, `${i} ${round} from x`)]),
          notice(y, [told(x, `n${i}`, `${i} ${round} from y`)]),
        ]);
        await repository.add(all);
        await Promise.all([repository.forget(x), repository.forget(y)]);
        same(await repository.waiting(), { waiting: 0, failing: 0 });
        assert.equal(await repository.add([notice('Z', [told('Z2', 'n', `1 ${round} from x`)])]), false);
      }
    },
  },
  'add: throws conflict if a notice with the id waits, and then reports nothing': {
    async 'a notice with an id that is taken is refused, and nothing of it is known'({ repository }) {
      const first = notice('P', [told('A')]);
      await repository.add([first]);
      const twin = { ...notice('Q', [told('B', 'n', 'pair of twin')]), id: first.id };
      await faults('conflict', repository.add([twin]));
      same(await repository.due(at(1), 10), [kept(first)]);
      assert.equal(await repository.add([notice('Q', [told('B', 'n', 'pair of twin')])]), true);
    },
  },
});
