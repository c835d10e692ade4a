/** The VCF files that requests name: below a configured directory or in a configured bucket, as far as the caller reaches them. */
import { filesOf, Places, type Source, sourceOfStored } from '../../../core/files.js';
import { prefixesMeet } from '../../../core/outgoing.js';
import { Fault, type Holding, type PluginContext, type Principal, type Tenant } from '../../../core/plugin.js';
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

/** Where files may be loaded from that members of tenants, and API tokens for a tenant's dataset, cannot load from. */
export function loadAdvice(
  { roots, buckets }: Pick<BeaconSettings, 'roots' | 'buckets'>,
  all: readonly Tenant[],
): string[] {
  const tenants = all.filter(({ datasets }) => datasets.length > 0);
  if (tenants.length === 0 || roots.length + buckets.length === 0) return [];
  const within = (root: string, tenant: Tenant) =>
    new Places({ roots: [root], tenants: all }).rootsIn([tenant]).length > 0;
  const below = (bucket: string, { urls }: Tenant) => urls.some((url) => prefixesMeet(url, bucket));
  const without = tenants.filter(
    (tenant) => !roots.some((root) => within(root, tenant)) && !buckets.some((bucket) => below(bucket, tenant)),
  );
  const lost = 'members with `load` and API tokens for single datasets load no VCF file';
  if (without.length > 0) {
    return without.map(
      ({ name }) =>
        `roots: nothing of the tenant ${name} is below them or \`buckets\`, so that its ${lost} by its name; write where its ` +
        `VCF files are to auth.tenants.${name}.roots or .urls`,
    );
  }
  const unowned = (setting: string, places: readonly string[], isOf: (place: string, tenant: Tenant) => boolean) =>
    places
      .filter((place) => !all.some((tenant) => isOf(place, tenant)))
      .map(
        (place) =>
          `${setting}: nothing below ${place} is a tenant's, so that ${lost} from it; write what belongs to a tenant to auth.tenants.NAME.roots or .urls`,
      );
  return [...unowned('roots', roots, within), ...unowned('buckets', buckets, below)];
}
