/**
 * beacon-protection@1: what callers without a grant may learn of protected datasets. It keeps which samples are published, and
 * what the answers to each caller have cost the people of a dataset, region by region. Stored only if a dataset is protected.
 */
import { type Contract, defineContract } from '../../../core/storage.js';
import type { Contig } from '../domain/allele.js';
import type { AlleleQuery } from '../domain/allele-query.js';
import type { Search } from '../domain/sample.js';
import type { AnnotatedCall } from '../vcf/consequences/contract.js';
import type { PhasesOfSamples } from '../vcf/depths/contract.js';
import {
  answerBySpending,
  decayedSpending,
  type Newcomers,
  type SpendingAnswer,
  type SpendingRules,
  type SpentBy,
} from './spend.js';

/** Totals of a dataset when it was last published. */
export interface PublishedTotals {
  /** Distinct alleles. */
  alleles: number;
  /** Alternate alleles called, over all samples. */
  calls: number;
  /** Samples. */
  samples: number;
}

/** What is published of a dataset. */
export interface Publication {
  dataset: string;
  /** When the dataset was added: that of another dataset, which had the same id before, does not apply. */
  created: Date;
  /** Increases by one with each publication and each `forget`, whomever it is about, from 1. */
  generation: number;
  /** When it was last published. */
  at: Date;
  totals: PublishedTotals;
  /** Published samples that were not forgotten since: those that answers are about. */
  people: number;
  /** From `hold` to the next publication: what the dataset has is then of neither of the two. */
  held?: true;
}

/** A publication to store: it replaces all that was published of the dataset. */
export interface Publishing {
  dataset: string;
  created: Date;
  /** Each once. */
  samples: readonly string[];
  totals: PublishedTotals;
  /** Numbers of waiting loads whose calls the dataset has by now: their samples count as published by this publication first. */
  brings?: readonly number[];
}

/** Calls of samples that are published, which take the place of those they have with the next publication. */
export interface WaitingLoad {
  /** In the order in which loads are to be brought in. */
  number: number;
  samples: readonly string[];
  search: Search;
}

/** A load that begins to wait. */
export interface LoadToWait extends Pick<Publishing, 'dataset' | 'created'> {
  /** To which the carriers' indexes refer; each once. */
  samples: readonly string[];
}

/** What an answer is about, and for whom. */
export interface Asking {
  dataset: string;
  /** `accountOf` the caller. */
  account: string;
  /** Identifies the event that a yes reveals: the same text for the same matching alleles and carriers. */
  event: string;
  /** The same event before alleles of the dataset got another form: one that is remembered answers for `event`, too. */
  formerly?: readonly string[];
  /** Published samples that carry a matching allele, each once. */
  carriers: readonly string[];
  /** Where the question looks for alleles. */
  region: Region;
}

/** How an answer is decided. */
export interface AnswerRule {
  /** What the account may learn about each person. */
  allowed: SpendingRules;
  /** Published people of the dataset, carriers and others. */
  people: number;
  /** Share of all people, from 0 to 1, who carry one of the matching alleles. */
  share: number;
  /** Those of the people who were published after the first, if the dataset has had several publications. */
  newcomers?: readonly Newcomers[];
  /** Days after which half of what was spent is given back; nothing ever is if omitted. */
  renewDays?: number;
}

/** What an account has spent, in nats, when it last spent it. */
export interface Spent {
  spent: number;
  at: Date;
}

/** What an account has spent of the budgets of a dataset's people: the state that an answer is decided in. */
export interface Spendings {
  /** Of single carriers; one who is missing has spent nothing. */
  carriers: ReadonlyMap<string, Spent>;
  /** Of all people, carriers included, by amount; amounts may be rounded up, and days down to the last of a group. */
  people: readonly (Spent & Pick<SpentBy, 'people'>)[];
  /** Who was consulted by earlier questions in a stretch of the region `around` the question. */
  consulted: ReadonlySet<string>;
}

