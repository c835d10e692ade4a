/**
 * audit@1: chains in the order of their start, entries by chain and number, and two indexes that are read in the order of
 * time: of all entries, and of those about each subject.
 */
import { Fault } from 'trefoil/storage';
import { keyOf, under } from '../keys.js';

const chainKey = (id) => keyOf('chain', id);
const entryKey = ({ chain, sequence }) => keyOf('entry', chain, sequence);
const eventKey = (id) => keyOf('event', id);
const timed = ({ at, chain, sequence }) => [at.getTime(), chain, sequence];
const timeKey = (entry) => keyOf('time', ...timed(entry));
const subjectKey = (subject, entry) => keyOf('subject', JSON.stringify(subject), ...timed(entry));
const lookupKey = (lookup) => keyOf('lookup', lookup);
const pseudonymKey = (pseudonym) => keyOf('pseudonym', pseudonym);

const values = async (range) => {
  const found = [];
  for await (const [, value] of range) found.push(value);
  return found;
};

const chainsOf = async (space) => {
  const ids = await values(space.range(under('started')));
  return space.getMany(ids.map(chainKey));
};

const present = (found) => found.filter((value) => value !== undefined);

/** The keys of entries in an index, from the earliest that a selection allows. */
async function* keysIn(space, parts, { from, before, after }) {
  const all = under(...parts);
  const first = after ?? (from && { at: from, chain: '', sequence: 0 });
  const start = first === undefined ? all.from : keyOf(...parts, ...timed(first));
  for await (const [key, { at, entry }] of space.range({ from: start, before: all.before })) {
    if (before !== undefined && at >= before) return;
    if (after === undefined || key !== start) yield [key.slice(all.from.length), entry];
  }
}

export default ({ read, write }) => ({
  claim: (fingerprint) =>
    write(async (space) => {
      const known = await space.get('fingerprint');
      if (known === undefined) space.put('fingerprint', fingerprint);
      return known ?? fingerprint;
    }),

  begin: (chain, register) =>
    write(async (space) => {
      const numbered = chain.number === undefined ? [] : [keyOf('numbered', chain.number)];
      const taken = await space.getMany([chainKey(chain.id), ...numbered]);
      if (present(taken).length > 0) throw new Fault('conflict', 'There is already a chain of this id or number');
      for (const key of numbered) space.put(key, chain.id);
      space.put('register', register);
      space.put(chainKey(chain.id), chain);
      space.put(keyOf('started', await space.fresh()), chain.id);
    }),

  chains: () => read(chainsOf),
  latest: () =>
    read(async (space) => ({ chain: (await chainsOf(space)).at(-1), register: await space.get('register') })),

  append: (id, after, entries, head, settled = []) =>
    write(async (space) => {
      const chain = await space.get(chainKey(id));
      if (chain?.head.sequence !== after) {
        throw new Fault('conflict', `The chain does not end after the entry ${after}`);
      }
      const places = await space.getMany(settled.map(eventKey));
      if (places.includes(undefined)) throw new Fault('not-found', 'An event is not pending');
      settled.forEach((event, i) => {
        space.remove(eventKey(event));
        space.remove(places[i]);
      });
      space.put(chainKey(id), { ...chain, head });
      for (const entry of entries) {
        const key = entryKey(entry);
        space.put(key, entry);
        space.put(timeKey(entry), { at: entry.at, entry: key });
        for (const subject of entry.about) space.put(subjectKey(subject, entry), { at: entry.at, entry: key });
      }
    }),

  submit: (events) =>
    write(async (space) => {
      for (const event of events) {
        const place = keyOf('pending', await space.fresh());
        space.put(place, event);
        space.put(eventKey(event.id), place);
      }
    }),

  pending: (limit) =>
    read(async (space) => {
      const found = [];
      if (limit === 0) return found;
      for await (const [, event] of space.range(under('pending'))) {
        found.push(event);
        if (found.length === limit) break;
      }
      return found;
    }),

  links: (id, after, limit) =>
    read(async (space) => {
      const { before } = under('entry', id);
      const found = [];
      if (limit === 0) return found;
      for await (const [, entry] of space.range({ from: keyOf('entry', id, after + 1), before })) {
        const places = await space.getMany(entry.about.map((subject) => subjectKey(subject, entry)));
        found.push({ ...entry, indexed: entry.about.filter((_, i) => places[i] !== undefined) });
        if (found.length === limit) break;
      }
      return found;
    }),

  strays: (limit) =>
    read(async (space) => {
      const chains = new Map((await chainsOf(space)).map((chain) => [chain.id, chain]));
      const found = [];
      if (limit === 0) return found;
      for await (const [, { chain, sequence }] of space.range(under('entry'))) {
        const known = chains.get(chain);
        if (known !== undefined && sequence > known.base.sequence && sequence <= known.head.sequence) continue;
        found.push({ chain, sequence });
        if (found.length === limit) break;
      }
      return found;
    }),

  entries: ({ about, actors, limit, ...selection }) =>
    read(async (space) => {
      const indexes =
        about === undefined ? [['time']] : [...new Set(about)].map((one) => ['subject', JSON.stringify(one)]);
      const wanted = new Map();
      for (const index of indexes) {
        for await (const [place, key] of keysIn(space, index, selection)) wanted.set(place, key);
      }
      const found = [];
      for (const place of [...wanted.keys()].sort()) {
        if (found.length === limit) break;
        const entry = await space.get(wanted.get(place));
        if (actors === undefined || actors.includes(entry.actor)) found.push(entry);
      }
      return found;
    }),

  expire: (id, base) =>
    write(async (space) => {
      const chain = await space.get(chainKey(id));
      if (chain === undefined || chain.base.sequence >= base.sequence) return 0;
      space.put(chainKey(id), { ...chain, base });
      let count = 0;
      const range = { from: under('entry', id).from, before: keyOf('entry', id, base.sequence + 1) };
      for (const entry of await values(space.range(range))) {
        space.remove(entryKey(entry));
        space.remove(timeKey(entry));
        for (const subject of entry.about) space.remove(subjectKey(subject, entry));
        count += 1;
      }
      return count;
    }),

  enrol: (people) =>
    write(async (space) => {
      const known = await space.getMany(people.map(({ lookup }) => lookupKey(lookup)));
      return people.map((person, i) => {
        if (known[i] !== undefined) return known[i];
        space.put(lookupKey(person.lookup), person);
        space.put(pseudonymKey(person.pseudonym), person.lookup);
        return person;
      });
    }),

  people: (lookups) => read(async (space) => present(await space.getMany([...new Set(lookups)].map(lookupKey)))),

  named: (pseudonyms) =>
    read(async (space) => {
      const lookups = present(await space.getMany([...new Set(pseudonyms)].map(pseudonymKey)));
      return present(await space.getMany(lookups.map(lookupKey)));
    }),

  forget: (lookup) =>
    write(async (space) => {
      const person = await space.get(lookupKey(lookup));
      if (person === undefined) return false;
      space.remove(lookupKey(lookup));
      space.remove(pseudonymKey(person.pseudonym));
      return true;
    }),
});
