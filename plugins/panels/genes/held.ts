/** Which versions of panels hold a gene, or have an entry without a gene that may be it: for the page and the command. */
import type { PanelHead, PanelRepository } from '../contract.js';
import { parseContent } from '../domain/content.js';
import type { GeneTable } from './gene-table.js';
import { wordOf } from './word.js';

/** What a word means, and the ids under which versions may hold it. */
export interface WantedGene {
  hgnc: number;
  symbol: string;
  /** What people should know of the word. */
  note: string | undefined;
  /** Its id, the one that was given, and those of entries that were merged into it. */
  ids: readonly number[];
}

export interface Held {
  /** Versions that hold it, with former ids by which they do. */
  held: readonly (PanelHead & { former: readonly number[] })[];
  /** Versions with an entry without a gene that may be it. */
  open: readonly { head: PanelHead; given: string }[];
}

/** Or why the word means no gene, in a sentence. Panels may hold an id that no names have, or have no more. */
export function wantedGene(word: string, table: GeneTable | undefined): WantedGene | string {
  const given = wordOf(word);
  const named = table?.resolve(given);
  const { hgnc } = given;
  if (named !== undefined && !('gene' in named) && hgnc === undefined)
    return `No gene: ${named.why}${meantBy(named.candidates, table)}`;
  if (named === undefined && hgnc === undefined) return 'No names of genes are loaded: give an HGNC id';
  const gene = named && 'gene' in named ? named.gene : undefined;
  const former = gene === undefined ? [] : (table?.formerIds(gene.hgnc) ?? []);
  const ids = [...new Set([hgnc, gene?.hgnc, ...former].filter((id) => id !== undefined))];
  return {
    hgnc: gene?.hgnc ?? ids[0] ?? 0,
    symbol: gene?.symbol ?? `HGNC:${hgnc}`,
    note: named && ('gene' in named ? named.note : named.why),
    ids,
  };
}

/** `; may be SLC46A1 (HGNC:30521)` */
function meantBy(candidates: readonly number[], table: GeneTable | undefined): string {
  if (candidates.length === 0) return '';
  const names = candidates.map((id) => `${table?.gene(id)?.symbol ?? 'a former entry'} (HGNC:${id})`);
  return `; may be ${names.join(' or ')}`;
}

/** Entries without a gene are those of `heads`; of the versions that hold the gene, the caller keeps those that may be read. */
export async function versionsHolding(
  repository: Pick<PanelRepository, 'holding' | 'find'>,
  heads: readonly PanelHead[],
  { hgnc, ids }: WantedGene,
  table: GeneTable | undefined,
): Promise<Held> {
  const held = (await repository.holding(ids)).map(({ head, hgnc: by }) => ({
    ...head,
    former: by.filter((id) => id !== hgnc),
  }));
  const open: { head: PanelHead; given: string }[] = [];
  const wanted = new Set(ids);
  for (const head of heads.filter(({ unmapped }) => unmapped > 0)) {
    const version = await repository.find(head.panel, head.version);
    for (const { given, candidates = [] } of version ? (parseContent(version.content).unmapped ?? []) : []) {
      const today = table?.resolve(wordOf(given));
      const now = today === undefined ? [] : 'gene' in today ? [today.gene.hgnc] : today.candidates;
      if ([...candidates, ...now].some((id) => wanted.has(id))) open.push({ head, given });
    }
  }
  return { held, open };
}
