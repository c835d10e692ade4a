/** What samples do not cover of the coding bases of genes, and of known variants; asked of many samples at once. */
import { lengthOf } from '../../../core/genome.js';
import type { CallabilityService, Span } from '../../services/services.js';
import type { CoverageHole } from './evidence.js';
import type { CoveredCase, KeptCoverage, KeptHoles, SampleHoles, UncoveredExon } from './kept-holes.js';
import { type KnownGene, type KnownGenes, listUnder } from './known-genes.js';
import type { PlacedSpan } from './spans.js';

/** What is asked at one place, of these samples. */
export interface AskedPlace {
  place: PlacedSpan;
  samples: readonly string[];
}

/** Samples of which genes are asked, by the genes; and by each gene. */
type AskedLists = Map<ReadonlySet<number>, Set<string>>;
type AskedGenes = ReadonlyMap<number, readonly string[]>;

/** Of one question: places, and samples that are named at them. */
const [mostPlaces, mostNamed] = [10_000, 500_000];
/** Exons of which each base is asked in one question. */
const exonsAtOnce = 50;
/** Bases on both sides that are read with an exon: most known variants beside coding bases, those of splice sites, are there. */
const flank = 10;
/** From so many other samples of an assay on, and if this share of them is covered, a hole is the sample's alone. */
const [leastOthers, nearlyAll] = [10, 0.95];

export class CoverageQuestions {
  readonly #service: CallabilityService;
  readonly #known: KnownGenes;
  readonly #threshold: number;
  readonly #signal: AbortSignal;

  /** `threshold`: reads. */
  constructor(service: CallabilityService, known: KnownGenes, threshold: number, signal: AbortSignal) {
    this.#service = service;
    this.#known = known;
    this.#threshold = threshold;
    this.#signal = signal;
  }

