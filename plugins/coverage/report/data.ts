/** Looks up the intervals of a report and measures them: the data behind all formats of a page. */
import { Fault } from '../../../core/plugin.js';
import type { Doses } from '../cohorts/chromosome-dose.js';
import type { Comparison } from '../cohorts/compare.js';
import type { Build, IntervalSet } from '../contract.js';
import { type CopyReading, kindsOfEach, type MtCopies, placeKinds, placeKindsOf } from '../measure/copies.js';
import { fileNameOf, noneIncluded, sentenceOfFailure } from '../measure/examine.js';
import type { KaryotypeEstimate } from '../measure/karyotype.js';
import {
  type DepthLayer,
  type Depths,
  type FileFault,
  isComplete,
  type Sample,
  type SampleDepths,
} from '../measure/measure.js';
import {
  type ExaminedSample,
  type Quality,
  type UnmeasuredSample,
  withFindings,
  withoutSample,
  withoutTargets,
} from '../measure/quality.js';
import { type List, mappedList } from '../measure/region.js';
import { type GeneTarget, type Selection, select, type UnmeasuredGene } from '../measure/select.js';
import type { SexPrediction } from '../measure/sex.js';
import type { MeasuringServices } from '../services.js';
import type { KnownSites } from '../sites/report-sites.js';
import type { Texts } from '../texts/texts.js';
import type { Caution } from './caution.js';
import { type BedFile, type BedTargets, namesLayer, requestedBeds } from './form/bed-lines.js';
import { type FormSample, fieldFault, type HsMetrics } from './form/fields.js';
import type { PageRequest } from './form/request.js';
import type { ServerTiming } from './formats/format.js';
import { type ReportPanel, requestedGenes, wantedTranscripts, withSymbols } from './panel.js';
import { type PanelPlaces, panelPlacesOf, placesLayer } from './panel-places.js';
import { besideCoding, besideTranscripts, ofGene, type ReportTarget } from './targets.js';

/** A sample with its measured depths. */
export interface Measurement {
  sample: FormSample;
  source: Sample;
  /** The last part of the D4 file's path or URL, without query. */
  fileName: string;
  fingerprint: string;
  /** Its second file, if it has one; the depths are in `depths.unique`. */
  unique?: { source: Sample; fileName: string; fingerprint: string; quality?: number | undefined };
  /** The totals are without the targets that the sample cannot have: see `isLeftOut`. */
  depths: SampleDepths;
  sex?: SexPrediction;
  /** If some target depends on them. */
  copies?: SampleCopies;
}

/** How many copies of X and Y a sample is expected to have. */
export interface SampleCopies {
  /** For the reader, and on paper. */
  shown: CopyReading;
  printed: CopyReading;
  /** Whether it has no Y by either of them. */
  lacksY: boolean;
  /** Whether they are what only readers with the right to see aneuploidies may know. */
  isSecret: boolean;
}

