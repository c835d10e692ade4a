/**
 * The price of a yes to a yes/no question, and how its carriers pay it. Each person of a dataset has a budget for each account;
 * carriers who cannot pay do not count, as if they were not in the dataset. The price follows from how common the alleles are.
 * For each region of the genome a person counts once for each account: neighbouring alleles occur together, so that a second
 * answer would reveal who paid for the first.
 */

/** What an account may learn about each person of a dataset. */
export interface SpendingRules {
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

interface SpendingQuestion {
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

export interface SpendingAnswer {
  exists: boolean;
  /** What each carrier who counted has spent from now on, in nats; empty if nothing is spent. */
  charges: ReadonlyMap<string, number>;
  /**
   * Carriers who are consulted by the question, whether they can pay or not, and whatever the answer is. Empty if the
   * answer does not depend on who carries the allele.
   */
  consults: readonly string[];
}

/** Prices up to this one, in nats, are not charged: 5,000 such answers change the odds by less than half a percent. */
export const free = 1e-6;

/** In nats. */
export function budgetOfRules({ budget }: Pick<SpendingRules, 'budget'>): number {
  return -Math.log(budget);
}

/** Decides by what is given alone, so that the same question in the same state has the same answer. */
export function answerBySpending(asked: SpendingQuestion, allowed: SpendingRules): SpendingAnswer {
  const { carriers, consulted } = asked;
  const budget = budgetOfRules(allowed);
  const price = currentPrice(asked, allowed);
  if (price <= free) return { exists: carriers.size >= allowed.least, charges: new Map(), consults: [] };
  const counting = consulted ? [...carriers].filter(([carrier]) => !consulted.has(carrier)) : [...carriers];
  const charges = new Map<string, number>();
  for (const [carrier, spent] of counting) if (spent + price <= budget) charges.set(carrier, spent + price);
  const exists = charges.size >= allowed.least;
  return {
    exists,
    charges: exists ? charges : new Map(),
    consults: isRefused(asked, allowed) ? [] : namesOf(counting),
  };
}

function namesOf(carriers: readonly [string, number][]): string[] {
  return carriers.map(([name]) => name);
}

/** Whether the answer is "no" regardless of the carriers: the alleles are too rare. */
function isRefused(asked: SpendingQuestion, allowed: SpendingRules): boolean {
  return crowdPrice(asked, allowed, { people: asked.people, least: allowed.least }) > budgetOfRules(allowed);
}

/** The price for the whole crowd, or for the newcomers on whom the answer depends, whichever is more. */
function currentPrice(asked: SpendingQuestion, allowed: SpendingRules): number {
  const { carriers, people, newcomers = [], consulted } = asked;
  const { least } = allowed;
  const budget = budgetOfRules(allowed);
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
  { spent, share, consulted }: SpendingQuestion,
  { budget }: SpendingRules,
  { people, least }: { people: number; least: number },
): number {
  let crowd = people;
  for (;;) {
    const price = priceOfQuestion({ people: crowd, share, least });
    if (price <= free) return price;
    // Some may be both, or none of the newcomers: a crowd that is too small is on the safe side.
    const out = (consulted?.size ?? 0) + sumOfNats(spent, (one) => one.spent + price > -Math.log(budget));
    const able = Math.max(0, people - out);
    if (able >= crowd) return price;
    crowd = able;
  }
}

function sumOfNats(spent: readonly SpentBy[], counts: (one: SpentBy) => boolean): number {
  return spent.reduce((total, one) => (counts(one) ? total + one.people : total), 0);
}

/** What is left to pay back of an amount spent `days` ago, if half of it is given back every `halfLife` days. */
export function decayedSpending(spent: number, days: number, halfLife: number): number {
  return days > 0 ? spent * 2 ** (-days / halfLife) : spent;
}

// What a "yes" reveals about membership: how unlikely it is for a dataset without the person that the client has in mind.

/** A yes/no question, as seen by someone who knows how common its alleles are. */
interface PricedQuestion {
  /** People of the dataset who may count as carriers. */
  people: number;
  /** Share of all people, from 0 to 1, who carry at least one of the alleles that the question is about. */
  share: number;
  /** Number of carriers from which on the answer is "yes". */
  least: number;
}

/**
 * The price of a "yes" in nats: −log P(Bin(people, share) ≥ least), where the probability is that of a "yes" from as many people
 * drawn at random. A "yes" multiplies the odds that a carrier is a member by at most e^price, so that the odds of a
 * person change by at most e^budget in all. 0 if the answer is certain, infinite if it is impossible.
 */
export function priceOfQuestion({ people, share, least }: PricedQuestion): number {
  if (least <= 0) return 0;
  if (!(share > 0) || people < least) return Number.POSITIVE_INFINITY;
  if (share >= 1) return 0;
  const fewer = fewerThan(people, share, least);
  return fewer < 0.5 ? -Math.log1p(-fewer) : -Math.log(atLeast(people, share, least));
}

/** P(Bin(people, share) < least), exact to rounding while it is small. */
function fewerThan(people: number, share: number, least: number): number {
  const odds = share / (1 - share);
  let log = people * Math.log1p(-share);
  let sum = 0;
  for (let count = 0; count < least; count++) {
    sum += Math.exp(log);
    log += Math.log((people - count) / (count + 1)) + Math.log(odds);
  }
  return Math.min(1, sum);
}

/** P(Bin(people, share) ≥ least), exact to rounding while it is small: terms fall from the first on, or soon after. */
function atLeast(people: number, share: number, least: number): number {
  const odds = share / (1 - share);
  let log = people * Math.log1p(-share);
  for (let count = 0; count < least; count++) log += Math.log((people - count) / (count + 1)) + Math.log(odds);
  let term = Math.exp(log);
  let sum = 0;
  for (let count = least; count <= people && (term > sum * 1e-17 || count < people * share); count++) {
    sum += term;
    term *= ((people - count) / (count + 1)) * odds;
  }
  return Math.min(1, sum);
}

// How common alleles are among people in general: what the price of an answer rests on.

/** Alternate alleles counted in a reference population, or carriers in a dataset. */
export interface FrequencyCounts {
  /** How often it was seen. */
  seen: number;
  /** Out of how many. */
  of: number;
}

/** Standard errors below the estimate: an allele is taken to be rarer than counted, since rare ones cost more. */
const caution = 1.645;

/**
 * The lower bound of a share of which a sample shows `seen` out of `of` (Wilson's score interval, one-sided 5 %): never more
 * than was seen, and 0 if nothing was.
 */
export function lowerShare({ seen, of }: FrequencyCounts): number {
  if (of <= 0 || seen <= 0) return 0;
  const share = Math.min(1, seen / of);
  const square = (caution * caution) / of;
  const spread = caution * Math.sqrt((share * (1 - share)) / of + square / (4 * of));
  return Math.max(0, (share + square / 2 - spread) / (1 + square));
}

/** The share of people who carry an allele of this frequency, in Hardy–Weinberg proportions. */
export function carrierShare(frequency: number): number {
  return frequency * (2 - frequency);
}

interface DatasetFrequency {
  /** People of the dataset, and those of them who carry one of the matching alleles. */
  people: number;
  carriers: number;
  /** The commonest of the matching alleles in a reference population, in copies; undefined if no reference is configured. */
  reference?: FrequencyCounts;
}

/**
 * The share of all people who carry one of the matching alleles, rather too small than too large. Without a reference it comes
 * from the dataset less the one carrier whom a client may be after: an allele without other carriers there may be private.
 */
export function knownShare({ people, carriers, reference }: DatasetFrequency): number {
  if (reference) return carrierShare(lowerShare(reference));
  return lowerShare({ seen: carriers - 1, of: people - 1 });
}

// Who came with which publication of a dataset.

/** Publications, the latest first, with the number of people who came with each or later; kept for each list of people. */
const publicationsKnown = new WeakMap<ReadonlyMap<string, number>, readonly { since: number; people: number }[]>();

/**
 * For each publication but the first, the latest first: how many people came with it or later, and which of the carriers came with
 * the one before. A dataset may have a publication for every few people, and every person may count as a carrier.
 */
export function newcomersOfPublications(
  published: ReadonlyMap<string, number>,
  carriers: readonly string[],
): Newcomers[] {
  const publications = publicationsOf(published);
  const cameWith = new Map<number, string[]>(publications.map(({ since }) => [since, []]));
  for (const name of carriers) cameWith.get(published.get(name) ?? 0)?.push(name);
  const older = publications.slice(1).map(({ since }) => cameWith.get(since) ?? []);
  return older.map((carriersBefore, i) => ({ people: publications[i]?.people ?? 0, older: carriersBefore }));
}

function publicationsOf(published: ReadonlyMap<string, number>): readonly { since: number; people: number }[] {
  let publications = publicationsKnown.get(published);
  if (!publications) {
    const counts = new Map<number, number>();
    for (const since of published.values()) counts.set(since, (counts.get(since) ?? 0) + 1);
    const latestFirst = [...counts].sort(([one], [other]) => other - one);
    let people = 0;
    publications = latestFirst.map(([since, count]) => {
      people += count;
      return { since, people };
    });
    publicationsKnown.set(published, publications);
  }
  return publications;
}
