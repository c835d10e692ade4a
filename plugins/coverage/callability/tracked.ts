/** Which callable tracks answer a question, and their blocks. */
import type { QuestionedSamples } from '../../services/coverage.js';
import type { BlockOfTrack, PublishedTrack, TrackRepository } from '../contract.js';
import { trackChecksum } from '../contract.js';
import { damagedTrack, MergedRuns } from '../tracks/merged-runs.js';
import type { Member } from './member.js';
import type { Standing } from './standing.js';
import { RunsReplaced } from './stored-coverage.js';
import type { Window } from './windows.js';

/** A track, with those of its samples that are asked about. */
export interface UsedTrack {
  id: string;
  /** By their numbers in the track; undefined for those that are not asked about, or are another revision now. */
  members: readonly (Member | undefined)[];
}

export interface Divided {
  used: readonly UsedTrack[];
  /** Places among the members of those that are in no used track. */
  loose: readonly number[];
}

/** Samples of a track that must be asked about; to read fewer one by one takes less. */
const least = 8;
/** Bytes of one besides its content. */
const overhead = 1000;
/** Tracks that are remembered. */
const most = 2000;

export class StoredTracks {
  readonly #tracks: Pick<TrackRepository, 'published' | 'find' | 'blocks'>;
  readonly #known = new Map<string, PublishedTrack>();
  /** Contents of blocks by window, those that were used last. */
  readonly #windows = new Map<string, Map<string, MergedRuns>>();
  readonly #most: number;
  #bytes = 0;

  /** Keeps up to `bytes` of blocks. */
  constructor(tracks: Pick<TrackRepository, 'published' | 'find' | 'blocks'>, bytes: number) {
    this.#tracks = tracks;
    this.#most = bytes;
  }

  /** `standings` are those of the members. */
  async divide(
    { build, threshold }: Pick<QuestionedSamples, 'build' | 'threshold'>,
    members: readonly Member[],
    standings: readonly Standing[],
  ): Promise<Divided> {
    if (members.length < least) return { used: [], loose: members.map((_, i) => i) };
    const places = new Map(standings.map(({ id }, i) => [id, i]));
    const used: UsedTrack[] = [];
    const taken = new Uint8Array(members.length);
    for (const track of await this.#published(build, threshold)) {
      const own = track.members.map(({ sample, revision }) => {
        const i = places.get(sample);
        return i === undefined || taken[i] === 1 || standings[i]?.revision !== revision ? undefined : i;
      });
      const asked = own.filter((i) => i !== undefined);
      if (asked.length < least) continue;
      for (const i of asked) taken[i] = 1;
      used.push({ id: track.id, members: own.map((i) => (i === undefined ? undefined : members[i])) });
    }
    const loose: number[] = [];
    for (let i = 0; i < members.length; i++) if (taken[i] === 0) loose.push(i);
    return { used, loose };
  }

  /** What each track says in the window, in their order. Throws `RunsReplaced` if one of them was removed. */
  async read(
    used: readonly UsedTrack[],
    { chromosome, start }: Pick<Window, 'chromosome' | 'start'>,
  ): Promise<MergedRuns[]> {
    const key = `${chromosome}:${start}`;
    const kept = this.#windows.get(key);
    const missing = used.filter(({ id }) => !kept?.has(id)).map(({ id }) => id);
    const found = missing.length === 0 ? [] : await this.#tracks.blocks(missing, chromosome, start);
    const fetched = new Map(found.map((block) => [block.track, mergedIn(block)]));
    const contents = used.map(({ id }) => kept?.get(id) ?? fetched.get(id) ?? replaced());
    this.#keep(key, fetched);
    return contents;
  }

  /** Other questions may have changed what is kept meanwhile. */
  #keep(key: string, fetched: ReadonlyMap<string, MergedRuns>): void {
    const kept = this.#windows.get(key) ?? new Map<string, MergedRuns>();
    this.#windows.delete(key);
    this.#windows.set(key, kept);
    for (const [id, runs] of fetched) {
      if (kept.has(id)) continue;
      kept.set(id, runs);
      this.#bytes += runs.bytes + overhead;
    }
    this.#forget();
  }

  #forget(): void {
    for (const [oldest, kept] of this.#windows) {
      if (this.#bytes <= this.#most) return;
      this.#windows.delete(oldest);
      for (const { bytes } of kept.values()) this.#bytes -= bytes + overhead;
    }
  }

  /** Tracks never change, so that each is read once. */
  async #published(build: string, threshold: number): Promise<PublishedTrack[]> {
    const keys = (await this.#tracks.published()).filter((key) => key.build === build && key.threshold === threshold);
    const unknown = keys.filter(({ id }) => !this.#known.has(id)).map(({ id }) => id);
    if (this.#known.size + unknown.length > most) this.#known.clear();
    const asked = keys.filter(({ id }) => !this.#known.has(id)).map(({ id }) => id);
    if (asked.length > 0) for (const track of await this.#tracks.find(asked)) this.#known.set(track.id, track);
    return keys.flatMap(({ id }) => this.#known.get(id) ?? []);
  }
}

function mergedIn(block: BlockOfTrack): MergedRuns {
  if (trackChecksum(block) !== block.checksum) throw damagedTrack();
  return new MergedRuns(block.content, block.start);
}

function replaced(): never {
  throw new RunsReplaced();
}
