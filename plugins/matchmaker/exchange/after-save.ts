/** What saving a patient sets off: a search for similar patients, in the background. */
import { z } from 'zod';
import type { Jobs } from '../../../core/plugin.js';
import { isReal, matchmakerMatches, matchmakerNodes, thisNode } from '../contract.js';
import type { AfterSave } from '../patients/saving.js';

export const searchKind = 'matchmaker.search';

/** Numbers only: a job holds no data that outlives its patient. */
const question = z.strictObject({ number: z.int(), version: z.int() });

export const searchPayload = z.strictObject({ patients: z.array(question) });
export type SearchPayload = z.output<typeof searchPayload>;

/** Patients in one job, few so that little is repeated after a crash. */
const patientsPerJob = 50;

/**
 * Queues searches in the transaction that saves patients: of all if a node is connected, or if new patients are compared with
 * earlier queries and there are any; else of those that are compared with stored patients.
 */
export function searchAfterSave(
  jobs: Pick<Jobs, 'enqueue'>,
  { indirect, within }: { indirect: boolean; within: boolean },
): AfterSave {
  return async (all, scope) => {
    const compared = within ? all.filter(({ stored }) => isReal(stored)) : [];
    const others = async () =>
      (await scope.repository(matchmakerNodes).connected()) ||
      (indirect && (await scope.repository(matchmakerMatches).asked()));
    const saved = compared.length < all.length && (await others()) ? all : compared;
    for (const owner of new Set(saved.map(({ stored }) => stored.owner))) {
      const patients = saved
        .filter(({ stored }) => stored.owner === owner)
        .map(({ stored: { number, version } }) => ({ number, version }));
      for (let i = 0; i < patients.length; i += patientsPerJob) {
        const payload: SearchPayload = { patients: patients.slice(i, i + patientsPerJob) };
        await jobs.enqueue(searchKind, payload, { owner, scope });
      }
    }
  };
}

/**
 * For commands, which run no jobs: notes that servers are to query every enabled node with the patients, and to compare them
 * with those that are stored here.
 */
export function queryLater({ within }: { within: boolean }): AfterSave {
  return async (saved, scope) => {
    const nodes = scope.repository(matchmakerNodes);
    const ids = (await nodes.nodes()).filter(({ enabled }) => enabled).map(({ id }) => id);
    for (const { stored } of saved) await nodes.owe(within && isReal(stored) ? [...ids, thisNode.id] : ids, stored);
  };
}
