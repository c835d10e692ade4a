/**
 * Whether the samples of a report reach what its panel requires (a part of the bases at a depth, and all of core genes), as a
 * check and as a table.
 */
import { completeness, type DepthLayer, percentOfShare } from '../../measure/measure.js';
import { groupedBy, lengthOfRegions, type Region, union } from '../../measure/region.js';
import { select } from '../../measure/select.js';
import type { MeasuringServices } from '../../services.js';
import type { Texts } from '../../texts/texts.js';
import type { ReportData } from '../data.js';
import type { PageRequest } from '../form/request.js';
import { geneId, type ReportPanel, reportedGenes, requestedGenes, wantedTranscripts } from '../panel.js';
import { placesLayer } from '../panel-places.js';
import { shareCell } from '../targets.js';
import { type Cell, type LazyTable, type PageSection, type PageTable, textCell } from '../view.js';
import { leftOutGenes, leftOutOf } from './expected-copies.js';
import { countedKey } from './header.js';

/** Of genes that are no core genes, those with a lower part of their bases are named: ExonCov's limit, in percent. */
const namedBelow = 95;

export interface RequirementCheck {
  /** Which bases it counts, as the type of intervals. */
  type: PageRequest['type'];
  /** The depth of the panel's requirement, or else the coverage threshold. */
  depth: number;
  /** What the panel requires of all its bases together; undefined if it only has core genes. */
  percent?: number;
  /** Genes and core entries of the panel that the report could not measure, by their symbols or names in it: with any, nothing is reached. */
  notMeasured: readonly string[];
  /** In the order of the report's samples. */
  samples: readonly SampleRequirement[];
}

interface SampleRequirement {
  /** Distinct bases of the panel's genes, and those of them at the depth. */
  length: number;
  reached: number;
  /** Whether the part is reached and all core genes are complete. */
  isMet: boolean;
  /** Core genes and entries that are not complete, and other genes below `namedBelow`, in the order of the panel. */
  core: readonly GeneShare[];
  below: readonly GeneShare[];
}

interface GeneShare {
  /** As the rest of the report names the gene. */
  symbol: string;
  length: number;
  reached: number;
}

interface PanelTarget {
  /** As the rest of the report names the gene, or region or repeat. */
  symbol: string;
  isCore: boolean;
  /** Indexes of its targets in the report, or in the layer of the panel's places. */
  places: readonly number[];
  regions: readonly Region[];
}

