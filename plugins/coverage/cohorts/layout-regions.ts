/**
 * The regions of a layout, each with a number: the spans of genes, then distinct exons, then what reports measure of
 * transcripts besides (what exons that overlap have together, and coding bases with splice bases); each list by chromosome,
 * start and end. They are cut into *parts*, whose values are in one block. Layouts in use are kept in memory, and checked at
 * each read.
 */
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Fault } from '../../../core/plugin.js';
import { type Build, type Chromosome, chromosomes } from '../contract.js';
import { type Region, union } from '../measure/region.js';
import type {
  BlocksWanted,
  CohortBlock,
  CohortLayout,
  CohortMember,
  CohortRepository,
  CohortState,
} from './contract.js';

export const sections = ['genes', 'exons', 'others'] as const;
export type LayoutSection = (typeof sections)[number];

/** Regions of one part, for blocks of several columns and for blocks of one. Multiples of each other, up to the end of a section. */
const closedPart: Readonly<Record<LayoutSection, number>> = { genes: 1, exons: 32, others: 32 };
const openPart: Readonly<Record<LayoutSection, number>> = { genes: 1024, exons: 2048, others: 2048 };
/** Bytes of a piece of the description. */
const pieceBytes = 2 ** 18;

/** Regions [from, to). */
export interface RegionRange {
  part: number;
  from: number;
  to: number;
}

export class CohortRegions {
  /** Index in `chromosomes`, start and end of each. */
  readonly chromosome: Uint8Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  /** First region of each section, and the number of all. */
  readonly bounds: readonly [genes: 0, exons: number, others: number, all: number];
  /** Parts of blocks of several columns by number, and of blocks of one column: number −1 is the first. */
  readonly closed: readonly RegionRange[];
  readonly open: readonly RegionRange[];
  /** Bytes of the counts of all regions before. */
  readonly #countBytes: Float64Array;

  constructor(columns: Uint32Array, exons: number, others: number) {
    const size = columns.length / 3;
    this.chromosome = Uint8Array.from(columns.subarray(0, size));
    this.start = columns.subarray(size, 2 * size);
    this.end = columns.subarray(2 * size);
    this.bounds = [0, exons, others, size];
    this.closed = this.#parts(closedPart).map(({ from, to }, part) => ({ part, from, to }));
    this.open = this.#parts(openPart).map(({ from, to }, i) => ({ part: -1 - i, from, to }));
    this.#countBytes = new Float64Array(size + 1);
    for (let i = 0; i < size; i++) this.#countBytes[i + 1] = (this.#countBytes[i] as number) + this.width(1, i);
  }

  get size(): number {
    return this.bounds[3];
  }

  length(region: number): number {
    return (this.end[region] as number) - (this.start[region] as number);
  }

  /** Bytes of a value: a count fits for every depth, a sum up to a mean depth of 65,536. */
  width(plane: number, region: number): number {
    const length = this.length(region);
    const count = length < 2 ** 8 ? 1 : length < 2 ** 16 ? 2 : length < 2 ** 24 ? 3 : 4;
    return plane === 0 ? count + 2 : count;
  }

  /** Bytes of one column of the regions [from, to). */
  bytes(plane: number, from: number, to: number): number {
    const counts = (this.#countBytes[to] as number) - (this.#countBytes[from] as number);
    return plane === 0 ? counts + 2 * (to - from) : counts;
  }

  partOf(parts: readonly RegionRange[], region: number): RegionRange {
    let [low, high] = [0, parts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((parts[middle] as RegionRange).from <= region) low = middle;
      else high = middle - 1;
    }
    return parts[low] as RegionRange;
  }

  at(region: number): Region & { chromosome: Chromosome } {
    return {
      chromosome: chromosomes[this.chromosome[region] as number] as Chromosome,
      start: this.start[region] as number,
      end: this.end[region] as number,
    };
  }

  /** The numbers of the regions that a target consists of, every base once; undefined if one is not among them. */
  find(target: readonly Region[]): number[] | undefined {
    const sorted = target.toSorted((a, b) => compareText(a.chromosome, b.chromosome) || a.start - b.start);
    const overlap = sorted.some((region, i) => {
      const before = sorted[i - 1];
      return before !== undefined && before.chromosome === region.chromosome && region.start < before.end;
    });
    const found: number[] = [];
    for (const region of overlap ? union(target) : sorted) {
      const number = this.#numberOf(region);
      if (number === undefined) return undefined;
      found.push(number);
    }
    return found;
  }

  #numberOf({ chromosome, start, end }: Region): number | undefined {
    const wanted = [(chromosomes as readonly string[]).indexOf(chromosome), start, end] as const;
    for (const [from, to] of [
      [this.bounds[1], this.bounds[2]],
      [0, this.bounds[1]],
      [this.bounds[2], this.bounds[3]],
    ] as const) {
      let [low, high] = [from as number, to as number];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.#compare(middle, wanted) < 0) low = middle + 1;
        else high = middle;
      }
      if (low < to && this.#compare(low, wanted) === 0) return low;
    }
    return undefined;
  }

