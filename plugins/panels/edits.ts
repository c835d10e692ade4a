/**
 * Edits of a draft's content: functions from one content to the next, none of which loses an entry silently, and their words in
 * the history.
 */
import { Fault } from '../../core/plugin.js';
import type { GeneByName, GeneTable, NamedGene } from './genes/gene-table.js';
import {
  basesWords,
  type Confidence,
  confidences,
  differences,
  type EditableContent,
  type PanelContent,
  type PanelGene,
  type PanelGeneDifference,
} from './versions/content.js';

/** The names of genes by which an edit is checked. */
export interface NamesForEdit {
  release: string;
  table: GeneTable;
}

/** What an edit made, and what people should read about it. */
interface Edit {
  content: PanelContent;
  notes: string[];
}

/** What may be said of a gene besides which it is. */
type GeneFacts = Partial<Omit<PanelGene, 'hgnc' | 'symbol'>>;

/**
 * The content with what a person wrote in place of all but its source. Genes that are new, or have another symbol, must be
 * approved genes by the names in use, which may be undefined if there are none such. Throws an `unprocessable` fault.
 */
export function rewrittenContent(
  before: PanelContent,
  given: EditableContent,
  names: NamesForEdit | undefined,
): PanelContent {
  const known = new Map(before.genes.map((gene) => [gene.hgnc, gene.symbol]));
  const wrong: string[] = [];
  const seen = new Set<number>();
  const genes = given.genes.map((gene): PanelGene => {
    const { hgnc, symbol = known.get(hgnc) } = gene;
    if (seen.has(hgnc)) wrong.push(`HGNC:${hgnc} is there twice`);
    seen.add(hgnc);
    if (symbol !== undefined && known.get(hgnc) === symbol) return { ...gene, symbol };
    const found = approvedGene(mustHave(names), { hgnc, ...(symbol !== undefined && { symbol }) });
    if (typeof found === 'string') wrong.push(found);
    return { ...gene, symbol: typeof found === 'string' ? '' : found.symbol };
  });
  if (wrong.length > 0) {
    const more = wrong.length > 5 ? `; and ${wrong.length - 5} more` : '';
    throw new Fault('unprocessable', `genes: ${wrong.slice(0, 5).join('; ')}${more}`);
  }
  const { source, names: release } = before;
  return withRelease({ ...given, genes, source, ...(release !== undefined && { names: release }) }, names);
}

/** Whether an edit names genes that the content does not have, so that the names of genes are needed. */
export function needsNames(before: PanelContent, { genes }: Pick<EditableContent, 'genes'>): boolean {
  const known = new Map(before.genes.map((gene) => [gene.hgnc, gene.symbol]));
  return genes.some(({ hgnc, symbol }) => !known.has(hgnc) || (symbol !== undefined && known.get(hgnc) !== symbol));
}

/** With further genes. Those that are listed already stay as they are; those that are not certain become entries without a gene. */
export function withGenes(
  before: PanelContent,
  given: readonly GeneByName[],
  facts: GeneFacts & { confidence: Confidence },
  names: NamesForEdit,
): Edit {
  const genes = new Map(before.genes.map((gene) => [gene.hgnc, gene]));
  const unmapped = [...(before.unmapped ?? [])];
  const notes: string[] = [];
  for (const one of given) {
    const found = names.table.resolve(one);
    const said = one.symbol ?? `HGNC:${one.hgnc}`;
    if (!('gene' in found)) {
      const { why, candidates } = found;
      const { confidence } = facts;
      unmapped.push({ given: said, at: 'typed', why, confidence, ...(candidates.length > 0 && { candidates }) });
      notes.push(`${said} has no certain gene: ${why}`);
      continue;
    }
    const { hgnc, symbol } = found.gene;
    if (genes.has(hgnc)) notes.push(`${symbol} is in the panel already and stays as it is`);
    else {
      if (found.note !== undefined) notes.push(found.note);
      genes.set(hgnc, { ...facts, hgnc, symbol });
    }
  }
  return { notes, content: withRelease(withEntries(before, [...genes.values()], unmapped), names) };
}

