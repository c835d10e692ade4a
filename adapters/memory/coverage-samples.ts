/** coverage-samples@1 in memory. */
import { randomUUID } from 'node:crypto';
import {
  chromosomes,
  coverageSamples,
  placedUnder,
  type RegisteredSample,
  type RunBlock,
  recorded,
  refuseRepeated,
  registered,
  type SampleRepository,
  type SampleRuns,
} from '../../plugins/coverage/contract.js';
import { defineBinding } from './binding.js';

interface Entry {
  sample: RegisteredSample;
  /** In the order of `runs`. */
  runs: readonly RunBlock[];
}

type Samples = Map<string, Entry>;

const byId = (one: RegisteredSample, other: RegisteredSample) => (one.id < other.id ? -1 : 1);
const byPlace = (one: RunBlock, other: RunBlock) =>
  chromosomes.indexOf(one.chromosome) - chromosomes.indexOf(other.chromosome) || one.start - other.start;

export default defineBinding<SampleRepository, Samples>({
  contract: coverageSamples,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => ({
    register: (samples, now) =>
      write((draft) => {
        refuseRepeated(samples);
        return samples.map((description) => {
          const known = draft.get(description.id);
          const { outcome, sample } = registered(structuredClone(description), known?.sample, randomUUID(), now);
          draft.set(description.id, { sample: structuredClone(sample), runs: known?.runs ?? [] });
          return outcome;
        });
      }),

    async find(ids, begins) {
      const state = await read();
      const found = [...new Set(ids)].flatMap((id) => state.get(id)?.sample ?? []);
      const wanted = found.filter(({ file }) => begins === undefined || placedUnder(file.path, begins));
      return structuredClone(wanted.sort(byId));
    },

    async revisions(ids) {
      const state = await read();
      const found = [...new Set(ids)].sort().flatMap((id) => state.get(id)?.sample ?? []);
      return found.map(({ id, revision, state: now }) => ({ id, revision, state: now }));
    },

    async list({ states, after, limit }) {
      const all = [...(await read()).values()].map(({ sample }) => sample);
      const wanted = all.filter(
        ({ id, state }) => (after === undefined || id > after) && (states?.includes(state) ?? true),
      );
      return structuredClone(wanted.sort(byId).slice(0, limit));
    },

    record: (id, revision, outcome) =>
      write((draft) => {
        const known = draft.get(id);
        if (known?.sample.revision !== revision) return false;
        const sample = structuredClone(recorded(known.sample, outcome, randomUUID()));
        const runs = outcome.state === 'ready' ? structuredClone(outcome.runs).toSorted(byPlace) : known.runs;
        draft.set(id, { sample, runs });
        return true;
      }),

    async runs(id, wanted) {
      const all = (await read()).get(id)?.runs ?? [];
      return structuredClone(all.filter(({ chromosome }) => wanted?.includes(chromosome) ?? true));
    },

    async runsFrom(ids, chromosome, { start, end }) {
      const state = await read();
      const found = [...new Set(ids)].sort().flatMap((id): SampleRuns[] => {
        const entry = state.get(id);
        const blocks = (entry?.runs ?? []).filter(
          (block) => block.chromosome === chromosome && block.start >= start && block.start < end,
        );
        return entry && blocks.length > 0 ? [{ sample: id, revision: entry.sample.revision, blocks }] : [];
      });
      return structuredClone(found);
    },

    remove: (ids) => write((draft) => ids.filter((id) => draft.delete(id)).length),
  }),
});