  /** For each case what its sample does not cover; undefined if its coverage is unknown. */
  async holesOf(cases: readonly CoveredCase[], kept: KeptCoverage): Promise<(SampleHoles | undefined)[]> {
    const unknown = await this.#unknown([...new Set(cases.map(({ sample }) => sample))]);
    const states = cases.map((one) => (unknown.has(one.sample) ? undefined : kept.of(this.#threshold, one)));
    const [exons, sites]: [AskedLists, AskedLists] = [new Map(), new Map()];
    const found = new Map<string, KeptHoles>();
    for (const [i, one] of cases.entries()) {
      const state = states[i];
      if (state === undefined) continue;
      // Of two cases with one sample whose state is not kept, each has its own.
      found.set(one.sample, state);
      for (const [asked, genes] of [
        [exons, kept.missing(state.lists, one)],
        [sites, kept.missing(state.siteLists, one)],
      ] as const)
        asked.set(genes, (asked.get(genes) ?? new Set()).add(one.sample));
    }
    await this.#addExons(byGene(exons), found);
    await this.#addSites(byGene(sites), found);
    for (const { sample, lists } of cases)
      for (const name of lists.keys())
        for (const of of ['lists', 'siteLists'] as const) found.get(sample)?.[of].add(name);
    const answers = cases.map((one, i) => {
      const state = states[i] && found.get(one.sample);
      if (state === undefined) return undefined;
      const exons = state.exons.filter(({ hole, coding }) => coding > 0 && one.genes.has(hole.hgnc));
      const sites = state.sites.filter(({ hole }) => one.genes.has(hole.hgnc));
      return { holes: [...exons, ...sites].map(({ hole }) => ({ ...hole })), genes: this.#genesWith(exons) };
    });
    await this.#markAlone(
      cases.flatMap(({ sample, isNews }, i) =>
        answers[i] ? [{ sample, holes: answers[i].holes.filter(isNews) }] : [],
      ),
    );
    return answers;
  }

  /** Of genes with uncovered exons: coding bases, and how many of them are covered. */
  #genesWith(exons: readonly UncoveredExon[]): SampleHoles['genes'] {
    const found = new Map<number, { coding: number; covered: number }>();
    for (const { hole, coding: uncovered } of exons) {
      const coding = found.get(hole.hgnc)?.coding ?? basesOf(this.#known.of(hole.hgnc)?.coding ?? []);
      found.set(hole.hgnc, { coding, covered: (found.get(hole.hgnc)?.covered ?? coding) - uncovered });
    }
    return found;
  }

  /** Adds the uncovered exons of these genes, of the samples that are asked for each. */
  async #addExons(askedOf: AskedGenes, found: ReadonlyMap<string, KeptHoles>): Promise<void> {
    const exons = [...askedOf].flatMap(([hgnc, asked]) =>
      (this.#known.of(hgnc)?.coding ?? []).map((exon) => {
        return { hole: { hgnc, ...exon }, place: this.#withFlanks(exon), samples: asked };
      }),
    );
    const below = await this.#below(exons);
    const open = exons.flatMap((one, i) => (below[i]?.length ? [{ ...one, samples: below[i] }] : []));
    const bases = await this.#basesOf(open);
    for (const [i, { hole, samples: lacking }] of open.entries()) {
      // One for all samples that lack the same bases: many are kept.
      const alike = new Map<string, UncoveredExon>();
      for (const sample of lacking) {
        const uncovered = bases[i]?.get(sample) ?? [];
        const name = JSON.stringify(uncovered);
        const known = alike.get(name) ?? { hole, bases: uncovered, coding: basesOf(uncovered, hole) };
        alike.set(name, known);
        found.get(sample)?.exons.push(known);
      }
    }
  }

  /**
   * Adds the uncovered known variants of genes of which the exons are known. Of those that were read with an exon it is known then; the
   * others are asked.
   */
  async #addSites(askedOf: AskedGenes, found: ReadonlyMap<string, KeptHoles>): Promise<void> {
    const lacking = new Map<string, { sample: string; bases: readonly Span[] }[]>();
    // Mostly all genes have one list.
    const members = new Map([...new Set(askedOf.values())].map((samples) => [samples, new Set(samples)] as const));
    for (const sample of new Set([...members.keys()].flat()))
      for (const { hole, bases } of found.get(sample)?.exons ?? [])
        listUnder(lacking, `${hole.hgnc} ${placeName(hole)}`, { sample, bases });
    const sites: (AskedPlace & { hole: CoverageHole; isWithin: boolean })[] = [];
    for (const [hgnc, asked] of askedOf) {
      const { coding, sites: known } = this.#known.of(hgnc) as KnownGene;
      const exons = coding.map((exon) => ({ exon, read: this.#withFlanks(exon) }));
      for (const { chromosome, start, reference, alternate, covers } of known) {
        const hole = { hgnc, chromosome, start, end: start + reference.length, site: `${reference}>${alternate}` };
        const { exon } =
          exons.find(
            ({ read }) => read.chromosome === chromosome && read.start <= covers.start && read.end >= covers.end,
          ) ?? {};
        const samples = exon
          ? (lacking.get(`${hgnc} ${placeName(exon)}`) ?? []).flatMap(({ sample, bases }) =>
              members.get(asked)?.has(sample) && bases.some((one) => one.start < covers.end && one.end > covers.start)
                ? sample
                : [],
            )
          : asked;
        if (samples.length > 0)
          sites.push({ hole, samples, place: { chromosome, ...covers }, isWithin: exon !== undefined });
      }
    }
    const below = await this.#below(sites.filter(({ isWithin }) => !isWithin));
    let next = 0;
    for (const { hole, samples, isWithin } of sites)
      for (const sample of isWithin ? samples : (below[next++] ?? [])) found.get(sample)?.sites.push({ hole });
  }

  /** Of these samples those that are known not to be covered everywhere at the place; for each place. */
  async #below(asked: readonly AskedPlace[]): Promise<(readonly string[])[]> {
    const found: (readonly string[])[] = [];
    for (let from = 0; from < asked.length; ) {
      let [to, named] = [from, 0];
      while (to < asked.length && to - from < mostPlaces && (to === from || named < mostNamed)) {
        named += (asked[to] as AskedPlace).samples.length;
        to++;
      }
      const part = asked.slice(from, to);
      // Mostly all places have one list of samples.
      const group = [...new Set([...new Set(part.map(({ samples }) => samples))].flat())];
      const { places } = await this.#covered(group, part);
      for (const { below } of places) found.push(below);
      from = to;
    }
    return found;
  }

  /** By sample of each exon: which of its bases are not covered. */
  async #basesOf(open: readonly AskedPlace[]): Promise<Map<string, Span[]>[]> {
    const found = open.map(() => new Map<string, Span[]>());
    for (let from = 0; from < open.length; from += exonsAtOnce) {
      const single = open.slice(from, from + exonsAtOnce).flatMap(({ place: { chromosome, start, end }, samples }, i) =>
        Array.from({ length: end - start }, (_, base) => {
          const place = { chromosome, start: start + base, end: start + base + 1 };
          return { exon: found[from + i] as Map<string, Span[]>, samples, place };
        }),
      );
      for (const [i, below] of (await this.#below(single)).entries()) {
        const { exon, place } = single[i] as (typeof single)[number];
        for (const sample of below) {
          const last = exon.get(sample)?.at(-1);
          if (last?.end === place.start) last.end = place.end;
          else listUnder(exon, sample, { start: place.start, end: place.end });
        }
      }
    }
    return found;
  }

  /** Marks holes where the other samples of the assay are nearly all covered: all of these are read for it. */
  async #markAlone(found: readonly { sample: string; holes: readonly CoverageHole[] }[]): Promise<void> {
    const byAssay = new Map<string, CoverageHole[]>();
    for (const { sample, holes } of found) {
      const { assay } = this.#known.samples.get(sample) ?? {};
      if (assay !== undefined) for (const hole of holes) listUnder(byAssay, assay, hole);
    }
    for (const [assay, holes] of byAssay) {
      const group = [...this.#known.samples].flatMap(([id, one]) => (one.assay === assay ? [id] : []));
      const places = new Map(holes.map((hole) => [placeName(hole), hole]));
      const all = [...places.values()];
      const alone = new Set<string>();
      for (let from = 0; from < all.length; from += mostPlaces) {
        const part = all.slice(from, from + mostPlaces);
        const { unknown, places: counted } = await this.#covered(
          group,
          part.map((place) => ({ place })),
        );
        const others = group.length - unknown.length - 1;
        for (const [i, { covered }] of counted.entries())
          if (others >= leastOthers && (covered[0] ?? 0) >= nearlyAll * others)
            alone.add(placeName(part[i] as CoverageHole));
      }
      for (const hole of holes) if (alone.has(placeName(hole))) hole.isAlone = true;
    }
  }

  /**
   * For each place, those of the named samples that are known to be covered at all of its bases: for alleles that a person may lack.
   */
  async coveredAt(asked: readonly AskedPlace[]): Promise<ReadonlySet<string>[]> {
    const unknown = await this.#unknown([...new Set(asked.flatMap(({ samples }) => samples))]);
    const below = await this.#below(asked);
    return asked.map(({ samples }, i) => {
      const lacking = new Set(below[i]);
      return new Set(samples.filter((sample) => !unknown.has(sample) && !lacking.has(sample)));
    });
  }

  #withFlanks({ chromosome, start, end }: PlacedSpan): PlacedSpan {
    return {
      ...{ chromosome, start: Math.max(0, start - flank) },
      end: Math.min(end + flank, lengthOf(this.#known.build, chromosome)),
    };
  }

  async #unknown(samples: readonly string[]): Promise<ReadonlySet<string>> {
    if (samples.length === 0) return new Set();
    const { unknown } = await this.#covered(samples, []);
    return new Set(unknown.map(({ sample }) => sample));
  }

  #covered(group: readonly string[], asked: readonly (Pick<AskedPlace, 'place'> & Partial<AskedPlace>)[]) {
    const places = asked.map(({ place: { chromosome, start, end }, samples }) => {
      return { chromosome, intervals: [{ start, end }], ...(samples && { named: samples }) };
    });
    const question = { build: this.#known.build, threshold: this.#threshold, groups: [group], places };
    return this.#service.covered(question, this.#signal);
  }
}

/** Mostly all samples are asked of the same genes: then these have one list. */
function byGene(asked: AskedLists): AskedGenes {
  const found = new Map<number, readonly string[]>();
  for (const [genes, samples] of asked) {
    const all = [...samples];
    for (const hgnc of genes) {
      const known = found.get(hgnc);
      found.set(hgnc, known ? [...new Set([...known, ...all])] : all);
    }
  }
  return found;
}

/** How many bases the spans, which are apart from each other, have within a place. */
function basesOf(spans: readonly Span[], { start, end }: Span = { start: 0, end: Number.POSITIVE_INFINITY }): number {
  return spans.reduce((sum, one) => sum + Math.max(0, Math.min(end, one.end) - Math.max(start, one.start)), 0);
}

function placeName({ chromosome, start, end }: PlacedSpan): string {
  return `${chromosome}:${start}-${end}`;
}
