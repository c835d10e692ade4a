/** What the beacon builds once, for its faces and its jobs. */
import { type UploadFolder, uploadFolder } from '../../core/files.js';
import type { Access, Jobs, PluginContext } from '../../core/plugin.js';
import { type BeaconRepository, beacon, beaconGenes, type Dataset, type GeneRepository } from './contract.js';
import { type AccessOf, accessBy } from './domain/access.js';
import { recentDatasets } from './domain/listing.js';
import { writeScope } from './domain/scope.js';
import type { BeaconSettings } from './settings.js';

export interface BeaconServices {
  settings: BeaconSettings;
  repository: BeaconRepository;
  genes: GeneRepository;
  /** All datasets, as of a moment ago at most. */
  datasets(): Promise<readonly Dataset[]>;
  /** Which datasets the credentials of a request open to queries. */
  accessOf: AccessOf;
  /** The token check of routes that change data; `mustWrite` then checks the dataset. */
  writeAccess: Access;
  jobs: Jobs;
  /** Where VCF files that come with a request wait for their job. */
  uploads: UploadFolder;
  /** Counts a query by its outcome: `hit`, `miss`, or the code of the fault. */
  count(outcome: string): void;
  now(): Date;
  /** When this server started. */
  started: Date;
  /** The version of the software. */
  version: string;
  /** Public address of the server, if known. */
  baseUrl: string | undefined;
}

export function beaconServices(context: PluginContext<BeaconSettings>): BeaconServices {
  const { settings, jobs, now, version, baseUrl } = context;
  const repository = context.repository(beacon);
  const count = context.metrics.counter('queries_total', 'Allele queries by outcome', ['outcome']);
  return {
    settings,
    repository,
    genes: context.repository(beaconGenes),
    datasets: recentDatasets(repository),
    accessOf: accessBy(context.holderOf),
    writeAccess: context.tokenAccess(writeScope, { some: true }),
    jobs,
    uploads: uploadFolder(settings.uploads.folder, 'vcf'),
    count: (outcome) => count({ outcome }),
    now,
    started: now(),
    version,
    baseUrl,
  };
}
