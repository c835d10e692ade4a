/**
 * Coverage reports of 500 genes with 20 exons each in three samples: the parts of the time by `Server-Timing`, the size of the page, and
 * how long the event loop was blocked for other requests, all of the fastest of five runs. PDF files are made in a
 * worker thread. Then a report by coding bases against one by exons: processor time, in turns, and the peak memory of a process that
 * makes one of them alone. Then reports by exons beside 100,000 regions of caution, and with a second file of unique reads for each sample. Then a report of one gene, alone and beside 100 parallel reports of 50 genes. Server and client share
 * one thread, so the figures are upper bounds. `--divisor=1` makes a whole genome; the default is a tenth of one.
 * `--keep=<file>` keeps the file; `--only=coding` measures coding bases alone, `--rounds=20` times.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type Batch,
  coverageRegions,
  type Exon,
  type Gene,
  type RegionRepository,
  type Transcript,
} from '../../plugins/coverage/contract.js';
import { serveCoverage } from '../plugins/coverage/support/serve.js';
import { panel, type Sample, sampleGenome, writeSample } from './d4-sample.js';
import type { Bench, Print } from './run.js';
import { processorSeconds } from './support/machine.js';

const genes = 500;
const samples = 3;
const exonsOfGene = 20;
const repeats = 5;

const pages = [
  ['report', 'transcripts', 'html'],
  ['report', 'exons', 'html'],
  ['report', 'coding', 'html'],
  ['report', 'genes', 'html'],
  ['overview', 'exons', 'html'],
  ['mane_overview', 'transcripts', 'html'],
  ['report', 'exons', 'json'],
  ['report', 'transcripts', 'bed'],
  ['report', 'transcripts', 'pdf'],
] as const;

/** Makes a report of some of the genes. */
type Report = (type: string, count?: number) => Promise<void>;

const bench: Bench = async (print, { divisor = '10', keep, only, rounds = '20', alone }) => {
  const folder = mkdtempSync(join(keep === undefined ? tmpdir() : join(keep, '..'), 'trefoil-bench-'));
  const sample = sampleGenome(Number(divisor));
  const original = keep ?? join(folder, 'sample.d4');
  if (!existsSync(original)) writeSample(original, sample, print);
  const paths = Array.from({ length: samples }, (_, i) => join(folder, `sample-${i}.d4`));
  for (const path of paths) linkSync(original, path);
  const server = await serveCoverage({ settings: { roots: [folder] } });
  try {
    const rows = intervalsOf(sample);
    await server.intervals.load(
      {
        sets: (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const })),
        rows: once(rows),
        accept: () => ({ source: 'bench', checksum: `sha256:${'0'.repeat(64)}`, read: genes, skipped: {} }),
      },
      new Date(),
    );
    const unique = join(folder, 'unique.d4');
    const formOf = (type: string, format = 'html', names = rows.genes, second = {}) =>
      new URLSearchParams({
        ...{ build: 'GRCh38', interval_type: type, default_level: '20', format },
        samples: JSON.stringify(
          paths.map((path, i) => ({ name: `sample ${i + 1}`, coverage_file_path: path, ...second })),
        ),
        hgnc_gene_ids: names.map(({ hgnc }) => hgnc).join(','),
      });
    const report: Report = (type, count = genes) =>
      answer(`${server.url}/report`, formOf(type, 'html', rows.genes.slice(0, count)));
    if (alone !== undefined) return print(`${await peak(report, alone)}`);
    print(
      `${(sample.bases / 1e6).toFixed(0)} Mb, ${(statSync(original).size / 1e6).toFixed(0)} MB, Node ${process.version}`,
    );
    for (const [page, type, format] of only === 'coding' ? [] : pages) {
      const found = await measured(server.url, `/${page}`, formOf(type, format));
      print(
        `${`${page}, ${type}, ${format}`.padEnd(30)} ${found.parts}; whole ${found.whole.toFixed(0)} ms, ` +
          `${(found.bytes / 1e6).toFixed(2)} MB; loop held ${found.held.toFixed(0)} ms at most, others answered within ${found.others.toFixed(0)} ms`,
      );
    }
    await inTurns(print, report, Number(rounds));
    for (const type of ['exons', 'coding']) {
      print(
        `${genes * exonsOfGene} ${type} intervals in ${samples} samples add ${added(type, original, divisor)} MB at most`,
      );
    }
    if (only !== 'coding') {
      await besideRegions(print, report, server.storage.repository(coverageRegions), rows.genes, Number(rounds));
      writeSample(unique, sample, print, 2);
      const form = formOf('exons', 'html', rows.genes, { unique_file_path: unique });
      const withUnique = () => answer(`${server.url}/report`, form);
      await besidePlain(print, report, 'with files of unique reads', withUnique, Number(rounds));
      await crowd(print, report);
    }
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
};
export default bench;

