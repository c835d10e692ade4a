/**
 * Coverage over HTTP, as ratios within one run against merely reading the file's bytes: the summary of one gene, of 500 genes
 * in three samples, and the predicted sex. `--divisor=1` makes a whole genome (a file of 2.4 GB, in minutes); a tenth
 * of one by default. `--keep=<file>` keeps it for the next run.
 */
import { closeSync, existsSync, linkSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Batch, Gene } from '../../plugins/coverage/contract.js';
import { serveCoverage } from '../plugins/coverage/support/serve.js';
import { panel, type Sample, sampleGenome, writeSample } from './d4-sample.js';
import type { Bench } from './run.js';

const genes = 500;
const samples = 3;
const repeats = 5;

const bench: Bench = async (print, { divisor = '10', keep }) => {
  const folder = mkdtempSync(join(keep === undefined ? tmpdir() : join(keep, '..'), 'trefoil-bench-'));
  const sample = sampleGenome(Number(divisor));
  const original = keep ?? join(folder, 'sample.d4');
  if (!existsSync(original)) writeSample(original, sample, print);
  // Three names of one file: each is opened and read separately.
  const paths = Array.from({ length: samples }, (_, i) => join(folder, `sample-${i}.d4`));
  for (const path of paths) linkSync(original, path);
  const server = await serveCoverage({ settings: { roots: [folder] } });
  try {
    const all = genesOf(sample);
    await server.intervals.load(
      {
        sets: [{ kind: 'genes', build: 'GRCh38' }],
        rows: once({ genes: all }),
        accept: () => ({ source: 'bench', checksum: `sha256:${'0'.repeat(64)}`, read: all.length, skipped: {} }),
      },
      new Date(),
    );
    print(
      `${(sample.bases / 1e6).toFixed(0)} Mb, ${(statSync(original).size / 1e6).toFixed(0)} MB, Node ${process.version}`,
    );
    readAll(original);
    const limit = await best(async () => readAll(original));
    print(`the bytes of one file merely read           ${milliseconds(limit)}`);

    const summary = (count: number, names: readonly string[]) => async () => {
      const answer = await fetch(`${server.url}/coverage/d4/genes/summary`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          build: 'GRCh38',
          samples: names.map((path) => ({ name: path, coverage_file_path: path })),
          hgnc_gene_ids: all.slice(0, count).map(({ hgnc }) => hgnc),
          coverage_threshold: 15,
          interval_type: 'genes',
        }),
      });
      if (answer.status !== 200) throw new Error(await answer.text());
      await answer.json();
    };
    const sex = async () => {
      const query = new URLSearchParams({ coverage_file_path: paths[0] ?? '' });
      const answer = await fetch(`${server.url}/coverage/samples/predicted_sex?${query}`);
      if (answer.status !== 200) throw new Error(await answer.text());
      await answer.json();
    };
    const tasks: [string, () => Promise<void>][] = [
      ['genes/summary, 1 gene, 1 sample', summary(1, paths.slice(0, 1))],
      [`genes/summary, ${genes} genes, ${samples} samples`, summary(all.length, paths)],
      ['predicted_sex', sex],
    ];
    for (const [name, task] of tasks) {
      await task();
      const time = await best(task);
      print(`${name.padEnd(43)} ${milliseconds(time)}   ${(time / limit).toFixed(2)} of reading`);
    }
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
};
export default bench;

function genesOf(sample: Sample): Gene[] {
  return panel(sample, genes).map(({ chromosome, begin, end }, i) => ({
    ensembl: `ENSG${String(i + 1).padStart(11, '0')}`,
    hgnc: i + 1,
    symbol: `BENCH${i + 1}`,
    chromosome: chromosome.replace('chr', '') as Gene['chromosome'],
    start: begin,
    end,
  }));
}

async function* once(batch: Batch): AsyncGenerator<Batch> {
  yield batch;
}

function readAll(path: string): void {
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(1024 * 1024);
  while (readSync(file, buffer) > 0);
  closeSync(file);
}

/** The best of several runs, in milliseconds. */
async function best(work: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < repeats; i += 1) {
    const since = performance.now();
    await work();
    least = Math.min(least, performance.now() - since);
  }
  return least;
}

function milliseconds(time: number): string {
  return `${time.toFixed(1)} ms`.padStart(10);
}
