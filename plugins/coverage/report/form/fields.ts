/**
 * The fields of a form or a query string as they were sent: their names and values, the samples among them as numbered rows,
 * files of Picard CollectHsMetrics, the names in requests for kept reports, and what a wrong field is called in a message. What
 * depths alone do not show (duplicates, mapping quality, bases off target) is shown as a file of CollectHsMetrics states it,
 * never computed here.
 */
import { Fault } from '../../../../core/plugin.js';
import type { Registration, UniqueFile } from '../../measure/quality.js';
import type { Sex } from '../../measure/sex.js';
import type { Texts } from '../../texts/texts.js';

export type FormFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A form with the file that was uploaded with it: the BED file. */
export interface SubmittedForm {
  fields: FormFields;
  file?: Buffer | undefined;
}

/** Most characters in the name of a sample, a group, a panel or a case. */
export const longestName = 200;

/** All values of a field, in order. */
export function valuesOfField(sent: FormFields, name: string): readonly string[] {
  const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** The last value that is not empty: a pressed button comes after the field that it overrides. */
export function lastOfField(sent: FormFields, name: string): string | undefined {
  return valuesOfField(sent, name)
    .findLast((value) => value.trim() !== '')
    ?.trim();
}

/** The items of a list field: separated by commas, semicolons or white space, or as JSON. */
export function itemsOfField(sent: FormFields, name: string): string[] {
  return valuesOfField(sent, name).flatMap((value) =>
    value
      .replace(/^\s*\[|\]\s*$/g, '')
      .split(/[\s,;]+/)
      .map((item) => item.replace(/^(['"])(.*)\1$/, '$2'))
      .filter((item) => item !== ''),
  );
}

// The samples of a form as rows: `sample_name_1`, `sample_file_1` and so on. They are numbered, because only one value per
// field is kept of a multipart form.

/** One sample of a form, parsed and checked. */
export interface FormSample {
  name: string;
  /** Its D4 file, as named in the form and not yet checked. */
  path: string;
  /** Its second file, if it has one. */
  unique?: UniqueFile;
  caseName?: string;
  /** Date of the analysis, `2023-04-23`. */
  analysed?: string;
  /** As declared. */
  sex?: Sex;
  /** If the form names a registered sample: path and track are then those of the registration, and no page shows them. */
  registration?: Registration;
  track?: string;
}

/**
 * The fields of a row, and how their names begin: `id` is that of a registered sample, `unique` and `quality` are of the file of
 * unique reads; the date of the analysis is a hidden one.
 */
const rowFields = {
  id: 'sample_id',
  name: 'sample_name',
  file: 'sample_file',
  unique: 'unique_file',
  quality: 'unique_mapping_quality',
  sex: 'sample_sex',
  group: 'sample_group',
  date: 'sample_date',
} as const;
export type RowField = keyof typeof rowFields;

export interface SampleRow extends Readonly<Record<RowField, string>> {
  /** Its number, from 1. */
  place: number;
}

const fieldOfName = new Map(Object.entries(rowFields).map(([field, name]) => [name as string, field as RowField]));
const rowPattern = /^([a-z_]+)_([1-9]\d{0,5})$/;

export function rowField(field: RowField, place: number): string {
  return `${rowFields[field]}_${place}`;
}

/** The field and row that a name stands for; undefined for any other name. */
function rowFieldOf(name: string): { field: RowField; place: number } | undefined {
  const [, beginning = '', place] = rowPattern.exec(name) ?? [];
  const field = fieldOfName.get(beginning);
  return field === undefined ? undefined : { field, place: Number(place) };
}

/** All rows that were sent, including blank ones, sorted by number. */
export function sampleRowsOf(sent: FormFields): SampleRow[] {
  const places = new Set<number>();
  for (const name of Object.keys(sent)) {
    const found = rowFieldOf(name);
    if (found !== undefined) places.add(found.place);
  }
  return [...places].sort((a, b) => a - b).map((place) => rowAt(sent, place));
}

function rowAt(sent: FormFields, place: number): SampleRow {
  const value = (field: RowField) => lastOfField(sent, rowField(field, place)) ?? '';
  const fields = [...fieldOfName.values()].map((field) => [field, value(field)]);
  return { place, ...(Object.fromEntries(fields) as Record<RowField, string>) };
}

/** Whether the row is not filled in. */
export function isBlankRow({ id, name, file, unique, sex, group }: SampleRow): boolean {
  return [id, name, file, unique, sex, group].every((text) => text === '');
}

/** A row with the keys of the list in `samples`. */
export function listedSample({ id, name, file, unique, quality, sex, group, date }: SampleRow) {
  return {
    ...{ sample_id: id, name, coverage_file_path: file, sex, case_name: group, analysis_date: date },
    ...{ unique_file_path: unique, unique_mapping_quality: quality },
  };
}

/** The fields of samples as rows; undefined if a text has line breaks, which a text field cannot hold. */
export function rowsFor(samples: readonly FormSample[], first = 1): Record<string, string> | undefined {
  const fields: Record<string, string> = {};
  for (const [i, { name, path, sex, caseName, analysed, registration, unique }] of samples.entries()) {
    const pair = registration === undefined ? unique : undefined;
    const row = {
      ...(registration && { id: registration.id }),
      ...{ name, file: registration ? '' : path, sex: sex ?? '', group: caseName ?? '', date: analysed ?? '' },
      ...(pair && { unique: pair.path, quality: String(pair.quality ?? '') }),
    };
    if (Object.values(row).some((text) => /[\r\n]/.test(text))) return undefined;
    for (const [field, text] of Object.entries(row)) fields[rowField(field as RowField, first + i)] = text;
  }
  return fields;
}

// Names in requests for kept reports.

/** The form field that asks for a report to be kept. */
export const keepField = 'keep';

/** The header of an answer with the id under which it is kept. */
export const idHeader = 'Report-Id';

/** Where kept reports are listed; each is below it. */
export const reportsPath = '/coverage/reports';

export function reportPath(id: string): string {
  return `${reportsPath}/${id}`;
}

/** Of the page with the reports that measured this gene, or could not. */
export function pathOfGene(gene: string): string {
  return `${reportsPath}?${new URLSearchParams({ gene })}`;
}

// Errors of a form, by the labels of its fields.

/** Why the form was refused: the field's label, a sentence, and the name of its input if there is exactly one. */
export interface FieldError {
  label: string;
  message: string;
  field?: string;
}

/** The same fault, as one of the form. */
export function asUnprocessable(fault: Fault): Fault {
  return fault.code === 'unprocessable'
    ? fault
    : new Fault('unprocessable', fault.public, { fields: [...fault.fields], cause: fault });
}

/** One fault for all wrong fields; its message names the first of them. */
export function inputFault(faults: readonly { path: string; message: string }[]): Fault {
  const fields = faults.slice(0, 100);
  const named = fields.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  const more = faults.length > 5 ? `; and ${faults.length - 5} more` : '';
  return new Fault('unprocessable', named.join('; ') + more, { fields });
}

export function fieldFault(path: string, message: string): Fault {
  return inputFault([{ path, message }]);
}

/** What the page says of each field. */
export function reasonsOfFault({ public: message, fields }: Fault, texts: Texts): FieldError[] {
  if (fields.length === 0) return [{ label: '', message }];
  return fields.map(({ path, message }) => {
    const row = rowFieldOf(path);
    if (row === undefined) return { label: labelOfField(path, texts), message };
    return { label: texts.form.rowField(texts.form.row[row.field], row.place), message, field: path };
  });
}

/** The label of a field, followed by the position of the wrong value. */
function labelOfField(path: string, texts: Texts): string {
  const { form } = texts;
  const [field = '', place, ...rest] = path.split('.');
  // Messages about a sample begin with its name.
  if (field === 'samples') return form.samples;
  const labels: Readonly<Record<string, string>> = {
    build: form.build,
    default_level: form.level,
    completeness_thresholds: form.thresholds,
    interval_type: form.type,
    transcripts: form.transcripts,
    panel: texts.panels.panel,
    panel_confidence: texts.panels.confidence,
    [keepField]: texts.kept.field,
    panel_name: form.panel,
    case_display_name: form.caseName,
    hgnc_gene_ids: form.genes,
    hgnc_gene_id: form.gene,
  };
  const [, kind = '', number = '1'] = /^intervals_bed(?:_(path|name))?(?:_(\d+))?$/.exec(field) ?? [];
  if (field.startsWith('intervals_bed')) {
    return form.bedField(kind === 'path' ? form.bedPath : kind === 'name' ? form.bedName : form.bed, Number(number));
  }
  const label = labels[field] ?? field;
  return place === undefined ? label : `${label} ${Number(place) + 1}${rest.length > 0 ? `, ${rest.join('.')}` : ''}`;
}

// The BED files of a form: `intervals_bed_path`, `intervals_bed` and `intervals_bed_name` are of the first, those ending with
// `_2` of the second, and so on.

export type BedField = 'path' | 'text' | 'name';

export function bedField(kind: BedField, number: number): string {
  const name = kind === 'text' ? 'intervals_bed' : `intervals_bed_${kind}`;
  return number === 1 ? name : `${name}_${number}`;
}

/** The numbers of files of which a field is filled in, ascending. The number of the first may be written, too. */
export function bedNumbersOf(sent: FormFields): number[] {
  const filled = Object.keys(sent).filter((name) => lastOfField(sent, name) !== undefined);
  const numbers = filled.map((name) => /^intervals_bed(?:_path|_name)?(?:_([1-9]\d{0,5}))?$/.exec(name));
  return [...new Set(numbers.flatMap((found) => (found === null ? [] : Number(found[1] ?? 1))))].sort((a, b) => a - b);
}

// Files of Picard CollectHsMetrics, and the fields of a form that name or hold them.

export type HsMetricsSource = { text: string } | { path: string };

export function hsMetricsField(kind: 'text' | 'path', place: number): string {
  return kind === 'text' ? `hs_metrics_${place}` : `hs_metrics_path_${place}`;
}

const hsMetricsPattern = /^hs_metrics_(?:path_)?([1-9]\d{0,5})$/;

/** By the sample's index. A pasted text takes precedence over a path. */
export function hsMetricsIn(
  sent: FormFields,
  samples: number,
  texts: Texts,
  fault: (path: string, message: string) => void,
): ReadonlyMap<number, HsMetricsSource> {
  const found = new Map<number, HsMetricsSource>();
  for (const name of Object.keys(sent)) {
    const [, number] = hsMetricsPattern.exec(name) ?? [];
    if (number === undefined || lastOfField(sent, name) === undefined) continue;
    if (Number(number) > samples) fault(name, texts.hsMetrics.noSample(samples));
  }
  for (let place = 1; place <= samples; place++) {
    const [text, path] = [
      lastOfField(sent, hsMetricsField('text', place)),
      lastOfField(sent, hsMetricsField('path', place)),
    ];
    if (text !== undefined && text.length > longestHsMetrics) {
      fault(hsMetricsField('text', place), texts.form.tooLong(longestHsMetrics));
    } else if (text !== undefined) found.set(place - 1, { text });
    else if (path !== undefined) found.set(place - 1, { path });
  }
  return found;
}

/** The fields that send them again. */
export function hsMetricsFields(sources: ReadonlyMap<number, HsMetricsSource>): Record<string, string> {
  return Object.fromEntries(
    [...sources].map(([at, source]) =>
      'text' in source ? [hsMetricsField('text', at + 1), source.text] : [hsMetricsField('path', at + 1), source.path],
    ),
  );
}

/** The figures of one sample, by Picard's names, as the file writes them. */
export interface HsMetrics {
  /** The sample that the file names; often none. */
  sample?: string;
  values: ReadonlyMap<string, string>;
}

/** Characters of a file: they have some tens of thousands. */
export const longestHsMetrics = 2_000_000;

const classLine = /^## METRICS CLASS\s+(\S+)/;
/** Columns that say what a row is about. */
const levels = ['SAMPLE', 'LIBRARY', 'READ_GROUP'] as const;

/**
 * The row of all reads of the sample with one of these names; of all reads of the file if no row names a sample so. Returns a
 * sentence if the text is not such a file.
 */
export function readHsMetrics(text: string, names: readonly string[]): HsMetrics | string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  const at = lines.findIndex((line) => classLine.test(line));
  if (at < 0) return 'The text is no file of Picard CollectHsMetrics: it has no line "## METRICS CLASS".';
  const [, kind = ''] = classLine.exec(lines[at] ?? '') ?? [];
  if (!/(^|\.)HsMetrics$/.test(kind))
    return `The file has ${kind.slice(0, 100)}, not the HsMetrics of CollectHsMetrics.`;
  const header = (lines[at + 1] ?? '').split('\t');
  const rows: Map<string, string>[] = [];
  for (const line of lines.slice(at + 2)) {
    if (line.trim() === '' || line.startsWith('#')) break;
    const cells = line.split('\t');
    if (cells.length > header.length) return 'The file has a line with more values than names.';
    rows.push(new Map(header.map((name, i) => [name.trim(), (cells[i] ?? '').trim()])));
  }
  const ofSample = rows.filter((row) => names.includes(row.get('SAMPLE') ?? '') && isWhole(row));
  const row = ofSample[0] ?? rows.find((one) => levels.every((level) => !one.get(level))) ?? rows[0];
  if (row === undefined || !header.includes('MEAN_TARGET_COVERAGE')) {
    return 'The file has no figures: a line with MEAN_TARGET_COVERAGE and a line with values are missing.';
  }
  const sample = row.get('SAMPLE') ?? '';
  const values = new Map(
    [...row].filter(([name, value]) => value !== '' && !(levels as readonly string[]).includes(name)),
  );
  return { ...(sample !== '' && { sample }), values };
}

/** Not of one library or read group. */
function isWhole(row: ReadonlyMap<string, string>): boolean {
  return !row.get('LIBRARY') && !row.get('READ_GROUP');
}
