/** The names of genes: how they are written, and which gene of the loaded sets a name means. */
import { ensemblId } from '../../../core/genome.js';
import { byPlace, type Gene } from './interval.js';

/** A name of a request, by its kind. */
export type GeneName =
  /** `7436`, `HGNC:7436` in any case. */
  | { kind: 'hgnc'; id: number }
  /** `ENSG00000177000`, with or without version or suffix (`.14`, `.14_12`, `.14_PAR_Y`); `GeneID:4524` of RefSeq; in any case. */
  | { kind: 'ensembl'; id: string }
  /** Anything else; case-insensitive. */
  | { kind: 'symbol'; key: string };

/** Longer than any symbol or id. */
const longest = 100;

/** Undefined for text that cannot be the name of a gene: blank, too long, or with control characters. */
export function geneName(asked: string): GeneName | undefined {
  const text = asked.trim();
  if (text === '' || text.length > longest || /\p{C}/u.test(text)) return undefined;
  const number = /^(?:HGNC:\s*)?0*(\d{1,9})$/i.exec(text)?.[1];
  if (number !== undefined) return { kind: 'hgnc', id: Number(number) };
  const stable = ensemblId(text, 'ENSG');
  if (stable !== undefined) return { kind: 'ensembl', id: stable };
  const ncbi = /^GeneID:(\d{1,10})$/i.exec(text)?.[1];
  if (ncbi !== undefined) return { kind: 'ensembl', id: `GeneID:${ncbi}` };
  return { kind: 'symbol', key: symbolKey(text) };
}

/** The form in which symbols are compared. */
export function symbolKey(symbol: string): string {
  return symbol.trim().toUpperCase();
}

// The result of looking up one gene.

/**
 * How a gene was found: by its id, its symbol (in the gene set, or approved), a previous symbol or an alias. Storages do not
 * find genes by transcripts.
 */
export type FoundBy = 'hgnc' | 'ensembl' | 'symbol' | 'previous' | 'alias' | 'transcript';

/**
 * Why a gene was not found: the text cannot be the name of a gene; no genes are loaded for the build; no gene has the
 * name; a gene has it, but is not in the set of this build; several genes have it. If the name is the id of a transcript: no
 * transcripts are loaded for the build; none of them has the id, or its gene is not in the set.
 */
export type NotFoundBy =
  | 'malformed'
  | 'no-genes-loaded'
  | 'unknown'
  | 'not-in-build'
  | 'ambiguous'
  | 'no-transcripts-loaded'
  | 'unknown-transcript';

/** The result for one name of a look-up. */
export type GeneAnswer =
  | {
      asked: string;
      by: FoundBy;
      /** At least one, by position: some genes have several positions or Ensembl ids. */
      genes: Gene[];
    }
  | {
      asked: string;
      reason: NotFoundBy;
      /** If ambiguous: the HGNC ids (`HGNC:7436`) that it may mean, ascending. */
      candidates?: string[];
    };

// Resolves the names of a request to genes: which of the rows that a store has for a name decides.

/** One name of a gene in HGNC's list. */
export interface NameRow {
  /** As `symbolKey` makes it. */
  key: string;
  kind: 'symbol' | 'previous' | 'alias';
  hgnc: number;
  ensembl?: string;
}

/** What a store found for all names of a look-up together. More rows than needed do no harm. */
export interface Findings {
  /** Genes of the build; undefined if it has no gene set. */
  here: readonly Gene[] | undefined;
  /** Genes of other builds. */
  elsewhere: readonly Gene[];
  names: readonly NameRow[];
}

