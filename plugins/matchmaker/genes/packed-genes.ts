/** The gene table in memory: packed columns (pack.ts), searched in place. */

import { bytesOf, type Columns, numbers } from '../formats/packed.js';
import { rangeOf, Texts } from '../formats/text-columns.js';
import { type Gene, type GeneId, type GeneTable, geneId, written } from './gene-table.js';
import { noId } from './pack.js';

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
