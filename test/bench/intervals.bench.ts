/**
 * Loading of real-sized sets of intervals (80 000 genes, 400 000 transcripts, 2 000 000 exons) as BioMart tables into each
 * engine, against only reading the files' lines; meanwhile look-ups continue in the previous set and a job's lease is
 * renewed. Options: `--genes=80000`, `--engines=sqlite,postgres`. A small heap shows what memory a load needs without
 * uncollected garbage: `node --max-old-space-size=192 --import=tsx/esm test/bench/run.ts intervals`.
 */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { jobs } from '../../core/jobs/contract.js';
import type { Storage } from '../../core/storage.js';
import { coverage, type IntervalRepository, intervalKinds } from '../../plugins/coverage/contract.js';
import { loadIntervals } from '../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../plugins/coverage/intervals/reader.js';
import type { Print } from './run.js';
import { onEachEngine } from './support/engines.js';
import { exonLines, geneLines, idOf, transcriptLines } from './support/intervals.js';
import { grouped, seconds, withFolder } from './support/machine.js';

const build = 'GRCh38';

export default async function intervals(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const genes = Number(options.genes ?? 80_000);
  await withFolder(async (folder) => {
    const files = { genes: '', transcripts: '', exons: '' };
    const lines = { genes: geneLines, transcripts: transcriptLines, exons: exonLines };
    let bytes = 0;
    for (const kind of intervalKinds) {
      files[kind] = join(folder, `${kind}.tsv`);
      await pipeline(Readable.from(lines[kind](genes)), createWriteStream(files[kind]));
      bytes += (await stat(files[kind])).size;
    }
    const reading = await seconds(async () => {
      for (const kind of intervalKinds) {
        for await (const { lines: read } of (await openIntervals(files[kind])).blocks()) read.length.toFixed();
      }
    });
    print(`${grouped(genes)} genes, ${grouped(bytes / 1e6)} MB; merely reading the lines: ${reading.toFixed(1)} s`);
    await onEachEngine(options, [coverage, jobs], async (storage, name) => {
      for (const round of ['empty store', 'over a set'] as const) {
        await loadAll(storage, files, round === 'empty store', (line) => print(`${name}, ${round}: ${line}`));
      }
      const sweeping = await seconds(() => storage.repository(coverage).sweep(new Date(Date.now() + 1000)));
      print(`${name}: the replaced sets cleared away in ${sweeping.toFixed(1)} s`);
      await lookUps(storage.repository(coverage), genes, (line) => print(`${name}: ${line}`));
    });
  });
}

async function loadAll(
  storage: Storage,
  files: Record<(typeof intervalKinds)[number], string>,
  isFirst: boolean,
  print: Print,
): Promise<void> {
  const repository = storage.repository(coverage);
  const watch = watched(storage, isFirst);
  const before = process.memoryUsage.rss();
  const took: string[] = [];
  const total = await seconds(async () => {
    for (const kind of intervalKinds) {
      let rows = 0;
      const spent = await seconds(async () => {
        const source = await openIntervals(files[kind]);
        const report = await loadIntervals({ repository, kind, build, source, maxShrink: 0.1, now: new Date() });
        rows = report.sets[0]?.rows ?? 0;
      });
      took.push(`${grouped(rows)} ${kind} ${spent.toFixed(1)} s`);
    }
  });
  const { slowestRead, slowestWrite, looks, peak } = await watch.end();
  print(
    `${total.toFixed(1)} s (${took.join(', ')}); memory ${grouped(before / 1e6)} to ${grouped(peak / 1e6)} MB; ` +
      `${looks} look-ups meanwhile, slowest ${slowestRead.toFixed(0)} ms; slowest job write ${slowestWrite.toFixed(0)} ms`,
  );
}

/** Looks genes up and writes to the jobs' table continuously, and records the slowest of each. */
function watched(storage: Storage, isFirst: boolean) {
  const repository = storage.repository(coverage);
  const queue = storage.repository(jobs);
  let over = false;
  let looks = 0;
  let slowestRead = 0;
  let slowestWrite = 0;
  let peak = 0;
  const timed = async (work: () => Promise<unknown>) => 1000 * (await seconds(work));
  const reading = (async () => {
    while (!over) {
      slowestRead = Math.max(
        slowestRead,
        await timed(async () => {
          const { answers } = await repository.findGenes(build, ['GENE17']);
          const [answer] = answers;
          if (!isFirst && !(answer && 'genes' in answer)) throw new Error('the old set does not answer');
          const { transcripts, sets } = await repository.transcriptsOf(build, [idOf('ENSG', 17)]);
          if (!isFirst && (transcripts.length === 0 || !sets.exons)) throw new Error('the old sets do not answer');
        }),
      );
      looks++;
      peak = Math.max(peak, process.memoryUsage.rss());
      await sleep(20);
    }
  })();
  const writing = (async () => {
    while (!over) {
      slowestWrite = Math.max(slowestWrite, await timed(() => queue.expire(new Date(0))));
      await sleep(100);
    }
  })();
  return {
    async end() {
      over = true;
      await Promise.all([reading, writing]);
      return { slowestRead, slowestWrite, looks, peak };
    },
  };
}

async function lookUps(repository: IntervalRepository, genes: number, print: Print): Promise<void> {
  for (const count of [1, 500]) {
    const asked = Array.from({ length: count }, (_, i) => `gene${(i * 7919) % genes}`);
    let found: string[] = [];
    const finding = await seconds(async () => {
      const { answers } = await repository.findGenes(build, asked);
      found = answers.flatMap((answer) => ('genes' in answer ? answer.genes.map(({ ensembl }) => ensembl) : []));
    });
    let exons = 0;
    const reading = await seconds(async () => {
      const { transcripts } = await repository.transcriptsOf(build, found);
      exons = transcripts.reduce((sum, transcript) => sum + transcript.exons.length, 0);
    });
    print(
      `${count} genes found in ${(finding * 1000).toFixed(1)} ms, their ${exons} exons in ${(reading * 1000).toFixed(1)} ms`,
    );
  }
  const byExon = await seconds(() => repository.select('exons', build, { ids: [idOf('ENSE', 4711)] }));
  print(`one exon by its id in ${(byExon * 1000).toFixed(1)} ms`);
}
