/**
 * Finds registered samples (those that requests name by their ids instead of files, those in pages, those that others may
 * count) and what is known of them, from the registration and from a beacon that has samples of the same id. A fact that one of
 * them states holds; if they contradict each other, the registration holds, except for the sex: it is then unknown, because a
 * wrong one would count alleles of X and Y wrongly.
 */
import { type Erasures, Fault, type FieldFault, isFault, type Jobs, type StorageLog } from '../../../core/plugin.js';
import type { DatasetFacts, SampleFactsService } from '../../services/beacon.js';
import {
  type Build,
  type RegisteredSample,
  type SampleLabels,
  type SamplePage,
  type SampleRepository,
  type SampleSex,
  sampleLabels,
} from '../contract.js';
import type { Examine } from '../measure/examine.js';
import { isChanged, type Registration, type UniqueFile } from '../measure/quality.js';
import { contradicts, type Sex } from '../measure/sex.js';
import { recordCheck, type SampleRegistry } from './changes.js';
import type { SampleState } from './contract.js';

/** The registered samples by id, in pages: those in some states, or all. */
export async function* samplePages(
  samples: Pick<SampleRepository, 'list'>,
  states?: readonly SampleState[],
  limit = 1000,
): AsyncGenerator<readonly RegisteredSample[]> {
  for (let after: string | undefined; ; ) {
    const page = await samples.list({ ...(states && { states }), ...(after !== undefined && { after }), limit });
    yield page;
    after = page.at(-1)?.id;
    if (page.length < limit) return;
  }
}

/** What takes the place of a path in a request. */
export interface NamedSample {
  path: string;
  track?: string;
  build: Build;
  /** As declared; unknown if statements contradict each other. */
  sex: Sex;
  /** As registered: what only the beacon states is not shown to callers of reports. */
  case?: string;
  analysed?: string;
  /** Its second file. */
  unique?: Omit<UniqueFile, 'fields'>;
  registration: Registration;
}

/** The registered samples of these ids, by id; ids that are not registered are left out. */
export type FindSamples = (ids: readonly string[]) => Promise<ReadonlyMap<string, NamedSample>>;

export function createFindNamed(samples: Pick<SampleRepository, 'find'>, sampleFacts: FindSampleFacts): FindSamples {
  return async (ids) => {
    if (ids.length === 0) return new Map();
    const found = await samples.find(ids);
    const facts = await factsOfAll(found, sampleFacts);
    return new Map(found.map((sample, i) => [sample.id, namedOf(sample, facts[i] as KnownFacts)]));
  };
}

function namedOf(sample: RegisteredSample, { declared, warnings }: KnownFacts): NamedSample {
  const { id, revision, build, file, unique, state, analysed, check } = sample;
  // After the registration of another file the last check is of the file before.
  const isOfThisFile = check !== undefined && state !== 'pending';
  return {
    path: file.path,
    ...(file.track !== undefined && { track: file.track }),
    ...(unique && { unique }),
    build,
    sex: declared,
    ...(sample.case !== undefined && { case: sample.case }),
    ...(analysed !== undefined && { analysed }),
    registration: {
      id,
      revision,
      ...(isOfThisFile && { fingerprint: check.fingerprint }),
      ...(isOfThisFile && check.uniqueFingerprint !== undefined && { uniqueFingerprint: check.uniqueFingerprint }),
      isContradicted: warnings.some(({ code }) => code === 'sex-contradiction'),
    },
  };
}

/** Most characters of an id; longer ones are none. */
const longestId = 200;

/** The body or query of a request with a file in the place of each `sample_id`, and the samples that it names. */
interface WithFiles {
  fields: unknown;
  /** If the request itself names a sample. */
  sample?: NamedSample;
  /** By the place of the entry in `samples`. */
  samples: ReadonlyMap<number, NamedSample>;
}

/**
 * Puts files in the place of the ids of registered samples: in the fields themselves and in the entries of `samples`, whose
 * name is the id unless another is given. Fields without an id stay as they are, as do those that name a file themselves.
 * Throws an `unprocessable` fault with the fields whose ids are not registered.
 */
