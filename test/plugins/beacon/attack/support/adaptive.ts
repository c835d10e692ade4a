/** Attackers who use more than single answers: repetition, other people's budgets, two days, several accounts. */
import { Random } from '../../../../conformance/core/random.js';
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

/**
 * Spends the target's budget until a member could pay for one of two linked alleles and not for the other: a "no" about the more expensive
 * one shows that nobody else carries it, a "yes" about the cheaper one that the target does.
 */
export const betweenPrices: Attacker = {
  name: 'one of a pair too expensive',
  attack({ world, genome }, account, suspicion) {
    const run = new Run();
    const { linked = 1 } = world.options;
    const single = genome.filter((place) => place % linked === 0);
    const gap = (place: number) => {
      const [one, other] = [cost(suspicion, place), cost(suspicion, place + 1)];
      return Math.min(one, other) > 0.1 && Math.max(one, other) < 0.6 ? Math.abs(one - other) : 0;
    };
    let pair = single[0] ?? 0;
    let widest = gap(pair);
    for (const place of single) {
      const own = gap(place);
      if (own > widest) [pair, widest] = [place, own];
    }
    const [low, high] = [cost(suspicion, pair), cost(suspicion, pair + 1)].sort((a, b) => a - b) as [number, number];
    const others = single.filter((place) => world.region(place) !== world.region(pair));
    let toSpend = 1 - (low + high) / 2;
    while (toSpend > (high - low) / 3) {
      const closest = nearest(others, (place) => cost(suspicion, place), Math.min(toSpend, 0.25));
      const price = cost(suspicion, closest);
      if (price === 0 || price > toSpend + (high - low) / 3) break;
      others[others.indexOf(closest)] = others[others.length - 1] as number;
      const seen = account.ask(closest);
      run.score += suspicion.weigh(closest, seen);
      if (!run.asked() || seen === 0) return run.scores();
      toSpend -= price;
    }
    const isCheaper = cost(suspicion, pair) <= cost(suspicion, pair + 1);
    const before = account.ask(isCheaper ? pair + 1 : pair);
    const after = account.ask(isCheaper ? pair : pair + 1);
    if (before === 0 && after > 0) run.score += 5;
    run.asked(2);
    return run.scores();
  },
};

function nearest(places: Iterable<number>, value: (place: number) => number, wanted: number): number {
  let best = 0;
  let distance = Number.POSITIVE_INFINITY;
  for (const place of places) {
    const own = Math.abs(value(place) - wanted);
    if (own < distance) [best, distance] = [place, own];
  }
  return best;
}

/** First asks for alleles of one region that the target lacks: once all others have been consulted there, only the target counts. */
export const aloneInRegion: Attacker = {
  name: 'empties a region first',
  attack({ world, genome }, account, suspicion) {
    const run = new Run();
    const own = new Set(genome);
    const wanted = nearest(genome, (place) => cost(suspicion, place), 0.6);
    for (const place of placesOf(world, world.region(wanted))) {
      const price = cost(suspicion, place);
      // Those who are consulted must keep enough to belong to the crowd of people who can pay.
      if (own.has(place) || price === 0 || price > 0.35) continue;
      account.ask(place);
      if (!run.asked()) return run.scores();
    }
    run.score += suspicion.weigh(wanted, account.ask(wanted));
    run.asked();
    return run.scores();
  },
};

const placesByRegion = new WeakMap<World, Map<number, number[]>>();

function placesOf(world: World, region: number): readonly number[] {
  let known = placesByRegion.get(world);
  if (!known) {
    known = new Map();
    for (const place of world.shares.keys()) {
      const own = known.get(world.region(place));
      if (own) own.push(place);
      else known.set(world.region(place), [place]);
    }
    placesByRegion.set(world, known);
  }
  return known.get(region) ?? [];
}

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
