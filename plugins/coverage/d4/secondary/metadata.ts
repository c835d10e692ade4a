/** Parses the header of the secondary table: its partitions and its compression. */
import { parseHeader } from '../container/json.js';
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
  /** Per chromosome, ascending and without overlap. */
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
  for (const own of byChromosome) {
    own.sort((a, b) => a.begin - b.begin || a.end - b.end);
    own.forEach((partition, i) => {
      const before = own[i - 1];
      if (before && before.end > partition.begin) {
        throw new D4Error('broken', `Partitions ${before.ordinal} and ${partition.ordinal} overlap`, place);
      }
    });
  }
  return { deflated: isDeflated(json.compression, place), byChromosome, partitions };
}

function isPosition(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2 ** 32;
}

function isDeflated(compression: unknown, place: string): boolean {
  if (compression === undefined || compression === null || compression === 'NoCompression') return false;
  if (typeof compression === 'object' && 'Deflate' in compression) return true;
  throw new D4Error('broken', `Compression ${JSON.stringify(compression)} is not known`, place);
}
