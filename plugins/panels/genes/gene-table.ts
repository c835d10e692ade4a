/** The names of genes as HGNC has them, in memory: which gene a symbol or id means, and why one means none. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { ensemblId } from '../../../core/genome.js';

export interface NamedGene {
  /** 950 of HGNC:950. */
  hgnc: number;
  symbol: string;
  /** Whether HGNC counts it among the protein-coding genes. */
  coding: boolean;
  /** Former symbols. */
  previous: readonly string[];
  aliases: readonly string[];
  /** Its id at Ensembl, without version, as HGNC has it: `ENSG00000163930`. */
  ensembl?: string;
  /** If it is not on the chromosomes of the reference: what HGNC says of its place, such as `alternate reference locus`. */
  elsewhere?: string;
}

export interface WithdrawnGene {
  hgnc: number;
  /** The symbol that was withdrawn. */
  symbol: string;
  /** The genes into which it was merged or split; none if it was only withdrawn. */
  into: readonly number[];
}

/** How a source names a gene: by id, by symbol, or both. */
export interface Given {
  hgnc?: number;
  /** Or an Ensembl id, with or without version. */
  symbol?: string;
}

export type Resolved =
  /** `note` says what a person should know, such as that the gene was renamed. */
  | { gene: NamedGene; note?: string }
  /** No gene, or none that is certain. */
  | { why: string; candidates: number[] };

/** Bytes of a stored piece at most. */
const pieceSize = 256 * 1024;

export class GeneTable {
  readonly #genes: Map<number, NamedGene>;
  readonly #withdrawn: Map<number, WithdrawnGene>;
  readonly #bySymbol = new Map<string, NamedGene>();
  readonly #formerly = new Map<string, number[]>();
  readonly #alias = new Map<string, number[]>();
  readonly #ensembl = new Map<string, number[]>();
  readonly #withdrawnSymbols = new Map<string, WithdrawnGene>();