/** Undefined if the panel requires nothing. A panel that does not state which bases it means, means exons. */
export async function checkRequirement(
  { measure, intervals }: Pick<MeasuringServices, 'measure' | 'intervals'>,
  data: ReportData,
  panel: ReportPanel,
  signal: AbortSignal,
): Promise<RequirementCheck | undefined> {
  const { samples, request } = data;
  const genes = reportedGenes(panel);
  const { measured = [], left } = data.panelPlaces ?? {};
  const coreLeft = panel.others.filter((entry) => entry.core && (left?.get(entry) ?? 'confidence') !== 'confidence');
  const hasCore = coreLeft.length > 0 || [...genes, ...measured.map(({ entry }) => entry)].some(({ core }) => core);
  if (panel.requirement === undefined && !hasCore) return undefined;
  const depth = panel.requirement?.depth ?? request.level;
  const percent = panel.requirement?.percent;
  const targets: PanelTarget[] = [];
  const notMeasured = coreLeft.map(({ name }) => name);
  const placesOf = placesByGene(data);
  const { bases } = panel.requirement ?? {};
  const isOfCoding = bases === 'coding';
  // Reports on whole genes count these, unless the version states that it means exons.
  const isOfReport = isOfCoding === (request.type === 'coding') && !(bases === 'exons' && request.type === 'genes');
  const others = isOfReport ? undefined : await regionsByGene(intervals, data, isOfCoding, signal);
  for (const gene of genes) {
    const places = placesOf.get(geneId(gene)) ?? [];
    const ofReport = () => places.flatMap((at) => data.targets.at(at)?.regions ?? []);
    const regions = union(others === undefined ? ofReport() : (others.get(geneId(gene)) ?? []));
    if (regions.length === 0) notMeasured.push(gene.symbol);
    else
      targets.push({
        symbol: data.targets.at(places[0] ?? -1)?.group ?? gene.symbol,
        isCore: gene.core === true,
        places,
        regions,
      });
  }
  const length = lengthOfRegions(union(targets.flatMap(({ regions }) => regions)));
  const places = measured.flatMap(({ entry: { name: symbol, core }, target: { regions } }, at): PanelTarget[] => {
    return core ? [{ symbol, isCore: true, places: [at], regions }] : [];
  });
  const checked = await Promise.all(
    samples.map(async ({ source, depths }): Promise<SampleRequirement> => {
      // A file without any base of a gene reaches nothing of it, and measuring it there would fail.
      const inLayer = (layer: DepthLayer | undefined, some: readonly PanelTarget[]) =>
        some.filter((target) => target.places.some((at) => (layer?.targets.at(at)?.measured ?? 0) > 0));
      const inGenes = inLayer(depths, targets);
      const inFile = [...inGenes, ...inLayer(depths.beside[placesLayer], places)];
      const found = inFile.length === 0 ? undefined : await measureOne(inFile, inGenes);
      const reachedOf = new Map(inFile.map((target, i) => [target, found?.targets[i]?.reached[0] ?? 0]));
      const shares = [...targets, ...places].map((target) => {
        const { symbol, isCore, regions } = target;
        return { symbol, isCore, length: lengthOfRegions(regions), reached: reachedOf.get(target) ?? 0 };
      });
      const core = shares.filter((gene) => gene.isCore && gene.reached < gene.length);
      const below = shares.filter((gene) => !gene.isCore && isBelow(gene, namedBelow));
      const all = { length, reached: found?.beside.genes?.pooled.reached[0] ?? 0 };
      const isEnough = percent === undefined || !isBelow(all, percent);
      return {
        ...all,
        isMet: isEnough && core.length === 0 && notMeasured.length === 0,
        core: core.map(shareOnly),
        below: below.map(shareOnly),
      };

      async function measureOne(some: readonly PanelTarget[], ofGenes: readonly PanelTarget[]) {
        const beside = { genes: ofGenes };
        const question = {
          samples: [source],
          targets: some,
          beside,
          thresholds: [depth],
          build: request.build,
          signal,
        };
        return (await measure(question)).samples[0];
      }
    }),
  );
  const type = isOfReport ? request.type : isOfCoding ? 'coding' : 'transcripts';
  return { type, depth, ...(percent !== undefined && { percent }), notMeasured, samples: checked };
}

/** Decided by the counts, never by a rounded percentage. */
function isBelow(bases: { length: number; reached: number }, percent: number): boolean {
  return completeness({ length: bases.length, reached: [bases.reached] }, 0) * 100 < percent;
}

function shareOnly({ symbol, length, reached }: GeneShare): GeneShare {
  return { symbol, length, reached };
}

/** Coding or exonic bases of the panel's genes, if the report counts the others; none of what is not known to be coding or not. */
async function regionsByGene(
  intervals: MeasuringServices['intervals'],
  { panel, request }: ReportData,
  isOfCoding: boolean,
  signal: AbortSignal,
): Promise<Map<string, Region[]>> {
  const { build, transcripts, splice } = request;
  const type = isOfCoding ? 'coding' : 'transcripts';
  const wanted = {
    build,
    genes: requestedGenes([], panel),
    type,
    transcripts,
    splice,
    named: wantedTranscripts(panel),
  } as const;
  const selection = await select(intervals, wanted, { signal });
  const targets = groupedBy(selection.type === type ? selection.targets : [], idOfTarget);
  return new Map([...targets].map(([id, own]) => [id, own.flatMap(({ regions }) => [...regions])]));
}

/** The indexes of the report's targets, by the gene that they are of. */
function placesByGene({ selected }: ReportData): Map<string, number[]> {
  return groupedBy(selected.keys(), (i) => idOfTarget(selected[i]));
}

