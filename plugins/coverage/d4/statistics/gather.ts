import { type Histogram, merge } from './histogram.js';
import { describe, emptyResults, needsHistogram, type Question, type Results } from './results.js';
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

  add({ targets, partial }: Share, results: Results): void {
    const whole = this.#results;
    const { thresholds, percentiles } = this.#question;
    targets.forEach((target, i) => {
      whole.sums[target] = (whole.sums[target] as number) + (results.sums[i] as number);
      thresholds.forEach((_, t) => {
        const at = target * thresholds.length + t;
        whole.counts[at] = (whole.counts[at] as number) + (results.counts[i * thresholds.length + t] as number);
      });
      const histogram = results.histograms[i];
      if (partial) {
        if (histogram) this.#parts.set(target, [...(this.#parts.get(target) ?? []), histogram]);
        return;
      }
      if (histogram) whole.histograms[target] = histogram;
      if (this.#question.range) {
        whole.min[target] = results.min[i] as number;
        whole.max[target] = results.max[i] as number;
      }
      percentiles.forEach((_, p) => {
        whole.percentiles[target * percentiles.length + p] = results.percentiles[i * percentiles.length + p] as number;
      });
    });
  }

  finish(): Results {
    for (const [target, parts] of this.#parts) describe(this.#results, target, merge(parts), this.#question);
    return this.#results;
  }
}