/** With other facts about some of its genes; `undefined` takes a fact away. Throws a `not-found` fault. */
export function withFacts(
  before: PanelContent,
  hgnc: readonly number[],
  facts: { [Name in keyof GeneFacts]: GeneFacts[Name] | undefined },
): PanelContent {
  mustList(before, hgnc);
  const { confidence, ...others } = facts;
  const changed = new Set(hgnc);
  const genes = before.genes.map((gene): PanelGene => {
    if (!changed.has(gene.hgnc)) return gene;
    const all = Object.entries({ ...gene, ...others, confidence: confidence ?? gene.confidence });
    return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as PanelGene;
  });
  return { ...before, genes };
}

/** Throws a `not-found` fault. */
export function withoutGenes(before: PanelContent, hgnc: readonly number[]): PanelContent {
  mustList(before, hgnc);
  const leaving = new Set(hgnc);
  return { ...before, genes: before.genes.filter((gene) => !leaving.has(gene.hgnc)) };
}

/** The entry without a gene at a place of the list becomes this gene. Throws an `unprocessable` fault if it is not one. */
export function withResolved(before: PanelContent, place: number, given: GeneByName, names: NamesForEdit): Edit {
  const entry = entryAt(before, place);
  const found = names.table.resolve(given);
  if (!('gene' in found)) throw new Fault('unprocessable', `gene: ${found.why}`);
  const { hgnc, symbol } = found.gene;
  const { confidence } = entry;
  const known = before.genes.find((gene) => gene.hgnc === hgnc);
  const gene =
    known === undefined ? { hgnc, symbol, confidence } : { ...known, confidence: higherConfidence(known, entry) };
  const genes = [...before.genes.filter((one) => one.hgnc !== hgnc), gene];
  return {
    notes: [`${entry.given} is ${symbol} (HGNC:${hgnc})`],
    content: withRelease(withEntries(before, genes, unmappedWithout(before, place)), names),
  };
}

/** Without the entry at a place of the list of those that have no gene. */
export function withDropped(before: PanelContent, place: number, reason: string): Edit {
  const { given } = entryAt(before, place);
  return {
    notes: [`${given} was dropped: ${reason}`],
    content: withEntries(before, before.genes, unmappedWithout(before, place)),
  };
}

/** With the symbols that genes have by now, and the genes into which others were merged. What was withdrawn stays. */
export function withNames(before: PanelContent, names: NamesForEdit): Edit {
  const genes = new Map<number, PanelGene>();
  const notes: string[] = [];
  for (const gene of before.genes) {
    const found = names.table.resolve({ hgnc: gene.hgnc });
    const next = 'gene' in found ? { ...gene, hgnc: found.gene.hgnc, symbol: found.gene.symbol } : gene;
    if (next.hgnc !== gene.hgnc) notes.push(`${gene.symbol} was merged into ${next.symbol}`);
    else if (next.symbol !== gene.symbol) notes.push(`${gene.symbol} is now ${next.symbol}`);
    const known = genes.get(next.hgnc);
    genes.set(next.hgnc, known === undefined ? next : { ...known, confidence: higherConfidence(known, next) });
  }
  return { notes, content: withRelease(withEntries(before, [...genes.values()], before.unmapped ?? []), names) };
}

/** The release of names is stated if all genes are as it has them; otherwise the content keeps the one that it had. */
export function withRelease(content: PanelContent, names: NamesForEdit | undefined): PanelContent {
  if (names === undefined) return content;
  const current = content.genes.every(({ hgnc, symbol }) => names.table.gene(hgnc)?.symbol === symbol);
  return current ? { ...content, names: names.release } : content;
}

function withEntries(
  before: PanelContent,
  genes: readonly PanelGene[],
  unmapped: NonNullable<PanelContent['unmapped']>,
): PanelContent {
  const { unmapped: _, ...rest } = before;
  const sorted = [...genes].sort((one, two) => one.hgnc - two.hgnc);
  return { ...rest, genes: sorted, ...(unmapped.length > 0 && { unmapped }) };
}

