/** The report: sex, depth and completeness, what is completely covered, and the stretches that are not. */
import { isComplete } from '../domain/measure.js';
import { lengthOf, type Region } from '../domain/region.js';
import { contradicts } from '../domain/sex.js';
import { curveDrawing } from '../plots/curve.js';
import type { Texts } from '../texts/texts.js';
import { countCell, depthCells, percentCell, thresholdColumns, twoDecimals } from './cells.js';
import type { DepthCurve } from './curve.js';
import type { TargetGaps } from './gaps.js';
import type { Gathered } from './gather.js';
import { placeText, type ReportTarget } from './target.js';
import { type Cell, type LazyTable, type Section, type Table, text } from './view.js';

export interface ReportParts {
  curves: readonly DepthCurve[];
  gaps: readonly TargetGaps[];
  /** Incomplete targets that `gaps` does not have. */
  further: number;
}

export interface SexRatios {
  male: number;
  female: number;
}

export function reportSections(
  gathered: Gathered,
  parts: ReportParts,
  rule: SexRatios,
  texts: Texts,
): { sections: Section[]; tables: LazyTable[] } {
  const { request, samples, thresholds } = gathered;
  const level = texts.depth(request.level);
  const metrics = metricsTable(gathered, texts);
  const full = fullTable(gathered, texts);
  const curve = curveTable(gathered, parts.curves, texts);
  const drawing = curveDrawing(
    samples.flatMap(({ sample }, i) =>
      parts.curves[i] === undefined ? [] : [{ name: sample.name, curve: parts.curves[i] }],
    ),
    { thresholds, level: request.level, texts },
  );
  const sections: Section[] = [
    { kind: 'table', table: metrics },
    { kind: 'table', table: full },
    { kind: 'drawing', drawing, id: 'curve', title: texts.curve.title, caption: texts.curve.caption, table: curve },
    { kind: 'table', table: sexTable(gathered, texts) },
  ];
  if (parts.gaps.length > 0) {
    const stretches = parts.gaps.reduce((sum, { gaps }) => sum + gaps.reduce((own, list) => own + list.length, 0), 0);
    sections.push({
      kind: 'table',
      table: gapTable(gathered, parts.gaps, texts),
      summary: texts.gaps.summary(parts.gaps.length, stretches),
      ...(parts.further > 0 ? { note: texts.gaps.more(parts.further) } : {}),
    });
  } else {
    sections.push({ kind: 'heading', id: 'gaps', title: texts.gaps.title(level) });
    sections.push({ kind: 'note', text: texts.full.all, tone: 'good' });
  }
  const { title, items, sex, sexRule } = texts.explain;
  sections.push({ kind: 'terms', title, items: [...items, [sex, sexRule(rule.male, rule.female)]] });
  const tables: LazyTable[] = [
    { name: 'metrics', make: () => metrics },
    { name: 'fully_covered', make: () => full },
    { name: 'sex', make: () => sexTable(gathered, texts) },
    { name: 'curve', make: () => curve },
    { name: 'gaps', make: () => gapList(gathered, parts.gaps, texts) },
    { name: 'intervals', make: () => intervalTable(gathered, texts) },
  ];
  return { sections, tables };
}

export function metricsTable({ samples, thresholds, level, targets, request }: Gathered, texts: Texts): Table {
  const count = texts.header.targetCount(targets.length, texts.targets[request.type]);
  return {
    name: 'metrics',
    title: texts.metrics.title,
    caption: texts.metrics.caption(samples[0]?.depths.pooled.length ?? 0, count),
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.6 },
      { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
      ...thresholdColumns(thresholds, texts),
    ],
    rows: samples.map(({ sample, depths }) => [
      text(sample.name),
      ...depthCells(depths.pooled, thresholds.length, level, texts),
    ]),
  };
}

/** The groups (genes) with at least one target of the sample that is not complete. */
export function incompleteGroups(
  { targets, samples, level }: Gathered,
  sample: number,
): { groups: string[]; incomplete: number } {
  const groups = new Set<string>();
  let incomplete = 0;
  for (const [i, target] of targets.entries()) {
    const depths = samples[sample]?.depths.targets[i];
    if (depths === undefined || isComplete(depths, level)) continue;
    incomplete += 1;
    groups.add(target.group);
  }
  return { groups: [...groups].sort(), incomplete };
}

