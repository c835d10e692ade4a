/**
 * coverage-samples@1: a sample under its id, and its blocks of runs under a number that every successful check takes anew, by
 * chromosome and start.
 */
import { randomUUID } from 'node:crypto';
import { chromosomes, placedUnder, recorded, refuseRepeated, registered } from 'trefoil/coverage/contract';
import { keyOf, under } from '../keys.js';

const sampleKey = (id) => keyOf('sample', id);

export default ({ read, write }) => ({
  register: (samples, now) =>
    write(async (space) => {
      refuseRepeated(samples);
      const known = await space.getMany(samples.map(({ id }) => sampleKey(id)));
      return samples.map((description, i) => {
        const { outcome, sample } = registered(description, known[i]?.sample, randomUUID(), now);
        space.put(sampleKey(sample.id), { sample, runs: known[i]?.runs });
        return outcome;
      });
    }),

  find: (ids, begins) =>
    read(async (space) => {
      const found = await space.getMany([...new Set(ids)].sort().map(sampleKey));
      const samples = found.flatMap((entry) => (entry ? [entry.sample] : []));
      return begins ? samples.filter(({ file }) => placedUnder(file.path, begins)) : samples;
    }),

  revisions: (ids) =>
    read(async (space) => {
      const found = await space.getMany([...new Set(ids)].sort().map(sampleKey));
      return found.flatMap((entry) => {
        if (!entry) return [];
        const { id, revision, state } = entry.sample;
        return [{ id, revision, state }];
      });
    }),

  list: ({ states, after, limit }) =>
    read(async (space) => {
      const found = [];
      if (limit <= 0) return found;
      const { from, before } = under('sample');
      // Ids have no control characters: this comes right after the sample, and before every other one.
      const range = { from: after === undefined ? from : `${sampleKey(after)}\u0000`, before };
      for await (const [, { sample }] of space.range(range)) {
        if (states && !states.includes(sample.state)) continue;
        found.push(sample);
        if (found.length === limit) break;
      }
      return found;
    }),

  record: (id, revision, outcome) =>
    write(async (space) => {
      const known = await space.get(sampleKey(id));
      if (known?.sample.revision !== revision) return false;
      const sample = recorded(known.sample, outcome, randomUUID());
      let { runs } = known;
      if (outcome.state === 'ready') {
        if (runs !== undefined) space.leave('runs', runs);
        runs = await space.fresh();
        for (const block of outcome.runs) {
          space.put(keyOf('runs', runs, chromosomes.indexOf(block.chromosome), block.start), block);
        }
      }
      space.put(sampleKey(id), { sample, runs });
      return true;
    }),

  runs: (id, wanted) =>
    read(async (space) => {
      const known = await space.get(sampleKey(id));
      if (known?.runs === undefined) return [];
      const found = [];
      for await (const [, block] of space.range(under('runs', known.runs))) {
        if (!wanted || wanted.includes(block.chromosome)) found.push(block);
      }
      return found;
    }),

  runsFrom: (ids, chromosome, { start, end }) =>
    read(async (space) => {
      const distinct = [...new Set(ids)].sort();
      const known = await space.getMany(distinct.map(sampleKey));
      const found = [];
      for (const [i, entry] of known.entries()) {
        if (entry?.runs === undefined) continue;
        const place = chromosomes.indexOf(chromosome);
        const range = {
          from: keyOf('runs', entry.runs, place, start),
          before: keyOf('runs', entry.runs, place, end),
        };
        const blocks = [];
        for await (const [, block] of space.range(range)) blocks.push(block);
        if (blocks.length > 0) found.push({ sample: distinct[i], revision: entry.sample.revision, blocks });
      }
      return found;
    }),

  remove: (ids) =>
    write(async (space) => {
      const distinct = [...new Set(ids)];
      const known = await space.getMany(distinct.map(sampleKey));
      for (const [i, entry] of known.entries()) {
        if (!entry) continue;
        space.remove(sampleKey(distinct[i]));
        if (entry.runs !== undefined) space.leave('runs', entry.runs);
      }
      return known.filter(Boolean).length;
    }),
});