/** Resolves every name, in order. */
export function resolveGenes(asked: readonly string[], { here, elsewhere, names }: Findings): GeneAnswer[] {
  const build = here && indexed(here);
  const others = indexed(elsewhere);
  const known = {
    byKey: groups(names, ({ key }) => key),
    byHgnc: groups(names, ({ hgnc }) => hgnc),
    byEnsembl: groups(names, ({ ensembl }) => ensembl),
  };

  /** The genes of the build that these lines of HGNC's list mean. */
  const meant = (genes: GeneIndex, rows: readonly NameRow[]): Gene[] => {
    const found = new Set<Gene>();
    for (const { hgnc, ensembl } of rows) {
      const own = genes.byHgnc.get(hgnc) ?? [];
      const same = (genes.byEnsembl.get(ensembl) ?? []).filter((gene) => gene.hgnc === undefined);
      for (const gene of own.length > 0 ? own : same) found.add(gene);
    }
    return [...found];
  };

  const bySymbol = (item: string, key: string, genes: GeneIndex): GeneAnswer => {
    const rows = known.byKey.get(key) ?? [];
    const direct = genes.byKey.get(key) ?? [];
    const approved = rows.filter(({ kind }) => kind === 'symbol');
    const found = [...new Set([...direct, ...meant(genes, approved)])];
    const numbers = new Set([...found.flatMap(({ hgnc }) => hgnc ?? []), ...approved.map(({ hgnc }) => hgnc)]);
    if (numbers.size > 1) return ambiguous(item, numbers);
    // An HGNC gene is found by its symbol as by its id: without genes that only have the same symbol.
    const [own] = [...numbers].map((hgnc) => found.filter((gene) => gene.hgnc === hgnc));
    if (own !== undefined && own.length > 0) return { asked: item, by: 'symbol', genes: own.sort(byPlace) };
    if (found.length > 0) return { asked: item, by: 'symbol', genes: found.sort(byPlace) };
    if (approved.length > 0) return { asked: item, reason: 'not-in-build' };
    for (const kind of ['previous', 'alias'] as const) {
      const called = rows.filter((row) => row.kind === kind);
      const candidates = new Set(called.map(({ hgnc }) => hgnc));
      if (candidates.size > 1) return ambiguous(item, candidates);
      if (candidates.size === 1) {
        const answer = meant(genes, called).sort(byPlace);
        return answer.length > 0 ? { asked: item, by: kind, genes: answer } : { asked: item, reason: 'not-in-build' };
      }
    }
    return missing(item, others.byKey.has(key));
  };

  const answer = (item: string, name: GeneName, genes: GeneIndex): GeneAnswer => {
    switch (name.kind) {
      case 'hgnc': {
        const rows = known.byHgnc.get(name.id) ?? [];
        const own = genes.byHgnc.get(name.id) ?? [];
        const found = own.length > 0 ? [...own] : meant(genes, rows);
        if (found.length > 0) return { asked: item, by: 'hgnc', genes: found.sort(byPlace) };
        return missing(item, rows.length > 0 || others.byHgnc.has(name.id));
      }
      case 'ensembl': {
        const own = genes.byEnsembl.get(name.id) ?? [];
        const found = own.length > 0 ? [...own] : meant(genes, known.byEnsembl.get(name.id) ?? []).filter(isOfRefseq);
        if (found.length > 0) return { asked: item, by: 'ensembl', genes: found.sort(byPlace) };
        return missing(item, known.byEnsembl.has(name.id) || others.byEnsembl.has(name.id));
      }
      case 'symbol':
        return bySymbol(item, name.key, genes);
    }
  };

  return asked.map((item): GeneAnswer => {
    const name = geneName(item);
    if (!name) return { asked: item, reason: 'malformed' };
    return build ? answer(item, name, build) : { asked: item, reason: 'no-genes-loaded' };
  });
}

/** A set of RefSeq has no Ensembl ids, but HGNC knows them; an Ensembl id never means another gene of Ensembl. */
function isOfRefseq({ ensembl }: Gene): boolean {
  return ensembl.startsWith('GeneID:');
}

interface GeneIndex {
  byHgnc: ReadonlyMap<number | undefined, readonly Gene[]>;
  byEnsembl: ReadonlyMap<string | undefined, readonly Gene[]>;
  byKey: ReadonlyMap<string | undefined, readonly Gene[]>;
}

function indexed(genes: readonly Gene[]): GeneIndex {
  return {
    byHgnc: groups(genes, ({ hgnc }) => hgnc),
    byEnsembl: groups(genes, ({ ensembl }) => ensembl),
    byKey: groups(genes, ({ symbol }) => (symbol === undefined ? undefined : symbolKey(symbol))),
  };
}

function groups<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key | undefined): Map<Key | undefined, Row[]> {
  const found = new Map<Key | undefined, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === undefined) continue;
    const group = found.get(key);
    if (group) group.push(row);
    else found.set(key, [row]);
  }
  return found;
}

function missing(asked: string, isKnown: boolean): GeneAnswer {
  const reason: NotFoundBy = isKnown ? 'not-in-build' : 'unknown';
  return { asked, reason };
}

function ambiguous(asked: string, numbers: Iterable<number>): GeneAnswer {
  const candidates = [...numbers].sort((left, right) => left - right).map((number) => `HGNC:${number}`);
  return { asked, reason: 'ambiguous', candidates };
}
