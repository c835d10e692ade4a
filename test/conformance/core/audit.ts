/** What audit@1 promises (core/audit/contract.ts). */
import assert from 'node:assert/strict';
import {
  type AuditChain,
  type AuditCursor,
  type AuditRepository,
  type AuditSelection,
  audit,
  type ChainedEntry,
  type PendingEvent,
  type Person,
  type SealedLink,
} from '../../../core/audit/contract.js';
import type { StorageScope } from '../../../core/storage.js';
import { type Case, cases } from './case.js';
import { faults, imitations, lookalikes, meet, onlyOne, originals, reopening, same, undone } from './expect.js';
import { property, type Random } from './random.js';

const start = Date.UTC(2026, 2, 1);

function link(sequence: number, hash = `hash of ${sequence}`): SealedLink {
  return { sequence, hash, seal: `seal of ${sequence}` };
}

function chain(id: string, fields: Partial<AuditChain> = {}): AuditChain {
  return { id, started: new Date(start), base: link(0, id), head: link(0, id), ...fields };
}

function entry(id: string, sequence: number, fields: Partial<ChainedEntry> = {}): ChainedEntry {
  return {
    chain: id,
    sequence,
    at: new Date(start + sequence),
    actor: 'actor',
    about: [],
    body: `{"n":${sequence}}`,
    hash: `hash of ${sequence}`,
    ...fields,
  };
}

/** `indexed` comes in no order. */
async function links(repository: AuditRepository, ...asked: Parameters<AuditRepository['links']>) {
  const found = await repository.links(...asked);
  return found.map(({ indexed, ...one }) => {
    same(indexed.toSorted(), one.about.toSorted(), 'an entry is found by what it is about');
    return one;
  });
}

function person(name: string, fields: Partial<Person> = {}): Person {
  return { lookup: `lookup of ${name}`, pseudonym: `pseudonym of ${name}`, sealed: `${name}, sealed`, ...fields };
}

function waiting(id: string): PendingEvent {
  return { id, sealed: `sealed ${id}` };
}

async function begun(repository: AuditRepository, id: string, entries: readonly ChainedEntry[] = []): Promise<void> {
  await repository.begin(chain(id), id);
  if (entries.length > 0) await repository.append(id, 0, entries, link(entries.length));
}

/** The definition of a selection. */
function naive(all: readonly ChainedEntry[], selection: AuditSelection): ChainedEntry[] {
  const { about, actors, from, before, after, limit } = selection;
  const key = ({ at, chain: id, sequence }: AuditCursor) =>
    [String(at.getTime()).padStart(16, '0'), id, String(sequence).padStart(16, '0')].join(' ');
  return all
    .filter((one) => about === undefined || one.about.some((subject) => about.includes(subject)))
    .filter((one) => actors === undefined || actors.includes(one.actor))
    .filter((one) => (from === undefined || one.at >= from) && (before === undefined || one.at < before))
    .filter((one) => after === undefined || key(one) > key(after))
    .sort((one, other) => (key(one) < key(other) ? -1 : 1))
    .slice(0, limit);
}

interface Tried {
  entries: ChainedEntry[];
  selections: Omit<AuditSelection, 'after'>[];
}

function randomTrial(random: Random): Tried[] {
  const subjects = ['a', 'b', 'c', 'dataset:x'];
  const actors = ['lab', 'anonymous', 'Åse'];
  // Few different times, so that many entries have the same.
  const time = () => new Date(start + random.int(0, 4));
  const entries = ['one', 'two'].flatMap((id) =>
    Array.from({ length: random.int(0, 8) }, (_, i) =>
      entry(id, i + 1, { at: time(), actor: random.pick(actors), about: random.some(subjects) }),
    ),
  );
  const selections = random.list(1, 6, () => ({
    about: random.chance(0.6) ? random.some(subjects) : undefined,
    actors: random.chance(0.4) ? random.some(actors) : undefined,
    from: random.chance(0.4) ? time() : undefined,
    before: random.chance(0.4) ? time() : undefined,
    limit: random.int(1, 5),
  }));
  return [{ entries, selections }];
}

