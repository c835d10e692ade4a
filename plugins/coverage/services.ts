/** What the coverage plugin builds once, for its routes, pages and jobs. */
import type { CommandContext } from '../../core/commands.js';
import type { Uploads } from '../../core/files.js';
import { bearerVerifier, formOrCookieAccess, headerAccess } from '../../core/openid.js';
import { uploadsIn } from '../../core/outgoing.js';
import { type Access, type Jobs, PdfMaker, type PluginContext, type Principal } from '../../core/plugin.js';
import type { CalledDepthsService } from '../services/beacon.js';
import { type CohortTools, cohortFollower, type FillTools } from './cohorts/keep.js';
import { KnownCohorts } from './cohorts/layout-regions.js';
import type { Member, SharedMembers } from './cohorts/members.js';
import { createRunCharts, type RunCharts } from './cohorts/runs.js';
import { type Cohorts, storedCohorts } from './cohorts/values.js';
import {
  type Build,
  coverage,
  coverageCohorts,
  coverageRegions,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
  type IntervalRepository,
  type RegionRepository,
  type SiteRepository,
} from './contract.js';
import { demoFolder } from './demo/demo.js';
import { type CallerServices, servicesForCallers } from './http/access/callers.js';
import { type ReachedServices, type ReachTools, servicesOfReach } from './http/access/reach.js';
import { coverageRecording } from './http/access/recording.js';
import { admitsPanel, createTickets, type Tickets, withTickets } from './http/access/ticket-access.js';
import { checkJob } from './jobs.js';
import { createMeasure, createMeasureColumns } from './measure/create-measure.js';
import { createExamine, type Examine } from './measure/examine.js';
import { withTranscriptNames } from './measure/genes.js';
import { createFindCopyExons, type FindCopyExons } from './measure/karyotype.js';
import type { Measure } from './measure/measure.js';
import type { FindingsOf } from './measure/quality.js';
import { createFindSameFiles, type FindSameFiles } from './measure/same-files.js';
import { createPredictSex, type PredictSex } from './measure/sex.js';
import { type CoverageSources, coverageSources } from './measure/sources.js';
import { WorkQueue } from './measure/work-queue.js';
import { createKeptReports, type KeptReports } from './report/kept/kept.js';
import { type FindPanels, type PanelRequest, panelReaderOf, panelsKey } from './report/panel.js';
import { loadRight, readSamplesRight, registerRight, reportRight, ticketRight } from './rights.js';
import { type Callability, createCallability } from './samples/callability/callability.js';
import { calledDepthsKey } from './samples/calls-fit.js';
import { announceSamples, type SampleFollower, type SampleRegistry } from './samples/changes.js';
import type { CheckTools } from './samples/check.js';
import { type FindSampleFacts, noticing, sampleFactsKey } from './samples/find.js';
import { type ComparisonTools, compareSample, comparingOf } from './samples/findings.js';
import { type TrackTools, trackFollower } from './samples/tracks/make-tracks.js';
import type { CoverageSettings } from './settings.js';

/** The form field and cookie that the pages read a token from first. */
export const tokenField = 'access_token';

/** What reports and endpoints measure samples with. */
export interface MeasuringServices {
  settings: CoverageSettings;
  intervals: IntervalRepository;
  sources: CoverageSources;
  measure: Measure;
  /** Requests wait here before they measure many intervals. */
  queue: WorkQueue;
  predictSex: PredictSex;
  /** Measures samples and checks their quality. */
  examine: Examine;
  /** The values of registered samples, beside which those of a report are shown. */
  cohorts: Cohorts;
  /** All registered samples of a build, to choose cohorts from. */
  members(build: Build, signal: AbortSignal): Promise<readonly Member[]>;
  /** The samples that other tenants share with the caller, for cohorts. */
  shared(build: Build, signal: AbortSignal): Promise<readonly SharedMembers[]>;
  runCharts: RunCharts;
  /** Exons by which the copies of X and Y are counted in captures. */
  copyExons: FindCopyExons;
  /** Whether the caller may see aneuploidies of the sex chromosomes. */
  seesAneuploidy: boolean;
  /** Known sites, whose depths reports state. */
  sites: Pick<SiteRepository, 'find'>;
  /** Which registered samples cover them. */
  callability: Pick<Callability, 'coveredNow'>;
  /** What comparisons with other samples found of registered ones. */
  findingsOf: FindingsOf;
  /** Regions whose bases depth alone cannot judge. */
  regions: Pick<RegionRepository, 'find'>;
}

