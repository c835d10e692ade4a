/** Compares the chromosomes of a file with the genome builds. */
import type { Chromosome } from '../metadata.js';
import { chromosomeIndex } from '../names.js';
import type { Finding } from './report.js';

export type Build = 'GRCh37' | 'GRCh38';
export const builds: readonly Build[] = ['GRCh37', 'GRCh38'];

const names = [...Array.from({ length: 22 }, (_, i) => `${i + 1}`), 'X', 'Y', 'MT'];

/** Bases of chromosomes 1 to 22, X, Y and MT, from the assembly reports of the Genome Reference Consortium. */
const sizes: Record<Build, readonly number[]> = {
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
export function sizeIn(build: Build, name: string): number | undefined {
  return sizes[build][names.indexOf(name)];
}

/** UCSC's hg19 has an older mitochondrial sequence. */
const olderMitochondrial = 16571;

/** The build that the sizes of most chromosomes fit; undefined if none fits. */
export function detectBuild(chromosomes: readonly Chromosome[]): Build | undefined {
  const matches = builds.map((build) => compare(chromosomes, build).filter(({ fits }) => fits).length);
  const most = Math.max(...matches);
  return most > 0 ? builds[matches.indexOf(most)] : undefined;
}

/** Compares the chromosomes of a file with a genome build. Cheap: no depths are read. */
export function contigFindings(chromosomes: readonly Chromosome[], build: Build): Finding[] {
  const compared = compare(chromosomes, build);
  const wrong = compared.filter(({ size, fits }) => size !== undefined && !fits);
  const missing = compared.filter(({ size }) => size === undefined).map(({ name }) => name);
  const findings: Finding[] = wrong.map(({ name, size, expected }) => ({
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
  chromosomes: readonly Chromosome[],
  build: Build,
): { name: string; size: number | undefined; expected: number; fits: boolean }[] {
  return names.map((name, i) => {
    const expected = sizes[build][i] as number;
    const size = chromosomes[chromosomeIndex(chromosomes, name, true)]?.size;
    const isOlder = build === 'GRCh37' && name === 'MT' && size === olderMitochondrial;
    return { name, size, expected, fits: size === expected || isOlder };
  });
}