async function answer(url: string, body: URLSearchParams): Promise<void> {
  const response = await fetch(url, { method: 'POST', body });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}`);
}

/** Processor time of reports by exons, by coding bases, and by exons once more, which shows how far figures of equal work differ. */
async function inTurns(print: Print, report: Report, rounds: number): Promise<void> {
  const turns = ['exons', 'coding', 'exons'];
  const times = turns.map((): number[] => []);
  for (let round = -2; round < rounds; round += 1) {
    for (const [i, type] of turns.entries()) {
      const took = await processorSeconds(() => report(type));
      // The first ones include compilation.
      if (round >= 0) times[i]?.push(took * 1000);
    }
  }
  const [exons = 0, coding = 0, again = 0] = times.map((own) => own.sort((a, b) => a - b)[own.length >> 1] ?? 0);
  print(
    `processor time, median of ${rounds} in turns: exons ${exons.toFixed(0)} ms, coding ${coding.toFixed(0)} ms ` +
      `(${(coding / exons).toFixed(2)} times), exons again ${again.toFixed(0)} ms (${(again / exons).toFixed(2)} times)`,
  );
}

const regions = 100_000;

/** Processor time of reports without a set of regions, with one that is spread over all genes, and without once more. */
async function besideRegions(
  print: Print,
  report: Report,
  repository: RegionRepository,
  spans: readonly Gene[],
  rounds: number,
): Promise<void> {
  const each = regions / spans.length;
  async function* spread() {
    for (const { chromosome, start, end } of spans) {
      const step = Math.floor((end - start) / each);
      yield Array.from({ length: each }, (_, i) => {
        return { chromosome, start: start + i * step, end: start + i * step + Math.ceil(step / 3) };
      });
    }
  }
  const accept = () => ({ source: 'bench', checksum: `sha256:${'0'.repeat(64)}`, skipped: {} });
  const set = { name: 'bench', build: 'GRCh38', kind: 'caution' } as const;
  await besidePlain(print, report, `beside ${regions} regions`, () => report('exons'), rounds, {
    before: () => repository.load({ ...set, regions: spread(), accept }, new Date()),
    after: () => repository.remove(set.name, set.build),
  });
  await repository.sweep(new Date(Date.now() + 1000));
}

/** Processor time of reports by exons, of others, and by exons once more. */
async function besidePlain(
  print: Print,
  report: Report,
  what: string,
  other: () => Promise<void>,
  rounds: number,
  around: { before?: () => Promise<unknown>; after?: () => Promise<unknown> } = {},
): Promise<void> {
  const times: number[][] = [[], [], []];
  for (let round = -2; round < rounds; round += 1) {
    for (const [i, own] of times.entries()) {
      if (i === 1) await around.before?.();
      const took = await processorSeconds(i === 1 ? other : () => report('exons'));
      if (i === 1) await around.after?.();
      if (round >= 0) own.push(took * 1000);
    }
  }
  const [without = 0, beside = 0, again = 0] = times.map((own) => own.sort((a, b) => a - b)[own.length >> 1] ?? 0);
  print(
    `processor time, median of ${rounds} in turns: exons ${without.toFixed(0)} ms, ${what} ${beside.toFixed(0)} ms ` +
      `(${(beside / without).toFixed(2)} times), exons again ${again.toFixed(0)} ms (${(again / without).toFixed(2)} times)`,
  );
}

/** Megabytes that reports of all genes add to the peak memory of this process, which has made one of a single gene. */
async function peak(report: Report, type: string): Promise<number> {
  await report(type, 1);
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 3; i += 1) await report(type);
  return Math.round((process.resourceUsage().maxRSS * 1024 - before) / 1e6);
}

/** The same of a process of its own. */
function added(type: string, keep: string, divisor: string): number {
  const run = fileURLToPath(new URL('run.ts', import.meta.url));
  const words = [...process.execArgv, run, 'report', `--alone=${type}`, `--keep=${keep}`, `--divisor=${divisor}`];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout.trim().split('\n').at(-1));
}

const [crowded, panelGenes] = [100, 50];

/** Reports of one gene, one after the other: alone, and during 100 parallel reports of a panel. */
async function crowd(print: Print, report: Report): Promise<void> {
  const timed = async (count: number): Promise<number> => {
    const since = performance.now();
    await report('transcripts', count);
    return performance.now() - since;
  };
  const p95 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
  const alone: number[] = [];
  for (let i = 0; i < 60; i += 1) alone.push(await timed(1));
  let going = true;
  const since = performance.now();
  const large = Promise.all(Array.from({ length: crowded }, () => timed(panelGenes))).finally(() => {
    going = false;
  });
  const beside: number[] = [];
  while (going) beside.push(await timed(1));
  await large;
  const seconds = (performance.now() - since) / 1000;
  // The first ones include compilation.
  const [quiet, busy] = [p95(alone.slice(10)), p95(beside)];
  print(
    `one gene: p95 ${quiet.toFixed(0)} ms alone, ${busy.toFixed(0)} ms (${(busy / quiet).toFixed(1)} times) beside ` +
      `${crowded} reports of ${panelGenes} genes, which took ${seconds.toFixed(1)} s; ${beside.length} asked meanwhile`,
  );
}

interface Found {
  parts: string;
  whole: number;
  bytes: number;
  held: number;
  others: number;
}

/** The fastest of several runs, each monitored. */
async function measured(url: string, path: string, body: URLSearchParams): Promise<Found> {
  let best: Found | undefined;
  for (let i = 0; i <= repeats; i += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    let [going, others] = [true, 0];
    const asking = (async () => {
      while (going) {
        const since = performance.now();
        await (await fetch(`${url}/-/live`)).text();
        others = Math.max(others, performance.now() - since);
        await wait(5);
      }
    })();
    await wait(20);
    delay.enable();
    const since = performance.now();
    const answer = await fetch(url + path, { method: 'POST', body });
    const bytes = (await answer.arrayBuffer()).byteLength;
    const whole = performance.now() - since;
    delay.disable();
    going = false;
    await asking;
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
    const parts = answer.headers.get('server-timing') ?? '';
    // The first run compiles code and opens files.
    if (i > 0 && whole < (best?.whole ?? Number.POSITIVE_INFINITY))
      best = { parts, whole, bytes, held: delay.max / 1e6, others };
  }
  if (best === undefined) throw new Error('nothing was measured');
  return best;
}

interface Rows {
  genes: Gene[];
  transcripts: Transcript[];
  exons: Exon[];
}

/** Genes of about 60 kb with one transcript each, whose exons are evenly spread; the last is untranslated for the most part. */
function intervalsOf(sample: Sample): Rows {
  const rows: Rows = { genes: [], transcripts: [], exons: [] };
  for (const [i, { chromosome: name, begin: start, end }] of panel(sample, genes).entries()) {
    const id = String(i + 1).padStart(11, '0');
    const [gene, transcript] = [`ENSG${id}`, `ENST${id}`];
    const chromosome = name.replace('chr', '') as Gene['chromosome'];
    rows.genes.push({ ensembl: gene, hgnc: i + 1, symbol: `BENCH${i + 1}`, chromosome, start, end });
    const references = {
      ...{
        refseqMrna: [`NM_${id}`],
        refseqMrnaPredicted: [],
        refseqNcrna: [],
        maneSelect: [`NM_${id}.1`],
        manePlusClinical: [],
      },
    };
    rows.transcripts.push({
      ensembl: transcript,
      gene,
      chromosome,
      start,
      end,
      references,
      isManeSelect: true,
      isManePlusClinical: false,
    });
    const step = Math.floor((end - start) / exonsOfGene);
    for (let rank = 1; rank <= exonsOfGene; rank += 1) {
      const from = start + (rank - 1) * step;
      const [first, last] = [rank === 1, rank === exonsOfGene];
      const end = from + Math.min(last ? 1650 : 150, step);
      const exon = `ENSE${String(i * exonsOfGene + rank).padStart(11, '0')}`;
      rows.exons.push({
        ensembl: exon,
        gene,
        transcript,
        rank,
        chromosome,
        start: from,
        end,
        cds: { start: first ? from + 50 : from, end: last ? from + 100 : end },
      });
    }
  }
  return rows;
}

async function* once(batch: Batch): AsyncGenerator<Batch> {
  yield batch;
}
