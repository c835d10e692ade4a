/** Parses the cells of interval files. */
import { accessionNamed } from '../../../core/genome.js';

import { type Build, type Chromosome, chromosomes, type Place, type Strand } from '../contract.js';
import { sizeIn } from '../d4/verify/contigs.js';
import type { Skip } from './reader.js';

/** Why a file cannot be of its kind; the caller adds file and line. */
export class Refusal extends Error {}

const byName = new Map<string, Chromosome>(
  chromosomes.flatMap((name) => [
    [name, name],
    [`chr${name}`, name],
  ]),
);
byName.set('M', 'MT').set('chrM', 'MT');

/**
 * Undefined for other sequences, such as scaffolds and patches. Throws a Refusal for the RefSeq accession of a chromosome of
 * another build.
 */
function chromosomeNamed(name: string, build: Build): Chromosome | undefined {
  const named = byName.get(name) ?? byName.get(name.replace(/^chr/i, '').toUpperCase());
  if (named !== undefined) return named;
  const accession = accessionNamed(name);
  if (accession === undefined) return undefined;
  const { contig, assembly } = accession;
  if (contig !== 'MT' && assembly !== build) {
    throw new Refusal(`${name} is chromosome ${contig} of ${assembly ?? 'another build'}, not of ${build}`);
  }
  return contig;
}

/** The position of a row, whose ends are 1-based inclusive in the file, or why the row is skipped. */
export function placeOf(chromosomeName: string, first: string, last: string, build: Build): Place | Skip {
  if (chromosomeName === '') return 'incomplete';
  const chromosome = chromosomeNamed(chromosomeName, build);
  if (!chromosome) return 'other sequence';
  if (first === '' || last === '') return 'incomplete';
  const [from, to] = [positive(first, 'the start'), positive(last, 'the end')];
  if (from > to) throw new Refusal(`the start, ${from}, is after the end, ${to}`);
  const size = sizeIn(build, chromosome) ?? 0;
  if (to > size) {
    throw new Refusal(`${chromosome}:${to} is beyond the end of the chromosome in ${build}, ${size}`);
  }
  return { chromosome, start: from - 1, end: to };
}

export function positive(cell: string, what: string): number {
  if (!/^\d{1,10}$/.test(cell) || Number(cell) < 1)
    throw new Refusal(`${what} must be a whole number from 1, not "${cell.slice(0, 40)}"`);
  return Number(cell);
}

export function strandOf(cell: string): Strand | undefined {
  // NCBI writes ? for genes whose parts are on both strands.
  if (cell === '' || cell === '.' || cell === '?') return undefined;
  if (cell === '1' || cell === '+') return 1;
  if (cell === '-1' || cell === '-') return -1;
  throw new Refusal(`a strand must be 1 or -1, not "${cell.slice(0, 40)}"`);
}

/** 7436 of `7436`, `HGNC:7436` or `HGNC:HGNC:7436`; undefined for an empty cell. */
export function hgncNumber(cell: string): number | undefined {
  if (cell === '') return undefined;
  const digits = /^(?:HGNC:)*(\d{1,9})$/i.exec(cell)?.[1];
  if (digits === undefined || Number(digits) === 0) throw new Refusal(`"${cell.slice(0, 40)}" is not an HGNC id`);
  return Number(digits);
}
