/** What the panel of a report requires, and whether its samples reach it. */
import { completeness, percentOf } from '../domain/measure.js';
import type { Texts } from '../texts/texts.js';
import { shareCell } from './cells.js';
import { countedKey } from './counted.js';
import { leftOutGenes, leftOutOf } from './expected.js';
import type { ReportData } from './report-data.js';
import { type GeneShare, namedBelow, type RequirementCheck } from './requirement.js';
import { type Cell, type Section, type Table, text } from './view.js';

export function requirementSections(data: ReportData, check: RequirementCheck | undefined, texts: Texts): Section[] {
  return check === undefined ? [] : [{ kind: 'table', table: requirementTable(data, check, texts) }];
}

export function requirementTable(data: ReportData, check: RequirementCheck, texts: Texts): Table {
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
        text(one.sample.name),
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
    return `${symbol} ${texts.decimal(percentOf(completeness({ length, reached: [reached] }, 0)))} %`;
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
