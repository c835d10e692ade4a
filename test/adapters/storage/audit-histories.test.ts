/** The audit on SQL is what its reference above tables is, after any history; and how much it reads. */
import { expect } from 'chai';
import type { Database } from '../../../adapters/knex/binding.js';
import { bindingOf } from '../../../adapters/knex/storage.js';
import { tablesOn } from '../../../adapters/knex/tables.js';
import { store } from '../../../core/audit/store.js';
import {
  type AuditCursor,
  type AuditRepository,
  audit,
  type ChainedEntry,
  type LinkedEntry,
  type Person,
} from '../../../core/storage.js';
import type { Random } from '../../conformance/core.js';
import { storages } from '../../support/storages.js';
import { type Compared, historyOf } from './support/calls.js';
import { describeHistories, nasty } from './support/history.js';
import { overheard, type Statement } from './support/overheard.js';

const at = (random: Random) => new Date(Date.UTC(2026, 2, 1) + random.int(0, 4));
const word = (random: Random) => random.pick(nasty);
const link = (sequence: number, text: string) => ({ sequence, hash: text, seal: `sealed ${text}` });

const records: Compared<AuditRepository> = {
  contract: audit,
  calls(random, call) {
    // Ids of chains are UUIDs: in the order of one the other engine has them too.
    const [ids, events, names] = [['A', 'a', 'a '], random.some(nasty), random.shuffled(nasty).slice(0, 4)];
    const id = () => random.pick(ids);
    // Where chains end if every call was accepted: most of the next ones go on there.
    const ends = new Map<string, number>();
    const places: AuditCursor[] = [];
    const begin = () => {
      const chain = id();
      ends.set(chain, ends.get(chain) ?? 0);
      return call(
        'begin',
        {
          ...{ id: chain, started: at(random), base: link(0, word(random)), head: link(0, word(random)) },
          ...(random.chance(0.7) && { number: random.int(1, 9) }),
          ...(random.chance(0.3) && {
            previous: { chain: id(), sequence: random.int(0, 2 ** 40), hash: word(random) },
          }),
        },
        word(random),
      );
    };
    const append = () => {
      const chain = random.pick([...ends.keys(), id()]);
      const after = random.chance(0.8) ? (ends.get(chain) ?? 0) : random.int(0, 3);
      const entries = random.list(0, 3, (): Omit<ChainedEntry, 'sequence'> => {
        const about = [...new Set(random.list(0, 3, () => random.pick(names)))];
        return { chain, at: at(random), actor: random.pick(names), about, body: word(random), hash: word(random) };
      });
      const settled = random.chance(0.2) ? random.list(1, 2, () => random.pick(nasty)) : undefined;
      ends.set(chain, after + entries.length);
      const placed = entries.map((entry, i) => ({ ...entry, sequence: after + i + 1 }));
      places.push(...placed);
      // An entry after the head is in no chain.
      const head = after + Math.max(entries.length - Number(random.chance(0.1)), 0);
      return call('append', chain, after, placed, link(head, word(random)), settled);
    };
    const selection = () => ({
      about: random.chance(0.6) ? random.some(names) : undefined,
      actors: random.chance(0.4) ? random.some(names) : undefined,
      from: random.chance(0.4) ? at(random) : undefined,
      before: random.chance(0.4) ? at(random) : undefined,
      after: random.chance(0.6) ? random.pick([...places, { at: at(random), chain: id(), sequence: 1 }]) : undefined,
      limit: random.int(1, 5),
    });
    // The server's key gives one name one pseudonym.
    const person = (name: string): Person => ({ lookup: name, pseudonym: `for ${name}`, sealed: word(random) });
    const looks = [
      ...[call('chains'), call('latest'), call('pending', 3), call('strays', 2), call('people', nasty)],
      ...ids.flatMap((one) => [call('links', one, 0, 9), call('links', one, 1, 2)]),
    ];
    const any = [
      ...[begin, begin, begin, append, append, append, append, append],
      () => call('claim', word(random)),
      () =>
        call(
          'submit',
          events.splice(0, 2).map((one) => ({ id: one, sealed: word(random) })),
        ),
      () => call('entries', selection()),
      () => call('entries', selection()),
      ...[1, 2].map(() => () => call('expire', id(), link(random.int(0, 3), word(random)))),
      () => call('enrol', random.some(names).map(person)),
      () =>
        call(
          'named',
          names.map((name) => `for ${name}`),
        ),
      () => call('forget', word(random)),
    ];
    return { any, looks };
  },
  view(result, verb) {
    if (verb === 'links') {
      return (result as LinkedEntry[]).map((entry) => ({ ...entry, indexed: entry.indexed.toSorted() }));
    }
    if (!['enrol', 'people', 'named'].includes(verb)) return result;
    return (result as Person[]).toSorted((one, other) => (one.lookup < other.lookup ? -1 : 1));
  },
};

const histories = historyOf(records);

describeHistories({
  ...histories,
  transactions: true,
  async perform(repository, step, notes) {
    // What is kept beside the fingerprint needs one.
    if (step.verb === 'begin') await repository.claim('A');
    return histories.perform(repository, step, notes);
  },
});

for (const engine of storages) {
  describe(`the audit on ${engine.name}`, () => {
    it('reads few entries about people by callers who did little', async () => {
      const heard: Statement[] = [];
      const binding = {
        ...bindingOf(store),
        repository: (database: Database) => store.repository(tablesOn(overheard(database, heard))),
      };
      const home = await engine.home();
      try {
        const storage = await home.open([audit], { bindings: new Map([[audit.id, async () => ({ binding })]]) });
        await storage.migrate();
        const trail = storage.repository(audit);
        const started = new Date(0);
        await trail.begin({ id: 'c', started, base: link(0, 'h'), head: link(0, 'h') }, 'r');
        const added = Array.from({ length: 3000 }, (_, i) => ({
          ...{ chain: 'c', sequence: i + 1, at: started, about: ['P'], body: '{}', hash: 'h' },
          actor: i === 2000 ? 'seldom' : 'often',
        }));
        await trail.append('c', 0, added, link(3000, 'h'));
        for (const [actor, found] of [['never', []] as const, ['seldom', added.slice(2000, 2001)] as const]) {
          heard.length = 0;
          expect(await trail.entries({ about: ['P'], actors: [actor], limit: 100 })).to.deep.equal(found);
          expect(heard.reduce((sum, { rows = 0 }) => sum + rows, 0)).to.equal(found.length);
        }
        await storage.close();
      } finally {
        await home.discard();
      }
    });
  });
}
