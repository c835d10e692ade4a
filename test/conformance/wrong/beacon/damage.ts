/** The ways in which a beacon repository goes wrong. */

import type {
  AlleleQuery,
  BeaconRepository,
  CalledAllele,
  Import,
  matches,
  Tally,
} from '../../../../plugins/beacon/contract.js';
import { Model } from '../../beacon/model.js';
import { beacon } from '../../beacon.js';
import { type Damage, type Wrong, wrongRepository } from '../wrap.js';

export const wrong = (does: string, fails: string, damage: Damage<BeaconRepository>): Wrong =>
  wrongRepository(beacon, does, fails, damage);

/** Searches by a rule of its own, and counts by a tally of its own. */
export function byRule(does: string, fails: string, rule: typeof matches, tally?: () => Tally): Wrong {
  return wrong(does, fails, () => {
    const model = new Model();
    const search = (query: AlleleQuery, ids: readonly string[]) => model.search(query, ids, rule, tally);
    return (right) => ({
      addDataset: async (description, now) => {
        await right.addDataset(description, now);
        model.add(description.id, description.assembly);
      },
      importAlleles: async (request, now) => {
        const alleles = await gathered(request.alleles);
        const change = await right.importAlleles({ ...request, alleles: once(alleles) }, now);
        model.import(request.dataset, request.samples, alleles);
        return change;
      },
      search: async (query, ids) => search(query, ids),
      present: async (query, ids) => search(query, ids).map(({ dataset }) => dataset),
    });
  });
}

/** Changes queries before they are asked. */
export function byQuery(does: string, fails: string, change: (query: AlleleQuery) => AlleleQuery): Wrong {
  return wrong(does, fails, () => (right) => ({
    search: (query, ids) => right.search(change(query), ids),
    present: (query, ids) => right.present(change(query), ids),
  }));
}

/** Changes the alleles of every batch before they are stored. */
export function byBatch(
  does: string,
  fails: string,
  change: (batch: readonly CalledAllele[]) => CalledAllele[],
): Wrong {
  return wrong(does, fails, () => (right) => ({
    importAlleles: (request, now) => {
      const alleles = (async function* () {
        for await (const batch of request.alleles) yield change(batch);
      })();
      return right.importAlleles({ ...request, alleles }, now);
    },
  }));
}

export async function gathered(alleles: Import['alleles']): Promise<CalledAllele[]> {
  const all: CalledAllele[] = [];
  for await (const batch of alleles) all.push(...batch);
  return all;
}

export async function* once(alleles: readonly CalledAllele[]) {
  yield alleles;
}
