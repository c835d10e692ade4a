/** Makes the page that was asked for, up to the point where its format matters. */

import { RegionColumns } from '../domain/region-columns.js';
import type { DataParts } from '../exports/data.js';
import type { PageRequest } from '../form/request.js';
import { curveDepths, depthCurve } from '../report/curve.js';
import { GapColumns, targetGaps } from '../report/gaps.js';
import { type Gathered, gather, isIncomplete, without } from '../report/gather.js';
import { drawTranscript, exonsOf, geneSections } from '../report/gene-page.js';
import { factsOf, type Making, sampleTable, subtitleOf } from '../report/header.js';
import { incompleteGenes } from '../report/incomplete-genes.js';
import { maneSections } from '../report/mane-page.js';
import { noticesOf, uncheckedOf } from '../report/notices.js';
import { overviewSections } from '../report/overview-page.js';
import { metricsTable, reportSections } from '../report/report-page.js';
import { sexTable } from '../report/sex-table.js';
import type { Timing } from '../report/timing.js';
import type { LazyTable, PageView, Section } from '../report/view.js';
import type { CoverageServices } from '../services.js';
import { FileFault } from '../sources/location.js';
import type { Texts } from '../texts/texts.js';

export interface MakingOptions extends Making {
  texts: Texts;
  timing: Timing;
  signal: AbortSignal;
}

/** What was measured for a page, and the page without its header, made when it is wanted. */
export interface MadePage {
  gathered: Gathered;
  /** What only this page measures. */
  parts: DataParts;
  /** `whole` has all rows of tables that the page shows in parts. */
  view(options?: { whole: boolean }): PageView;
}

/** Regions that a page lists; exports have all of them. */
const mostGaps = 1500;

export interface PageNeeds {
  /** Whether every region below the level is wanted, not only as many as can be read. */
  allGaps: boolean;
}

export async function makePage(
  services: CoverageServices,
  request: PageRequest,
  { allGaps }: PageNeeds,
  options: MakingOptions,
): Promise<MadePage> {
  const { signal, timing, texts } = options;
  const first = await gather(services, request, {
    ...{ signal, timing, texts },
    ...(request.page === 'gene_overview' ? { more: exonsOf } : {}),
  });
  const { gathered, parts, content } = await timing.of('depth', () => soundContent(services, first, allGaps, options));
  return {
    gathered,
    parts,
    view({ whole } = { whole: false }) {
      const { sections, tables } = content(whole);
      return {
        page: request.page,
        title: titleOf(gathered, texts),
        subtitle: subtitleOf(gathered, texts),
        facts: factsOf(gathered, options, texts),
        warnings: noticesOf(gathered, texts),
        unchecked: uncheckedOf(gathered, texts),
        sampleTable: sampleTable(gathered, texts),
        sections,
        tables: [
          ...tables,
          ...(request.page === 'report' || gathered.targets.length === 0
            ? []
            : [{ name: 'metrics', make: () => metricsTable(gathered, texts) }]),
          { name: 'samples', make: () => sampleTable(gathered, texts) },
        ],
      };
    },
  };
}

function titleOf({ request, selected }: Gathered, texts: Texts): string {
  if (request.page !== 'gene_overview') return texts.pages[request.page];
  const gene = selected[0]?.gene;
  return texts.gene.title(gene?.symbol ?? gene?.ensembl ?? request.genes.join(', '));
}

/**
 * What the page shows beside the numbers. Some of it is read at places that were not measured (introns, for a plot), where
 * a file may turn out not to be sound: its samples are then left out, as if that had been seen before.
 */
async function soundContent(
  services: CoverageServices,
  gathered: Gathered,
  allGaps: boolean,
  options: MakingOptions,
): Promise<Content & { gathered: Gathered }> {
  try {
    return { gathered, ...(await contentOf(services, gathered, allGaps, options)) };
  } catch (error) {
    const left = error instanceof FileFault ? without(gathered, error) : undefined;
    if (left === undefined) throw error;
    return soundContent(services, left, allGaps, options);
  }
}

interface Content {
  parts: DataParts;
  content(whole: boolean): { sections: Section[]; tables: LazyTable[] };
}

async function contentOf(
  services: CoverageServices,
  gathered: Gathered,
  allGaps: boolean,
  { signal, texts }: MakingOptions,
): Promise<Content> {
  const { request } = gathered;
  if (gathered.targets.length === 0) return { parts: {}, content: () => samplesOnly(gathered, texts) };
  switch (request.page) {
    case 'report': {
      const [curves, genes, found] = await Promise.all([
        curvesOf(services, gathered, signal),
        incompleteGenes(services.measure, gathered, signal),
        gapsOf(services, gathered, allGaps ? Number.POSITIVE_INFINITY : mostGaps, signal),
      ]);
      return {
        parts: { curves, genes, gaps: found.gaps },
        content: (whole) => reportSections(gathered, { curves, genes, ...found }, services.settings.sex, texts, whole),
      };
    }
    case 'overview':
      return { parts: {}, content: (whole) => overviewSections(gathered, texts, whole) };
    case 'mane_overview':
      return { parts: {}, content: (whole) => maneSections(gathered, texts, whole) };
    case 'gene_overview': {
      const drawn = await drawTranscript(services, gathered, signal);
      return { parts: { drawn }, content: () => geneSections(gathered, drawn, texts) };
    }
  }
}

/** A case without genes: who the samples are, and their sexes. */
function samplesOnly(gathered: Gathered, texts: Texts): { sections: Section[]; tables: LazyTable[] } {
  if (gathered.request.page !== 'report') return { sections: [], tables: [] };
  const sexes = sexTable(gathered, texts);
  return { sections: [{ kind: 'table', table: sexes }], tables: [{ name: 'sex', make: () => sexes }] };
}

function curvesOf(
  { sources }: CoverageServices,
  { samples, targets, request, thresholds }: Gathered,
  signal: AbortSignal,
) {
  const means = samples.map(({ depths }) => depths.pooled.mean);
  const depths = curveDepths(means, thresholds, request.level);
  const regions = new RegionColumns();
  for (const target of targets) for (const region of target.regions) regions.push(region);
  const distinct = regions.union();
  return Promise.all(samples.map(({ source }) => depthCurve(sources, source, { distinct, depths, signal })));
}

/** The gaps of as many targets as have `most` of them together, and how many incomplete targets are left. */
async function gapsOf({ measure }: CoverageServices, gathered: Gathered, most: number, signal: AbortSignal) {
  let all = 0;
  for (let at = 0; at < gathered.targets.length; at++) if (isIncomplete(gathered, at)) all += 1;
  const gaps = new GapColumns(gathered);
  for await (const one of targetGaps(measure, gathered, signal)) {
    gaps.push(one);
    if (gaps.regions >= most) break;
  }
  return { gaps, further: all - gaps.length };
}
