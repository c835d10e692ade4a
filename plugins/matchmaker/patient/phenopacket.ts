/** GA4GH phenopackets (v2, and those members of v1 that still occur) as patients. Phenopackets have no contact of a submitter. */
import type { FieldFault } from '../../../core/plugin.js';
import { contactHref } from './contact.js';
import { isRecord } from './shape.js';

/** Unchecked JSON. */
type Loose = { readonly [key: string]: unknown };

/** An unchecked patient, to be read by `readPatient`, and warnings about what it could not take over. */
export interface FromPacket {
  patient: Loose;
  warnings: FieldFault[];
}

export function isPhenopacket(value: unknown): boolean {
  return isRecord(value) && ('phenotypicFeatures' in value || 'interpretations' in value || 'metaData' in value);
}

export function fromPhenopacket(packet: unknown, contact: unknown, path: string): FromPacket {
  const { id, subject, phenotypicFeatures, diseases, interpretations } = object(packet);
  const { id: subjectId, sex, taxonomy } = object(subject);
  const warnings: FieldFault[] = [];
  const features = list(phenotypicFeatures).flatMap((feature, i) => {
    const read = featureOf(feature);
    if (!String(read.id).startsWith('HP:')) {
      warnings.push({ path: `${path}.phenotypicFeatures.${i}`, message: 'is not an HPO term and is ignored' });
      return [];
    }
    return [read];
  });
  const diagnoses = list(interpretations).map(({ diagnosis }) => object(diagnosis));
  const named = [
    ...list(diseases).flatMap(({ term, excluded }) => (excluded === true ? [] : [object(term)])),
    ...diagnoses.map(({ disease }) => object(disease)),
  ];
  const patient = {
    id: text(id) ?? text(subjectId),
    contact,
    sex: sexOf(sex),
    species: text(object(taxonomy).id),
    disorders: disordersOf(named, path, warnings),
    features,
    genomicFeatures: diagnoses.flatMap(({ genomicInterpretations }, i) =>
      list(genomicInterpretations).flatMap((interpretation, j) =>
        genomicFeatureOf(
          interpretation,
          `${path}.interpretations.${i}.diagnosis.genomicInterpretations.${j}`,
          warnings,
        ),
      ),
    ),
  };
  return { patient: present(patient), warnings };
}

function featureOf({ type, excluded, negated, onset }: Loose): Loose {
  const { id, label } = object(type);
  const ageOfOnset = text(object(object(onset).ontologyClass).id);
  return present({
    id,
    label: text(label),
    observed: excluded === true || negated === true ? 'no' : 'yes',
    ageOfOnset: ageOfOnset?.startsWith('HP:') ? ageOfOnset : undefined,
  });
}

function disordersOf(named: readonly Loose[], path: string, warnings: FieldFault[]): Loose[] {
  const disorders = new Map<string, Loose>();
  for (const { id, label } of named) {
    const spelt = text(id)
      ?.replace(/^OMIM:/i, 'MIM:')
      .replace(/^ORPHA:/i, 'Orphanet:');
    if (spelt === undefined) continue;
    if (/^(MIM|Orphanet|MONDO):\d+$/i.test(spelt)) disorders.set(spelt, present({ id: spelt, label: text(label) }));
    else
      warnings.push({
        path: `${path}.diseases`,
        message: 'has an id that is not from OMIM, Orphanet or MONDO and is ignored',
      });
  }
  return [...disorders.values()];
}

function genomicFeatureOf(interpretation: Loose, path: string, warnings: FieldFault[]): Loose[] {
  const { interpretationStatus, gene, variantInterpretation } = interpretation;
  if (interpretationStatus === 'REJECTED') return [];
  const descriptor = object(object(variantInterpretation).variationDescriptor);
  const { valueId, symbol } = object(descriptor.geneContext ?? gene);
  const variant = variantOf(object(descriptor.vcfRecord));
  const geneId = text(valueId) ?? text(symbol);
  const lost = geneId === undefined && variant === undefined;
  const missing = variantInterpretation !== undefined && variant?.alternateBases === undefined;
  if (lost) warnings.push({ path, message: 'has neither a gene nor a readable variant and is ignored' });
  else if (variant === undefined && missing) {
    warnings.push({ path, message: 'has no VCF record on NCBI36, GRCh37 or GRCh38: only its gene is imported' });
  } else if (missing) {
    warnings.push({ path, message: 'has no alternate allele in bases: its variant is imported without one' });
  }
  if (lost) return [];
  const { id: effect, label } = object(descriptor.structuralType);
  return [
    present({
      gene: { id: geneId ?? '' },
      variant,
      zygosity: zygosityOf(object(descriptor.allelicState)),
      type: text(effect)?.startsWith('SO:') ? present({ id: effect, label: text(label) }) : undefined,
    }),
  ];
}

const assemblies: Readonly<Record<string, string>> = {
  hg18: 'NCBI36',
  ncbi36: 'NCBI36',
  hg19: 'GRCh37',
  b37: 'GRCh37',
  grch37: 'GRCh37',
  hg38: 'GRCh38',
  grch38: 'GRCh38',
};

/** VCF positions count from 1; `start` and `end` are zero-based, half-open: `[pos − 1, pos − 1 + length)`. */
function variantOf({ genomeAssembly, chrom, pos, ref, alt }: Loose): Loose | undefined {
  const assembly = assemblies[(text(genomeAssembly) ?? '').toLowerCase().replace(/\.p\d+$/, '')];
  const first = Number(pos);
  if (assembly === undefined || text(chrom) === undefined || !Number.isSafeInteger(first)) return undefined;
  const referenceBases = text(ref);
  const alternate = text(alt);
  return present({
    assembly,
    referenceName: String(chrom).replace(/^chr/i, ''),
    start: first - 1,
    end: first - 1 + (referenceBases?.length ?? 1),
    referenceBases,
    // Symbolic alleles such as <DEL> have no bases.
    alternateBases: alternate !== undefined && /^[ACGTN]+$/i.test(alternate) ? alternate : undefined,
  });
}

/** GENO terms, or their labels. */
function zygosityOf({ id, label }: Loose): number | undefined {
  const state = `${text(id) ?? ''} ${text(label) ?? ''}`;
  if (/GENO:0000136|homozygous/i.test(state)) return 2;
  return /GENO:0000135|GENO:0000134|GENO:0000402|heterozygous|hemizygous/i.test(state) ? 1 : undefined;
}

/** By the names of protobuf's enum, or by its numbers, which its JSON allows as well. */
function sexOf(sex: unknown): string | undefined {
  if (sex === 'OTHER_SEX' || sex === 3) return 'OTHER';
  if (sex === 'FEMALE' || sex === 1) return 'FEMALE';
  return sex === 'MALE' || sex === 2 ? 'MALE' : undefined;
}

/** A contact for phenopackets; undefined if the address is not valid. */
export function givenContact(name: string, address: string): { name: string; href: string } | undefined {
  const href = contactHref(address);
  return href === undefined ? undefined : { name, href };
}

function object(value: unknown): Loose {
  return isRecord(value) ? value : {};
}

function list(value: unknown): Loose[] {
  return Array.isArray(value) ? value.map(object) : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function present(members: Record<string, unknown>): Loose {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