export interface Decision extends SpendingAnswer {
  /** Whether the yes is to be remembered, so that its event is charged once. */
  remember: boolean;
}

const dayMs = 86_400_000;

/** Decides an answer: the one rule of every storage adapter. */
export function decided(
  { carriers }: Pick<Asking, 'carriers'>,
  rule: AnswerRule,
  now: Date,
  state: Spendings,
): Decision {
  const { allowed, people, share, newcomers, renewDays } = rule;
  const left = ({ spent, at }: Spent) =>
    renewDays === undefined ? spent : decayedSpending(spent, (now.getTime() - at.getTime()) / dayMs, renewDays);
  const before = new Map(carriers.map((name) => [name, spentOf(state.carriers.get(name), left)]));
  const spent = state.people.map((one) => ({ spent: left(one), people: one.people }));
  const decision = answerBySpending(
    { carriers: before, people, spent, share, newcomers, consulted: state.consulted },
    allowed,
  );
  // A repetition must never turn into a no: it would show that a carrier paid for other questions in between.
  return { ...decision, remember: decision.charges.size > 0 };
}

function spentOf(known: Spent | undefined, left: (spent: Spent) => number): number {
  return known === undefined ? 0 : left(known);
}

/** What one caller's answers have cost the people of a dataset. */
export interface AccountSpending {
  account: string;
  /** Samples of which anything is spent. */
  people: number;
  /** Over all of them, as stored; renewal does not count. */
  spent: number;
  /** The most of a single sample. */
  most: number;
  /** When the account last spent. */
  last: Date;
}

/** How often one caller asked about a dataset. */
export interface AccountTally {
  account: string;
  questions: number;
  /** Those that were answered with yes. */
  hits: number;
}

export interface ProtectionRepository {
  /** What is published, by dataset, ascending in code-unit order. */
  publications(): Promise<Publication[]>;
  /**
   * The published samples of a dataset in code-unit order, and their generation; undefined if nothing is published. `since` has
   * for each sample the generation since which it has been published without a break.
   */
  published(dataset: string): Promise<{ generation: number; samples: string[]; since: number[] } | undefined>;
  /**
   * Publishes these samples, and forgets the loads that it brings. Visible at once. Ends a `hold`. Those of them that were to leave are to leave still. With `after`, changes nothing
   * and returns false unless that is the generation of what is published of this dataset (`created` included; 0 if nothing is):
   * of several processes, one begins, and names that were read before a `forget` are not published after it. What was spent
   * stays, also of samples that are not published any more.
   */
  publish(publishing: Publishing, now: Date, options?: { after: number }): Promise<boolean>;
  /** Notes that these published samples are to leave with the next publication; others are ignored. */
  withdraw(dataset: string, samples: readonly string[]): Promise<void>;
  /** The published samples that are to leave, in code-unit order. */
  leaving(dataset: string): Promise<string[]>;
  /** Notes that what the dataset has is about to change for a publication (`held`). */
  hold(dataset: string): Promise<void>;
  /**
   * Begins a load that is to wait, and returns its number. `created` is when the dataset was added. Loads that were begun more than
   * a day before and are not whole are forgotten.
   */
  beginLoad(load: LoadToWait, now: Date): Promise<number>;
  /** Adds alleles to a load. Throws a `conflict` fault if it was forgotten, or one of its samples. */
  addToLoad(number: number, alleles: readonly AnnotatedCall[]): Promise<void>;
  /** Adds phases of its samples, each pair once, in the same way. */
  addPhasesToLoad(number: number, phases: PhasesOfSamples): Promise<void>;
  /**
   * Completes a load: it waits from now on. Forgets it without a `search`; else throws a `conflict` fault if it was forgotten, or
   * one of its samples.
   */
  endLoad(number: number, search: Search | undefined): Promise<void>;
  /** The complete loads that wait in a dataset, by number ascending. */
  loads(dataset: Pick<Publishing, 'dataset' | 'created'>): Promise<WaitingLoad[]>;
  /**
   * The alleles of a complete load, as they were added. Throws a `conflict` fault at the end unless the load is still there with the
   * same samples: what was read is then not to be used.
   */
  allelesOfLoad(number: number): AsyncIterable<readonly AnnotatedCall[]>;
  /** The phases of the samples that a load still has; empty if it was forgotten. */
  phasesOfLoad(number: number): Promise<PhasesOfSamples>;
  /**
   * Takes these samples out of the loads of a dataset, with annotations of alleles that only they carry, and forgets loads without
   * any, and those that are not complete.
   */
  dropFromLoads(dataset: string, samples: readonly string[]): Promise<void>;
  /** Forgets all that is stored about samples, in all datasets, and their waiting calls; they are published no longer. */
  forget(samples: readonly string[]): Promise<void>;
  /** Forgets all that is stored about a dataset. */
  drop(dataset: string): Promise<void>;
  /**
   * Decides one answer (`decided`), stores its charges and notes who was consulted in each stretch of the question's region, in one
   * transaction: concurrent answers, of any process, never spend more than the budget of a carrier. A no costs nothing; those
   * who were consulted are noted all the same, and never forgotten but by `forget` and `drop`. An event that is remembered for
   * this account is not charged again: the answer is yes as long as there are enough carriers.
   */
  answer(asking: Asking, rule: AnswerRule, now: Date): Promise<boolean>;
  /** What each account has spent of a dataset, by account. */
  spending(dataset: string): Promise<AccountSpending[]>;
  /** Adds to the tallies of a dataset. */
  count(dataset: string, tallies: readonly AccountTally[]): Promise<void>;
  /** The tallies of a dataset, by account; without those that never asked. */
  tallies(dataset: string): Promise<AccountTally[]>;
}

