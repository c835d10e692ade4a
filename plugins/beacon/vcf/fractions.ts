/**
 * Reads the allele fraction of a call from a sample column: what its caller states (AF of Mutect2 and mutserve, HF of MToolBox, VAF
 * of DeepVariant), else the reads of the allele among those of all alleles (AD, VCF 4.3 §1.6.2).
 */
import { type Fields, startOfField } from './site-genotypes.js';

const [zero, nine, colon, tab, comma, dot] = [48, 57, 58, 9, 44, 46];

/**
 * Whole percents, rounded down, of the sample column at `at`; -1 if unknown. `allele` counts from 1, as genotypes do. A list of
 * another length than one value for each alternate (of AD for each allele) does not say which of them is meant.
 */
export function percentOfCall(
  text: string,
  at: number,
  end: number,
  { fraction, reads }: Pick<Fields, 'fraction' | 'reads'>,
  { allele, alternates }: { allele: number; alternates: number },
): number {
  const from = fraction < 0 ? -1 : startOfField(text, at, end, fraction);
  const stated = from < 0 ? -1 : percentAt(text, valueAt(text, from, end, allele - 1, alternates), end);
  if (stated >= 0 || reads < 0) return stated;
  const list = startOfField(text, at, end, reads);
  return list < 0 ? -1 : percentOfReads(text, list, end, allele, alternates + 1);
}

function isEnd(code: number): boolean {
  return code === colon || code === tab;
}

/** Where a value of a list begins; -1 if the list has another length. */
function valueAt(text: string, from: number, end: number, index: number, length: number): number {
  let [values, found] = [1, index === 0 ? from : -1];
  for (let i = from; i < end; i++) {
    const code = text.charCodeAt(i);
    if (isEnd(code)) break;
    if (code !== comma) continue;
    if (values === index) found = i + 1;
    values++;
  }
  return values === length ? found : -1;
}

/** Digit by digit: 0.29 is 29 %, and as a binary fraction a little less. */
function percentAt(text: string, from: number, end: number): number {
  if (from < 0) return -1;
  let [percent, digits, decimals] = [0, 0, -1];
  for (let i = from; i < end; i++) {
    const code = text.charCodeAt(i);
    if (isEnd(code) || code === comma) break;
    if (code === dot && decimals < 0) decimals = 0;
    else if (code < zero || code > nine) return percentOfNumber(text.slice(from, from + 40));
    else {
      digits++;
      if (decimals < 2) percent = percent * 10 + code - zero;
      if (decimals >= 0) decimals++;
    }
  }
  if (digits === 0) return -1;
  for (let i = Math.max(decimals, 0); i < 2; i++) percent *= 10;
  return percent <= 100 ? percent : -1;
}

/** In scientific notation. */
function percentOfNumber(text: string): number {
  const [written] = /^\d+(\.\d*)?e[+-]?\d+(?=[,:\t\r\n]|$)/i.exec(text) ?? [];
  const percent = written === undefined ? -1 : Math.floor(Number((100 * Number(written)).toPrecision(12)));
  return percent <= 100 ? percent : -1;
}

/** -1 if the number of reads of any allele is missing, or if there are none at all. In one pass: nearly all calls have them. */
function percentOfReads(text: string, from: number, end: number, allele: number, alleles: number): number {
  let [sum, own, count, value, digits] = [0, 0, 0, 0, 0];
  for (let i = from; ; i++) {
    const code = i < end ? text.charCodeAt(i) : tab;
    if (code >= zero && code <= nine) {
      value = value * 10 + code - zero;
      digits++;
      continue;
    }
    if (digits === 0 || (code !== comma && !isEnd(code))) return -1;
    sum += value;
    if (count++ === allele) own = value;
    if (code !== comma) return count !== alleles || sum === 0 ? -1 : Math.floor((100 * own) / sum);
    [value, digits] = [0, 0];
  }
}
