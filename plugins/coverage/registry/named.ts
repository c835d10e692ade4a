/** Registered samples that requests name by their id, instead of by a file. */
import { Fault } from '../../../core/plugin.js';
import type { Build, RegisteredSample, SampleRepository } from '../contract.js';
import type { Registration } from '../domain/sample.js';
import type { Sex } from '../domain/sex.js';
import { type FindSampleFacts, factsOfAll, type SampleFacts } from './facts.js';

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
  registration: Registration;
}

/** The registered samples of these ids, by id; ids that are not registered are left out. */
export type FindNamed = (ids: readonly string[]) => Promise<ReadonlyMap<string, NamedSample>>;

export function createFindNamed(samples: Pick<SampleRepository, 'find'>, sampleFacts: FindSampleFacts): FindNamed {
  return async (ids) => {
    if (ids.length === 0) return new Map();
    const found = await samples.find(ids);
    const facts = await factsOfAll(found, sampleFacts);
    return new Map(found.map((sample, i) => [sample.id, namedOf(sample, facts[i] as SampleFacts)]));
  };
}

function namedOf(sample: RegisteredSample, { declared, warnings }: SampleFacts): NamedSample {
  const { id, revision, build, file, state, analysed, check } = sample;
  // After the registration of another file the last check is of the file before.
  const isOfThisFile = check !== undefined && state !== 'pending';
  return {
    path: file.path,
    ...(file.track !== undefined && { track: file.track }),
    build,
    sex: declared,
    ...(sample.case !== undefined && { case: sample.case }),
    ...(analysed !== undefined && { analysed }),
    registration: {
      id,
      revision,
      ...(isOfThisFile && { fingerprint: check.fingerprint }),
      isContradicted: warnings.some(({ code }) => code === 'sex-contradiction'),
    },
  };
}

/** Most characters of an id; longer ones are none. */
const longestId = 200;

/** The body or query of a request with a file in the place of each `sample_id`, and the samples that it names. */
export interface WithFiles {
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
export async function withFiles(fields: unknown, find: FindNamed): Promise<WithFiles> {
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
  if (wrong.length > 0) {
    const named = wrong.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
    throw new Fault('unprocessable', named.join('; '), { fields: wrong.slice(0, 100) });
  }
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

function mistakeIn(entry: unknown, known: ReadonlyMap<string, NamedSample>): string | undefined {
  const id = idIn(entry);
  if (typeof id !== 'string') return 'must be the id of a registered sample';
  return known.has(id) ? undefined : 'is not registered';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
