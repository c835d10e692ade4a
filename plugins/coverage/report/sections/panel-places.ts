/** The regions and repeats of a panel, apart from its genes: depth, completeness and low-coverage regions, on pages and in exports. */
import { isComplete } from '../../measure/measure.js';
import { type List, lengthOfRegions } from '../../measure/region.js';
import type { Texts } from '../../texts/texts.js';
import { isLeftOut, type Measurement, type ReportData } from '../data.js';
import { ofLayer } from '../layers.js';
import { type PanelPlace, type PanelPlaces, placesLayer } from '../panel-places.js';
import { countCell, cutList, placeText, thresholdColumns } from '../targets.js';
import {
  type Cell,
  fileRows,
  type LazyTable,
  type LongTable,
  type PageSection,
  type TableExtent,
  textCell,
} from '../view.js';
import { asMarked, notExpectedCell, targetCells } from './expected-copies.js';
import type { TargetGaps } from './target-gaps.js';

/** Rows of a page, entries up to which a table is open, and what one cell lists of gaps and genes. */
const [pageRows, few, listedGaps, listedGenes] = [500, 20, 10, 30];

const kinds = ['region', 'str'] as const;

/** The report with the places in place of its genes: whatever counts and shows single targets does so of them. */
export function ofPlaces(data: ReportData, { measured }: PanelPlaces): ReportData {
  return ofLayer(
    data,
    placesLayer,
    measured.map(({ target }) => target),
  );
}

