/** Generations on a storage, as a server makes them. */
import type { Storage } from '../../../../core/storage.js';
import {
  type BeaconRepository,
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconProtection,
  type ProtectionRepository,
} from '../../../../plugins/beacon/contract.js';
import type { FormOf } from '../../../../plugins/beacon/domain/dataset-forms.js';
import { publishedBy } from '../../../../plugins/beacon/protection/annotations.js';
import { generations } from '../../../../plugins/beacon/protection/generations.js';
import { protectsAny } from '../../../../plugins/beacon/protection/profiles.js';
import type { ConsequenceTools } from '../../../../plugins/beacon/vcf/consequences/staging.js';

type Tools = Parameters<typeof generations>[0];

export interface GenerationOptions extends Pick<Tools, 'settings' | 'now'> {
  /** Those of the storage if omitted. */
  repository?: BeaconRepository;
  protection?: ProtectionRepository;
  formOf?: FormOf | undefined;
}

/** What its loads of consequences use: no gene has a number that its file does not state. */
export function annotationsOn(
  storage: Pick<Storage, 'repository'>,
  { repository = storage.repository(beacon), settings, formOf }: Omit<GenerationOptions, 'now'>,
): ConsequenceTools {
  const protection = protectsAny(settings) ? storage.repository(beaconProtection) : undefined;
  return {
    repository,
    consequences: storage.repository(beaconConsequences),
    genes: { genes: async () => [] },
    formOf,
    published: publishedBy(protection, settings),
  };
}

export function generationsOn(storage: Pick<Storage, 'repository'>, options: GenerationOptions) {
  const { repository = storage.repository(beacon), settings, now } = options;
  return generations({
    ...{ repository, settings, now },
    annotations: annotationsOn(storage, options),
    depths: storage.repository(beaconDepths),
    protection: protectsAny(settings) ? (options.protection ?? storage.repository(beaconProtection)) : undefined,
  });
}
