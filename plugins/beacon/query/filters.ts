/** Parameters that narrow a query beside its place: the type and the length of variants, and their bases. */
import { Fault } from '../../../core/plugin.js';
import type { AlleleQuery, Bounds, KindFilter, Replacement } from '../contract.js';
import { variantTerm } from '../domain/variant-terms.js';
import { type Bases, patterns, readBases } from './bases.js';
import type { VariantParameters } from './parameters.js';

export interface Filters {
  kinds?: readonly KindFilter[];
  /** In bases. */
  length?: Bounds;
  bases: Bases;
  /** The bases as they narrow a query that has another place than theirs. */
  patterns: Pick<Replacement, 'reference' | 'alternate'>;
  warnings: readonly string[];
}

/** Throws an `invalid` fault. */
export function readFilters(parameters: VariantParameters): Filters {
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

/** The query with the type and the length that are asked for. */
export function narrowed(query: AlleleQuery, { kinds, length }: Filters): AlleleQuery {
  return {
    ...query,
    ...(kinds && { kinds }),
    ...(length && { replaces: { ...query.replaces, length } }),
  };
}
