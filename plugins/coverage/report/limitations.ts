/** What a negative result on the report's samples does not exclude. */
import { completeness, percentOf } from '../domain/measure.js';
import { uncoveredEntries } from '../panels/entries.js';
import { samplingSensitivity } from '../sites/sampling.js';
import type { Texts } from '../texts/texts.js';
import { leftOutOf } from './expected.js';
import { notMeasuredText, type ReportData } from './report-data.js';
import { type Cell, type Section, type Table, text } from './view.js';

/** Reads that must show a variant, as callers usually ask for. */
const leastReads = [3, 4] as const;
/** Genes, and entries of a panel, that are named. */
const named = 100;

export function limitationSections(data: ReportData, texts: Texts): Section[] {
  return [
    { kind: 'terms', title: texts.limits.title, items: limitationsOf(data, texts) },
    { kind: 'table', table: samplingTable(data, texts) },
  ];
}

/** Each with a short name. */
export function limitationsOf(data: ReportData, texts: Texts): (readonly [term: string, text: string])[] {
  const { request, known } = data;
  const { limits } = texts;
  const depth = texts.depth(request.level);
  const missing = unmeasured(data, texts);
  const isBed = request.type === 'custom_intervals';
  return [
    [limits.statement, limits.statementText(depth)],
    [limits.below(depth), belowText(data, texts)],
    ...(missing === '' ? [] : [[limits.unmeasured, missing] as const]),
    [limits.outside, limits.outsideOf[request.type]],
    [limits.kinds, limits.kindsText],
    [limits.person, limits.personText],
    ...(known === undefined
      ? [[limits.known, isBed ? limits.knownBed : limits.knownNone(request.build)] as const]
      : []),
  ];
}

function belowText(data: ReportData, texts: Texts): string {
  const { samples, level, request } = data;
  const { limits, number, decimal } = texts;
  const depth = texts.depth(request.level);
  const list = samples.flatMap(({ sample, depths: { pooled } }) => {
    const below = pooled.length - (pooled.reached[level] ?? 0);
    if (below === 0) return [];
    // The counterpart of the percentage that the report states.
    const percent = 100 - percentOf(completeness(pooled, level));
    return [limits.belowOf(sample.name, number(below), number(pooled.length), `${decimal(percent)} %`)];
  });
  const isWhole = !samples.some((one) => leftOutOf(data, one) > 0);
  if (list.length === 0) return isWhole ? limits.noneBelow(depth) : texts.copies.allExpected;
  return limits.belowText(list.join('; '), depth);
}

function unmeasured(data: ReportData, { limits, warnings }: Texts): string {
  const { notMeasured, notIncluded } = data;
  const genes = notMeasured.slice(0, named).map((one) => notMeasuredText(one, warnings));
  if (notMeasured.length > named) genes.push(warnings.more(notMeasured.length - named));
  // Genes that could not be measured are listed above.
  const left = uncoveredEntries(data).filter(({ kind, why }) => kind !== 'gene' || why.code === 'confidence');
  const entries = left.slice(0, named).map(({ name }) => name);
  if (left.length > named) entries.push(warnings.more(left.length - named));
  return [
    genes.length === 0 ? '' : limits.unmeasuredGenes(genes.join('; ')),
    entries.length === 0 ? '' : limits.unmeasuredEntries(entries.join('; ')),
    notIncluded.length === 0 ? '' : limits.unmeasuredSamples(notIncluded.map(({ asked }) => asked.name).join(', ')),
  ]
    .filter(Boolean)
    .join(' ');
}

/** At each reported depth. */
function samplingTable({ thresholds }: ReportData, texts: Texts): Table {
  const { limits } = texts;
  return {
    name: 'sampling',
    title: limits.sampling,
    caption: limits.samplingCaption,
    columns: [
      { key: 'reads', title: limits.reads, weight: 1.5 },
      ...thresholds.map((depth) => ({ key: `sensitivity_${depth}_percent`, title: texts.depth(depth), numeric: true })),
    ],
    rows: leastReads.map((least): Cell[] => [
      text(`≥ ${least}`),
      ...thresholds.map((depth) => text(sensitivityText(samplingSensitivity(depth, least), texts))),
    ]),
  };
}

/** The definition, as an item of the explanations. */
export function samplingTerm({ request }: ReportData, texts: Texts): readonly [string, string] {
  const { terms } = texts.sites;
  const [three = '', four = ''] = leastReads.map((least) =>
    sensitivityText(samplingSensitivity(request.level, least), texts),
  );
  return [terms.sampling, terms.samplingText(texts.depth(request.level), three, four)];
}

/** Never rounded up to certainty. */
function sensitivityText(chance: number, texts: Texts): string {
  return `${texts.decimal(Math.min(99.99, Math.floor(chance * 10_000) / 100))} %`;
}
