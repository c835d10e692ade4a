/** Adapters that break one promise of coverage-reports@1 each. */
import type { KeptMatch, KeptReport, KeptSelection, ReportRepository } from '../../../plugins/coverage/contract.js';
import { coverageReports } from '../coverage.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<ReportRepository>): Wrong =>
  wrongRepository(coverageReports, does, fails, damage);

/** An adapter that lists something else than it should. */
const listing = (
  does: string,
  fails: string,
  change: (found: KeptMatch[], selection: KeptSelection) => KeptMatch[],
  asked: (selection: KeptSelection) => KeptSelection = (selection) => selection,
): Wrong =>
  wrong(does, fails, () => (right) => ({
    list: async (selection) => change(await right.list(asked(selection)), selection),
  }));

const unchanged = 'a kept report is returned unchanged';
const once = 'an id is kept once';
const pages = 'reports are listed from the last one, a page at a time';
const byWords = 'reports are found by a word of each list';
const removed = 'removed reports are gone with all that was stored of them';
const expired = 'old reports expire, and no others';

export const wrongReports: readonly Wrong[] = [
  wrong(
    'finds a report by one of its files',
    'a report is found by the beginnings of its files, if any are named',
    () => (right) => ({
      find: async (id, begins) => {
        for (const begin of begins ?? ['']) if (begin.startsWith('/data')) return right.find(id);
        return right.find(id, begins);
      },
    }),
  ),
  wrong('keeps times to the second', unchanged, () => (right) => ({
    find: async (id) => toSeconds(await right.find(id)),
  })),
  wrong('loses NUL characters of facts', unchanged, () => (right) => ({
    keep: ({ facts, ...report }, words, content) => {
      const { by, ...rest } = facts;
      return right.keep(
        { ...report, facts: by === undefined ? rest : { ...rest, by: by.replaceAll('\0', '') } },
        words,
        content,
      );
    },
  })),
  wrong('joins the pieces of a part', unchanged, () => (right) => ({
    content: async (id, part) => {
      const joined = Buffer.concat(await right.content(id, part));
      return joined.length === 0 ? [] : [new Uint8Array(joined)];
    },
  })),
  wrong('returns null for what is absent', 'what is not kept is absent', () => (right) => ({
    find: async (id) => (await right.find(id)) ?? (null as unknown as undefined),
  })),
  wrong('finds ids in any case', 'what is not kept is absent', () => {
    const ids = new Map<string, string>();
    return (right) => ({
      keep: (report, words, content) => {
        ids.set(report.id.toLowerCase(), report.id);
        return right.keep(report, words, content);
      },
      find: (id) => right.find(ids.get(id.toLowerCase()) ?? id),
    });
  }),
  wrong('hands out the pieces that it holds', 'a kept report is not changed by what happens to its arguments', () => {
    const held = new Map<string, Uint8Array[]>();
    return (right) => ({
      content: async (id, part) => {
        const key = `${id} ${part}`;
        const pieces = held.get(key) ?? (await right.content(id, part));
        held.set(key, pieces);
        return pieces;
      },
    });
  }),
  wrong('replaces a report of the same id', once, () => (right) => ({
    keep: async (report, words, content) => {
      await right.remove([report.id]);
      await right.keep(report, words, content);
    },
  })),
  wrong('ignores a second report of the same id', once, () => (right) => ({
    keep: async (report, words, content) => {
      if ((await right.find(report.id)) === undefined) await right.keep(report, words, content);
    },
  })),
  wrong('orders pieces as texts', 'parts of many pieces keep their order', () => (right) => ({
    content: async (id, part) => {
      const pieces = await right.content(id, part);
      const order = pieces.map((_, i) => i).sort((one, two) => (String(one) < String(two) ? -1 : 1));
      return order.map((i) => pieces[i] as Uint8Array);
    },
  })),
  listing('lists the first reports first', pages, (found) => found.toReversed()),
  listing('orders reports by time alone', pages, (found) =>
    found.sort((one, two) => two.report.made.getTime() - one.report.made.getTime() || compare(one.report, two.report)),
  ),
  listing(
    'begins a page with the last report of the one before',
    pages,
    (found) => found,
    ({ after, ...selection }) => ({
      ...selection,
      ...(after && { after: { made: after.made, id: `${after.id}~` } }),
    }),
  ),
  listing(
    'finds reports by any of the words',
    byWords,
    (found) => found,
    ({ words, ...selection }) => ({ ...selection, words: words.length === 0 ? [] : [words.flat()] }),
  ),
  listing(
    'takes an empty list of words for none',
    byWords,
    (found) => found,
    ({ words, ...selection }) => ({ ...selection, words: words.filter((group) => group.length > 0) }),
  ),
  listing('names all words that were asked', 'a listed report says which of the words it has', (found, { words }) =>
    found.map(({ report }) => ({ report, words: [...new Set(words.flat())].sort() })),
  ),
  wrong('finds words in any case', 'words are found by how they begin', () => (right) => ({
    words: async (begin) => {
      const both = [begin, `${begin.charAt(0).toUpperCase()}${begin.slice(1)}`];
      return (await Promise.all(both.map((one) => right.words(one)))).flat().sort();
    },
  })),
  wrong('keeps the words of removed reports', removed, () => {
    const words = new Map<string, readonly string[]>();
    return (right) => ({
      keep: (report, own, content) => {
        const all = [...(words.get(report.id) ?? []), ...own];
        words.set(report.id, all);
        return right.keep(report, all, content);
      },
    });
  }),
  wrong('counts each removed id, as often as it is given', removed, () => (right) => ({
    remove: async (ids) => {
      await right.remove(ids);
      return ids.length;
    },
  })),
  wrong('lets reports of that very time expire', expired, () => (right) => ({
    expire: (before) => right.expire(new Date(before.getTime() + 1)),
  })),
  wrong('lets a hundred reports expire at most', expired, () => (right) => ({
    expire: async (before) => {
      const all = await right.list({ words: [], limit: 1000 });
      const old = all.filter(({ report }) => report.made < before).slice(0, 100);
      return right.remove(old.map(({ report }) => report.id));
    },
  })),
  listing(
    'reads the first 32 000 words',
    'a report of 33 000 words is found by each of as many',
    (found) => found,
    ({ words, ...selection }) => ({ ...selection, words: words.map((group) => group.slice(0, 32_000)) }),
  ),
];

function compare(one: KeptReport, other: KeptReport): number {
  return one.id < other.id ? -1 : 1;
}
