/**
 * What is known of genes for many cases at once: coding bases, known variants, and who carries what may matter. It is read gene by
 * gene, and kept until calls, annotations, known variants, gene structures or a reference change.
 */
import { hash } from 'node:crypto';
import type { Assembly } from '../../../core/genome.js';
import type {
  CallabilityService,
  CalledSample,
  CarriedVariant,
  KnowledgeReader,
  KnownRecord,
  PlainAllele,
  Services,
  Span,
} from '../../services/services.js';
import { alleleKey, isOfGene } from '../contract.js';
import type { KnownClass, PassingRules } from './evidence.js';
import { KeptCoverage } from './kept-holes.js';
import { extentsOf, isIn, joined, type PlacedSpan } from './spans.js';

/** What other plugins offer; undefined if they are not enabled. */
export interface EvidenceSources {
  beacon: Services['beacon/carried-alleles@1'] | undefined;
  structures: Services['coverage/gene-structures@1'] | undefined;
  sites: Services['coverage/known-sites@1'] | undefined;
  /** By the owner's coverage alone. */
  callability: CallabilityService | undefined;
}

/** A gene of a panel. */
export interface WantedPanelGene {
  hgnc: number;
  symbol: string;
}

/** A known variant that is (likely) pathogenic. */
export interface PathogenicSite extends PlainAllele {
  key: string;
  covers: Span;
}

/** An allele with its carriers by the ids of their coverage. */
export interface KnownVariant {
  key: string;
  variant: CarriedVariant;
  copies: ReadonlyMap<string, number>;
  uncalled: ReadonlySet<string>;
}

export interface KnownGene {
  /** Coding bases of all transcripts together, by place, apart from each other; none if they are not known. */
  coding: readonly PlacedSpan[];
  sites: readonly PathogenicSite[];
  /** By carrier: the alleles of the gene. */
  carried: ReadonlyMap<string, readonly KnownVariant[]>;
}

/** Files that phase two alleles in a sample. */
export interface KnownPhase {
  one: string;
  other: string;
  phase: 'cis' | 'trans';
}

const coverageEveryMs = 60_000;
/** Genes that are read at once. */
const atOnce = 25;

/** For one reader and build. */
export class KnownGenes {
  readonly build: Assembly;
  readonly #sources: EvidenceSources;
  readonly #reader: KnowledgeReader;
  readonly #rules: PassingRules;
  readonly #genes = new Map<number, KnownGene>();
  readonly #listed = new Map<string, KnownVariant>();
  readonly #classes = new Map<string, readonly KnownClass[]>();
  readonly #phases = new Map<string, Map<string, KnownPhase>>();
  /** Of its genes. */
  readonly coverage = new KeptCoverage();
  #version = '';
  #standings = '';
  #checked = Number.NEGATIVE_INFINITY;
  #samples: ReadonlyMap<string, CalledSample> = new Map();
  #releases: Readonly<Record<string, string>> = {};
  #hasStructures = false;

  constructor(sources: EvidenceSources, reader: KnowledgeReader, build: Assembly, rules: PassingRules) {
    this.#sources = sources;
    this.#reader = reader;
    this.build = build;
    this.#rules = rules;
  }

  /** Of all samples that the reader reaches, by coverage id. */
  get samples(): ReadonlyMap<string, CalledSample> {
    return this.#samples;
  }

  /** Of the sets of known variants, by name. */
  get releases(): Readonly<Record<string, string>> {
    return this.#releases;
  }

  get hasStructures(): boolean {
    return this.#hasStructures;
  }

  get isAligned(): boolean {
    return this.#sources.beacon?.formOf(this.build) !== undefined;
  }

