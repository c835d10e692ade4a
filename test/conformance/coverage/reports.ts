/** What coverage-reports@1 promises. */
import { randomBytes } from 'node:crypto';
import {
  coverageReports,
  type KeptContent,
  type KeptFacts,
  type KeptReport,
  type ReportRepository,
} from '../../../plugins/coverage/contract.js';
import { type Case, cases, faults, oddText, onlyOne, readDuring, reopening, same, undone } from '../core.js';
import { at } from './build.js';

const keeping = 'keep stores a report with its words and parts: all or, after any failure, nothing';
const once = 'an id that exists is a `conflict` fault, and changes nothing';
const listing = 'list: the next reports that have a word of each list, those made last first, then by id';
const removing = 'remove removes reports with all that is stored of them; returns how many existed';

const facts: KeptFacts = {
  software: '0.2.0',
  language: 'sv',
  page: 'report',
  build: 'GRCh38',
  level: 10,
  thresholds: [10, 20],
  sets: [],
  samples: [{ name: 'child', file: '/data/child.d4' }],
  genes: 1,
  missing: 0,
  shared: [],
  parts: {},
};

/** Every field, with characters that stores and queries must not confuse. */
const whole: KeptFacts = {
  ...facts,
  by: "ærø “o'neill” % _ \\ \u0000",
  caseName: oddText,
  panelName: 'é e\u0301',
  panel: { panel: 'kidney', version: '1.10', sha256: '0a'.repeat(32), state: 'signed off', names: '2026-11' },
  sets: [{ kind: 'genes', release: 'Ensembl 115 “Ørsted”', checksum: 'sha256:1', loaded: '2026-01-15T08:00:00.123Z' }],
  samples: [
    { name: 'child', registration: 'S-1', file: 's1.d4', track: 'hq', fingerprint: 'f1' },
    { name: 'father', file: 'https://storage.example.org/f.d4' },
  ],
  missing: 2,
  aneuploidy: true,
  shared: ['cardio'],
  parts: { json: { bytes: 3, checksum: 'sha256:2' } },
};

/** 22 characters, ordered as the text is. */
const idOf = (text: string) => text.padEnd(22, '-');

function report(id: string, second: number, fields: Partial<KeptFacts> = {}): KeptReport {
  return { id: idOf(id), made: at(second), facts: { ...facts, ...fields } };
}

const bytes = (...values: number[]) => Uint8Array.from(values);

async function add(
  repository: ReportRepository,
  id: string,
  second: number,
  words: readonly string[] = [],
  content: KeptContent = {},
): Promise<KeptReport> {
  const kept = report(id, second);
  await repository.keep(kept, words, content);
  return kept;
}

async function listed(repository: ReportRepository, ...words: string[][]): Promise<string[]> {
  return (await repository.list({ words, limit: 100 })).map(({ report: { id } }) => id.replace(/-+$/, ''));
}

