/** What the coverage plugin builds once, for its routes, pages and jobs. */

import type { CommandContext } from '../../core/commands.js';
import { type UploadFolder, uploadFolder } from '../../core/files.js';
import { bearerVerifier, formOrCookieAccess, headerAccess } from '../../core/openid.js';
import type { Access, Jobs, PluginContext } from '../../core/plugin.js';
import { createCallability } from './callability/callability.js';
import type { CallabilityService } from './callability/service.js';
import { type CohortTools, cohortFollower, type FillTools } from './cohorts/keep.js';
import { KnownCohorts } from './cohorts/known.js';
import { storedCohorts } from './cohorts/stored.js';
import type { Cohorts } from './cohorts/values.js';
import type { Member } from './comparison/cohort.js';
import { membersOf } from './comparison/members.js';
import { createRunCharts, type RunCharts } from './comparison/run-charts.js';
import {
  type Build,
  coverage,
  coverageCohorts,
  coverageSamples,
  type IntervalRepository,
  type SampleRepository,
} from './contract.js';
import { demoFolder } from './demo/demo.js';
import { createMeasure, createMeasureColumns } from './domain/create-measure.js';
import { createExamine, type Examine } from './domain/examine.js';
import type { Measure } from './domain/measure.js';
import { createPredictSex, type PredictSex } from './domain/sex.js';
import { WorkQueue } from './domain/work-queue.js';
import type { PdfMaker } from './exports/pdf/maker.js';
import { checkJob } from './jobs/check-samples.js';
import type { Offered } from './pages/sample-rows.js';
import type { Registry, SampleFollower } from './registry/changes.js';
import type { CheckTools } from './registry/check.js';
import { type FindSampleFacts, sampleFactsKey } from './registry/facts.js';
import { createFindNamed, type FindNamed } from './registry/named.js';
import { noticing } from './registry/notice.js';
import { loadRight, readSamplesRight, registerRight } from './rights.js';
import type { CoverageSettings } from './settings.js';
import { type CoverageSources, coverageSources } from './sources/sources.js';

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
  runCharts: RunCharts;
}

export interface CoverageServices extends MeasuringServices {
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
    /** API tokens of operators, for demo pages that are not open. */
    operator(): Access;
  };
  samples: SampleRepository;
  /** For changes of samples. */
  registry: Registry;
  /** What the beacon knows of samples, if it is enabled. */
  sampleFacts: FindSampleFacts;
  /** Completes the stored values of cohorts. */
  filling: FillTools;
  /** The files and registered samples that forms offer. */
  offered(): Promise<Offered>;
  /** The registered samples that requests name. */
  named: FindNamed;
  /** Which registered samples are covered at places; also offered to other plugins. */
  callability: CallabilityService;
  /** Checks the files of registered samples. */
  checks: CheckTools;
  transaction: PluginContext<CoverageSettings>['transaction'];
  jobs: Jobs;
  /** Where uploaded interval files wait for their job. */
  uploads: UploadFolder;
  /** Writes PDF files; loaded when the first is requested. */
  pdf(): Promise<PdfMaker>;
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

