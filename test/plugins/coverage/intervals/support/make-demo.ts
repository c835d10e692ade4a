/**
 * Makes the D4 files of the demo trio: `node --import=tsx/esm test/plugins/coverage/intervals/support/make-demo.ts [folder]`.
 * The depths come from a seeded generator, so that the files are the same each time: 30x, half of that on the single X
 * and Y of males, and around the demo genes jitter, exons poorly covered in all three, and gaps of one sample.
 */
import { join } from 'node:path';
import { chromosomes, type Exon, type Gene } from '../../../../../plugins/coverage/contract.js';
import { createD4, type RunBatch, sizeIn } from '../../../../../plugins/coverage/d4/index.js';
import { demoBuild, demoFolder } from '../../../../../plugins/coverage/demo/demo.js';
import { AnnotationReader } from '../../../../../plugins/coverage/intervals/gtf.js';
import { emptyRows, openIntervals } from '../../../../../plugins/coverage/intervals/reader.js';

const usual = 30;

interface Sample {
  file: string;
  seed: number;
  isMale: boolean;
  /** Share of the usual depth in an exon of a gene: by symbol and rank in any transcript. */
  exons: Readonly<Record<string, number>>;
}

/** GC-rich first exons that hardly any capture kit covers. */
const hard = { 'DHFR 1': 0.25, 'SLC46A1 1': 0.4 };

const samples: readonly Sample[] = [
  { file: 'child.d4', seed: 1, isMale: true, exons: { ...hard, 'MTHFR 5': 0.3, 'FOLR1 3': 0.45 } },
  { file: 'mother.d4', seed: 2, isMale: false, exons: { ...hard, 'FOLR1 4': 0 } },
  { file: 'father.d4', seed: 3, isMale: true, exons: { ...hard, 'MTHFR 5': 0.35 } },
];

/** Bases before and after a gene with their own depths. */
const margin = 1000;

export async function makeDemo(folder: string): Promise<void> {
  const { genes, exons } = await demoIntervals();
  for (const sample of samples) {
    await createD4(
      join(folder, sample.file),
      { open: () => runsOf(sample, genes, exons) },
      {
        chromosomes: chromosomes.map((name) => ({ name, size: sizeIn(demoBuild, name) ?? 0 })),
        // All other bases have the usual depth.
        dictionary: { low: usual, high: usual + 1 },
        denominator: 1,
        deflate: 9,
      },
    );
  }
}

async function demoIntervals(): Promise<{ genes: Gene[]; exons: Exon[] }> {
  const reader = new AnnotationReader(demoBuild);
  const rows = emptyRows();
  for await (const { lines } of (await openIntervals(join(demoFolder, `intervals.${demoBuild}.gtf`))).blocks()) {
    for (const line of lines) reader.line(line, rows);
  }
  reader.finish(rows);
  return rows;
}

function* runsOf(sample: Sample, genes: readonly Gene[], exons: readonly Exon[]): Generator<RunBatch> {
  for (const chromosome of chromosomes) {
    const size = sizeIn(demoBuild, chromosome) ?? 0;
    const base = baseline(sample, chromosome);
    const runs = { begins: [] as number[], ends: [] as number[], depths: [] as number[] };
    const push = (begin: number, end: number, depth: number) => {
      if (begin >= end) return;
      runs.begins.push(begin);
      runs.ends.push(end);
      runs.depths.push(depth);
    };
    const random = generator(sample.seed * 100 + chromosomes.indexOf(chromosome));
    let at = 0;
    for (const gene of genes.filter((each) => each.chromosome === chromosome)) {
      const from = Math.max(at, gene.start - margin);
      const to = Math.min(size, gene.end + margin);
      push(at, from, base);
      const own = exons.filter((exon) => exon.gene === gene.ensembl);
      // A walk around the baseline that jumps every few bases, as in real pile-ups.
      let drift = 1;
      for (at = from; at < to; ) {
        drift = Math.min(1.35, Math.max(0.65, drift + (random() - 0.5) * 0.12));
        const share = shareAt(sample, gene, own, at);
        const end = Math.min(to, nextEdge(own, at), at + 8 + Math.floor(random() * 24));
        push(at, end, Math.round(base * drift * share));
        at = end;
      }
    }
    push(at, size, base);
    yield { chromosome, ...runs };
  }
}

function baseline({ isMale }: Sample, chromosome: string): number {
  if (chromosome === 'MT') return 1800;
  if (chromosome === 'Y') return isMale ? usual / 2 : 0;
  return chromosome === 'X' && isMale ? usual / 2 : usual;
}

function shareAt({ exons: shares }: Sample, { symbol }: Gene, exons: readonly Exon[], at: number): number {
  const here = exons.filter(({ start, end }) => start <= at && at < end);
  return Math.min(1, ...here.map(({ rank }) => shares[`${symbol} ${rank}`] ?? 1));
}

function nextEdge(exons: readonly Exon[], at: number): number {
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    ...exons.flatMap(({ start, end }) => [start, end]).filter((edge) => edge > at),
  );
}

/** Numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

if (process.argv[1] === new URL(import.meta.url).pathname) await makeDemo(process.argv[2] ?? demoFolder);
