/** The erasure of a person from background jobs: the result of an ended job, or the reason of its failure, may name them. */
import { concerns, type Eraser, type Erasure } from '../erasures/erasure.js';
import { endedStates, type Job, type JobRepository, type Json } from './contract.js';

const what = 'ended background jobs that name the person';

/**
 * Jobs that are queued or run stay: they need their payload, and forget it when they end. Objections to sharing concern no job:
 * only its owner sees its result.
 */
export function jobsEraser(repository: Pick<JobRepository, 'list' | 'remove'>): Eraser {
  async function naming(erasures: readonly Erasure[]): Promise<string[]> {
    const meant = erasures.filter(isMeant);
    if (meant.length === 0) return [];
    const isNamed = (job: Job): boolean => {
      const texts = textsOf(job);
      return meant.some((erasure) => wasBefore(job, erasure) && texts.some((text) => names(text, erasure.id)));
    };
    const found: string[] = [];
    for (const state of endedStates) {
      const ended = await repository.list({ state, limit: Number.MAX_SAFE_INTEGER });
      for (const job of ended) if (isNamed(job)) found.push(job.id);
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

/** If an erasure is repeated, jobs that were added after it concern data that came after it. */
function wasBefore({ created }: Job, { before }: Erasure): boolean {
  return before === undefined || created < before;
}

/** All texts of a job: in its result, in the reason of its failure, and in a payload that an earlier release kept. */
function textsOf({ payload, result = null, error = '' }: Job): string[] {
  return [...textsIn(payload), ...textsIn(result), error];
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}

/** Whether the id is in the text, other than as a part of a longer word. */
function names(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + id.length] ?? ' '];
    if (!isPart(before) && !isPart(after)) return true;
  }
  return false;
}

/** Whether a character beside an id makes it another one. */
function isPart(character: string): boolean {
  return /[\p{L}\p{N}_-]/u.test(character);
}
