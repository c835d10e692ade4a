/** Makes the page that was asked for, up to the point where its format matters. */

import { curveDepths, depthCurve } from '../domain/depth-curve.js';
import { FileFault } from '../domain/location.js';
import { RegionColumns } from '../domain/region-columns.js';
import type { DataParts } from '../exports/report-json.js';
import type { PageRequest } from '../form/request.js';
import { GapColumns, targetGaps } from '../report/gaps.js';
import { drawTranscript, exonsOf, geneSections } from '../report/gene-page.js';
import { factsOf, type Making, sampleTable, subtitleOf } from '../report/header.js';
import { incompleteGenes } from '../report/incomplete-genes.js';
import { maneSections } from '../report/mane-page.js';
import { noticesOf, uncheckedOf } from '../report/notices.js';
import { overviewSections } from '../report/overview-page.js';
import { isIncomplete, type ReportData, readReportData, without } from '../report/report-data.js';
import { metricsTable, reportSections } from '../report/report-page.js';
import { sexTable } from '../report/sex-table.js';
import type { Timing } from '../report/timing.js';
import type { LazyTable, PageView, Section } from '../report/view.js';
import type { MeasuringServices } from '../services.js';
import type { Texts } from '../texts/texts.js';

export interface MakingOptions extends Making {
  texts: Texts;
  timing: Timing;
  signal: AbortSignal;
}

/** What was measured for a page, and the page without its header, made when it is wanted. */
export interface MadePage {
  data: ReportData;
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
  services: MeasuringServices,
  request: PageRequest,
  { allGaps }: PageNeeds,
  options: MakingOptions,
): Promise<MadePage> {
  const { signal, timing, texts } = options;
  const first = await readReportData(services, request, {
    ...{ signal, timing, texts },
    ...(request.page === 'gene_overview' ? { more: exonsOf } : {}),
  });
  const { data, parts, content } = await timing.of('depth', () => soundContent(services, first, allGaps, options));
  return {
    data,
    parts,
    view({ whole } = { whole: false }) {
      const { sections, tables } = content(whole);
      return {
        page: request.page,
        title: titleOf(data, texts),
        subtitle: subtitleOf(data, texts),
        facts: factsOf(data, options, texts),
        warnings: noticesOf(data, texts),
        unchecked: uncheckedOf(data, texts),
        sampleTable: sampleTable(data, texts),
        sections,
        tables: [
          ...tables,
          ...(request.page === 'report' || data.targets.length === 0
            ? []
            : [{ name: 'metrics', make: () => metricsTable(data, texts) }]),
          { name: 'samples', make: () => sampleTable(data, texts) },
        ],
      };
    },
  };
}

function titleOf({ request, selected }: ReportData, texts: Texts): string {
  if (request.page !== 'gene_overview') return texts.pages[request.page];
  const gene = selected[0]?.gene;
  return texts.gene.title(gene?.symbol ?? gene?.ensembl ?? request.genes.join(', '));
}

/**
 * What the page shows beside the numbers. Some of it is read at places that were not measured (introns, for a plot), where
 * a file may turn out not to be sound: its samples are then left out, as if that had been seen before.
 */
async function soundContent(
  services: MeasuringServices,
  data: ReportData,
  allGaps: boolean,
  options: MakingOptions,
): Promise<Content & { data: ReportData }> {
  try {
    return { data, ...(await contentOf(services, data, allGaps, options)) };
  } catch (error) {
    const left = error instanceof FileFault ? without(data, error) : undefined;
    if (left === undefined) throw error;
    return soundContent(services, left, allGaps, options);
  }
}

interface Content {
  parts: DataParts;
  content(whole: boolean): { sections: Section[]; tables: LazyTable[] };
}

async function contentOf(
  services: MeasuringServices,
  data: ReportData,
  allGaps: boolean,
  { signal, texts }: MakingOptions,
): Promise<Content> {
  const { request } = data;
  if (data.targets.length === 0) return { parts: {}, content: () => samplesOnly(data, texts) };
  switch (request.page) {
    case 'report': {
      const [curves, genes, found] = await Promise.all([
        curvesOf(services, data, signal),
        incompleteGenes(services.measure, data, signal),
        gapsOf(services, data, allGaps ? Number.POSITIVE_INFINITY : mostGaps, signal),
      ]);
      return {
        parts: { curves, genes, gaps: found.gaps },
        content: (whole) => reportSections(data, { curves, genes, ...found }, services.settings.sex, texts, whole),
      };
    }
    case 'overview':
      return { parts: {}, content: (whole) => overviewSections(data, texts, whole) };
    case 'mane_overview':
      return { parts: {}, content: (whole) => maneSections(data, texts, whole) };
    case 'gene_overview': {
      const drawn = await drawTranscript(services, data, signal);
      return { parts: { drawn }, content: () => geneSections(data, drawn, texts) };
    }
  }
}

/** A case without genes: who the samples are, and their sexes. */
function samplesOnly(data: ReportData, texts: Texts): { sections: Section[]; tables: LazyTable[] } {
  if (data.request.page !== 'report') return { sections: [], tables: [] };
  const sexes = sexTable(data, texts);
  return { sections: [{ kind: 'table', table: sexes }], tables: [{ name: 'sex', make: () => sexes }] };
}

function curvesOf(
  { sources }: MeasuringServices,
  { samples, targets, request, thresholds }: ReportData,
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
async function gapsOf({ measure }: MeasuringServices, data: ReportData, most: number, signal: AbortSignal) {
  let all = 0;
  for (let at = 0; at < data.targets.length; at++) if (isIncomplete(data, at)) all += 1;
  const gaps = new GapColumns(data);
  for await (const one of targetGaps(measure, data, signal)) {
    gaps.push(one);
    if (gaps.regions >= most) break;
  }
  return { gaps, further: all - gaps.length };
}
