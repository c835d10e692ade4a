/** Hides how long a decision took: the time of an answer must not tell more than the answer. */
import { setImmediate, setTimeout } from 'node:timers/promises';

/** Milliseconds. Most decisions take less than one step. */
const step = 2;

/**
 * Resolves or rejects as the work does, a whole number of steps after it began: a "no" because carriers cannot pay reads more
 * than one because nobody carries the allele, and repetition would show a difference of microseconds.
 */
export async function inSteps<Result>(work: () => Promise<Result>): Promise<Result> {
  const begin = performance.now();
  try {
    return await work();
  } finally {
    const taken = performance.now() - begin;
    await reached(begin + Math.ceil(taken / step) * step);
  }
}

/** Timers are exact to a millisecond only: the rest is waited for turn by turn, while other requests go on. */
async function reached(moment: number): Promise<void> {
  const whole = Math.floor(moment - performance.now()) - 1;
  if (whole >= 1) await setTimeout(whole);
  while (performance.now() < moment) await setImmediate();
}
