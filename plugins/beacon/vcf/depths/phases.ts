/**
 * Takes from the records of a VCF file which neighbouring substitutions of a sample are on the same copy of the chromosome, as far as
 * phased genotypes say so (VCF 4.3 §1.6.2).
 */
import type { Contig } from '../../domain/allele.js';
import { genotypeQuality, startOfField, type TypedRecord } from '../site-genotypes.js';
import {
  longestDecomposed,
  mostPhasedPairs,
  type Phase,
  type PhasesOfSamples,
  pairNumber,
  phaseOfBoth,
  plainBases,
  type Substitution,
} from './contract.js';

const [zero, nine, colon, tab, bar] = [48, 57, 58, 9, 124];

interface PhasedSubstitution extends Substitution {
  /** The copy of the chromosome, within its phase set. */
  side: 0 | 1;
  /** PS; empty without. */
  set: string;
}

/** Collects the pairs of the chosen samples. Of files that are not sorted it finds fewer. */
export class PhaseChoice {
  readonly #pairs: Map<number, Phase>[];
  /** Of each sample, those close to the last one. */
  #recent: PhasedSubstitution[][] = [];
  #count = 0;
  #chosen: readonly unknown[] | undefined;
  #contig: Contig | undefined;
  #block = '';
  /** The next phased genotype, or another bar, of the block: unphased files need no more than this. */
  #nextBar = -1;
  /** The alleles of one genotype, left and right of its bar. */
  readonly #sides: [number, number] = [0, 0];

  constructor(samples: number) {
    this.#pairs = Array.from({ length: samples }, () => new Map());
  }

  /** `chosen`: the columns of the samples from left to right; each file has a list of its own. */
  take(
    block: string,
    chosen: readonly { column: number; sample: number }[],
    { begins, end, contig, position, reference, alternates, fields, minimum, panel }: TypedRecord,
  ): void {
    // MT has no two copies on which a caller could place it.
    if (fields.genotype < 0 || contig === 'MT' || !this.#hasBar(block, begins[9] ?? 0, end)) return;
    const own = alternates.map((alternate) => {
      if (alternate.length !== reference.length) return undefined;
      const one = substitutionOf(position - 1, reference, alternate.toUpperCase());
      return one && (panel?.overlaps(contig, one.start, one.start + 1) ?? true) ? one : undefined;
    });
    if (own.every((one) => one === undefined)) return;
    const sides = this.#sides;
    if (chosen !== this.#chosen || contig !== this.#contig) {
      this.#recent = this.#pairs.map(() => []);
      [this.#chosen, this.#contig] = [chosen, contig];
    }
    let [at, column] = [begins[9] ?? 0, 0];
    for (const { column: wanted, sample } of chosen) {
      for (; column < wanted; column++) at = block.indexOf('\t', at) + 1;
      if (!readSides(block, startOfField(block, at, end, fields.genotype), end, sides) || sides[0] === sides[1])
        continue;
      if (minimum !== undefined && genotypeQuality(block, at, end, fields.quality) < minimum) continue;
      const stated = fields.phaseSet < 0 ? '' : fieldAt(block, at, end, fields.phaseSet);
      const set = stated === '.' ? '' : stated;
      const [left, right] = [own[sides[0] - 1], own[sides[1] - 1]];
      if (left) this.#add(sample, contig, { start: left.start, alternate: left.alternate, side: 0, set });
      if (right) this.#add(sample, contig, { start: right.start, alternate: right.alternate, side: 1, set });
    }
  }

  #hasBar(block: string, from: number, end: number): boolean {
    if (block !== this.#block || this.#nextBar < from) {
      const next = block.indexOf('|', from);
      [this.#block, this.#nextBar] = [block, next < 0 ? Number.POSITIVE_INFINITY : next];
    }
    return this.#nextBar < end;
  }

  #add(sample: number, contig: Contig, one: PhasedSubstitution): void {
    const pairs = this.#pairs[sample] as Map<number, Phase>;
    const recent = this.#recent[sample] as PhasedSubstitution[];
    const near = recent.filter(({ start }) => Math.abs(one.start - start) < longestDecomposed);
    for (const other of near) {
      const pair = other.set === one.set ? pairNumber(contig, one, other) : undefined;
      if (pair === undefined) continue;
      const known = pairs.get(pair);
      if (known === undefined && this.#count >= mostPhasedPairs) continue;
      if (known === undefined) this.#count++;
      pairs.set(pair, phaseOfBoth(known, other.side === one.side ? 'cis' : 'trans'));
    }
    near.push(one);
    this.#recent[sample] = near;
  }

  /** By name, given the names by number. */
  phases(names: readonly string[]): PhasesOfSamples {
    const own = this.#pairs.map((pairs, sample) => [names[sample] ?? '', pairs] as const);
    return new Map(own.filter(([, { size }]) => size > 0));
  }
}

/** Reads `1|0` into `sides`; returns false for all that is not a phased genotype of two alleles. */
function readSides(text: string, from: number, end: number, sides: [number, number]): boolean {
  if (from < 0) return false;
  let [side, value, digits] = [0, 0, 0];
  for (let i = from; i <= end; i++) {
    const code = i < end ? text.charCodeAt(i) : tab;
    if (code >= zero && code <= nine) {
      value = value * 10 + code - zero;
      digits++;
      continue;
    }
    const isLast = code === colon || code === tab;
    if (digits === 0 || !(side === 0 ? code === bar : isLast)) return false;
    sides[side as 0 | 1] = value;
    if (isLast) return true;
    [side, value, digits] = [1, 0, 0];
  }
  return false;
}

/** The single base in which an alternate of the same length differs; undefined if it differs in another way. */
function substitutionOf(start: number, reference: string, alternate: string): Substitution | undefined {
  let found: Substitution | undefined;
  for (let i = 0; i < reference.length; i++) {
    const base = alternate[i] as string;
    if (base === reference[i]) continue;
    if (found || !plainBases.includes(base)) return undefined;
    found = { start: start + i, alternate: base };
  }
  return found;
}

/** The text of a field of the sample column at `at`; empty if the sample omits it. */
function fieldAt(text: string, at: number, end: number, field: number): string {
  const from = startOfField(text, at, end, field);
  if (from < 0) return '';
  let to = from;
  while (to < end && text.charCodeAt(to) !== colon && text.charCodeAt(to) !== tab) to++;
  return text.slice(from, to);
}
