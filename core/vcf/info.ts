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
  /** Lengths, never negative: one value an alternate, or one for all; undefined for a missing one. */
  svlen: readonly (number | undefined)[];
  /** Bases inserted, as callers write them that leave out SVLEN (Delly, Manta). */
  inserted: number | undefined;
  /** The chromosome of the other end of a symbolic junction (CHR2). */
  chr2: string | undefined;
  /** The one-based position of that end beside END: POS2 (Delly), END2 (GATK-SV) or CHR2_POS (Dysgu). */
  pos2: number | undefined;
  /** Confidence intervals around POS and END: one pair for all alternates, or one for each; else empty. NaN for a missing value. */
  cipos: readonly number[];
  ciend: readonly number[];
}

/** Of a record whose INFO says none of it. */
export const noStructuralInfo: StructuralInfo = {
  svtype: undefined,
  end: undefined,
  svlen: [],
  inserted: undefined,
  chr2: undefined,
  pos2: undefined,
  cipos: [],
  ciend: [],
};

/** Reads INFO, given as its own text. */
export function structuralInfo(info: string): StructuralInfo {
  const svtype = infoValue(info, 'SVTYPE');
  const number = (key: string) => wholeNumber(infoValue(info, key));
  return {
    svtype: svtype === undefined ? undefined : typeNamed(svtype),
    end: number('END'),
    svlen: infoValue(info, 'SVLEN')?.split(',').map(lengthIn) ?? [],
    inserted: number('INSLEN') ?? number('SVINSLEN'),
    chr2: infoValue(info, 'CHR2') ?? infoValue(info, 'CHROM2'),
    pos2: number('POS2') ?? number('END2') ?? number('CHR2_POS'),
    cipos: offsets(infoValue(info, 'CIPOS')),
    ciend: offsets(infoValue(info, 'CIEND')),
  };
}

/** However large: the caller refuses what cannot be stored. */
function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/** Without its sign: up to VCF 4.3 deletions have negative lengths. */
function lengthIn(text: string): number | undefined {
  const length = Math.abs(Number.parseInt(text, 10));
  return Number.isNaN(length) ? undefined : length;
}

/** Whole numbers, or `.` for an alternate without; any other text is ignored, as is an END that is not a number. */
function offsets(text: string | undefined): number[] {
  const isList = text !== undefined && /^([+-]?\d{1,9}|\.)(,([+-]?\d{1,9}|\.))*$/.test(text);
  return isList ? text.split(',').map((offset) => (offset === '.' ? Number.NaN : Number(offset))) : [];
}
