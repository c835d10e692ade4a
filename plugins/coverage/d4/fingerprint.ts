/** A fingerprint that changes with the file. */
import { createHash } from 'node:crypto';
import type { Source } from './source/source.js';
import type { Track } from './track.js';

/** Sixteen hexadecimal digits of a file's size, version and headers. */
export function fingerprint({ size, version }: Source, tracks: readonly Track[]): string {
  const hash = createHash('sha256').update(JSON.stringify([size, version ?? null]));
  for (const { name, chromosomes, dictionary, denominator, primary } of tracks) {
    const { width, low, values } = dictionary;
    const names = chromosomes.map((chromosome) => [chromosome.name, chromosome.size]);
    hash.update(JSON.stringify([name, names, width, low ?? values, denominator, primary]));
  }
  return hash.digest('hex').slice(0, 16);
}
