/** The genomic features of all slots, packed as numbers. */
import { growingBytes, growingFloats, growingNumbers, InternedTexts, Multimap, none } from './columns.js';
import { type ComparedFeature, type ComparedPlace, likenessOfGenes } from './genotype.js';
import { type GenomicProfile, mostCopies } from './profile.js';

/** Genes of the gene table keep their number, which is below; others get numbers from here on. */
const otherGenes = 2 ** 31;
/** Stands for an unknown zygosity. */
const noZygosity = mostCopies;

/** Slots that are compacted in one go, and roughly how many steps (work.ts) each takes. */
const portion = 1024;
const stepsOfSlot = 10;

/** What a slot has in common with a query: a place, or no more than a gene. */
export type SharedPlace = 'place' | 'gene';

function lociAround({ places }: ComparedFeature): number[] {
  return places.flatMap(({ locus }) => [locus - 1, locus, locus + 1]).filter((locus) => locus >= 0);
}

function geneOf({ gene }: ComparedFeature): number[] {
  return typeof gene === 'number' ? [gene] : [];
}

/** Room for a feature. */
type Room = { places: ComparedPlace[] } & { -readonly [Key in 'gene' | 'zygosity' | 'effect']: number | undefined };

export class FeatureTable {
  readonly #spellings = new InternedTexts();
  readonly #changes = new InternedTexts();
  readonly #effects = new InternedTexts();
  /** Slot s has the features starts[s] … starts[s + 1] − 1. */
  readonly #starts = growingNumbers();
  /** Gene + 1; 0 if there is none. */
  readonly #genes = growingNumbers();
  readonly #effectOf = growingNumbers();
  readonly #zygosities = growingBytes();
  /** Feature f has the places placeStarts[f] … placeStarts[f + 1] − 1. */
  readonly #placeStarts = growingNumbers();
  readonly #loci = growingFloats();
  readonly #changeOf = growingNumbers();
  readonly #slotsByGene = new Multimap();
  readonly #slotsByLocus = new Multimap();
  readonly #room: Room[] = [];

  constructor() {
    this.#starts.push(0);
    this.#placeStarts.push(0);
  }

  /** Appends the features of the next slot. */
  append(features: readonly GenomicProfile[]): void {
    const slot = this.#starts.length - 1;
    const genes = new Set<number>();
    const loci = new Set<number>();
    for (const { gene, places, zygosity, effect } of features) {
      const key = typeof gene === 'string' ? otherGenes + this.#spellings.intern(gene) : gene;
      if (key !== undefined) genes.add(key);
      this.#genes.push(key === undefined ? 0 : key + 1);
      this.#effectOf.push(effect === undefined ? 0 : this.#effects.intern(effect));
      this.#zygosities.push(zygosity ?? noZygosity);
      for (const { locus, change } of places) {
        loci.add(locus);
        this.#loci.push(locus);
        this.#changeOf.push(change === undefined ? 0 : this.#changes.intern(change));
      }
      this.#placeStarts.push(this.#loci.length);
    }
    this.#starts.push(this.#genes.length);
    for (const gene of genes) this.#slotsByGene.add(gene, slot);
    for (const locus of loci) this.#slotsByLocus.add(locus, slot);
  }

  /** A query's features with the keys of this table. What no slot has gets no key: it equals nothing. */
  translated(features: readonly GenomicProfile[]): ComparedFeature[] {
    return features.map(({ gene, places, zygosity, effect }) => {
      const spelling = typeof gene === 'string' ? this.#spellings.find(gene) : undefined;
      const geneKey = typeof gene === 'number' ? gene : spelling === undefined ? undefined : otherGenes + spelling;
      const effectKey = effect === undefined ? undefined : this.#effects.find(effect);
      return {
        gene: geneKey,
        places: places.map(({ locus, change }) => ({
          locus,
          change: change === undefined ? undefined : this.#changes.find(change),
        })),
        zygosity,
        effect: effectKey,
      };
    });
  }

  /**
   * The slots that have a variant at the position of one of the translated features or next to it, or those that have the
   * gene of one; a slot may come again. Slots may be appended meanwhile, but the table must not be compacted.
   */
  *candidates(features: readonly ComparedFeature[], by: SharedPlace): Generator<number> {
    const map = by === 'place' ? this.#slotsByLocus : this.#slotsByGene;
    const keys = new Set(features.flatMap(by === 'place' ? lociAround : geneOf));
    for (const key of keys) {
      // Not `yield*`: many patients may have one gene.
      for (let entry = map.first(key); entry !== none; entry = map.after(entry)) yield map.value(entry);
    }
  }