/** Empty for a gene without an id in HGNC, which no panel has. */
function idOfTarget(target: { gene: { hgnc?: number } } | undefined): string {
  const hgnc = target?.gene.hgnc;
  return hgnc === undefined ? '' : geneId({ hgnc });
}

// The check as a table, and as JSON.

export function requirementSection(data: ReportData, check: RequirementCheck, texts: Texts): PageSection {
  return { kind: 'table', table: requirementTable(data, check, texts) };
}

/** For CSV and TSV. */
export function requirementTables(data: ReportData, check: RequirementCheck, texts: Texts): LazyTable[] {
  return [{ name: 'requirement', make: () => requirementTable(data, check, texts) }];
}

function requirementTable(data: ReportData, check: RequirementCheck, texts: Texts): PageTable {
  const { samples, request } = data;
  const { requirement: words } = texts;
  const { type, depth, percent, notMeasured } = check;
  const missing = notMeasured.length === 0 ? '' : ` ${words.notMeasured(notMeasured.join(', '))}`;
  const beside = samples.some((one) => leftOutOf(data, one) > 0) ? [texts.copies.requirement] : [];
  const required =
    percent === undefined
      ? words.coreOnly(texts.depth(depth))
      : words.required(`${texts.decimal(percent)} %`, texts.depth(depth));
  return {
    name: 'requirement',
    title: words.title,
    caption: [`${required}${missing}`, ...beside].join(' '),
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.3 },
      { key: 'completeness_percent', title: texts.metrics.completeness(texts.depth(depth)), numeric: true },
      { key: 'bases_counted', title: texts.counted.column, weight: 1.3 },
      { key: 'required', title: words.verdict },
      { key: 'core_genes', title: words.core, weight: 2 },
      { key: 'genes_below', title: words.below(namedBelow), weight: 2 },
    ],
    rows: samples.map((one, i): Cell[] => {
      const own = check.samples[i];
      if (own === undefined) throw new RangeError(`The requirement was not checked in ${i + 1} samples`);
      const { length, reached, isMet, core, below } = own;
      const without = leftOutGenes(data, one);
      return [
        textCell(one.sample.name),
        shareCell({ length, reached: [reached] }, 0, texts),
        { text: texts.types[type], value: countedKey({ request: { ...request, type } }) },
        { text: isMet ? words.met : words.notMet, value: isMet ? 'yes' : 'no', tone: isMet ? 'good' : 'bad' },
        genesCell(core, without, texts),
        genesCell(below, without, texts),
      ];
    }),
  };
}

function genesCell(genes: readonly GeneShare[], notExpected: readonly string[], texts: Texts): Cell {
  const list = genes.map(({ symbol, length, reached }) => {
    if (notExpected.includes(symbol)) return `${symbol} (${texts.copies.notExpected})`;
    return `${symbol} ${texts.decimal(percentOfShare(completeness({ length, reached: [reached] }, 0)))} %`;
  });
  return { text: genes.length === 0 ? '–' : list.join(', '), value: list.join(' '), list, wraps: true };
}

/** Exact counts. */
export function requirementData(data: ReportData, check: RequirementCheck | undefined) {
  if (check === undefined) return {};
  const { type, depth, percent, notMeasured } = check;
  const { request } = data;
  return {
    panel_requirement: {
      bases_counted: countedKey({ request: { ...request, type } }),
      depth,
      percent: percent ?? null,
      genes_not_measured: notMeasured,
      samples: Object.fromEntries(
        data.samples.map((one, i) => {
          const own = check.samples[i];
          const without = leftOutGenes(data, one);
          const shareData = ({ symbol, length, reached }: GeneShare) => {
            const isWithout = without.includes(symbol);
            return { symbol, bases: length, bases_at_depth: reached, ...(isWithout && { not_expected: true }) };
          };
          return [
            one.sample.name,
            own && {
              bases: own.length,
              bases_at_depth: own.reached,
              met: own.isMet,
              core_genes_incomplete: own.core.map(shareData),
              [`genes_below_${namedBelow}_percent`]: own.below.map(shareData),
            },
          ];
        }),
      ),
    },
  };
}
