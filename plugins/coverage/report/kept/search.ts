/**
 * Finds kept reports by gene (also by names under which it was not known when they were made), by panel and by sample, for
 * callers who reach all of a report's samples today.
 */
import { isFault, placeOf } from '../../../../core/plugin.js';
import type { KeptReportsService } from '../../../services/coverage.js';
import type { PanelsService } from '../../../services/panels.js';
import { builds, type IntervalRepository } from '../../contract.js';
import type { ReachedServices } from '../../http/access/reach.js';
import { geneName } from '../../intervals/interval.js';
import type { CoverageServices } from '../../services.js';
import { pathOfGene } from '../form/fields.js';
import type { KeptMatch, KeptReport, KeptSample, ReportRepository } from './contract.js';

export interface ReportSearch {
  gene?: string | undefined;
  panel?: string | undefined;
  sample?: string | undefined;
}

/** What a report has of the gene that is searched. */
export type GeneOutcome = 'measured' | 'missing' | 'left';

interface SearchWords {
  /** As `KeptSelection` has them. */
  words: string[][];
  /** False if the loaded genes do not have the gene. */
  isKnown: boolean;
}

interface ReportSearchTools {
  intervals: Pick<IntervalRepository, 'findGenes'>;
  repository: Pick<ReportRepository, 'words'>;
  /** Knows names of genes that no loaded interval set has; undefined if no panels are kept. */
  panels: Pick<PanelsService, 'idsOf'> | undefined;
}

/** The words of a search. Without a search they are none, and find all reports. */
export async function searchWords(
  tools: ReportSearchTools,
  { gene, panel, sample }: ReportSearch,
  signal: AbortSignal,
): Promise<SearchWords> {
  const words: string[][] = [];
  let isKnown = true;
  if (gene !== undefined) {
    const [ids = new Set()] = await idsOf(tools, [gene], { may: false, signal });
    isKnown = ids.size > 0;
    words.push(await geneWords(tools, gene, ids, signal));
  }
  if (panel !== undefined) words.push([panelWord(panel)]);
  if (sample !== undefined) words.push([searchWord('sample', sample.trim())]);
  return { words, isKnown };
}

/**
 * The genes that each name means, as reports name measured genes: `HGNC:7436`, or what stands for it; by the gene sets of each
 * build, and by the names with which panels are kept. `may`: also those that an ambiguous name may mean.
 */
async function idsOf(
  { intervals, panels }: Pick<ReportSearchTools, 'intervals' | 'panels'>,
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
  tools: ReportSearchTools,
  gene: string,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const kinds: readonly WordKind[] = ['gene', 'missing', 'left'];
  const names = [...ids, nameKey(gene)];
  const words = new Set(names.flatMap((name) => kinds.map((kind) => searchWord(kind, name))));
  if (ids.size === 0) return [...words];
  // Names for which nothing was measured then, and which mean the gene today, or may mean it.
  const missing = await tools.repository.words('missing:');
  const meant = await idsOf(
    tools,
    missing.map((one) => textOfWord('missing', one) ?? ''),
    { may: true, signal },
  );
  for (const [i, one] of missing.entries()) {
    if ([...ids].some((id) => meant[i]?.has(id))) words.add(one);
  }
  return [...words];
}

/** Of the words of a report, its result for the gene. */
export function geneOutcomeIn(words: readonly string[]): GeneOutcome | undefined {
  const has = (kind: WordKind) => words.some((one) => textOfWord(kind, one) !== undefined);
  return has('gene') ? 'measured' : has('missing') ? 'missing' : has('left') ? 'left' : undefined;
}

/** Reports that one request looks at, and at once. */
const mostExamined = 2000;
const portion = 200;

export interface ReportHits {
  reports: (KeptMatch & { held: GeneOutcome | undefined })[];
  /** Where the list continues. */
  next: string | undefined;
}

