/** Asks everything that a page shows: intervals, then depths. Pages, exports and the JSON endpoints share the functions that count. */
import { Fault, isFault } from '../../../core/plugin.js';
import type { IntervalSet } from '../contract.js';
import type { Measured, Sample, SampleDepths } from '../domain/measure.js';
import { type GeneTarget, type NotMeasured, type Selection, select } from '../domain/select.js';
import { predictSex, type SexFound } from '../domain/sex.js';
import type { PageRequest } from '../form/request.js';
import type { FormSample } from '../form/samples.js';
import { bedLines } from '../routes/bed-input.js';
import type { CoverageServices } from '../services.js';
import type { Texts } from '../texts/texts.js';
import { ofGene, ofLine, type ReportTarget } from './target.js';
import type { Timing } from './timing.js';

/** A sample with what was found out about it. */
export interface Measurement {
  sample: FormSample;
  source: Sample;
  /** Of the D4 file: its last part, without query. */
  fileName: string;
  fingerprint: string;
  depths: SampleDepths;
  sex?: SexFound;
}

export interface Gathered {
  request: PageRequest;
  targets: readonly ReportTarget[];
  /** As selected, in the order of `targets`; empty for a BED file. */
  selected: readonly GeneTarget[];
  found: Selection['found'];
  notMeasured: readonly NotMeasured[];
  sets: readonly IntervalSet[];
  /** Ascending; `reached` of all depths is in this order. */
  thresholds: readonly number[];
  /** Place of the request's level in `thresholds`. */
  level: number;
  samples: readonly Measurement[];
}

export interface GatherOptions {
  /** Whether to tell the sexes, too. */
  sex: boolean;
  /** Further targets of what was selected, measured along: the exons of transcripts. */
  more?: (selected: readonly GeneTarget[]) => readonly GeneTarget[];
  signal: AbortSignal;
  timing: Timing;
  texts: Texts;
}

/** Throws `unprocessable` where nothing can be measured, and what measuring throws. */
export async function gather(
  services: CoverageServices,
  request: PageRequest,
  options: GatherOptions,
): Promise<Gathered> {
  const { signal, timing } = options;
  const { build, thresholds, level } = request;
  const found = await timing.of('intervals', () => targetsOf(services, request, options));
  const samples = await timing.of('depth', async () => {
    const sources = await Promise.all(
      request.samples.map(async ({ name, path }, i) => ({ name, location: await coverageFile(services, path, i) })),
    );
    const question = { samples: sources, targets: found.targets, thresholds, build, signal };
    const [measured, fingerprints, sexes] = await settled([
      services.measure(question),
      Promise.all(sources.map(({ location }) => services.sources.use(location, async (file) => file.fingerprint()))),
      Promise.all(
        options.sex
          ? sources.map((source) => predictSex(services.sources, source, services.settings.sex, { build, signal }))
          : [],
      ),
    ]);
    return {
      measured,
      list: request.samples.map((sample, i) => measurement(sample, i, { sources, measured, fingerprints, sexes })),
    };
  });
  return {
    request,
    ...found,
    thresholds: samples.measured.thresholds,
    level: samples.measured.thresholds.indexOf(level),
    samples: samples.list,
  };
}

/** One and the same refusal for whatever may not be named. */
async function coverageFile({ sources }: CoverageServices, path: string, i: number) {
  try {
    return await sources.coverageFile(path);
  } catch (error) {
    if (!isFault(error) || error.code !== 'not-found') throw error;
    const fields = [{ path: `samples.${i}.coverage_file_path`, message: error.message }];
    throw new Fault('unprocessable', error.message, { fields, cause: error });
  }
}

/** All of them, or the first failure once none of them works on. */
async function settled<Parts extends readonly unknown[]>(
  work: { [Part in keyof Parts]: Promise<Parts[Part]> },
): Promise<Parts> {
  const outcomes = await Promise.allSettled(work);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as unknown as Parts;
}

interface Parts {
  sources: readonly Sample[];
  measured: Measured;
  fingerprints: readonly string[];
  sexes: readonly SexFound[];
}

function measurement(sample: FormSample, i: number, { sources, measured, fingerprints, sexes }: Parts): Measurement {
  const sex = sexes[i];
  return {
    sample,
    source: sources[i] as Sample,
    fileName:
      sample.path
        .replace(/[?#].*$/s, '')
        .split('/')
        .at(-1) ?? '',
    fingerprint: fingerprints[i] ?? '',
    depths: measured.samples[i] as SampleDepths,
    ...(sex === undefined ? {} : { sex }),
  };
}

type Found = Pick<Gathered, 'targets' | 'selected' | 'found' | 'notMeasured' | 'sets'>;

async function targetsOf(
  services: CoverageServices,
  request: PageRequest,
  { more, texts }: GatherOptions,
): Promise<Found> {
  const { build, genes, type, transcripts, bed } = request;
  if (type === 'custom_intervals') {
    const [uploaded, path] =
      bed === undefined ? [] : 'text' in bed ? [Buffer.from(bed.text), undefined] : [undefined, bed.path];
    const lines = await bedLines(services, uploaded, path);
    return { targets: lines.map(ofLine), selected: [], found: [], notMeasured: [], sets: [] };
  }
  const { targets, ...rest } = await select(services.intervals, { build, genes, type, transcripts });
  if (targets.length === 0) throw nothingFound(request, rest.notMeasured, texts);
  const selected = [...targets, ...(more?.(targets) ?? [])];
  return { targets: selected.map(ofGene), selected, ...rest };
}

function nothingFound({ page, build }: PageRequest, notMeasured: readonly NotMeasured[], { warnings }: Texts): Fault {
  const reasons = notMeasured.slice(0, 20).map((one) => `${notMeasuredText(one, warnings)}.`);
  if (notMeasured.length > 20) reasons.push(`${warnings.more(notMeasured.length - 20)}.`);
  const isMane = page === 'mane_overview' && notMeasured.some(({ reason }) => reason === 'no-transcripts');
  return new Fault(
    'unprocessable',
    [warnings.nothing, ...(isMane ? [warnings.noMane(build)] : []), ...reasons].join(' '),
  );
}

/** `LAMA1: unknown`, with what an ambiguous name may mean. */
export function notMeasuredText({ asked, reason, candidates = [] }: NotMeasured, warnings: Texts['warnings']): string {
  const which = candidates.length > 0 ? ` (${candidates.join(', ')})` : '';
  return `${asked.slice(0, 100)}: ${warnings.notMeasured[reason]}${which}`;
}
