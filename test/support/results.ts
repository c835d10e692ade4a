/**
 * The results of the files of a run, read by `npm test` at the end: appended by reporter.mjs in each mocha process, and
 * their processor time by root.ts in each process that runs tests.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export interface FileResult {
  /** Relative to the project's root. */
  file: string;
  /** Seconds that tests and hooks took. */
  seconds: number;
  passed: number;
  failed: string[];
  skipped: string[];
  /** Seconds of processor time that it took, without the databases' on a shared server. */
  processor?: number;
}

export function append(result: FileResult | Required<Pick<FileResult, 'file' | 'processor'>>): void {
  const results = process.env.TREFOIL_TEST_RESULTS;
  if (results) appendFileSync(results, `${JSON.stringify(result)}\n`);
}

export function readResults(file: string): FileResult[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Parameters<typeof append>[0]);
  const processor = new Map(lines.filter((line) => !('passed' in line)).map((line) => [line.file, line.processor]));
  return lines.flatMap((line) => ('passed' in line ? [{ ...line, processor: processor.get(line.file) ?? 0 }] : []));
}

/** How many of the most expensive files are named. */
const mostNamed = 20;

/**
 * Time by folder and the most expensive files; failed and skipped tests by name; the counts in the last line. `total` has
 * the seconds of the whole run.
 */
export function summary(results: readonly FileResult[], total: { seconds: number; processor: number }): string {
  const folders = new Map<string, { files: number; tests: number; seconds: number; processor: number }>();
  for (const { file, passed, failed, skipped, seconds, processor = 0 } of results) {
    const folder = file.replace(/\/[^/]+$/, '');
    const sum = folders.get(folder) ?? { files: 0, tests: 0, seconds: 0, processor: 0 };
    sum.files++;
    sum.tests += passed + failed.length + skipped.length;
    sum.seconds += seconds;
    sum.processor += processor;
    folders.set(folder, sum);
  }
  const costliest = [...results].sort((one, two) => (two.processor ?? 0) - (one.processor ?? 0)).slice(0, mostNamed);
  const width = Math.max(...[...folders.keys(), ...costliest.map(({ file }) => file)].map((name) => name.length), 6);
  const row = (name: string, ...cells: (string | number)[]) =>
    `${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(11)).join('')}`;
  const heaviest = [...folders].sort(([, one], [, two]) => two.processor - one.processor || two.seconds - one.seconds);
  const all = (of: 'failed' | 'skipped') => results.flatMap((result) => result[of]);
  const named = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : ['', `${title}:`, ...names.map((name) => `  - ${name}`)];
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  return [
    '',
    row('folder', 'files', 'tests', 'seconds', 'processor'),
    ...heaviest.map(([name, { files, tests, seconds, processor }]) =>
      row(name, files, tests, seconds.toFixed(1), processor.toFixed(1)),
    ),
    row('all', results.length, '', total.seconds.toFixed(0), total.processor.toFixed(0)),
    '',
    row('file', '', '', 'seconds', 'processor'),
    ...costliest.map(({ file, seconds, processor = 0 }) => row(file, '', '', seconds.toFixed(1), processor.toFixed(1))),
    ...named('Skipped', all('skipped')),
    ...named('Failed', all('failed')),
    '',
    `${passed} passed, ${all('failed').length} failed, ${all('skipped').length} skipped`,
  ].join('\n');
}
