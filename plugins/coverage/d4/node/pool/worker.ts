/** Sweeps in a worker thread. */
import { Clock } from '../../clock.js';
import { D4Error, type D4ErrorCode, isD4Error } from '../../error.js';
import type { D4File } from '../../file.js';
import { type KernelName, kernel } from '../../kernel/kernel.js';
import type { LocalIdentity } from '../../source/source.js';
import type { Pieces } from '../../statistics/pieces.js';
import { type Results, type SweepQuestion, sweepResults } from '../../statistics/results.js';
import { isSame, openD4 } from '../files.js';

/** The task of a worker. */
export interface Task {
  file: LocalIdentity;
  /** Name of the track in the file. */
  track: string;
  pieces: Pieces;
  question: SweepQuestion;
  /** The columns for the results, in memory shared with the caller. */
  room: Results;
  kernel: KernelName | undefined;
  /** One 32-bit flag, set when the results are no longer needed. */
  cancelled: SharedArrayBuffer;
}

/** Results that are not columns: histograms and runs, if requested. Or an error, as plain data, since classes do not cross threads. */
export type SweepOutcome =
  | Pick<Results, 'histograms' | 'runs'>
  | { failure: { code: D4ErrorCode; reason: string; place: string } };

/** Bytes of decoded records that a worker keeps per track: a sweep needs most of them only once. */
const cacheBytes = 2 ** 20;
/** Files that a worker keeps open. */
const maxOpen = 8;
const open = new Map<string, D4File>();
/** The caller has opened, and so checked, exactly this version of the file. */
const whole = { get: () => true as const, set: () => undefined };

/** Runs in a worker thread: opens the file again and sweeps. */
export default async function run(task: Task): Promise<SweepOutcome> {
  try {
    const file = await openSame(task.file);
    const track = file.tracks.find(({ name }) => name === task.track);
    if (!track) throw new D4Error('changed', `The track ${JSON.stringify(task.track)} is gone`, task.file.path);
    const flag = new Int32Array(task.cancelled);
    const clock = new Clock(undefined, () => Atomics.load(flag, 0) !== 0);
    const work = { track, pieces: task.pieces, kernel: kernel(task.kernel), clock };
    const { histograms, runs } = await sweepResults(work, task.question, task.room);
    return { histograms, runs };
  } catch (error) {
    if (!isD4Error(error)) throw error;
    const { code, reason, place } = error;
    return { failure: { code, reason, place } };
  }
}

/** Opens exactly the version of the file that the caller has open. */
async function openSame(wanted: LocalIdentity): Promise<D4File> {
  let file = open.get(wanted.path);
  if (file?.source.local && !isSame(file.source.local, wanted)) {
    open.delete(wanted.path);
    file.close();
    file = undefined;
  }
  if (!file) {
    file = await openD4(wanted.path, { cacheBytes, whole });
    if (!file.source.local || !isSame(file.source.local, wanted)) {
      file.close();
      throw new D4Error('changed', 'The file was replaced while it was being read', wanted.path);
    }
  }
  open.delete(wanted.path);
  open.set(wanted.path, file);
  for (const [path, oldest] of open) {
    if (open.size <= maxOpen) break;
    open.delete(path);
    oldest.close();
  }
  return file;
}
