/** The sex check: the sex predicted from X and Y, and the declared one. */
import { contradicts } from '../domain/sex.js';
import type { Texts } from '../texts/texts.js';
import { meanCell } from './cells.js';
import { asSeen, isWithheld } from './karyotype-table.js';
import type { ReportData } from './report-data.js';
import { type Cell, type Section, type Table, text } from './view.js';

export function sexSections(data: ReportData, texts: Texts): Section[] {
  return asSeen(data, (sees) => sexTable(data, texts, sees));
}

/** Without the depths of X and Y that a reader who does not see aneuploidies must not know. */
export function sexTable(data: Pick<ReportData, 'samples' | 'karyotypes'>, texts: Texts, sees: boolean): Table {
  const { samples } = data;
  const build = samples.find(({ sex }) => sex?.build !== undefined)?.sex?.build;
  const declared = samples.some(({ sample }) => sample.sex !== undefined);
  const ratio = (value: number | undefined): Cell =>
    value === undefined
      ? { text: texts.sex.none, value: '' }
      : { text: texts.decimal(value), value: Math.round(value * 10_000) / 10_000 };
  return {
    name: 'sex',
    title: texts.sex.title,
    caption: build === undefined ? '' : texts.warnings.pars(build),
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.6 },
      { key: 'predicted_sex', title: texts.sex.predicted, ...(declared ? { weight: 1.8 } : {}) },
      ...(declared ? [{ key: 'declared_sex', title: texts.sex.declared }] : []),
      { key: 'x_coverage', title: texts.sex.x, numeric: true },
      { key: 'y_coverage', title: texts.sex.y, numeric: true },
      { key: 'autosome_coverage', title: texts.sex.autosomes, numeric: true },
      { key: 'x_ratio', title: texts.sex.xRatio, numeric: true },
      { key: 'y_ratio', title: texts.sex.yRatio, numeric: true },
    ],
    rows: samples.flatMap(({ sample, sex }, i): Cell[][] => {
      if (sex === undefined) return [];
      const { sex: found, xCoverage, yCoverage, autosomeCoverage, xRatio, yRatio } = sex;
      const isHidden = isWithheld(data, i, sees);
      const unlessHidden = (cell: Cell): Cell => (isHidden ? { text: texts.sex.none, value: '' } : cell);
      return [
        [
          text(sample.name),
          predictedCell(found, sample.sex, texts),
          ...(declared ? [declaredCell(sample.sex, texts)] : []),
          unlessHidden(meanCell(xCoverage, texts)),
          unlessHidden(meanCell(yCoverage, texts)),
          meanCell(autosomeCoverage, texts),
          unlessHidden(ratio(xRatio)),
          unlessHidden(ratio(yRatio)),
        ],
      ];
    }),
  };
}

type SexName = keyof Texts['sexes'];

function predictedCell(found: SexName, declared: SexName | undefined, texts: Texts): Cell {
  const name = texts.sexes[found];
  if (declared !== undefined && contradicts(found, declared)) {
    return { text: texts.sex.mismatch(name), value: found, tone: 'bad' };
  }
  return found === declared && found !== 'unknown'
    ? { text: texts.sex.matches(name), value: found, tone: 'good' }
    : { text: name, value: found };
}

function declaredCell(declared: SexName | undefined, texts: Texts): Cell {
  return declared === undefined
    ? { text: texts.sex.none, value: '' }
    : { text: texts.sexes[declared], value: declared };
}
