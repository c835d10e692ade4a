/** An attacker who knows the genome of his target and asks about its alleles, and how often he is right. */
import { Random } from '../../../../conformance/core/random.js';
import type { Account, Defence, Suspicion } from './defences.js';
import { type Power, powerOf } from './power.js';
import { type Genome, mixed, type World } from './world.js';

/** Numbers of questions after which the attacker may stop. */
export const stops = [1, 2, 3, 5, 10, 50, 250, 1000, 5000];

export interface Target {
  world: World;
  genome: Genome;
  /** For what the attacker draws by lot. */
  seed: number;
  /** Of the target among the members, or of any member. */
  index: number;
}

/** A way of asking: returns the score after each number of questions of `stops`. */
export interface Attacker {
  readonly name: string;
  attack(target: Target, account: Account, suspicion: Suspicion): number[];
}

/** The places that an attacker asks about, one after the other, whatever the answers are. */
export type Order = (target: Target, suspicion: Suspicion) => Iterable<number>;

/** Asks about alleles in an order, and adds up what each answer tells. */
export function asking(name: string, order: Order): Attacker {
  return {
    name,
    attack: (target, account, suspicion) => {
      const scores: number[] = [];
      let score = 0;
      let asked = 0;
      for (const place of order(target, suspicion)) {
        score += suspicion.weigh(place, account.ask(place));
        asked++;
        if (asked === stops[scores.length]) scores.push(score);
        if (scores.length === stops.length) break;
      }
      while (scores.length < stops.length) scores.push(score);
      return scores;
    },
  };
}

export const inRandomOrder: Order = ({ genome, seed }) => shuffled(genome, seed);

/** Leaves out what the attacker knows to be refused. */
export const byRarity: Order = ({ genome }, suspicion) => worthwhile(genome, suspicion);

export const randomOrder = asking('random', inRandomOrder);
export const rarestFirst = asking('rarest first', byRarity);

function* worthwhile(genome: Genome, suspicion: Suspicion): Iterable<number> {
  for (const place of genome) if (suspicion.worth(place)) yield place;
}

function* shuffled(genome: Genome, seed: number): Iterable<number> {
  const random = new Random(seed);
  const left = Uint32Array.from(genome);
  for (let end = left.length; end > 0; end--) {
    const at = random.int(0, end - 1);
    yield left[at] as number;
    left[at] = left[end - 1] as number;
  }
}

export interface Groups {
  /** Members who are attacked. */
  members: number;
  /** Outsiders who set the threshold, and as many others who give the rate of false positives. */
  outsiders: number;
}

export interface Outcome {
  attacker: string;
  /** After each number of questions of `stops`. */
  powers: Power[];
}

/** Attacks members and outsiders, each with a new account. */
export function attacked(world: World, defence: Defence, attacker: Attacker, groups: Groups): Outcome {
  const scored = (count: number, genome: (index: number) => Genome, group: number) => {
    const all = stops.map(() => new Float64Array(count));
    for (let index = 0; index < count; index++) {
      const target = { world, genome: genome(index), seed: mixed(group, index), index };
      const scores = attacker.attack(target, defence.account(world), defence.suspicion(world));
      scores.forEach((score, stop) => {
        (all[stop] as Float64Array)[index] = score;
      });
    }
    return all;
  };
  const members = scored(groups.members, world.member, 0);
  const outsiders = scored(groups.outsiders, (index) => world.outsider(0, index), 1);
  const others = scored(groups.outsiders, (index) => world.outsider(1, index), 2);
  return {
    attacker: attacker.name,
    powers: stops.map((_, stop) =>
      powerOf(members[stop] as Float64Array, outsiders[stop] as Float64Array, others[stop] as Float64Array),
    ),
  };
}
