/** What the beacon builds once when it starts, for its faces and its jobs; the address of this server in what they write. */
import { uploadsIn } from '../../core/outgoing.js';
import type { Fault, PluginContext } from '../../core/plugin.js';
import type { CallsService } from '../services/coverage.js';
import type { PhenotypeService } from '../services/matchmaker.js';
import { announcingAnnotations, announcingCalls } from './announced.js';
import { auditedGuard, recording } from './audit.js';
import { beacon, beaconConsequences, beaconDepths, beaconGenes, beaconProtection, type Dataset } from './contract.js';
import { Denominators, type DenominatorsOf, findCallability } from './counts/denominators.js';
import { createObserving } from './counts/observing.js';
import { publishedBy } from './protection/annotations.js';
import { frequenciesOfFiles } from './protection/frequencies.js';
import { generations } from './protection/generations.js';
import { openGuard, protectingGuard } from './protection/guard.js';
import { protectsAny } from './protection/profiles.js';
import { casesRight, observeRight, readRight, recent, sharedRight, writeRight } from './rights.js';
import type { BeaconSettings } from './settings.js';
import { withAllKept } from './vcf/consequences/kept.js';
import type { ConsequenceTools } from './vcf/consequences/staging.js';
import { callsKey } from './vcf/depths/called.js';
import { namedFiles } from './vcf/open-named.js';
import { formsBy, oneFormOf, withReferences } from './vcf/reference/aligned.js';
import { referencesIn } from './vcf/reference/packed.js';

export function beaconServices(context: PluginContext<BeaconSettings>) {
  const { tenants, jobs, now, version, baseUrl, docs } = context;
  // To one tenant the datasets of another are as if they did not exist.
  const isDivided = tenants !== undefined && tenants.all.length > 0;
  const settings = isDivided ? { ...context.settings, listProtected: false } : context.settings;
  const depths = context.repository(beaconDepths);
  const references = referencesIn(context.settings.references.folder);
  const consequences = announcingAnnotations(context.repository(beaconConsequences), context);
  const formOf = formsBy(references);
  const kept = { depths, consequences, formOf };
  const aligned = withReferences(context.repository(beacon), references);
  const repository = announcingCalls(withAllKept(aligned, kept), context);
  const genes = context.repository(beaconGenes);
  const callability = findCallability(context);
  const onUnavailable = ({ message }: Fault) =>
    context.log.warn({ reason: message }, 'the coverage of samples is unknown for now');
  const datasets = recent((): Promise<readonly Dataset[]> => repository.datasets());
  const { protection } = settings;
  const guarded = { repository, policy: context.policy };
  const stored = protectsAny(protection) ? context.repository(beaconProtection) : undefined;
  const frequencies = stored && frequenciesOfFiles(protection.frequencies, references);
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
        formOf,
        datasets,
        now,
      })
    : openGuard(guarded);
  const consequenceTools: ConsequenceTools = {
    ...{ repository, consequences, genes, formOf },
    published: publishedBy(stored, protection),
  };
  const { audit, policy } = context;
  const guard = audit.enabled ? auditedGuard(guarding, { audit, policy, datasets, protection }) : guarding;
  const denominators: DenominatorsOf = async (dataset, threshold, reads = repository) =>
    new Denominators(
      {
        repository: reads,
        service: await callability(dataset),
        oneForm: oneFormOf(references, dataset.assembly),
        onUnavailable,
      },
      dataset,
      threshold,
    );
  return {
    settings,
    repository,
    depths,
    references,
    /** Keeps depths of loads, and has them compared. */
    depthTools: { repository, depths, calls: async () => context.find<CallsService>(callsKey), names: false },
    consequences,
    /** Keeps consequences of loads. */
    consequenceTools,
    genes,
    /** The people who may not be loaded. */
    erasures: context.erasures,
    datasets,
    /** What callers may know of datasets: faces show datasets, and read their alleles, by it alone. */
    guard,
    /** Publishes what is loaded into and deleted from protected datasets. */
    generations: generations({
      ...{ repository, annotations: consequenceTools, depths, protection: stored, settings: protection, now },
    }),
    /** By which references datasets are left-aligned. */
    formOf,
    policy,
    denominators,
    /** Counts alleles in the datasets of which a caller may see counts. */
    observing: createObserving({ tenants, repository, callability, protection, datasets, policy, denominators }),
    phenotypes: findPhenotypes(context),
    /** For routes that are open to every client: who is calling. */
    readAccess: context.optionalAccess(readRight),
    /** The token check of routes that change data; `mustWrite` then checks the dataset. */
    writeAccess: context.tokenAccess(writeRight),
    /** The token checks of observations, for pages too; `observing` then finds the datasets. */
    observeAccess: context.browserAccess(observeRight, sharedRight),
    casesAccess: context.browserAccess(casesRight),
    /** For routes that are open to every client: whether the caller may see observations. */
    observer: context.optionalAccess(observeRight),
    /** Records which datasets were asked, and whose data was shown. */
    recording: recording(context),
    jobs,
    /** Where VCF files that come with a request wait for their job. */
    uploads: uploadsIn(settings.uploads.folder, 'vcf', context.s3),
    /** The VCF files that requests name. */
    named: namedFiles(context),
    /** Counts a query by its outcome: `hit`, `miss`, or the code of the fault. */
    count: context.metrics.counter('queries_total', 'Allele queries by outcome', ['outcome']),
    now,
    /** When this server started. */
    started: now(),
    /** The version of the software. */
    version,
    /** Public address of the server, if known. */
    baseUrl,
    /** Path of the API documentation; undefined if it is off. */
    docs,
  };
}

export type BeaconServices = ReturnType<typeof beaconServices>;

// Finds the service that knows the Human Phenotype Ontology.

/** The key under which the matchmaker plugin offers it. */
const phenotypesKey = 'matchmaker/phenotypes@1';

export type { PhenotypeService };

/** Undefined if no plugin offers it: terms then have no known descendants. */
export type FindPhenotypes = () => Promise<PhenotypeService | undefined>;

function findPhenotypes({ find }: Pick<PluginContext<unknown>, 'find'>): FindPhenotypes {
  return async () => find<PhenotypeService>(phenotypesKey);
}

// What pages and documents say of this server.

/** Without texts that are not configured. */
export function configured<Texts extends Record<string, string | null>>(
  texts: Texts,
): Partial<Record<keyof Texts, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text)) as Partial<Record<keyof Texts, string>>;
}

/** The configured public address, else the host that the client named; without a slash at its end. */
export function addressOfServer(baseUrl: string | undefined, host: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl;
  return `http://${host !== undefined && /^[A-Za-z0-9._-]+(:\d+)?$|^\[[0-9A-Fa-f:.]+\](:\d+)?$/.test(host) ? host : 'localhost'}`;
}

/** The path of the public address, which precedes every link of a page; empty if the server is at the root. */
export function pathBefore(baseUrl: string | undefined): string {
  return baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
}
