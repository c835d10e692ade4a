/** The VCF files that requests name: below a configured directory or in a configured bucket, as far as the caller reaches them. */
import { filesOf, Places, type Source, sourceOfStored } from '../../../core/files.js';
import { Fault, type Holding, type PluginContext, type Principal } from '../../../core/plugin.js';
import { writeRight } from '../rights.js';
import type { BeaconSettings } from '../settings.js';

export interface NamedFiles {
  /** How the caller may change the dataset, which decides the files that it may load into it: a job keeps it, and opens by it. */
  holding(caller: Principal, dataset: string): Promise<Holding>;
  /**
   * Opens a file to be loaded into the dataset, under the tenants of now. Any file elsewhere is the same `unprocessable` fault,
   * whether or not it exists or could be read. Throws `unavailable` if an object storage fails.
   */
  open(path: string, dataset: string, holding: Holding): Promise<Source>;
}

export function namedFiles({
  settings: { roots, buckets },
  s3,
  policy,
  tenants,
}: Pick<
  PluginContext<Pick<BeaconSettings, 'roots' | 'buckets'>>,
  'settings' | 's3' | 'policy' | 'tenants'
>): NamedFiles {
  const all = tenants?.all ?? [];
  const places = new Places({ roots, buckets, s3, tenants: all });
  return {
    holding: (caller, id) => policy.holding(caller, writeRight, { id }),
    async open(path, id, holding) {
      const file = await places.stored(path, filesOf(holding, writeRight, { id }, all));
      if (file !== undefined) return sourceOfStored(file, path);
      throw new Fault('unprocessable', `VCF file was not found at the provided path:${path.slice(0, 300)}`);
    },
  };
}
