/**
 * What is known of genes for many cases at once: coding bases, known variants, and who carries what may matter. It is read gene by
 * gene, and kept until calls, annotations, known variants, gene structures or a reference change.
 */
import { hash } from 'node:crypto';
import type { Assembly } from '../../../core/genome.js';
import type {
  CallabilityService,
  CalledSample,
  CarriedAnswer,
  CarriedVariant,
  KnowledgeReader,
  KnownRecord,
  PlainAllele,
  Services,
  Span,
} from '../../services/services.js';
import { alleleKey } from '../contract.js';
import type { ChangedSamples } from './changed-samples.js';
import type { KnownClass, PassingRules } from './evidence.js';
import { KeptCoverage } from './kept-holes.js';
import { KnownVariant, SharedTexts } from './known-variant.js';
import { byPlace, extentsOf, isIn, joined, type PlacedSpan } from './spans.js';

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

export interface KnownGene {
  /** Coding bases of all transcripts together, by place, apart from each other; none if they are not known. */
  coding: readonly PlacedSpan[];
  sites: readonly PathogenicSite[];
  /** Alleles of the gene that somebody carries. */
  variants: readonly KnownVariant[];
}

/** An allele that a sample carries in one of the genes. */
interface CarriedInGene {
  hgnc: number;
  variant: KnownVariant;
}

/** A gene with all places that its transcripts count. */
interface PlacedGene {
  gene: WantedPanelGene;
  coding: readonly PlacedSpan[];
  counted: readonly PlacedSpan[];
  extents: readonly PlacedSpan[];
}

/** Files that phase two alleles in a sample. */
export interface KnownPhase {
  one: string;
  other: string;
  phase: 'cis' | 'trans';
}

const coverageEveryMs = 60_000;
/** Genes that are read at once. */
const atOnce = 100;

/** For one reader and build. */
export class KnownGenes {
  readonly build: Assembly;
  readonly #sources: EvidenceSources;
  readonly #reader: KnowledgeReader;
  readonly #rules: PassingRules;
  readonly #genes = new Map<number, KnownGene & PlacedGene>();
  readonly #carried = new Map<string, CarriedInGene[]>();
  readonly #shared = new SharedTexts();
  readonly #listed = new Map<string, KnownVariant>();
  readonly #classes = new Map<string, readonly KnownClass[]>();
  readonly #phases = new Map<string, Map<string, KnownPhase>>();
  /** Of its genes. */
  readonly coverage = new KeptCoverage();
  #version = '';
  #sets = '';
  #standings = '';
  #checked = Number.NEGATIVE_INFINITY;
  #samples: ReadonlyMap<string, CalledSample> = new Map();
  #releases: Readonly<Record<string, string>> = {};
  #hasStructures = false;
  /** Of what was known. */
  readonly changes: ChangedSamples;
  /** Genes, and alleles that statements list, that were read before the last change. */
  readonly #stale = new Set<number>();
  readonly #former = new Map<string, KnownVariant>();

