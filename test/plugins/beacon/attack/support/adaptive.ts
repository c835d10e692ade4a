/** Attackers who use more than single answers: repetition, other people's budgets, two days, several accounts. */
import { Random } from '../../../../../core/conformance/random.js';
import { type Attacker, stops } from './attack.js';
import type { Account, Suspicion } from './defences.js';
import { mixed, type World } from './world.js';

/** Scores at each of `stops`, from the score after each question. */
class Run {
  readonly #scores: number[] = [];
  #asked = 0;
  score = 0;

  /** Counts questions; returns whether there may be more. */
  asked(questions = 1): boolean {
    this.#asked += questions;
    while (this.#scores.length < stops.length && this.#asked >= (stops[this.#scores.length] as number)) {
      this.#scores.push(this.score);
    }
    return this.#scores.length < stops.length;
  }

  scores(): number[] {
    return stops.map((_, stop) => this.#scores[stop] ?? this.score);
  }
}

const cost = (suspicion: Suspicion, place: number) => suspicion.cost?.(place) ?? 0;

/**
 * Asks until a member would have spent his budget, then asks again, by another face: an answer that has changed from yes to no shows
 * that the only carrier is the one whose budget was spent by the other questions.
 */
export const repeating: Attacker = {
  name: 'asks again',
  attack({ world, genome }, account, suspicion) {
    const run = new Run();
    const present: number[] = [];
    let spent = 0;
    for (const place of genome) {
      const price = cost(suspicion, place);
      if (price < 0.1 || price > 0.5) continue;
      const seen = account.ask(place);
      run.score += suspicion.weigh(place, seen);
      if (seen > 0) {
        present.push(place);
        spent += price;
      }
      if (!run.asked()) return run.scores();
      if (spent > 0.9) break;
    }
    for (const place of present) {
      const alone = (1 - (world.shares[place] as number)) ** (world.options.members - 1);
      const isSpent = spent + cost(suspicion, place) > 1;
      if (!isSpent) continue;
      run.score += account.ask(place) > 0 ? Math.log((1 - alone) / 0.98) : Math.log(alone / 0.02);
      if (!run.asked()) break;
    }
    return run.scores();
  },
};

/** The same by an allele that always occurs together with the first: only in worlds with linkage. */
export const linkedPairs: Attacker = {
  name: 'asks for linked alleles',
  attack(target, account, suspicion) {
    const { linked = 1 } = target.world.options;
    const first = target.genome.filter((place) => place % linked === 0);
    const second: Account = { ask: (place) => account.ask(place) };
    const seen = new Set<number>();
    const asking: Account = {
      ask(place) {
        if (!seen.has(place)) {
          seen.add(place);
          return second.ask(place);
        }
        return second.ask(place + 1);
      },
    };
    return repeating.attack({ ...target, genome: first }, asking, suspicion);
  },
};

/** First spends the budgets of other people, by alleles that the target lacks; then nearly everyone else is out of the way. */
export function draining(questions: number): Attacker {
  return {
    name: `spends others’ budgets first`,
    attack({ world, genome, seed }, account, suspicion) {
      const run = new Run();
      const own = new Set(genome);
      const useful = usefulTo(world, suspicion);
      const first = new Random(seed).int(0, useful.length - 1);
      for (let i = 0; i < Math.min(questions, useful.length); i++) {
        const place = useful[(first + i) % useful.length] as number;
        if (own.has(place)) continue;
        account.ask(place);
        if (!run.asked()) return run.scores();
      }
      let spent = 0;
      for (const place of genome) {
        const price = cost(suspicion, place);
        if (price < 0.3 || spent + price > 1) continue;
        const outsider = 1 - (1 - (world.shares[place] as number)) ** left;
        const seen = account.ask(place);
        run.score += seen > 0 ? Math.log(0.98 / outsider) : Math.log(0.02 / (1 - outsider));
        if (seen > 0) spent += price;
        if (!run.asked()) break;
      }
      return run.scores();
    },
  };
}

/** People of whom the attacker takes it that they can still pay. */
const left = 100;

const usefulPlaces = new WeakMap<World, number[]>();

/** Alleles that cost their carriers most, over all. */
function usefulTo(world: World, suspicion: Suspicion): number[] {
  let known = usefulPlaces.get(world);
  if (!known) {
    known = Array.from(world.shares.keys()).filter((place) => {
      const price = cost(suspicion, place);
      return price > 0.3 && price <= 1;
    });
    usefulPlaces.set(world, known);
  }
  return known;
}

/** Asks before a publication of `batch` people, the target perhaps among them, and after it. */
export function twoDays(batch: number): Attacker {
  return {
    name: `compares two days, ${batch} new people`,
    attack({ world, genome, index }, account, suspicion) {
      const run = new Run();
      const { members } = world.options;
      const first = Math.min(Math.floor((index % members) / batch) * batch, members - batch);
      const newcomers = new Set(Array.from({ length: batch }, (_, i) => first + i));
      const absent: number[] = [];
      account.hide?.(newcomers);
      for (const place of genome) {
        const price = cost(suspicion, place);
        if (price > 1 || price < 0.002) continue;
        if (account.ask(place) === 0) absent.push(place);
        if (!run.asked()) return run.scores();
      }
      account.hide?.(new Set());
      let spent = 0;
      // The cheapest first: a member can pay for more of them.
      for (const place of absent.reverse()) {
        const price = cost(suspicion, place);
        if (spent + price > 1) break;
        const outsider = 1 - (1 - (world.shares[place] as number)) ** batch;
        const seen = account.ask(place);
        run.score += seen > 0 ? Math.log(0.9 / outsider) : Math.log(0.1 / (1 - outsider));
        if (seen > 0) spent += price;
        if (!run.asked()) break;
      }
      return run.scores();
    },
  };
}

/** Several people with an account each share what they learn: each asks for other alleles of the target. */
export function colluding(
  accounts: number,
  more: (world: World) => { account: Account; suspicion: Suspicion },
): Attacker {
  return {
    name: `${accounts} accounts together`,
    attack({ world, genome }, account, suspicion) {
      const run = new Run();
      const all = [{ account, suspicion }, ...Array.from({ length: accounts - 1 }, () => more(world))];
      const spent = new Array<number>(accounts).fill(0);
      for (const place of genome) {
        const price = cost(suspicion, place);
        if (price > 1) continue;
        const turn = spent.findIndex((one) => one + price <= 1);
        const one = all[Math.max(0, turn)] as { account: Account; suspicion: Suspicion };
        const seen = one.account.ask(place);
        run.score += one.suspicion.weigh(place, seen);
        if (seen > 0 && turn >= 0) spent[turn] = (spent[turn] as number) + price;
        if (!run.asked()) break;
      }
      return run.scores();
    },
  };
}

/** How often a reference of so many alleles shows the allele of a place, drawn once for the world. */
export function referenceCount(world: World, place: number, alleles: number): number {
  const frequency = 1 - Math.sqrt(1 - (world.shares[place] as number));
  const random = new Random(mixed(world.options.seed, 99, place));
  // A normal deviate (Box and Muller) for the binomial one: counts are large where prices matter.
  const deviate = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const count = alleles * frequency + deviate * Math.sqrt(alleles * frequency * (1 - frequency));
  return Math.max(0, Math.min(alleles, Math.round(count)));
}
