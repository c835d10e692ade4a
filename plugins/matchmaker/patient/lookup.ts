/** Looks up stored patients by id for many requests at once. */
import { gather } from '../../../core/plugin.js';
import type { MatchmakerRepository, StoredPatient } from '../contract.js';

/** Ids in one statement. */
const most = 1000;

/**
 * Returns a function that looks up one patient. Requests that arrive during a look-up share the next one: a request never
 * uses one that began before it.
 */
export function patientLookup(
  patients: Pick<MatchmakerRepository, 'patientsById'>,
): (id: string) => Promise<StoredPatient | undefined> {
  return gather<string, StoredPatient | undefined>({
    async together(ids) {
      const found = await patients.patientsById([...new Set(ids)]);
      const byId = new Map(found.map((stored) => [stored.patient.id, stored]));
      return ids.map((id) => byId.get(id));
    },
    most,
    groups: 1,
  });
}
