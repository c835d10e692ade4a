/** Converts coordinates from one genome build to another. */
import { type Assembly, contigNamed, contigs } from '../../../core/genome.js';
import { bytes, bytesOfColumns, firstIndex, numbers, type PackedColumns } from './packed.js';

export type LiftBuild = Assembly;

/** An interval in the other build. */
export interface LiftedInterval {
  assembly: LiftBuild;
  /** `1` … `22`, `X`, `Y`, `MT`. */
  chromosome: string;
  /** Zero-based, half-open. The length changes if the builds differ within the interval. */
  start: number;
  end: number;
  /** Whether it is on the other strand: alleles become their reverse complement. */
  reversed: boolean;
}

export interface LiftOver {
  /**
   * Lifts a zero-based, half-open interval to the other build; start = end is the position between two bases. The
   * mitochondrion is the same in both. Undefined if it has no counterpart, its ends are in different chains, assembly or
   * chromosome is unknown, or no chains are loaded for this direction. Takes any spelling of assembly and chromosome that
   * `buildNamed` and `chromosomeNamed` know.
   */
  lift(assembly: string, chromosome: string, start: number, end: number): LiftedInterval | undefined;
  /** Builds from which it can lift. */
  readonly from: readonly LiftBuild[];
}

/** In the order in which packed chains number them. */
export const chromosomes: readonly string[] = contigs;

export const mitochondrion = 'MT';

/** The build of `GRCh37`, `GRCh37.p13`, `hg19`, `GRCh38`, `hg38` …, in any case; undefined for others. Patches do not change coordinates. */
export function buildNamed(assembly: string): LiftBuild | undefined {
  const [, name] = /^(grch37|hg19|grch38|hg38)(?:\.p\d+)?$/i.exec(assembly.trim()) ?? [];
  if (name === undefined) return undefined;
  return /37|19/.test(name) ? 'GRCh37' : 'GRCh38';
}

/** `1` … `22`, `X`, `Y` or `MT` for any spelling (`chrX`, `x`, `M`); undefined for others. */
export function chromosomeNamed(text: string): string | undefined {
  return contigNamed(text.trim());
}

/** Lengths of chromosomes, by which the builds of a chain file are recognised: they differ between the builds. */
export const lengths: Readonly<Record<LiftBuild, Readonly<Record<string, number>>>> = {
  GRCh37: { 1: 249250621, 2: 243199373, 3: 198022430, 10: 135534747, 22: 51304566, X: 155270560 },
  GRCh38: { 1: 248956422, 2: 242193529, 3: 198295559, 10: 133797422, 22: 50818468, X: 156040895 },
};

/** A base in the other build, and the chain that maps it. */
interface LiftedBase {
  chain: number;
  position: number;
}

export class ChainDirection {
  readonly bytes: number;
  readonly #offsets: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #lengths: Uint32Array;
  readonly #targets: Uint32Array;
  readonly #chains: Uint32Array;
  readonly #reversed: Uint8Array;
  readonly #chromosomes: Uint8Array;

  constructor(columns: PackedColumns) {
    this.#offsets = numbers(columns, 'offsets');
    this.#starts = numbers(columns, 'starts');
    this.#lengths = numbers(columns, 'lengths');
    this.#targets = numbers(columns, 'targets');
    this.#chains = numbers(columns, 'chains');
    this.#reversed = bytes(columns, 'reversed');
    this.#chromosomes = bytes(columns, 'chromosomes');
    this.bytes = bytesOfColumns(columns);
  }

  lift(chromosome: string, start: number, end: number): Omit<LiftedInterval, 'assembly'> | undefined {
    return start === end ? this.#between(chromosome, start) : this.#interval(chromosome, start, end);
  }

  #interval(chromosome: string, start: number, end: number): Omit<LiftedInterval, 'assembly'> | undefined {
    const first = this.#base(chromosome, start);
    const last = this.#base(chromosome, end - 1);
    if (!first || !last || first.chain !== last.chain) return undefined;
    const [low, high] = first.position <= last.position ? [first, last] : [last, first];
    return this.#placed(first.chain, low.position, high.position + 1);
  }

  /** A position between two bases: lifted with the base after it, else with the one before. */
  #between(chromosome: string, position: number): Omit<LiftedInterval, 'assembly'> | undefined {
    const next = this.#base(chromosome, position);
    const base = next ?? (position > 0 ? this.#base(chromosome, position - 1) : undefined);
    if (!base) return undefined;
    const after = (next === undefined) !== (this.#reversed[base.chain] === 1);
    const lifted = base.position + Number(after);
    return this.#placed(base.chain, lifted, lifted);
  }

  #placed(chain: number, start: number, end: number): Omit<LiftedInterval, 'assembly'> {
    const chromosome = chromosomes[this.#chromosomes[chain] as number] as string;
    return { chromosome, start, end, reversed: this.#reversed[chain] === 1 };
  }

  #base(chromosome: string, position: number): LiftedBase | undefined {
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
  readonly from: readonly LiftBuild[];
  readonly bytes: number;
  readonly #directions: Readonly<Partial<Record<LiftBuild, ChainDirection>>>;

  constructor(directions: Readonly<Partial<Record<LiftBuild, ChainDirection>>>) {
    this.#directions = directions;
    this.from = (['GRCh37', 'GRCh38'] as const).filter((build) => directions[build]);
    this.bytes = Object.values(directions).reduce((sum, direction) => sum + direction.bytes, 0);
  }

  lift(assembly: string, chromosome: string, start: number, end: number): LiftedInterval | undefined {
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
