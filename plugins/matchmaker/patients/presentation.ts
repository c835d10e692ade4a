/**
 * How a patient is shown: to clients and nodes, with warnings about what is ignored, and to people, with what it states of
 * genes and variants.
 */
import type { FieldFault } from '../../../core/plugin.js';
import type { GeneTable } from '../resources/genes.js';
import type { Ontology } from '../resources/ontology.js';
import type { Resources } from '../resources/resources.js';
import {
  type AlleleOrigin,
  type Disorder,
  definedMembers,
  extensionWarnings,
  type Feature,
  type GenomicFeature,
  inheritanceOfFeature,
  isRecord,
  type Patient,
  purposeOfPatient,
  withoutSample,
} from './patient.js';

/**
 * The patient as others than its owner may see it, with the Ensembl ids of its genes, and their symbols as `_geneName`. Unknown
 * genes stay as they were sent.
 */
export function presentedPatient(stored: Patient, genes: GeneTable): Patient {
  const patient = withoutSample(stored);
  if (patient.genomicFeatures === undefined) return patient;
  const genomicFeatures = patient.genomicFeatures.map((feature) => {
    const gene = genes.resolve(feature.gene.id);
    if (gene === undefined) return feature;
    return { ...feature, gene: { ...feature.gene, id: gene.ensembl ?? feature.gene.id, _geneName: gene.symbol } };
  });
  return { ...patient, genomicFeatures };
}

/** What is accepted but counts for less than the sender may expect, by the path of the member. */
export function warningsOfPatient(
  patient: Patient,
  { ontology, genes }: Pick<Resources, 'ontology' | 'genes'>,
  path = 'patient',
): FieldFault[] {
  const { features = [], genomicFeatures = [] } = patient;
  const warnings = extensionWarnings(patient, path);
  for (const [i, { id, observed }] of features.entries()) {
    const message = termWarning(id, ontology) ?? (observed === 'no' ? undefined : ignoredBecause(id, ontology));
    if (message !== undefined) warnings.push({ path: `${path}.features.${i}.id`, message });
  }
  const counts = features.some(({ id, observed }) => observed !== 'no' && isCompared(id, ontology));
  if (!counts && features.some(({ observed }) => observed === 'no')) {
    const message =
      'are not compared: features with observed "no" are ignored in matching, and no other feature counts';
    warnings.push({ path: `${path}.features`, message });
  }
  for (const [i, { gene, variant }] of genomicFeatures.entries()) {
    if (gene.id.trim() !== '' && genes.resolve(gene.id) === undefined) {
      warnings.push({ path: `${path}.genomicFeatures.${i}.gene.id`, message: geneWarning(gene.id, genes) });
    }
    if (variant !== undefined && variant.start === undefined) {
      const message = 'has no start: only its gene is compared';
      warnings.push({ path: `${path}.genomicFeatures.${i}.variant`, message });
    }
  }
  return warnings;
}

function geneWarning(id: string, genes: GeneTable): string {
  const several = genes.candidates(id).map(({ symbol }) => symbol);
  const why = several.length > 0 ? `can mean several genes (${several.join(', ')})` : 'is not in the gene table in use';
  return `${why}: it matches only the same spelling`;
}

/** Whether an observed term can add to a score. */
function isCompared(id: string, ontology: Ontology): boolean {
  const term = ontology.resolve(id)?.term;
  return term !== undefined && ontology.ancestors(term).some((ancestor) => ontology.information(ancestor) > 0);
}

/** Why an observed term of the ontology is ignored in matching; undefined if it is not. */
function ignoredBecause(id: string, ontology: Ontology): string | undefined {
  const term = ontology.resolve(id)?.term;
  if (term === undefined || isCompared(id, ontology)) return undefined;
  const why =
    ontology.ancestors(term).length === 0 ? 'is not a phenotypic abnormality' : 'is a term that every disease has';
  return `${id} ${why}: it is ignored in matching`;
}

function termWarning(id: string, ontology: Ontology): string | undefined {
  const resolved = ontology.resolve(id);
  if (resolved === undefined) {
    const what = ontology.isObsolete(id) ? 'obsolete without a replacement' : 'not in the HPO release in use';
    return `${id} is ${what}: it is ignored in matching`;
  }
  if (resolved.through === undefined) return undefined;
  return `${id} is obsolete or an alternative id: ${ontology.id(resolved.term)} is used instead`;
}

// What a patient states of its genes, as people read it. Patients of other nodes may have members of any type: those that
// are not valid are left out.

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
  origin?: AlleleOrigin;
}

const mostStated = 20;
/** Bases of an allele that is stated in full. */
const mostBases = 1000;
const mostLetters = 255;