/** `gaps` are those of `ofPlaces`; a page may list some of them only. */
export function placeSections(
  data: ReportData,
  places: PanelPlaces,
  gaps: List<TargetGaps>,
  texts: Texts,
  extent: TableExtent,
): PageSection[] {
  const words = texts.panels.places;
  const gapsAt = new Map([...gaps].map((one) => [one.at, one.gaps]));
  const most = extent === 'page' ? pageRows : fileRows;
  return kinds.flatMap((kind) => {
    const own = [...places.measured.entries()].filter(([, { entry }]) => entry.kind === kind);
    if (own.length === 0) return [];
    const shown = own.slice(0, Math.max(1, Math.floor(most / Math.max(1, data.samples.length))));
    const sections = asMarked(data, (seen) => {
      const layer = ofPlaces(seen, places);
      const table = {
        name: kind === 'region' ? 'panel_regions' : 'panel_repeats',
        title: words[kind],
        caption: words.caption,
        columns: [
          // Parts of a table that is too wide for paper have the first two.
          { key: 'entry', title: words.entry, weight: 1.6 },
          { key: 'sample', title: texts.header.sample, weight: 1.2 },
          { key: 'position', title: words.position, weight: 2.4 },
          { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
          ...thresholdColumns(layer, texts),
          { key: 'below', title: words.below(texts.depth(data.request.level)), weight: 1.8 },
        ],
        rows: shown.flatMap(([at, place]) =>
          layer.samples.map((one, i): Cell[] => [
            nameCell(place, texts, i > 0),
            textCell(one.sample.name),
            positionCell(place, layer, at, texts, i > 0),
            ...targetCells(layer, one, at, texts),
            gapsCell(layer, one, at, gapsAt.get(at)?.[i] ?? [], texts),
          ]),
        ),
      };
      const note = own.length > shown.length ? { note: texts.incomplete.more(own.length - shown.length) } : {};
      return [{ kind: 'table', table, summary: words.count(own.length), open: own.length <= few, ...note }];
    });
    return sections;
  });
}

function nameCell({ entry: { name, core } }: PanelPlace, texts: Texts, again: boolean): Cell {
  return textCell(core ? `${name} (${texts.panels.places.core})` : name, { again });
}

function positionCell(place: PanelPlace, layer: ReportData, at: number, texts: Texts, again: boolean): Cell {
  const words = texts.panels.places;
  const { detail, kind } = place.entry;
  const position = placeText(place.target.place);
  if (again) return textCell(position, { again });
  const length = layer.samples[0]?.depths.targets.at(at)?.length ?? 0;
  const genes = cutList(place.genes, listedGenes, texts).join(', ');
  const list = [
    ...[position, words.counted[place.counted](length, genes)],
    ...(kind === 'str' ? [words.depthOnly] : []),
    ...(detail === undefined ? [] : [detail]),
  ];
  return { text: list.join('; '), value: position, list, wraps: true };
}

function gapsCell(
  layer: ReportData,
  one: Measurement,
  at: number,
  gaps: TargetGaps['gaps'][number],
  texts: Texts,
): Cell {
  if (isLeftOut(layer, one, at)) return notExpectedCell(texts);
  const missing = basesBelow(layer, one, at);
  if (missing === 0) return { text: texts.gaps.none, value: 0, tone: 'good' };
  const { bases } = texts.panels.places;
  const list = [bases(missing), ...gaps.slice(0, listedGaps).map((gap) => placeText(gap))];
  const rest = gaps.slice(listedGaps);
  if (rest.length > 0) list.push(texts.gaps.moreInCell(rest.length, lengthOfRegions(rest)));
  return { text: list.join('; '), value: missing, list };
}

/** Below the coverage threshold, those without any depth in the file included. */
function basesBelow({ level }: ReportData, one: Measurement, at: number): number {
  const own = one.depths.targets.at(at);
  return own === undefined || isComplete(own, level) ? 0 : own.length - (own.reached[level] ?? 0);
}

// For CSV and TSV: one table of both kinds, and one of their gaps.

export function placeTables(
  data: ReportData,
  places: PanelPlaces,
  gaps: List<TargetGaps> | undefined,
  texts: Texts,
): LazyTable[] {
  return [
    { name: 'panel_regions', make: () => figuresTable(ofPlaces(data, places), places, texts) },
    { name: 'panel_region_gaps', make: () => gapsTable(ofPlaces(data, places), places, gaps ?? [], texts) },
  ];
}

const columnsOf = (keys: readonly string[]) => keys.map((key) => ({ key, title: key }));

/** One row for each entry and sample. */
function figuresTable(layer: ReportData, { measured }: PanelPlaces, texts: Texts): LongTable {
  return {
    ...{ name: 'panel_regions', title: texts.panels.places.region, caption: '' },
    columns: [
      ...columnsOf(['kind', 'entry', 'confidence', 'core', 'detail', 'repeat_length', 'chromosome', 'first', 'last']),
      ...columnsOf(['counted', 'genes', 'bases', 'sample', 'mean_coverage']),
      ...thresholdColumns(layer, texts),
      ...columnsOf(['below', 'bases_below']),
    ],
    rows: {
      *[Symbol.iterator]() {
        for (const [at, { entry, target, counted, genes }] of measured.entries()) {
          const { kind, name, confidence, core, detail = '' } = entry;
          const length = kind === 'str' ? 'not measured' : '';
          const { chromosome, start, end } = target.place;
          for (const one of layer.samples) {
            const isExpected = !isLeftOut(layer, one, at);
            yield [
              ...[kind, name, confidence, core ? 'yes' : '', detail, length, chromosome].map((text) => textCell(text)),
              countCell(start + 1, texts),
              countCell(end, texts),
              ...[counted, genes.join(' ')].map((text) => textCell(text)),
              countCell(one.depths.targets.at(at)?.length ?? 0, texts),
              textCell(one.sample.name),
              ...targetCells(layer, one, at, texts),
              countCell(layer.request.level, texts),
              isExpected ? countCell(basesBelow(layer, one, at), texts) : notExpectedCell(texts),
            ];
          }
        }
      },
    },
  };
}

/** Without those on Y of samples that have none, as everywhere. */
function gapsTable(layer: ReportData, { measured }: PanelPlaces, gaps: Iterable<TargetGaps>, texts: Texts): LongTable {
  const { level } = layer.request;
  return {
    ...{ name: 'panel_region_gaps', title: texts.panels.places.gapsTitle(texts.depth(level)), caption: '' },
    columns: columnsOf(['kind', 'entry', 'sample', 'below', 'chromosome', 'first', 'last', 'bases']),
    rows: {
      *[Symbol.iterator]() {
        for (const { at, gaps: bySample } of gaps) {
          const { kind = '', name = '' } = measured[at]?.entry ?? {};
          for (const [i, list] of bySample.entries()) {
            const one = layer.samples[i];
            if (one === undefined || isLeftOut(layer, one, at)) continue;
            const names = [kind, name, one.sample.name].map((text) => textCell(text));
            for (const { chromosome, start, end } of list) {
              const place = [start + 1, end, end - start].map((value) => countCell(value, texts));
              yield [...names, countCell(level, texts), textCell(chromosome), ...place];
            }
          }
        }
      },
    },
  };
}
