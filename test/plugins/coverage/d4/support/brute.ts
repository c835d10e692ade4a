/** Statistics from single bases, without any shortcut. */
import type { BuildTrack } from './build.js';

export function denominatorOf(track: BuildTrack): number {
  const value = (track.denominator as { Value?: number } | undefined)?.Value;
  return value && value > 0 ? value : 1;
}

export function depthsIn(track: BuildTrack, chromosome: string, begin: number, end: number): number[] {
  const own = track.chromosomes.find(({ name }) => name === chromosome);
  if (!own) return [];
  const denominator = denominatorOf(track);
  return Array.from(own.depths)
    .slice(Math.min(begin, own.size), Math.min(end, own.size))
    .map((v) => v / denominator);
}

/** Linear interpolation between the closest ranks of the sorted depths. */
export function percentileOf(depths: readonly number[], percent: number): number {
  const sorted = [...depths].sort((a, b) => a - b);
  const rank = ((sorted.length - 1) * percent) / 100;
  const lower = sorted[Math.floor(rank)] as number;
  const upper = sorted[Math.ceil(rank)] as number;
  return lower + (rank - Math.floor(rank)) * (upper - lower);
}

export function runsOf(depths: readonly number[], begin: number): [number, number, number][] {
  const runs: [number, number, number][] = [];
  depths.forEach((depth, i) => {
    const last = runs.at(-1);
    if (last && last[2] === depth) last[1]++;
    else runs.push([begin + i, begin + i + 1, depth]);
  });
  return runs;
}
