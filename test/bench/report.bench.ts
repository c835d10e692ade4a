/**
 * Coverage reports of 500 genes with 20 exons each in three samples: the parts of the time by `Server-Timing`, the size of the page, and
 * how long the event loop was blocked for other requests, all of the fastest of five runs. PDF files are made in a
 * worker thread. Then a report of one gene, alone and beside 100 parallel reports of 50 genes. Server and client share
 * one thread, so the figures are upper bounds. `--divisor=1` makes a whole genome; the default is a tenth of one.
 * `--keep=<file>` keeps the file.
 */
import { existsSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Batch, Exon, Gene, Transcript } from '../../plugins/coverage/contract.js';
import { serveCoverage } from '../plugins/coverage/support/serve.js';
import { panel, type Sample, sampleGenome, writeSample } from './d4-sample.js';
import type { Bench, Print } from './run.js';

const genes = 500;
const samples = 3;
const exonsOfGene = 20;
const repeats = 5;

const bench: Bench = async (print, { divisor = '10', keep }) => {
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
    print(
      `${(sample.bases / 1e6).toFixed(0)} Mb, ${(statSync(original).size / 1e6).toFixed(0)} MB, Node ${process.version}`,
    );
    const whole = new Map<string, number>();
    const resident = process.memoryUsage().rss;
    for (const [page, type, level, format] of [
      ['report', 'transcripts', 20, 'html'],
      ['report', 'exons', 20, 'html'],
      ['report', 'coding', 20, 'html'],
      ['report', 'genes', 20, 'html'],
      ['overview', 'exons', 20, 'html'],
      ['mane_overview', 'transcripts', 20, 'html'],
      ['report', 'exons', 20, 'json'],
      ['report', 'transcripts', 20, 'bed'],
      ['report', 'transcripts', 20, 'pdf'],
    ] as const) {
      const form = new URLSearchParams({
        build: 'GRCh38',
        samples: JSON.stringify(paths.map((path, i) => ({ name: `sample ${i + 1}`, coverage_file_path: path }))),
        interval_type: type,
        default_level: String(level),
        hgnc_gene_ids: rows.genes.map(({ hgnc }) => hgnc).join(','),
        format,
      });
      const found = await measured(server.url, `/${page}`, form);
      whole.set(`${page}, ${type}, ${format}`, found.whole);
      if (type === 'coding') {
        const ratio = found.whole / (whole.get(`${page}, exons, ${format}`) ?? Number.NaN);
        const added = (found.resident - resident) / 1e6;
        print(
          `coding against exons: ${ratio.toFixed(2)} times; ${genes * exonsOfGene} coding intervals in ${samples} samples, ${added.toFixed(0)} MB more than before all reports at most`,
        );
      }
      print(
        `${`${page}, ${type}, ${format}`.padEnd(30)} ${found.parts}; whole ${found.whole.toFixed(0)} ms, ` +
          `${(found.bytes / 1e6).toFixed(2)} MB; loop held ${found.held.toFixed(0)} ms at most, others answered within ${found.others.toFixed(0)} ms`,
      );
    }
    await crowd(print, server.url, rows, paths);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
};
export default bench;

const [crowded, panelGenes] = [100, 50];

/** Reports of one gene, one after the other: alone, and during 100 parallel reports of a panel. */
async function crowd(print: Print, url: string, { genes: all }: Rows, paths: readonly string[]): Promise<void> {
  const form = (names: readonly (number | undefined)[]) =>
    new URLSearchParams({
      ...{ build: 'GRCh38', interval_type: 'transcripts', default_level: '20', hgnc_gene_ids: names.join(',') },
      samples: JSON.stringify(paths.map((path, i) => ({ name: `sample ${i + 1}`, coverage_file_path: path }))),
    });
  const ask = async (body: URLSearchParams): Promise<number> => {
    const since = performance.now();
    const answer = await fetch(`${url}/report`, { method: 'POST', body });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`/report answers ${answer.status}`);
    return performance.now() - since;
  };
  const small = form([1]);
  const whole = form(all.slice(0, panelGenes).map(({ hgnc }) => hgnc));
  const p95 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
  const alone: number[] = [];
  for (let i = 0; i < 60; i += 1) alone.push(await ask(small));
  let going = true;
  const since = performance.now();
  const large = Promise.all(Array.from({ length: crowded }, () => ask(whole))).finally(() => {
    going = false;
  });
  const beside: number[] = [];
  while (going) beside.push(await ask(small));
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
  /** Bytes of memory at most, while they ran. */
  resident: number;
}

/** The fastest of several runs, each monitored. */
async function measured(url: string, path: string, body: URLSearchParams): Promise<Found> {
  let best: Found | undefined;
  let resident = 0;
  for (let i = 0; i <= repeats; i += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    let [going, others] = [true, 0];
    const asking = (async () => {
      while (going) {
        const since = performance.now();
        await (await fetch(`${url}/-/live`)).text();
        others = Math.max(others, performance.now() - since);
        resident = Math.max(resident, process.memoryUsage().rss);
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
      best = { parts, whole, bytes, held: delay.max / 1e6, others, resident };
  }
  if (best === undefined) throw new Error('nothing was measured');
  return { ...best, resident };
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
