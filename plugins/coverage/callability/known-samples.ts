/** The samples of a question whose coverage is known now, and from which tracks and runs. */
import type { NumberedAnswer } from '../../services/coverage.js';
import type { Member } from './member.js';
import type { AskedSamples } from './question.js';
import type { Registrations } from './registrations.js';
import { type Standing, standingOf } from './standing.js';
import { TrackTally } from './track-tally.js';
import type { StoredTracks, UsedTrack } from './tracked.js';

export interface KnownSamples {
  /** Of all that are asked about, by number. */
  ids: readonly string[];
  /** Those whose coverage is unknown, by ascending number. */
  unknown: NumberedAnswer['unknown'];
  members: readonly Member[];
  /** Of the members, in their order. */
  standings: readonly Standing[];
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
  asked: AskedSamples,
  registrations: Registrations,
  tracks: Pick<StoredTracks, 'divide'> | undefined,
): Promise<KnownSamples> {
  const { ids, groups } = asked;
  const registered = await registrations.find(ids);
  const unknown: NumberedAnswer['unknown'][number][] = [];
  const members: Member[] = [];
  const standings: Standing[] = [];
  const isKnown = new Uint8Array(ids.length);
  const sizes = groups.map(() => 0);
  let sample = 0;
  for (const [group, { length }] of groups.entries()) {
    for (const to = sample + length; sample < to; sample++) {
      const standing = standingOf(registered.get(ids[sample] as string), asked);
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