export interface ReportData {
  /** With the type that was measured: exons if coding bases were to be measured by default, and are not known. */
  request: PageRequest;
  /** The panel whose genes were measured; on the page of a gene, the panel that the gene may belong to. */
  panel?: ReportPanel | undefined;
  targets: List<ReportTarget>;
  /** As selected, in the order of `targets`; empty for a BED file. */
  selected: readonly GeneTarget[];
  found: Selection['found'];
  notMeasured: readonly UnmeasuredGene[];
  /** Transcripts that the panel wants and that are not loaded, or not in the version that is wanted. */
  unmet: Selection['unmet'];
  sets: readonly IntervalSet[];
  /** Of `custom_intervals`, in the order of their lines. */
  beds: readonly BedFile[];
  /** Names of lines of BED files, if several lines have one name. */
  names?: BedTargets['names'];
  /** Ascending; `reached` of all depths is in this order. */
  thresholds: readonly number[];
  /** Index of the coverage threshold in `thresholds`. */
  level: number;
  /** If the setting asks for it, and some target is on X or Y: half of the coverage threshold, and its index in `reached`. */
  half?: { depth: number; at: number } | undefined;
  /** If some target, or a place of the panel, is on X or Y outside the pseudoautosomal regions: the kinds of places of each target. */
  placeKinds?: Uint8Array | undefined;
  /** If they are known, distinct bases of all targets: totals of samples without Y are of fewer. */
  bases?: number | undefined;
  /** Samples that were measured. */
  samples: readonly Measurement[];
  /** Samples whose files failed. */
  notIncluded: readonly UnmeasuredSample[];
  quality: Quality;
  /** In the order of the samples, if the page shows them; undefined for samples whose sex was not predicted. */
  karyotypes?: readonly (KaryotypeEstimate | undefined)[] | undefined;
  /** By the name of the sample, if the reader may see aneuploidies. */
  doses?: ReadonlyMap<string, Doses> | undefined;
  /** By the name of the sample, if files of Picard were given. */
  hsMetrics?: ReadonlyMap<string, HsMetrics> | undefined;
  mitochondria?: readonly (MtCopies | undefined)[] | undefined;
  /** Whether the reader may see aneuploidies of the sex chromosomes. */
  seesAneuploidy?: boolean | undefined;
  /** If a sample is registered: what it looks like beside its cohort. */
  comparison?: Comparison | undefined;
  /** Of the panel of a report: its regions and repeats, if it has any. */
  panelPlaces?: PanelPlaces | undefined;
  /** What of the measured bases lies in regions of caution, if the format shows it and some are loaded. */
  caution?: Caution | undefined;
  /** Known sites in the genes, if the format shows them and some are loaded. */
  known?: KnownSites | undefined;
}

export interface ReportDataOptions {
  /** Further targets to measure with those that were selected: the exons of transcripts. */
  panel?: ReportPanel | undefined;
  more?: (selected: readonly GeneTarget[]) => readonly GeneTarget[];
  signal: AbortSignal;
  timing: ServerTiming;
  texts: Texts;
}

/** Throws `unprocessable` if nothing can be measured, and what measuring throws. */
export async function readReportData(
  services: MeasuringServices,
  request: PageRequest,
  options: ReportDataOptions,
): Promise<ReportData> {
  const { panel, signal, timing } = options;
  const { build, level } = request;
  const { copies, notes, type, ...found } = await timing.of('intervals', () => targetsOf(services, request, options));
  const places =
    panel?.others.length && request.page === 'report'
      ? await panelPlacesOf(services, request, panel, signal)
      : undefined;
  const placed = places?.measured.map(({ target }) => target) ?? [];
  const kinds = kindsOf(found.targets, build, placed);
  const half = kinds && services.settings.singleCopyThreshold === 'half' ? Math.ceil(level / 2) : undefined;
  const thresholds = half === undefined ? request.thresholds : [...request.thresholds, half];
  const examined = await timing.of('depth', () =>
    services.examine({
      samples: request.samples,
      targets: found.targets,
      beside: {
        ...(type === 'coding' && besideCoding(found.targets)),
        ...(request.withCoding && besideTranscripts(found.targets, request.splice)),
        ...(placed.length > 0 && { [placesLayer]: placed }),
        ...(found.names && { [namesLayer]: found.names.targets }),
      },
      copies,
      notes,
      nameOf: (i) => found.targets.at(i)?.group ?? '',
      thresholds,
      level,
      build,
      sexes: 'always',
      signal,
    }),
  );
  const { notIncluded } = examined;
  const whole = await withFindings(examined, services.findingsOf);
  const quality = found.targets.length > 0 ? whole : withoutTargets(whole);
  if (examined.samples.length === 0) throw nothingIncluded(request, notIncluded);
  const asked = new Map(request.samples.map((sample) => [sample.name, sample]));
  const samples = examined.samples.map((one) => measurement(one, asked.get(one.asked.name)));
  const data: ReportData = {
    request: type === request.type ? request : { ...request, type },
    ...(panel && { panel }),
    ...found,
    thresholds: examined.thresholds,
    level: examined.thresholds.indexOf(level),
    ...(kinds && { placeKinds: kinds }),
    ...(places && { panelPlaces: places }),
    samples,
    notIncluded,
    quality,
  };
  return half === undefined ? data : withHalf(data, half);
}

