/** The part of background jobs in the erasure of a person: what ended jobs returned, or failed with, may name them. */
import { concerns, type Eraser, type Erasure } from '../erasures/erasure.js';
import { type Job, type JobRepository, type Json, jobStates } from './contract.js';

const what = 'ended background jobs that name the person';

const isOver = (state: Job['state']) => state !== 'queued' && state !== 'running';

/**
 * Of a job that is queued or runs nothing is erased: it needs what it was asked to do, and forgets it when it ends. Objections to
 * sharing concern no job: only its owner sees what it returned.
 */
export function jobsEraser(repository: Pick<JobRepository, 'list' | 'remove'>): Eraser {
  async function naming(erasures: readonly Erasure[]): Promise<string[]> {
    const meant = erasures.filter(isMeant);
    if (meant.length === 0) return [];
    const found: string[] = [];
    for (const state of jobStates.filter(isOver)) {
      for (const job of await repository.list({ state, limit: Number.MAX_SAFE_INTEGER })) {
        const texts = textsOf(job);
        if (meant.some((erasure) => wasBefore(job, erasure) && texts.some((text) => names(text, erasure.id)))) {
          found.push(job.id);
        }
      }
    }
    return found;
  }

  return {
    find: async (erasures) => [{ what, count: (await naming(erasures)).length }],
    erase: async (erasures) => [{ what, count: await repository.remove(await naming(erasures)) }],
  };
}

function isMeant(erasure: Erasure): boolean {
  return erasure.scope === 'all' && (concerns(erasure, 'sample') || concerns(erasure, 'patient'));
}

/** When an erasure is repeated, a job that came after it concerns data that came after it. */
function wasBefore({ created }: Job, { before }: Erasure): boolean {
  return before === undefined || created < before;
}

/** Every text in what the job was asked, if an earlier release kept that, what it returned, and why it failed. */
function textsOf({ payload, result = null, error = '' }: Job): string[] {
  return [...textsIn(payload), ...textsIn(result), error];
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}

/** Whether the id is in the text, and not as a part of a longer one. */
function names(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + id.length] ?? ' '];
    if (!isPart(before) && !isPart(after)) return true;
  }
  return false;
}

function isPart(sign: string): boolean {
  return /[\p{L}\p{N}_-]/u.test(sign);
}
