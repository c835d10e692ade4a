/** The erasure of a person from background jobs: the result of an ended job, or the reason of its failure, may name them. */
import { type Erased, type Eraser, eraserOf, jobRevision, peopleOf, type Revision } from '../erasures/erasure.js';
import { endedStates, type Job, type JobRepository, type JobState, type Json } from './contract.js';

const what = 'ended background jobs that name the person';

const similar = 'ended background jobs with a file whose name goes on after the id';
/** Not erased: the longer name may be that of another person. */
const look = 'it may be the file of another id: look at them with `trefoil job list`';

/**
 * Jobs that are queued or run stay: they need their payload, and forget it when they end. Objections to sharing concern no job:
 * only its owner sees its result.
 */
export function jobsEraser(repository: Pick<JobRepository, 'list' | 'remove'>): Eraser {
  const jobsIn = async (states: readonly JobState[]) =>
    (await Promise.all(states.map((state) => repository.list({ state, limit: Number.MAX_SAFE_INTEGER })))).flat();

  return eraserOf(async (erasures) => {
    const people = peopleOf(erasures, 'person', 'all');
    const named: Job[] = [];
    let others = 0;
    const lengths = [...new Set(people.ids.map(({ length }) => length))];
    for (const job of lengths.length === 0 ? [] : await jobsIn(endedStates)) {
      const revision = revisionOf(job);
      const isReached = (id: string) => people.reach(id, revision);
      const ways = new Set(textsOf(job).flatMap((text) => [...occurrences(text, lengths, isReached)]));
      if (ways.has('named')) named.push(job);
      else if (ways.has('similar')) others += 1;
    }
    const reported = (count: number): Erased[] => [
      { what, count },
      { what: similar, count: others, stays: look },
    ];
    // Those that wait or run as well: what they store afterwards was requested before the erasure.
    const open = lengths.length === 0 ? [] : await jobsIn(['queued', 'running']);
    return {
      found: reported(named.length),
      revisions: [...open, ...named].map(revisionOf),
      erase: async () => reported(await repository.remove(named.map(({ id }) => id))),
    };
  });
}

function revisionOf({ id, created }: Job): Revision {
  return { name: jobRevision(id), stored: created };
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

/**
 * How a text has ids, of these lengths, of erasures. Looks up what is at each place instead of searching for each id: a list of
 * erasures grows for years. Nor does a hit look through the text: a long one may have many.
 */
function* occurrences(
  text: string,
  lengths: readonly number[],
  isId: (word: string) => boolean,
): Generator<'named' | 'similar' | undefined> {
  let words: FileWords | undefined;
  for (let at = 0; at < text.length; at++) {
    for (const length of lengths) {
      const end = at + length;
      if (end > text.length || !isId(text.slice(at, end))) continue;
      words ??= new FileWords(text);
      yield occurrence(text, at, end, words);
    }
  }
}

/**
 * How a text has the id that is there. `named`: as a word of its own, with neither a letter, a digit, a hyphen nor an underscore
 * beside it; in the name of a file an underscore ends it as well, as in `PAT-1_S1.vcf.gz`. `similar`: in the name of a file with
 * a hyphen beside it, as in `PAT-1-S1.vcf.gz`, which may be that of another id. `PAT-10.vcf.gz` has nothing of `PAT-1`.
 */
function occurrence(text: string, at: number, end: number, words: FileWords): 'named' | 'similar' | undefined {
  // Two code units: a character beside the id may be a pair.
  const beside = (/.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? '') + firstOf(text.slice(end, end + 2));
  if (/[\p{L}\p{N}]/u.test(beside)) return undefined;
  if (!/[_-]/.test(beside)) return 'named';
  if (!words.isFileName(at, end)) return undefined;
  return beside.includes('-') ? 'similar' : 'named';
}

/** Which places of a text are in the name of a file: found once for the text, as it may have many hits. */
class FileWords {
  /** Whether the word around a place has a folder before it. */
  readonly #hasBefore: Uint8Array;
  /** Whether the word around a place has a folder, or an ending such as `.vcf.gz`, from there on. */
  readonly #hasAfter: Uint8Array;

  constructor(text: string) {
    const { length } = text;
    [this.#hasBefore, this.#hasAfter] = [new Uint8Array(length + 1), new Uint8Array(length + 1)];
    const isBreak = (at: number) => /[\s"'`,;()<>[\]{}|]/.test(text.charAt(at));
    const isSlash = (at: number) => /[/\\]/.test(text.charAt(at));
    const endings = new Set(
      Array.from(text.matchAll(/\.[A-Za-z][A-Za-z0-9]{0,9}(?![A-Za-z0-9])/g), ({ index }) => index),
    );
    for (let at = 0; at < length; at++) {
      if (!isBreak(at)) this.#hasBefore[at + 1] = isSlash(at) ? 1 : (this.#hasBefore[at] as number);
    }
    for (let at = length - 1; at >= 0; at--) {
      if (isBreak(at)) continue;
      this.#hasAfter[at] = isSlash(at) || endings.has(at) ? 1 : (this.#hasAfter[at + 1] as number);
    }
  }

  isFileName(at: number, end: number): boolean {
    return this.#hasBefore[at] === 1 || this.#hasAfter[end] === 1;
  }
}

function firstOf(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0x20);
}
