/**
 * The headers of a track: its chromosomes, its dictionary (which depth each code of the primary table stands for), and the
 * partitions of its secondary table.
 */
import { checkMembers, parseHeader } from './container.js';
import { D4Error, type D4ErrorCode, maxChromosomeSize, maxGenomeBases, maxWidth, refuse, shown } from './error.js';

export interface D4Chromosome {
  name: string;
  /** Bases. */
  size: number;
}

/** A track's own header. */
export interface Metadata {
  /** In the order of the primary table. */
  chromosomes: D4Chromosome[];
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
  return {
    chromosomes: chromosomeList(json.chrom_list, place, 'broken'),
    dictionary: parseDictionary(json.dictionary, place),
    ...parseDenominator(json.denominator, place),
  };
}

/** The chromosomes of a header or of a caller, checked. Throws D4Error with the code. */
export function chromosomeList(list: unknown, place: string, code: D4ErrorCode = 'invalid'): D4Chromosome[] {
  if (!Array.isArray(list)) throw new D4Error(code, `There is no list of chromosomes: ${shown(list)}`, place);
  const seen = new Set<string>();
  const chromosomes = list.map((item: unknown, ordinal): D4Chromosome => {
    const { name, size } = (item ?? {}) as { name?: unknown; size?: unknown };
    if (typeof name !== 'string' || typeof size !== 'number' || !Number.isInteger(size)) {
      throw new D4Error(code, `Chromosome ${ordinal} of the list has no name or no size: ${shown(item)}`, place);
    }
    if (size < 0 || size > maxChromosomeSize) {
      throw new D4Error(code, `Chromosome ${name} cannot have ${size} bases`, place);
    }
    if (seen.has(name)) throw new D4Error(code, `Chromosome ${name} is listed twice`, place);
    seen.add(name);
    return { name, size };
  });
  const bases = chromosomes.reduce((sum, { size }) => sum + size, 0);
  if (bases > maxGenomeBases) throw new D4Error(code, `The chromosomes have ${bases} bases together`, place);
  return chromosomes;
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

// The dictionary of a track.

/** The value of each code of the primary table. */
export interface Dictionary {
  /** Bits per code, 0 to 16. */
  readonly width: number;
  /** 2^width − 1: as a code it means the value of a secondary record, or its own value if there is no record. */
  readonly mask: number;
  /** Value of each code, 2^width of them. */
  readonly values: Int32Array;
  /** The first value, if the values ascend from it by one (SimpleRange, or an equivalent dictionary). */
  readonly low: number | undefined;
  /** The value of a position whose code is the mask and that no record covers. */
  readonly fallback: number;
}

/** Builds a dictionary from its values; their number must be a power of two, at most 65,536. */
export function dictionary(values: Int32Array, place = 'dictionary', code: D4ErrorCode = 'invalid'): Dictionary {
  if (!(values instanceof Int32Array)) refuse('The values of a dictionary', 'an Int32Array', values);
  const width = Math.log2(values.length);
  if (!Number.isInteger(width) || width > maxWidth) {
    throw new D4Error(code, `A dictionary of ${values.length} values has no whole bit width up to ${maxWidth}`, place);
  }
  const low = values[0] as number;
  const ascending = values.every((value, code) => value === low + code);
  return {
    width,
    mask: values.length - 1,
    values,
    low: ascending ? low : undefined,
    fallback: values[values.length - 1] as number,
  };
}

/** The dictionary low, low + 1, … high − 1. */
export function simpleRange(
  low: number,
  high: number,
  place = 'dictionary',
  code: D4ErrorCode = 'invalid',
): Dictionary {
  const count = high - low;
  if (!isInt32(low) || typeof high !== 'number' || !isInt32(high - 1) || count < 1 || count > 2 ** maxWidth) {
    throw new D4Error(code, `A dictionary from ${shown(low)} to ${shown(high)} is not possible`, place);
  }
  return dictionary(
    Int32Array.from({ length: count }, (_, code) => low + code),
    place,
    code,
  );
}

/** Reads the `dictionary` member of a track's header. */
function parseDictionary(json: unknown, place: string): Dictionary {
  if (typeof json === 'object' && json !== null) {
    const { SimpleRange, Dictionary: listed } = json as { SimpleRange?: unknown; Dictionary?: unknown };
    if (typeof SimpleRange === 'object' && SimpleRange !== null) {
      const { low, high } = SimpleRange as { low?: unknown; high?: unknown };
      if (typeof low === 'number' && typeof high === 'number') return simpleRange(low, high, place, 'broken');
    }
    if (typeof listed === 'object' && listed !== null) {
      const { i2v_map: values } = listed as { i2v_map?: unknown };
      if (Array.isArray(values) && values.length <= 2 ** maxWidth && values.every(isInt32)) {
        return dictionary(Int32Array.from(values), place, 'broken');
      }
    }
  }
  throw new D4Error('broken', 'The dictionary is neither a SimpleRange nor a Dictionary', place);
}

/** The header's form of a dictionary. */
export function dictionaryJson(dictionary: Dictionary): object {
  const { low, values } = dictionary;
  if (low !== undefined) return { SimpleRange: { low, high: low + values.length } };
  return { Dictionary: { i2v_map: [...values] } };
}

function isInt32(value: unknown): value is number {
  return typeof value === 'number' && (value | 0) === value;
}

// Parses the header of the secondary table: its partitions and its compression.

/** A region of a chromosome whose records are one stream. */
export interface Partition {
  /** Position in the list of partitions, which is also the stream's name. */
  ordinal: number;
  chromosome: number;
  /** Zero-based half-open. */
  begin: number;
  end: number;
}

export interface SecondaryMetadata {
  deflated: boolean;
  /** Per chromosome, ascending: from its first base to its last, without gap or overlap. */
  byChromosome: Partition[][];
  partitions: Partition[];
}

/** Reads `.stab/.metadata`. */
export function parseSecondaryMetadata(
  bytes: Uint8Array,
  chromosomes: readonly D4Chromosome[],
  place: string,
): SecondaryMetadata {
  const json = parseHeader(bytes, place);
  checkMembers(json, ['format', 'record_format', 'partitions', 'compression'], place);
  const { format = 'SimpleKV', record_format: recordFormat = 'range', partitions: list } = json;
  if (format !== 'SimpleKV' || recordFormat !== 'range') {
    throw new D4Error('broken', `Secondary records of format ${format}/${recordFormat} are not known`, place);
  }
  if (!Array.isArray(list)) throw new D4Error('broken', 'The secondary header has no partitions', place);
  const ordinals = new Map(chromosomes.map(({ name }, ordinal) => [name, ordinal]));
  const byChromosome: Partition[][] = chromosomes.map(() => []);
  const partitions = list.map((item: unknown, ordinal): Partition => {
    const [name, begin, end] = Array.isArray(item) ? (item as unknown[]) : [];
    const chromosome = typeof name === 'string' ? ordinals.get(name) : undefined;
    if (chromosome === undefined || !isPosition(begin) || !isPosition(end) || begin > end) {
      throw new D4Error('broken', `Partition ${ordinal} is not a region of a known chromosome`, place);
    }
    const partition = { ordinal, chromosome, begin, end };
    byChromosome[chromosome]?.push(partition);
    return partition;
  });
  for (const [i, own] of byChromosome.entries()) checkTiling(own, chromosomes[i] as D4Chromosome, place);
  return { deflated: isDeflated(json.compression, place), byChromosome, partitions };
}

/**
 * Sorts the partitions of a chromosome. Every writer divides a chromosome into them from end to end, so that another size or name in
 * one of the two headers is detected. Throws D4Error `broken`.
 */
function checkTiling(own: Partition[], { name, size }: D4Chromosome, place: string): void {
  own.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let at = 0;
  for (const { ordinal, begin, end } of own) {
    if (begin !== at) {
      const message = `Partition ${ordinal} of chromosome ${name} begins at ${begin}, and the one before it ends at ${at}`;
      throw new D4Error('broken', message, place);
    }
    at = end;
  }
  if (at === size) return;
  const message = `The partitions of chromosome ${name} end at ${at}, and it has ${size} bases`;
  throw new D4Error('broken', message, place);
}

function isPosition(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2 ** 32;
}

function isDeflated(compression: unknown, place: string): boolean {
  if (compression === undefined || compression === null || compression === 'NoCompression') return false;
  if (typeof compression === 'object' && 'Deflate' in compression) return true;
  throw new D4Error('broken', `Compression ${JSON.stringify(compression)} is not known`, place);
}
