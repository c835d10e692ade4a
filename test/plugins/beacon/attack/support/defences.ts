/** Ways of answering an account, each with what an attacker who knows it makes of an answer. */
import {
  answerBySpending,
  budgetOfRules,
  free,
  priceOfQuestion,
  type SpendingRules,
  type SpentBy,
} from '../../../../../plugins/beacon/protection/spend.js';
import { atLeast, chances, mismatch } from './binomial.js';
import { mixed, type World } from './world.js';

/** The answers of one account: 0 for no, 1 for yes, or a count. */
export interface Account {
  ask(place: number): number;
  /** From now on, until it is called again, these members are not in the dataset yet, or not any more. */
  hide?(members: ReadonlySet<number>): void;
}

/** What an attacker makes of the answers about alleles that his target carries. */
export interface Suspicion {
  /** log P(answer | the target is a member) − log P(answer | not), given all answers before. */
  weigh(place: number, answered: number): number;
  /** Whether an answer about the place can tell anything. */
  worth(place: number): boolean;
  /** What a yes costs a member who has spent nothing, in budgets; 0 if it is not charged. */
  cost?(place: number): number;
}

export interface Defence {
  readonly name: string;
  account(world: World): Account;
  suspicion(world: World): Suspicion;
}

/** Answers that depend on the number of carriers alone. */
export function byCount(name: string, answered: (carriers: number, place: number) => number): Defence {
  return {
    name,
    account: ({ carriers }) => ({ ask: (place) => answered((carriers[place] as Uint16Array).length, place) }),
    suspicion: once(({ shares, options: { members } }) => {
      const known = new Map<string, number>();
      return {
        worth: () => true,
        weigh: (place, seen) => {
          const key = `${place} ${seen}`;
          const before = known.get(key);
          if (before !== undefined) return before;
          const share = shares[place] as number;
          const ratio =
            Math.log(chanceOf(members - 1, share, (others) => answered(others + 1, place) === seen)) -
            Math.log(chanceOf(members, share, (all) => answered(all, place) === seen));
          known.set(key, ratio);
          return ratio;
        },
      };
    }),
  };
}

/** One for each world, for what does not depend on earlier answers. */
function once<Made>(make: (world: World) => Made): (world: World) => Made {
  const known = new WeakMap<World, Made>();
  return (world) => {
    let made = known.get(world);
    if (made === undefined) {
      made = make(world);
      known.set(world, made);
    }
    return made;
  };
}

function chanceOf(people: number, share: number, counts: (carriers: number) => boolean): number {
  let sum = 0;
  chances(people, share, people).forEach((chance, carriers) => {
    if (counts(carriers)) sum += chance;
  });
  return Math.max(mismatch, Math.min(1 - mismatch, sum));
}

export const open = yesFrom('no defence', 1);

/** Yes from so many carriers on. */
export function yesFrom(name: string, least: number): Defence {
  return closed(
    byCount(name, (carriers) => (carriers >= least ? 1 : 0)),
    (people, share) => atLeast(people, share, least),
    (people, share) => atLeast(people - 1, share, least - 1),
  );
}

/** Alleles of a single carrier are hidden with this probability, each always or never. */
export function flipped(name: string, share: number): Defence {
  const hidden = (place: number) => mixed(7, place) / 2 ** 32 < share;
  const defence = byCount(name, (carriers, place) => (carriers > 1 || (carriers === 1 && !hidden(place)) ? 1 : 0));
  const some = (people: number, q: number) => (1 - share) * atLeast(people, q, 1) + share * atLeast(people, q, 2);
  return closed(defence, some, (people, q) => (1 - share) * (1 - mismatch) + share * atLeast(people - 1, q, 1));
}

/** Alleles that are rare among people in general are never answered. */
export function fromFrequency(name: string, frequency: number): Defence {
  const rare = (share: number) => share < 1 - (1 - frequency) ** 2;
  const { account, suspicion } = open;
  return {
    name,
    account: (world) => {
      const { ask } = account(world);
      return { ask: (place) => (rare(world.shares[place] as number) ? 0 : ask(place)) };
    },
    suspicion: (world) => {
      const { weigh } = suspicion(world);
      const worth = (place: number) => !rare(world.shares[place] as number);
      return { worth, weigh: (place, seen) => (worth(place) ? weigh(place, seen) : 0) };
    },
  };
}

