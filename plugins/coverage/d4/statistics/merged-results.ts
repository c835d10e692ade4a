/** Merges the results of shares into those of the whole sweep. */
import { type Histogram, merge } from './histogram.js';
import { describe, emptyResults, needsHistogram, type Question, type Results, roomFor } from './results.js';
import { checkNumber, joinRuns, type PieceRuns } from './seek.js';
import type { Share } from './shares.js';

/** The question for a part of a piece: its histogram instead of percentiles, and its runs however short, since they may continue. */
export function shareQuestion({ partial }: Share, question: Question): Question {
  if (!partial) return question;
  const search = question.search && { ...question.search, partial: true };
  if (!needsHistogram(question)) return { ...question, search };
  return { ...question, search, range: false, percentiles: [], histogram: true };
}

/** Collects the results of shares. */
export class MergedResults {
  readonly #results: Results;
  readonly #question: Question;
  readonly #parts = new Map<number, Histogram[]>();
  readonly #runs = new Map<number, PieceRuns[]>();
  readonly #place: string;

  /** `place` names the file in errors. */
  constructor(count: number, question: Question, place: string) {
    this.#place = place;
    this.#results = emptyResults(count, question);
    this.#question = question;
  }

  /** The room for the results of a share: whole pieces write directly into the final result. */
  room(share: Share): Results {
    const { first, pieces, partial } = share;
    if (partial) return emptyResults(1, shareQuestion(share, this.#question));
    return roomFor(this.#results, first, first + pieces.begin.length, this.#question);
  }

  /** Adds the results of a share, once its room is filled. */
  add({ first, partial }: Share, room: Results, { histograms, runs }: Pick<Results, 'histograms' | 'runs'>): void {
    const { sums, counts } = this.#results;
    if (this.#question.pooled) this.#addParts(0, histograms);
    else if (partial) {
      if (this.#question.sums) sums[first] = (sums[first] as number) + (room.sums[0] as number);
      const at = first * room.counts.length;
      for (let t = 0; t < room.counts.length; t++) {
        counts[at + t] = (counts[at + t] as number) + (room.counts[t] as number);
      }
      this.#addParts(first, histograms);
      append(this.#runs, first, runs);
    } else {
      for (let i = 0; i < histograms.length; i++) this.#results.histograms[first + i] = histograms[i] as Histogram;
      for (let i = 0; i < runs.length; i++) this.#results.runs[first + i] = runs[i] as PieceRuns;
    }
  }

  #addParts(target: number, parts: readonly Histogram[]): void {
    append(this.#parts, target, parts);
  }

  finish(): Results {
    for (const [target, parts] of this.#parts) {
      if (parts.length > 0) describe(this.#results, target, merge(parts), this.#question);
    }
    const { search } = this.#question;
    if (search) {
      const { runs } = this.#results;
      for (const [target, parts] of this.#runs) runs[target] = joinRuns(parts, search.minLength);
      const found = runs.reduce((sum, { length }) => sum + length / 2, 0);
      checkNumber(found, search.most, this.#place);
    }
    return this.#results;
  }
}

function append<Value>(lists: Map<number, Value[]>, at: number, values: readonly Value[]): void {
  const list = lists.get(at);
  if (list === undefined) lists.set(at, [...values]);
  else for (const value of values) list.push(value);
}
