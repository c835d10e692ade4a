/**
 * The event `beacon/calls-changed@1`: what a dataset has changed. It is announced after each change, so that a process that dies in
 * between announces nothing: listeners also look for themselves now and then.
 */
import type { Announcing } from '../../core/plugin.js';
import type { BeaconRepository, ConsequenceRepository } from './contract.js';

export interface CallsChanged {
  readonly dataset: string;
  /** Samples whose calls or facts changed, by their names in the dataset; omitted if any may have, as with new annotations. */
  readonly samples?: readonly string[];
}

type ChangingVerbs = Pick<BeaconRepository, 'importAlleles' | 'removeSamples' | 'describeSamples' | 'removeDataset'>;

/** The same repository, which announces what it changes. */
export function announcingCalls<Repository extends ChangingVerbs>(
  repository: Repository,
  { announce }: Pick<Announcing, 'announce'>,
): Repository {
  const changed = (event: CallsChanged) => announce<CallsChanged>('beacon/calls-changed@1', event);
  return {
    ...repository,
    async importAlleles(...[request, now]: Parameters<BeaconRepository['importAlleles']>) {
      const done = await repository.importAlleles(request, now);
      await changed({ dataset: request.dataset, samples: request.samples });
      return done;
    },
    async removeSamples(dataset: string, samples: readonly string[], now: Date) {
      const done = await repository.removeSamples(dataset, samples, now);
      await changed({ dataset, samples });
      return done;
    },
    async describeSamples(...[dataset, changes, now]: Parameters<BeaconRepository['describeSamples']>) {
      const done = await repository.describeSamples(dataset, changes, now);
      if (done > 0) await changed({ dataset, samples: [...changes.keys()] });
      return done;
    },
    async removeDataset(id: string) {
      const done = await repository.removeDataset(id);
      if (done) await changed({ dataset: id });
      return done;
    },
  };
}

/** The same repository, which announces datasets of which annotations are published. */
export function announcingAnnotations<Repository extends Pick<ConsequenceRepository, 'publish'>>(
  consequences: Repository,
  { announce }: Pick<Announcing, 'announce'>,
): Repository {
  return {
    ...consequences,
    async publish(dataset: string, loads: readonly number[], now: Date) {
      await consequences.publish(dataset, loads, now);
      if (loads.length > 0) await announce<CallsChanged>('beacon/calls-changed@1', { dataset });
    },
  };
}