  #compare(region: number, [chromosome, start, end]: readonly [number, number, number]): number {
    return (
      (this.chromosome[region] as number) - chromosome ||
      (this.start[region] as number) - start ||
      (this.end[region] as number) - end
    );
  }

  #parts(sizes: Readonly<Record<LayoutSection, number>>): { from: number; to: number }[] {
    return sections.flatMap((section, i) => {
      const end = this.bounds[i + 1] as number;
      const found: { from: number; to: number }[] = [];
      for (let from = this.bounds[i] as number; from < end; from += sizes[section]) {
        found.push({ from, to: Math.min(from + sizes[section], end) });
      }
      return found;
    });
  }

  /** In pieces, for `read`. */
  describe(): Uint8Array[] {
    const [, exons, others, size] = this.bounds;
    const numbers = new Uint32Array(3 + 3 * size);
    numbers.set([size, exons, others]);
    numbers.set(this.chromosome, 3);
    numbers.set(this.start, 3 + size);
    numbers.set(this.end, 3 + 2 * size);
    const bytes = deflateRawSync(new Uint8Array(littleEndian(numbers).buffer));
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < bytes.length; from += pieceBytes) pieces.push(bytes.subarray(from, from + pieceBytes));
    return pieces;
  }

  /** Throws an `unavailable` fault unless the pieces are those of a layout of this id. */
  static read(pieces: readonly Uint8Array[], { id, build, thresholds }: CohortLayout): CohortRegions {
    if (layoutId(pieces, build, thresholds) !== id) throw damagedValues();
    const bytes = new Uint8Array(inflateRawSync(Buffer.concat(pieces)));
    const numbers = littleEndian(new Uint32Array(bytes.buffer, 0, bytes.length / 4));
    const [, exons = 0, others = 0] = numbers;
    return new CohortRegions(numbers.slice(3), exons, others);
  }
}

export function layoutId(pieces: readonly Uint8Array[], build: Build, thresholds: readonly number[]): string {
  const hash = createHash('sha256').update(`${build} ${thresholds.join(',')} `);
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

const isLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

function littleEndian(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  if (isLittleEndian) return numbers;
  const bytes = Buffer.from(numbers.buffer.slice(numbers.byteOffset, numbers.byteOffset + numbers.byteLength)).swap32();
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

// The layouts in use, their regions, and the members that were read last: kept in memory, and checked at each read.

export interface KnownCohort {
  regions: CohortRegions;
  state: CohortState;
  members: ReadonlyMap<string, CohortMember>;
  /** Sums that are beside their blocks: column → region → sum. */
  beyond: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

export class KnownCohorts {
  readonly #repository: Pick<CohortRepository, 'state' | 'regions' | 'read'>;
  readonly #known = new Map<Build, KnownCohort>();

  constructor(repository: Pick<CohortRepository, 'state' | 'regions' | 'read'>) {
    this.#repository = repository;
  }

  /** As it is now; undefined if the build has no layout. */
  async current(build: Build): Promise<KnownCohort | undefined> {
    for (;;) {
      const state = await this.#repository.state(build);
      if (state === undefined) {
        this.#known.delete(build);
        return undefined;
      }
      const before = this.#known.get(build);
      if (before?.state.layout.id === state.layout.id) return this.#keep(build, before.regions, state);
      const pieces = await this.#repository.regions(state.layout.id);
      // Otherwise the layout was replaced between the two.
      if (pieces !== undefined) {
        return this.#keep(build, CohortRegions.read(pieces, state.layout), state);
      }
    }
  }

  /** Blocks, and the members as of the same moment; undefined if the build has no layout. */
  async read<Plan extends BlocksWanted>(
    build: Build,
    wanted: (cohort: KnownCohort) => Plan,
  ): Promise<{ cohort: KnownCohort; plan: Plan; blocks: readonly CohortBlock[] } | undefined> {
    for (;;) {
      const before = this.#known.get(build) ?? (await this.current(build));
      if (before === undefined) return undefined;
      const plan = wanted(before);
      const { layout, version } = before.state;
      const found = await this.#repository.read(layout.id, plan, version);
      if (found === undefined) {
        this.#known.delete(build);
        continue;
      }
      const cohort = found.state === undefined ? before : this.#keep(build, before.regions, found.state);
      return { cohort, plan, blocks: found.blocks };
    }
  }

  #keep(build: Build, regions: CohortRegions, state: CohortState): KnownCohort {
    const cohort: KnownCohort = {
      regions,
      state,
      members: new Map(state.members.map((member) => [member.sample, member])),
      beyond: new Map(state.members.map(({ column, beyond }) => [column, new Map(beyond)])),
    };
    this.#known.set(build, cohort);
    return cohort;
  }
}

/** The sum of a region that is beside its block. Throws an `unavailable` fault if there is none. */
export function sumBeyond({ beyond }: KnownCohort, column: number, region: number): number {
  const sum = beyond.get(column)?.get(region);
  if (sum === undefined) throw damagedValues();
  return sum;
}

// The fault of stored values that cannot be relied upon.

export function damagedValues(): Fault {
  return new Fault(
    'unavailable',
    'Stored values of the cohort are damaged or missing: an operator has to run `trefoil coverage rebuild cohorts`',
  );
}
