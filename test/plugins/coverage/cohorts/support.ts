/** A small genome with genes, files of made-up depths, and what a reader with a pencil finds in them. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '../../../../core/storage.js';
import { cohortFollower, type FillTools } from '../../../../plugins/coverage/cohorts/keep.js';
import { KnownCohorts } from '../../../../plugins/coverage/cohorts/layout-regions.js';
import { type Cohorts, storedCohorts } from '../../../../plugins/coverage/cohorts/values.js';
import {
  type Chromosome,
  coverage,
  coverageCohorts,
  coverageSamples,
  coverageTracks,
  type Exon,
  type Gene,
  type Transcript,
} from '../../../../plugins/coverage/contract.js';
import { fingerprintD4 } from '../../../../plugins/coverage/d4/index.js';
import type { Region } from '../../../../plugins/coverage/measure/region.js';
import { coverageSources } from '../../../../plugins/coverage/measure/sources.js';
import { WorkQueue } from '../../../../plugins/coverage/measure/work-queue.js';
import { recordCheck, type SampleRegistry } from '../../../../plugins/coverage/samples/changes.js';
import { coverageSettings } from '../../../../plugins/coverage/settings.js';
import type { StorageEngine } from '../../../support/storages.js';
import { type Run, writeD4 } from '../support/d4.js';

const chromosomes = [
  { name: 'chr1', size: 3000 },
  { name: 'chr2', size: 70_000 },
  { name: 'chrX', size: 2000 },
];

/** Depths in the units of the file, by base. */
export interface Depths {
  denominator: number;
  byBase: Readonly<Record<string, Int32Array>>;
}

/** Every seed makes other depths; some are deep, and some have fractions. */
export function depthsOf(seed: number): Depths {
  let state = seed * 7919 + 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  const byBase = Object.fromEntries(
    // The fifth file lacks a chromosome.
    chromosomes
      .filter(({ name }) => seed % 5 !== 4 || name !== 'chr2')
      .map(({ name, size }) => {
        const depths = new Int32Array(size);
        for (let at = 0; at < size; ) {
          const length = 1 + random(size / 40);
          const depth = random(6) === 0 ? 0 : random(seed % 7 === 3 ? 200_000 : 60);
          depths.fill(depth, at, at + length);
          at += length;
        }
        return [name.slice(3), depths];
      }),
  );
  return { denominator: seed % 3 === 2 ? 10 : 1, byBase };
}

export function writeDepths(path: string, { denominator, byBase }: Depths): string {
  const runs: Run[] = [];
  for (const [name, depths] of Object.entries(byBase)) {
    for (let begin = 0; begin < depths.length; ) {
      let end = begin + 1;
      while (end < depths.length && depths[end] === depths[begin]) end += 1;
      // The writer takes depths, and stores them times the denominator.
      runs.push({ chromosome: `chr${name}`, begin, end, depth: (depths[begin] as number) / denominator });
      begin = end;
    }
  }
  const own = chromosomes.filter(({ name }) => name.slice(3) in byBase);
  return writeD4(path, { chromosomes: own, runs, denominator });
}

/** Genes with exons that touch, overlap and are shared, one longer than 65,535 bases, and one that is a single exon; all but that one coding. */
export function intervalsOf(shift: number) {
  const gene = (ensembl: string, chromosome: Chromosome, start: number, end: number): Gene => ({
    ...{ ensembl, chromosome, start, end },
  });
  const genes = [
    gene('G1', '1', 100 + shift, 1500),
    gene('G2', '1', 1200, 2900),
    gene('G3', '2', 10, 69_000),
    gene('G4', 'X', 500, 700),
  ];
  const transcript = (ensembl: string, of: Gene): Transcript => ({
    ...{ ensembl, gene: of.ensembl, chromosome: of.chromosome, start: of.start, end: of.end },
    references: { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] },
    isManeSelect: false,
    isManePlusClinical: false,
  });
  const [g1, g2, g3, g4] = genes as [Gene, Gene, Gene, Gene];
  const transcripts = [
    transcript('T1', g1),
    transcript('T2', g1),
    transcript('T3', g2),
    transcript('T4', g3),
    transcript('T5', g4),
    transcript('T6', g2),
  ];
  const places: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
    T1: [
      [100 + shift, 250],
      [300, 700],
      [700, 900],
    ],
    // Overlapping, and one touching.
    T2: [
      [300, 700],
      [650, 800],
      [800, 1500],
    ],
    T3: [
      [1200, 1201],
      [2000, 2900],
    ],
    T4: [
      [10, 66_000],
      [68_000, 69_000],
    ],
    T5: [[500, 700]],
    // Coding from end to end.
    T6: [[3000, 3300]],
  };
  /** From the first to the last coding base. */
  const coding: Readonly<Record<string, readonly [number, number]>> = {
    T1: [150, 800],
    T2: [300, 1000],
    T3: [1200, 2500],
    T5: [550, 600],
    T6: [3000, 3300],
  };
  const cdsOf = (of: string, [start, end]: readonly [number, number]) => {
    const [from, to] = coding[of] ?? [0, 0];
    const cds = { start: Math.max(start, from), end: Math.min(end, to) };
    return cds.start < cds.end && { cds };
  };
  const exons = transcripts.flatMap(({ ensembl, gene: of, chromosome }) =>
    (places[ensembl] ?? []).map(
      ([start, end], i): Exon => ({
        ...cdsOf(ensembl, [start, end]),
        ...{
          ensembl: `E${chromosome}${start}${end}`,
          gene: of,
          transcript: ensembl,
          rank: i + 1,
          chromosome,
          start,
          end,
        },
      }),
    ),
  );
  /** As reports measure them. */
  const targets: { regions: Region[] }[] = [
    ...genes.map((one) => ({ regions: [one] })),
    ...transcripts.map(({ ensembl }) => ({ regions: exons.filter(({ transcript: of }) => of === ensembl) })),
    ...exons.map((one) => ({ regions: [one] })),
    // Coding bases, and 8 splice bases where a coding part ends at an intron: exons that touch have none between them.
    ...[
      { chromosome: '1', parts: [[150, 258] as const, [292, 800] as const] },
      { chromosome: '1', parts: [[300, 1000] as const] },
      { chromosome: '1', parts: [[1200, 1209] as const, [1992, 2500] as const] },
      { chromosome: 'X', parts: [[550, 600] as const] },
    ].map(({ chromosome, parts }) => ({ regions: parts.map(([start, end]) => ({ chromosome, start, end })) })),
  ];
  return { genes, transcripts, exons, targets };
}

