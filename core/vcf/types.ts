/**
 * What structural types mean: SVTYPE, and the words in symbolic alternates (VCF 4.3 §1.4.5 and §3, 4.4 §3), as files and
 * clients write them. A subtype has its type before a colon: DUP:TANDEM is a DUP.
 */

/** The types of VCF, and those that callers in use add to them. */
export const structuralTypes = [
  ...['INS', 'DEL', 'DUP', 'INV', 'CNV', 'BND', 'TRA', 'CTX', 'ITX', 'CPX', 'MEI', 'ALU', 'LINE1', 'SVA', 'STR'],
  ...['TDUP', 'IDUP', 'INVDUP', 'LOH', 'ROH'],
] as const;

/** Other words for a type. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['MEI', 'INS:ME'],
  ['ALU', 'INS:ME:ALU'],
  ['LINE1', 'INS:ME:LINE1'],
  ['L1', 'INS:ME:LINE1'],
  ['INS:ME:L1', 'INS:ME:LINE1'],
  ['SVA', 'INS:ME:SVA'],
  ['TDUP', 'DUP:TANDEM'],
  ['CTX', 'TRA'],
  ['ITX', 'TRA'],
]);

/** Types that are part of another although their names do not say so. */
const parts: ReadonlyMap<string, readonly string[]> = new Map([
  ['CNV', ['DUP', 'DEL']],
  ['DUP', ['IDUP', 'INVDUP']],
  ['BND', ['TRA']],
]);

const copyNumber = /^CN=?\d+$/;
const repeats = /^STR(\d+)$/;

/**
 * The type that a word means, of any case: INS:ME:ALU for `ALU`, STR:18 for `STR18` (a repeat of 18 units), CNV for `CN0` and
 * `CN=0` (a number of copies is a loss or a gain only beside the number that is usual). Any other word is returned in upper case.
 */
export function typeNamed(word: string): string {
  const upper = word.toUpperCase();
  return synonyms.get(upper) ?? (copyNumber.test(upper) ? 'CNV' : upper.replace(repeats, 'STR:$1'));
}

/** Returns whether a type, or a word for one, is `of` (named as by `typeNamed`) or one of its subtypes. */
export function isWithin(type: string, of: string): boolean {
  if (type === of || type.startsWith(`${of}:`)) return true;
  const named = typeNamed(type);
  if (named !== type) return isWithin(named, of);
  return parts.get(of)?.some((part) => isWithin(type, part)) ?? false;
}

/**
 * A type and all that are within it, the type first, including other words by which they may be stored. Subtypes that begin
 * with the name of another in the list are left out.
 */
export function typesWithin(type: string): string[] {
  const named = typeNamed(type);
  const repeated = /^STR:\d+$/.test(named) ? [named.replace(':', '')] : [];
  const found = [named, ...(parts.get(named) ?? []).flatMap(typesWithin), ...repeated];
  for (const [word, meaning] of synonyms) {
    const isFound = found.some((one) => word === one || word.startsWith(`${one}:`));
    if (!isFound && isWithin(meaning, named)) found.push(word);
  }
  return found;
}

/**
 * The type of a symbolic alternate or, without `symbol`, of plain bases with an SVTYPE. What ALT says is the allele; SVTYPE,
 * which belongs to the whole record, is taken if it says the same more precisely (`<INS>` with SVTYPE=ALU), or if the word in
 * ALT is unknown. If several alternates share it, it makes only copy numbers more precise.
 */
export function kindOfStructural(svtype: string | undefined, symbol: string | undefined, several: boolean): string {
  if (symbol === undefined) return svtype ?? 'BND';
  const own = typeNamed(symbol);
  if (svtype === undefined) return own;
  if (!structuralTypes.some((type) => isWithin(own, typeNamed(type)))) return svtype;
  return isWithin(svtype, own) && (!several || copyNumber.test(symbol)) ? svtype : own;
}
