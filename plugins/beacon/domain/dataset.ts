/** Descriptions of datasets and their counting rules, as operators and clients write them, and what makes them invalid. */
import type { z } from 'zod';
import { Fault } from '../../../core/plugin.js';
import type { BeaconRepository, Dataset } from '../contract.js';
import {
  type CountingRules,
  type CountingWords,
  type DatasetDescription,
  type DatasetWords,
  describedFields,
  descriptionOf,
  newDataset,
} from './dataset-fields.js';
import { defaultWindow } from './similar.js';

/** The fields of a dataset to change. */
type DatasetChange = Pick<DatasetWords, 'id'> & Partial<DatasetWords>;

/** Throws an `unprocessable` fault if a field is invalid. */
export function describeDataset({ counting, ...words }: DatasetWords): DatasetDescription {
  return withRules(readDescription(newDataset, words), countingRules(counting ?? {}));
}

/** Omitted fields stay as they are. */
function redescribeDataset(dataset: Dataset, { counting: rules, ...words }: DatasetChange): DatasetDescription {
  const { counting, ...kept } = descriptionOf(dataset);
  return withRules(
    { ...kept, ...readDescription(describedFields.partial(), words) },
    countingRules(rules ?? {}, counting),
  );
}

function withRules(described: DatasetDescription, counting: CountingRules | undefined): DatasetDescription {
  return counting ? { ...described, counting } : described;
}

/**
 * Changes the description of a dataset; returns false if the dataset does not exist. `check` may refuse by throwing. It gets
 * the description that is replaced, also if other clients change the dataset at the same time.
 */
export async function changeDataset(
  repository: Pick<BeaconRepository, 'dataset' | 'updateDataset'>,
  words: DatasetChange,
  now: Date,
  check: (before: DatasetDescription, after: DatasetDescription) => void | Promise<void> = () => undefined,
): Promise<boolean> {
  for (;;) {
    const before = await repository.dataset(words.id);
    if (!before) return false;
    const after = redescribeDataset(before, words);
    await check(before, after);
    if (await repository.updateDataset(after, now, before)) return true;
  }
}

function readDescription<Output>(schema: z.ZodType<Output>, words: Partial<DatasetWords>): Output {
  const given = Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new Fault('unprocessable', result.error.issues.map(({ message }) => message).join('. '));
}

/** Returns a valid id of a dataset; throws an `unprocessable` fault for any other. */
export function checkedId(id: string): string {
  const result = describedFields.shape.id.safeParse(id);
  if (result.success) return id;
  throw new Fault('unprocessable', result.error.issues[0]?.message ?? 'Invalid dataset ID');
}

/** Returns the dataset with this id; throws an `unprocessable` fault if it does not exist. */
export async function datasetNamed(repository: BeaconRepository, id: string): Promise<Dataset> {
  const dataset = await repository.dataset(id);
  if (dataset) return dataset;
  throw new Fault('unprocessable', `Couldn't find any dataset with id '${id}' in the database`);
}

// Checks the counting rules of a dataset, as its operator writes them.

/** The smallest GQ of a new dataset of observations. */
const defaultQuality = 20;

const mostQuality = 1000;
const mostWindow = 1_000_000;
const mostThreshold = 10_000;

/**
 * The rules that the words give a dataset with the rules `before`; undefined for a dataset that is no record of
 * observations. Throws an `unprocessable` fault if a field is not valid.
 */
function countingRules(
  { observations, gq, pass, window, threshold, minimumHeteroplasmy }: CountingWords,
  before?: CountingRules,
): CountingRules | undefined {
  const rules = observations === false ? undefined : before;
  if (!rules && !observations) {
    const extra = Object.entries({ gq, pass, window, threshold, minimumHeteroplasmy }).find(
      ([, value]) => value !== undefined && value !== false,
    );
    if (extra)
      throw new Fault('unprocessable', `'${extra[0]}' is a rule of datasets of observations: set 'observations'`);
    return undefined;
  }
  const covered = threshold === undefined ? rules?.threshold : thresholdOfText(threshold);
  const minimum = gq === undefined ? (rules ? rules.quality : defaultQuality) : numberOrNone('gq', gq, mostQuality);
  const level =
    minimumHeteroplasmy === undefined
      ? rules?.minimumHeteroplasmy
      : numberOrNone('minimumHeteroplasmy', minimumHeteroplasmy, 100);
  return {
    ...(minimum !== undefined && { quality: minimum }),
    passOnly: pass ?? rules?.passOnly ?? false,
    window: window === undefined ? (rules?.window ?? defaultWindow) : wholeNumber('window', window, mostWindow),
    ...(covered !== undefined && { threshold: covered }),
    ...(level !== undefined && { minimumHeteroplasmy: level }),
  };
}

/** Undefined for `none`. */
function numberOrNone(field: string, text: string, most: number): number | undefined {
  if (/^none$/i.test(text)) return undefined;
  return wholeNumber(field, text, most, " or 'none'");
}

/** Reads from which on a base counts as covered, as text. */
export function thresholdOfText(text: string): number {
  const reads = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (reads >= 1 && reads <= mostThreshold) return reads;
  throw new Fault(
    'unprocessable',
    `'threshold' must be a whole number of reads from 1 to ${mostThreshold}; got "${text.slice(0, 20)}"`,
  );
}

/** A minimum GQ for one load, as text. */
export function loadQuality(text: string): number {
  return wholeNumber('gq', text, mostQuality);
}

function wholeNumber(field: string, text: string, most: number, other = ''): number {
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new Fault(
    'unprocessable',
    `'${field}' must be a whole number from 0 to ${most}${other}; got "${text.slice(0, 20)}"`,
  );
}

/** `GQ ≥ 20, PASS, window 2000, covered at ≥ 15x, MT from 10 %`. */
export function countingText({ quality, passOnly, window, threshold, minimumHeteroplasmy }: CountingRules): string {
  const minimum = quality === undefined ? 'any GQ' : `GQ ≥ ${quality}`;
  const covered = threshold === undefined ? [] : [`covered at ≥ ${threshold}x`];
  const level = minimumHeteroplasmy === undefined ? [] : [`MT from ${minimumHeteroplasmy} %`];
  return [minimum, ...(passOnly ? ['PASS'] : []), `window ${window}`, ...covered, ...level].join(', ');
}