/** The reports that the caller may open, the latest first. */
export async function search(
  {
    repository,
    reached,
  }: { repository: Pick<ReportRepository, 'list'>; reached: Parameters<typeof openableReports>[0] },
  words: string[][],
  { after: from, limit }: { after?: string | undefined; limit: number },
  signal: AbortSignal,
): Promise<ReportHits> {
  const reports: ReportHits['reports'] = [];
  let after = from === undefined ? undefined : placeOfReport(from);
  for (let examined = 0; examined < mostExamined; ) {
    const page = await repository.list({ words, limit: portion, ...(after && { after }) });
    const own = await openableReports(
      reached,
      page.map((one) => ({ ...one, facts: one.report.facts })),
      signal,
    );
    reports.push(...own.map(({ report, words: has }) => ({ report, words: has, held: geneOutcomeIn(has) })));
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

function placeOfReport(text: string): Pick<KeptReport, 'made' | 'id'> | undefined {
  const [, time, id = ''] = place.exec(text) ?? [];
  return time === undefined ? undefined : { made: new Date(Number(time)), id };
}

function nextOf(report: KeptReport | undefined): string | undefined {
  return report && `${report.made.getTime()}.${report.id}`;
}

// The words by which kept reports are found.

/**
 * `gene`: a gene that was measured, by HGNC id, or by symbol if it has none. `missing`: a name for which nothing was measured.
 * `left`: a gene of the panel whose confidence was not asked for. `sample`: each name of a sample; `person`: the one by which the
 * audit and erasures know it. `file`: the place of a coverage file (`placeOf`).
 */
type WordKind = 'gene' | 'missing' | 'left' | 'panel' | 'sample' | 'person' | 'file';

/** Characters of a word, so that an index takes it. */
const longest = 250;

/** Text that no index takes is replaced; the end of a long one is left out. */
export function searchWord(kind: WordKind, text: string): string {
  const plain = [...text.replace(/[\0\p{Surrogate}]/gu, '\u{fffd}')].slice(0, longest).join('');
  return `${kind}:${plain}`;
}

/** `HGNC:7436`, `ENSG00000177000` or `MTHFR`, however the name is written. */
export function nameKey(asked: string): string {
  const name = geneName(asked);
  if (name === undefined) return asked.trim().toUpperCase();
  return name.kind === 'hgnc' ? `HGNC:${name.id}` : name.kind === 'ensembl' ? name.id : name.key;
}

/** Without case: people type the names of panels. */
export function panelWord(text: string): string {
  return searchWord('panel', text.trim().toLowerCase());
}

/** The text of a word of this kind; undefined for other words. */
export function textOfWord(kind: WordKind, found: string): string | undefined {
  return found.startsWith(`${kind}:`) ? found.slice(kind.length + 1) : undefined;
}

/** Characters of the beginning of a place that words are compared by. */
const longestBegin = 200;

export function fileWord(file: string): string {
  return searchWord('file', placeOf(file));
}

/** Such beginnings of places that the words of longer ones, which have no end, begin with them as well. */
function fileBegins(begins: readonly string[] | undefined): readonly string[] | undefined {
  return begins?.map((begin) => begin.slice(0, longestBegin));
}

/** The form of ids, as `newId` makes them and earlier versions did. */
const idPattern = /^[\w-]{22,64}$/;

// Who may open a kept report: callers who reach all of its samples today.

type ReportReach = Pick<ReachedServices, 'samples' | 'sources' | 'shared' | 'tenants'> & { seesAneuploidy: boolean };

/**
 * Those of the reports that a caller with these services may open. A sample that is registered as it was is one that the caller
 * reaches by its registration; of any other, the caller must reach the file. A report that shows an aneuploidy is for those who
 * may see it.
 */
async function openableReports<Report extends Pick<KeptReport, 'facts'>>(
  services: ReportReach,
  reports: readonly Report[],
  signal: AbortSignal,
): Promise<Report[]> {
  const ids = new Set(reports.flatMap(({ facts }) => facts.samples.flatMap(({ registration }) => registration ?? [])));
  const found = ids.size === 0 ? [] : await services.samples.find([...ids]);
  const registered = new Map(found.map((sample) => [sample.id, sample]));
  const files = new Map<string, Promise<boolean>>();

  const reachesFile = (file: string): Promise<boolean> => {
    const known = files.get(file) ?? services.sources.reaches(file);
    files.set(file, known);
    return known;
  };
  const reachesOne = (file: string, path: string | undefined): boolean | Promise<boolean> =>
    // The sample is the caller's; its earlier file may not have been.
    path === undefined ? reachesFile(file) : path === file || services.sources.has(file);
  const reaches = async ({ registration, file, unique }: KeptSample): Promise<boolean> => {
    const known = registration === undefined ? undefined : registered.get(registration);
    if (!(await reachesOne(file, known?.file.path))) return false;
    return unique === undefined || reachesOne(unique.file, known?.unique?.path ?? known?.file.path);
  };
  const may = async ({ facts }: Report): Promise<boolean> => {
    if (facts.aneuploidy && !services.seesAneuploidy) return false;
    const answers = await Promise.all(facts.samples.map(reaches));
    return answers.every(Boolean) && (await reachesShared(services, facts, signal));
  };
  const answers = await Promise.all(reports.map(may));
  return reports.filter((_, i) => answers[i]);
}

/** The report with this id, if a caller with these services may open it: others are found no faster than those that do not exist. */
export async function openableReport(
  services: ReportReach,
  repository: Pick<ReportRepository, 'find'>,
  id: string,
  signal: AbortSignal,
): Promise<KeptReport | undefined> {
  const report = idPattern.test(id) ? await repository.find(id, fileBegins(services.sources.begins)) : undefined;
  const [own] = report === undefined ? [] : await openableReports(services, [report], signal);
  return own;
}

/** What was compared with samples that other tenants share is for those with whom they are still shared. */
async function reachesShared(
  { shared, tenants }: ReportReach,
  { shared: used, build }: KeptReport['facts'],
  signal: AbortSignal,
): Promise<boolean> {
  if (used.length === 0 || tenants === undefined) return true;
  const own = new Set((await shared(build, signal)).map(({ dataset }) => dataset));
  return used.every((dataset) => own.has(dataset));
}

// What kept reports were made of, for other plugins.

export function keptReportsService(
  { forReports, recording }: Pick<CoverageServices, 'forReports' | 'recording'>,
  repository: Pick<ReportRepository, 'find'>,
): KeptReportsService {
  async function opened(id: string, reader: Parameters<KeptReportsService['factsOf']>[1], signal: AbortSignal) {
    if (reader === 'operator') return repository.find(id);
    const reached = await forReports(reader.principal).catch((error: unknown) => {
      if (!isFault(error) || error.code !== 'forbidden') throw error;
      return undefined;
    });
    return reached && openableReport(reached, repository, id, signal);
  }
  return {
    pathOf: pathOfGene,
    async factsOf(id, reader, signal) {
      const found = await opened(id, reader, signal);
      if (found === undefined) return undefined;
      const { build, level, thresholds, panel, samples, sets, caution = [] } = found.facts;
      if (reader !== 'operator') {
        const names = samples.map(({ name, registration }) => registration ?? name);
        await recording.shown(reader, { action: 'samples', what: 'kept_report', samples: names });
      }
      const releases = [
        ...sets.map(({ kind, release }) => [kind, release]),
        ...caution.map((one) => [one.name, one.release]),
      ];
      return {
        ...{ made: found.made, build, thresholds: [level, ...thresholds.filter((one) => one !== level)] },
        ...(panel && { panel: { panel: panel.panel, version: panel.version } }),
        samples: samples.map(({ name, registration }) => ({
          name,
          ...(registration !== undefined && { registration }),
        })),
        releases: Object.fromEntries(
          [...releases, ['HGNC', panel?.names]].filter(([, release]) => release !== undefined),
        ),
      };
    },
  };
}
