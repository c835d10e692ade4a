/** How common alleles are among people in general: what the price of an answer rests on. */

/** Alternate alleles counted in a reference population, or carriers in a dataset. */
export interface Counted {
  /** How often it was seen. */
  seen: number;
  /** Out of how many. */
  of: number;
}

/** Standard errors below the estimate: an allele is taken to be rarer than counted, since rare ones cost more. */
const caution = 1.645;

/**
 * The lower bound of a share of which a sample shows `seen` out of `of` (Wilson's score interval, one-sided 5 %): never more
 * than was seen, and 0 if nothing was.
 */
export function lowerShare({ seen, of }: Counted): number {
  if (of <= 0 || seen <= 0) return 0;
  const share = Math.min(1, seen / of);
  const square = (caution * caution) / of;
  const spread = caution * Math.sqrt((share * (1 - share)) / of + square / (4 * of));
  return Math.max(0, (share + square / 2 - spread) / (1 + square));
}

/** The share of people who carry an allele of this frequency, in Hardy–Weinberg proportions. */
export function carrierShare(frequency: number): number {
  return frequency * (2 - frequency);
}

export interface Known {
  /** People of the dataset, and those of them who carry one of the matching alleles. */
  people: number;
  carriers: number;
  /** The commonest of the matching alleles in a reference population, in copies; undefined if no reference is configured. */
  reference?: Counted;
}

/**
 * The share of all people who carry one of the matching alleles, rather too small than too large. Without a reference it comes
 * from the dataset less the one carrier whom a client may be after: an allele that nobody else there carries may be private.
 */
export function knownShare({ people, carriers, reference }: Known): number {
  if (reference) return carrierShare(lowerShare(reference));
  return lowerShare({ seen: carriers - 1, of: people - 1 });
}