  constructor(genes: readonly NamedGene[], withdrawn: readonly WithdrawnGene[]) {
    this.#genes = new Map(genes.map((gene) => [gene.hgnc, gene]));
    this.#withdrawn = new Map(withdrawn.map((gene) => [gene.hgnc, gene]));
    for (const gene of genes) {
      this.#bySymbol.set(keyOf(gene.symbol), gene);
      for (const name of gene.previous) push(this.#formerly, keyOf(name), gene.hgnc);
      for (const name of gene.aliases) push(this.#alias, keyOf(name), gene.hgnc);
      if (gene.ensembl !== undefined) push(this.#ensembl, gene.ensembl, gene.hgnc);
    }
    for (const gene of withdrawn) this.#withdrawnSymbols.set(keyOf(gene.symbol), gene);
  }

  /** Of what `pack` returned. */
  static unpack(pieces: readonly Uint8Array[]): GeneTable {
    const { genes, withdrawn } = JSON.parse(gunzipSync(Buffer.concat(pieces)).toString('utf8')) as {
      genes: NamedGene[];
      withdrawn: WithdrawnGene[];
    };
    return new GeneTable(genes, withdrawn);
  }

  /** In pieces for the storage. */
  pack(): Uint8Array[] {
    const bytes = gzipSync(
      JSON.stringify({ genes: [...this.#genes.values()], withdrawn: [...this.#withdrawn.values()] }),
    );
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < bytes.length; from += pieceSize) pieces.push(bytes.subarray(from, from + pieceSize));
    return pieces;
  }

  /** The approved gene with this id. */
  gene(hgnc: number): NamedGene | undefined {
    return this.#genes.get(hgnc);
  }

  /** Ids of entries that were merged into this gene or, among others, split into it. */
  formerIds(hgnc: number): number[] {
    const found = [...this.#withdrawn.values()].filter((gone) =>
      this.#successors(gone).some((gene) => gene.hgnc === hgnc),
    );
    return found.map((gone) => gone.hgnc).sort((one, two) => one - two);
  }

  /**
   * The gene that a source means. An id decides; a symbol that contradicts it leaves the gene open. Symbols are compared
   * regardless of case. A former symbol of one gene is that gene; an alias is never certain, since aliases are not unique.
   */
  resolve({ hgnc, symbol }: Given): Resolved {
    if (hgnc === undefined)
      return symbol === undefined ? none('has neither id nor symbol') : this.#bySymbolAlone(symbol);
    const gene = this.#genes.get(hgnc);
    if (gene === undefined) return this.#withdrawnId(hgnc);
    if (symbol === undefined || keyOf(symbol) === keyOf(gene.symbol)) return { gene };
    const ensembl = ensemblId(symbol, 'ENSG');
    const named = ensembl === undefined ? undefined : this.#byEnsembl(symbol, ensembl);
    if (named !== undefined && 'gene' in named && named.gene === gene) return { gene };
    const other = named !== undefined && 'gene' in named ? named.gene : this.#bySymbol.get(keyOf(symbol));
    if (other !== undefined) {
      return none(`HGNC:${hgnc} is ${gene.symbol}, but ${symbol} is HGNC:${other.hgnc}`, [hgnc, other.hgnc]);
    }
    const known = [...gene.previous, ...gene.aliases].some((name) => keyOf(name) === keyOf(symbol));
    return { gene, note: known ? `${symbol} is now ${gene.symbol}` : `HGNC:${hgnc} is ${gene.symbol}, not ${symbol}` };
  }

  #withdrawnId(hgnc: number): Resolved {
    const withdrawn = this.#withdrawn.get(hgnc);
    if (withdrawn === undefined) return none(`HGNC:${hgnc} is unknown`);
    const [only, ...more] = this.#successors(withdrawn);
    if (only !== undefined && more.length === 0) {
      return {
        gene: only,
        note: `HGNC:${hgnc} (${withdrawn.symbol}) was merged into HGNC:${only.hgnc} (${only.symbol})`,
      };
    }
    if (only === undefined) return none(`HGNC:${hgnc} (${withdrawn.symbol}) was withdrawn`);
    const into = [only, ...more];
    const listed = into.map((gene) => `HGNC:${gene.hgnc} (${gene.symbol})`).join(', ');
    return none(
      `HGNC:${hgnc} (${withdrawn.symbol}) was split into ${listed}`,
      into.map((gene) => gene.hgnc),
    );
  }

  /** The approved genes that it became, over any number of mergers. */
  #successors(first: WithdrawnGene): NamedGene[] {
    const found = new Map<number, NamedGene>();
    const seen = new Set<number>();
    const open = [...first.into];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const gene = this.#genes.get(id);
      if (gene) found.set(id, gene);
      else open.push(...(this.#withdrawn.get(id)?.into ?? []));
    }
    return [...found.values()].sort((one, two) => one.hgnc - two.hgnc);
  }

  #bySymbolAlone(symbol: string): Resolved {
    const ensembl = ensemblId(symbol, 'ENSG');
    if (ensembl !== undefined) return this.#byEnsembl(symbol, ensembl);
    const key = keyOf(symbol);
    const approved = this.#bySymbol.get(key);
    if (approved) return { gene: approved };
    const former = this.#formerly.get(key) ?? [];
    const [only] = former;
    const gene = only === undefined || former.length > 1 ? undefined : this.#genes.get(only);
    if (gene) return { gene, note: `${symbol} is now ${gene.symbol}` };
    if (former.length > 1) return none(`${symbol} is a former symbol of ${former.length} genes`, former);
    const withdrawn = this.#withdrawnSymbols.get(key);
    if (withdrawn) return this.#withdrawnId(withdrawn.hgnc);
    const aliases = this.#alias.get(key) ?? [];
    if (aliases.length === 0) return none(`${symbol} is unknown`);
    return none(`${symbol} is an alias, which is not certain`, aliases);
  }

  #byEnsembl(given: string, ensembl: string): Resolved {
    if (this.#ensembl.size === 0)
      return none(
        `${given}: the names of genes in use have no Ensembl ids; load HGNC's complete set again with \`trefoil panels load-hgnc\``,
      );
    const ids = this.#ensembl.get(ensembl) ?? [];
    const [only, ...more] = ids;
    const gene = only === undefined || more.length > 0 ? undefined : this.#genes.get(only);
    if (gene !== undefined) return { gene, note: `${given} is ${gene.symbol}` };
    return ids.length === 0 ? none(`${given} is unknown`) : none(`${given} is the Ensembl id of several genes`, ids);
  }
}

function none(why: string, candidates: number[] = []): Resolved {
  return { why, candidates: [...candidates].sort((one, two) => one - two) };
}

/** HGNC's symbols differ in more than case, so that C1orf11 and C1ORF11 are one. */
function keyOf(symbol: string): string {
  return symbol.trim().toUpperCase();
}

function push(map: Map<string, number[]>, key: string, value: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else if (!known.includes(value)) known.push(value);
}
