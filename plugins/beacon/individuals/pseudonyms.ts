/** Ids of people and samples for callers: the laboratory's own names, and its cases, stay with the laboratory. */
import { createHmac } from 'node:crypto';

export type Pseudonymous = 'individual' | 'biosample' | 'run' | 'analysis';

/** Characters of a pseudonym: 132 bits. */
const length = 22;

/**
 * The id that a sample of a dataset has as one of these, by the salt of the dataset: the same as long as the dataset exists,
 * another one in every dataset and for every kind. It cannot be computed without the salt, nor reversed: whoever has an id looks
 * for it among the pseudonyms of all samples.
 */
export function pseudonym(salt: string, kind: Pseudonymous, sample: string): string {
  return createHmac('sha256', salt).update(`${kind}\n${sample}`).digest('base64url').slice(0, length);
}

const written = /^[A-Za-z0-9_-]{22}$/;

export function isPseudonym(id: string): boolean {
  return written.test(id);
}
