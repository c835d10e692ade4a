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
      const one = substitutionOf(position - 1, reference, alternate.toUpperCase());
      return one && (panel?.overlaps(contig, one.start, one.start + 1) ?? true) ? one : undefined;
    });
    if (own.every((one) => one === undefined)) return;
    if (chosen !== this.#chosen || contig !== this.#contig) {
      this.#recent = this.#pairs.map(() => []);
      [this.#chosen, this.#contig] = [chosen, contig];
    }
    let [at, column] = [begins[9] ?? 0, 0];
    for (const { column: wanted, sample } of chosen) {
      for (; column < wanted; column++) at = block.indexOf('\t', at) + 1;
      const genotype = fieldAt(block, at, end, fields.genotype);
      const [, left, right] = /^(\d+)\|(\d+)$/.exec(genotype) ?? [];
      if (left === right) continue;
      if (minimum !== undefined && genotypeQuality(block, at, end, fields.quality) < minimum) continue;
      const stated = fields.phaseSet < 0 ? '' : fieldAt(block, at, end, fields.phaseSet);
      const set = stated === '.' ? '' : stated;
      for (const [side, allele] of [[0, left] as const, [1, right] as const]) {
        const one = own[Number(allele) - 1];
        if (one) this.#add(sample, contig, { ...one, side, set });
      }
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
    const near = (this.#recent[sample] ?? []).filter(({ start }) => Math.abs(one.start - start) < longestDecomposed);
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

/** The single base in which an alternate differs; undefined if it differs in another way. */
function substitutionOf(start: number, reference: string, alternate: string): Substitution | undefined {
  if (reference.length !== alternate.length) return undefined;
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
  while (to < end && text[to] !== ':' && text[to] !== '\t') to++;
  return text.slice(from, to);
}
