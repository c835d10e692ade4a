/** The list of datasets, which every query needs. */
import type { BeaconRepository, Dataset } from '../contract.js';

/**
 * Milliseconds for which a list serves further queries. Changes by other processes take effect so much later, which makes no
 * difference to privacy: a query just before the change would see the old state too.
 */
const fresh = 100;

export interface DatasetList {
  /** All datasets, as of a moment ago at most. */
  current(): Promise<readonly Dataset[]>;
  /** The next call of `current` reads anew: after a change by this process, whose client may query at once. */
  forget(): void;
}

/** Reads the list at most ten times a second, and once for concurrent queries. */
export function recentDatasets(repository: Pick<BeaconRepository, 'datasets'>): DatasetList {
  let read: Promise<readonly Dataset[]> | undefined;
  let until = 0;
  return {
    current() {
      if (read && performance.now() < until) return read;
      const reading = repository.datasets();
      read = reading;
      until = performance.now() + fresh;
      reading.catch(() => {
        // Those that wait get the error; the next query reads again.
        if (read === reading) read = undefined;
      });
      return reading;
    },
    forget() {
      read = undefined;
    },
  };
}
