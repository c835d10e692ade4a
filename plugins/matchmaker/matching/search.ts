/**
 * The best patients for a query, exactly, without looking at all of them.
 *
 * 1. Patients that share a gene, a position or a disorder are few: they are looked up, and their genotypes compared.
 * 2. The posting lists of the query's terms are added up, those first that have most information for their length. The
 *    leading patients are compared in full, first those of step 1: once not even a patient with all remaining terms could
 *    beat them, no new patient is considered.
 * 3. Of the patients met so far, those that could still be among the best are compared in full by the terms that they
 *    state, the most promising ones first; or, if they are too many, the remaining lists are added up as well.
 *
 * Upper bounds are computed by the same operations as scores; each of them is monotone, also in how it rounds, so that a
 * bound is never below a score that it stands for.
 */
import type { Profile } from './profile.js';
import {
  type ComparedKinds,
  emptySlotMass,
  type RelativeScores,
  relativesOfQuery,
  type SearchedIndex,
  type Sharer,
  sharesGene,
  type TermPostings,
  termListsOf,
  type Workspace,
} from './relatives.js';
import {
  Best,
  byRank,
  Greatest,
  type MatchScore,
  phenotypeSimilarity,
  type ScoreWeights,
  sharedFor,
  termSimilarity,
  weightedScore,
} from './score.js';
import type { Work } from './work.js';

export interface IndexSearchOptions {
  weights: ScoreWeights;
  /** The owners whose patients are compared (`PatientIndex.put`); all if omitted. */
  isWanted?: (owner: string | undefined) => boolean;
  /** Patients at most. */
  limit: number;
  /** Scores below are left out; 0 itself is, always. */
  threshold: number;
  /** Returns so many of the best that share a gene as well (score.ts), and counts all of them; if omitted, neither. */
  places?: number;
  /** Whose patients that share a gene are named if `places` and `limit` may leave them out, by owner; none if omitted. */
  isNamed?: (owner: string | undefined) => boolean;
}

export interface PatientHit {
  /** The patient's number in the store. */
  number: number;
  id: string;
  score: MatchScore;
}

export interface PatientHits {
  /** The best, and the best that share a gene, by rank. */
  hits: PatientHit[];
  /** Numbers of the latter; none if places are not wanted. */
  first: Set<number>;
  /** Patients that share a gene and reach the threshold, if wanted; else 0. */
  sharing: number;
  /** Those of them that are to be named, if some may be left out, in any order. */
  sharers: Sharer[];
}

// Costs in steps of `Work`; adding up an entry of a posting list is one.
/** Computing a total. */
const totalling = 2;
/** Comparing a patient with the query, besides the ancestors of its terms, and with those of usual terms. */
const [comparing, comparingAll] = [20, 120];
/** Making a hit, id included. */
const ranking = 50;

/** Leading patients that are compared in full at a time, besides as many as are wanted. */
const leading = 24;

/** One search. The index must not change, nor the workspace be used by another, until it is over. */
export class IndexSearch {
  readonly #index: SearchedIndex;
  readonly #space: Workspace;
  readonly #query: Profile;
  readonly #options: IndexSearchOptions;
  readonly #work: Work;
  /** Those of the patients that are compared. */
  readonly #kinds: ComparedKinds | undefined;
  /** Half of the information of the terms that the query states: so much can be shared beyond a patient's own. */
  readonly #stated: number;
  /** Patients that share more than terms: the first of those met. */
  #relatives: RelativeScores = { genotypes: [], disorders: [] };
  /** Information of the lists that were not added up yet, and the part of it that is for terms which the query states. */
  #rest = 0;
  #restStated = 0;
  /** No patient below this score is among the best. */
  #floor: number;

  constructor(index: SearchedIndex, space: Workspace, query: Profile, options: IndexSearchOptions, work: Work) {
    this.#index = index;
    this.#space = space;
    this.#query = query;
    this.#options = options;
    this.#work = work;
    this.#floor = options.threshold;
    this.#kinds = index.kindsOf(query.species, options.isWanted);
    this.#stated = query.stated.reduce((sum, term) => sum + (index.information.stated[term] as number), 0);
  }

