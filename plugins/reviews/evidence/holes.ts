/** What samples do not cover of the coding bases of genes, and of known variants; asked of many samples at once. */
import type { CallabilityService, Span } from '../../services/services.js';
import type { CoverageHole } from './evidence.js';
import type { CoveredCase, KeptCoverage, KeptHoles, SampleHoles } from './kept-holes.js';
import { type KnownGene, type KnownGenes, listUnder } from './known-genes.js';
import type { PlacedSpan } from './spans.js';

/** What is asked at one place, of these samples. */
export interface AskedPlace {
  place: PlacedSpan;
  samples: readonly string[];
}

/** Samples of which each gene is asked. */
type AskedGenes = Map<number, Set<string>>;

/** Of one question: places, and samples that are named at them. */
const [mostPlaces, mostNamed] = [10_000, 500_000];
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
    const [exons, sites]: [AskedGenes, AskedGenes] = [new Map(), new Map()];
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
        for (const hgnc of genes) asked.set(hgnc, (asked.get(hgnc) ?? new Set()).add(one.sample));
    }
    await this.#addExons(exons, found, kept);
    await this.#addSites(sites, found);
    for (const { sample, lists } of cases)
      for (const name of lists.keys())
        for (const of of ['lists', 'siteLists'] as const) found.get(sample)?.[of].add(name);
    const answers = cases.map((one, i) => {
      const state = states[i] && found.get(one.sample);
      if (state === undefined) return undefined;
      return {
        holes: [...state.holes, ...state.sites].filter(({ hgnc }) => one.genes.has(hgnc)).map((hole) => ({ ...hole })),
        genes: new Map([...state.genes].filter(([hgnc]) => one.genes.has(hgnc))),
      };
    });
    await this.#markAlone(
      cases.flatMap(({ sample, isNews }, i) =>
        answers[i] ? [{ sample, holes: answers[i].holes.filter(isNews) }] : [],
      ),
    );
    return answers;
  }

  /** Adds the uncovered exons of these genes, of the samples that are asked for each. */
  async #addExons(
    askedOf: AskedGenes,
    found: ReadonlyMap<string, SampleHoles>,
    kept: Pick<KeptCoverage, 'covered'>,
  ): Promise<void> {
    const exons = [...askedOf].flatMap(([hgnc, asked]) =>
      (this.#known.of(hgnc)?.coding ?? []).map((place) => ({ hgnc, place, samples: [...asked] })),
    );
    const below = await this.#below(exons);
    const open = exons.flatMap((exon, i) =>
      below[i]?.length ? [{ ...exon, samples: below[i] as readonly string[] }] : [],
    );
    const bases = await this.#basesOf(open);
    for (const [i, { hgnc, place, samples: lacking }] of open.entries()) {
      // One for all samples: many are kept.
      const hole = { hgnc, ...place };
      const { coding } = this.#known.of(hgnc) as KnownGene;
      const length = coding.reduce((sum, { start, end }) => sum + end - start, 0);
      for (const sample of lacking) {
        const own = found.get(sample);
        own?.holes.push(hole);
        const covered = own?.genes.get(hgnc)?.covered ?? length;
        own?.genes.set(hgnc, kept.covered(length, covered - (bases[i]?.get(sample) ?? 0)));
      }
    }
  }

  /** Adds the uncovered known variants of genes of which the exons are known. */
  async #addSites(askedOf: AskedGenes, found: ReadonlyMap<string, KeptHoles>): Promise<void> {
    const open = new Map<string, AskedPlace & { hgnc: number; samples: string[] }>();
    for (const sample of new Set([...askedOf.values()].flatMap((samples) => [...samples]))) {
      for (const place of found.get(sample)?.holes ?? []) {
        const { hgnc } = place;
        if (!askedOf.get(hgnc)?.has(sample)) continue;
        const name = `${hgnc} ${placeName(place)}`;
        const known = open.get(name) ?? { hgnc, place, samples: [] };
        known.samples.push(sample);
        open.set(name, known);
      }
    }
    const sites = this.#sitesToAsk(askedOf, [...open.values()]);
    const below = await this.#below(sites);
    for (const [i, { hgnc, place, site }] of sites.entries()) {
      const hole = { hgnc, chromosome: place.chromosome, ...site.at, site: site.name };
      for (const sample of below[i] ?? []) found.get(sample)?.sites.push(hole);
    }
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
      const group = [...new Set(part.flatMap(({ samples }) => samples))];
      const { places } = await this.#covered(
        [group],
        part.map(({ place: { chromosome, start, end }, samples }) => ({
          chromosome,
          intervals: [{ start, end }],
          named: samples,
        })),
      );
      for (const { below } of places) found.push(below);
      from = to;
    }
    return found;
  }

  /** By sample of each exon: how many of its bases are not covered. */
  async #basesOf(open: readonly AskedPlace[]): Promise<Map<string, number>[]> {
    const found = open.map(() => new Map<string, number>());
    let single: (AskedPlace & { exon: number })[] = [];
    const ask = async () => {
      for (const [i, below] of (await this.#below(single)).entries()) {
        const counts = found[single[i]?.exon as number] as Map<string, number>;
        for (const sample of below) counts.set(sample, (counts.get(sample) ?? 0) + 1);
      }
      single = [];
    };
    for (const [exon, { place, samples }] of open.entries()) {
      for (let start = place.start; start < place.end; start++)
        single.push({ exon, samples, place: { chromosome: place.chromosome, start, end: start + 1 } });
      if (single.length >= mostPlaces / 2) await ask();
    }
    await ask();
    return found;
  }

  /** Known variants whose bases are not all within coding bases that the sample covers. */
  #sitesToAsk(askedOf: AskedGenes, open: readonly (AskedPlace & { hgnc: number })[]) {
    const found: (AskedPlace & { hgnc: number; site: { name: string; at: Span } })[] = [];
    const openOf = new Map<number, (AskedPlace & { hgnc: number })[]>();
    for (const exon of open) listUnder(openOf, exon.hgnc, exon);
    for (const [hgnc, all] of askedOf) {
      const samples = [...all];
      const { coding, sites } = this.#known.of(hgnc) as KnownGene;
      for (const { chromosome, start, reference, alternate, covers } of sites) {
        const holds = (one: PlacedSpan) =>
          one.chromosome === chromosome && one.start <= covers.start && one.end >= covers.end;
        const exon = coding.find(holds);
        const lacking =
          exon === undefined
            ? samples
            : openOf.get(hgnc)?.find(({ place }) => place.start === exon.start && holds(place))?.samples;
        if (lacking === undefined) continue;
        const site = { name: `${reference}>${alternate}`, at: { start, end: start + reference.length } };
        found.push({ hgnc, site, samples: lacking, place: { chromosome, ...covers } });
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
          [group],
          part.map(({ chromosome, start, end }) => ({ chromosome, intervals: [{ start, end }] })),
        );
        const others = group.length - unknown.length - 1;
        for (const [
          i,
          {
            covered: [covered = 0],
          },
        ] of counted.entries()) {
          if (others >= leastOthers && covered >= nearlyAll * others) alone.add(placeName(part[i] as CoverageHole));
        }
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

  async #unknown(samples: readonly string[]): Promise<ReadonlySet<string>> {
    if (samples.length === 0) return new Set();
    const { unknown } = await this.#covered([samples], []);
    return new Set(unknown.map(({ sample }) => sample));
  }

  #covered(groups: readonly (readonly string[])[], places: Parameters<CallabilityService['covered']>[0]['places']) {
    return this.#service.covered(
      { build: this.#known.build, threshold: this.#threshold, groups, places },
      this.#signal,
    );
  }
}

function placeName({ chromosome, start, end }: PlacedSpan): string {
  return `${chromosome}:${start}-${end}`;
}
