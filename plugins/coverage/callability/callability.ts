/** Answers which registered samples are covered at places, from their stored runs. */
import { setImmediate } from 'node:timers/promises';
import type { SampleRepository, TrackRepository } from '../contract.js';
import type { WorkQueue } from '../domain/work-queue.js';
import { factsOf } from '../registry/facts.js';
import type { Member } from './member.js';
import { type Asked, readQuestion } from './question.js';
import { Registrations } from './registrations.js';
import type { CallabilityService, CoveredAnswer, RegisteredSex } from './service.js';
import { type Standing, standingOf } from './standing.js';
import { RunsReplaced, StoredCoverage } from './stored-coverage.js';
import { Tally } from './tally.js';
import { TrackTally } from './track-tally.js';
import { StoredTracks } from './tracked.js';
import { type Divided, divide } from './windows.js';

export interface CallabilityTools {
  samples: Pick<SampleRepository, 'find' | 'revisions' | 'runsFrom'>;
  /** Callable tracks; undefined if they are off. */
  tracks?: Pick<TrackRepository, 'published' | 'find' | 'blocks'> | undefined;
  queue: WorkQueue;
  /** Bytes of decoded runs and of tracks that are kept. */
  memory: number;
}

/** Samples whose runs are read at once. */
const portion = 500;
/** Milliseconds after which other work gets its turn. */
const slice = 10;
/** How often an answer is begun anew because samples were removed or checked meanwhile. */
const attempts = 5;

/** For the plugin itself. */
interface OwnCallability extends CallabilityService {
  /** `covered` for work that has its place in the queue already. */
  coveredNow: CallabilityService['covered'];
}

/** Of all registered samples, or as if there were only those that a caller reaches. */
export interface Callability extends OwnCallability {
  within(samples: Pick<SampleRepository, 'find' | 'revisions'>): OwnCallability;
}

export function createCallability({ samples, tracks, queue, memory }: CallabilityTools): Callability {
  const share = tracks === undefined ? 1 : 0.5;
  const stored = new StoredCoverage(samples, share * memory);
  const merged = tracks && new StoredTracks(tracks, share * memory);
  const within: Callability['within'] = (reached) => callabilityOf(reached, stored, merged, queue);
  return { ...within(samples), within };
}

function callabilityOf(
  samples: Pick<SampleRepository, 'find' | 'revisions'>,
  stored: StoredCoverage,
  merged: StoredTracks | undefined,
  queue: WorkQueue,
): OwnCallability {
  const registrations = new Registrations(samples);

  async function answer(asked: Asked, divided: Divided, signal: AbortSignal): Promise<CoveredAnswer> {
    const { question, ids } = asked;
    const registered = await registrations.find(ids);
    const unknown: { sample: string; reason: CoveredAnswer['unknown'][number]['reason'] }[] = [];
    const members: Member[] = [];
    const standings: Standing[] = [];
    let number = 0;
    for (const [group, { length }] of question.groups.entries()) {
      for (const to = number + length; number < to; number++) {
        const sample = ids[number] as string;
        const standing = standingOf(registered.get(sample), question);
        if (typeof standing === 'string') unknown.push({ sample, reason: standing });
        else {
          members.push({ sample: number, group });
          standings.push(standing);
        }
      }
    }
    const { used, loose } = (await merged?.divide(question, members, standings)) ?? allLoose(members);
    const tracked = new TrackTally(used, question.groups.length, ids.length, members.length);
    const tally = new Tally(asked, members, tracked);
    let since = performance.now();
    const giveWay = async () => {
      if (performance.now() - since < slice) return;
      await setImmediate();
      since = performance.now();
    };
    for (const window of divided.windows) {
      const counting = tally.in(window);
      if (merged && used.length > 0) {
        signal.throwIfAborted();
        counting.addTracks(await merged.read(used, window));
        await giveWay();
      }
      for (let from = 0; from < loose.length; from += portion) {
        signal.throwIfAborted();
        const part = loose.slice(from, from + portion);
        const runs = await stored.read(
          part.map((i) => standings[i] as Standing),
          window,
        );
        for (const [n, list] of runs.entries()) {
          counting.add(members[part[n] as number] as Member, list);
          if (performance.now() - since >= slice) await giveWay();
        }
      }
      counting.end();
    }
    return { unknown, places: tally.counts(divided) };
  }

  async function answered(asked: Asked, divided: Divided, signal: AbortSignal): Promise<CoveredAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await answer(asked, divided, signal);
      } catch (error) {
        if (!(error instanceof RunsReplaced) || attempt === attempts) throw error;
      }
    }
  }

  return {
    async covered(question, signal) {
      const asked = readQuestion(question);
      const divided = divide(question.places, question.build);
      return queue.run(divided.windows.length, () => answered(asked, divided, signal), signal);
    },

    async coveredNow(question, signal) {
      return answered(readQuestion(question), divide(question.places, question.build), signal);
    },

    async sexes(ids, signal) {
      const found = new Map((await samples.find(ids)).map((sample) => [sample.id, factsOf(sample, [])]));
      signal.throwIfAborted();
      return ids.map((id): RegisteredSex => {
        const facts = found.get(id);
        if (facts === undefined) return 'unknown';
        return facts.warnings.some(({ code }) => code === 'sex-mismatch') ? 'contradicted' : facts.sex;
      });
    },
  };
}

function allLoose(members: readonly Member[]) {
  return { used: [], loose: members.map((_, i) => i) };
}
