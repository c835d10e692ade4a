/** What samples do not cover, from one run to the next: asking again costs more than all else that is known of a case. */
import type { Span } from '../../services/services.js';
import type { CoverageHole } from './evidence.js';

/** A sample, and the genes that are asked of it: lists by name, such as those of versions of panels. */
export interface CoveredCase {
  sample: string;
  /** Of its coverage; undefined if that is not known, or nobody says when it changes. */
  standing: string | undefined;
  lists: ReadonlyMap<string, readonly number[]>;
  /** All of them. */
  genes: ReadonlyMap<number, unknown>;
  /** Whether it is to be said of a hole that it is the sample's alone. */
  isNews(hole: CoverageHole): boolean;
}

export interface SampleHoles {
  holes: CoverageHole[];
  genes: Map<number, { coding: number; covered: number }>;
}

/** An exon of which not every base is covered, or not every base close beside it. */
export interface UncoveredExon {
  /** Its coding bases. */
  hole: CoverageHole;
  /** Those that are not covered, also beside it, and how many of them are coding. */
  bases: readonly Span[];
  coding: number;
}

/** What is known of a sample as long as its standing stays. */
export interface KeptHoles {
  standing: string;
  exons: UncoveredExon[];
  /** Known variants, whose sets are replaced more often than anything else. */
  sites: { hole: CoverageHole }[];
  /** Names of the lists of whose genes exons were asked, and known variants. */
  lists: Set<string>;
  siteLists: Set<string>;
}

/** Holes of samples by threshold, kept as long as neither their coverage nor what is asked of genes changes. */
export class KeptCoverage {
  readonly #holes = new Map<string, KeptHoles>();
  readonly #lists = new Map<string, readonly number[]>();
  /** Of this run: genes that are asked, by names of lists that are wanted and were asked. */
  readonly #missing = new Map<string, ReadonlySet<number>>();
  #version = '';
  #sets = '';

  /** Of gene structures, and of sets of known variants. */
  begin(version: string, sets: string): void {
    if (version !== this.#version) this.#holes.clear();
    if (sets !== this.#sets) for (const known of this.#holes.values()) Object.assign(known, noSites());
    this.#missing.clear();
    [this.#version, this.#sets] = [version, sets];
  }

  /** What is known of a sample of known coverage; something new that is not kept without a standing. */
  of(threshold: number, { sample, standing, lists }: CoveredCase): KeptHoles {
    for (const [name, genes] of lists) this.#lists.set(name, genes);
    const key = `${threshold} ${sample}`;
    const known = this.#holes.get(key);
    if (standing !== undefined && known?.standing === standing) return known;
    const fresh = { standing: standing ?? '', lists: new Set<string>(), exons: [], ...noSites() };
    if (standing !== undefined) this.#holes.set(key, fresh);
    return fresh;
  }

  /** Genes of lists that were not asked yet; the same set for the same names. */
  missing(asked: ReadonlySet<string>, { lists }: Pick<CoveredCase, 'lists'>): ReadonlySet<number> {
    const fresh = [...lists].filter(([name]) => !asked.has(name));
    const name = JSON.stringify([fresh.map(([one]) => one), fresh.length > 0 ? [...asked] : []]);
    const known = this.#missing.get(name);
    if (known) return known;
    const found = new Set(fresh.flatMap(([, genes]) => genes));
    if (found.size > 0) for (const one of asked) for (const gene of this.#lists.get(one) ?? []) found.delete(gene);
    this.#missing.set(name, found);
    return found;
  }
}

function noSites(): Pick<KeptHoles, 'sites' | 'siteLists'> {
  return { sites: [], siteLists: new Set() };
}
