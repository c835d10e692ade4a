/** Lift-over in memory, with packed chains (chains.ts). */

import { bytes, bytesOf, type Columns, firstIndex, numbers } from '../formats/packed.js';
import {
  type Build,
  buildNamed,
  chromosomeNamed,
  chromosomes,
  type Lifted,
  type LiftOver,
  mitochondrion,
} from './lift-over.js';

/** A base in the other build, and the chain that maps it. */
interface Base {
  chain: number;
  position: number;
}

export class Direction {
  readonly bytes: number;
  readonly #offsets: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #lengths: Uint32Array;
  readonly #targets: Uint32Array;
  readonly #chains: Uint32Array;
  readonly #reversed: Uint8Array;
  readonly #chromosomes: Uint8Array;

  constructor(columns: Columns) {
    this.#offsets = numbers(columns, 'offsets');
    this.#starts = numbers(columns, 'starts');
    this.#lengths = numbers(columns, 'lengths');
    this.#targets = numbers(columns, 'targets');
    this.#chains = numbers(columns, 'chains');
    this.#reversed = bytes(columns, 'reversed');
    this.#chromosomes = bytes(columns, 'chromosomes');
    this.bytes = bytesOf(columns);
  }

  lift(chromosome: string, start: number, end: number): Omit<Lifted, 'assembly'> | undefined {
    return start === end ? this.#between(chromosome, start) : this.#interval(chromosome, start, end);
  }

  #interval(chromosome: string, start: number, end: number): Omit<Lifted, 'assembly'> | undefined {
    const first = this.#base(chromosome, start);
    const last = this.#base(chromosome, end - 1);
    if (!first || !last || first.chain !== last.chain) return undefined;
    const [low, high] = first.position <= last.position ? [first, last] : [last, first];
    return this.#placed(first.chain, low.position, high.position + 1);
  }

  /** A position between two bases: lifted with the base after it, else with the one before. */
  #between(chromosome: string, position: number): Omit<Lifted, 'assembly'> | undefined {
    const next = this.#base(chromosome, position);
    const base = next ?? (position > 0 ? this.#base(chromosome, position - 1) : undefined);
    if (!base) return undefined;
    const after = (next === undefined) !== (this.#reversed[base.chain] === 1);
    const lifted = base.position + Number(after);
    return this.#placed(base.chain, lifted, lifted);
  }

  #placed(chain: number, start: number, end: number): Omit<Lifted, 'assembly'> {
    const chromosome = chromosomes[this.#chromosomes[chain] as number] as string;
    return { chromosome, start, end, reversed: this.#reversed[chain] === 1 };
  }

  #base(chromosome: string, position: number): Base | undefined {
    const number = chromosomes.indexOf(chromosome);
    const [from, to] = [this.#offsets[number] as number, this.#offsets[number + 1] as number];
    const block = from + firstIndex(to - from, (i) => (this.#starts[from + i] as number) > position) - 1;
    if (block < from) return undefined;
    const [inside, length] = [position - (this.#starts[block] as number), this.#lengths[block] as number];
    if (inside >= length) return undefined;
    const chain = this.#chains[block] as number;
    const target = this.#targets[block] as number;
    return { chain, position: this.#reversed[chain] === 1 ? target + length - 1 - inside : target + inside };
  }
}

export class ChainLift implements LiftOver {
  readonly from: readonly Build[];
  readonly bytes: number;
  readonly #directions: Readonly<Partial<Record<Build, Direction>>>;

  constructor(directions: Readonly<Partial<Record<Build, Direction>>>) {
    this.#directions = directions;
    this.from = (['GRCh37', 'GRCh38'] as const).filter((build) => directions[build]);
    this.bytes = Object.values(directions).reduce((sum, direction) => sum + direction.bytes, 0);
  }

  lift(assembly: string, chromosome: string, start: number, end: number): Lifted | undefined {
    const build = buildNamed(assembly);
    const name = chromosomeNamed(chromosome);
    if (!build || !name || !Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
      return undefined;
    }
    const other = build === 'GRCh37' ? 'GRCh38' : 'GRCh37';
    if (name === mitochondrion) return { assembly: other, chromosome: name, start, end, reversed: false };
    const lifted = this.#directions[build]?.lift(name, start, end);
    return lifted && { assembly: other, ...lifted };
  }
}
