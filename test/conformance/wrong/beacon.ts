/** Beacon repositories that break a promise as no change of one thing in a source does. */
import type { BeaconRepository, CalledAllele } from '../../../plugins/beacon/contract.js';
import { beacon } from '../beacon.js';
import { type WrongRepository, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: (right: BeaconRepository) => Partial<BeaconRepository>) =>
  wrongRepository(beacon, does, fails, damage);

async function* once(alleles: readonly CalledAllele[]) {
  yield alleles;
}

export const wrongBeacons: readonly WrongRepository[] = [
  wrong('shows half an import', 'a query during an import sees the state before or after, never a part', (right) => ({
    importAlleles: async (request, now) => {
      const sum = { alleles: 0, calls: 0, samples: 0 };
      for await (const batch of request.alleles) {
        const change = await right.importAlleles({ ...request, alleles: once(batch) }, now);
        for (const key of ['alleles', 'calls', 'samples'] as const) sum[key] += change[key];
      }
      return sum;
    },
  })),
  wrong('keeps what came before a failure', 'an import whose source fails half-way leaves nothing behind', (right) => ({
    importAlleles: async (request, now) => {
      const read: CalledAllele[] = [];
      let failure: unknown;
      try {
        for await (const batch of request.alleles) read.push(...batch);
      } catch (error) {
        failure = error;
      }
      const change = await right.importAlleles({ ...request, alleles: once(read) }, now);
      if (failure) throw failure;
      return change;
    },
  })),
  wrong('writes facts before it reads alleles', 'an import that fails says nothing of its samples', (right) => ({
    importAlleles: async (request, now) => {
      const known = await right.samples(request.dataset);
      const there = new Map([...(request.facts ?? [])].filter(([name]) => known.includes(name)));
      await right.describeSamples(request.dataset, there, now);
      return right.importAlleles(request, now);
    },
  })),
  wrong(
    'asks what was searched for before it reads',
    'what samples were searched for adds up over imports',
    (right) => ({
      importAlleles: async ({ searched, ...request }, now) => {
        const kinds = searched?.();
        return right.importAlleles({ ...request, ...(kinds && { searched: () => kinds }) }, now);
      },
    }),
  ),
  wrong('makes the salt from the id', 'every dataset has a salt of its own, as long as it exists', (right) => ({
    salt: async (dataset) => (await right.dataset(dataset)) && `the salt of ${dataset}`,
  })),
  wrong('never ends merging', 'merging imports changes no result', () => ({ compact: async () => 1 })),
  wrong(
    'ends a merge that is broken off silently',
    'a merge that is broken off leaves the imports as they were',
    (right) => ({
      compact: async (id, pause) => {
        await pause().catch(() => undefined);
        return right.compact(id, pause);
      },
    }),
  ),
  wrong('searches one dataset after the other', 'a search over several datasets shows one moment', (right) => ({
    search: async (query, ids, options) => {
      const hits = [];
      for (const id of ids) {
        hits.push(...(await right.search(query, [id], options)));
        for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      }
      return hits;
    },
  })),
  wrong('observes though its caller has left', 'observing that is given up throws the reason', (right) => ({
    observe: (assembly, questions, ids, { signal: _, ...options } = {}) =>
      right.observe(assembly, questions, ids, options),
  })),
];