/** The gene, or why an id (with a symbol) does not name one. */
function approvedGene({ table }: NamesForEdit, { hgnc, symbol }: GeneByName & { hgnc: number }): NamedGene | string {
  const found = table.resolve({ hgnc });
  if (!('gene' in found)) return found.why;
  if (found.gene.hgnc !== hgnc) return found.note ?? `HGNC:${hgnc} is HGNC:${found.gene.hgnc} now`;
  if (symbol === undefined || symbol === found.gene.symbol) return found.gene;
  return `HGNC:${hgnc} is ${found.gene.symbol}, not ${symbol}`;
}

function mustHave(names: NamesForEdit | undefined): NamesForEdit {
  if (names === undefined) throw new RangeError('genes are new and there are no names to find them by');
  return names;
}

function mustList({ genes }: PanelContent, hgnc: readonly number[]): void {
  const present = new Set(genes.map((gene) => gene.hgnc));
  const absent = hgnc.find((id) => !present.has(id));
  if (absent !== undefined) throw new Fault('not-found', `HGNC:${absent} is not in this version`);
}

function entryAt({ unmapped = [] }: PanelContent, place: number) {
  const entry = unmapped[place];
  if (entry === undefined) throw new Fault('not-found', 'There is no such entry without a gene in this version');
  return entry;
}

function unmappedWithout({ unmapped = [] }: PanelContent, place: number) {
  return unmapped.filter((_, i) => i !== place);
}

function higherConfidence(one: { confidence: Confidence }, two: { confidence: Confidence }): Confidence {
  return confidences[Math.min(confidences.indexOf(one.confidence), confidences.indexOf(two.confidence))] ?? 'unrated';
}

// What an edit changed, in words for the history: the content of a draft before it is not kept.

/** Names of one kind that are listed. */
const mostWords = 20;

/** Empty if nothing changed that people edit. */
export function editWords(before: PanelContent, after: PanelContent): string {
  const found = differences(before, after);
  const symbols = (what: PanelGeneDifference['what'][number]) =>
    found.filter((gene) => gene.what.includes(what)).map(({ symbol }) => symbol);
  const moved = found.flatMap(({ symbol, before, after }) =>
    before && after && before.confidence !== after.confidence
      ? `${symbol} ${before.confidence} → ${after.confidence}`
      : [],
  );
  const renamed = found.flatMap(({ before, after }) =>
    before && after && before.symbol !== after.symbol ? `${before.symbol} → ${after.symbol}` : [],
  );
  const others = found.flatMap(({ symbol, changed }) => {
    const names = changed.filter((name) => name !== 'confidence');
    return names.length === 0 ? [] : `${symbol} (${names.join(', ')})`;
  });
  const [had, has] = [unmappedEntries(before), unmappedEntries(after)];
  return [
    listedWords('added', symbols('added')),
    listedWords('removed', symbols('removed')),
    listedWords('confidence', moved),
    listedWords('renamed', renamed),
    listedWords('changed', others),
    listedWords('added without a gene', minus(has, had)),
    listedWords('no longer without a gene', minus(had, has)),
    ...membersThatDiffer(before, after),
  ]
    .filter(Boolean)
    .join('; ');
}

function listedWords(what: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > mostWords ? ` and ${names.length - mostWords} more` : '';
  return `${what} ${names.slice(0, mostWords).join(', ')}${more}`;
}

function membersThatDiffer(before: PanelContent, after: PanelContent): string[] {
  const differ = (name: 'description' | 'disorders' | 'others') =>
    JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return [
    before.name === after.name ? '' : `name: ${after.name}`,
    differ('description') ? 'description' : '',
    differ('disorders') ? 'disorders' : '',
    JSON.stringify(before.requirement) === JSON.stringify(after.requirement) ? '' : requirementWords(after),
    differ('others') ? 'regions and short tandem repeats' : '',
  ];
}

function requirementWords({ requirement }: PanelContent): string {
  if (requirement === undefined) return 'nothing is required any more';
  const { percent, depth, bases } = requirement;
  return `required: ${percent} % of ${basesWords(bases)} at ${depth}×`;
}

export function unmappedEntries({ unmapped = [] }: PanelContent): string[] {
  return unmapped.map(({ given }) => given);
}

/** The elements of one list that the other does not have, each as often as it has more of them. */
export function minus(these: readonly string[], those: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const one of those) left.set(one, (left.get(one) ?? 0) + 1);
  return these.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}