export interface CoverageServices extends MeasuringServices, ReachedServices, CallerServices<CoverageServices> {
  sites: SiteRepository;
  regions: RegionRepository;
  callability: Callability;
  /** The token checks. `header`, `form` and `link` are omitted if no token is needed. */
  access: {
    /** `Authorization: Bearer`, for the endpoints under /coverage. */
    header?: Access;
    /** Form field or cookie `access_token` (and those of `tokenFields`), for the pages. */
    form?: Access;
    /** `Authorization: Bearer`, or else the cookie of the pages, for what pages link to and programs read. */
    link?: Access;
    /** API tokens that may load intervals. */
    load: Access;
    /** API tokens that may register samples, and those that may see them. */
    register: Access;
    readSamples: Access;
    /** API tokens that may make tickets. */
    tickets: Access;
    /** API tokens of operators, for demo pages that are not open. */
    operator(): Access;
  };
  /** Undefined if tickets are off. */
  tickets: Tickets | undefined;
  /** Panels that requests name. */
  panels: FindPanels;
  /**
   * Who asks for a panel: the holder of the API token that the request brings for it, else the caller; undefined without either.
   * `operator` if the caller's ticket names the panel of this reference.
   */
  panelReader(request: PanelRequest, reference?: string): Promise<Principal | 'operator' | undefined>;
  /** Reports that are kept; undefined if none is. */
  kept: KeptReports | undefined;
  /** For changes of samples. */
  registry: SampleRegistry;
  /** Which of some files are one file, for files that the caller may use. */
  findSameFiles: FindSameFiles;
  /** Records whose coverage was reported, and to whom. */
  recording: ReturnType<typeof coverageRecording>;
  /** Completes the stored values of cohorts. */
  filling: FillTools;
  /** Makes the callable tracks. */
  trackMaking: TrackTools;
  /** Checks the files of registered samples. */
  checks: CheckTools;
  /** Compares registered samples with each other, and their files with their calls. */
  comparing: ComparisonTools;
  transaction: PluginContext<CoverageSettings>['transaction'];
  jobs: Jobs;
  /** Where uploaded interval files wait for their job. */
  uploads: Uploads;
  /** Writes PDF files; loaded when the first is requested. */
  pdf: Pick<PdfMaker, 'make'>;
  now(): Date;
  /** The version of the software. */
  version: string;
  /** Public address of the server, if known. */
  baseUrl: string | undefined;
  /** Path of the public address, without a slash at its end. */
  base: string;
  /** Path of the API documentation; undefined if it is off. */
  docs: string | undefined;
  /** Whether the server shows the demo data. */
  demo: boolean;
  /** Closes files, connections and worker threads. */
  close(): Promise<void>;
}