export const beaconProtection: Contract<ProtectionRepository> = defineContract<ProtectionRepository>(
  'beacon-protection@1',
  {
    publications: 'needed',
    published: 'needed',
    publish: 'needed',
    withdraw: 'needed',
    leaving: 'needed',
    hold: 'needed',
    beginLoad: 'needed',
    addToLoad: 'needed',
    addPhasesToLoad: 'needed',
    endLoad: 'needed',
    loads: 'needed',
    allelesOfLoad: 'needed',
    phasesOfLoad: 'needed',
    dropFromLoads: 'needed',
    forget: 'needed',
    drop: 'needed',
    answer: 'needed',
    spending: 'needed',
    count: 'needed',
    tallies: 'needed',
  },
);

// Regions of the genome within which alleles occur together: for each account, a person counts once in each.

/** Neighbouring stretches of a contig of `stretch` bases each, by number from 0. */
export interface Region {
  contig: Contig;
  /** The first and the last stretch, both included. */
  first: number;
  last: number;
}

/** In bases. Linkage reaches from one stretch to the next as well, see `around`. */
const stretch = 1_000_000;

/** The longest chromosome has 249 million bases. */
const lastStretch = 249;

/** The stretches that a question is about, whatever a dataset has there. */
export function regionOfQuery({ contig, start, end, overlaps }: AlleleQuery): Region {
  const low = Math.max(start?.min ?? 0, overlaps?.start ?? 0);
  const high = Math.min(...[start?.max, end?.max, overlaps?.end].map((one) => one ?? Number.POSITIVE_INFINITY));
  const first = stretchAt(low);
  return { contig, first, last: Math.max(first, stretchAt(high)) };
}

function stretchAt(position: number): number {
  return Math.min(lastStretch, Math.max(0, Math.floor(position / stretch)));
}

/** With the stretch before and the one after: people who were consulted in one of them do not count. */
export function around({ contig, first, last }: Region): Region {
  return { contig, first: first - 1, last: last + 1 };
}

/** The numbers of its stretches. */
export function stretchNumbers({ first, last }: Region): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
