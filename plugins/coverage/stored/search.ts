/** Finds kept reports: by gene (also by names under which it was not known when they were made), by panel and by sample. */
import type { PanelsService } from '../../services/panels.js';
import { builds, type IntervalRepository } from '../contract.js';
import type { KeptMatch, KeptReport, ReportRepository } from './contract.js';
import { openable } from './reach.js';
import { nameKey, panelWord, textOf, type WordKind, word } from './words.js';

export interface Search {
  gene?: string | undefined;
  panel?: string | undefined;
  sample?: string | undefined;
}

/** What a report has of the gene that is searched. */
export type Held = 'measured' | 'missing' | 'left';

export interface Wanted {
  /** As `KeptSelection` has them. */
  words: string[][];
  /** False if the loaded genes do not have the gene. */
  isKnown: boolean;
}

export interface SearchTools {
  intervals: Pick<IntervalRepository, 'findGenes'>;
  repository: Pick<ReportRepository, 'words'>;
  /** Knows names of genes that no loaded interval set has; undefined if no panels are kept. */
  panels: Pick<PanelsService, 'idsOf'> | undefined;
}

/** The words of a search. Without a search they are none, and find all reports. */
export async function wanted(
  tools: SearchTools,
  { gene, panel, sample }: Search,
  signal: AbortSignal,
): Promise<Wanted> {
  const words: string[][] = [];
  let isKnown = true;
  if (gene !== undefined) {
    const [ids = new Set()] = await idsOf(tools, [gene], { may: false, signal });
    isKnown = ids.size > 0;
    words.push(await geneWords(tools, gene, ids, signal));
  }
  if (panel !== undefined) words.push([panelWord(panel)]);
  if (sample !== undefined) words.push([word('sample', sample.trim())]);
  return { words, isKnown };
}

/**
 * The genes that each name means, as reports name measured genes: `HGNC:7436`, or what stands for it; by the gene sets of each
 * build, and by the names with which panels are kept. `may`: also those that an ambiguous name may mean.
 */
async function idsOf(
  { intervals, panels }: Pick<SearchTools, 'intervals' | 'panels'>,
  names: readonly string[],
  { may, signal }: { may: boolean; signal: AbortSignal },
): Promise<ReadonlySet<string>[]> {
  const found = names.map(() => new Set<string>());
  for (const build of builds) {
    const { answers } = await intervals.findGenes(build, names, { signal });
    for (const [i, answer] of answers.entries()) {
      const genes = 'genes' in answer ? answer.genes : [];
      for (const { hgnc, symbol, ensembl } of genes)
        found[i]?.add(hgnc === undefined ? nameKey(symbol ?? ensembl) : `HGNC:${hgnc}`);
      const candidates = may && !('genes' in answer) ? (answer.candidates ?? []) : [];
      for (const candidate of candidates) found[i]?.add(candidate);
    }
  }
  for (const [i, ids] of ((await panels?.idsOf(names)) ?? []).entries()) {
    for (const id of ids) found[i]?.add(`HGNC:${id}`);
  }
  return found;
}

async function geneWords(
  tools: SearchTools,
  gene: string,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const kinds: readonly WordKind[] = ['gene', 'missing', 'left'];
  const names = [...ids, nameKey(gene)];
  const words = new Set(names.flatMap((name) => kinds.map((kind) => word(kind, name))));
  if (ids.size === 0) return [...words];
  // Names for which nothing was measured then, and which mean the gene today, or may mean it.
  const missing = await tools.repository.words('missing:');
  const meant = await idsOf(
    tools,
    missing.map((one) => textOf('missing', one) ?? ''),
    { may: true, signal },
  );
  for (const [i, one] of missing.entries()) {
    if ([...ids].some((id) => meant[i]?.has(id))) words.add(one);
  }
  return [...words];
}

/** Of the words that a report has, what it says of the gene. */
export function heldIn(words: readonly string[]): Held | undefined {
  const has = (kind: WordKind) => words.some((one) => textOf(kind, one) !== undefined);
  return has('gene') ? 'measured' : has('missing') ? 'missing' : has('left') ? 'left' : undefined;
}

/** Reports that one request looks at, and at once. */
const mostExamined = 2000;
const portion = 200;

export interface FoundReports {
  reports: (KeptMatch & { held: Held | undefined })[];
  /** Where the list goes on. */
  next: string | undefined;
}

/** The reports that the caller may open, the latest first. */
export async function search(
  { repository, reached }: { repository: Pick<ReportRepository, 'list'>; reached: Parameters<typeof openable>[0] },
  words: string[][],
  { after: from, limit }: { after?: string | undefined; limit: number },
  signal: AbortSignal,
): Promise<FoundReports> {
  const reports: FoundReports['reports'] = [];
  let after = from === undefined ? undefined : placeOf(from);
  for (let examined = 0; examined < mostExamined; ) {
    const page = await repository.list({ words, limit: portion, ...(after && { after }) });
    const own = await openable(
      reached,
      page.map((one) => ({ ...one, facts: one.report.facts })),
      signal,
    );
    reports.push(...own.map(({ report, words: has }) => ({ report, words: has, held: heldIn(has) })));
    if (reports.length > limit) {
      const shown = reports.slice(0, limit);
      return { reports: shown, next: nextOf(shown.at(-1)?.report) };
    }
    after = page.at(-1)?.report;
    if (after === undefined) return { reports, next: undefined };
    examined += page.length;
  }
  // Of a report that the caller may not open, only the time.
  return { reports, next: after && String(after.made.getTime() + 1) };
}

const place = /^(\d{1,15})(?:\.([\w-]{22,64}))?$/;

/** Whether a text is the `next` of a page. */
export function isPlace(text: string): boolean {
  return place.test(text);
}

function placeOf(text: string): Pick<KeptReport, 'made' | 'id'> | undefined {
  const [, time, id = ''] = place.exec(text) ?? [];
  return time === undefined ? undefined : { made: new Date(Number(time)), id };
}

function nextOf(report: KeptReport | undefined): string | undefined {
  return report && `${report.made.getTime()}.${report.id}`;
}
