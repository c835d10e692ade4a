/** Genotype quality (GQ, VCF 4.3 §1.6.2): how sure a caller is of a genotype, Phred-scaled. */

/** Which genotypes are read by their GQ. */
export interface QualityRule {
  /** Genotypes with a lower GQ, or none, are skipped. */
  minimum: number;
  /** Whether structural variants need it too: many of their callers write no GQ. */
  structural: boolean;
}

const zero = 48;
const nine = 57;
const colon = 58;
const tab = 9;

/** The GQ that begins at `at`, -1 if it is no number from 0; reads to the next colon, tab or `end`. */
export function qualityAt(text: string, at: number, end: number): number {
  let quality = 0;
  let i = at;
  for (; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === colon || code === tab) break;
    // Some callers write decimals.
    if (code < zero || code > nine) return decimalAt(text, at);
    quality = quality * 10 + code - zero;
  }
  return i === at ? -1 : quality;
}

const decimal = /\d+(\.\d*)?(e[+-]?\d+)?(?=[:\t\r\n]|$)/iy;

function decimalAt(text: string, at: number): number {
  decimal.lastIndex = at;
  const [written] = decimal.exec(text) ?? [];
  return written === undefined ? -1 : Number(written);
}