/** The same, with the chances of a yes given by a formula: of `people` at random, and of a member and the others. */
function closed(
  defence: Defence,
  outsider: (people: number, share: number) => number,
  member: (people: number, share: number) => number,
): Defence {
  return {
    ...defence,
    suspicion: once(({ shares, options: { members } }) => {
      const told = (seen: number) => (place: number) => {
        const share = shares[place] as number;
        return logRatio(seen, member(members, share), outsider(members, share));
      };
      const [no, yes] = [perPlace(told(0)), perPlace(told(1))];
      return { worth: () => true, weigh: (place, seen) => (seen > 0 ? yes(place) : no(place)) };
    }),
  };
}

/** Keeps what a formula gives for each place of a world. */
function perPlace(formula: (place: number) => number): (place: number) => number {
  const known: number[] = [];
  return (place) => {
    known[place] ??= formula(place);
    return known[place];
  };
}

function logRatio(seen: number, member: number, outsider: number): number {
  return seen > 0 ? Math.log(member / outsider) : Math.log((1 - member) / (1 - outsider));
}

export interface Budgeted extends SpendingRules {
  name: string;
  /** The share that the server takes for true, by the carriers that it sees; the true one if omitted. */
  share?: (world: World, place: number) => number;
  /** Ablation: priced as if everyone could still pay. */
  ignoresCrowd?: boolean;
  /** Ablation: a repeated question is charged again. */
  forgets?: boolean;
  /** Ablation: priced as if one carrier were enough. */
  priced?: number;
  /** Ablation: a person counts for any number of alleles of a region. */
  ignoresRegions?: boolean;
  /** Ablation: those who were consulted about a region still belong to its crowd. */
  keepsConsulted?: boolean;
  /** Ablation: only a yes consults its carriers. */
  consultsForYes?: boolean;
  /** Ablation: newcomers are priced as if they had been there from the start. */
  ignoresDays?: boolean;
}

/** A budget for each person: the rule of the server. */
export function budgeted(rule: Budgeted): Defence {
  const tables = once((world) => new Tables(world, rule));
  return {
    name: rule.name,
    account: (world) => new BudgetedAccount(tables(world)),
    suspicion: (world) => new BudgetSuspicion(tables(world)),
  };
}

/** What does not depend on an account: prices before anything is spent, and what answers tell. */
class Tables {
  readonly share: (place: number) => number;
  readonly price: (place: number) => number;
  /** log P(answer | member) − log P(answer | outsider), of a member who can pay, and of one who cannot. */
  readonly able: readonly [no: (place: number) => number, yes: (place: number) => number];
  readonly unable: readonly [no: (place: number) => number, yes: (place: number) => number];

  readonly world: World;
  readonly rule: Budgeted;

  constructor(world: World, rule: Budgeted) {
    this.world = world;
    this.rule = rule;
    const { members: people } = world.options;
    const { least, priced = least, share } = rule;
    this.share = perPlace((place) => share?.(world, place) ?? (world.shares[place] as number));
    this.price = perPlace((place) => priceOfQuestion({ people, share: this.share(place), least: priced }));
    const told = (seen: number, needed: number) => (place: number) => {
      const q = world.shares[place] as number;
      return logRatio(seen, atLeast(people - 1, q, needed), atLeast(people, q, least));
    };
    this.able = [perPlace(told(0, least - 1)), perPlace(told(1, least - 1))];
    this.unable = [perPlace(told(0, least)), perPlace(told(1, least))];
  }
}

const levels = 64;

/** Of people, by their number among the members. */
const names = Array.from({ length: 2 ** 16 }, (_, index) => `${index}`);

