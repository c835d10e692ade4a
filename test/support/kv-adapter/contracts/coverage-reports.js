/**
 * coverage-reports@1: reports by id, the ids again in the order of time and under each word, and pieces under a number, which are
 * written once.
 */
import { byTime } from 'trefoil/coverage/contract';
import { Fault } from 'trefoil/storage';
import { keyOf, under } from '../keys.js';

const reportKey = (id) => keyOf('report', id);
const wordKey = (word, id) => keyOf('word', JSON.stringify(word), id);

async function withWord(space, word) {
  const ids = [];
  for await (const [, id] of space.range(under('word', JSON.stringify(word)))) ids.push(id);
  return ids;
}

/** The ids of the reports that have a word of each group, or of all. */
async function selected(space, groups) {
  if (groups.length === 0) {
    const ids = [];
    for await (const [, { report }] of space.range(under('report'))) ids.push(report.id);
    return ids;
  }
  let ids;
  for (const group of groups) {
    const own = new Set((await Promise.all([...new Set(group)].map((word) => withWord(space, word)))).flat());
    ids = ids === undefined ? [...own] : ids.filter((id) => own.has(id));
  }
  return ids;
}

async function removed(space, ids) {
  let count = 0;
  for (const id of new Set(ids)) {
    const stored = await space.get(reportKey(id));
    if (stored === undefined) continue;
    for (const word of stored.words) space.remove(wordKey(word, id));
    space.leave('pieces', stored.number);
    space.remove(reportKey(id));
    count += 1;
  }
  return count;
}

export default ({ read, write }) => ({
  keep: (report, words, content) =>
    write(async (space) => {
      const key = reportKey(report.id);
      if ((await space.get(key)) !== undefined)
        throw new Fault('conflict', 'There is already a kept report with this id');
      const number = await space.fresh();
      const own = [...new Set(words)];
      space.put(key, { report, words: own, number });
      for (const word of own) space.put(wordKey(word, report.id), report.id);
      for (const [part, pieces] of Object.entries(content)) {
        for (const [place, piece] of pieces.entries()) {
          space.put(keyOf('pieces', number, part, place), new Uint8Array(piece));
        }
      }
    }),

  find: (id, begins) =>
    read(async (space) => {
      const stored = await space.get(reportKey(id));
      const files = (stored?.words ?? []).filter((word) => word.startsWith('file:'));
      const isOut = begins && !files.every((word) => begins.some((begin) => word.startsWith(begin, 'file:'.length)));
      return isOut ? undefined : stored?.report;
    }),

  content: (id, part) =>
    read(async (space) => {
      const stored = await space.get(reportKey(id));
      const pieces = [];
      if (stored === undefined) return pieces;
      for await (const [, piece] of space.range(under('pieces', stored.number, part))) pieces.push(piece);
      return pieces;
    }),

  list: ({ words, after, limit }) =>
    read(async (space) => {
      const asked = [...new Set(words.flat())].sort();
      const stored = await space.getMany((await selected(space, words)).map(reportKey));
      return stored
        .filter(({ report }) => after === undefined || byTime(after, report) < 0)
        .sort((one, other) => byTime(one.report, other.report))
        .slice(0, limit)
        .map(({ report, words: own }) => ({ report, words: asked.filter((word) => own.includes(word)) }));
    }),

  words: (begin) =>
    read(async (space) => {
      const found = new Set();
      for await (const [, { words }] of space.range(under('report'))) for (const word of words) found.add(word);
      return [...found].filter((word) => word.startsWith(begin)).sort();
    }),

  remove: (ids) => write((space) => removed(space, ids)),

  expire: (before) =>
    write(async (space) => {
      const old = [];
      for await (const [, { report }] of space.range(under('report'))) if (report.made < before) old.push(report.id);
      return removed(space, old);
    }),
});