function fullTable(gathered: Gathered, texts: Texts): Table {
  const { samples, targets, request } = gathered;
  const all = targets.length;
  return {
    name: 'fully_covered',
    title: texts.full.title(texts.targets[request.type][1], texts.depth(request.level)),
    caption: texts.full.caption,
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.3 },
      { key: 'fully_covered_percent', title: texts.full.share, numeric: true },
      { key: 'incompletely_covered', title: texts.full.incomplete, numeric: true },
      { key: 'incompletely_covered_genes', title: texts.full.genes, weight: 4 },
    ],
    rows: samples.map(({ sample }, i): Cell[] => {
      const { groups, incomplete } = incompleteGroups(gathered, i);
      return [
        text(sample.name),
        { ...percentCell((all - incomplete) / all, texts), tone: incomplete === 0 ? 'good' : 'bad' },
        { text: texts.full.of(incomplete, all), value: incomplete },
        { text: groups.length === 0 ? texts.full.none : groups.join(', '), value: groups.join(' ') },
      ];
    }),
  };
}

function sexTable({ samples }: Gathered, texts: Texts): Table {
  const declared = samples.some(({ sample }) => sample.sex !== undefined);
  const depth = (value: number): Cell => ({ text: `${texts.decimal(value)}×`, value: twoDecimals(value) });
  const ratio = (value: number | undefined): Cell =>
    value === undefined
      ? { text: texts.sex.none, value: '' }
      : { text: texts.decimal(value), value: Math.round(value * 10_000) / 10_000 };
  return {
    name: 'sex',
    title: texts.sex.title,
    caption: '',
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.6 },
      { key: 'predicted_sex', title: texts.sex.predicted },
      ...(declared ? [{ key: 'declared_sex', title: texts.sex.declared, weight: 1.4 }] : []),
      { key: 'x_coverage', title: texts.sex.x, numeric: true },
      { key: 'y_coverage', title: texts.sex.y, numeric: true },
      { key: 'autosome_coverage', title: texts.sex.autosomes, numeric: true },
      { key: 'x_ratio', title: texts.sex.xRatio, numeric: true },
      { key: 'y_ratio', title: texts.sex.yRatio, numeric: true },
    ],
    rows: samples.flatMap(({ sample, sex }): Cell[][] => {
      if (sex === undefined) return [];
      const { sex: found, xCoverage, yCoverage, autosomeCoverage, xRatio, yRatio } = sex;
      return [
        [
          text(sample.name),
          { text: texts.sexes[found], value: found },
          ...(declared ? [declaredCell(found, sample.sex, texts)] : []),
          depth(xCoverage),
          depth(yCoverage),
          depth(autosomeCoverage),
          ratio(xRatio),
          ratio(yRatio),
        ],
      ];
    }),
  };
}

type SexName = keyof Texts['sexes'];

function declaredCell(found: SexName, declared: SexName | undefined, texts: Texts): Cell {
  if (declared === undefined) return { text: texts.sex.none, value: '' };
  const cell = { text: texts.sexes[declared], value: declared };
  if (contradicts(found, declared)) return { ...cell, text: `${cell.text}: ${texts.sex.mismatch}`, tone: 'bad' };
  return found === declared ? { ...cell, text: `${cell.text}: ${texts.sex.agrees}`, tone: 'good' } : cell;
}

function curveTable({ samples }: Gathered, curves: readonly DepthCurve[], texts: Texts): Table {
  const depths = curves[0]?.depths ?? [];
  return {
    name: 'curve',
    title: texts.curve.table,
    caption: texts.curve.caption,
    columns: [
      { key: 'depth', title: texts.curve.axis, numeric: true },
      ...samples.map(({ sample }) => ({ key: sample.name, title: sample.name, numeric: true })),
    ],
    rows: depths.map((depth, i) => [
      { text: texts.depth(depth), value: depth },
      ...samples.map((_, s) => percentCell(curves[s]?.shares[i] ?? 0, texts)),
    ]),
  };
}

