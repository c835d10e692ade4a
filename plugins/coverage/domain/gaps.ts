/** Finds the stretches of targets that are below a depth. */
import { Fault } from '../../../core/plugin.js';
import { stretches } from '../d4/profile/profile.js';
import type { Track } from '../d4/track.js';
import type { Plan } from './plan.js';
import type { Region } from './region.js';

export interface GapQuestion {
  plan: Plan;
  /** The file's names for chromosomes; those that it lacks are absent. */
  names: ReadonlyMap<string, string>;
  below: number;
  /** Gaps at most; beyond it is a fault. */
  most: number;
  signal?: AbortSignal | undefined;
}

/** Of targets without one. */
const none: readonly Region[] = [];

/** The gaps of one target after the other. What the file lacks is a gap where depth 0 would be one. */
export async function* findGaps(
  track: Track,
  { plan, names, below, most, signal }: GapQuestion,
): AsyncGenerator<readonly Region[]> {
  let count = 0;
  for (const { from, to } of plan.targets) {
    const gaps: Region[] = [];
    const add = (gap: Region) => {
      const last = gaps.at(-1);
      if (last !== undefined && last.chromosome === gap.chromosome && last.end === gap.start) last.end = gap.end;
      else if (++count <= most) gaps.push(gap);
      else {
        const reason = `There are more than ${most} stretches below ${below}x: ask for fewer intervals or less depth`;
        throw new Fault('unprocessable', reason);
      }
    };
    for (let place = from; place < to; place++) {
      const { chromosome, start, end } = plan.regions.at(place) as Region;
      const name = names.get(chromosome);
      const size = name === undefined ? 0 : (track.chromosomes.find((one) => one.name === name)?.size ?? 0);
      if (name !== undefined) {
        const inside = { chromosome: name, begin: start, end };
        for await (const { begin, end: until } of stretches(track, inside, { below }, { signal })) {
          add({ chromosome, start: begin, end: until });
        }
      }
      const lacking = Math.max(start, size);
      if (below > 0 && lacking < end) add({ chromosome, start: lacking, end });
    }
    yield gaps.length === 0 ? none : gaps;
  }
}