export function coverageServices(context: PluginContext<CoverageSettings>): CoverageServices {
  const { settings, jobs, now, version, baseUrl, docs, demo } = context;
  const sources = sourcesOf(context);
  const measure = createMeasure(sources, settings.limits);
  const predictSex = createPredictSex(sources, settings.sex);
  const queue = new WorkQueue();
  const samples = context.repository(coverageSamples);
  const transaction: Registry['transaction'] = (work) => context.transaction(work);
  const intervals = context.repository(coverage);
  const cohorts = context.repository(coverageCohorts);
  const stored = storedCohorts(new KnownCohorts(cohorts));
  const cohortTools = { intervals, cohorts, sources, queue, thresholds: cohortThresholds(settings) };
  const registry: Registry = { samples, transaction, followers: followersOf(cohortTools) };
  const sampleFacts: FindSampleFacts = () => context.find(sampleFactsKey);
  const examine = createExamine({
    files: sources,
    measure: createMeasureColumns(sources, settings.limits),
    predictSex,
  });
  let maker: Promise<PdfMaker> | undefined;
  return {
    settings,
    intervals,
    samples,
    registry,
    cohorts: stored,
    runCharts: createRunCharts(stored, intervals),
    filling: { ...cohortTools, samples, transaction },
    members: (build, signal) => membersOf({ samples, sampleFacts }, build, signal),
    sampleFacts,
    named: createFindNamed(samples, sampleFacts),
    async offered() {
      const [files, registered] = await Promise.all([
        sources.listed(),
        settings.files.listed === 0 ? [] : samples.list({ limit: settings.files.listed }),
      ]);
      return { files, registered: registered.map(({ id }) => id) };
    },
    sources,
    measure,
    queue,
    predictSex,
    examine: noticing(examine, { registry, jobs, log: context.log, job: checkJob }),
    access: accessOf(context),
    callability: createCallability({ samples, queue, memory: settings.samples.memory }),
    checks: { sources, predictSex, queue, thresholds: settings.samples.thresholds, now },
    transaction,
    jobs,
    uploads: uploadFolder(settings.intervals.uploads, 'intervals'),
    pdf() {
      maker ??= import('./exports/pdf/maker.js').then(({ PdfMaker }) => new PdfMaker());
      return maker;
    },
    now,
    version,
    baseUrl,
    base: baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, ''),
    docs,
    demo,
    async close() {
      await sources.close();
      await (await maker)?.close();
    },
  };
}

function cohortThresholds({ cohorts, levels }: CoverageSettings): readonly number[] {
  return cohorts.thresholds ?? levels;
}

/** What keeps more of registered samples than the registry does. Without tools, files of samples are not read. */
export function followersOf(cohorts?: CohortTools): SampleFollower[] {
  return [cohortFollower(cohorts)];
}

/** What a command checks the files of registered samples with, until it is closed. */
export async function checksOf({
  settings,
  log,
  now,
  repository,
  transaction,
}: Pick<CommandContext<CoverageSettings>, 'settings' | 'log' | 'now' | 'repository' | 'transaction'>): Promise<{
  tools: CheckTools;
  registry: Registry;
  filling: FillTools;
  close(): Promise<void>;
}> {
  const sources = coverageSources({ settings, log });
  const predictSex = createPredictSex(sources, settings.sex);
  const queue = new WorkQueue();
  const tools = { sources, predictSex, queue, thresholds: settings.samples.thresholds, now };
  const [samples, intervals, cohorts] = await Promise.all([
    repository(coverageSamples),
    repository(coverage),
    repository(coverageCohorts),
  ]);
  const cohortTools = { intervals, cohorts, sources, queue, thresholds: cohortThresholds(settings) };
  return {
    tools,
    registry: { samples, transaction, followers: followersOf(cohortTools) },
    filling: { ...cohortTools, samples, transaction },
    close: () => sources.close(),
  };
}

function sourcesOf({ settings, log, demo, metrics }: PluginContext<CoverageSettings>): CoverageSources {
  const roots = demo ? [...settings.roots, demoFolder] : settings.roots;
  const uses = metrics.counter('d4_uses_total', 'Uses of D4 files by whether they were open already', ['cache']);
  const onUse = (cached: boolean) => uses({ cache: cached ? 'hit' : 'miss' });
  const sources = coverageSources({ settings: { ...settings, roots }, log, onUse });
  metrics.gauge('d4_open', 'D4 files that are kept open', () => sources.open());
  return sources;
}

/** The settings allow both or none of the key set's address and the audience. */
function accessOf(context: PluginContext<CoverageSettings>): CoverageServices['access'] {
  const { settings, log, now } = context;
  const { oidc, tokenFields } = settings;
  const { jwksUrl, audience, ...rules } = oidc;
  const tokens = {
    load: context.tokenAccess(loadRight),
    register: context.tokenAccess(registerRight),
    readSamples: context.tokenAccess(readSamplesRight),
    operator: () => context.operatorAccess(),
  };
  if (jwksUrl === undefined || audience === undefined) return tokens;
  const verify = bearerVerifier({ ...rules, jwksUrl, audience, log, now });
  const [header, form] = [headerAccess(verify), formOrCookieAccess(tokenField, verify, tokenFields)];
  const link: Access = {
    ...header,
    check: (head) => (head.headers.authorization === undefined ? form : header).check(head),
  };
  return { ...tokens, header, form, link };
}