export const reportCases: readonly Case<ReportRepository>[] = [
  ...cases<ReportRepository>({
    [keeping]: {
      async 'a kept report is returned unchanged'({ repository }) {
        const kept: KeptReport = { id: 'Az09_-Az09_-Az09_-Az09', made: at(1.234), facts: whole };
        const pieces = [bytes(0, 255, 128), bytes(), new Uint8Array(randomBytes(256 * 1024))];
        await repository.keep(kept, ['gene:HGNC:1'], { json: pieces, page: [bytes(1)] });
        same(await repository.find(kept.id), kept);
        same(await repository.content(kept.id, 'json'), pieces);
        same(await repository.content(kept.id, 'page'), [bytes(1)]);
        same(await repository.list({ words: [], limit: 1 }), [{ report: kept, words: [] }]);
      },
      async 'a report that is refused leaves nothing in the transaction of others'({ repository, storage }) {
        await undone(storage, (scope) =>
          scope.repository(coverageReports).keep(report('a', 1), ['one'], { json: [bytes(1)] }),
        );
        same(await repository.find(idOf('a')), undefined);
        same(await repository.content(idOf('a'), 'json'), []);
        await repository.keep(report('a', 2), ['two'], {});
        same((await repository.list({ words: [['one', 'two']], limit: 5 }))[0]?.words, ['two']);
      },
    },
    'find: with beginnings, undefined if a word `file:` goes on with none of them': {
      async 'a report is found by the beginnings of its files, if any are named'({ repository }) {
        const words = ['gene:A', 'file:/data/a%/1.d4', 'file:https://ä.example.org/🧬.d4', 'filed:/elsewhere'];
        await add(repository, 'a', 1, words, {});
        await add(repository, 'b', 1, ['gene:A'], {});
        const kept = await repository.find(idOf('a'));
        same(await repository.find(idOf('a'), ['https://ä.example.org/🧬', '/data/a%/', '/x']), kept);
        same(await repository.find(idOf('a'), ['']), kept);
        for (const begins of [[], ['/data/a%/'], ['/data/A%/', 'https://'], ['/data/__/', 'https://'], ['file:']]) {
          same(await repository.find(idOf('a'), begins), undefined, begins.join());
        }
        same((await repository.find(idOf('b'), []))?.id, idOf('b'), 'it has no file');
        same(await repository.find(idOf('c'), ['']), undefined);
      },
    },
    'what does not exist is undefined or empty: never null, never an exception': {
      async 'what is not kept is absent'({ repository }) {
        same(await repository.find(idOf('a')), undefined);
        same(await repository.content(idOf('a'), 'json'), []);
        same(await repository.list({ words: [], limit: 5 }), []);
        same(await repository.remove([idOf('a')]), 0);
        same(await repository.remove([]), 0);
        same(await repository.expire(at(9)), 0);
        await add(repository, 'a', 1, [], { json: [bytes(1)] });
        same(await repository.find(idOf('A')), undefined, 'ids are case-sensitive');
        same(await repository.content(idOf('A'), 'json'), []);
        same(await repository.remove([idOf('A')]), 0);
        same(await repository.content(idOf('a'), 'file'), []);
        same(Object.keys((await repository.find(idOf('a')))?.facts ?? {}).includes('by'), false);
      },
    },
    'a kept report never changes': {
      async 'a kept report is not changed by what happens to its arguments'({ repository }) {
        const kept = report('a', 1);
        const piece = bytes(1, 2, 3);
        const words = ['one'];
        await repository.keep(kept, words, { json: [piece] });
        kept.made.setTime(0);
        piece[0] = 9;
        words.push('two');
        same(await repository.find(kept.id), report('a', 1));
        same(await repository.content(kept.id, 'json'), [bytes(1, 2, 3)]);
        same(await repository.list({ words: [['two']], limit: 5 }), []);
        const [first] = await repository.content(kept.id, 'json');
        first?.fill(0);
        same(await repository.content(kept.id, 'json'), [bytes(1, 2, 3)]);
      },
    },
    [once]: {
      async 'an id is kept once'({ repository }) {
        const first = await add(repository, 'a', 1, ['one'], { json: [bytes(1)] });
        await faults('conflict', repository.keep(report('a', 2), ['two'], { json: [bytes(2)], page: [bytes(3)] }));
        same(await repository.find(first.id), first);
        same(await repository.content(first.id, 'json'), [bytes(1)]);
        same(await repository.content(first.id, 'page'), []);
        same(await listed(repository, ['two']), []);
        same(await listed(repository, ['one']), ['a']);
      },
      async 'of several reports with one id that are kept at once, one remains as a whole'({ repository }) {
        const tried = await Promise.allSettled(
          [1, 2, 3, 4].map((i) =>
            repository.keep(report('a', i, { level: i }), [`word ${i}`], { json: [bytes(i)], page: [bytes(i)] }),
          ),
        );
        const kept = onlyOne('conflict', tried) + 1;
        same(await repository.find(idOf('a')), report('a', kept, { level: kept }));
        same(await repository.content(idOf('a'), 'page'), [bytes(kept)]);
        same((await repository.list({ words: [[1, 2, 3, 4].map((i) => `word ${i}`)], limit: 9 }))[0]?.words, [
          `word ${kept}`,
        ]);
      },
    },
    'content returns the pieces of a part, unchanged and in their order': {
      async 'parts of many pieces keep their order'({ repository }) {
        const pieces = Array.from({ length: 300 }, (_, i) => bytes(i % 256, i >> 8));
        await add(repository, 'a', 1, [], { json: pieces, page: pieces.toReversed() });
        await add(repository, 'b', 1, [], { json: [bytes(7)] });
        same(await repository.content(idOf('a'), 'json'), pieces);
        same(await repository.content(idOf('a'), 'page'), pieces.toReversed());
      },
    },
    [listing]: {
      async 'reports are listed from the last one, a page at a time'({ repository }) {
        const seconds = { b: 1, c: 2, B: 2, a: 2, d: 3.001, e: 3 };
        for (const [id, second] of Object.entries(seconds)) await add(repository, id, second, ['all']);
        const order = ['d', 'e', 'c', 'a', 'B', 'b'];
        same(await listed(repository), order);
        same(await listed(repository, ['all']), order);
        for (const words of [[], [['all']]]) {
          const found: string[] = [];
          let after: { made: Date; id: string } | undefined;
          // One page more than there are, so that a list without an end fails too.
          for (let pages = 0; pages <= order.length / 2; pages++) {
            const page = await repository.list({ words, limit: 2, ...(after && { after }) });
            found.push(...page.map(({ report: { id } }) => id.replace(/-+$/, '')));
            after = page.at(-1)?.report ?? after;
          }
          same(found, order);
        }
      },
      async 'reports are found by a word of each list'({ repository }) {
        await add(repository, 'a', 1, ['gene:1', 'gene:2', 'sample:X']);
        await add(repository, 'b', 2, ['gene:2', 'sample:Y']);
        await add(repository, 'c', 3, ['gene:3', 'sample:X', 'sample:X']);
        same(await listed(repository, ['gene:2']), ['b', 'a']);
        same(await listed(repository, ['gene:1', 'gene:3', 'gene:3']), ['c', 'a']);
        same(await listed(repository, ['gene:2'], ['sample:X']), ['a']);
        same(await listed(repository, ['gene:1'], ['sample:Y']), []);
        same(await listed(repository, ['gene:']), [], 'whole words');
        same(await listed(repository, ['GENE:1']), [], 'in the same case');
        same(await listed(repository, []), [], 'no report has a word of an empty list');
      },
      async 'words have any characters'({ repository }) {
        const words = [
          'a b',
          'a b ',
          'A"\'',
          oddText,
          '%',
          '_',
          '\\',
          'é',
          'e\u0301',
          '🧬',
          'x'.repeat(250),
          '\u0001',
          '{"a":[1]}',
        ];
        for (const [i, word] of words.entries()) await add(repository, String.fromCharCode(97 + i), i, [word]);
        for (const [i, word] of words.entries()) same(await listed(repository, [word]), [String.fromCharCode(97 + i)]);
      },
      async 'random reports are listed as a simple model lists them'({ repository, seed }) {
        let state = seed;
        const below = (most: number) => {
          state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
          return Math.floor((state / 2 ** 31) * most);
        };
        const all: { kept: KeptReport; words: string[] }[] = [];
        for (let i = 0; i < 60; i++) {
          const words = [0, 1, 2, 3, 4, 5].filter(() => below(3) === 0).map((word) => `w${word}`);
          const kept = await add(repository, `r${below(1e9)}x${i}`, below(5), words);
          all.push({ kept, words });
          if (below(8) === 0) {
            const [gone] = all.splice(below(all.length), 1);
            same(await repository.remove([gone?.kept.id ?? '']), 1);
          }
        }
        all.sort((one, other) => byTime(one.kept, other.kept));
        for (let i = 0; i < 40; i++) {
          const groups = Array.from({ length: below(3) }, () =>
            Array.from({ length: 1 + below(3) }, () => `w${below(7)}`),
          );
          const [limit, last] = [1 + below(20), below(4) === 0 ? all[below(all.length)]?.kept : undefined];
          const asked = [...new Set(groups.flat())].sort();
          const expected = all
            .filter(({ words }) => groups.every((group) => group.some((word) => words.includes(word))))
            .filter(({ kept }) => last === undefined || byTime(last, kept) < 0)
            .slice(0, limit)
            .map(({ kept, words }) => ({ report: kept, words: asked.filter((word) => words.includes(word)) }));
          const after = last && { made: last.made, id: last.id };
          same(await repository.list({ words: groups, limit, ...(after && { after }) }), expected);
        }
      },
    },
    'list says which of the selected words a report has, each once, by code units': {
      async 'a listed report says which of the words it has'({ repository }) {
        await add(repository, 'a', 1, ['Z', 'b', 'å', 'unasked']);
        await add(repository, 'b', 2, ['b']);
        const found = await repository.list({ words: [['å', 'b', 'Z', 'b', 'none']], limit: 5 });
        same.each(found, ({ words }) => words, [['b'], ['Z', 'b', 'å']]);
      },
    },
    'words: those of all reports that begin with a text, each once, by code units': {
      async 'words are found by how they begin'({ repository }) {
        await add(repository, 'a', 1, ['missing:B', 'missing:b', 'missing', 'missing:å 🧬', 'Missing:C', 'missinf:D']);
        await add(repository, 'b', 2, ['missing:B', 'missing:%', 'missing;E', 'n']);
        same(await repository.words('missing:'), ['missing:%', 'missing:B', 'missing:b', 'missing:å 🧬']);
        same(await repository.words('%'), []);
        await repository.remove([idOf('a')]);
        same(await repository.words('missing:'), ['missing:%', 'missing:B']);
      },
    },
    [removing]: {
      async 'removed reports are gone with all that was stored of them'({ repository, storage }) {
        const before = await storage.rowCounts?.();
        for (const id of ['a', 'b', 'c'])
          await add(repository, id, 1, ['word'], { json: [bytes(1)], file: [bytes(2)] });
        same(await repository.remove([idOf('a'), idOf('c'), idOf('a'), idOf('none')]), 2);
        same(await listed(repository, ['word']), ['b']);
        same(await repository.find(idOf('a')), undefined);
        same(await repository.content(idOf('c'), 'file'), []);
        same(await repository.content(idOf('b'), 'json'), [bytes(1)]);
        await add(repository, 'a', 2);
        same(await repository.content(idOf('a'), 'json'), []);
        same(await listed(repository, ['word']), ['b'], 'an id that is used again does not have the old words');
        await repository.remove([idOf('a'), idOf('b')]);
        same(await storage.rowCounts?.(), before, 'no row is left');
      },
      async 'a report that two remove at once is removed by one'({ repository }) {
        for (const id of ['a', 'b', 'c']) await add(repository, id, 1, ['word']);
        const removed = await Promise.all([
          repository.remove([idOf('a'), idOf('b')]),
          repository.remove([idOf('b'), idOf('a')]),
          repository.expire(at(2)),
        ]);
        const found = removed.reduce((sum, count) => sum + count);
        same(found, 3);
        same(await listed(repository, ['word']), []);
      },
    },
    'expire removes the reports that were made before a time; returns how many they were': {
      async 'old reports expire, and no others'({ repository }) {
        const many = Array.from({ length: 120 }, (_, i) => `r${String(i).padStart(3, '0')}`);
        for (const [i, id] of many.entries()) await add(repository, id, i / 1000, ['word'], { json: [bytes(i)] });
        same(await repository.expire(at(0.117)), 117);
        same(await listed(repository, ['word']), ['r119', 'r118', 'r117']);
        same(await repository.content(idOf('r000'), 'json'), []);
        same(await repository.content(idOf('r117'), 'json'), [bytes(117)]);
        same(await repository.expire(at(0.117)), 0);
      },
    },
    'lists may be of any length': {
      async 'a report of 33 000 words is found by each of as many'({ repository }) {
        // More than the values that a statement of SQLite may have.
        const words = Array.from({ length: 33_000 }, (_, i) => `gene:HGNC:${i}`);
        const kept = await add(repository, 'a', 1, words);
        const found = await repository.list({ words: [words, words], limit: 5 });
        same.each(found, ({ report: { id }, words: own }) => [id, own.length], [[kept.id, words.length]]);
        same(await listed(repository, ['gene:HGNC:32999']), ['a']);
      },
    },
  }),
  {
    name: 'a report that is kept or removed meanwhile is seen as a whole or not at all',
    promise: `${keeping}; ${removing}`,
    async run({ repository }) {
      for (let round = 0; round < 20; round++) {
        const kept = add(repository, 'a', 1, ['one', 'two'], { json: [bytes(1), bytes(2)] });
        const removed = kept.then(() => repository.remove([idOf('a')]));
        await readDuring(removed, async () => {
          const before = await repository.find(idOf('a'));
          const listing = await repository.list({ words: [['one'], ['one', 'two']], limit: 2 });
          const found = await repository.content(idOf('a'), 'json');
          const after = await repository.find(idOf('a'));
          if (found.length > 0 || (before && after)) same(found, [bytes(1), bytes(2)]);
          for (const { words } of listing) same(words, ['one', 'two']);
        });
      }
    },
  },
  reopening(
    'kept reports outlive the storage',
    'what was acknowledged survives',
    coverageReports,
    (repository) => add(repository, 'a', 1.5, ['word'], { json: [bytes(1, 2)], page: [bytes(3)] }),
    async (repository) => [
      await repository.list({ words: [['word']], limit: 5 }),
      await repository.content(idOf('a'), 'json'),
    ],
  ),
];

/** The order in which reports are listed. */
function byTime(one: Pick<KeptReport, 'made' | 'id'>, other: Pick<KeptReport, 'made' | 'id'>): number {
  return other.made.getTime() - one.made.getTime() || (one.id < other.id ? 1 : Number(one.id > other.id) * -1);
}
