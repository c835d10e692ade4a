/**
 * The samples of a question whose coverage is known now, and from which callable tracks and runs; which samples of tracks are
 * covered at the places of a window.
 */
import type { NumberedAnswer, QuestionedSamples } from '../../../services/coverage.js';
import {
  type BlockOfTrack,
  mostMembers,
  type PublishedTrack,
  type TrackRepository,
  trackChecksum,
} from '../../contract.js';
import { damagedTrack, MergedRuns, words } from '../tracks/merged-runs.js';
import type { SampleQuestion, Window } from './question.js';
import {
  type CountedSample,
  type Registrations,
  RunsReplaced,
  type RunsStanding,
  standingOfSamples,
} from './stored-runs.js';

export interface KnownSamples {
  /** Of all that are asked about, by number. */
  ids: readonly string[];
  /** Those whose coverage is unknown, by ascending number. */
  unknown: NumberedAnswer['unknown'];
  members: readonly CountedSample[];
  /** Of the members, in their order. */
  standings: readonly RunsStanding[];
  /** By number: 1 for members. */
  isKnown: Uint8Array;
  /** Members of each group. */
  sizes: readonly number[];
  /** The tracks that are read. */
  used: readonly UsedTrack[];
  /** Places among the members of those whose runs are read. */
  loose: readonly number[];
  tracked: TrackTally;
}

/** As the samples are registered now. */
export async function knownSamples(
  asked: SampleQuestion,
  registrations: Registrations,
  tracks: Pick<StoredTracks, 'divide'> | undefined,
): Promise<KnownSamples> {
  const { ids, groups } = asked;
  const registered = await registrations.find(ids);
  const unknown: NumberedAnswer['unknown'][number][] = [];
  const members: CountedSample[] = [];
  const standings: RunsStanding[] = [];
  const isKnown = new Uint8Array(ids.length);
  const sizes = groups.map(() => 0);
  let sample = 0;
  for (const [group, { length }] of groups.entries()) {
    for (const to = sample + length; sample < to; sample++) {
      const standing = standingOfSamples(registered.get(ids[sample] as string), asked);
      if (typeof standing === 'string') {
        unknown.push({ sample, reason: standing });
        continue;
      }
      members.push({ sample, group });
      standings.push(standing);
      isKnown[sample] = 1;
      sizes[group] = (sizes[group] as number) + 1;
    }
  }
  const { used, loose } = (await tracks?.divide(asked, members, standings)) ?? {
    used: [],
    loose: members.map((_, i) => i),
  };
  const tracked = new TrackTally(used, groups.length, ids.length, members.length);
  return { ids, unknown, members, standings, isKnown, sizes, used, loose, tracked };
}

// Which callable tracks answer a question, and their blocks.

/** A track, with those of its samples that are asked about. */
interface UsedTrack {
  id: string;
  /** By their numbers in the track; undefined for those that are not asked about, or are another revision now. */
  members: readonly (CountedSample | undefined)[];
}

interface TrackDivision {
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
    members: readonly CountedSample[],
    standings: readonly RunsStanding[],
  ): Promise<TrackDivision> {
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
    const contents = used.map(({ id }) => kept?.get(id) ?? fetched.get(id) ?? trackReplaced());
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

function trackReplaced(): never {
  throw new RunsReplaced();
}

// Which samples of callable tracks are covered at the places of a window.

/** Of the samples of a question. A bit stands for each sample of each track: at each place 64 for each track. */
export class TrackTally {
  readonly #tracks: number;
  /** For each group, the bits of its samples. */
  readonly #groups: readonly Int32Array[];
  /** By number of a sample in the question, its bit; -1 for samples of no track. */
  readonly #bits: Int32Array;
  /** Numbers of the samples in tracks. */
  readonly samples: readonly number[];
  /** Whether tracks have all samples that are known. */
  readonly hasAll: boolean;

  /** `known` samples of the `asked` ones have a known coverage. */
  constructor(used: readonly UsedTrack[], groups: number, asked: number, known: number) {
    this.#tracks = used.length;
    this.#groups = Array.from({ length: groups }, () => new Int32Array(used.length * words));
    this.#bits = new Int32Array(asked).fill(-1);
    const samples: number[] = [];
    for (const [track, { members }] of used.entries()) {
      for (const [place, member] of members.entries()) {
        if (member === undefined) continue;
        const bit = track * mostMembers + place;
        this.#bits[member.sample] = bit;
        const own = this.#groups[member.group] as Int32Array;
        own[bit >>> 5] = (own[bit >>> 5] as number) | (1 << bit);
        samples.push(member.sample);
      }
    }
    this.samples = samples;
    this.hasAll = samples.length === known;
  }

  has(sample: number): boolean {
    return (this.#bits[sample] as number) >= 0;
  }

  /** The bits of the covered samples at each piece of the window, its `whole` ones first; `tracks` are those of the question. */
  find(tracks: readonly MergedRuns[], window: Window): Int32Array {
    const { starts, ends } = piecesOfWindow(window);
    const stride = this.#tracks * words;
    const order = byEnd(ends);
    const places = {
      starts: order ? starts.map((_, i) => starts[order[i] as number] as number) : starts,
      ends: order ? ends.map((_, i) => ends[order[i] as number] as number) : ends,
      count: ends.length,
    };
    const found = new Int32Array(ends.length * stride);
    for (const [track, runs] of tracks.entries()) runs.find(places, found, track * words, stride);
    return order === undefined ? found : inOrder(found, order, stride);
  }

  /** Covered samples of a group at a piece. */
  count(found: Int32Array, piece: number, group: number): number {
    const own = this.#groups[group] as Int32Array;
    const from = piece * own.length;
    let count = 0;
    for (let word = 0; word < own.length; word++) count += ones((found[from + word] as number) & (own[word] as number));
    return count;
  }

  /** Whether a sample of a track is not covered at a piece; false of other samples. */
  lacks(found: Int32Array, piece: number, sample: number): boolean {
    const bit = this.#bits[sample] as number;
    if (bit < 0) return false;
    return ((found[piece * this.#tracks * words + (bit >>> 5)] as number) & (1 << bit)) === 0;
  }
}

function piecesOfWindow({ whole, parts }: Window): { starts: Uint32Array; ends: Uint32Array } {
  if (parts.length === 0) return whole;
  const count = whole.starts.length;
  const [starts, ends] = [new Uint32Array(count + parts.length), new Uint32Array(count + parts.length)];
  starts.set(whole.starts);
  ends.set(whole.ends);
  for (const [i, { start, end }] of parts.entries()) {
    starts[count + i] = start;
    ends[count + i] = end;
  }
  return { starts, ends };
}

/** The numbers of the pieces by their ends; undefined if they are in that order. */
function byEnd(ends: Uint32Array): Uint32Array | undefined {
  let isSorted = true;
  for (let i = 1; i < ends.length && isSorted; i++) isSorted = (ends[i - 1] as number) <= (ends[i] as number);
  if (isSorted) return undefined;
  return ends.map((_, i) => i).sort((one, other) => (ends[one] as number) - (ends[other] as number));
}

/** What was found by ends, in the order of the pieces. */
function inOrder(found: Int32Array, order: Uint32Array, stride: number): Int32Array {
  const sorted = new Int32Array(found.length);
  for (const [i, piece] of order.entries()) sorted.set(found.subarray(i * stride, (i + 1) * stride), piece * stride);
  return sorted;
}

/** Bits that are set. */
function ones(word: number): number {
  let sums = word - ((word >>> 1) & 0x5555_5555);
  sums = (sums & 0x3333_3333) + ((sums >>> 2) & 0x3333_3333);
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
