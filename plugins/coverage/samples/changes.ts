/** Changes of registered samples, together with everything else that is kept of them: in one transaction, or not at all. */
import type { Announcing } from '../../../core/plugin.js';
import { Fault, type StorageScope } from '../../../core/storage.js';
import {
  type CheckOutcome,
  coverageSamples,
  isSamePlace,
  type RegisteredSample,
  type RegistrationOutcome,
  type SampleDescription,
  type SampleRepository,
} from '../contract.js';
import type { Location } from '../measure/measure.js';

export interface CheckControl {
  signal: AbortSignal;
  /** 0 to 1. */
  progress?(fraction: number): void;
  /** Resolves once requests that wait have been served. */
  giveWay?(): Promise<void>;
  /** Called if a ready sample has another file than the one that was checked, before that file is read. */
  changed?(): Promise<unknown>;
}

/** A sample whose file was checked, before the outcome is recorded. */
export interface CheckedSample {
  sample: RegisteredSample;
  outcome: Extract<CheckOutcome, { state: 'ready' }>;
  location: Location;
}

/** Writes within the transaction that records the check. */
export type Follow = (scope: StorageScope) => Promise<void>;

/**
 * Keeps something of registered samples. It writes before the samples do: what is recorded of them is still there, and locks are
 * always taken in one order.
 */
export interface SampleFollower {
  /** Reads what it needs of a file that was checked, before the transaction. */
  checked?(found: CheckedSample, control: CheckControl): Promise<Follow>;
  /** The samples do not count until their files are checked: another file is stated, or it changed or fails. */
  suspended?(scope: StorageScope, ids: readonly string[]): Promise<void>;
  removed?(scope: StorageScope, ids: readonly string[]): Promise<void>;
}

export interface SampleRegistry {
  samples: SampleRepository;
  followers: readonly SampleFollower[];
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result>;
  /** Announces samples that were checked or removed, once that is stored: `coverage/samples-changed@1`. */
  changed(samples: readonly string[]): Promise<void>;
}

/** The event `coverage/samples-changed@1`: what is known of the coverage of these samples changed. */
export interface SamplesChanged {
  readonly samples: readonly string[];
}

export function announceSamples({ announce }: Pick<Announcing, 'announce'>): SampleRegistry['changed'] {
  return (samples) => announce<SamplesChanged>('coverage/samples-changed@1', { samples });
}

/** Thrown inside a transaction, to roll it back. */
class SampleOutdated extends Error {}

/** Returns false, and changes nothing, if the sample was changed or removed meanwhile. See `SampleRepository.record`. */
export async function recordCheck(
  { followers, transaction, changed }: SampleRegistry,
  { id, revision }: Pick<RegisteredSample, 'id' | 'revision'>,
  outcome: CheckOutcome,
  follows: readonly Follow[] = [],
): Promise<boolean> {
  try {
    await transaction(async (scope) => {
      for (const follow of follows) await follow(scope);
      if (outcome.state !== 'ready') for (const follower of followers) await follower.suspended?.(scope, [id]);
      if (!(await scope.repository(coverageSamples).record(id, revision, outcome))) throw new SampleOutdated();
    });
  } catch (error) {
    if (error instanceof SampleOutdated) return false;
    throw error;
  }
  await changed([id]);
  return true;
}

/** Which registered samples are the caller's to change, and which ids are the caller's to use. */
export interface Ownership {
  /** Samples of other tenants are not. */
  isOwn(sample: RegisteredSample): boolean;
  /** What `isOwn` is true for at most, for the storage: `SampleRepository.find`. */
  begins?: readonly string[] | undefined;
  /** Whether the caller may register a new sample of this id; whether the id is taken has no influence. */
  mayAdd(id: string): boolean;
}

/**
 * See `SampleRepository.register`; within a transaction. Throws the same `conflict` fault if a sample of that id is registered
 * already and is not the caller's (ids are unique on a server), and if the id is not one that the caller may use.
 */
export async function registerSamples(
  { followers }: Pick<SampleRegistry, 'followers'>,
  scope: StorageScope,
  samples: readonly SampleDescription[],
  now: Date,
  ownership?: Ownership,
): Promise<RegistrationOutcome[]> {
  const repository = scope.repository(coverageSamples);
  const ofAll = samples.map(({ id }) => id);
  const known = new Map((await repository.find(ofAll)).map((one) => [one.id, one]));
  if (ownership !== undefined) refuseOthers(ofAll, known, ownership);
  const moving = samples.filter((one) => {
    const before = known.get(one.id);
    return before !== undefined && !isSamePlace(one, before);
  });
  const ids = moving.map(({ id }) => id);
  if (ids.length > 0) for (const follower of followers) await follower.suspended?.(scope, ids);
  const outcomes = await repository.register(samples, now);
  // Another tenant may have registered a sample of that id since it was read; the transaction is then rolled back.
  if (ownership !== undefined) refuseTaken(outcomes, samples, known);
  // Another caller may have registered or removed a sample between the two.
  const suspended = new Set(ids);
  const missed = samples.filter(({ id }, i) => outcomes[i] === 'moved' && !suspended.has(id)).map(({ id }) => id);
  if (missed.length > 0) for (const follower of followers) await follower.suspended?.(scope, missed);
  return outcomes;
}

/** Returns how many existed. Samples that are not the caller's stay, as if they did not exist. */
export async function removeSamples(
  { followers, transaction, changed }: SampleRegistry,
  ids: readonly string[],
  ownership?: Ownership,
): Promise<number> {
  let own: readonly string[] = [];
  const removed = await transaction(async (scope) => {
    const repository = scope.repository(coverageSamples);
    own =
      ownership === undefined
        ? ids
        : (await repository.find(ids, ownership.begins)).filter(ownership.isOwn).map(({ id }) => id);
    if (ownership !== undefined && own.length === 0) return 0;
    for (const follower of followers) await follower.removed?.(scope, own);
    return repository.remove(own);
  });
  if (removed > 0) await changed(own);
  return removed;
}

function refuseOthers(
  ids: readonly string[],
  known: ReadonlyMap<string, RegisteredSample>,
  { isOwn, mayAdd }: Ownership,
): void {
  const other = ids.find((id) => {
    const sample = known.get(id);
    return sample === undefined ? !mayAdd(id) : !isOwn(sample);
  });
  if (other !== undefined) throw new Fault('conflict', `The id "${other}" cannot be used: choose another`);
}

function refuseTaken(
  outcomes: readonly RegistrationOutcome[],
  samples: readonly SampleDescription[],
  known: ReadonlyMap<string, RegisteredSample>,
): void {
  const taken = samples.find(({ id }, i) => outcomes[i] !== 'added' && !known.has(id));
  if (taken !== undefined) throw new Fault('conflict', `The id "${taken.id}" cannot be used: choose another`);
}