export async function withFiles(fields: unknown, find: FindSamples): Promise<WithFiles> {
  const entries = isObject(fields) && Array.isArray(fields.samples) ? (fields.samples as unknown[]) : [];
  const all = [
    { path: 'sample_id', entry: fields },
    ...entries.map((entry, i) => ({ path: `samples.${i}.sample_id`, entry })),
  ];
  const naming = all.filter(({ entry }) => idIn(entry) !== undefined);
  if (naming.length === 0) return { fields, samples: new Map() };
  const ids = naming.map(({ entry }) => idIn(entry)).filter((id) => typeof id === 'string' && id.length <= longestId);
  const known = await find([...new Set(ids as string[])]);
  const wrong = naming.flatMap(({ path, entry }) => {
    const message = mistakeIn(entry, known);
    return message === undefined ? [] : [{ path, message }];
  });
  if (wrong.length > 0) throw fieldsFault(wrong);
  const namedIn = (entry: unknown) => known.get(String(idIn(entry)));
  const replaced = (entry: unknown, isListed: boolean): unknown => {
    const named = namedIn(entry);
    if (named === undefined || !isObject(entry)) return entry;
    const { sample_id, ...rest } = entry;
    return { ...(isListed && { name: sample_id }), ...rest, coverage_file_path: named.path };
  };
  const whole = replaced(fields, false);
  const sample = namedIn(fields);
  return {
    fields: entries.length > 0 ? { ...(whole as object), samples: entries.map((one) => replaced(one, true)) } : whole,
    ...(sample !== undefined && { sample }),
    samples: new Map(
      entries.flatMap((entry, i) => {
        const named = namedIn(entry);
        return named === undefined ? [] : [[i, named] as const];
      }),
    ),
  };
}

/** The id, unless a file is named as well. */
function idIn(entry: unknown): unknown {
  if (!isObject(entry)) return undefined;
  const { sample_id, coverage_file_path } = entry;
  return (coverage_file_path ?? undefined) === undefined ? (sample_id ?? undefined) : undefined;
}

export function fieldsFault(wrong: readonly FieldFault[]): Fault {
  const named = wrong.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  return new Fault('unprocessable', named.join('; '), { fields: wrong.slice(0, 100) });
}

