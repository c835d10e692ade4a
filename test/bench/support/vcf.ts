/** Synthetic VCF files for measurements: sorted sites over chromosomes 1–22, with INFO of a usual length. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createGzip } from 'node:zlib';
import { has } from './machine.js';

export interface VcfOptions {
  alleles: number;
  samples: number;
  /** Genotypes drawn so that every allele has a carrier; the same seed gives the same file. */
  seed?: number;
}

const bases = ['A', 'C', 'G', 'T'];

/** Small and fast pseudo-random numbers (mulberry32), 0 ≤ x < 1. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function sampleNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `S${i + 1}`);
}

/** One site of the file, for queries after loading. */
export interface Site {
  contig: string;
  /** Zero-based. */
  start: number;
  reference: string;
  alternate: string;
}

/** Writes the file (with bgzip if installed, else gzip) and returns a hundred of its sites, evenly spread. */
export async function writeVcf(path: string, { alleles, samples, seed = 1 }: VcfOptions): Promise<Site[]> {
  const next = random(seed);
  const names = sampleNames(samples);
  const file = createWriteStream(path);
  const bgzip = has('bgzip') ? spawn('bgzip', ['-c'], { stdio: ['pipe', 'pipe', 'inherit'] }) : undefined;
  const gzip = bgzip ? bgzip.stdin : createGzip({ level: 4 });
  (bgzip ? bgzip.stdout : (gzip as ReturnType<typeof createGzip>)).pipe(file);
  gzip.write('##fileformat=VCFv4.2\n##INFO=<ID=AC,Number=A,Type=Integer,Description="Allele count">\n');
  gzip.write('##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n');
  for (let i = 1; i <= 22; i++) gzip.write(`##contig=<ID=${i}>\n`);
  gzip.write(`#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${names.join('\t')}\n`);
  const perContig = Math.ceil(alleles / 22);
  const every = Math.max(1, Math.floor(alleles / 100));
  const sites: Site[] = [];
  let lines: string[] = [];
  for (let n = 0; n < alleles; n++) {
    const contig = `${Math.floor(n / perContig) + 1}`;
    const position = 10_001 + (n % perContig) * 40 + Math.floor(next() * 38);
    const reference = bases[Math.floor(next() * 4)] ?? 'A';
    const other = bases[(bases.indexOf(reference) + 1 + Math.floor(next() * 3)) % 4] ?? 'C';
    const alternate = next() < 0.1 ? reference + other + (next() < 0.5 ? 'AC' : '') : other;
    const calls = names.map((): string => (next() < 0.4 ? '0/1' : next() < 0.3 ? '1/1' : '0/0'));
    if (!calls.some((call) => call !== '0/0')) calls[n % samples] = '0/1';
    const info = `AC=1;AF=0.5;AN=2;BaseQRankSum=1.43;DP=${30 + (n % 20)};ExcessHet=3.01;FS=0.000;MQ=60.00;MQRankSum=0.000;QD=14.6;ReadPosRankSum=0.52;SOR=0.69`;
    const fields = calls.map((call) => `${call}:12,15:27:99:410,0,320`).join('\t');
    lines.push(
      `${contig}\t${position}\t.\t${reference}\t${alternate}\t512.6\tPASS\t${info}\tGT:AD:DP:GQ:PL\t${fields}\n`,
    );
    if (n % every === 0 && sites.length < 100) sites.push({ contig, start: position - 1, reference, alternate });
    if (lines.length === 2000) {
      if (!gzip.write(lines.join(''))) await once(gzip, 'drain');
      lines = [];
    }
  }
  gzip.end(lines.join(''));
  await once(file, 'finish');
  return sites;
}
