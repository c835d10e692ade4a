/** The stored patients that searches found lately, so that a patient that is found again is not read again. */
import type { MatchmakerRepository, StoredPatient } from '../contract.js';

type Read = Pick<MatchmakerRepository, 'changesSince' | 'patientsByNumber'>;

/** Characters of the kept patients, as JSON: some thousand patients. Those that were found longest ago are dropped. */
const keptAtMost = 8_000_000;
/** Characters of the longest patient that is kept. */
const longest = 65_536;

/**
 * The same reads. A patient that was read before is returned again, as the same object, until `changesSince` has returned a
 * change of it: patients are as new as the changes that the caller has read.
 */
export function recentPatients(patients: Read): Read {
  /** In the order in which they were found. */
  const kept = new Map<number, { stored: StoredPatient; length: number }>();
  let length = 0;
  /** How many batches of changes were read: a patient that was read before the last of them may be outdated. */
  let batches = 0;

  function drop(number: number): void {
    length -= kept.get(number)?.length ?? 0;
    kept.delete(number);
  }

  function keep(stored: StoredPatient): void {
    const own = JSON.stringify(stored.patient).length;
    if (own > longest) return;
    drop(stored.number);
    kept.set(stored.number, { stored, length: own });
    length += own;
    for (const oldest of kept.keys()) {
      if (length <= keptAtMost) break;
      drop(oldest);
    }
  }

  return {
    async *changesSince(revision) {
      for await (const changes of patients.changesSince(revision)) {
        batches += 1;
        for (const { number } of changes.saved) drop(number);
        for (const number of changes.removed) drop(number);
        yield changes;
      }
    },

    async patientsByNumber(numbers, options) {
      const found: StoredPatient[] = [];
      const missing: number[] = [];
      for (const number of numbers) {
        const one = kept.get(number);
        if (one === undefined) missing.push(number);
        else {
          found.push(one.stored);
          kept.delete(number);
          kept.set(number, one);
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