interface GeneSymbols {
  resolve(id: string): { symbol: string } | undefined;
}

/** At most `mostStated`, those of `first` (symbols, or ids of unknown genes) before all others. */
export function statedFeatures(
  { genomicFeatures = [] }: Pick<Patient, 'genomicFeatures'>,
  genes: GeneSymbols,
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

function statedFeature(feature: GenomicFeature, genes: GeneSymbols): StatedFeature {
  const { gene, zygosity } = feature;
  const variant = isRecord(feature.variant) ? feature.variant : undefined;
  const stated = variant && statedVariant(variant);
  const isCount = typeof zygosity === 'number' && Number.isInteger(zygosity) && zygosity >= 0;
  return {
    gene: genes.resolve(gene.id)?.symbol ?? gene.id.replace(/\p{Cc}+/gu, ' ').slice(0, mostLetters),
    ...(stated && { variant: stated }),
    ...(isCount && { zygosity }),
    ...inheritanceOfFeature({ ...feature, variant: variant as GenomicFeature['variant'] }),
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
  origins?: Readonly<Record<AlleleOrigin, string>>,
): string {
  const term = mode === undefined ? undefined : ontology.resolve(mode)?.term;
  const named = term === undefined ? mode : `${ontology.name(term)} (${mode})`;
  return [named, origin && (origins?.[origin] ?? origin)].filter((one) => one !== undefined).join(', ');
}

// A patient as other nodes receive it: only members of the specification, and those that nodes agree on (`_geneName`,
// `_inheritance`, `_purpose`), in the spelling that the JSON schemas of other servers accept (patientMatcher and
// reference-server reject a patient for one disorder of another catalogue). `exchange/dialect.ts` adapts it to one node.

export function outgoingPatient(patient: Patient, genes: GeneTable): Patient {
  const { id, label, contact, species, sex, ageOfOnset, inheritanceMode, test } = patient;
  const { disorders, features, genomicFeatures } = presentedPatient(patient, genes);
  const { name, href, institution, email, roles } = contact;
  const [address] = typeof email === 'string' ? [email] : (email ?? []);
  return definedMembers({
    id,
    label,
    contact: definedMembers({ name, href, institution, email: address, roles }),
    species,
    sex,
    ageOfOnset,
    inheritanceMode,
    disorders: disorders?.flatMap(outgoingDisorder),
    features: features?.map(({ id, label, observed, ageOfOnset }: Feature) =>
      definedMembers({ id, label, observed, ageOfOnset }),
    ),
    genomicFeatures: genomicFeatures?.map(outgoingFeature),
    test,
    _purpose: purposeOfPatient(patient),
  });
}

/**
 * Returns a function that does the same, and returns the same object again for the same patient and table of genes. Neither
 * may be changed.
 */
export function lastOutgoing(): typeof outgoingPatient {
  const known = new WeakMap<Patient, { genes: GeneTable; sent: Patient }>();
  return (patient, genes) => {
    const before = known.get(patient);
    if (before?.genes === genes) return before.sent;
    const sent = outgoingPatient(patient, genes);
    known.set(patient, { genes, sent });
    return sent;
  };
}

function outgoingDisorder({ id, label }: Disorder): Disorder[] {
  const [catalogue = '', number = ''] = id.split(':');
  const name = { MIM: 'MIM', OMIM: 'MIM', ORPHANET: 'Orphanet', ORPHA: 'Orphanet' }[catalogue.toUpperCase()];
  // The specification has no other catalogues.
  return name === undefined || number.length > 6 ? [] : [definedMembers({ id: `${name}:${number}`, label })];
}

function outgoingFeature(feature: GenomicFeature): GenomicFeature {
  const { gene, variant, zygosity, type } = feature;
  const { id, _geneName } = gene;
  const { mode, origin } = inheritanceOfFeature(feature);
  return definedMembers({
    gene: definedMembers({ id, _geneName }),
    // The specification requires a start; without one, the gene says as much.
    variant: variant?.start === undefined ? undefined : outgoingVariant(variant, origin),
    zygosity,
    type: type && definedMembers({ id: type.id, label: type.label }),
    _inheritance: mode,
  });
}

function outgoingVariant(variant: NonNullable<GenomicFeature['variant']>, origin: AlleleOrigin | undefined) {
  const { assembly, referenceName, start, end, referenceBases, alternateBases } = variant;
  const name = referenceName === 'MT' ? 'M' : referenceName;
  return definedMembers({
    assembly,
    referenceName: name,
    start,
    end,
    referenceBases,
    alternateBases,
    _inheritance: origin,
  });
}