/** Counted base by base, each once. */
export function naive({ denominator, byBase }: Depths, regions: readonly Region[], thresholds: readonly number[]) {
  const counted: Record<string, Uint8Array> = {};
  const reached = thresholds.map(() => 0);
  let [length, sum] = [0, 0];
  for (const { chromosome, start, end } of regions) {
    counted[chromosome] ??= new Uint8Array(70_000);
    const seen = counted[chromosome];
    for (let at = start; at < end; at++) {
      if (seen[at] === 1) continue;
      seen[at] = 1;
      const depth = byBase[chromosome]?.[at] ?? 0;
      length += 1;
      sum += depth;
      for (const [t, threshold] of thresholds.entries()) {
        if (depth / denominator >= threshold) reached[t] = (reached[t] ?? 0) + 1;
      }
    }
  }
  return { length, mean: sum / denominator / length, reached };
}

/** Of the distinct exons with depth on chromosomes 1 and 2. */
export function naiveMedian(depths: Depths, exons: readonly Exon[]): number {
  const places = new Map(exons.map((one) => [`${one.chromosome} ${one.start} ${one.end}`, one]));
  const means = [...places.values()]
    .filter(({ chromosome }) => chromosome !== 'X')
    .map((exon) => naive(depths, [exon], []).mean)
    .filter((mean) => mean > 0)
    .sort((a, b) => a - b);
  const { length } = means;
  return ((means[(length - 1) >> 1] ?? Number.NaN) + (means[length >> 1] ?? Number.NaN)) / 2;
}

export interface Laboratory {
  storage: Storage;
  tools: FillTools;
  cohorts: Cohorts;
  registry: SampleRegistry;
  /** Ids of people who object to sharing. */
  objecting: Set<string>;
  load(shift: number): Promise<void>;
  /** Registers a sample with depths of this seed, and records its check. */
  add(id: string, seed: number): Promise<void>;
  close(): Promise<void>;
}

export const thresholds = [1, 10, 20];
const splice = 8;

export async function openLaboratory(engine: StorageEngine): Promise<Laboratory> {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-cohort-'));
  const { storage, close } = await engine.open([coverage, coverageSamples, coverageTracks, coverageCohorts]);
  const sources = coverageSources({ settings: coverageSettings.parse({ roots: [folder] }), log: { warn() {} } });
  const samples = storage.repository(coverageSamples);
  const cohorts = storage.repository(coverageCohorts);
  const transaction: SampleRegistry['transaction'] = (work) => storage.transaction(work);
  const intervals = storage.repository(coverage);
  const objecting = new Set<string>();
  const erasures = { objecting: async () => objecting };
  const queue = new WorkQueue();
  const tools: FillTools = { intervals, cohorts, sources, queue, thresholds, splice, samples, transaction, erasures };
  const follower = cohortFollower(tools);
  const registry = { samples, followers: [follower], transaction, changed: async () => undefined };
  const control = { signal: new AbortController().signal };
  return {
    storage,
    tools,
    registry,
    objecting,
    cohorts: storedCohorts(new KnownCohorts(cohorts)),
    async load(shift) {
      const { genes, transcripts, exons } = intervalsOf(shift);
      const rows = (async function* () {
        yield { genes, transcripts, exons };
      })();
      const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const }));
      const accept = () => ({ source: 'test', checksum: `${shift}`, read: 1, skipped: {} });
      await intervals.load({ sets, rows, accept }, new Date());
    },
    async add(id, seed) {
      const path = join(folder, `${seed}.d4`);
      // A file that is written again is no longer the one that was checked for other samples.
      if (!existsSync(path)) writeDepths(path, depthsOf(seed));
      await samples.register([{ id, build: 'GRCh38', file: { path }, sex: 'unknown', labels: {} }], new Date());
      const [sample] = await samples.find([id]);
      if (sample === undefined) throw new Error(`${id} is not registered`);
      const location = await sources.coverageFile(path);
      const fingerprint = await sources.use(location, async (file) => fingerprintD4(file));
      const outcome = {
        state: 'ready' as const,
        check: {
          ...{ at: new Date(), fingerprint, build: 'GRCh38' as const, sex: 'unknown' as const, warnings: [] },
          ...{ thresholds: [10], covered: [0], bytes: 0, depths: { x: 0, y: 0, autosomes: 0 } },
        },
        runs: [],
      };
      const follow = await follower.checked?.({ sample, outcome, location }, control);
      if (!(await recordCheck(registry, sample, outcome, follow === undefined ? [] : [follow]))) {
        throw new Error(`the check of ${id} was not recorded`);
      }
    },
    async close() {
      await sources.close();
      await close();
      await rm(folder, { recursive: true });
    },
  };
}