/** Undefined if no target, and nothing of what is measured beside them, is on X or Y outside the pseudoautosomal regions. */
function kindsOf(
  targets: ReportData['targets'],
  build: Build,
  beside: readonly ReportTarget[],
): Uint8Array | undefined {
  const isOnSex = (kinds: number) => (kinds & (placeKinds.x | placeKinds.y)) !== 0;
  const kinds = kindsOfEach(targets, build);
  return kinds.some(isOnSex) || beside.some(({ regions }) => isOnSex(placeKindsOf(regions, build))) ? kinds : undefined;
}

/** With a depth that is measured, and shown only if it is requested: its counts follow all others. */
function withHalf(data: ReportData, depth: number): ReportData {
  const { request, samples } = data;
  const from = data.thresholds.indexOf(depth);
  if (request.thresholds.includes(depth)) return { ...data, half: { depth, at: from } };
  const moved = (depths: Depths): Depths => {
    return { ...depths, reached: [...depths.reached.toSpliced(from, 1), depths.reached[from] ?? 0] };
  };
  const layer = (own: DepthLayer): DepthLayer => ({
    targets: mappedList(own.targets, moved),
    pooled: moved(own.pooled),
  });
  const whole = <Own extends SampleDepths>(own: Own): Own => {
    const beside = Object.entries(own.beside).map(([key, one]) => [key, layer(one)]);
    const { unique } = own;
    return { ...own, ...layer(own), beside: Object.fromEntries(beside), ...(unique && { unique: whole(unique) }) };
  };
  const thresholds = data.thresholds.toSpliced(from, 1);
  return {
    ...data,
    thresholds,
    level: thresholds.indexOf(request.level),
    half: { depth, at: thresholds.length },
    samples: samples.map((one) => ({ ...one, depths: whole(one.depths) })),
  };
}

/** With one sentence for each sample. */
function nothingIncluded({ samples }: PageRequest, all: readonly UnmeasuredSample[]): Fault {
  const fields = all.map((one) => ({
    path: `samples.${samples.findIndex(({ name }) => name === one.asked.name)}.coverage_file_path`,
    message: sentenceOfFailure(one),
  }));
  return noneIncluded(all, fields);
}

function measurement(
  { asked, location, unique, depths, sex }: ExaminedSample,
  sample: FormSample = asked,
): Measurement {
  const { name } = asked;
  return {
    sample,
    source: { name, location },
    fileName: fileNameOf(asked.path),
    fingerprint: depths.file.fingerprint,
    ...(asked.unique &&
      unique &&
      depths.unique && {
        unique: {
          source: { name, location: unique },
          fileName: fileNameOf(asked.unique.path),
          fingerprint: depths.unique.file.fingerprint,
          quality: asked.unique.quality,
        },
      }),
    depths,
    ...(sex === undefined ? {} : { sex }),
  };
}

/** The same without the samples of a file that failed later; undefined if none would be left. */
export function withoutFile(data: ReportData, fault: FileFault): ReportData | undefined {
  const failed = data.samples.filter(({ source, unique }) =>
    [source.location, unique?.source.location].includes(fault.location),
  );
  const samples = data.samples.filter((one) => !failed.includes(one));
  if (failed.length === 0 || samples.length === 0) return undefined;
  const missing = failed.map(({ sample, fileName }): UnmeasuredSample => ({ asked: sample, fileName, fault }));
  return {
    ...data,
    samples,
    notIncluded: [...data.notIncluded, ...missing],
    quality: missing.reduce(withoutSample, data.quality),
  };
}

/** Whether the sample cannot have the target, which is on Y: totals leave it out. */
export function isLeftOut({ placeKinds: kinds }: Pick<ReportData, 'placeKinds'>, { copies }: Measurement, at: number) {
  return copies?.lacksY === true && kinds?.[at] === placeKinds.y;
}

/** Whether some sample that can have the target has bases of it below the coverage threshold. */
export function isIncomplete(data: ReportData, at: number): boolean {
  return data.samples.some((one) => {
    const own = one.depths.targets.at(at);
    return own !== undefined && !isComplete(own, data.level) && !isLeftOut(data, one, at);
  });
}

