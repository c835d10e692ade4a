/** panels@1: versions by panel and name; the names of genes under one key, their pieces under their numbers. */

import { byVersion, refuseChangeOfSigned } from 'trefoil/panels/contract';
import { Fault } from 'trefoil/storage';
import { keyOf, under } from '../keys.js';

const versionKey = (panel, version) => keyOf('version', panel, version);
const namesKey = keyOf('names');

async function all(space, ...panel) {
  const found = [];
  for await (const [, version] of space.range(under('version', ...panel))) found.push(version);
  return found.sort(byVersion);
}

function headOf({ content, hgnc, ...head }) {
  return head;
}

export default ({ read, write }) => ({
  add: (version) =>
    write(async (space) => {
      const key = versionKey(version.panel, version.version);
      if ((await space.get(key)) !== undefined) throw new Fault('conflict', 'This version exists already');
      space.put(key, version);
    }),

  find: (panel, version) => read((space) => space.get(versionKey(panel, version))),

  list: (panel) => read(async (space) => (await all(space, ...(panel === undefined ? [] : [panel]))).map(headOf)),

  replace: (version) =>
    write(async (space) => {
      const key = versionKey(version.panel, version.version);
      const stored = await space.get(key);
      if (stored?.revision !== version.revision - 1) return false;
      refuseChangeOfSigned(stored, version);
      space.put(key, version);
      return true;
    }),

  remove: (panel, version, revision) =>
    write(async (space) => {
      const key = versionKey(panel, version);
      const stored = await space.get(key);
      if (stored?.revision !== revision || stored.state !== 'draft') return false;
      space.remove(key);
      return true;
    }),

  holding: (hgnc) =>
    read(async (space) => {
      const wanted = new Set(hgnc);
      return (await all(space))
        .map((version) => ({ head: headOf(version), hgnc: version.hgnc.filter((id) => wanted.has(id)) }))
        .filter((found) => found.hgnc.length > 0);
    }),

  names: () => read((space) => space.get(namesKey)),

  loadNames: () =>
    read(async (space) => {
      const names = await space.get(namesKey);
      if (names === undefined) return undefined;
      const content = [];
      for await (const [, piece] of space.range(under('pieces'))) content.push(piece);
      return { names, content };
    }),

  replaceNames: (names, content) =>
    write(async (space) => {
      for await (const [key] of space.range(under('pieces'))) space.remove(key);
      for (const [place, piece] of content.entries()) space.put(keyOf('pieces', place), new Uint8Array(piece));
      space.put(namesKey, names);
    }),
});
