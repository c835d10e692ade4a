/** Small reference sequences for tests, and alleles within their repeats. */
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { sourceOf } from '../../../../core/files.js';
import { type Allele, type Assembly, type Contig, kindOfSequence } from '../../../../plugins/beacon/contract.js';
import type { ReferenceBases } from '../../../../plugins/beacon/domain/left-aligned.js';
import { packFasta } from '../../../../plugins/beacon/vcf/reference/fasta.js';
import { referenceFile } from '../../../../plugins/beacon/vcf/reference/packed.js';

/** A reference in memory. */
export function referenceOf(sequences: Partial<Record<Contig, string>>): ReferenceBases {
  return {
    assembly: 'GRCh37',
    digest: 'of-a-test',
    bases(contig, start, end) {
      const sequence = sequences[contig];
      return sequence === undefined || start < 0 || end > sequence.length ? undefined : sequence.slice(start, end);
    },
  };
}

/** A small variant as a record writes it. */
export function alleleAt(contig: Contig, start: number, reference: string, alternate: string): Allele {
  return {
    ...{ contig, start, end: start + reference.length, reference, alternate },
    ...{ kind: kindOfSequence(reference, alternate), structural: false },
  };
}

/** A whole number from 0 below `most`, the same for the same seed. */
export function numbersFrom(seed: number): (most: number) => number {
  let state = seed >>> 0;
  return (most) => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * most);
  };
}

/** A sequence of which most is tandem repeats with units of one to six bases, some of them long and some with errors. */
export function repeatedSequence(length: number, random: (most: number) => number): string {
  const base = () => 'ACGT'[random(4)] as string;
  let sequence = '';
  while (sequence.length < length) {
    if (random(3) === 0) sequence += Array.from({ length: 1 + random(12) }, base).join('');
    else {
      const unit = Array.from({ length: 1 + random(6) }, base).join('');
      sequence += unit.repeat(1 + random(random(10) === 0 ? 60 : 9));
    }
  }
  return sequence.slice(0, length);
}

/** An insertion or deletion, mostly of what is repeated there, with a random number of bases that both sides share. */
export function randomIndel(contig: Contig, sequence: string, random: (most: number) => number): Allele {
  for (;;) {
    const before = random(8) + 1;
    const after = random(8);
    const at = random(sequence.length);
    const length = 1 + random(random(6) === 0 ? 40 : 6);
    const isDeletion = random(2) === 0;
    const [from, to] = [at - before, at + (isDeletion ? length : 0) + after];
    if (from < 0 || to > sequence.length) continue;
    const [left, right] = [sequence.slice(from, at), sequence.slice(to - after, to)];
    const near = sequence.slice(Math.max(0, at - length), Math.max(0, at - length) + length);
    const own = Array.from({ length }, () => 'ACGT'[random(4)]).join('');
    const inserted = random(4) === 0 || near.length < length ? own : near;
    const replaced = isDeletion ? sequence.slice(at, at + length) : '';
    return alleleAt(contig, from, left + replaced + right, left + (isDeletion ? '' : inserted) + right);
  }
}

/** The sequence with the allele in it. */
export function haplotype(sequence: string, { start, reference, alternate }: Allele): string {
  return sequence.slice(0, start) + alternate + sequence.slice(start + reference.length);
}

/** FASTA with lines of 60 bases. */
export function fastaOf(sequences: Readonly<Record<string, string>>): string {
  return Object.entries(sequences)
    .map(([name, bases]) => `>${name} made up\n${bases.replace(/.{60}/g, '$&\n')}\n`)
    .join('');
}

/** Loads a reference as `load-reference --force` does; returns what was read. */
export async function loadFasta(folder: string, fasta: string | Buffer, assembly: Assembly = 'GRCh37', force = true) {
  const bytes = Buffer.from(fasta as string);
  const source = sourceOf('made-up.fa', bytes.length, () => Readable.from([bytes], { objectMode: false }));
  const parts: Buffer[] = [];
  const { signal } = new AbortController();
  const write = async (part: Buffer) => void parts.push(part);
  const packed = await packFasta({ source, assembly, force, write, signal });
  await writeFile(referenceFile(folder, assembly), Buffer.concat(parts));
  return packed;
}
