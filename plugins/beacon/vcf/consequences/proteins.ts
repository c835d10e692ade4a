/**
 * Which blocks may have a change of a protein, in any gene: beside each block stand its changes as hashes of 16 bits, ascending, about
 * one byte a change. Of 1,000 changes in a block, another one is found by mistake in 15 of 1,000; the lines have the last word.
 */
import type { AlleleAnnotation, GeneConsequence } from './contract.js';
import { proteinChange } from './hgvs.js';

/** FNV-1a, folded to 16 bits. */
function hashOf(change: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < change.length; i++) hash = Math.imul(hash ^ change.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 16)) & 0xffff;
}

/** The genes of which a transcript has this change, in the form of `proteinChange`. */
export function genesWithChange({ genes }: AlleleAnnotation, change: string): GeneConsequence[] {
  return genes.filter(({ transcripts }) =>
    transcripts.some(({ protein }) => protein !== undefined && proteinChange(protein) === change),
  );
}

/** The largest difference of two hashes in one byte. */
const largest = 255;

/**
 * What stands beside a block with these changes of proteins, as stored: how much each hash is above the one before, as a sum of bytes
 * of which all but the last are the largest. Texts that are no change of one protein are left out.
 */
export function digestOf(proteins: readonly string[]): Uint8Array {
  const hashes = [...new Set(proteins.flatMap((protein) => proteinChange(protein) ?? []).map(hashOf))].sort(
    (one, other) => one - other,
  );
  const digest: number[] = [];
  let before = 0;
  for (const hash of hashes) {
    for (; hash - before >= largest; before += largest) digest.push(largest);
    digest.push(hash - before);
    before = hash;
  }
  return Uint8Array.from(digest);
}

/** Whether a block with this digest may have the change. */
export function mayHaveChange(digest: Uint8Array, change: string): boolean {
  const wanted = hashOf(change);
  let hash = 0;
  for (const byte of digest) {
    hash += byte;
    if (byte < largest && hash >= wanted) return hash === wanted;
  }
  return false;
}
