/**
 * Files of Picard CollectHsMetrics, and the fields of a form that name or hold them. What depths alone do not show (duplicates,
 * mapping quality, bases off target) is shown as such a file states it, never computed here.
 */
import type { Texts } from '../../texts/texts.js';
import { type FormFields, lastOf } from './fields.js';

export type HsMetricsSource = { text: string } | { path: string };

export function hsMetricsField(kind: 'text' | 'path', place: number): string {
  return kind === 'text' ? `hs_metrics_${place}` : `hs_metrics_path_${place}`;
}

const pattern = /^hs_metrics_(?:path_)?([1-9]\d{0,5})$/;

/** By the sample's index. A pasted text takes precedence over a path. */
export function hsMetricsIn(
  sent: FormFields,
  samples: number,
  texts: Texts,
  fault: (path: string, message: string) => void,
): ReadonlyMap<number, HsMetricsSource> {
  const found = new Map<number, HsMetricsSource>();
  for (const name of Object.keys(sent)) {
    const [, number] = pattern.exec(name) ?? [];
    if (number === undefined || lastOf(sent, name) === undefined) continue;
    if (Number(number) > samples) fault(name, texts.hsMetrics.noSample(samples));
  }
  for (let place = 1; place <= samples; place++) {
    const [text, path] = [lastOf(sent, hsMetricsField('text', place)), lastOf(sent, hsMetricsField('path', place))];
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

// Files of Picard CollectHsMetrics: what depths alone do not show (duplicates, mapping quality, bases off target) is shown as such a
// file states it, never computed here.

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
