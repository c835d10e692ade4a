/**
 * Holds a change that would bring too many cases onto the list, until a person agrees. It is told of each finding that a run would
 * add, by the change that it comes from; nothing of a change that waits is applied, by whichever run.
 */
import type { CaseKey, HeldChange, Reason } from '../contract.js';

export interface GuardRules {
  /** Share of the watched cases that one change may add findings to. */
  share: number;
  /** Below this number of watched cases nothing is held. */
  least: number;
}

export const guardRules: GuardRules = { share: 0.05, least: 20 };

/** For how long a person's yes to a change without a release counts. */
const agreementMs = 24 * 60 * 60 * 1000;

interface Count {
  cases: Set<string>;
  owners: Set<string | undefined>;
  byReason: Map<Reason, Set<string>>;
}

export class Guard {
  readonly #held: readonly HeldChange[];
  readonly #counts = new Map<string, Count>();
  readonly #watched: number;
  readonly #rules: GuardRules;
  readonly #at: Date;

  constructor(held: readonly HeldChange[], watched: number, rules: GuardRules, at: Date) {
    this.#held = held;
    this.#watched = watched;
    this.#rules = rules;
    this.#at = at;
  }

  /** Whether a person agreed to what this change adds. */
  isAgreed(change: string): boolean {
    return this.#of(change).some(
      ({ id, agreed }) => agreed && (id === change || this.#at.getTime() - agreed.at.getTime() < agreementMs),
    );
  }

  /** Counts a case to which the change would add a finding. */
  add(change: string, { owner, case: name }: CaseKey, reason: Reason): void {
    const count = this.#counts.get(change) ?? { cases: new Set(), owners: new Set(), byReason: new Map() };
    this.#counts.set(change, count);
    const key = JSON.stringify([owner, name]);
    const cases = count.byReason.get(reason) ?? new Set();
    count.byReason.set(reason, cases.add(key));
    count.cases.add(key);
    count.owners.add(owner);
  }

  /** Whether the change waits for a person, by what is known so far. */
  holds(change: string): boolean {
    if (this.isAgreed(change)) return false;
    return this.#of(change).some(({ agreed }) => !agreed) || this.#isTooMuch(change);
  }

  /** The changes that wait, with what this run saw of them. */
  held(): Omit<HeldChange, 'agreed'>[] {
    return [...this.#counts].flatMap(([change, { cases, owners, byReason }]) => {
      // Of one that waits already, a run over a part of the cases says less than what is stored.
      if (!this.holds(change) || !this.#isTooMuch(change)) return [];
      const waiting = this.#of(change).find(({ agreed }) => !agreed);
      const [owner] = owners.size === 1 ? owners : [];
      return [
        {
          id: waiting?.id ?? this.#newId(change),
          ...(owner !== undefined && { owner }),
          found: waiting?.found ?? this.#at,
          byReason: Object.fromEntries([...byReason].map(([reason, of]) => [reason, of.size])),
          cases: cases.size,
          watched: this.#watched,
        },
      ];
    });
  }

  /** Ids of changes that wait, and of which this run saw nothing. */
  outdated(): string[] {
    const seen = new Set([...this.#counts.keys()].flatMap((change) => this.#of(change)));
    return this.#held.filter((one) => !one.agreed && !seen.has(one)).map(({ id }) => id);
  }

  #isTooMuch(change: string): boolean {
    const { share, least } = this.#rules;
    const cases = this.#counts.get(change)?.cases.size ?? 0;
    return this.#watched >= least && cases > share * this.#watched;
  }

  /** A change without a release can come again: its ids have the day. */
  #newId(change: string): string {
    return hasRelease(change) ? change : `${change} ${this.#at.toISOString().slice(0, 10)}`;
  }

  #of(change: string): readonly HeldChange[] {
    return this.#held.filter(({ id }) => id === change || (!hasRelease(change) && id.startsWith(`${change} `)));
  }
}

function hasRelease(change: string): boolean {
  return change.includes(' ');
}
