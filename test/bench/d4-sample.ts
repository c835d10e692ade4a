/** A synthetic whole genome: reads of 150 bases at 30x, gaps without coverage, regions of several times the depth. */
import { type RunBatch, simpleRange } from '../../plugins/coverage/d4/index.js';
import { D4Writer } from '../../plugins/coverage/d4/node/write/writer.js';

/** Bases of GRCh38's chromosomes 1 to 22, X and Y. */
const sizes = [
  248956422, 242193529, 198295559, 190214555, 181538259, 170805979, 159345973, 145138636, 138394717, 133797422,
  135086622, 133275309, 114364328, 107043718, 101991189, 90338345, 83257441, 80373285, 58617616, 64444167, 46709983,
  50818468, 156040895, 57227415,
];

export interface Sample {
  chromosomes: { name: string; size: number }[];
  bases: number;
}

/** The genome, or one smaller by this factor. */
export function sampleGenome(divisor: number): Sample {
  const names = [...Array.from({ length: 22 }, (_, i) => `chr${i + 1}`), 'chrX', 'chrY'];
  const chromosomes = names.map((name, i) => ({ name, size: Math.floor((sizes[i] as number) / divisor) }));
  return { chromosomes, bases: chromosomes.reduce((sum, { size }) => sum + size, 0) };
}

/** A fast generator of 32-bit numbers, so that every run has the same data. */
export function xorshift(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

const readLength = 150;
const batchRuns = 65_536;
/** Reads that start at a base, as shares of 2^32: Poisson with mean 0.2 (30 / 150). */
const none = 0.8187 * 2 ** 32;
const one = 0.9825 * 2 ** 32;

/** Runs of one chromosome. */
function* depthRuns(name: string, size: number, random: () => number): Generator<RunBatch> {
  const ends = new Uint8Array(readLength);
  const batch = {
    begins: new Float64Array(batchRuns),
    ends: new Float64Array(batchRuns),
    depths: new Float64Array(batchRuns),
  };
  let count = 0;
  let depth = 0;
  let begin = 0;
  let factor = 1;
  for (let at = 0, slot = 0; at < size; at++, slot = slot === readLength - 1 ? 0 : slot + 1) {
    if (at % 20_000 === 0) {
      const kind = random() % 1000;
      // 5 % without reads, 0.6 % with three times as many.
      factor = kind < 50 ? 0 : kind < 56 ? 3 : 1;
    }
    let starts = 0;
    if (factor > 0) {
      const draw = random();
      starts = draw < none ? 0 : draw < one ? factor : 2 * factor;
    }
    const next = depth + starts - (ends[slot] as number);
    ends[slot] = starts;
    if (next !== depth) {
      if (at > begin) {
        batch.begins[count] = begin;
        batch.ends[count] = at;
        batch.depths[count] = depth;
        if (++count === batchRuns) {
          yield { chromosome: name, ...batch };
          count = 0;
        }
      }
      begin = at;
      depth = next;
    }
  }
  const rest = (column: Float64Array) => column.subarray(0, count);
  yield { chromosome: name, begins: rest(batch.begins), ends: rest(batch.ends), depths: rest(batch.depths) };
  yield { chromosome: name, begins: [begin], ends: [size], depths: [depth] };
}

/** Writes the sample with the dictionary of most genomes, 0 to 64; every depth is `less` by some reads, but not below none. */
export function writeSample(path: string, { chromosomes }: Sample, print: (line: string) => void, less = 0): void {
  const random = xorshift(20_240_101);
  const writer = new D4Writer(path, { chromosomes, dictionary: simpleRange(0, 64, 'bench'), denominator: 1 });
  const since = performance.now();
  for (const { name, size } of chromosomes) {
    for (const batch of depthRuns(name, size, random)) {
      const depths = less === 0 ? batch.depths : Array.from(batch.depths, (depth) => Math.max(0, depth - less));
      writer.add({ ...batch, depths });
    }
  }
  writer.finish();
  print(`generated in ${((performance.now() - since) / 1000).toFixed(0)} s`);
}

export interface Region {
  chromosome: string;
  begin: number;
  end: number;
}

/** Intervals like the exons of genes: clusters all over the genome. */
export function exons({ chromosomes, bases }: Sample, genes: number, perGene: number): Region[] {
  const random = xorshift(7);
  return chromosomes.flatMap(({ name, size }) => {
    const own = Math.round((genes * size) / bases);
    const starts = Array.from({ length: own }, () => random() % Math.max(1, size - 60_000)).sort((a, b) => a - b);
    return starts.flatMap((start) =>
      Array.from({ length: perGene }, (_, i) => {
        const begin = start + i * 2_500 + (random() % 1_000);
        return { chromosome: name, begin, end: begin + 60 + (random() % 185) };
      }),
    );
  });
}

/** Whole genes, with introns. */
export function panel({ chromosomes, bases }: Sample, genes: number): Region[] {
  const random = xorshift(11);
  return chromosomes.flatMap(({ name, size }) =>
    Array.from({ length: Math.round((genes * size) / bases) }, () => {
      const begin = random() % Math.max(1, size - 50_000);
      return { chromosome: name, begin, end: begin + 2_000 + (random() % 43_000) };
    }),
  );
}
