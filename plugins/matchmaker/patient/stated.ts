/**
 * What a patient states of its genes, as people read it. Patients of other nodes may have members of any type: those that
 * are not valid are left out.
 */
import type { Ontology } from '../ontology/ontology.js';
import { inheritanceOf, type Origin } from './extensions.js';
import type { GenomicFeature, Patient } from './patient.js';
import { isRecord } from './shape.js';

/** Zero-based, half-open, as stated: some systems send the positions of VCF files. */
export interface StatedVariant {
  /** `GRCh37` or `GRCh38`, as stated, perhaps with a patch. */
  assembly: string;
  chromosome: string;
  start: number;
  end?: number;
  /** Bases, in upper case; both or none. */
  reference?: string;
  alternate?: string;
}

export interface StatedFeature {
  /** Symbol, or the id as stated. */
  gene: string;
  variant?: StatedVariant;
  zygosity?: number;
  /** HPO id of the mode of inheritance in this gene. */
  mode?: string;
  /** From whom the allele comes. */
  origin?: Origin;
}

export const mostStated = 20;
/** Bases of an allele that is stated in full. */
const mostBases = 1000;
const mostLetters = 255;

interface GeneNames {
  resolve(id: string): { symbol: string } | undefined;
}

/** At most `mostStated`, those of `first` (symbols, or ids of unknown genes) before all others. */
export function statedFeatures(
  { genomicFeatures = [] }: Pick<Patient, 'genomicFeatures'>,
  genes: GeneNames,
  first: readonly string[] = [],
): StatedFeature[] {
  const features: unknown[] = Array.isArray(genomicFeatures) ? genomicFeatures : [];
  const stated = features.flatMap((feature) => (isFeature(feature) ? [statedFeature(feature, genes)] : []));
  const isFirst = ({ gene }: StatedFeature) => first.includes(gene);
  return [...stated.filter(isFirst), ...stated.filter((one) => !isFirst(one))].slice(0, mostStated);
}

function isFeature(value: unknown): value is GenomicFeature {
  return isRecord(value) && isRecord(value.gene) && typeof value.gene.id === 'string';
}

function statedFeature(feature: GenomicFeature, genes: GeneNames): StatedFeature {
  const { gene, zygosity } = feature;
  const variant = isRecord(feature.variant) ? feature.variant : undefined;
  const stated = variant && statedVariant(variant);
  const isCount = typeof zygosity === 'number' && Number.isInteger(zygosity) && zygosity >= 0;
  return {
    gene: genes.resolve(gene.id)?.symbol ?? gene.id.replace(/\p{Cc}+/gu, ' ').slice(0, mostLetters),
    ...(stated && { variant: stated }),
    ...(isCount && { zygosity }),
    ...inheritanceOf({ ...feature, variant: variant as GenomicFeature['variant'] }),
  };
}

function statedVariant(variant: Record<string, unknown>): StatedVariant | undefined {
  const { assembly, referenceName, start, end, referenceBases, alternateBases } = variant;
  if (typeof assembly !== 'string' || !/^[\w.-]{1,40}$/.test(assembly)) return undefined;
  if (typeof referenceName !== 'string' || !/^[\w.-]{1,40}$/.test(referenceName) || !isPosition(start))
    return undefined;
  const [reference, alternate] = [basesIn(referenceBases), basesIn(alternateBases)];
  return {
    ...{ assembly, chromosome: referenceName, start },
    ...(isPosition(end) && end >= start && { end }),
    ...(reference !== undefined && alternate !== undefined && { reference, alternate }),
  };
}

function isPosition(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 250_000_000;
}

function basesIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > mostBases || !/^[ACGTN]+$/i.test(value)) return undefined;
  return value.toUpperCase();
}

/** Whether `end` shows that positions are those of VCF files: one-based, the last base included. */
export function isOneBased({ start, end, reference }: Pick<StatedVariant, 'start' | 'end' | 'reference'>): boolean {
  return reference !== undefined && start > 0 && end === start + reference.length - 1;
}

/** `Autosomal dominant inheritance (HP:0000006), de novo`; empty if nothing is stated. */
export function inheritanceWords(
  { mode, origin }: Pick<StatedFeature, 'mode' | 'origin'>,
  ontology: Pick<Ontology, 'resolve' | 'name'>,
  origins?: Readonly<Record<Origin, string>>,
): string {
  const term = mode === undefined ? undefined : ontology.resolve(mode)?.term;
  const named = term === undefined ? mode : `${ontology.name(term)} (${mode})`;
  return [named, origin && (origins?.[origin] ?? origin)].filter((one) => one !== undefined).join(', ');
}
