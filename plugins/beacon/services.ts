/** What the beacon builds once, for its faces and its jobs. */
import type { Uploads } from '../../core/files.js';
import { uploadsIn } from '../../core/outgoing.js';
import type { Access, Erasures, Fault, Jobs, OptionalAccess, PluginContext, Policy } from '../../core/plugin.js';
import { auditedGuard } from './audited-guard.js';
import { Denominators, type DenominatorsOf } from './callability/denominators.js';
import { findCallability } from './callability/find.js';
import { type BeaconRepository, beacon, beaconGenes, beaconProtection, type GeneRepository } from './contract.js';
import { type DatasetList, recentDatasets } from './domain/listing.js';
import { type FindPhenotypes, findPhenotypes } from './individuals/find-phenotypes.js';
import { createObserving, type Observing } from './observing/observing.js';
import { type Generations, generations } from './protection/generations.js';
import { type Guard, openGuard, protectingGuard } from './protection/guard.js';
import { protectsAny } from './protection/profiles.js';
import { frequenciesOf } from './protection/reference/lazy.js';
import { type Recording, recording } from './recording.js';
import { casesRight, observeRight, readRight, sharedRight, writeRight } from './rights.js';
import type { BeaconSettings } from './settings.js';
import { type NamedFiles, namedFiles } from './vcf/open-named.js';

export interface BeaconServices {
  settings: BeaconSettings;
  repository: BeaconRepository;
  genes: GeneRepository;
  /** The people who may not be loaded. */
  erasures: Erasures;
  /** All datasets, as of a moment ago at most. */
  datasets: DatasetList;
  /** What callers may know of datasets: faces show datasets, and read their alleles, by it alone. */
  guard: Guard;
  /** Publishes what is loaded into and deleted from protected datasets. */
  generations: Generations;
  policy: Policy;
  /** Counts out of how many samples of a dataset alleles were seen. */
  denominators: DenominatorsOf;
  /** Counts alleles in the datasets of which a caller may see counts. */
  observing: Observing;
  /** Finds the ontology of phenotypes, if a plugin has one. */
  phenotypes: FindPhenotypes;
  /** Tells routes that are open to every client who is calling. */
  readAccess: OptionalAccess;
  /** The token check of routes that change data; `mustWrite` then checks the dataset. */
  writeAccess: Access;
  /** The token checks of observations, for pages too; `observing` then finds the datasets. */
  observeAccess: Access;
  casesAccess: Access;
  /** Tells routes that are open to every client whether the caller may see observations. */
  observer: OptionalAccess;
  /** Records which datasets were asked, and whose data was shown. */
  recording: Recording;
  jobs: Jobs;
  /** Where VCF files that come with a request wait for their job. */
  uploads: Uploads;
  /** The VCF files that requests name. */
  named: NamedFiles;
  /** Counts a query by its outcome: `hit`, `miss`, or the code of the fault. */
  count(outcome: string): void;
  now(): Date;
  /** When this server started. */
  started: Date;
  /** The version of the software. */
  version: string;
  /** Public address of the server, if known. */
  baseUrl: string | undefined;
  /** Path of the API documentation; undefined if it is off. */
  docs: string | undefined;
}

export function beaconServices(context: PluginContext<BeaconSettings>): BeaconServices {
  const { tenants, jobs, now, version, baseUrl, docs } = context;
  // To one tenant the datasets of another are as if they did not exist.
  const isDivided = tenants !== undefined && tenants.all.length > 0;
  const settings = isDivided ? { ...context.settings, listProtected: false } : context.settings;
  const repository = context.repository(beacon);
  const callability = findCallability(context);
  const onUnavailable = ({ message }: Fault) =>
    context.log.warn({ reason: message }, 'the coverage of samples is unknown for now');
  const datasets = recentDatasets(repository);
  const { protection } = settings;
  const guarded = { repository, policy: context.policy };
  const stored = protectsAny(protection) ? context.repository(beaconProtection) : undefined;
  const frequencies = stored && frequenciesOf(protection.frequencies);
  if (frequencies) {
    context.onReady(frequencies.ready);
    context.onClose(frequencies.close);
  }
  const guarding = stored
    ? protectingGuard({
        ...guarded,
        protection: stored,
        settings: protection,
        frequencies,
        datasets,
        now,
      })
    : openGuard(guarded);
  const { audit, policy } = context;
  const guard = audit.enabled ? auditedGuard(guarding, { audit, policy, datasets, protection }) : guarding;
  const count = context.metrics.counter('queries_total', 'Allele queries by outcome', ['outcome']);
  const denominators: DenominatorsOf = async (dataset, threshold, reads = repository) =>
    new Denominators({ repository: reads, service: await callability(dataset), onUnavailable }, dataset, threshold);
  return {
    settings,
    repository,
    genes: context.repository(beaconGenes),
    erasures: context.erasures,
    datasets,
    guard,
    generations: generations({ repository, protection: stored, settings: protection, now }),
    policy: context.policy,
    denominators,
    observing: createObserving({ tenants, repository, callability, protection, datasets, policy, denominators }),
    phenotypes: findPhenotypes(context),
    readAccess: context.optionalAccess(readRight),
    writeAccess: context.tokenAccess(writeRight),
    observeAccess: context.browserAccess(observeRight, sharedRight),
    casesAccess: context.browserAccess(casesRight),
    observer: context.optionalAccess(observeRight),
    recording: recording(context),
    jobs,
    uploads: uploadsIn(settings.uploads.folder, 'vcf', context.s3),
    named: namedFiles(context),
    count: (outcome) => count({ outcome }),
    now,
    started: now(),
    version,
    baseUrl,
    docs,
  };
}
