/** What the beacon builds once when it starts, for its faces and its jobs; the address of this server in what they write. */
import type { Uploads } from '../../core/files.js';
import { uploadsIn } from '../../core/outgoing.js';
import type { Access, Erasures, Fault, Jobs, OptionalAccess, PluginContext, Policy } from '../../core/plugin.js';
import type { PhenotypeService } from '../services/matchmaker.js';
import { auditedGuard, type Recording, recording } from './audit.js';
import { type BeaconRepository, beacon, beaconGenes, beaconProtection, type GeneRepository } from './contract.js';
import { Denominators, type DenominatorsOf, findCallability } from './counts/denominators.js';
import { createObserving, type DatasetObserver } from './counts/observing.js';
import { frequenciesOfFiles } from './protection/frequencies.js';
import { type Generations, generations } from './protection/generations.js';
import { type Guard, openGuard, protectingGuard } from './protection/guard.js';
import { protectsAny } from './protection/profiles.js';
import {
  casesRight,
  type DatasetList,
  observeRight,
  readRight,
  recentDatasets,
  sharedRight,
  writeRight,
} from './rights.js';
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
  observing: DatasetObserver;
  /** Finds the ontology of phenotypes, if a plugin has one. */
  phenotypes: FindPhenotypes;
  /** For routes that are open to every client: who is calling. */
  readAccess: OptionalAccess;
  /** The token check of routes that change data; `mustWrite` then checks the dataset. */
  writeAccess: Access;
  /** The token checks of observations, for pages too; `observing` then finds the datasets. */
  observeAccess: Access;
  casesAccess: Access;
  /** For routes that are open to every client: whether the caller may see observations. */
  observer: OptionalAccess;
  /** Records which datasets were asked, and whose data was shown. */
  recording: Recording;
  jobs: Jobs;
  /** Where VCF files that come with a request wait for their job. */
  uploads: Uploads;
  /** The VCF files that requests name. */
  named: NamedFiles;
  /** Counts a query by its outcome: `hit`, `miss`, or the code of the fault. */
  count(labels: { outcome: string }): void;
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
  const frequencies = stored && frequenciesOfFiles(protection.frequencies);
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
    count,
    now,
    started: now(),
    version,
    baseUrl,
    docs,
  };
}

// Finds the service that knows the Human Phenotype Ontology.

/** The key under which the matchmaker plugin offers it. */
const phenotypesKey = 'matchmaker/phenotypes@1';

export type { PhenotypeService };

/** Undefined if no plugin offers it: terms then have no known descendants. */
export type FindPhenotypes = () => Promise<PhenotypeService | undefined>;

function findPhenotypes({ find }: Pick<PluginContext<unknown>, 'find'>): FindPhenotypes {
  return async () => find<PhenotypeService>(phenotypesKey);
}

// The address of this server in pages and documents.

/** The configured public address, else the host that the client named; without a slash at its end. */
export function addressOfServer(baseUrl: string | undefined, host: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl;
  return `http://${host !== undefined && /^[A-Za-z0-9._-]+(:\d+)?$|^\[[0-9A-Fa-f:.]+\](:\d+)?$/.test(host) ? host : 'localhost'}`;
}

/** The path of the public address, which precedes every link of a page; empty if the server is at the root. */
export function pathBefore(baseUrl: string | undefined): string {
  return baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
}