function mistakeIn(entry: unknown, known: ReadonlyMap<string, NamedSample>): string | undefined {
  const id = idIn(entry);
  if (typeof id !== 'string') return 'must be the id of a registered sample';
  return known.has(id) ? undefined : 'is not registered';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// What is known of registered samples.

export interface KnownFacts {
  /** Its own id if no case is known. */
  case: string;
  /** As stated; unknown if it is not stated, or if statements contradict each other. */
  declared: SampleSex;
  /** For counting: the declared sex, else the predicted one; unknown if the two contradict each other. */
  sex: SampleSex;
  labels: SampleLabels;
  /** The datasets of the beacon that have the sample. */
  datasets: readonly string[];
  warnings: readonly FactWarning[];
}

interface FactWarning {
  code: 'sex-mismatch' | 'sex-contradiction' | 'case-contradiction' | 'label-contradiction';
  message: string;
}

/** Finds the beacon's service when it is used: the beacon need not be enabled. */
export type FindSampleFacts = () => SampleFactsService | undefined;

/** The key under which the beacon offers its facts. */
export const sampleFactsKey = 'beacon/sample-facts@1';

/** The facts of each sample, in their order. */
export async function factsOfAll(samples: readonly RegisteredSample[], find: FindSampleFacts): Promise<KnownFacts[]> {
  const linked = await find()?.factsOf(samples.map(({ id }) => id));
  return samples.map((sample) => factsOfSample(sample, linked?.get(sample.id) ?? []));
}

export function factsOfSample(sample: RegisteredSample, linked: readonly DatasetFacts[]): KnownFacts {
  const warnings: FactWarning[] = [];
  const warn = (code: FactWarning['code'], message: string) => void warnings.push({ code, message });

  const own = { where: 'the registration', sex: sample.sex, case: sample.case };
  const all = [own, ...linked.map(({ dataset, ...facts }) => ({ where: `dataset ${dataset}`, ...facts }))];
  const sexes = all.filter(({ sex }) => sex !== 'unknown');
  const isOneSex = new Set(sexes.map(({ sex }) => sex)).size <= 1;
  const declared = isOneSex ? (sexes[0]?.sex ?? 'unknown') : 'unknown';
  if (!isOneSex) {
    const list = sexes.map(({ where, sex }) => `${sex} in ${where}`).join(', ');
    warn('sex-contradiction', `The sex is stated differently: ${list}. It counts as unknown.`);
  }
  const predicted = sample.check?.sex ?? 'unknown';
  const isContradicted = contradicts(predicted, declared);
  if (isContradicted) warn('sex-mismatch', `Declared ${declared}, predicted ${predicted}. The sex counts as unknown.`);

  const cases = all.filter((one) => one.case !== undefined);
  if (new Set(cases.map((one) => one.case)).size > 1) {
    const list = cases.map((one) => `${one.case} in ${one.where}`).join(', ');
    warn('case-contradiction', `The case is stated differently: ${list}.`);
  }
  const labels: Partial<Record<(typeof sampleLabels)[number], string>> = {};
  for (const label of sampleLabels) {
    const stated = [
      { where: own.where, text: sample.labels[label] },
      ...linked.map(({ dataset, labels: theirs }) => ({ where: `dataset ${dataset}`, text: labelText(theirs, label) })),
    ].filter((one) => one.text !== undefined);
    const [first] = stated;
    if (first?.text === undefined) continue;
    labels[label] = first.text;
    if (stated.every(({ text }) => text === first.text)) continue;
    const list = stated.map(({ where, text }) => `${text} in ${where}`).join(', ');
    warn('label-contradiction', `The label ${label} is stated differently: ${list}.`);
  }
  return {
    case: cases[0]?.case ?? sample.id,
    declared,
    sex: isContradicted || !isOneSex ? 'unknown' : declared === 'unknown' ? predicted : declared,
    labels,
    datasets: linked.map(({ dataset }) => dataset),
    warnings,
  };
}

/** The beacon has no label for the mapping-quality filter and for groups. */
function labelText(labels: Readonly<Record<string, string | undefined>>, label: string): string | undefined {
  return labels[label];
}

// Pages of registered samples, as clients turn them.

export interface ListedSamples {
  readonly samples: readonly RegisteredSample[];
  /** `after` of the next page; null on the last one. */
  readonly next: string | null;
}

/** Makes pages of at most `limit` samples. */
export function listedFrom(samples: Pick<SampleRepository, 'list'>): (page: SamplePage) => Promise<ListedSamples> {
  return async (page) => {
    const found = await samples.list({ ...page, limit: page.limit + 1 });
    const shown = found.slice(0, page.limit);
    return { samples: shown, next: found.length > page.limit ? (shown.at(-1)?.id ?? null) : null };
  };
}

// The registered samples that others may count and be compared with: without those of people who object to sharing.

/** The same repository, in which samples of people who object are not registered. Their reports read the other one. */
export function sharedSamples(
  samples: Pick<SampleRepository, 'find' | 'revisions'>,
  erasures: Pick<Erasures, 'objecting'>,
): Pick<SampleRepository, 'find' | 'revisions'> {
  const shared = async (ids: readonly string[]): Promise<readonly string[]> => {
    const objecting = await erasures.objecting('sample');
    return objecting.size === 0 ? ids : ids.filter((id) => !objecting.has(id));
  };
  return {
    find: async (ids, begins) => samples.find(await shared(ids), begins),
    revisions: async (ids) => samples.revisions(await shared(ids)),
  };
}

// Notices that the file of a registered sample has changed, when a request reads it.

interface NoticeTools {
  registry: SampleRegistry;
  jobs: Pick<Jobs, 'enqueue'>;
  log: Pick<StorageLog, 'warn'>;
  /** The job that checks a sample. */
  job: string;
}

/** The same, and marks samples whose file changed and queues their check. The answer does not depend on it. */
export function noticing(examine: Examine, tools: NoticeTools): Examine {
  return async (question) => {
    const found = await examine(question);
    for (const { asked, depths } of found.samples) {
      const { registration } = asked;
      if (registration === undefined || !isChanged(registration, depths)) continue;
      await noteChange(registration, tools);
    }
    return found;
  };
}

async function noteChange({ id, revision }: Registration, { registry, jobs, log, job }: NoticeTools): Promise<void> {
  try {
    if (!(await recordCheck(registry, { id, revision }, { state: 'changed' }))) return;
    await jobs.enqueue(job, { id }, { owner: 'server', key: `${job} ${id}` });
  } catch (error) {
    if (!isFault(error)) throw error;
    log.warn({ reason: error.message }, 'a changed coverage file could not be noted');
  }
}
