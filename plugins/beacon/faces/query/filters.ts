/**
 * The parameters of a query for variants, by the names of Beacon v2.1, and those that narrow it beside its position: type,
 * length and bases.
 */
import { Fault } from '../../../../core/plugin.js';
import { type AlleleQuery, type Bounds, type KindFilter, type Replacement, replacing } from '../../contract.js';
import { canonicalQuestion } from '../../domain/allele-query.js';
import { quoted } from '../../domain/written-question.js';
import { variantTerm } from './terms.js';

/** Parameters of a query for variants, by the names of Beacon v2.1, with the kinds of their values; an omitted one does not narrow it. */
export const variantParameters = {
  assemblyId: 'text',
  referenceName: 'text',
  /** Zero-based; one position, or the two of a bracket. */
  start: 'wholes',
  end: 'wholes',
  /** IUPAC codes; empty, `-` and `.` for none. */
  referenceBases: 'text',
  alternateBases: 'text',
  variantType: 'text',
  /** In bases. */
  variantMinLength: 'whole',
  variantMaxLength: 'whole',
  geneId: 'text',
  genomicAlleleShortForm: 'text',
  aminoacidChange: 'text',
  /** The chromosome of the other end of a breakend, and where on it. */
  mateName: 'text',
  mateStart: 'wholes',
  mateEnd: 'wholes',
} as const;

export type VariantParameter = keyof typeof variantParameters;

/** Values of parameters, by kind. */
interface ParameterValues {
  text: string;
  whole: number;
  wholes: readonly number[];
}

export type VariantParameters = {
  [Name in VariantParameter]?: ParameterValues[(typeof variantParameters)[Name]] | undefined;
};

/** Those that were given, in the order above. */
export function givenIn(parameters: VariantParameters): VariantParameter[] {
  const names = Object.keys(variantParameters) as VariantParameter[];
  return names.filter((name) => parameters[name] !== undefined);
}

// Parameters that narrow a query beside its place.

export interface QueryFilters {
  kinds?: readonly KindFilter[];
  /** In bases. */
  length?: Bounds;
  bases: QueryBases;
  /** The bases as they narrow a query that has another place than theirs. */
  patterns: Pick<Replacement, 'reference' | 'alternate'>;
  warnings: readonly string[];
}

/** Throws an `invalid` fault. */
export function readFilters(parameters: VariantParameters): QueryFilters {
  const { variantType, variantMinLength: min, variantMaxLength: max } = parameters;
  const { kinds, warning } = variantType === undefined ? {} : variantTerm(variantType);
  for (const name of ['variantMinLength', 'variantMaxLength'] as const) {
    const value = parameters[name];
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) continue;
    throw new Fault('invalid', `${name} must be a whole number of bases from 0; got ${value}`);
  }
  if (min !== undefined && max !== undefined && min > max) {
    throw new Fault('invalid', `variantMinLength must not be more than variantMaxLength; got ${min} and ${max}`);
  }
  const bases = {
    reference: readBases('referenceBases', parameters.referenceBases),
    alternate: readBases('alternateBases', parameters.alternateBases),
  };
  const isBounded = min !== undefined || max !== undefined;
  return {
    ...(kinds && { kinds }),
    ...(isBounded && { length: { min: min ?? 0, max: max ?? Number.MAX_SAFE_INTEGER } }),
    bases,
    patterns: patterns(bases),
    warnings: warning === undefined ? [] : [warning],
  };
}

/** The query with the requested type and length. */
export function narrowedQuery(query: AlleleQuery, { kinds, length }: QueryFilters): AlleleQuery {
  return {
    ...query,
    ...(kinds && { kinds }),
    ...(length && { replaces: { ...query.replaces, length } }),
  };
}

// The bases of a query, in the forms in which the stores of Beacon v1 and v2 are asked.

/** Reference and alternate: IUPAC codes in upper case, empty for none; undefined if not given. */
interface QueryBases {
  reference: string | undefined;
  alternate: string | undefined;
}

/** Throws an `invalid` fault for anything but IUPAC codes, `-` and `.`. */
function readBases(parameter: string, text: string | undefined): string | undefined {
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

type BasesQuery = Omit<AlleleQuery, 'assembly' | 'contig'>;

/** Alleles with these bases in place of those at `start`; undefined if the bases are the same, so that nothing changes. */
export function sequenceAt(start: number, { reference, alternate }: QueryBases): BasesQuery | undefined {
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
function patterns(bases: QueryBases): Pick<Replacement, 'reference' | 'alternate'> {
  const [reference, alternate] = [narrowing(bases.reference), narrowing(bases.alternate)];
  return { ...(reference !== undefined && { reference }), ...(alternate !== undefined && { alternate }) };
}
