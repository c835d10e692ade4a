/**
 * Answers a yes/no question at the expense of its carriers. Each person of a dataset has a budget for each account; a "yes"
 * costs every carrier who counts its price, and those who cannot pay do not count, as if they were not in the dataset. For each
 * region of the genome a person counts once for each account: neighbouring alleles occur together, so that a second answer would tell who
 * paid for the first.
 */
import { priceOf } from './price.js';

/** What an account may learn about each person of a dataset. */
export interface Allowed {
  /** Each person's budget is −log of it: the odds that a person is a member change by at most 1 / budget. Between 0 and 1. */
  budget: number;
  /** Number of carriers from which on the answer is "yes". */
  least: number;
}

/** How many people have spent how much for the account. */
export interface SpentBy {
  /** In nats; may be rounded up. */
  spent: number;
  people: number;
}

export interface Asked {
  /** Carriers of at least one matching allele, with what each has spent for the account, in nats. */
  carriers: ReadonlyMap<string, number>;
  /** People of the dataset, carriers and others. */
  people: number;
  /**
   * Those of the people who have spent anything, by amount, carriers included. Once many have spent their budgets the others
   * are a smaller crowd to hide in, and answers cost more: without it a client could empty the budgets of all but one person.
   */
  spent: readonly SpentBy[];
  /** Share of all people who carry one of the matching alleles: `knownShare`. */
  share: number;
  /**
   * Those who came with or after each of the publications but the first. An answer that depends on them is priced by their
   * number: who asked before knows that it was "no" without them.
   */
  newcomers?: readonly Newcomers[] | undefined;
  /** People who were consulted by earlier questions of the account about the region: they do not count, nor belong to the crowd. */
  consulted?: ReadonlySet<string> | undefined;
}

/** The people who were published by one publication, or later; in a list, the latest publication comes first. */
export interface Newcomers {
  people: number;
  /** Carriers who were published before, and with or after the publication that follows in the list: each is listed once. */
  older: readonly string[];
}

export interface Answered {
  exists: boolean;
  /** What each carrier who counted has spent from now on, in nats; empty if nothing is spent. */
  charges: ReadonlyMap<string, number>;
  /**
   * Carriers who are consulted by the question, whether they can pay or not, and whatever the answer is. Nobody is if the
   * answer does not depend on who carries the allele.
   */
  consults: readonly string[];
}

/** Prices up to this one, in nats, are not charged: 5,000 such answers change the odds by less than half a percent. */
export const free = 1e-6;

/** In nats. */
export function budgetOf({ budget }: Pick<Allowed, 'budget'>): number {
  return -Math.log(budget);
}

/** Decides by what is given alone, so that the same question in the same state has the same answer. */
export function answer(asked: Asked, allowed: Allowed): Answered {
  const { carriers, consulted } = asked;
  const budget = budgetOf(allowed);
  const price = currentPrice(asked, allowed);
  if (price <= free) return { exists: carriers.size >= allowed.least, charges: new Map(), consults: [] };
  const counting = consulted ? [...carriers].filter(([carrier]) => !consulted.has(carrier)) : [...carriers];
  const charges = new Map<string, number>();
  for (const [carrier, spent] of counting) if (spent + price <= budget) charges.set(carrier, spent + price);
  const exists = charges.size >= allowed.least;
  return { exists, charges: exists ? charges : new Map(), consults: isRefused(asked, allowed) ? [] : names(counting) };
}

function names(carriers: readonly [string, number][]): string[] {
  return carriers.map(([name]) => name);
}

/** Whether the answer is "no" whoever carries the alleles: they are too rare. */
function isRefused(asked: Asked, allowed: Allowed): boolean {
  return crowdPrice(asked, allowed, { people: asked.people, least: allowed.least }) > budgetOf(allowed);
}

/** The price for the whole crowd, or for the newcomers on whom the answer depends, whichever is more. */
function currentPrice(asked: Asked, allowed: Allowed): number {
  const { carriers, people, newcomers = [], consulted } = asked;
  const { least } = allowed;
  const budget = budgetOf(allowed);
  let price = crowdPrice(asked, allowed, { people, least });
  for (;;) {
    // Older carriers who cannot pay do not count, so that more depends on newcomers.
    const pays = (name: string) =>
      price <= free || (!consulted?.has(name) && (carriers.get(name) ?? 0) + price <= budget);
    // A smaller crowd costs more: of publications on which as many depend, the latest decides.
    const crowds = new Map<number, number>();
    let paying = 0;
    for (const { people: late, older } of newcomers.toReversed()) {
      paying += older.filter(pays).length;
      if (paying >= least) break;
      crowds.set(least - paying, late);
    }
    const prices = [...crowds].map(([needed, late]) => crowdPrice(asked, allowed, { people: late, least: needed }));
    const dearest = Math.max(price, ...prices);
    if (dearest <= price || dearest > budget) return dearest;
    price = dearest;
  }
}

/** The price if only those count who can pay it; infinite if they are too few. */
function crowdPrice(
  { spent, share, consulted }: Asked,
  { budget }: Allowed,
  { people, least }: { people: number; least: number },
): number {
  let crowd = people;
  for (;;) {
    const price = priceOf({ people: crowd, share, least });
    if (price <= free) return price;
    // Some may be both, or none of the newcomers: a crowd that is too small is on the safe side.
    const out = (consulted?.size ?? 0) + sum(spent, (one) => one.spent + price > -Math.log(budget));
    const able = Math.max(0, people - out);
    if (able >= crowd) return price;
    crowd = able;
  }
}

function sum(spent: readonly SpentBy[], counts: (one: SpentBy) => boolean): number {
  return spent.reduce((total, one) => (counts(one) ? total + one.people : total), 0);
}

/** What is left to pay back of an amount spent `days` ago, if half of it is given back every `halfLife` days. */
export function decayed(spent: number, days: number, halfLife: number): number {
  return days > 0 ? spent * 2 ** (-days / halfLife) : spent;
}
