/** Counts questions about protected datasets for their operators, in memory, and adds them to the storage now and then. */
import type { AccountTally, ProtectionRepository } from './contract.js';

export class Tallies {
  readonly #repository: Pick<ProtectionRepository, 'count'>;
  #counted = new Map<string, Map<string, AccountTally>>();

  constructor(repository: Pick<ProtectionRepository, 'count'>) {
    this.#repository = repository;
  }

  add(dataset: string, account: string, isHit: boolean): void {
    this.#add(dataset, { account, questions: 1, hits: isHit ? 1 : 0 });
  }

  /** What was counted since the last time. If it fails, it is kept for the next. */
  async store(): Promise<void> {
    const counted = this.#counted;
    this.#counted = new Map();
    for (const [dataset, tallies] of counted) {
      try {
        await this.#repository.count(dataset, [...tallies.values()]);
        counted.delete(dataset);
      } catch (error) {
        for (const [left, again] of counted) for (const tally of again.values()) this.#add(left, tally);
        throw error;
      }
    }
  }

  #add(dataset: string, { account, questions, hits }: AccountTally): void {
    const tallies = this.#counted.get(dataset) ?? new Map<string, AccountTally>();
    const before = tallies.get(account) ?? { questions: 0, hits: 0 };
    this.#counted.set(dataset, tallies);
    tallies.set(account, { account, questions: before.questions + questions, hits: before.hits + hits });
  }
}
