/** The values of the parameter variantType. */
import { Fault } from '../../../core/plugin.js';
import { isWithin, structuralTypes, typeNamed, typesWithin } from '../../../core/vcf.js';
import type { KindFilter } from './allele-query.js';

/** Alleles written out as bases. */
const small = ['SNV', 'SNP', 'MNP', 'INDEL'] as const;

/** `DUP:TANDEM`, and the repeats that ExpansionHunter calls `STR27`. */
const structuralForm = `STR\\d+|(${structuralTypes.join('|')})(:[A-Z0-9_-]{1,32}){0,3}`;
const acceptedStructural = new RegExp(`^(${structuralForm})$`, 'i');
const accepted = new RegExp(`^(${small.join('|')}|${structuralForm})$`, 'i');

/**
 * The kinds that a requested `variantType` covers (case is ignored): itself and its subtypes, never a type that it is part of.
 * SNV is SNP; INDEL is any small insertion or deletion; INS and DEL also cover the small ones, CNV only structural deletions.
 */
export function kindsOf(variantType: string): KindFilter[] {
  const type = typeNamed(variantType);
  if (type === 'SNV' || type === 'SNP') return [{ kind: 'SNP' }];
  if (type === 'INDEL') {
    return [
      { kind: 'INS', structural: false },
      { kind: 'DEL', structural: false },
    ];
  }
  return typesWithin(type).map((kind) => (kind === 'DEL' && type !== kind ? { kind, structural: true } : { kind }));
}

/** The type whose kinds these are; undefined if they are of several. */
export function typeOf(kinds: readonly KindFilter[] | undefined): string | undefined {
  const [first] = kinds ?? [];
  const names = (filters: readonly KindFilter[] = []) => filters.map(({ kind }) => kind).join();
  return first && names(kindsOf(first.kind)) === names(kinds) ? first.kind : undefined;
}

/** Whether only junctions are asked for: their ends are two places. */
export function areJunctions(kinds: readonly KindFilter[] | undefined): boolean {
  return kinds !== undefined && kinds.length > 0 && kinds.every(({ kind }) => isWithin(kind, 'BND'));
}

/** The kinds of allele that a variantType asks for; an `invalid` fault for an unknown one, which would find nothing. */
export function variantKinds(text: string): KindFilter[] {
  if (accepted.test(text)) return kindsOf(text);
  const known = [...small, ...structuralTypes].join(', ');
  throw new Fault('invalid', `Invalid variantType. Accepted values are ${known}, and subtypes such as DUP:TANDEM`);
}

/** A type of structural variants, as it is stored; an `invalid` fault for an unknown one. */
export function structuralKind(text: string): string {
  if (acceptedStructural.test(text)) return typeNamed(text);
  throw new Fault('invalid', `type must be one of ${structuralTypes.join(', ')}, or a subtype such as DUP:TANDEM`);
}
