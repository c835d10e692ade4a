/** Genes that some sample does not cover fully: one row a gene, its percentage at the threshold in each sample. */
import { numbered } from '../domain/list.js';
import { completeness, type Depths, type Measure } from '../domain/measure.js';
import { lengthOf, type Region, union } from '../domain/region.js';
import type { Texts } from '../texts/texts.js';
import { shareCell } from './cells.js';
import { isIncomplete, type Measurement, type ReportData } from './report-data.js';
import { type Cell, type Column, type Table, text } from './view.js';

/** How often a gene's bases reach the coverage threshold: each base once, whichever intervals it is in. */
export interface GeneCoverage {
  /** As `ReportTarget.group`. */
  group: string;
  geneId?: string;
  /** Distinct bases. */
  length: number;
  /** Of each sample, the bases at or above the threshold. */
  reached: number[];
}

interface Group extends GeneCoverage {
  /** Places of its intervals among the targets. */
  places: number[];
}

/** In the order of the targets. Genes whose intervals overlap are measured once more, as the union of them. */
export async function incompleteGenes(
  measure: Measure,
  data: ReportData,
  signal: AbortSignal,
): Promise<GeneCoverage[]> {
  const { targets, samples, level } = data;
  const groups = incompleteGroups(data);
  const overlapping: { group: Group; regions: Region[] }[] = [];
  for (const group of groups) {
    group.length = sumOf(group, samples[0], ({ length }) => length);
    group.reached = samples.map((sample) => sumOf(group, sample, ({ reached }) => reached[level] ?? 0));
    if (group.places.length === 1) continue;
    const regions = union(group.places.flatMap((at) => targets.at(at)?.regions ?? []));
    const distinct = lengthOf(regions);
    if (distinct === group.length) continue;
    group.length = distinct;
    overlapping.push({ group, regions });
  }
  await Promise.all(
    samples.map(async (sample, i) => {
      // What the file lacks as a whole reaches nothing, and cannot be measured.
      const asked = overlapping.filter(({ group }) => sumOf(group, sample, ({ measured }) => measured) > 0);
      if (asked.length === 0) return;
      const { build, level: depth } = data.request;
      const found = await measure({ samples: [sample.source], targets: asked, thresholds: [depth], build, signal });
      for (const [k, { group }] of asked.entries()) {
        group.reached[i] = found.samples[0]?.targets[k]?.reached[0] ?? 0;
      }
    }),
  );
  return groups.map(({ places: _, ...gene }) => gene);
}

function incompleteGroups(data: ReportData): Group[] {
  const groups = new Map<string, Group | undefined>();
  for (const [at, { group: name }] of numbered(data.targets)) {
    if (isIncomplete(data, at)) groups.set(name, undefined);
  }
  const found: Group[] = [];
  for (const [at, { group: name, geneId }] of numbered(data.targets)) {
    if (!groups.has(name)) continue;
    const known = groups.get(name);
    if (known !== undefined) {
      known.places.push(at);
      continue;
    }
    const group = { group: name, ...(geneId === undefined ? {} : { geneId }), length: 0, reached: [], places: [at] };
    groups.set(name, group);
    found.push(group);
  }
  return found;
}

function sumOf({ places }: Group, sample: Measurement | undefined, count: (depths: Depths) => number): number {
  return places.reduce((sum, at) => {
    const depths = sample?.depths.targets.at(at);
    return depths === undefined ? sum : sum + count(depths);
  }, 0);
}

/** Genes that a page lists; files have all of them. */
const listed = 1000;

/** The genes in the order that the request asks for, and how many were left out. */
export function incompleteGenesTable(
  { samples, request }: ReportData,
  genes: readonly GeneCoverage[],
  texts: Texts,
  whole: boolean,
): { table: Table; further: number } {
  const shown = sorted(genes, request.order).slice(0, whole ? genes.length : listed);
  const depth = texts.depth(request.level);
  const column = (key: string, title: string, order: string, more: Partial<Column> = {}): Column => ({
    ...{ key, title, sort: { field: 'order', value: order, current: request.order === order } },
    ...more,
  });
  // Of a single sample the lowest percentage is its own.
  const withLowest = samples.length > 1;
  const rows = shown.map((gene): Cell[] => {
    const cells = gene.reached.map((reached) => shareCell({ length: gene.length, reached: [reached] }, 0, texts, true));
    const lowest = cells.reduce((least, cell) => (cell.value < least.value ? cell : least), cells[0] ?? text(''));
    const name = text(gene.group, gene.geneId === undefined ? {} : { gene: gene.geneId });
    return [name, ...(withLowest ? [lowest] : []), ...cells];
  });
  const table: Table = {
    name: 'incomplete_genes',
    title: texts.incomplete.title(depth),
    caption: texts.incomplete.caption(depth),
    columns: [
      column('gene', texts.incomplete.gene, 'gene', { weight: 1.3 }),
      ...(withLowest ? [column('lowest', texts.incomplete.lowest, 'completeness', { numeric: true })] : []),
      ...samples.map(({ sample: { name } }, i) =>
        column(name, name, withLowest ? `sample-${i + 1}` : 'completeness', { numeric: true }),
      ),
    ],
    rows,
  };
  return { table, further: genes.length - shown.length };
}

/** By the lowest percentage of all samples, that of one sample, or the name; ties by name. */
function sorted(genes: readonly GeneCoverage[], order: string): GeneCoverage[] {
  const byName = new Intl.Collator('en', { numeric: true }).compare;
  const sample = Number(/^sample-(\d+)$/.exec(order)?.[1] ?? 0) - 1;
  const share = ({ length, reached }: GeneCoverage, i: number) => completeness({ length, reached }, i);
  const rank = (gene: GeneCoverage): number => {
    if (order === 'gene') return 0;
    return sample >= 0 ? share(gene, sample) : Math.min(...gene.reached.map((_, i) => share(gene, i)));
  };
  return genes
    .map((gene) => ({ gene, rank: rank(gene) }))
    .sort((a, b) => a.rank - b.rank || byName(a.gene.group, b.gene.group))
    .map(({ gene }) => gene);
}
