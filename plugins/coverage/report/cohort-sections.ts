/** Which cohort each sample is compared with, in words, and the definitions of what is stated. */
import type { Cohort } from '../comparison/cohort.js';
import { leastForZ, lowRatio, outlyingZ } from '../comparison/gap-finding.js';
import { leastForPercentiles } from '../comparison/statement.js';
import type { Texts } from '../texts/texts.js';
import { countCell } from './cells.js';
import type { ReportData } from './report-data.js';
import { type Cell, type Section, type Table, text } from './view.js';

/** One row for each registered sample. */
export function cohortTable({ comparison, samples, request }: ReportData, texts: Texts): Table {
  const { cohort, header } = texts;
  return {
    name: 'cohorts',
    title: cohort.title,
    caption: request.type === 'coding' ? `${cohort.caption} ${texts.counted.cohort}` : cohort.caption,
    columns: [
      { key: 'sample', title: header.sample, weight: 1.3 },
      { key: 'cohort', title: cohort.which, weight: 3 },
      { key: 'cohort_samples', title: cohort.samples, numeric: true },
      { key: 'cohort_samples_of_one_sex', title: cohort.sameSex, numeric: true },
      { key: 'cohort_checksum', title: cohort.checksum, weight: 1.4 },
    ],
    rows: samples.flatMap(({ sample: { name } }): Cell[][] => {
      const found = comparison?.cohorts.get(name);
      if (found === undefined) return [];
      const { n, sameSex, sex, checksum } = found;
      const shortened = (checksum ?? '').replace(/^(\w+:\w{12})\w*$/, '$1');
      return [
        [
          text(name),
          text(whichCohort(found, texts)),
          countCell(n, texts),
          sex === 'unknown' ? { text: '–', value: '' } : countCell(sameSex, texts),
          { text: shortened === '' ? '–' : shortened, value: checksum ?? '' },
        ],
      ];
    }),
  };
}

function whichCohort({ state, assays, isPooled, sex, n, sameSex, shared }: Cohort, texts: Texts): string {
  const { cohort } = texts;
  if (state === 'no-assay' || state === 'unavailable' || state === 'too-many') return cohort.states[state];
  const own = isPooled ? cohort.pooled(assays.join(', ')) : cohort.ofAssay(assays.join(', '));
  const others =
    shared &&
    cohort.shared(n - shared.n, shared.n, sex === 'unknown' ? undefined : [sameSex - shared.sameSex, shared.sameSex]);
  const sexes = sex === 'unknown' ? cohort.unknownSex : undefined;
  const state_ = state === 'compared' ? undefined : cohort.states[state];
  return [state === 'alone' ? undefined : own, others, state_, sexes].filter((one) => one !== undefined).join(' ');
}

/** Before the numbers of a page; nothing if no sample is registered. */
export function cohortSections(data: ReportData, texts: Texts): Section[] {
  return data.comparison === undefined ? [] : [{ kind: 'table', table: cohortTable(data, texts) }];
}

/** The definitions, as items of the explanations. */
export function cohortTerms({ comparison }: ReportData, texts: Texts): (readonly [string, string])[] {
  if (comparison === undefined) return [];
  const { terms, kinds, defined } = texts.cohort;
  return [
    [terms.cohort, terms.cohortText(leastForPercentiles)],
    [terms.percentile, terms.percentileText],
    [terms.depth, terms.depthText],
    [kinds.assay, defined.assay(leastForPercentiles)],
    [kinds.sample, defined.sample],
    [kinds['possible-deletion'], defined.deletion(texts.decimal(lowRatio), -outlyingZ, leastForZ)],
    [kinds.usual, defined.usual],
    [kinds.unknown, defined.unknown(leastForPercentiles)],
  ];
}

/** The definitions as a section of their own, for pages without other explanations. */
export function cohortExplanations(data: ReportData, texts: Texts): Section[] {
  const items = cohortTerms(data, texts);
  return items.length === 0 ? [] : [{ kind: 'terms', title: texts.explain.title, items }];
}
