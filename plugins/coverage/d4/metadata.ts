/** Parses the header of a track. */
import { checkMembers, parseHeader } from './container/json.js';
import { type Dictionary, parseDictionary } from './dictionary.js';
import { D4Error } from './error.js';
import { maxChromosomeSize, maxGenomeBases } from './limits.js';

export interface Chromosome {
  name: string;
  /** Bases. */
  size: number;
}

/** A track's own header. */
export interface Metadata {
  /** In the order of the primary table. */
  chromosomes: Chromosome[];
  dictionary: Dictionary;
  /** A depth is the stored integer divided by this; always positive. */
  denominator: number;
  /** The header's denominator when it was unusable (0, negative, not a number) and therefore counts as 1. */
  ignoredDenominator?: number | null;
}

/** Reads a track's `.metadata`. */
export function parseMetadata(bytes: Uint8Array, place: string): Metadata {
  const json = parseHeader(bytes, place);
  checkMembers(json, ['chrom_list', 'dictionary', 'denominator'], place);
  const list = json.chrom_list;
  if (!Array.isArray(list)) throw new D4Error('broken', 'The header has no chromosome list', place);
  const seen = new Set<string>();
  const chromosomes = list.map((item: unknown, ordinal): Chromosome => {
    const { name, size } = (item ?? {}) as { name?: unknown; size?: unknown };
    if (typeof name !== 'string' || typeof size !== 'number' || !Number.isInteger(size)) {
      throw new D4Error('broken', `Chromosome ${ordinal} of the list has no name or no size`, place);
    }
    if (size < 0 || size > maxChromosomeSize) {
      throw new D4Error('broken', `Chromosome ${name} cannot have ${size} bases`, place);
    }
    if (seen.has(name)) throw new D4Error('broken', `Chromosome ${name} is listed twice`, place);
    seen.add(name);
    return { name, size };
  });
  const bases = chromosomes.reduce((sum, { size }) => sum + size, 0);
  if (bases > maxGenomeBases) throw new D4Error('broken', `The chromosomes have ${bases} bases together`, place);
  return {
    chromosomes,
    dictionary: parseDictionary(json.dictionary, place),
    ...parseDenominator(json.denominator, place),
  };
}

/** The unusable denominators of some writers are 0 and NaN, which JSON has as null. */
function parseDenominator(json: unknown, place: string): Pick<Metadata, 'denominator' | 'ignoredDenominator'> {
  if (json === undefined || json === null || json === 'One') return { denominator: 1 };
  const value = (json as { Value?: unknown }).Value;
  if (value !== null && typeof value !== 'number') {
    throw new D4Error('broken', 'The denominator is neither "One" nor a Value', place);
  }
  if (value !== null && value > 0 && Number.isFinite(value)) return { denominator: value };
  return { denominator: 1, ignoredDenominator: value };
}