class BudgetedAccount implements Account {
  readonly spent = new Map<number, number>();
  /** People by what they have spent, rounded up, as the storage tells it. */
  readonly #levels = new Uint32Array(levels + 1);
  readonly #known = new Set<number>();
  /** People who were consulted, by region. */
  readonly #consulted = new Map<number, Set<string>>();
  readonly #tables: Tables;
  #hidden: ReadonlySet<number> = new Set();
  /** Those who were hidden before. */
  #newcomers: ReadonlySet<number> = new Set();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  hide(members: ReadonlySet<number>): void {
    this.#newcomers = this.#hidden;
    this.#hidden = members;
  }

  ask(place: number): number {
    const { world, rule, price: base, share } = this.#tables;
    const { least, ignoresCrowd = false, ignoresDays = false, forgets = false, priced = least } = rule;
    const all = world.carriers[place] as Uint16Array;
    const carriers = this.#hidden.size > 0 ? all.filter((one) => !this.#hidden.has(one)) : all;
    if (carriers.length === 0) return 0;
    if (this.#known.has(place)) return carriers.length >= least ? 1 : 0;
    const price = base(place);
    const late = this.#newcomers;
    const newcomers =
      ignoresDays || late.size === 0
        ? []
        : [
            {
              people: late.size,
              older: Array.from(
                carriers.filter((one) => !late.has(one)),
                (one) => `${one}`,
              ),
            },
          ];
    if (price <= free && newcomers.every(({ older }) => older.length >= least)) return carriers.length >= least ? 1 : 0;
    const budget = budgetOfRules(rule);
    if (price > budget) return 0;
    const named = new Map<string, number>();
    for (const one of carriers) named.set(names[one] as string, this.spent.get(one) ?? 0);
    const { ignoresRegions = false, keepsConsulted = false, consultsForYes = false } = rule;
    const region = world.region(place);
    const consulted = this.#consulted.get(region) ?? new Set<string>();
    let charges: ReadonlyMap<string, number>;
    if (ignoresCrowd || priced !== least) {
      const able = [...named].map(([one, spent]): [string, number] => [one, spent + price]);
      charges = new Map(able.filter(([, now]) => now <= budget));
      if (charges.size < least) return 0;
    } else {
      const people = world.options.members - this.#hidden.size;
      const spent: SpentBy[] = [];
      for (let level = 0; level <= levels; level++) {
        const count = this.#levels[level] as number;
        if (count > 0) spent.push({ spent: (level * budget) / levels, people: count });
      }
      const asked = { people, spent, share: share(place), newcomers };
      if (keepsConsulted) for (const one of consulted) named.delete(one);
      const answered = answerBySpending({ ...asked, carriers: named, ...(!keepsConsulted && { consulted }) }, rule);
      if (!ignoresRegions && (answered.exists || !consultsForYes)) {
        for (const one of answered.consults) consulted.add(one);
        this.#consulted.set(region, consulted);
      }
      if (!answered.exists) return 0;
      charges = answered.charges;
    }
    for (const [name, now] of charges) this.#spend(Number(name), now);
    if (!forgets) this.#known.add(place);
    return 1;
  }

  #spend(member: number, now: number): void {
    const before = this.spent.get(member);
    if (before !== undefined) this.#count(before, -1);
    this.#count(now, 1);
    this.spent.set(member, now);
  }

  #count(spent: number, people: number): void {
    const level = Math.min(levels, Math.ceil((spent / budgetOfRules(this.#tables.rule)) * levels));
    this.#levels[level] = (this.#levels[level] as number) + people;
  }
}

/** Follows what the target would have spent as a member. */
class BudgetSuspicion implements Suspicion {
  #spent = 0;
  /** Regions about which the target was consulted. */
  readonly #consulted = new Set<number>();
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  worth(place: number): boolean {
    const price = this.#tables.price(place);
    return price > free && price <= budgetOfRules(this.#tables.rule);
  }

  cost(place: number): number {
    const price = this.#tables.price(place);
    return price <= free ? 0 : price / budgetOfRules(this.#tables.rule);
  }

  weigh(place: number, answered: number): number {
    const { able, unable, rule, world, price: base } = this.#tables;
    const seen = answered > 0 ? 1 : 0;
    const price = base(place);
    if (price <= free) return able[seen](place);
    if (price > budgetOfRules(rule)) return 0;
    const region = world.region(place);
    const isConsulted = this.#consulted.has(region);
    if (!rule.ignoresRegions) this.#consulted.add(region);
    if (isConsulted || this.#spent + price > budgetOfRules(rule)) return unable[seen](place);
    if (seen === 1) this.#spent += price;
    return able[seen](place);
  }
}