  /**
   * The features of a slot, in room that the next call uses again. Those of a slot that shares no place need no places to
   * be compared: this saves reading most of them.
   */
  features(slot: number, by: SharedPlace = 'place'): readonly ComparedFeature[] {
    const from = this.#starts.at(slot);
    const length = this.#starts.at(slot + 1) - from;
    while (this.#room.length < length)
      this.#room.push({ gene: undefined, places: [], zygosity: undefined, effect: undefined });
    for (let i = 0; i < length; i++) this.#unpack(from + i, this.#room[i] as Room, by);
    return length === this.#room.length ? this.#room : this.#room.slice(0, length);
  }

  /**
   * The most that one feature of a query has in common with a feature of a slot that shares no place, in sixteenths: what
   * `compareFeatures` returns for the features of the slot, without unpacking them.
   */
  likenessByGene({ gene, zygosity, effect }: ComparedFeature, slot: number): number {
    const to = this.#starts.at(slot + 1);
    let most = 0;
    for (let at = this.#starts.at(slot); at < to; at++) {
      if (gene === undefined || this.#genes.at(at) - 1 !== gene) continue;
      const hasZygosity = zygosity !== undefined && this.#zygosities.at(at) === zygosity;
      const hasEffect = effect !== undefined && this.#effectOf.at(at) === effect;
      most = Math.max(most, likenessOfGenes(hasZygosity, hasEffect));
    }
    return most;
  }

  /** Genomic features of a slot. */
  count(slot: number): number {
    return this.#starts.at(slot + 1) - this.#starts.at(slot);
  }

  /** How many genes a slot lists. */
  genes(slot: number): number {
    const listed = new Set(this.#genes.values.subarray(this.#starts.at(slot), this.#starts.at(slot + 1)));
    return listed.size - Number(listed.has(0));
  }

  #unpack(at: number, feature: Room, by: SharedPlace): void {
    const [gene, effect, zygosity] = [this.#genes.at(at), this.#effectOf.at(at), this.#zygosities.at(at)];
    feature.gene = gene > 0 ? gene - 1 : undefined;
    feature.effect = effect > 0 ? effect : undefined;
    feature.zygosity = zygosity === noZygosity ? undefined : zygosity;
    const { places } = feature;
    places.length = 0;
    if (by === 'gene') return;
    for (let place = this.#placeStarts.at(at); place < this.#placeStarts.at(at + 1); place++) {
      const change = this.#changeOf.at(place);
      places.push({ locus: this.#loci.at(place), change: change > 0 ? change : undefined });
    }
  }

  /** Keeps the slots that have a new number; these must ascend like the old ones. In portions, like `Multimap.remap`. */
  *compact(moved: (slot: number) => number | undefined): Generator<number> {
    const slots = this.#starts.length - 1;
    let [keptSlots, keptFeatures, keptPlaces] = [0, 0, 0];
    let [from, fromPlace] = [0, 0];
    for (let slot = 0; slot < slots; slot++) {
      if (slot % portion === portion - 1) yield portion * stepsOfSlot;
      const to = this.#starts.at(slot + 1);
      const keeps = moved(slot) !== undefined;
      for (let at = from; at < to; at++) {
        const toPlace = this.#placeStarts.at(at + 1);
        if (keeps) {
          for (let place = fromPlace; place < toPlace; place++) {
            this.#loci.values[keptPlaces] = this.#loci.at(place);
            this.#changeOf.values[keptPlaces++] = this.#changeOf.at(place);
          }
          this.#genes.values[keptFeatures] = this.#genes.at(at);
          this.#effectOf.values[keptFeatures] = this.#effectOf.at(at);
          this.#zygosities.values[keptFeatures] = this.#zygosities.at(at);
          this.#placeStarts.values[++keptFeatures] = keptPlaces;
        }
        fromPlace = toPlace;
      }
      if (keeps) this.#starts.values[++keptSlots] = keptFeatures;
      from = to;
    }
    this.#starts.truncate(keptSlots + 1);
    this.#placeStarts.truncate(keptFeatures + 1);
    for (const column of [this.#genes, this.#effectOf]) column.truncate(keptFeatures);
    this.#zygosities.truncate(keptFeatures);
    this.#loci.truncate(keptPlaces);
    this.#changeOf.truncate(keptPlaces);
    yield* this.#slotsByGene.remap(moved);
    yield* this.#slotsByLocus.remap(moved);
  }

  get bytes(): number {
    const columns = [this.#starts, this.#genes, this.#effectOf, this.#zygosities, this.#placeStarts, this.#loci];
    const parts = [...columns, this.#changeOf, this.#slotsByGene, this.#slotsByLocus];
    return [...parts, this.#spellings, this.#changes, this.#effects].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
