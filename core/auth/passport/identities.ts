/** Accounts of one person, as LinkedIdentities visas state them. */
import type { Identity, Visa } from './visa.js';

/** A person with more links than this is not believed to be one. */
const mostLinks = 100;

/**
 * Returns whether an account is the person's: the one given, or linked to it by visas, in one or several steps and in either
 * direction. Visas with conditions link nothing.
 */
export function accountsOf(own: Identity, visas: readonly Visa[]): (other: Identity) => boolean {
  const links = visas
    .filter(({ type, conditions }) => type === 'LinkedIdentities' && conditions === undefined)
    .map((visa) => [keyOf(visa), keyOf(visa.about), ...listed(visa.value).map(keyOf)]);
  const linked = links.flat().length <= mostLinks ? links : [];
  const known = new Set([keyOf(own)]);
  for (let before = 0; before < known.size; ) {
    before = known.size;
    for (const group of linked) if (group.some((one) => known.has(one))) for (const one of group) known.add(one);
  }
  return (other) => known.has(keyOf(other));
}

/** The accounts in `uri(sub),uri(iss);…`; none if any of them cannot be read. */
function listed(value: string): Identity[] {
  const found: Identity[] = [];
  for (const pair of value.split(';')) {
    const parts = pair.split(',').map(decoded);
    const [subject, issuer] = parts;
    if (parts.length !== 2 || !subject || !issuer) return [];
    found.push({ subject, issuer });
  }
  return found;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function keyOf({ issuer, subject }: Identity): string {
  return JSON.stringify([issuer, subject]);
}
