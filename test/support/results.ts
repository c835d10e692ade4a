/** The results of the files of a run: appended by reporter.mjs in each mocha process, read by `npm test` at the end. */
import { existsSync, readFileSync } from 'node:fs';

export interface FileResult {
  /** Relative to the project's root. */
  file: string;
  /** Seconds that tests and hooks took. */
  seconds: number;
  passed: number;
  failed: string[];
  skipped: string[];
}

export function readResults(file: string): FileResult[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FileResult);
}

/** Time by folder, slowest first; failed and skipped tests by name; the counts in the last line. */
export function summary(results: readonly FileResult[], seconds: number): string {
  const folders = new Map<string, { files: number; tests: number; seconds: number }>();
  for (const { file, passed, failed, skipped, seconds } of results) {
    const folder = file.replace(/\/[^/]+$/, '');
    const sum = folders.get(folder) ?? { files: 0, tests: 0, seconds: 0 };
    sum.files++;
    sum.tests += passed + failed.length + skipped.length;
    sum.seconds += seconds;
    folders.set(folder, sum);
  }
  const width = Math.max(...[...folders.keys()].map((name) => name.length), 6);
  const row = (name: string, ...cells: (string | number)[]) =>
    `${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(9)).join('')}`;
  const slowest = [...folders].sort(([, left], [, right]) => right.seconds - left.seconds);
  const all = (of: 'failed' | 'skipped') => results.flatMap((result) => result[of]);
  const named = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : ['', `${title}:`, ...names.map((name) => `  - ${name}`)];
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  return [
    '',
    row('folder', 'files', 'tests', 'seconds'),
    ...slowest.map(([name, sum]) => row(name, sum.files, sum.tests, sum.seconds.toFixed(1))),
    row('all', results.length, '', seconds.toFixed(0)),
    ...named('Skipped', all('skipped')),
    ...named('Failed', all('failed')),
    '',
    `${passed} passed, ${all('failed').length} failed, ${all('skipped').length} skipped`,
  ].join('\n');
}
