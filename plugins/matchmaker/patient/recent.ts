/** The stored patients that searches found lately, so that a patient that is found again is not read again. */
import type { MatchmakerRepository, StoredPatient } from '../contract.js';

type Read = Pick<MatchmakerRepository, 'changesSince' | 'patientsByNumber'>;

/** Patients that are kept; the one that was found longest ago is dropped. */
const keptAtMost = 2000;
/** Characters of the longest patient that is kept, as JSON. */
const longest = 16_384;

/**
 * The same reads. A patient that was read before is returned again, as the same object, until `changesSince` has returned a
 * change of it: patients are as new as the changes that the caller has read.
 */
export function recentPatients(patients: Read): Read {
  /** In the order in which they were found. */
  const kept = new Map<number, StoredPatient>();
  /** How many batches of changes were read: a patient that was read before the last of them may be outdated. */
  let batches = 0;

  function keep(stored: StoredPatient): void {
    if (JSON.stringify(stored.patient).length > longest) return;
    kept.set(stored.number, stored);
    const [oldest] = kept.keys();
    if (kept.size > keptAtMost && oldest !== undefined) kept.delete(oldest);
  }

  return {
    async *changesSince(revision) {
      for await (const changes of patients.changesSince(revision)) {
        batches += 1;
        for (const { number } of changes.saved) kept.delete(number);
        for (const number of changes.removed) kept.delete(number);
        yield changes;
      }
    },

    async patientsByNumber(numbers, options) {
      const found: StoredPatient[] = [];
      const missing: number[] = [];
      for (const number of numbers) {
        const stored = kept.get(number);
        if (stored === undefined) missing.push(number);
        else {
          found.push(stored);
          kept.delete(number);
          kept.set(number, stored);
        }
      }
      if (missing.length === 0) return found;
      const before = batches;
      const read = await patients.patientsByNumber(missing, options);
      if (before === batches) for (const stored of read) keep(stored);
      return [...found, ...read];
    },
  };
}
