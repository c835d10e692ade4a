/** Counts, place by place, the samples that cover it. */
import type { CoveredCounts, CoveredPlace } from './service.js';
import { addCovered, countsOf, isCovered, sortedPlaces } from './sweep.js';
import type { Divided, Window } from './windows.js';

/** A sample whose coverage is known. */
export interface Member {
  id: string;
  /** Its number among all members. */
  number: number;
  group: number;
}

export class Tally {
  readonly #places: readonly CoveredPlace[];
  readonly #members: readonly Member[];
  /** Members of each group. */
  readonly #sizes: readonly number[];
  /** For each place, the covered members of each group. */
  readonly #covered: number[][];
  /** For places of several pieces, the members that lack one: a bit for each. */
  readonly #lacking = new Map<number, Uint8Array>();
  /** For places with named samples, those that are not covered. */
  readonly #below = new Map<number, Set<string>>();

  constructor(places: readonly CoveredPlace[], members: readonly Member[], groups: number) {
    this.#places = places;
    this.#members = members;
    const sizes = Array.from({ length: groups }, () => 0);
    for (const { group } of members) sizes[group] = (sizes[group] as number) + 1;
    this.#sizes = sizes;
    this.#covered = places.map(() => sizes.map(() => 0));
  }

  /** Counts in one window; `add` takes the runs of each member there, and `end` completes the counts. */
  in(window: Window): { add(member: Member, runs: Uint32Array): void; end(): void } {
    const { whole, parts } = window;
    const sorted = sortedPlaces(whole);
    const changes = this.#sizes.map(() => new Int32Array(whole.length + 1));
    const named = this.#namedIn(whole);
    return {
      add: (member, runs) => {
        addCovered(sorted, runs, changes[member.group] as Int32Array);
        for (const { place, start, end } of named.get(member.id) ?? []) {
          if (!isCovered(runs, start, end)) this.#note(place, member.id);
        }
        for (const { place, start, end } of parts) {
          if (!isCovered(runs, start, end)) this.#lack(place, member.number);
        }
      },
      end: () => {
        for (const [group, list] of changes.entries()) {
          const counts = countsOf(list);
          for (const [i, { place }] of whole.entries()) (this.#covered[place] as number[])[group] = counts[i] as number;
        }
      },
    };
  }

  /** After all windows. */
  counts({ windows, beyond }: Divided): CoveredCounts[] {
    for (const place of new Set(windows.flatMap(({ parts }) => parts.map(({ place }) => place)))) this.#join(place);
    const known = new Set(this.#members.map(({ id }) => id));
    for (const place of beyond) this.#below.set(place, known);
    return this.#places.map(({ named = [] }, place) => ({
      covered: this.#covered[place] as number[],
      below: named.filter((id) => known.has(id) && (this.#below.get(place)?.has(id) ?? false)),
    }));
  }

  /** Counts the members that lack no piece of the place. */
  #join(place: number): void {
    const counts = [...this.#sizes];
    const lacking = this.#lacking.get(place);
    const named = new Set(this.#places[place]?.named);
    if (lacking !== undefined) {
      for (const { id, number, group } of this.#members) {
        if (((lacking[number >> 3] as number) & (1 << (number & 7))) === 0) continue;
        counts[group] = (counts[group] as number) - 1;
        if (named.has(id)) this.#note(place, id);
      }
    }
    this.#covered[place] = counts;
  }

  /** The pieces at which it is asked about a sample, by its id. */
  #namedIn(whole: Window['whole']): Map<string, Window['whole']> {
    const found = new Map<string, Window['whole']>();
    for (const piece of whole) {
      for (const id of this.#places[piece.place]?.named ?? []) {
        const list = found.get(id);
        if (list === undefined) found.set(id, [piece]);
        else list.push(piece);
      }
    }
    return found;
  }

  #note(place: number, id: string): void {
    const ids = this.#below.get(place);
    if (ids === undefined) this.#below.set(place, new Set([id]));
    else ids.add(id);
  }

  #lack(place: number, number: number): void {
    let bits = this.#lacking.get(place);
    if (bits === undefined) {
      bits = new Uint8Array((this.#members.length >> 3) + 1);
      this.#lacking.set(place, bits);
    }
    bits[number >> 3] = (bits[number >> 3] as number) | (1 << (number & 7));
  }
}
