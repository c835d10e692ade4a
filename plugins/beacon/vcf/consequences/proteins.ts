/**
 * Which blocks may have a change of a protein, in any gene: beside each block stand its changes as hashes of 16 bits, two bytes a
 * change. Of 500 changes in a block, another one is found by mistake in less than one of a hundred; the lines have the last word.
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

/** What stands beside a block with these changes of proteins, as stored; texts that are no change of one protein are left out. */
export function digestOf(proteins: readonly string[]): Uint8Array {
  const hashes = new Set(proteins.flatMap((protein) => proteinChange(protein) ?? []).map(hashOf));
  const digest = new DataView(new ArrayBuffer(2 * hashes.size));
  let at = 0;
  for (const hash of hashes) digest.setUint16(2 * at++, hash);
  return new Uint8Array(digest.buffer);
}

/** Whether a block with this digest may have the change. */
export function mayHaveChange(digest: Uint8Array, change: string): boolean {
  const wanted = hashOf(change);
  const [high, low] = [wanted >> 8, wanted & 0xff];
  for (let at = 0; at < digest.length; at += 2) if (digest[at] === high && digest[at + 1] === low) return true;
  return false;
}
