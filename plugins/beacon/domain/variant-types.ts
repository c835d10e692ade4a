/** The values of the parameter variantType. */
import { Fault } from '../../../core/plugin.js';
import type { KindFilter } from './allele-query.js';
import { kindsOf } from './matching.js';

/** Alleles written out as bases. */
const small = ['SNV', 'SNP', 'MNP', 'INDEL'] as const;

/** What VCF files state as SVTYPE: the types of VCF 4.3, and those that callers in use add to them. */
const structural = [
  ...['INS', 'DEL', 'DUP', 'INV', 'CNV', 'BND', 'TRA', 'CTX', 'CPX', 'MEI', 'ALU', 'LINE1', 'SVA', 'STR', 'TDUP'],
  ...['IDUP', 'INVDUP', 'LOH', 'ROH'],
] as const;

/** `DUP:TANDEM`, and the repeats that ExpansionHunter calls `STR27`. */
const structuralForm = `STR\\d+|(${structural.join('|')})(:[A-Z0-9_-]{1,32}){0,3}`;
const acceptedStructural = new RegExp(`^(${structuralForm})$`, 'i');
const accepted = new RegExp(`^(${small.join('|')}|${structuralForm})$`, 'i');

/** The kinds of allele that a variantType asks for; an `invalid` fault for an unknown one, which would find nothing. */
export function variantKinds(text: string): KindFilter[] {
  if (accepted.test(text)) return kindsOf(text);
  const known = [...small, ...structural].join(', ');
  throw new Fault('invalid', `Invalid variantType. Accepted values are ${known}, and subtypes such as DUP:TANDEM`);
}

/** A type of structural variants, in upper case; an `invalid` fault for an unknown one. */
export function structuralKind(text: string): string {
  if (acceptedStructural.test(text)) return text.toUpperCase();
  throw new Fault('invalid', `type must be one of ${structural.join(', ')}, or a subtype such as DUP:TANDEM`);
}
