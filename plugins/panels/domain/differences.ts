/** What differs between two versions of a panel, or two panels, gene by gene. */
import { type Confidence, confidences, type PanelContent, type PanelGene } from './content.js';

export interface GeneDifference {
  hgnc: number;
  /** In the later version, or the earlier if it was removed. */
  symbol: string;
  /**
   * `promoted` and `demoted` speak of the confidence, of which `unrated` has none: from or to it, a gene is `changed`. A gene
   * can be renamed and promoted at once; `changed` is any other difference, with the names of what differs.
   */
  what: ('added' | 'removed' | 'promoted' | 'demoted' | 'renamed' | 'changed')[];
  before?: PanelGene;
  after?: PanelGene;
  /** Names of the members that differ besides symbol and a confidence that was promoted or demoted. */
  changed: (keyof PanelGene)[];
}

/** Whether the two require the same of a report. */
export function sameRequirement(
  before: Pick<PanelContent, 'requirement'>,
  after: Pick<PanelContent, 'requirement'>,
): boolean {
  const [one, two] = [before.requirement, after.requirement];
  const basesOf = (required: typeof one) => required && (required.bases ?? 'exons');
  return one?.depth === two?.depth && one?.percent === two?.percent && basesOf(one) === basesOf(two);
}

/** Genes that differ, by HGNC id. */
export function differences(before: Pick<PanelContent, 'genes'>, after: Pick<PanelContent, 'genes'>): GeneDifference[] {
  const [earlier, later] = [byId(before), byId(after)];
  const ids = [...new Set([...earlier.keys(), ...later.keys()])].sort((one, two) => one - two);
  return ids.flatMap((id) => difference(earlier.get(id), later.get(id)) ?? []);
}

function difference(before: PanelGene | undefined, after: PanelGene | undefined): GeneDifference | undefined {
  const shown = after ?? before;
  if (shown === undefined) return undefined;
  const { hgnc, symbol } = shown;
  if (before === undefined || after === undefined) {
    const one =
      before === undefined ? { what: ['added' as const], after: shown } : { what: ['removed' as const], before };
    return { hgnc, symbol, changed: [], ...one };
  }
  const what: GeneDifference['what'] = [];
  const moved = change(before.confidence, after.confidence);
  if (moved) what.push(moved);
  if (before.symbol !== after.symbol) what.push('renamed');
  const named = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof PanelGene)[]);
  named.delete('symbol');
  if (moved) named.delete('confidence');
  const changed = [...named].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort();
  if (changed.length > 0) what.push('changed');
  return what.length === 0 ? undefined : { hgnc, symbol, what, before, after, changed };
}

function change(before: Confidence, after: Confidence): 'promoted' | 'demoted' | undefined {
  if (before === after || before === 'unrated' || after === 'unrated') return undefined;
  return confidences.indexOf(after) < confidences.indexOf(before) ? 'promoted' : 'demoted';
}

function byId({ genes }: Pick<PanelContent, 'genes'>): Map<number, PanelGene> {
  return new Map(genes.map((gene) => [gene.hgnc, gene]));
}