  /** Best first. Genotypes that were compared before are given by slot; the others are compared here. */
  async run(genotypes: ReadonlyMap<number, number>): Promise<PatientHits> {
    if (this.#kinds === undefined) return { hits: [], first: new Set(), sharing: 0, sharers: [] };
    this.#space.makeRoom(this.#index.slots);
    this.#space.sharedTerms(this.#index.information).begin(this.#query);
    this.#relatives = await relativesOfQuery(this.#query, this.#index, this.#kinds, this.#space, this.#work, genotypes);
    const left = await this.#addUp(termListsOf(this.#query, this.#index));
    const hits = await this.#rank(await this.#contenders(left));
    const sharing = await this.#addSharing(hits);
    await this.#space.clear(this.#work);
    return { hits, ...sharing };
  }

  /** Adds the best that share a gene to the hits, if they are wanted; returns those who share one and reach the threshold. */
  async #addSharing(hits: PatientHit[]): Promise<Omit<PatientHits, 'hits'>> {
    const { places, limit, threshold, isNamed } = this.#options;
    if (places === undefined) return { first: new Set(), sharing: 0, sharers: [] };
    const [index, space, work] = [this.#index, this.#space, this.#work];
    const kinds = isNamed && index.kindsOf(this.#query.species, isNamed);
    const named = new Set<number>();
    const { met, flags } = space;
    const best = new Best<PatientHit>(Math.max(1, places));
    const reaches = (total: number) => total > 0 && total >= threshold;
    let sharing = 0;
    const count = (slot: number) => {
      sharing++;
      if (kinds?.[index.kindOf.at(slot)] === 1) named.add(slot);
    };
    for (let at = 0; at < this.#relatives.genotypes.length; at++) {
      const slot = met[at] as number;
      if (((flags[slot] as number) & sharesGene) === 0) continue;
      work.spend(totalling);
      const turn = work.turn();
      if (turn) await turn;
      if (!this.#roundsUnevenly(at)) {
        const most = this.#most(at);
        if (!reaches(most)) continue;
        const worst = places === 0 ? Infinity : (best.items[places - 1]?.score.total ?? 0);
        if (most < worst && reaches(this.#total(at, slot, 0))) {
          count(slot);
          continue;
        }
      }
      if (!reaches(this.#exact(at, true))) continue;
      count(slot);
      best.offer({ number: index.number(slot), id: index.id(slot), score: this.#score(at, slot) });
      work.spend(ranking);
    }
    const known = new Set(hits.map(({ number }) => number));
    const first = best.items.slice(0, places);
    hits.push(...first.filter(({ number }) => !known.has(number)));
    hits.sort(byRank);
    const sharers = sharing < Math.min(places, limit) ? [] : await index.sharers(this.#query, named, work);
    return { first: new Set(first.map(({ number }) => number)), sharing, sharers };
  }

  /** Adds up lists until no patient that was not met can be among the best; returns the remaining ones. */
  async #addUp(lists: readonly TermPostings[]): Promise<readonly TermPostings[]> {
    for (const { information, stated } of lists) {
      this.#rest += information;
      this.#restStated += stated;
    }
    // Patients with a shared gene often lead from the start, and then rule out the others early.
    let added = 0;
    if (this.#relatives.genotypes.length > 0) await this.#raiseFloor();
    let due = Infinity;
    for (const [at, list] of lists.entries()) {
      let newcomer = this.#newcomer();
      // Looking for leading patients takes about as long as adding up a list of twice the length of those met. They
      // change little: looking again pays when newcomers have come half of the way down to them.
      if (newcomer >= this.#floor && newcomer <= due && added > 2 * this.#space.count) {
        added = 0;
        await this.#raiseFloor();
        newcomer = this.#newcomer();
        due = (newcomer + this.#floor) / 2;
      }
      if (newcomer < this.#floor) return lists.slice(at);
      const turn = this.#add(list);
      if (turn) await turn;
      added += list.length;
    }
    return [];
  }

  /**
   * The most that a patient can score that is on the remaining lists only. Its own information is at least what it shares
   * without the halves of terms that only the query states.
   */
  #newcomer(): number {
    const terms = termSimilarity(this.#rest, this.#query.mass, this.#rest - this.#restStated);
    return weightedScore(0, phenotypeSimilarity(terms, 0), this.#options.weights).total;
  }

  #add(list: TermPostings): Promise<void> | undefined {
    this.#rest -= list.information;
    this.#restStated -= list.stated;
    return this.#work.each(list.length, 1, (from, to) => this.#addPart(list, from, to));
  }

  /** Most of a search is spent here: what it reads is in variables of its own. */
  #addPart({ slots, information }: TermPostings, from: number, to: number): void {
    const { shared, flags, met } = this.#space;
    let { count } = this.#space;
    for (let i = from; i < to; i++) {
      const slot = slots[i] as number;
      const before = shared[slot] as number;
      if (before === 0 && flags[slot] === 0) met[count++] = slot;
      shared[slot] = before + information;
    }
    this.#space.count = count;
  }

  /** Raises the floor to the worst score of as many leading patients as are wanted, which are compared in full. */
  async #raiseFloor(): Promise<void> {
    const [space, work] = [this.#space, this.#work];
    const ahead = new Greatest(this.#options.limit + leading);
    await work.each(space.count, totalling, (from, to) => this.#offerPart(ahead, from, to));
    const best = new Greatest(this.#options.limit);
    for (const at of ahead.items) best.offer(this.#exact(at));
    this.#raiseTo(best);
  }

  /** Offers those that could be ahead by what they share so far. */
  #offerPart(ahead: Greatest, from: number, to: number): void {
    const { met, shared } = this.#space;
    const relatives = this.#relatives.genotypes.length;
    let enough = this.#enough(ahead.least);
    for (let at = from; at < to; at++) {
      const sum = shared[met[at] as number] as number;
      if (sum < enough && at >= relatives) continue;
      ahead.offer(this.#most(at, 0), at);
      enough = this.#enough(ahead.least);
    }
  }

  #raiseTo({ least }: Greatest): void {
    if (least > this.#floor) this.#floor = least;
  }

  /**
   * Positions among the patients met of all that are among the best, with others; what they share is then added up to the
   * end.
   */
  async #contenders(lists: readonly TermPostings[]): Promise<Uint32Array> {
    const space = this.#space;
    const kept = space.chosen;
    const promising = new Greatest(this.#options.limit + leading);
    const all = await this.#keep(kept, space.count, undefined, promising);
    if (this.#rest === 0) return kept.subarray(0, all);
    const best = new Greatest(this.#options.limit);
    for (const at of promising.items) best.offer(this.#exact(at));
    this.#raiseTo(best);
    const left = await this.#keep(kept, all, kept);
    const toAdd = lists.reduce((sum, { length }) => sum + length, 0);
    if (left * comparingAll > toAdd) {
      for (const list of lists) await this.#add(list);
      return kept.subarray(0, left);
    }
    return kept.subarray(0, await this.#compareAll(kept, left));
  }

  /** Keeps those of the positions, 0 … length − 1 if omitted, that reach the floor with all remaining terms. */
  async #keep(kept: Uint32Array, length: number, positions?: Uint32Array, ahead?: Greatest): Promise<number> {
    let count = 0;
    await this.#work.each(length, totalling, (from, to) => {
      count += this.#keepPart(kept.subarray(count), positions, from, to, ahead);
    });
    return count;
  }

  /** Writes the positions to the beginning of `kept`, and offers their bounds; returns how many they are. */
  #keepPart(
    kept: Uint32Array,
    positions: Uint32Array | undefined,
    from: number,
    to: number,
    ahead: Greatest | undefined,
  ): number {
    const { met, shared } = this.#space;
    const relatives = this.#relatives.genotypes.length;
    const floor = this.#floor;
    const enough = this.#enough(floor) - this.#rest;
    let count = 0;
    for (let i = from; i < to; i++) {
      const at = positions === undefined ? i : (positions[i] as number);
      if ((shared[met[at] as number] as number) < enough && at >= relatives) continue;
      const most = this.#most(at);
      if (most < floor && !this.#roundsUnevenly(at)) continue;
      kept[count++] = at;
      ahead?.offer(most, at);
    }
    return count;
  }

  /** Compares those in full that still reach the floor, which rises meanwhile; keeps those, and returns how many. */
  async #compareAll(kept: Uint32Array, length: number): Promise<number> {
    const work = this.#work;
    const best = new Greatest(this.#options.limit);
    let count = 0;
    for (let i = 0; i < length; i++) {
      const at = kept[i] as number;
      work.spend(totalling);
      if (this.#most(at) < this.#floor && !this.#roundsUnevenly(at)) continue;
      best.offer(this.#exact(at, true));
      this.#raiseTo(best);
      kept[count++] = at;
      const turn = work.turn();
      if (turn) await turn;
    }
    return count;
  }

  /** A patient that shares terms alone, and less than this, has a lower score. */
  #enough(score: number): number {
    return sharedFor(score / this.#options.weights.phenotype, this.#query.mass - this.#stated);
  }

  /** The most that a patient that was met can score if it shares so much `further`, by default all remaining terms. */
  #most(at: number, further = this.#rest): number {
    const { met, shared } = this.#space;
    const slot = met[at] as number;
    return this.#total(at, slot, (shared[slot] as number) + further);
  }

  /** How a shared disorder rounds is not monotone; such patients are few. */
  #roundsUnevenly(at: number): boolean {
    return (this.#relatives.disorders[at] ?? 0) > 0;
  }

  /** The total score of a patient that was met, by the terms that it states; notes what it shares if wanted. */
  #exact(at: number, isNoted = false): number {
    const { met, shared } = this.#space;
    const slot = met[at] as number;
    const terms = this.#space.sharedTerms(this.#index.information);
    const before = terms.visited;
    const sum = terms.of(slot, this.#index.stated);
    this.#work.spend(comparing + terms.visited - before);
    if (isNoted) shared[slot] = sum;
    return this.#total(at, slot, sum);
  }

  /** The similarity of the terms of a slot that shares so much; 0 if its patient was removed or is not compared. */
  #terms(slot: number, shared: number): number {
    const { kindOf, masses } = this.#index;
    const mass = this.#kinds?.[kindOf.at(slot)] === 1 ? masses.at(slot) : emptySlotMass;
    return termSimilarity(Math.min(shared, mass + this.#stated), this.#query.mass, mass);
  }

  /** The total score of a patient that was met, if it shares so much: that of `#score`, without making an object. */
  #total(at: number, slot: number, shared: number): number {
    const { weights } = this.#options;
    const terms = this.#terms(slot, shared);
    if (at >= this.#relatives.genotypes.length) return weights.phenotype * terms;
    const phenotype = phenotypeSimilarity(terms, this.#relatives.disorders[at] as number);
    return weights.genotype * (this.#relatives.genotypes[at] as number) + weights.phenotype * phenotype;
  }

  #score(at: number, slot: number): MatchScore {
    const terms = this.#terms(slot, this.#space.shared[slot] as number);
    const phenotype = phenotypeSimilarity(terms, this.#relatives.disorders[at] ?? 0);
    return weightedScore(this.#relatives.genotypes[at] ?? 0, phenotype, this.#options.weights);
  }

  /** The best of the patients at these positions, all whose terms are added up. */
  async #rank(positions: Uint32Array): Promise<PatientHit[]> {
    const [index, space, work] = [this.#index, this.#space, this.#work];
    const { limit } = this.#options;
    const totals = new Greatest(limit);
    await work.each(positions.length, totalling, (from, to) => {
      for (let i = from; i < to; i++) totals.offer(this.#most(positions[i] as number, 0));
    });
    this.#raiseTo(totals);
    const best = new Best<PatientHit>(limit);
    await work.each(positions.length, totalling, (from, to) => {
      for (let i = from; i < to; i++) {
        const at = positions[i] as number;
        const here = this.#most(at, 0);
        if (here <= 0 || here < this.#floor) continue;
        const slot = space.met[at] as number;
        best.offer({ number: index.number(slot), id: index.id(slot), score: this.#score(at, slot) });
        work.spend(ranking);
      }
    });
    return best.items;
  }
}
