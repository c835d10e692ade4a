/** The bases of a query, in the forms in which the stores of Beacon v1 and v2 are asked. */
import { Fault } from '../../../core/plugin.js';
import { type AlleleQuery, type Bounds, type Replacement, replacing } from '../contract.js';
import { canonicalQuestion } from '../domain/canonical.js';
import { quoted } from '../domain/quoted.js';

/** Reference and alternate: IUPAC codes in upper case, empty for none; undefined if not given. */
export interface Bases {
  reference: string | undefined;
  alternate: string | undefined;
}

/** Throws an `invalid` fault for anything but IUPAC codes, `-` and `.`. */
export function readBases(parameter: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const upper = text.toUpperCase();
  if (/^[ACGTUNRYSWKMBDHV.-]*$/.test(upper)) return upper.replace(/[.-]/g, '').replaceAll('U', 'T');
  throw new Fault(
    'invalid',
    `${parameter} must be IUPAC codes of bases (A, C, G, T, N, R, Y, S, W, K, M, B, D, H, V), or empty, - or . for none; got ${quoted(text)}`,
  );
}

/** Whether bases, if given, are of the alphabet in which alleles are stored, and any at all. */
function isStorable(bases: string | undefined): boolean {
  return bases === undefined || /^[ACGTN]+$/.test(bases);
}

/** Without a lone N, which stands for anything. */
function narrowing(bases: string | undefined): string | undefined {
  return bases === 'N' ? undefined : bases;
}

type Asked = Omit<AlleleQuery, 'assembly' | 'contig'>;

/** Alleles with these bases in place of those at `start`; undefined if the bases are the same, so that nothing changes. */
export function sequenceAt(start: number, { reference, alternate }: Bases): Asked | undefined {
  const exact = (position: number): Bounds => ({ min: position, max: position });
  if (reference === alternate && reference !== 'N') return undefined;
  // As files write alleles: the same question as in v1.
  if (isStorable(reference) && isStorable(alternate)) {
    const asked = canonicalQuestion({ reference, alternate, start: exact(start) });
    return {
      start: asked.start,
      ...(asked.reference !== undefined && { reference: asked.reference }),
      ...(asked.alternate !== undefined && { alternate: asked.alternate }),
    };
  }
  const [replaced, put] = [narrowing(reference), narrowing(alternate)];
  if (replaced !== undefined && put !== undefined) {
    return replacing({ change: { start, end: start + replaced.length, reference: replaced, alternate: put } });
  }
  return replacing({
    start: exact(start),
    ...(replaced !== undefined && { end: exact(start + replaced.length) }),
    ...patterns({ reference, alternate }),
  });
}

/** The same without a place: to narrow another query. */
export function patterns(bases: Bases): Pick<Replacement, 'reference' | 'alternate'> {
  const [reference, alternate] = [narrowing(bases.reference), narrowing(bases.alternate)];
  return { ...(reference !== undefined && { reference }), ...(alternate !== undefined && { alternate }) };
}
