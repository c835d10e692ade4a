/** The report of a check and its findings, and those that compare the chromosomes of a file with the genome builds. */
import { chromosomeIndex } from '../chromosomes.js';
import type { D4Chromosome } from '../metadata.js';

/** How bad a finding is: `fail` means that the file's depths cannot be relied on. */
type FindingLevel = 'note' | 'warn' | 'fail';

export type FindingCode =
  | 'unreadable' // the file cannot be opened or breaks the format
  | 'truncated' // the file ends early
  | 'odd' // readable, but unusual
  | 'lost-records' // the secondary table, or part of it, is missing
  | 'capped' // depths pile up at the last value of the dictionary
  | 'hole' // the depth drops to 0 exactly at a partition boundary
  | 'contigs' // chromosomes do not fit the genome build
  | 'summary' // disagrees with mosdepth's summary
  | 'per-base'; // disagrees with mosdepth's per-base file

export interface D4Finding {
  level: FindingLevel;
  code: FindingCode;
  /** One sentence for a person. */
  message: string;
  chromosome?: string;
}

export interface ChromosomeReport {
  name: string;
  size: number;
  mean: number;
  max: number;
  /** Records in the secondary table. */
  records: number;
}

export interface TrackReport {
  /** Path inside the file; empty in a single-track file. */
  name: string;
  findings: D4Finding[];
  chromosomes: ChromosomeReport[];
}

export interface D4Report {
  file: string;
  verdict: 'pass' | 'warn' | 'fail';
  /** About the file as a whole. */
  findings: D4Finding[];
  tracks: TrackReport[];
}

/** The verdict that follows from findings. */
export function verdict(findings: readonly D4Finding[]): D4Report['verdict'] {
  if (findings.some(({ level }) => level === 'fail')) return 'fail';
  return findings.some(({ level }) => level === 'warn') ? 'warn' : 'pass';
}

// Compares the chromosomes of a file with the genome builds.

export type ReferenceBuild = 'GRCh37' | 'GRCh38';
export const builds: readonly ReferenceBuild[] = ['GRCh37', 'GRCh38'];

const names = [...Array.from({ length: 22 }, (_, i) => `${i + 1}`), 'X', 'Y', 'MT'];

/** Bases of chromosomes 1 to 22, X, Y and MT, from the assembly reports of the Genome Reference Consortium. */
const sizes: Record<ReferenceBuild, readonly number[]> = {
  GRCh37: [
    249250621, 243199373, 198022430, 191154276, 180915260, 171115067, 159138663, 146364022, 141213431, 135534747,
    135006516, 133851895, 115169878, 107349540, 102531392, 90354753, 81195210, 78077248, 59128983, 63025520, 48129895,
    51304566, 155270560, 59373566, 16569,
  ],
  GRCh38: [
    248956422, 242193529, 198295559, 190214555, 181538259, 170805979, 159345973, 145138636, 138394717, 133797422,
    135086622, 133275309, 114364328, 107043718, 101991189, 90338345, 83257441, 80373285, 58617616, 64444167, 46709983,
    50818468, 156040895, 57227415, 16569,
  ],
};

/** Bases of a chromosome (1 to 22, X, Y, MT) in a build; undefined for any other name. */
export function sizeIn(build: ReferenceBuild, name: string): number | undefined {
  return sizes[build][names.indexOf(name)];
}

/** UCSC's hg19 has an older mitochondrial sequence. */
const olderMitochondrial = 16571;

/** The build that the sizes of most chromosomes fit; undefined if none fits. */
export function detectBuild(chromosomes: readonly D4Chromosome[]): ReferenceBuild | undefined {
  const matches = builds.map((build) => compare(chromosomes, build).filter(({ fits }) => fits).length);
  const most = Math.max(...matches);
  return most > 0 ? builds[matches.indexOf(most)] : undefined;
}

/** Compares the chromosomes of a file with a genome build. Cheap: no depths are read. */
export function contigFindings(chromosomes: readonly D4Chromosome[], build: ReferenceBuild): D4Finding[] {
  const compared = compare(chromosomes, build);
  const wrong = compared.filter(({ size, fits }) => size !== undefined && !fits);
  const missing = compared.filter(({ size }) => size === undefined).map(({ name }) => name);
  const findings: D4Finding[] = wrong.map(({ name, size, expected }) => ({
    level: 'fail',
    code: 'contigs',
    message: `Chromosome ${name} has ${size} bases, in ${build} it has ${expected}.`,
    chromosome: name,
  }));
  if (missing.length > 0) {
    const message = `${missing.length} chromosomes of ${build} are missing: ${missing.join(', ')}.`;
    findings.push({ level: missing.length > names.length / 2 ? 'fail' : 'warn', code: 'contigs', message });
  }
  return findings;
}

function compare(
  chromosomes: readonly D4Chromosome[],
  build: ReferenceBuild,
): { name: string; size: number | undefined; expected: number; fits: boolean }[] {
  return names.map((name, i) => {
    const expected = sizes[build][i] as number;
    const size = chromosomes[chromosomeIndex(chromosomes, name, true)]?.size;
    const isOlder = build === 'GRCh37' && name === 'MT' && size === olderMitochondrial;
    return { name, size, expected, fits: size === expected || isOlder };
  });
}
