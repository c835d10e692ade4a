/** Warnings about a D4 file itself. */
import type { D4File } from '../d4/file.js';
import type { Track } from '../d4/track.js';
import type { Warning } from './measure.js';

/** Warnings found when the file was opened. */
export function fileWarnings({ tracks }: D4File): Warning[] {
  const warnings: Warning[] = (tracks[0]?.warnings ?? []).map(({ code, message }) => ({
    code: code === 'odd' ? 'odd-file' : code,
    message,
  }));
  if (tracks.length > 1) {
    const message = `The coverage file has ${tracks.length} tracks; only the first was read.`;
    warnings.push({ code: 'several-tracks', message });
  }
  return warnings;
}

/** Depths may be capped if this many bases have the greatest depth, and this many times as many as the depth below it. */
const leastPile = 10;
/** Fewer bases may have the same depth by chance. */
const leastClear = 100;
const pileFactor = 3;

/**
 * Thresholds whose counts `cappedWarning` needs: below, at and above the greatest depth that needs no record. None if
 * every depth is a record.
 */
export function capThresholds({ dictionary, denominator }: Track): number[] {
  const { width, fallback } = dictionary;
  if (width === 0 || fallback <= 1) return [];
  return [fallback - 1, fallback, fallback + 1].map((stored) => stored / denominator);
}

/**
 * Some writers lose the records of depths beyond the dictionary, so that a deep region has the dictionary's greatest
 * value throughout: a mitochondrion of 4201x then reads 127x. Only a possibility if the dictionary was chosen from the depths, since
 * its last value may be that of an amplicon, and for few bases.
 */
export function cappedWarning({ dictionary, denominator }: Track, reached: readonly number[]): Warning[] {
  const [below, at, above] = reached;
  if (below === undefined || at === undefined || above === undefined || above > 0) return [];
  if (at < leastPile || at <= pileFactor * (below - at)) return [];
  const cap = dictionary.fallback / denominator;
  const bases = `${at} bases have a depth of exactly ${cap} and none has more`;
  if (at >= leastClear && dictionary.low === 0) {
    return [{ code: 'capped', message: `${bases}: the depths of the file seem to be capped.` }];
  }
  const message = `${bases}: the depths of the file may be capped there, or uniform, as in amplicons.`;
  return [{ code: 'possibly-capped', message }];
}
