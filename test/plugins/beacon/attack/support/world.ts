/** A population in which every allele has a known frequency, a dataset drawn from it, and people who are not in the dataset. */
import { Random } from '../../../../conformance/core/random.js';

export interface WorldOptions {
  seed: number;
  /** People of the dataset. */
  members: number;
  /** Places with one alternate allele each. */
  loci: number;
  /** The rarest allele frequency; they follow 1 / frequency up to a half. */
  rarest?: number;
  /** Places in perfect linkage: so many neighbouring places have the same carriers. */
  linked?: number;
  /** Regions of the genome, in which places lie at random; linked ones lie in one region. */
  regions?: number;
}

/** Alleles that one person carries, by place, ascending: the rarest first. */
export type Genome = Uint32Array;

export interface World {
  readonly options: WorldOptions;
  /** Share of all people who carry the allele of a place, ascending. */
  readonly shares: Float64Array;
  /** Of each place the members who carry its allele, ascending. */
  readonly carriers: readonly Uint16Array[];
  /** The region in which a place lies. */
  region(place: number): number;
  member(index: number): Genome;
  /** Someone drawn from the same population who is not in the dataset; the same for the same group and index. */
  outsider(group: number, index: number): Genome;
}

/** The world of a seed: always the same. */
export function makeWorld(options: WorldOptions): World {
  const { seed, members, loci, rarest = 1 / 4000, linked = 1, regions = 3000 } = options;
  const frequencies = sampled(new Random(seed), Math.ceil(loci / linked), rarest);
  const shares = Float64Array.from({ length: loci }, (_, place) => {
    const frequency = frequencies[Math.floor(place / linked)] as number;
    return 1 - (1 - frequency) ** 2;
  });
  const genome = (own: number) => carried(new Random(own), shares, linked);
  const counts = new Uint32Array(loci);
  const genomes = Array.from({ length: members }, (_, index) => genome(mixed(seed, 1, index)));
  // Several attackers have the same targets.
  const outsiders = new Map<number, Genome>();
  for (const one of genomes) for (const place of one) counts[place] = (counts[place] as number) + 1;
  const carriers = Array.from(counts, (count) => new Uint16Array(count));
  const filled = new Uint32Array(loci);
  genomes.forEach((one, index) => {
    for (const place of one) {
      const at = filled[place] as number;
      (carriers[place] as Uint16Array)[at] = index;
      filled[place] = at + 1;
    }
  });
  return {
    options,
    shares,
    carriers,
    member: (index) => genomes[index] as Genome,
    region: (place) => mixed(seed, 17, Math.floor(place / linked)) % regions,
    outsider(group, index) {
      const own = mixed(seed, 2 + group, index);
      const known = outsiders.get(own) ?? genome(own);
      outsiders.set(own, known);
      return known;
    },
  };
}

/** Allele frequencies with a density that falls as 1 / frequency, ascending. */
function sampled(random: Random, count: number, rarest: number): Float64Array {
  return Float64Array.from({ length: count }, () => rarest * (0.5 / rarest) ** random.next()).sort();
}

function carried(random: Random, shares: Float64Array, linked: number): Genome {
  const found: number[] = [];
  for (let place = 0; place < shares.length; place += linked) {
    if (random.next() >= (shares[place] as number)) continue;
    for (let same = place; same < Math.min(place + linked, shares.length); same++) found.push(same);
  }
  return Uint32Array.from(found);
}

/** One seed of several numbers. */
export function mixed(...numbers: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const number of numbers) {
    hash = Math.imul(hash ^ number, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}
