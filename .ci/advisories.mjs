#!/usr/bin/env node
/**
 * Compares package-lock.json with the published advisories of the registry that npm uses. Exit codes: 0 if there is none of
 * moderate severity or above for what a site installs, 1 if there are any, 2 if they could not be compared. npm itself ends with
 * 1 in both of the latter cases.
 */
import { spawnSync } from 'node:child_process';

const words = ['audit', '--json', '--audit=true', '--omit=dev', '--audit-level=moderate', '--fetch-retries=0'];
const { stdout, stderr, error } = spawnSync('npm', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

let report;
try {
  report = JSON.parse(stdout);
} catch {
  report = {};
}
const { vulnerabilities, metadata } = report;
if (vulnerabilities === undefined || metadata === undefined) {
  const status = /\b[45]\d\d\b [A-Z][\w ]+|\bE[A-Z]{4,}\b/.exec(`${report.message ?? ''}\n${stderr ?? ''}`)?.[0];
  const why = error ? 'npm cannot be run' : status === undefined ? 'it sent no report' : `it answered ${status}`;
  console.error(
    `ADVISORIES NOT COMPARED: the registry in use offers none (${why}). Run \`npm audit --omit=dev\` where one does before a release.`,
  );
  process.exit(2);
}
const severe = Object.values(vulnerabilities).filter(({ severity }) => !['info', 'low'].includes(severity));
for (const { name, severity, range, via } of severe) {
  const titles = via.map((one) => (typeof one === 'string' ? `by ${one}` : one.title));
  console.error(`${severity}: ${name}${range ? ` ${range}` : ''}: ${titles.join('; ')}`);
}
console.error(
  `${severe.length} of ${metadata.dependencies?.prod ?? 'all'} packages have advisories of moderate severity or above`,
);
process.exit(severe.length > 0 ? 1 : 0);