/** The targets of which this is so, ascending. */
export function incompletePlaces(data: ReportData): number[] {
  return Array.from({ length: data.targets.length }, (_, at) => at).filter((at) => isIncomplete(data, at));
}

type RequestedTargets = Pick<ReportData, 'targets' | 'selected' | 'found' | 'notMeasured' | 'unmet' | 'sets'> &
  Pick<ReportData, 'beds' | 'names'> &
  Pick<Selection, 'copies' | 'notes'> & { type: PageRequest['type'] };

const nothing = { selected: [], copies: [], found: [], notMeasured: [], unmet: [], notes: [], sets: [], beds: [] };

async function targetsOf(
  services: MeasuringServices,
  request: PageRequest,
  { panel, more, signal, texts }: ReportDataOptions,
): Promise<RequestedTargets> {
  const { build, type, transcripts, beds } = request;
  if (type === 'custom_intervals') {
    const { files, ...read } = await requestedBeds(services, beds, request.page === 'report');
    return { ...nothing, ...read, type, beds: files };
  }
  const genes = requestedNames(request, panel);
  if (genes.length === 0) return { targets: [], ...nothing, type };
  const wanted = { build, genes, type, splice: request.splice, transcripts, named: wantedTranscripts(panel) };
  const { targets, ...rest } = withSymbols(await select(services.intervals, wanted, { signal }), panel);
  if (rest.type !== type && !request.orExons) throw refusedType(texts.counted.unknown(build));
  if (targets.length === 0) throw nothingFound(request, rest.notMeasured, texts);
  const selected = [...targets, ...(more?.(targets) ?? [])];
  return { targets: selected.map(ofGene), selected, beds: [], ...rest };
}

/** That the intervals cannot be measured as requested. */
export function refusedType(message: string): Fault {
  return fieldFault('interval_type', message);
}

/** The genes that a page measures, by their requested names: that of a gene measures one, whatever the panel. */
export function requestedNames({ page, genes }: PageRequest, panel: ReportPanel | undefined): readonly string[] {
  return page === 'gene_overview' ? genes : requestedGenes(genes, panel);
}

/** Bytes of a typical line of a BED file. */
const bedLine = 25;
/** Lines that a BED file on the server counts as before it is read. */
const unreadLines = 1000;

/** Intervals × samples of a request, as far as they are known before anything is looked up. */
export function sizeOfRequest(request: PageRequest, panel: ReportPanel | undefined): number {
  const { beds, samples, type } = request;
  if (type !== 'custom_intervals') return requestedNames(request, panel).length * samples.length;
  const lines = beds.map((bed) => {
    if ('path' in bed) return unreadLines;
    return Math.ceil(('text' in bed ? bed.text : bed.file).length / bedLine);
  });
  return lines.reduce((sum, own) => sum + own, 0) * samples.length;
}

function nothingFound(
  { page, build }: PageRequest,
  notMeasured: readonly UnmeasuredGene[],
  { warnings }: Texts,
): Fault {
  const reasons = notMeasured.slice(0, 20).map((one) => `${notMeasuredText(one, warnings)}.`);
  if (notMeasured.length > 20) reasons.push(`${warnings.more(notMeasured.length - 20)}.`);
  const isMane = page === 'mane_overview' && notMeasured.some(({ reason }) => reason === 'no-transcripts');
  return new Fault(
    'unprocessable',
    [warnings.nothing, ...(isMane ? [warnings.noMane(build)] : []), ...reasons].join(' '),
  );
}

/** `LAMA1: not in the gene set that is loaded`, with the candidates of an ambiguous name. */
export function notMeasuredText(
  { asked, symbol, reason, candidates = [] }: UnmeasuredGene,
  warnings: Texts['warnings'],
): string {
  const which = candidates.length > 0 ? ` (${candidates.join(', ')})` : '';
  const name = symbol === undefined ? asked.slice(0, 100) : `${symbol} (${asked})`;
  return `${name}: ${warnings.notMeasured[reason]}${which}`;
}
