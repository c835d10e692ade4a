/** Small D4 files for tests: chromosomes with runs of depth, 0 elsewhere. */
import { type Build, builds } from '../../../../plugins/coverage/contract.js';
import { simpleRange } from '../../../../plugins/coverage/d4/index.js';
import { D4Writer } from '../../../../plugins/coverage/d4/node/write/writer.js';

export interface Run {
  chromosome: string;
  begin: number;
  end: number;
  depth: number;
}

export interface MadeFile {
  chromosomes: readonly { name: string; size: number }[];
  runs: readonly Run[];
  /** Depths below this need no record; if omitted, every depth is a record. */
  dictionary?: number;
  denominator?: number;
}

export function writeD4(path: string, { chromosomes, runs, dictionary = 1, denominator = 1 }: MadeFile): string {
  const writer = new D4Writer(path, { chromosomes, dictionary: simpleRange(0, dictionary, 'test'), denominator });
  for (const { name } of chromosomes) {
    const own = runs.filter(({ chromosome }) => chromosome === name).sort((a, b) => a.begin - b.begin);
    writer.add({
      chromosome: name,
      begins: own.map(({ begin }) => begin),
      ends: own.map(({ end }) => end),
      depths: own.map(({ depth }) => depth),
    });
  }
  writer.finish();
  return path;
}

/** Runs of 150 bases, one after another from base 5,000 of chromosome 7, with depths of 0 to 29, and again. */
export function risingRuns(count: number): Run[] {
  return Array.from({ length: count }, (_, i) => {
    const begin = 5000 + 150 * i;
    return { chromosome: '7', begin, end: begin + 150, depth: i % 30 };
  });
}

/** From the assembly reports; the mitochondrion is the same in both builds. */
const lengths: Record<Build, Readonly<Record<string, number>>> = {
  GRCh37: { '1': 249250621, '14': 107349540, '21': 48129895, X: 155270560, Y: 59373566, MT: 16569 },
  GRCh38: { '1': 248956422, '14': 107043718, '21': 46709983, X: 156040895, Y: 57227415, MT: 16569 },
};

export const bothBuilds = builds;

/** Some chromosomes of a build with their real lengths, with or without the prefix chr (and chrM). */
export function chromosomesOf(build: Build, { prefix = false, names = ['1', '14', 'X', 'Y', 'MT'] } = {}) {
  return names.map((name) => ({
    name: prefix ? `chr${name === 'MT' ? 'M' : name}` : name,
    size: lengths[build][name] as number,
  }));
}

/** A file of 30 Mb, each hundred bases with the depth of their number, written by the library. */
export function depthsIn(path: string, depthOf: (run: number) => number, dictionary = 64): string {
  const writer = new D4Writer(path, {
    chromosomes: [{ name: '1', size: 30_000_000 }],
    dictionary: simpleRange(0, dictionary, 'test'),
    denominator: 1,
  });
  const runs = Array.from({ length: 300_000 }, (_, i) => i);
  writer.add({
    chromosome: '1',
    begins: runs.map((i) => i * 100),
    ends: runs.map((i) => i * 100 + 100),
    depths: runs.map(depthOf),
  });
  writer.finish();
  return path;
}
