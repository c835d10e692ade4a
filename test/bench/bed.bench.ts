/**
 * Peak memory of a server that answers about a BED file of very many lines, each kind of request in a process of
 * its own. `npm run build` first: running from source adds some 100 MB. `--lines=490000` is a whole exome;
 * `--divisor=20` makes a twentieth of a genome. Linux only.
 */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/port.js';
import { type Sample, sampleGenome, writeSample } from './d4-sample.js';
import type { Bench, Print } from './run.js';
import { withFolder } from './support/machine.js';
import { answered, stop } from './support/processes.js';

const program = fileURLToPath(new URL('../../core/bin/trefoil.mjs', import.meta.url));

const csv = (page: string, tables: readonly string[]) =>
  tables.map((table) => [page, { format: 'csv', table }] as const);

const ways: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] = [
  ['/coverage/d4/interval_file/', {}],
  ['/report', { format: 'html' }],
  ['/report', { format: 'pdf' }],
  ['/report', { format: 'json' }],
  ['/report', { format: 'bed' }],
  ...csv('/report', ['intervals', 'gaps', 'incomplete_genes', 'fully_covered', 'metrics', 'sex', 'curve', 'samples']),
  ['/report', { format: 'tsv', table: 'intervals' }],
  ['/overview', { format: 'html' }],
  ['/overview', { format: 'pdf' }],
  ['/overview', { format: 'json' }],
  ...csv('/overview', ['incomplete', 'intervals', 'metrics', 'samples']),
];

const bench: Bench = async (print, { divisor = '20', lines = '490000', only }) => {
  await withFolder(async (folder) => {
    const sample = sampleGenome(Number(divisor));
    await writeSample(join(folder, 'sample.d4'), sample, () => undefined);
    const bed = bedText(sample, Number(lines));
    await writeFile(join(folder, 'lines.bed'), bed);
    // Every request may take the time it needs.
    const config = `demo: false\nhttp: { requestTimeout: 600 }\nplugins: { coverage: { roots: ['${folder}'] } }\n`;
    await writeFile(join(folder, 'trefoil.yaml'), config);
    print(
      `${lines} lines, ${(bed.length / 1e6).toFixed(0)} MB; ${(sample.bases / 1e6).toFixed(0)} Mb, Node ${process.version}`,
    );
    await asked(print, folder, 'nothing', async () => undefined);
    for (const [path, fields] of ways) {
      const name = [path, ...Object.values(fields)].join(' ');
      if (only !== undefined && !name.includes(only)) continue;
      for (const sent of ['by path', 'uploaded'] as const) {
        const body = () =>
          (path === '/report' || path === '/overview' ? pageForm : intervalForm)(folder, fields, sent, bed);
        await asked(print, folder, `${name}, ${sent}`, (url) => fetch(url + path, { method: 'POST', body: body() }));
      }
    }
  });
};
export default bench;

type Sent = 'by path' | 'uploaded';

function pageForm(folder: string, fields: Readonly<Record<string, string>>, sent: Sent, bed: string): FormData {
  const samples = JSON.stringify([{ name: 'sample', coverage_file_path: join(folder, 'sample.d4') }]);
  return formOf(
    { samples, build: 'GRCh38', interval_type: 'custom_intervals', default_level: '20', ...fields },
    { folder, sent, bed },
  );
}

function intervalForm(folder: string, _fields: Readonly<Record<string, string>>, sent: Sent, bed: string): FormData {
  const path = join(folder, 'sample.d4');
  return formOf({ coverage_file_path: path, completeness_thresholds: '10,20,30' }, { folder, sent, bed });
}

function formOf(
  fields: Readonly<Record<string, string>>,
  { folder, sent, bed }: { folder: string; sent: Sent; bed: string },
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (sent === 'uploaded') form.append('intervals_bed', new Blob([bed]), 'lines.bed');
  else form.append('intervals_bed_path', join(folder, 'lines.bed'));
  return form;
}

/** Evenly spread lines of up to 120 bases, ten per gene. */
function bedText({ chromosomes, bases }: Sample, lines: number): string {
  const step = Math.floor(bases / lines);
  const text: string[] = [];
  for (const { name, size } of chromosomes) {
    for (let start = 0; start + step <= size && text.length < lines; start += step) {
      const line = text.length;
      text.push(`${name}\t${start}\t${start + Math.min(120, step)}\tGENE${Math.floor(line / 10)}_exon_${line % 10}\n`);
    }
  }
  return text.join('');
}

/** Prints the peak memory of a separate server that receives one request. */
async function asked(
  print: Print,
  folder: string,
  name: string,
  ask: (url: string) => Promise<Response | undefined>,
): Promise<void> {
  const port = await freePort();
  const words = [program, 'serve', '--config', join(folder, 'trefoil.yaml'), '--port', `${port}`];
  const env = { ...process.env, NODE_ENV: 'production', TREFOIL_SQLITE_FILE: join(folder, 'trefoil.sqlite') };
  const server = spawn(process.execPath, words, { stdio: 'ignore', env });
  try {
    const url = `http://127.0.0.1:${port}`;
    await answered(`${url}/-/ready`);
    const since = performance.now();
    const answer = await ask(url);
    const first = performance.now() - since;
    let bytes = 0;
    for await (const piece of answer?.body ?? []) bytes += piece.length;
    const whole = performance.now() - since;
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
    const [, kilobytes = 'NaN'] = /VmHWM:\s+(\d+) kB/.exec(status) ?? [];
    print(
      `${name.padEnd(44)} ${String(answer?.status ?? '').padEnd(3)} ${(Number(kilobytes) / 1024).toFixed(0).padStart(5)} MB at most; ` +
        `${(bytes / 1e6).toFixed(1)} MB, first byte after ${(first / 1000).toFixed(1)} s, last after ${(whole / 1000).toFixed(1)} s`,
    );
  } finally {
    await stop(server);
  }
}
