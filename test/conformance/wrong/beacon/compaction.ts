/** Beacon repositories that merge imports wrongly. */
import { type Allele, alleleKey, widened } from '../../../../plugins/beacon/contract.js';
import type { Wrong } from '../wrap.js';
import { gathered, once, wrong } from './damage.js';

export const wrongBeaconCompaction: readonly Wrong[] = [
  wrong('calls merging a change', 'merging imports changes no result', () => (right) => ({
    compact: async (id, pause) => {
      const described = await right.dataset(id);
      if (described) await right.updateDataset(described, new Date());
      return right.compact(id, pause);
    },
  })),
  wrong('never ends merging', 'merging imports changes no result', () => () => ({ compact: async () => 1 })),
  wrong('merges a dataset that does not exist', 'merging imports changes no result', () => (right) => ({
    compact: async (id) => ((await right.dataset(id)) ? 0 : 1),
  })),
  wrong(
    'gives every carrier the widest ranges when it merges',
    'samples are removed after merging as if they had never been added',
    () => {
      const widest = new Map<string, Allele>();
      let merged = false;
      return (right) => ({
        compact: async (id, pause) => {
          merged = true;
          await right.eachAllele(id, async (alleles) => {
            for (const { calls: _, ...allele } of alleles) {
              const key = `${id} ${alleleKey(allele)}`;
              widest.set(key, widened(widest.get(key) ?? allele, allele));
            }
          });
          return right.compact(id, pause);
        },
        eachAllele: (id, take) =>
          right.eachAllele(id, (alleles) =>
            take(
              alleles.map((allele) => {
                const before = widest.get(`${id} ${alleleKey(allele)}`);
                return merged && before ? widened(allele, before) : allele;
              }),
            ),
          ),
      });
    },
  ),
  wrong('loses what is imported during a merge', 'imports and removals during merging are kept', () => {
    let merging = 0;
    return (right) => ({
      compact: async (id, pause) => {
        merging += 1;
        await new Promise((resolve) => setImmediate(resolve));
        return right.compact(id, pause).finally(() => {
          merging -= 1;
        });
      },
      importAlleles: async (request, now) => {
        if (merging === 0) return right.importAlleles(request, now);
        const alleles = await gathered(request.alleles);
        const change = await right.importAlleles({ ...request, alleles: once(alleles) }, now);
        await right.removeSamples(request.dataset, request.samples, now);
        return change;
      },
    });
  }),
  wrong(
    'ends a merge that is broken off silently',
    'a merge that is broken off leaves the imports as they were',
    () => (right) => ({
      compact: async (id, pause) => {
        await pause().catch(() => undefined);
        return right.compact(id, pause);
      },
    }),
  ),
];
