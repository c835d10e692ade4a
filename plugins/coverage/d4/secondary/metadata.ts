/** Parses the header of the secondary table: its partitions and its compression. */
import { checkMembers, parseHeader } from '../container/json.js';
import { D4Error } from '../error.js';
import type { Chromosome } from '../metadata.js';

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
  chromosomes: readonly Chromosome[],
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
  for (const [i, own] of byChromosome.entries()) checkTiling(own, chromosomes[i] as Chromosome, place);
  return { deflated: isDeflated(json.compression, place), byChromosome, partitions };
}

/**
 * Sorts the partitions of a chromosome. Every writer divides a chromosome into them from end to end, so that another size or name in
 * one of the two headers is detected. Throws D4Error `broken`.
 */
function checkTiling(own: Partition[], { name, size }: Chromosome, place: string): void {
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
