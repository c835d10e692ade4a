/** Values of the INFO column (VCF 4.3 §1.6.1). */
import { typeNamed } from './types.js';

/** The value of a key in INFO; undefined if it is absent, empty or `.`. */
export function infoValue(info: string, key: string): string | undefined {
  const wanted = `${key}=`;
  for (let at = info.indexOf(wanted); at >= 0; at = info.indexOf(wanted, at + 1)) {
    if (at > 0 && info[at - 1] !== ';') continue;
    const end = info.indexOf(';', at);
    const value = info.slice(at + wanted.length, end < 0 ? undefined : end);
    return value === '' || value === '.' ? undefined : value;
  }
  return undefined;
}

/** The fields of INFO that place and name a structural allele; undefined if absent or `.`. */
export interface StructuralInfo {
  /** As `typeNamed` names it. */
  svtype: string | undefined;
  end: number | undefined;
  /** One value an alternate, or one for all. */
  svlen: readonly number[];
  /** The chromosome of the other end, as older callers write it. */
  chr2: string | undefined;
  /** Confidence intervals around POS and END: one pair for all alternates, or one for each; else empty. */
  cipos: readonly number[];
  ciend: readonly number[];
}

/** Of a record whose INFO says none of it. */
export const noStructuralInfo: StructuralInfo = {
  svtype: undefined,
  end: undefined,
  svlen: [],
  chr2: undefined,
  cipos: [],
  ciend: [],
};

/** Reads INFO, given as its own text. */
export function structuralInfo(info: string): StructuralInfo {
  const end = infoValue(info, 'END');
  const lengths = infoValue(info, 'SVLEN');
  const svtype = infoValue(info, 'SVTYPE');
  return {
    svtype: svtype === undefined ? undefined : typeNamed(svtype),
    // However large: the caller refuses what cannot be stored.
    end: end !== undefined && /^[+-]?\d+$/.test(end) ? Number(end) : undefined,
    svlen: lengths === undefined ? [] : lengths.split(',').map((length) => Math.abs(Number.parseInt(length, 10))),
    chr2: infoValue(info, 'CHR2'),
    cipos: offsets(infoValue(info, 'CIPOS')),
    ciend: offsets(infoValue(info, 'CIEND')),
  };
}

/** Whole numbers; any other text is ignored, as is an END that is not a number. */
function offsets(text: string | undefined): number[] {
  return text !== undefined && /^[+-]?\d{1,9}(,[+-]?\d{1,9})*$/.test(text) ? text.split(',').map(Number) : [];
}
