/** The list of datasets, as every query needs it. */
import type { BeaconRepository, Dataset } from '../contract.js';

/**
 * Milliseconds for which a list may answer further queries. A dataset that another process adds, protects or removes is
 * so much later noticed; what matters to privacy is no better without: a query just before the change sees it too.
 */
const fresh = 100;

/** Reads the list at most ten times a second, however many queries there are, and once for those that come together. */
export function recentDatasets(repository: Pick<BeaconRepository, 'datasets'>): () => Promise<readonly Dataset[]> {
  let read: Promise<readonly Dataset[]> | undefined;
  let until = 0;
  return () => {
    if (read && performance.now() < until) return read;
    const reading = repository.datasets();
    read = reading;
    until = performance.now() + fresh;
    reading.catch(() => {
      // Whoever waits for it is told; the next asks anew.
      if (read === reading) read = undefined;
    });
    return reading;
  };
}
