/**
 * Values of cohorts: exact percentiles of one gene with its exons, and of a panel of genes; one sample compared with the others;
 * what the registration of one sample adds; the space of a sample. Values are made up. Options: `--samples=10000`, `--exons=20000` (200000 are a whole exome set,
 * and take 22 GB for 10,000 samples), a tenth as many genes, `--engines=sqlite,postgres`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { columnBlocks, columnsOfBlocks } from '../../plugins/coverage/cohorts/blocks.js';
import { Comparison } from '../../plugins/coverage/cohorts/compare.js';
import { readColumn } from '../../plugins/coverage/cohorts/keep.js';
import { joinPlaces, Places } from '../../plugins/coverage/cohorts/layout.js';
import { type CohortRegions, KnownCohorts, layoutId } from '../../plugins/coverage/cohorts/layout-regions.js';
import { quantiles } from '../../plugins/coverage/cohorts/statistics.js';
import { type Cohorts, type CohortValues, storedCohorts } from '../../plugins/coverage/cohorts/values.js';
import { blockChecksum, type CohortRepository, chromosomes, coverageCohorts } from '../../plugins/coverage/contract.js';
import { sizeIn } from '../../plugins/coverage/d4/index.js';
import type { Target } from '../../plugins/coverage/measure/measure.js';
import type { Region } from '../../plugins/coverage/measure/region.js';
import { coverageSources } from '../../plugins/coverage/measure/sources.js';
import { WorkQueue } from '../../plugins/coverage/measure/work-queue.js';
import { coverageSettings } from '../../plugins/coverage/settings.js';
import { writeD4 } from '../plugins/coverage/support/d4.js';
import { storages } from '../support/storages.js';
import type { Print } from './run.js';
import { grouped } from './support/machine.js';

const build = 'GRCh38' as const;
const thresholds = [10, 15, 20, 50, 100];
const planes = 1 + thresholds.length;
const exonsOfGene = 10;
const panelGenes = 500;
/** Bases from the start of one exon to the next, and from one gene to the next. */
const step = 2500;
const rounds = 5;

export default async function cohort(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const samples = Number(options.samples ?? 10_000);
  const exons = Number(options.exons ?? 20_000);
  const engines = (options.engines ?? 'sqlite').split(',');
  const { regions, genes } = exome(exons);
  print(`${grouped(exons)} exons and ${grouped(genes.length)} genes, ${thresholds.length} thresholds`);
  const whole = exome(200_000).regions;
  const bytesOf = (from: number, to: number) =>
    Array.from({ length: planes }, (_, plane) => whole.bytes(plane, from, to)).reduce((sum, bytes) => sum + bytes, 0);
  const [, first, end] = whole.bounds;
  print(
    `200,000 exons take ${(bytesOf(first, end) / 1e6).toFixed(2)} MB for each sample, ` +
      `20,000 genes ${(bytesOf(0, first) / 1e6).toFixed(2)} MB`,
  );
  for (const engine of storages) {
    if (!engines.includes(engine.adapter)) continue;
    const { storage, close } = await engine.open([coverageCohorts]);
    try {
      const repository = storage.repository(coverageCohorts);
      await register(print, engine.name, repository);
      await fill(repository, regions, samples);
      const cohorts = storedCohorts(new KnownCohorts(repository));
      const ask = async (targets: { regions: readonly Region[] }[]) => {
        const question = { build, targets, thresholds: [20] } as const;
        const found = await cohorts.values(question, new AbortController().signal);
        if (found.samples.length !== samples) throw new Error(`${found.samples.length} samples have values`);
        return percentiles(found);
      };
      const gene = genes[Math.floor(genes.length / 2)] as Gene;
      const one = [{ regions: [gene.span] }, ...gene.exons.map((exon) => ({ regions: [exon] }))];
      const every = Math.max(1, Math.floor(genes.length / panelGenes));
      const panel = genes.filter((_, i) => i % every === 0).slice(0, panelGenes);
      await measure(print, `${engine.name}: one gene with ${gene.exons.length} exons`, samples, () => ask(one));
      const spans = panel.map(({ span }) => ({ regions: [span] }));
      await measure(print, `${engine.name}: a panel of ${panel.length} genes`, samples, () => ask(spans));
      const compare = () => compareFirst(cohorts, spans, samples);
      await measure(print, `${engine.name}: one sample compared at ${panel.length} genes`, samples, compare);
    } finally {
      await close();
    }
  }
}