/** The exon that a gap lies in is what a primer is designed for; here the target's own name says it. */
export function targetCell(
  { id, transcript, exon, maneSelect, manePlusClinical, refseq, place, group }: ReportTarget,
  texts: Texts,
): Cell {
  const name =
    exon !== undefined && transcript !== undefined ? `${transcript} ${texts.gene.exon(exon).toLowerCase()}` : id;
  const badges = [
    ...(maneSelect ? [texts.mane.select] : []),
    ...(manePlusClinical ? [texts.mane.plusClinical] : []),
    ...refseq.slice(0, 3),
  ];
  return { text: name === group ? placeText(place) : name, value: id, badges };
}

const listed = 40;

/** One row for each target, the samples side by side. */
function gapTable({ samples, request }: Gathered, gaps: readonly TargetGaps[], texts: Texts): Table {
  return {
    name: 'gaps',
    title: texts.gaps.title(texts.depth(request.level)),
    caption: texts.gaps.caption,
    columns: [
      { key: 'gene', title: texts.gaps.gene },
      { key: 'interval', title: texts.gaps.interval, weight: 2 },
      ...samples.map(({ sample }) => ({ key: sample.name, title: sample.name, weight: 2.4 })),
    ],
    rows: gaps.map(({ target, gaps: bySample }) => [
      text(target.group, target.geneId === undefined ? {} : { gene: target.geneId }),
      targetCell(target, texts),
      ...bySample.map((list): Cell => {
        if (list.length === 0) return { text: texts.gaps.none, value: '', tone: 'good' };
        const shown = list
          .slice(0, listed)
          .map((gap) => `${placeText(gap)} (${texts.number(gap.end - gap.start)}\u00A0bp)`);
        if (list.length > listed) shown.push(texts.gaps.moreInCell(list.length - listed, lengthOf(list.slice(listed))));
        return { text: shown.join('; '), value: shown.join('; '), list: shown };
      }),
    ]),
  };
}

/** One row for each gap of each sample. */
function gapList({ samples, request }: Gathered, gaps: readonly TargetGaps[], texts: Texts): Table {
  const columns = ['gene', 'interval', 'transcript', 'exon', 'sample', 'below', 'chromosome', 'first', 'last', 'bases'];
  const row = (target: ReportTarget, sample: string, gap: Region): Cell[] => [
    text(target.group),
    text(target.id),
    text(target.transcript ?? ''),
    target.exon === undefined ? text('') : countCell(target.exon, texts),
    text(sample),
    countCell(request.level, texts),
    text(gap.chromosome),
    countCell(gap.start + 1, texts),
    countCell(gap.end, texts),
    countCell(gap.end - gap.start, texts),
  ];
  return {
    name: 'gaps',
    title: texts.gaps.title(texts.depth(request.level)),
    caption: texts.gaps.caption,
    columns: columns.map((key) => ({ key, title: key })),
    rows: gaps.flatMap(({ target, gaps: bySample }) =>
      bySample.flatMap((list, i) => list.map((gap) => row(target, samples[i]?.sample.name ?? '', gap))),
    ),
  };
}

/** One row for each target and sample, whatever its coverage: the table of intervals in exports. */
export function intervalTable({ targets, samples, thresholds, level }: Gathered, texts: Texts): Table {
  return {
    name: 'intervals',
    title: texts.header.intervals,
    caption: '',
    columns: [
      ...[
        'gene',
        'interval',
        'transcript',
        'exon',
        'chromosome',
        'first',
        'last',
        'bases',
        'sample',
        'mean_coverage',
      ].map((key) => ({ key, title: key })),
      ...thresholdColumns(thresholds, texts),
    ],
    rows: targets.flatMap((target, i) =>
      samples.flatMap(({ sample, depths }): Cell[][] => {
        const own = depths.targets[i];
        if (own === undefined) return [];
        const { place } = target;
        return [
          [
            text(target.group),
            text(target.id),
            text(target.transcript ?? ''),
            target.exon === undefined ? text('') : countCell(target.exon, texts),
            text(place.chromosome),
            countCell(place.start + 1, texts),
            countCell(place.end, texts),
            countCell(own.length, texts),
            text(sample.name),
            ...depthCells(own, thresholds.length, level, texts),
          ],
        ];
      }),
    ),
  };
}
