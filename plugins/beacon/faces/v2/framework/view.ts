/** The data that a request sees. */
import type { Caller } from '../../../../../core/plugin.js';
import type { BeaconRepository, Dataset } from '../../../contract.js';
import { type Disclosed, disclosed } from '../../../disclosure.js';
import type { BeaconReads } from '../../../protection/reads.js';
import type { BeaconServices } from '../../../services.js';

/** What entries read. */
export type Source = Pick<BeaconReads, 'present' | 'found' | 'eachAllele' | 'sampleFacts' | 'salt'>;

/** Counts out of how many samples alleles were seen. */
export type Counting = Pick<BeaconRepository, 'observe'> & Pick<BeaconServices, 'denominators'>;

export interface View {
  /** The datasets that the caller may query, by id. */
  open: readonly Disclosed[];
  /** Those of which the caller may know name and description only. */
  listed: readonly Dataset[];
  source: Source;
  /** Undefined in test mode. */
  counting: Counting | undefined;
}

export async function viewOf(services: BeaconServices, caller: Caller): Promise<View> {
  const { repository, guard, settings, denominators } = services;
  const all = await services.datasets.current();
  const open = await disclosed(services, caller, all);
  const ids = new Set(open.map(({ dataset }) => dataset.id));
  const listed = settings.listProtected ? all.filter(({ id }) => !ids.has(id)) : [];
  const observe: Counting['observe'] = (...asked) => repository.observe(...asked);
  return { open, listed, source: guard.reads(caller), counting: { observe, denominators } };
}