async function measure(print: Print, what: string, samples: number, work: () => Promise<number>): Promise<void> {
  const [wall, cpu]: [number[], number[]] = [[], []];
  let found = 0;
  for (let round = 0; round <= rounds; round++) {
    const [begin, used] = [performance.now(), process.cpuUsage()];
    found = await work();
    const { user, system } = process.cpuUsage(used);
    // The first round warms up.
    if (round === 0) continue;
    wall.push(performance.now() - begin);
    cpu.push((user + system) / 1000);
  }
  print(
    `${what}, ${grouped(samples)} samples: ${grouped(least(wall))} ms (best of ${rounds}; ${grouped(least(cpu))} ms of CPU), ` +
      `${grouped(found)} figures`,
  );
}

function least(times: readonly number[]): number {
  return Math.min(...times);
}

/** 5th, 50th and 95th percentile of mean depth and completeness of every target; returns their number. */
function percentiles({ targets }: CohortValues): number {
  let found = 0;
  for (const target of targets) {
    for (const column of target === undefined ? [] : [target.means, ...target.reached]) {
      found += quantiles(column, [0.5, 0.05, 0.95]).filter((value) => !Number.isNaN(value)).length;
    }
  }
  return found;
}

/** What a report adds for its first sample, at each target and at all together; returns the number of statements. */
async function compareFirst(cohorts: Cohorts, targets: readonly Target[], samples: number): Promise<number> {
  const members = Array.from({ length: samples }, (_, i) => ({
    ...{ id: `s${i}`, revision: '', assay: 'exome', day: '2026-01-01', sex: 'female' as const },
  }));
  const lengths = targets.map(({ regions }) => regions.reduce((sum, { start, end }) => sum + end - start, 0));
  const length = lengths.reduce((sum, one) => sum + one, 0);
  const depths = lengths.map((one) => ({ length: one, measured: one, sum: 40 * one, mean: 40, reached: [one] }));
  const places = targets.map((_, at) => at);
  const question = {
    ...{ build, threshold: 20, level: 0, members, isPooled: false, targets, places },
    samples: [{ name: 'first', id: 's0', isSameFile: true, depths }],
    groups: [{ name: 'panel', places, length }],
  } as const;
  const compared = await Comparison.of(cohorts, question, new AbortController().signal);
  if (compared.ofGroup('first', 'panel')?.depth === undefined) throw new Error('the panel is not compared');
  return places.filter((at) => compared.ofTarget('first', at)?.depth !== undefined).length + 1;
}

interface Gene {
  span: Region;
  exons: readonly Region[];
}

/** Exons of 60 to 400 bases, as exomes have them, ten in a gene. */
function exome(exons: number): { regions: CohortRegions; genes: Gene[] } {
  const genes: Gene[] = [];
  let [at, chromosome] = [10_000, 0];
  for (let i = 0; i < exons / exonsOfGene; i++) {
    const name = chromosomes[chromosome] as (typeof chromosomes)[number];
    const own = Array.from({ length: exonsOfGene }, (_, k) => {
      const start = at + k * step;
      return { chromosome: name, start, end: start + 60 + ((i * 7 + k * 131) % 230) + (k === 9 ? 300 : 0) };
    });
    genes.push({ span: { chromosome: name, start: at, end: own.at(-1)?.end ?? at + 1 }, exons: own });
    at += (exonsOfGene + 1) * step;
    if (at > 120_000_000) [at, chromosome] = [10_000, chromosome + 1];
  }
  const [spans, places] = [new Places(), new Places()];
  for (const { span, exons: own } of genes) {
    spans.add(span);
    for (const exon of own) places.add(exon);
  }
  return { regions: joinPlaces(spans.distinct(), places.distinct(), new Places().distinct()), genes };
}