  /** The key of an allele in its one form. */
  keyOf(allele: PlainAllele): string {
    return alleleKey(this.#sources.beacon?.formOf(this.build)?.(allele) ?? allele);
  }

  /** What sets and annotations say of an allele that was read. */
  classesOf(key: string): readonly KnownClass[] {
    return this.#classes.get(key) ?? [];
  }

  phasesOf(sample: string): Iterable<KnownPhase> {
    return this.#phases.get(sample)?.values() ?? [];
  }

  /** A gene that `read` was called with. */
  of(hgnc: number): KnownGene | undefined {
    return this.#genes.get(hgnc);
  }

  /** An allele that `read` was called with, if anyone carries it. */
  listed(key: string): KnownVariant | undefined {
    return this.#listed.get(key);
  }

  /** Reads what is not known yet of these genes and alleles; all anew if anything changed since the last call. */
  async read(
    genes: ReadonlyMap<number, WantedPanelGene>,
    alleles: readonly PlainAllele[],
    signal: AbortSignal,
  ): Promise<void> {
    const { beacon, structures, sites } = this.#sources;
    const sets = (await sites?.sets(this.build)) ?? [];
    const [first] = genes.values();
    const intervals = first && (await structures?.codingOf(this.build, [first], signal))?.sets;
    this.coverage.begin(JSON.stringify([sets, intervals]));
    const version = JSON.stringify([await beacon?.versionOf(this.#reader, this.build), sets, intervals]);
    if (version !== this.#version || (await this.#isCoverageNew())) {
      for (const known of [this.#genes, this.#listed, this.#classes, this.#phases]) known.clear();
      this.#samples = (await beacon?.samplesOf(this.#reader, this.build)) ?? new Map();
      this.#releases = Object.fromEntries(sets.map(({ name, release }) => [name, release]));
      this.#hasStructures = (intervals ?? []).some(({ kind }) => kind === 'exons');
      this.#version = version;
      this.#checked = Number.NEGATIVE_INFINITY;
      await this.#isCoverageNew();
    }
    const missing = [...genes.values()].filter(({ hgnc }) => !this.#genes.has(hgnc));
    for (let from = 0; from < missing.length; from += atOnce) {
      await this.#readGenes(missing.slice(from, from + atOnce), signal);
    }
    await this.#readListed(alleles, signal);
  }

  /** Whether counts of covered samples may be others: looked up at most once a minute, so that they lag by as much. */
  async #isCoverageNew(): Promise<boolean> {
    if (performance.now() < this.#checked + coverageEveryMs) return false;
    const standings = await this.#sources.callability?.standings?.([...this.#samples.keys()]);
    const before = this.#standings;
    this.#standings = hash('sha256', JSON.stringify(standings ?? []), 'base64url');
    this.#checked = performance.now();
    return before !== this.#standings;
  }

  async #readGenes(genes: readonly WantedPanelGene[], signal: AbortSignal): Promise<void> {
    const { structures, sites, beacon } = this.#sources;
    const { build } = this;
    // By the preferred transcripts, whatever a panel wants: panels share what is known of a gene.
    const wanted = genes.map(({ hgnc }) => ({ hgnc }));
    const coding = (await structures?.codingOf(build, wanted, signal))?.genes ?? [];
    const spansOf = (hgnc: number, what: 'coding' | 'counted') =>
      joined(
        coding
          .filter((one) => one.hgnc === hgnc)
          .flatMap(({ chromosome, [what]: spans }) => spans.map((span) => ({ ...span, chromosome }))),
      );
    const placed = genes.map((gene) => {
      const counted = spansOf(gene.hgnc, 'counted');
      return { gene, coding: spansOf(gene.hgnc, 'coding'), counted, extents: extentsOf(counted) };
    });
    const records =
      (await sites?.within(
        build,
        { places: placed.flatMap(({ extents }) => extents), genes: genes.map(({ symbol }) => symbol) },
        signal,
      )) ?? [];
    const pathogenic = records.flatMap((record) => {
      if (levelOf([record.significance ?? '']) === 'other' || !/^[ACGT]+$/.test(record.alternate)) return [];
      return [{ ...record, key: this.keyOf(record) }];
    });
    const answer = await beacon?.carried(
      this.#reader,
      {
        assembly: build,
        genes: {
          of: genes.map(({ hgnc, symbol }) => ({ hgnc, symbol })),
          effect: 'moderate',
          frequency: Math.max(...Object.values(this.#rules.populationFrequency)),
        },
        places: placed.flatMap(({ counted }) => counted),
        common: { carriers: this.#rules.artefact.carriers, share: 2 * this.#rules.artefact.frequency },
        alleles: pathogenic,
        denominators: true,
      },
      signal,
    );
    const variants = answer?.alleles.map((variant) => knownVariant(variant, answer.samples)) ?? [];
    await this.#addClasses(variants, signal);
    for (const { sample, one, other, phase } of answer?.phases ?? []) {
      this.#addPhase(answer?.samples[sample] ?? '', variants[one]?.key ?? '', variants[other]?.key ?? '', phase);
    }
    for (const { gene, coding: own, counted, extents } of placed) {
      const ofGene = pathogenic.filter(
        (site) => site.genes.includes(gene.symbol) || isIn(site, site.start + site.reference.length, extents),
      );
      const keys = new Set(ofGene.map(({ key }) => key));
      const carried = new Map<string, KnownVariant[]>();
      for (const known of variants) {
        const { variant, copies } = known;
        const isNamed = variant.genes.some((stated) => isOfGene(stated, gene));
        const isUnknown = variant.genes.length === 0 && isIn(variant, variant.end, counted);
        if (!isNamed && !isUnknown && !keys.has(known.key)) continue;
        for (const id of copies.keys()) {
          const others = carried.get(id);
          if (others) others.push(known);
          else carried.set(id, [known]);
        }
      }
      this.#genes.set(gene.hgnc, { coding: own, sites: ofGene, carried });
    }
  }

  async #readListed(alleles: readonly PlainAllele[], signal: AbortSignal): Promise<void> {
    const fresh = alleles.filter((allele) => !this.#classes.has(this.keyOf(allele)));
    if (fresh.length === 0) return;
    const asked = { assembly: this.build, alleles: fresh, denominators: true };
    const answer = await this.#sources.beacon?.carried(this.#reader, asked, signal);
    const variants = answer?.alleles.map((variant) => knownVariant(variant, answer.samples)) ?? [];
    for (const one of variants) this.#listed.set(one.key, one);
    const keys = new Set(variants.map(({ key }) => key));
    await this.#addClasses(variants, signal);
    await this.#addClasses(
      fresh.filter((allele) => !keys.has(this.keyOf(allele))).map((variant) => ({ key: this.keyOf(variant), variant })),
      signal,
    );
  }

  async #addClasses(
    alleles: readonly { key: string; variant: PlainAllele & Partial<CarriedVariant> }[],
    signal: AbortSignal,
  ): Promise<void> {
    const plain = alleles.filter(({ key, variant }) => variant.structural === undefined && !this.#classes.has(key));
    const form = this.#sources.beacon?.formOf(this.build);
    const records = await this.#sources.sites?.classesOf(
      this.build,
      plain.map(({ variant }) => variant),
      { form, signal },
    );
    for (const [i, { key, variant }] of plain.entries()) {
      const annotated = classOfAnnotation(variant);
      this.#classes.set(key, [...(records?.[i] ?? []).map(classOfRecord), ...(annotated ? [annotated] : [])]);
    }
  }

  #addPhase(sample: string, one: string, other: string, phase: KnownPhase['phase']): void {
    const own = this.#phases.get(sample) ?? new Map<string, KnownPhase>();
    this.#phases.set(sample, own.set(`${one} ${other}`, { one, other, phase }));
  }
}

function knownVariant(variant: CarriedVariant, samples: readonly string[]): KnownVariant {
  const idOf = (number: number) => samples[number] as string;
  return {
    key: alleleKey(variant),
    variant,
    copies: new Map(variant.carriers.map(({ sample, copies }) => [idOf(sample), copies])),
    uncalled: new Set(variant.uncalled.map(idOf)),
  };
}

// What sets of known variants and annotations say of an allele, as classes.

function classOfRecord({ set, release, significance = '', stars }: KnownRecord): KnownClass {
  return {
    ...{ by: set, from: 'set', release, significance, level: levelOf([significance]) },
    ...(stars !== undefined && { stars }),
  };
}

/** What the annotation states of ClinVar; undefined if nothing. It states no stars. */
function classOfAnnotation({
  clinVar = [],
  source = '',
}: Pick<CarriedVariant, 'clinVar' | 'source'>): KnownClass | undefined {
  if (clinVar.length === 0) return undefined;
  const release = /\(ClinVar ([^)]*)\)/.exec(source)?.[1] ?? '';
  return { by: source, from: 'annotation', release, significance: clinVar.join('/'), level: levelOf(clinVar) };
}

/** The least certain of what is said; `other` as soon as anything else is said, such as that classes conflict. */
function levelOf(significances: readonly string[]): KnownClass['level'] {
  const words = significances
    .flatMap((text) =>
      text
        .toLowerCase()
        .replaceAll(' ', '_')
        .split(/[/|,;&]/),
    )
    .map((word) => word.replace(/^_+|_+$/g, ''))
    // What is said beside the class: `Pathogenic|risk_factor`, `Pathogenic,_low_penetrance`.
    .filter(
      (word) =>
        word !== '' && !/^(low_penetrance|other|risk_factor|association|affects|drug_response|protective)$/.test(word),
    );
  if (words.length === 0 || words.some((word) => !/^(likely_)?pathogenic$/.test(word))) return 'other';
  return words.includes('likely_pathogenic') ? 'likely pathogenic' : 'pathogenic';
}
