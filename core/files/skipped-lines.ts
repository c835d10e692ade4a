/** Lines that a reader leaves out: how many, for which reasons, and whether they are too many. */
import { Fault } from '../fault.js';
import { quoted } from './text-file.js';

/** The greatest part of the lines that may be left out for one reason. */
const mostSkipped = 0.05;

interface Skipped {
  count: number;
  /** The first such line. */
  line: number;
  text: string;
}

/** Counts the lines of one file, by kind (`genes`, `exons`) if it has several. */
export class SkippedLines<Reason extends string = string> {
  readonly #read = new Map<string, number>();
  readonly #skipped = new Map<string, Map<Reason, Skipped>>();

  read(kind: string): void {
    this.#read.set(kind, (this.#read.get(kind) ?? 0) + 1);
  }

  skip(kind: string, reason: Reason, line: number, text: string): void {
    const own = this.#skipped.get(kind) ?? new Map<Reason, Skipped>();
    this.#skipped.set(kind, own);
    const known = own.get(reason);
    if (known === undefined) own.set(reason, { count: 1, line, text });
    else known.count += 1;
  }

  /** Lines that were read, of all kinds. */
  get lines(): number {
    return [...this.#read.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Lines that were skipped, of all kinds: reason → count. */
  get reasons(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const own of this.#skipped.values())
      for (const [reason, { count }] of own) counts[reason] = (counts[reason] ?? 0) + count;
    return counts;
  }

  /**
   * Throws an `unprocessable` fault if more than one in twenty lines of a kind were skipped for one reason: the file is then
   * not what the reader takes it for. Lines that were skipped for the `expected` reasons do not count at all.
   */
  check(file: string, expected: readonly Reason[]): void {
    for (const [kind, own] of this.#skipped) {
      const counted = [...own].filter(([reason]) => !expected.includes(reason));
      const all = (this.#read.get(kind) ?? 0) + counted.reduce((sum, [, { count }]) => sum + count, 0);
      for (const [reason, { count, line, text }] of counted) {
        if (count <= mostSkipped * all) continue;
        throw new Fault(
          'unprocessable',
          `${file}: ${count} of ${all} lines of ${kind} would be left out (${reason}), the first of them line ${line}: ` +
            `${quoted(text)}. Nothing was changed. Force the load if the file is right`,
        );
      }
    }
  }
}
