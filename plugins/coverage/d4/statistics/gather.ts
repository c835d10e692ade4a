import { type Histogram, merge } from './histogram.js';
import { describe, emptyResults, needsHistogram, type Question, type Results, roomFor } from './results.js';
import type { Share } from './shares.js';

/** What is asked about a part of a piece: its percentiles mean nothing, so it brings its histogram. */
export function shareQuestion({ partial }: Share, question: Question): Question {
  if (!partial || !needsHistogram(question)) return question;
  return { ...question, range: false, percentiles: [], histogram: true };
}

/** Puts the shares' results together. */
export class Gathered {
  readonly #results: Results;
  readonly #question: Question;
  readonly #parts = new Map<number, Histogram[]>();

  constructor(count: number, question: Question) {
    this.#results = emptyResults(count, question);
    this.#question = question;
  }

  /** Where a share's answers belong: whole pieces write theirs straight into the result. */
  room(share: Share): Results {
    const { first, pieces, partial } = share;
    if (partial) return emptyResults(1, shareQuestion(share, this.#question));
    return roomFor(this.#results, first, first + pieces.begin.length, this.#question);
  }

  /** Takes a share's answers, once its room is filled. */
  add({ first, partial }: Share, room: Results, histograms: readonly Histogram[]): void {
    const { sums, counts } = this.#results;
    if (partial) {
      sums[first] = (sums[first] as number) + (room.sums[0] as number);
      const at = first * room.counts.length;
      for (let t = 0; t < room.counts.length; t++) {
        counts[at + t] = (counts[at + t] as number) + (room.counts[t] as number);
      }
      this.#parts.set(first, [...(this.#parts.get(first) ?? []), ...histograms]);
    } else {
      for (let i = 0; i < histograms.length; i++) this.#results.histograms[first + i] = histograms[i] as Histogram;
    }
  }

  finish(): Results {
    for (const [target, parts] of this.#parts) {
      if (parts.length > 0) describe(this.#results, target, merge(parts), this.#question);
    }
    return this.#results;
  }
}