/** All that the plugin builds, top to bottom: storages, files and measurements, registered samples, callers, reports. */
export function coverageServices(context: PluginContext<CoverageSettings>): CoverageServices {
  const { settings, jobs, erasures, now, version, baseUrl, docs, demo } = context;

  const intervals = withTranscriptNames(context.repository(coverage));
  const samples = context.repository(coverageSamples);
  const tracks = context.repository(coverageTracks);
  const sites = context.repository(coverageSites);
  const regions = context.repository(coverageRegions);
  const cohorts = context.repository(coverageCohorts);
  const cohortValues = storedCohorts(new KnownCohorts(cohorts));
  const transaction: SampleRegistry['transaction'] = (work) => context.transaction(work);

  const sources = sourcesOf(context);
  const queue = new WorkQueue();
  const measure = createMeasure(sources, settings.limits);
  const measureColumns = createMeasureColumns(sources, settings.limits);
  const predictSex = createPredictSex(sources, settings.sex);
  const findSameFiles = createFindSameFiles(sources);

  const cohortTools = { intervals, cohorts, sources, queue, erasures, ...cohortRules(settings) };
  const followers = followersOfCohorts(cohortTools);
  const registry: SampleRegistry = { samples, transaction, followers, changed: announceSamples(context) };
  const sampleFacts: FindSampleFacts = () => context.find(sampleFactsKey);
  const tickets = settings.tickets && createTickets(settings.tickets.key, now);
  const callability = createCallability({
    samples,
    erasures,
    tracks: settings.samples.tracks ? tracks : undefined,
    queue,
    memory: settings.samples.memory,
  });
  const calledDepths = async () => context.find<CalledDepthsService>(calledDepthsKey);
  const comparing = comparingOf({ samples, sources, calledDepths, tenants: context.tenants?.all ?? [] });
  const compare: CheckTools['compare'] = (...checked) => compareSample(...checked, comparing);
  const tools: ReachTools = {
    examineIn(files) {
      const examine = createExamine({ files, measure: measureColumns, predictSex, findSameFiles });
      return noticing(examine, { registry, jobs, log: context.log, job: checkJob });
    },
    callabilityIn: (own) => ({ ...callability, ...callability.within(own) }),
    found: samples,
    mostOffered: settings.files.listed,
  };

  const pdf = new PdfMaker();
  const services: Omit<CoverageServices, keyof CallerServices<CoverageServices>> = {
    ...servicesOfReach({ samples, sources, sampleFacts }, tools),
    callability,
    ...{ settings, intervals, sites, regions, transaction, jobs },
    uploads: uploadsIn(settings.intervals.uploads, 'intervals', context.s3),

    ...{ queue, measure, predictSex, findSameFiles },
    copyExons: createFindCopyExons(intervals),
    cohorts: cohortValues,
    runCharts: createRunCharts(cohortValues, intervals),

    registry,
    checks: { sources, predictSex, queue, thresholds: settings.samples.thresholds, compare, now },
    comparing,
    filling: { ...cohortTools, samples, transaction },
    trackMaking: { samples, tracks, thresholds: trackThresholds(settings), now },

    access: accessOf(context, tickets),
    tickets,
    panels: () => context.find(panelsKey),
    panelReader: panelReaderIn(context, tickets),
    recording: coverageRecording(context, tickets),
    seesAneuploidy: settings.aneuploidy === 'everyone',

    kept: settings.reports && keptReportsOf(context, settings.reports.keep),
    pdf,
    ...{ now, version, baseUrl, docs, demo },
    base: context.basePath,
    async close() {
      await sources.close();
      await pdf.close();
    },
  };
  return servicesForCallers<CoverageServices>(context, services, tools);
}

/** The holder of a ticket that names the panel reads it as the operator does; any other caller as itself. */
function panelReaderIn(
  context: PluginContext<CoverageSettings>,
  tickets: Tickets | undefined,
): CoverageServices['panelReader'] {
  const readerOf = panelReaderOf(context.optionalAccess(reportRight));
  return async (request, reference) => {
    const admission = request.principal && tickets?.admissionOf(request.principal);
    const isAdmitted =
      admission !== undefined &&
      reference !== undefined &&
      (await admitsPanel(admission, reference, context.find(panelsKey)));
    return isAdmitted ? 'operator' : readerOf(request);
  };
}

function keptReportsOf(context: PluginContext<CoverageSettings>, keep: 'asked' | 'all'): KeptReports {
  const repository = context.repository(coverageReports);
  const { erasures } = context;
  return createKeptReports({
    repository,
    erasures,
    transaction: (work) => context.transaction(work),
    all: keep === 'all',
  });
}

/** Which values of cohorts are stored. */
function cohortRules({ cohorts, levels, spliceBases }: CoverageSettings) {
  return { thresholds: cohorts.thresholds ?? levels, splice: spliceBases };
}

/** Depths for which callable tracks are made. */
export function trackThresholds({ samples }: CoverageSettings): readonly number[] {
  return samples.tracks ? samples.thresholds : [];
}

/** What keeps more of registered samples than the registry does. Without tools, files of samples are not read. */
export function followersOfCohorts(cohorts?: CohortTools): SampleFollower[] {
  return [trackFollower, cohortFollower(cohorts)];
}

/** What a command checks the files of registered samples with, until it is closed. */
export async function checksOfSamples(context: CommandContext<CoverageSettings>): Promise<{
  tools: CheckTools;
  registry: SampleRegistry;
  filling: FillTools;
  close(): Promise<void>;
}> {
  const { settings, s3, tenants, log, now, repository, transaction, erasures, find } = context;
  const sources = coverageSources({ settings, s3, tenants, log });
  const predictSex = createPredictSex(sources, settings.sex);
  const queue = new WorkQueue();
  const calledDepths = () => find<CalledDepthsService>(calledDepthsKey);
  const comparing = comparingOf({ samples: await repository(coverageSamples), sources, calledDepths, tenants });
  const compare: CheckTools['compare'] = (...checked) => compareSample(...checked, comparing);
  const tools = { sources, predictSex, queue, thresholds: settings.samples.thresholds, compare, now };
  const [samples, intervals, cohorts] = await Promise.all([
    repository(coverageSamples),
    repository(coverage),
    repository(coverageCohorts),
  ]);
  const cohortTools = { intervals, cohorts, sources, queue, erasures, ...cohortRules(settings) };
  return {
    tools,
    registry: { samples, transaction, followers: followersOfCohorts(cohortTools), changed: announceSamples(context) },
    filling: { ...cohortTools, samples, transaction },
    close: () => sources.close(),
  };
}