  constructor(
    sources: EvidenceSources,
    reader: KnowledgeReader,
    build: Assembly,
    rules: PassingRules,
    changes: ChangedSamples,
  ) {
    this.changes = changes;
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

  /** What a sample carries in the genes that were read. */
  carriedBy(sample: string): readonly CarriedInGene[] {
    return this.#carried.get(sample) ?? [];
  }

  /** An allele that `read` was called with, if anyone carries it. */
  listed(key: string): KnownVariant | undefined {
    return this.#listed.get(key);
  }

  /** Reads what was known anew if anything changed, so that `changes` are those until now. */
  async renew(signal: AbortSignal): Promise<void> {
    await this.read(new Map([...this.#genes].map(([hgnc, { gene }]) => [hgnc, gene])), [], signal);
    await this.#readListed([...this.#former.values()], signal);
    for (const one of this.#former.values()) this.changes.noteAllele(one, undefined);
    this.#former.clear();
  }

  /** Reads what is not known yet of these genes and alleles, or may be different since the last call. */
  async read(
    genes: ReadonlyMap<number, WantedPanelGene>,
    alleles: readonly PlainAllele[],
    signal: AbortSignal,
  ): Promise<void> {
    const { beacon, structures, sites } = this.#sources;
    const sets = (await sites?.sets(this.build)) ?? [];
    const [first] = genes.values();
    const intervals = first && (await structures?.codingOf(this.build, [first], signal))?.sets;
    this.coverage.begin(JSON.stringify(intervals ?? []), JSON.stringify(sets));
    const version = JSON.stringify([await beacon?.versionOf(this.#reader, this.build), intervals]);
    if (version !== this.#version || (await this.#isCoverageNew())) {
      for (const hgnc of this.#genes.keys()) this.#stale.add(hgnc);
      for (const [key, one] of this.#listed) this.#former.set(key, one);
      for (const known of [this.#listed, this.#classes, this.#phases]) known.clear();
      const samples = (await beacon?.samplesOf(this.#reader, this.build)) ?? new Map();
      if (this.#version !== '') this.changes.noteSamples(this.#samples, samples);
      this.#samples = samples;
      this.#hasStructures = (intervals ?? []).some(({ kind }) => kind === 'exons');
      this.#version = version;
      this.#checked = Number.NEGATIVE_INFINITY;
      await this.#isCoverageNew();
    }
    if (this.#sets !== JSON.stringify(sets)) {
      this.#releases = Object.fromEntries(sets.map(({ name, release }) => [name, release]));
      await this.#replaceSites(signal);
      this.#sets = JSON.stringify(sets);
    }
    await this.#readGenes(
      [...genes.values()].filter(({ hgnc }) => !this.#genes.has(hgnc) || this.#stale.has(hgnc)),
      signal,
    );
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
    // Neighbours together: they share what is stored.
    const placed = (await this.#placed(genes, signal)).sort(byFirstPlace);
    for (let from = 0; from < placed.length; from += atOnce) {
      const some = placed.slice(from, from + atOnce);
      await this.#readCarried(some, await this.#sitesIn(some, signal), signal);
    }
  }

  async #placed(genes: readonly WantedPanelGene[], signal: AbortSignal): Promise<PlacedGene[]> {
    // By the preferred transcripts, whatever a panel wants: panels share what is known of a gene.
    const wanted = genes.map(({ hgnc }) => ({ hgnc }));
    const coding = (await this.#sources.structures?.codingOf(this.build, wanted, signal))?.genes ?? [];
    const byGene = grouped(coding, ({ hgnc }) => hgnc);
    const spansOf = (hgnc: number, what: 'coding' | 'counted') =>
      joined(
        (byGene.get(hgnc) ?? []).flatMap(({ chromosome, [what]: spans }) =>
          spans.map((span) => ({ ...span, chromosome })),
        ),
      );
    return genes.map((gene) => {
      const counted = spansOf(gene.hgnc, 'counted');
      return { gene, coding: spansOf(gene.hgnc, 'coding'), counted, extents: extentsOf(counted) };
    });
  }

  /** For each gene, its known variants that are (likely) pathogenic. */
  async #sitesIn(placed: readonly PlacedGene[], signal: AbortSignal): Promise<PathogenicSite[][]> {
    const places = placed.flatMap(({ extents }) => extents);
    const genes = placed.map(({ gene }) => gene.symbol);
    const records = (await this.#sources.sites?.within(this.build, { places, genes }, signal)) ?? [];
    const pathogenic = records.flatMap((record) => {
      if (levelOf([record.significance ?? '']) === 'other' || !/^[ACGT]+$/.test(record.alternate)) return [];
      return [{ ...record, key: this.keyOf(record) }];
    });
    return placed.map(({ gene, extents }) =>
      pathogenic
        .filter((site) => site.genes.includes(gene.symbol) || isIn(site, site.start + site.reference.length, extents))
        .map(({ key, chromosome, start, reference, alternate, covers }) => {
          return { key, chromosome, start, reference, alternate, covers };
        }),
    );
  }

  async #readCarried(
    placed: readonly PlacedGene[],
    sites: readonly (readonly PathogenicSite[])[],
    signal: AbortSignal,
  ): Promise<void> {
    const answer = await this.#sources.beacon?.carried(
      this.#reader,
      {
        assembly: this.build,
        genes: {
          of: placed.map(({ gene: { hgnc, symbol } }) => ({ hgnc, symbol })),
          effect: 'moderate',
          frequency: Math.max(...Object.values(this.#rules.populationFrequency)),
        },
        places: placed.flatMap(({ counted }) => counted),
        common: { carriers: this.#rules.artefact.carriers, share: 2 * this.#rules.artefact.frequency },
        alleles: sites.flat(),
        denominators: true,
      },
      signal,
    );
    const variants = this.#variantsOf(answer);
    await this.#addClasses(variants, signal);
    for (const { sample, one, other, phase } of answer?.phases ?? []) {
      this.#addPhase(answer?.samples[sample] ?? '', variants[one]?.key ?? '', variants[other]?.key ?? '', phase);
    }
    const named = new Map<string | number, KnownVariant[]>();
    const unnamed: KnownVariant[] = [];
    for (const known of variants) {
      if (known.genes.length === 0) unnamed.push(known);
      for (const name of namesOf(known)) listUnder(named, name, known);
    }
    for (const [i, one] of placed.entries()) {
      const { gene, counted } = one;
      const keys = new Set(sites[i]?.map(({ key }) => key));
      const own = new Set([
        ...(named.get(gene.hgnc) ?? []),
        ...(named.get(gene.symbol) ?? []),
        ...unnamed.filter((one) => isIn(one, one.end, counted)),
        ...variants.filter(({ key }) => keys.has(key)),
      ]);
      this.#forget(gene.hgnc, own);
      this.#genes.set(gene.hgnc, { ...one, sites: sites[i] ?? [], variants: [...own] });
      for (const variant of own)
        for (const [sample] of variant.carriers()) listUnder(this.#carried, sample, { hgnc: gene.hgnc, variant });
    }
  }

  #variantsOf(answer: CarriedAnswer | undefined): KnownVariant[] {
    return (answer?.alleles ?? []).map(
      (one) => new KnownVariant(one, answer?.samples ?? [], this.#shared, classOfAnnotation(one)),
    );
  }

  /** Before a gene that may be known is replaced by one with these alleles. */
  #forget(hgnc: number, now: Iterable<KnownVariant>): void {
    const known = this.#genes.get(hgnc);
    const fresh = new Map(Array.from(now, (variant) => [variant.key, variant]));
    for (const former of known?.variants ?? []) {
      this.changes.noteAllele(former, fresh.get(former.key));
      fresh.delete(former.key);
    }
    if (known) for (const added of fresh.values()) this.changes.noteAllele(undefined, added);
    this.#stale.delete(hgnc);
    for (const variant of known?.variants ?? []) {
      for (const [sample] of variant.carriers()) {
        const others = this.#carried.get(sample)?.filter((one) => one.hgnc !== hgnc) ?? [];
        this.#carried.set(sample, others);
      }
    }
  }

  /**
   * After a set of known variants was replaced: reads what it says now. A gene is read anew only if somebody carries an allele that
   * is in it for what the set says, or said.
   */
  async #replaceSites(signal: AbortSignal): Promise<void> {
    this.#classes.clear();
    const known = [...this.#genes.values()];
    const changed: {
      one: KnownGene & PlacedGene;
      sites: PathogenicSite[];
      added: PathogenicSite[];
      isLess: boolean;
    }[] = [];
    for (let from = 0; from < known.length; from += atOnce) {
      const some = known.slice(from, from + atOnce);
      for (const [i, sites] of (await this.#sitesIn(some, signal)).entries()) {
        const one = some[i] as KnownGene & PlacedGene;
        const carried = new Set(one.variants.map(({ key }) => key));
        const [former, now] = [one.sites, sites].map((all) => new Set(all.map(({ key }) => key)));
        const added = sites.filter(({ key }) => !former?.has(key) && !carried.has(key));
        const isLess = one.sites.some(({ key }) => !now?.has(key) && carried.has(key));
        changed.push({ one, sites, added, isLess });
      }
    }
    const answer = await this.#sources.beacon?.carried(
      this.#reader,
      { assembly: this.build, alleles: changed.flatMap(({ added }) => added) },
      signal,
    );
    const carried = new Set(answer?.alleles.map(alleleKey));
    const anew = changed.filter(({ added, isLess }) => isLess || added.some(({ key }) => carried.has(key)));
    for (let from = 0; from < anew.length; from += atOnce) {
      const some = anew.slice(from, from + atOnce);
      await this.#readCarried(
        some.map(({ one }) => one),
        some.map(({ sites }) => sites),
        signal,
      );
    }
    const done = new Set(anew);
    for (const one of changed) if (!done.has(one)) this.#genes.set(one.one.gene.hgnc, { ...one.one, sites: one.sites });
    this.#listed.clear();
    const all = [...this.#genes.values()];
    for (let from = 0; from < all.length; from += atOnce) {
      const some = all.slice(from, from + atOnce);
      await this.#addClasses(
        some.flatMap(({ variants }) => variants),
        signal,
      );
    }
  }

  async #readListed(alleles: readonly PlainAllele[], signal: AbortSignal): Promise<void> {
    const fresh = alleles.filter((allele) => !this.#classes.has(this.keyOf(allele)));
    if (fresh.length === 0) return;
    const asked = { assembly: this.build, alleles: fresh, denominators: true };
    const answer = await this.#sources.beacon?.carried(this.#reader, asked, signal);
    const variants = new Map(this.#variantsOf(answer).map((one) => [one.key, one]));
    await this.#addClasses([...variants.values()], signal);
    for (const allele of fresh) {
      const key = this.keyOf(allele);
      const [former, now] = [this.#former.get(key), variants.get(key)];
      if (former) this.changes.noteAllele(former, now);
      this.#former.delete(key);
      if (now) this.#listed.set(key, now);
    }
    const others = fresh.map((one) => ({ ...one, key: this.keyOf(one) })).filter(({ key }) => !variants.has(key));
    await this.#addClasses(others, signal);
  }

  async #addClasses(
    alleles: readonly (PlainAllele &
      Pick<KnownVariant, 'key'> &
      Partial<Pick<KnownVariant, 'structural' | 'annotated'>>)[],
    signal: AbortSignal,
  ): Promise<void> {
    const plain = alleles.filter(({ key, structural }) => structural === undefined && !this.#classes.has(key));
    const form = this.#sources.beacon?.formOf(this.build);
    const records = await this.#sources.sites?.classesOf(this.build, plain, { form, signal });
    for (const [i, { key, annotated }] of plain.entries()) {
      const known = [...(records?.[i] ?? []).map(classOfRecord), ...(annotated ? [annotated] : [])];
      this.#classes.set(key, known.length > 0 ? known : noClasses);
    }
  }

  #addPhase(sample: string, one: string, other: string, phase: KnownPhase['phase']): void {
    const own = this.#phases.get(sample) ?? new Map<string, KnownPhase>();
    this.#phases.set(sample, own.set(`${one} ${other}`, { one, other, phase }));
  }
}

const noClasses: readonly KnownClass[] = [];

export function listUnder<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}

export function grouped<One, Key>(all: Iterable<One>, keyOf: (one: One) => Key): Map<Key, One[]> {
  const found = new Map<Key, One[]>();
  for (const one of all) listUnder(found, keyOf(one), one);
  return found;
}

/** By which a gene of a panel is compared: the number, or without one the symbol. */
function namesOf({ genes }: KnownVariant): Set<string | number> {
  return new Set(genes.flatMap(({ hgnc, symbol }) => hgnc ?? symbol ?? []));
}

function byFirstPlace({ extents: [one] }: PlacedGene, { extents: [other] }: PlacedGene): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  return byPlace(one, other);
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