/** What a whole exome costs once its file is checked: reading the values, and storing them. */
async function register(print: Print, engine: string, repository: CohortRepository): Promise<void> {
  const { regions, genes } = exome(200_000);
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-bench-'));
  const sources = coverageSources({ settings: coverageSettings.parse({ roots: [folder] }), log: { warn() {} } });
  try {
    const path = join(folder, 'exome.d4');
    const runs = genes.flatMap(({ exons }) =>
      exons.flatMap(({ chromosome, start, end }) =>
        Array.from({ length: Math.floor((end - start) / 20) }, (_, k) => ({
          ...{ chromosome, begin: start + 20 * k, end: start + 20 * k + 20, depth: 20 + ((start + k * 37) % 80) },
        })),
      ),
    );
    const sizes = chromosomes.map((name) => ({ name, size: sizeIn(build, name) ?? 0 }));
    writeD4(path, { chromosomes: sizes, runs });
    const location = await sources.coverageFile(path);
    const pieces = regions.describe();
    const layout = { id: layoutId(pieces, build, thresholds), build, thresholds, sets: 'bench' } as const;
    await repository.use(layout, pieces);
    const tools = { sources, queue: new WorkQueue() };
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const used = process.cpuUsage();
      const read = await readColumn(location, regions, thresholds, tools, { signal: new AbortController().signal });
      const made = columnBlocks(regions, thresholds.length, read);
      if (made === undefined) throw new Error('the depths are too great');
      const entry = { sample: `r${round}`, source: `${round}`, denominator: 1, beyond: [], bytes: made.bytes };
      await repository.add(layout.id, entry, made.blocks);
      const { user, system } = process.cpuUsage(used);
      times.push((user + system) / 1000);
    }
    print(
      `${engine}: registration of one exome of 200,000 exons adds ${grouped(times[0] ?? 0)} ms of CPU in a new process, ` +
        `${grouped(least(times))} ms in a warm one`,
    );
    await repository.clear(build);
    await repository.sweep();
  } finally {
    await sources.close();
    await rm(folder, { recursive: true });
  }
}

/** Stores made-up values as many registrations and the job that arranges them leave them. */
async function fill(repository: CohortRepository, regions: CohortRegions, samples: number): Promise<void> {
  const pieces = regions.describe();
  const layout = { id: layoutId(pieces, build, thresholds), build, thresholds, sets: 'bench' } as const;
  await repository.use(layout, pieces);
  const tiles: { from: number; to: number }[] = [];
  for (let from = 0; ; ) {
    const size = columnsOfBlocks.findLast((one) => from % one === 0 && from + one <= samples);
    if (size === undefined) break;
    tiles.push({ from, to: from + size });
    from += size;
  }
  const closed = tiles.at(-1)?.to ?? 0;
  for (let i = 0; i < samples; i++) {
    const entry = { sample: `s${i}`, source: `${i}`, denominator: 1, median: 40, beyond: [], bytes: 0 };
    const blocks =
      i < closed
        ? []
        : regions.open.flatMap(({ part, from, to }) =>
            Array.from({ length: planes }, (_, plane) => ({
              ...{ part, plane, content: made(regions.bytes(plane, from, to), i) },
            })),
          );
    await repository.add(layout.id, entry, blocks);
  }
  let version = (await repository.state(build))?.version ?? 0;
  for (const { from, to } of tiles) {
    for (let at = 0; at < regions.closed.length; at += 64) {
      const parts = regions.closed.slice(at, at + 64);
      const blocks = parts.flatMap((part) =>
        Array.from({ length: planes }, (_, plane) => {
          const content = made(regions.bytes(plane, part.from, part.to) * (to - from), part.part + from);
          const block = { part: part.part, plane, from, to, content };
          return { ...block, checksum: blockChecksum(block) };
        }),
      );
      const replaced = { parts: parts.map(({ part }) => part), from, to };
      if (!(await repository.arrange(layout.id, version++, replaced, blocks))) throw new Error('not arranged');
    }
  }
}

/** Bytes below 200, so that no sum is one that is kept beside its block. */
const noise = Uint8Array.from({ length: 2 ** 20 }, (_, i) => (Math.imul(i, 2_654_435_761) % 200) & 127);

function made(length: number, seed: number): Uint8Array {
  const start = (seed * 7919) % (noise.length / 2);
  if (start + length <= noise.length) return noise.subarray(start, start + length);
  return Uint8Array.from({ length }, (_, i) => noise[(start + i) % noise.length] as number);
}