function sourcesOf({ settings, log, demo, metrics, tenants, s3 }: PluginContext<CoverageSettings>): CoverageSources {
  const roots = demo ? [...settings.roots, demoFolder] : settings.roots;
  const uses = metrics.counter('d4_uses_total', 'Uses of D4 files by whether they were open already', ['cache']);
  const onUse = (cached: boolean) => uses({ cache: cached ? 'hit' : 'miss' });
  const sources = coverageSources({ settings: { ...settings, roots }, s3, tenants: tenants?.all ?? [], log, onUse });
  metrics.gauge('d4_open', 'D4 files that are kept open', () => sources.open());
  return sources;
}

/** Reports also take tickets, if they are on and a token is needed. */
function accessOf(context: PluginContext<CoverageSettings>, tickets: Tickets | undefined): CoverageServices['access'] {
  const access = tokenAccessOf(context);
  if (tickets === undefined || access.form === undefined || access.link === undefined) return access;
  return { ...access, form: withTickets(access.form, tickets), link: withTickets(access.link, tickets) };
}

/** The settings allow both or none of the key set's address and the audience. */
function tokenAccessOf(context: PluginContext<CoverageSettings>): CoverageServices['access'] {
  const { settings, log, now, tenants, subjectOf } = context;
  const { oidc, tokenFields, acceptIdTokens } = settings;
  const { jwksUrl, audience, ...rules } = oidc;
  const tokens = {
    load: context.tokenAccess(loadRight),
    register: context.tokenAccess(registerRight),
    readSamples: context.tokenAccess(readSamplesRight),
    tickets: context.tokenAccess(ticketRight),
    operator: () => context.operatorAccess(),
  };
  const granted = tenants !== undefined || settings.authorize !== undefined;
  if (jwksUrl === undefined || audience === undefined)
    return granted ? { ...tokens, ...grantedAccess(context) } : tokens;
  const verify = bearerVerifier({ ...rules, jwksUrl, audience, log, now, subjectOf: subjectOf ?? personOf });
  const accepted = acceptIdTokens ? 'access-or-id' : 'access';
  const header = headerAccess(verify, accepted);
  const form = formOrCookieAccess(tokenField, verify, tokenFields, accepted);
  const check: Access['check'] = (head) => (head.headers.authorization === undefined ? form : header).check(head);
  const link = { ...header, check };
  if (!granted) return { ...tokens, header, form, link };
  // In the documentation one name has one description.
  const registry = { ...headerAccess(verify), scheme: header.scheme };
  return { ...tokens, ...grantedAccess(context, { header, form: { ...form, check }, link, registry }) };
}

/** Without rights, but with the issuer: the name of a person is unique only among those of one issuer. */
const personOf: NonNullable<PluginContext<unknown>['subjectOf']> = ({ sub }, issuer) => ({
  kind: 'subject',
  owner: typeof sub === 'string' ? sub : '',
  issuer,
});

/**
 * If people or tenants have rights, or a service decides about samples, every route needs a caller, and takes every credential:
 * those of the core, and the tokens that the plugin itself accepts, which have the rights that their claims give them. `registry`
 * is for registered samples, which no client needs an ID token for.
 */
function grantedAccess(
  { callerAccess, tenants }: Pick<PluginContext<unknown>, 'callerAccess' | 'tenants'>,
  own: Pick<CoverageServices['access'], 'header' | 'form' | 'link'> & { registry?: Access } = {},
): Pick<CoverageServices['access'], 'header' | 'form' | 'link' | 'register' | 'readSamples'> {
  // Without rules, what people may see is decided sample by sample.
  const people = tenants === undefined ? 'all' : 'with-right';
  return {
    header: callerAccess(reportRight, own.header, { people }),
    form: callerAccess(reportRight, own.form, { people }),
    link: callerAccess(reportRight, own.link, { people }),
    register: callerAccess(registerRight, own.registry),
    readSamples: callerAccess(readSamplesRight, own.registry, { people }),
  };
}
