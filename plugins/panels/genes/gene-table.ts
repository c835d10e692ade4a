/** The names of genes as HGNC has them: in memory, in the storage, and as people write them. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { ensemblId } from '../../../core/genome.js';
import { Fault } from '../../../core/plugin.js';
import type { GeneNames, PanelRepository } from '../contract.js';

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
export interface GeneByName {
  hgnc?: number;
  /** Or an Ensembl id, with or without version. */
  symbol?: string;
}

export type ResolvedGene =
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
      this.#bySymbol.set(keyOfSymbol(gene.symbol), gene);
      for (const name of gene.previous) addTo(this.#formerly, keyOfSymbol(name), gene.hgnc);
      for (const name of gene.aliases) addTo(this.#alias, keyOfSymbol(name), gene.hgnc);
      if (gene.ensembl !== undefined) addTo(this.#ensembl, gene.ensembl, gene.hgnc);
    }
    for (const gene of withdrawn) this.#withdrawnSymbols.set(keyOfSymbol(gene.symbol), gene);
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

  /** With the withdrawn entries of another release. */
  withWithdrawn(withdrawn: readonly WithdrawnGene[]): GeneTable {
    const gone = new Set(withdrawn.map(({ hgnc }) => hgnc));
    return new GeneTable(
      [...this.#genes.values()].filter(({ hgnc }) => !gone.has(hgnc)),
      withdrawn,
    );
  }

  /** The genes that a withdrawn entry became; undefined of an approved gene, and of an id that is not known. */
  successors(hgnc: number): readonly NamedGene[] | undefined {
    const gone = this.#genes.has(hgnc) ? undefined : this.#withdrawn.get(hgnc);
    return gone && this.#successors(gone);
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
  resolve({ hgnc, symbol }: GeneByName): ResolvedGene {
    if (hgnc === undefined)
      return symbol === undefined ? noGene('has neither id nor symbol') : this.#bySymbolAlone(symbol);
    const gene = this.#genes.get(hgnc);
    if (gene === undefined) return this.#withdrawnId(hgnc);
    if (symbol === undefined || keyOfSymbol(symbol) === keyOfSymbol(gene.symbol)) return { gene };
    const ensembl = ensemblId(symbol, 'ENSG');
    const named = ensembl === undefined ? undefined : this.#byEnsembl(symbol, ensembl);
    if (named !== undefined && 'gene' in named && named.gene === gene) return { gene };
    const other = named !== undefined && 'gene' in named ? named.gene : this.#bySymbol.get(keyOfSymbol(symbol));
    if (other !== undefined) {
      return noGene(`HGNC:${hgnc} is ${gene.symbol}, but ${symbol} is HGNC:${other.hgnc}`, [hgnc, other.hgnc]);
    }
    const known = [...gene.previous, ...gene.aliases].some((name) => keyOfSymbol(name) === keyOfSymbol(symbol));
    return { gene, note: known ? `${symbol} is now ${gene.symbol}` : `HGNC:${hgnc} is ${gene.symbol}, not ${symbol}` };
  }

  #withdrawnId(hgnc: number): ResolvedGene {
    const withdrawn = this.#withdrawn.get(hgnc);
    if (withdrawn === undefined) return noGene(`HGNC:${hgnc} is unknown`);
    const [only, ...more] = this.#successors(withdrawn);
    if (only !== undefined && more.length === 0) {
      return {
        gene: only,
        note: `HGNC:${hgnc} (${withdrawn.symbol}) was merged into HGNC:${only.hgnc} (${only.symbol})`,
      };
    }
    if (only === undefined) return noGene(`HGNC:${hgnc} (${withdrawn.symbol}) was withdrawn`);
    const into = [only, ...more];
    const listed = into.map((gene) => `HGNC:${gene.hgnc} (${gene.symbol})`).join(', ');
    return noGene(
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

  #bySymbolAlone(symbol: string): ResolvedGene {
    const ensembl = ensemblId(symbol, 'ENSG');
    if (ensembl !== undefined) return this.#byEnsembl(symbol, ensembl);
    const key = keyOfSymbol(symbol);
    const approved = this.#bySymbol.get(key);
    if (approved) return { gene: approved };
    const former = this.#formerly.get(key) ?? [];
    const [only] = former;
    const gene = only === undefined || former.length > 1 ? undefined : this.#genes.get(only);
    if (gene) return { gene, note: `${symbol} is now ${gene.symbol}` };
    if (former.length > 1) return noGene(`${symbol} is a former symbol of ${former.length} genes`, former);
    const withdrawn = this.#withdrawnSymbols.get(key);
    if (withdrawn) return this.#withdrawnId(withdrawn.hgnc);
    const aliases = this.#alias.get(key) ?? [];
    if (aliases.length === 0) return noGene(`${symbol} is unknown`);
    return noGene(`${symbol} is an alias, which is not certain`, aliases);
  }

  #byEnsembl(given: string, ensembl: string): ResolvedGene {
    if (this.#ensembl.size === 0)
      return noGene(
        `${given}: the names of genes in use have no Ensembl ids; load HGNC's complete set again with \`trefoil panels load-hgnc\``,
      );
    const ids = this.#ensembl.get(ensembl) ?? [];
    const [only, ...more] = ids;
    const gene = only === undefined || more.length > 0 ? undefined : this.#genes.get(only);
    if (gene !== undefined) return { gene, note: `${given} is ${gene.symbol}` };
    return ids.length === 0
      ? noGene(`${given} is unknown`)
      : noGene(`${given} is the Ensembl id of several genes`, ids);
  }
}

function noGene(why: string, candidates: number[] = []): ResolvedGene {
  return { why, candidates: [...candidates].sort((one, two) => one - two) };
}

/** HGNC's symbols differ in more than case, so that C1orf11 and C1ORF11 are one. */
function keyOfSymbol(symbol: string): string {
  return symbol.trim().toUpperCase();
}

function addTo(map: Map<string, number[]>, key: string, value: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else if (!known.includes(value)) known.push(value);
}

// The names of genes in the storage.

export interface NamesInUse {
  names: GeneNames;
  table: GeneTable;
}

/** Throws an `unavailable` fault before names are loaded. */
export async function namesInUse(repository: Pick<PanelRepository, 'loadNames'>): Promise<NamesInUse> {
  const stored = await repository.loadNames();
  if (stored === undefined) throw noNames();
  return { names: stored.names, table: GeneTable.unpack(stored.content) };
}

/** The names in use, unpacked (which takes tenths of a second) when they change; undefined before names are loaded. */
export function keptNames(
  repository: Pick<PanelRepository, 'names' | 'loadNames'>,
): () => Promise<NamesInUse | undefined> {
  let unpacked: WeakRef<NamesInUse> | undefined;
  return async () => {
    const current = await repository.names();
    if (current === undefined) return undefined;
    const known = unpacked?.deref();
    if (known?.names.release === current.release && known.names.loaded.getTime() === current.loaded.getTime())
      return known;
    const loaded = await namesInUse(repository);
    unpacked = new WeakRef(loaded);
    return loaded;
  };
}

export function noNames(): Fault {
  return new Fault('unavailable', 'No names of genes are loaded: load them with `trefoil panels load-hgnc`');
}

/** How a person writes a gene: an HGNC id, or else a symbol. */
export function geneOfWord(word: string): { hgnc: number } | { hgnc?: undefined; symbol: string } {
  const digits = /^(?:HGNC:)?([1-9]\d{0,8})$/i.exec(word.trim())?.[1];
  return digits === undefined ? { symbol: word.trim() } : { hgnc: Number(digits) };
}