export const auditCases: readonly Case<AuditRepository>[] = [
  ...cases<AuditRepository>({
    'links: returns the entries of a chain after that number, in order; body: returned as it was stored': {
      async 'an entry comes back as it was appended'({ repository }) {
        const first = entry('one', 1, {
          at: new Date('2026-03-29T01:30:00.007Z'),
          actor: 'Åse 🧬',
          about: ['zebra', 'dataset:cardio', 'Zoe\u0308'],
          body: ' {"b": 1,\t"a" :"\\u0000 \\ud83e Ω", "b":2} ',
          hash: 'ffee',
        });
        await begun(repository, 'one', [first, entry('one', 2), entry('one', 3)]);
        same(await links(repository, 'one', 0, 1), [first]);
        same(await links(repository, 'one', 1, 10), [entry('one', 2), entry('one', 3)]);
        same(await links(repository, 'one', 3, 10), []);
        same(await links(repository, 'other', 0, 10), []);
        same(await repository.entries({ about: ['Zoe\u0308'], limit: 10 }), [first]);
      },
    },
    'chains: returns all chains, in the order in which they started; latest: the one that started last': {
      async 'chains are listed in the order of their start'({ repository }) {
        await repository.claim('mine');
        same(await repository.latest(), { chain: undefined, register: undefined });
        const second = chain('alpha', { number: 2, previous: { chain: 'omega', sequence: 12, hash: 'h' } });
        await repository.begin(chain('omega'), 'first');
        same(await repository.latest(), { chain: chain('omega'), register: 'first' });
        await repository.begin(second, 'second');
        same(await repository.chains(), [chain('omega'), second]);
        same(await repository.latest(), { chain: second, register: 'second' });
        await faults('conflict', repository.begin(chain('omega', { started: new Date(start + 1) }), 'third'));
        await faults('conflict', repository.begin(chain('another', { number: 2 }), 'third'));
        same(await repository.chains(), [chain('omega'), second]);
        same(await repository.latest(), { chain: second, register: 'second' });
        same(await repository.claim('other'), 'mine');
      },
    },
    'begin: throws a conflict fault if its id or its number exists': {
      async 'of chains that take one number, one begins'({ repository }) {
        await repository.claim('mine');
        const ids = ['a', 'b', 'c', 'd'];
        const begun = ids.map((id) => repository.begin(chain(id, { number: 7 }), id));
        const register = ids[onlyOne('conflict', await Promise.allSettled(begun))] as string;
        same(await repository.latest(), { chain: chain(register, { number: 7 }), register });
      },
    },
    'append: adds entries at the end of a chain and moves its head, all or nothing': {
      async 'entries are added at the end of their chain and nowhere else'({ repository }) {
        await begun(repository, 'one', [entry('one', 1)]);
        await begun(repository, 'two');
        for (const after of [0, 2]) {
          await faults('conflict', repository.append('one', after, [entry('one', after + 1)], link(after + 1)));
        }
        await faults('conflict', repository.append('absent', 0, [entry('absent', 1)], link(1)));
        same(await links(repository, 'one', 0, 10), [entry('one', 1)]);
        same((await repository.chains())[0], chain('one', { head: link(1) }));
        await repository.append('one', 1, [entry('one', 2), entry('one', 3)], link(3));
        same.each(await repository.chains(), ({ head }) => head, [link(3), link(0, 'two')]);
      },
    },
    'append: throws a conflict fault if the chain does not end after the entry of that number': {
      async 'of appends that meet at one place, one is done'({ repository, storage }) {
        await begun(repository, 'one');
        const actors = ['a', 'b', 'c', 'd'];
        const appended = actors.map((actor) =>
          repository.append('one', 0, [entry('one', 1, { actor })], link(1, actor)),
        );
        const actor = actors[onlyOne('conflict', await Promise.allSettled(appended))];
        same(await links(repository, 'one', 0, 10), [entry('one', 1, { actor })]);
        same((await repository.latest()).chain?.head, link(1, actor));
        // Also if nothing is left of the entries that the other has appended.
        const late = meet(
          storage,
          async (scope) => {
            await scope.repository(audit).append('one', 1, [entry('one', 2)], link(2));
            await scope.repository(audit).expire('one', link(2));
          },
          () => repository.append('one', 1, [entry('one', 2)], link(2, 'late')),
        );
        await faults('conflict', late);
        same((await repository.latest()).chain, chain('one', { base: link(2), head: link(2) }));
      },
    },
    'append: deletes the pending events of these ids, all or nothing; pending: in the order of submission': {
      async 'pending events wait in their order until an append settles them'({ repository }) {
        const [a, b, c] = [waiting('b'), waiting('c'), waiting('a')];
        await repository.submit([a, b]);
        await repository.submit([]);
        await repository.submit([c]);
        same(await repository.pending(10), [a, b, c]);
        same(await repository.pending(2), [a, b]);
        await begun(repository, 'one');
        await repository.append('one', 0, [entry('one', 1), entry('one', 2)], link(2), [c.id, a.id]);
        same(await repository.pending(10), [b]);
        same((await links(repository, 'one', 0, 10)).length, 2);
        await faults('not-found', repository.append('one', 2, [entry('one', 3)], link(3), [b.id, a.id]));
        await faults('conflict', repository.append('one', 0, [entry('one', 1)], link(1), [b.id]));
        same(await repository.pending(10), [b]);
        same((await links(repository, 'one', 0, 10)).length, 2);
        same((await repository.latest()).chain?.head, link(2));
      },
    },
    'append: throws a not-found fault if one of the events is not pending': {
      async 'of appends that settle one event, one is done'({ repository }) {
        const chains = ['one', 'two', 'three'];
        for (const id of chains) await repository.begin(chain(id), id);
        await repository.submit([waiting('event')]);
        const settled = chains.map((id) => repository.append(id, 0, [entry(id, 1)], link(1), ['event']));
        const id = chains[onlyOne('not-found', await Promise.allSettled(settled))] as string;
        same(await repository.entries({ limit: 10 }), [entry(id, 1)]);
      },
    },
    'submit: inside a transaction they exist only if the rest does': {
      async 'an event is pending only if its transaction commits'({ repository, storage }) {
        await undone(storage, (scope) => scope.repository(audit).submit([waiting('undone')]));
        await storage.transaction((scope) => scope.repository(audit).submit([waiting('done')]));
        same(await repository.pending(10), [waiting('done')]);
      },
    },
    'entries: returns the entries selected, ordered by time, then chain and number': {
      async 'entries are selected by people, callers and time'({ repository }) {
        const shared = entry('one', 2, { about: ['a', 'b'], actor: 'lab' });
        await begun(repository, 'one', [entry('one', 1, { about: ['a'] }), shared, entry('one', 3, { about: ['c'] })]);
        const found = async (selection: Omit<AuditSelection, 'limit'>) => {
          return (await repository.entries({ limit: 10, ...selection })).map(({ sequence }) => sequence);
        };
        same(await found({}), [1, 2, 3]);
        same(await found({ about: ['a', 'b', 'a'] }), [1, 2], 'an entry about several is found once');
        same(await found({ about: [] }), []);
        same(await found({ actors: [] }), []);
        same(await found({ actors: ['lab'] }), [2]);
        same(await found({ about: ['a'], actors: ['actor'] }), [1]);
        same(await found({ from: new Date(start + 2) }), [2, 3]);
        same(await found({ before: new Date(start + 2) }), [1]);
        same(await found({ after: shared }), [3]);
        same(await found({ after: shared, from: new Date(start + 4) }), []);
        same(await found({ after: entry('one', 1), from: new Date(start + 3) }), [3]);
        for (const about of [undefined, ['a', 'b', 'c']]) {
          for (const limit of [0, 1, 2]) {
            const page = await repository.entries({ about, limit });
            same.each(page, ({ sequence }) => sequence, [1, 2].slice(0, limit), `${limit} at most`);
          }
        }
      },
      async 'random selections, page by page'(context) {
        await property(context, {
          runs: 12,
          generate: randomTrial,
          async check(trials) {
            const repository = (await context.open([audit])).repository(audit);
            for (const { entries, selections } of trials) {
              const of = (id: string) => entries.filter((one) => one.chain === id);
              for (const id of ['one', 'two']) await begun(repository, id, of(id));
              for (const selection of selections) {
                const expected = naive(entries, { ...selection, limit: 100 });
                const found: ChainedEntry[] = [];
                for (let after: AuditCursor | undefined; ; ) {
                  const page = await repository.entries({ ...selection, after });
                  same(page, naive(entries, { ...selection, after }), 'one page');
                  found.push(...page);
                  after = page.at(-1);
                  if (after === undefined || page.length < selection.limit) break;
                }
                same(found, expected, JSON.stringify(selection));
              }
            }
          },
        });
      },
    },
    'texts are compared as they are': {
      async 'chains, callers, people and events that look alike are different ones'({ repository }) {
        const entriesOf = (text: string) => [
          entry(text, 1, { actor: text, about: [text], body: text, hash: text }),
          entry(text, 2, { about: [`all of ${text}`] }),
        ];
        const started = lookalikes.map((id, i) => chain(id, { started: new Date(start + i), head: link(2, id) }));
        for (const [i, text] of lookalikes.entries()) {
          await repository.begin({ ...(started[i] as AuditChain), head: link(0, text) }, text);
          await repository.append(text, 0, entriesOf(text), link(2, text));
          await repository.submit([waiting(text)]);
          await repository.enrol([person(text, { lookup: text, pseudonym: text, sealed: text })]);
        }
        same(await repository.chains(), started);
        same(await repository.pending(99), lookalikes.map(waiting));
        for (const text of lookalikes) {
          same(await links(repository, text, 0, 9), entriesOf(text));
          same(await repository.entries({ about: [text], limit: 99 }), entriesOf(text).slice(0, 1));
          same(await repository.entries({ actors: [text], limit: 99 }), entriesOf(text).slice(0, 1));
          const known = person(text, { lookup: text, pseudonym: text, sealed: text });
          same([await repository.people([text]), await repository.named([text])], [[known], [known]]);
          await repository.append(text, 2, [entry(text, 3)], link(3, text), [text]);
          same(await repository.expire(text, link(1, text)), 1);
          same(await links(repository, text, 0, 9), [...entriesOf(text).slice(1), entry(text, 3)]);
          same(await repository.forget(text), true);
        }
        const ended = started.map((one) => ({ ...one, base: link(1, one.id), head: link(3, one.id) }));
        same(await repository.chains(), ended);
        same(await repository.pending(99), []);
        same((await repository.entries({ limit: 99 })).length, 2 * lookalikes.length);
      },
      async 'what looks like a chain, a caller, a person or an event is not it'({ repository }) {
        for (const text of originals) {
          await begun(repository, text, [entry(text, 1, { actor: text, about: [text] })]);
          await repository.submit([waiting(text)]);
          await repository.enrol([person(text, { lookup: text, pseudonym: text })]);
        }
        const before = await repository.entries({ limit: 9 });
        for (const text of imitations) {
          same(await repository.links(text, 0, 9), []);
          same(await repository.entries({ about: [text], limit: 9 }), []);
          same(await repository.entries({ actors: [text], limit: 9 }), []);
          same(await repository.expire(text, link(1, text)), 0);
          same([await repository.people([text]), await repository.named([text])], [[], []]);
          same(await repository.forget(text), false);
          await faults('conflict', repository.append(text, 1, [entry(text, 2)], link(2, text)));
          const settling = repository.append('a', 1, [entry('a', 2)], link(2), [text]);
          await faults('not-found', settling);
        }
        same(await repository.entries({ limit: 9 }), before);
        same(await repository.pending(9), originals.map(waiting));
      },
    },
    'lists of any length are accepted': {
      async 'an entry may be about thousands of people'({ repository }) {
        const about = Array.from({ length: 3000 }, (_, i) => `person ${i}`);
        await begun(repository, 'one', [entry('one', 1, { about }), entry('one', 2, { about: ['person 2999'] })]);
        same((await repository.entries({ about, limit: 10 })).length, 2);
        same((await links(repository, 'one', 0, 1))[0]?.about, about);
        const people = about.map((name) => person(name));
        same((await repository.enrol(people)).length, 3000);
        same((await repository.people(people.map(({ lookup }) => lookup))).length, 3000);
        const events = about.map(waiting);
        await repository.submit(events);
        same((await repository.pending(5000)).length, 3000);
        await repository.append('one', 2, [entry('one', 3)], link(3), about);
        same(await repository.pending(5000), []);
      },
    },
    'expire: deletes the entries of a chain up to and including the number of the link, its base from then on': {
      async 'old entries are deleted from the beginning of a chain'({ repository, storage }) {
        const all = [1, 2, 3].map((n) => entry('one', n, { about: ['a'] }));
        await begun(repository, 'one', all);
        await begun(repository, 'two', [entry('two', 1, { about: ['a'] })]);
        assert.equal(await repository.expire('one', link(2)), 2);
        same(await links(repository, 'one', 0, 10), all.slice(2));
        same((await repository.entries({ about: ['a'], limit: 10 })).length, 2);
        same((await repository.chains())[0], chain('one', { base: link(2), head: link(3) }));
        for (const earlier of [1, 2]) assert.equal(await repository.expire('one', link(earlier, 'other')), 0);
        same((await repository.chains())[0]?.base, link(2));
        await repository.append('one', 3, [entry('one', 4)], link(4));
        assert.equal((await links(repository, 'one', 2, 10)).length, 2);
        const expire = (scope: StorageScope) => scope.repository(audit).expire('one', link(4));
        const late = await meet(storage, expire, () => repository.expire('one', link(3, 'late')));
        same([late, (await repository.chains())[0]?.base], [0, link(4)], 'nor one that comes while another expires');
      },
    },
    'strays: returns the places of entries that are in no chain, before the beginning of theirs or after its end': {
      async 'entries outside of all chains are found'({ repository }) {
        await begun(repository, 'one', [entry('one', 1, { about: ['a'] }), entry('one', 2)]);
        await repository.expire('one', link(1));
        same(await repository.strays(10), []);
        const strays = [1, 4].map((sequence) => ({ chain: 'one', sequence })).concat({ chain: 'other', sequence: 1 });
        const added = strays.map(({ chain, sequence }) => entry(chain, sequence));
        await repository.append('one', 2, [entry('one', 3), ...added], link(3));
        same(await repository.strays(10), strays);
        same((await links(repository, 'one', 0, 10)).length, 4, 'not with the index of what was deleted');
        same(await repository.strays(2), strays.slice(0, 2));
      },
    },
    'claim: of callers that meet, all get the text of the one that was first': {
      async 'the first fingerprint stays'({ repository }) {
        const claimed = await Promise.all(['a', 'b', 'c'].map((one) => repository.claim(one)));
        assert.equal(new Set(claimed).size, 1);
        assert.equal(await repository.claim('d'), claimed[0]);
      },
    },
    'enrol: adds people, except those whose lookup is stored; returns what is then stored': {
      async 'a person keeps the pseudonym that was first'({ repository }) {
        const [ada, eva] = [person('Ada'), person('Eva')];
        same(await repository.enrol([]), []);
        same(await repository.enrol([ada]), [ada]);
        const again = await repository.enrol([person('Ada', { pseudonym: 'other', sealed: 'other' }), eva]);
        same(new Set(again), new Set([ada, eva]));
        same(await repository.people([eva.lookup, 'unknown']), [eva]);
        same(await repository.named([ada.pseudonym, 'other', 'unknown']), [ada]);
        same(await repository.people([]), []);
      },
      async 'of enrolments that meet, one decides'({ repository }) {
        const enrolled = await Promise.all(
          ['a', 'b', 'c'].map((pseudonym) => repository.enrol([person('Ada', { pseudonym })])),
        );
        assert.equal(new Set(enrolled.map(([one]) => one?.pseudonym)).size, 1);
        same(await repository.people([person('Ada').lookup]), enrolled[0]);
      },
    },
    'forget: deletes a person: entries keep the pseudonym; returns false if the lookup is unknown': {
      async 'a person is forgotten, and the entries stay'({ repository }) {
        const [ada, eva] = [person('Ada'), person('Eva')];
        await repository.enrol([ada, eva]);
        await begun(repository, 'one', [entry('one', 1, { about: [ada.pseudonym] })]);
        assert.equal(await repository.forget(ada.lookup), true);
        assert.equal(await repository.forget(ada.lookup), false);
        same(await repository.named([ada.pseudonym, eva.pseudonym]), [eva]);
        same((await repository.entries({ about: [ada.pseudonym], limit: 10 })).length, 1);
        const anew = person('Ada', { pseudonym: 'new' });
        same(await repository.enrol([anew]), [anew]);
      },
    },
  }),
  reopening(
    'entries, chains and people survive the end of the process',
    'append: durable once it resolves',
    audit,
    async (repository) => {
      await repository.claim('mine');
      await repository.enrol([person('Ada')]);
      await begun(repository, 'one', [entry('one', 1, { about: ['a'] })]);
    },
    async (repository) => [
      ...[await repository.claim('other'), await links(repository, 'one', 0, 10)],
      ...[await repository.latest(), await repository.named([person('Ada').pseudonym])],
    ],
  ),
];
