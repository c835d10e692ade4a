/** The gene table in memory: packed columns, searched in place. */
import {
  byBytes,
  bytesOf,
  type Column,
  type Columns,
  numbers,
  pack,
  rangeOf,
  Texts,
  textColumns,
} from '../formats/packed.js';
import { type Gene, type GeneId, type GeneTable, geneId, written } from './gene-table.js';
import type { GeneEntry } from './read.js';

type IdType = 'ensembl' | 'hgnc' | 'entrez';

/** Ids that are remembered, and the length of the longest one. */
const remembered = 10_000;
const longestRemembered = 32;

export class PackedGenes implements GeneTable {
  readonly size: number;
  readonly bytes: number;
  readonly #symbols: Texts;
  readonly #keys: Texts;
  readonly #keyGenes: Uint32Array;
  readonly #resolved = new Map<string, Gene>();
  readonly #ids: Record<IdType, { byGene: Uint32Array; sorted: Uint32Array; genes: Uint32Array }>;

  constructor(columns: Columns) {
    this.#symbols = new Texts(columns, 'symbols');
    this.#keys = new Texts(columns, 'keys');
    this.#keyGenes = numbers(columns, 'keys.genes');
    const ids = (type: IdType) => ({
      byGene: numbers(columns, type),
      sorted: numbers(columns, `${type}.sorted`),
      genes: numbers(columns, `${type}.genes`),
    });
    this.#ids = { ensembl: ids('ensembl'), hgnc: ids('hgnc'), entrez: ids('entrez') };
    this.size = this.#symbols.length;
    this.bytes = bytesOf(columns);
  }

  /** Genes that were looked up lately are remembered: a query or a patient needs each of its genes several times. */
  resolve(id: string): Gene | undefined {
    const known = this.#resolved.get(id);
    if (known !== undefined) return known;
    const [only, ...others] = this.#found(geneId(id));
    if (only === undefined || others.length > 0) return undefined;
    const found = this.gene(only);
    if (this.#resolved.size >= remembered) this.#resolved.clear();
    if (id.length <= longestRemembered) this.#resolved.set(id, found);
    return found;
  }

  candidates(id: string): Gene[] {
    const found = this.#found(geneId(id));
    return found.length > 1 ? [...found].map((number) => this.gene(number)) : [];
  }

  gene(number: number): Gene {
    if (this.#ids.hgnc.byGene[number] === undefined) throw new RangeError(`no gene has the number ${number}`);
    const [ensembl, hgnc, entrez] = [this.#id('ensembl', number), this.#id('hgnc', number), this.#id('entrez', number)];
    return {
      number,
      symbol: this.#symbols.at(number),
      ...(ensembl && { ensembl }),
      ...(hgnc && { hgnc }),
      ...(entrez && { entrez: entrez.replace('NCBIGene:', '') }),
    };
  }

  spelling(id: string): string {
    return written(geneId(id));
  }

  #found(id: GeneId): Uint32Array {
    if (id.type === 'symbol') return this.#keyGenes.subarray(...this.#keys.range(id.symbol));
    const { sorted, genes } = this.#ids[id.type];
    return genes.subarray(...rangeOf(sorted, id.number));
  }

  #id(type: IdType, gene: number): string | undefined {
    const number = this.#ids[type].byGene[gene] ?? noId;
    return number === noId ? undefined : written({ type, number });
  }
}

/** Stands for a missing id: no id is 0. */
const noId = 0;

export function packGenes(genes: readonly GeneEntry[]): Uint8Array<ArrayBuffer> {
  const symbols = symbolKeys(genes);
  return pack('genes', {
    ...textColumns(
      'symbols',
      genes.map(({ symbol }) => symbol),
    ),
    ...idColumns('ensembl', genes),
    ...idColumns('hgnc', genes),
    ...idColumns('entrez', genes),
    ...textColumns(
      'keys',
      symbols.map(({ key }) => key),
    ),
    'keys.genes': Uint32Array.from(symbols, ({ gene }) => gene),
  });
}

/** The ids by gene, and ascending with their genes; an id of several genes is there several times. */
function idColumns(type: 'ensembl' | 'hgnc' | 'entrez', genes: readonly GeneEntry[]): Record<string, Column> {
  const ids = Uint32Array.from(genes, (gene) => gene[type] ?? noId);
  const order = Uint32Array.from(ids.keys())
    .filter((gene) => ids[gene] !== noId)
    .sort((left, right) => (ids[left] as number) - (ids[right] as number) || left - right);
  return { [type]: ids, [`${type}.sorted`]: order.map((gene) => ids[gene] as number), [`${type}.genes`]: order };
}

/**
 * Every symbol in upper case with the genes that it can mean, from the first of these that has any: approved by HGNC, symbol
 * in another source, previous symbol, alias.
 */
function symbolKeys(genes: readonly GeneEntry[]): { key: string; gene: number }[] {
  const ranks = new Map<string, Map<number, number>>();
  const add = (symbol: string, rank: number, gene: number): void => {
    const key = symbol.toUpperCase();
    const found = ranks.get(key) ?? new Map<number, number>();
    ranks.set(key, found);
    found.set(gene, Math.min(rank, found.get(gene) ?? rank));
  };
  genes.forEach(({ symbol, hgnc, previous, aliases }, gene) => {
    add(symbol, hgnc === undefined ? 1 : 0, gene);
    for (const old of previous) add(old, 2, gene);
    for (const alias of aliases) add(alias, 3, gene);
  });
  return [...ranks]
    .flatMap(([key, found]) => {
      const best = Math.min(...found.values());
      return [...found].flatMap(([gene, rank]) => (rank === best ? { key, gene } : []));
    })
    .sort((left, right) => byBytes(left.key, right.key) || left.gene - right.gene);
}
