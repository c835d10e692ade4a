/** GA4GH phenopackets of versions 1 and 2 as patients. Phenopackets have no contact of a submitter. */
import { enumName, type FieldFault, packetEnums, type UsedMembers, unusedMembers } from '../../../core/plugin.js';
import { contactHref } from './contact.js';
import { isRecord } from './shape.js';

/** Unchecked JSON. */
type Loose = { readonly [key: string]: unknown };

/** An unchecked patient, to be read by `readPatient`, and warnings about what it could not take over. */
export interface FromPacket {
  patient: Loose;
  warnings: FieldFault[];
}

const own = ['subject', 'phenotypicFeatures', 'phenotypic_features', 'interpretations', 'metaData', 'meta_data'];

export function isPhenopacket(value: unknown): boolean {
  return isRecord(value) && own.some((member) => member in value);
}

const term: UsedMembers = { id: true, label: true };
const used: UsedMembers = {
  id: true,
  metaData: true,
  subject: { id: true, sex: true, taxonomy: term },
  phenotypicFeatures: {
    type: term,
    excluded: true,
    negated: true,
    onset: { ontologyClass: term },
    classOfOnset: term,
  },
  diseases: { term, excluded: true },
  interpretations: {
    id: true,
    progressStatus: true,
    diagnosis: {
      disease: term,
      genomicInterpretations: {
        subjectOrBiosampleId: true,
        interpretationStatus: true,
        gene: true,
        variantInterpretation: {
          variationDescriptor: {
            id: true,
            vcfRecord: true,
            geneContext: true,
            structuralType: true,
            allelicState: true,
          },
        },
      },
    },
  },
  // Version 1.
  genes: { id: true, symbol: true },
  variants: { vcfAllele: true, zygosity: true },
};

/** Members by the names that the schema gives them, which the JSON of protobuf allows, in camel case. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (!isRecord(value)) return value;
  const camel = (member: string) =>
    member.replace(/(?<=[a-z0-9])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([member, content]) => [camel(member), inCamelCase(content)]));
}

export function fromPhenopacket(packet: unknown, contact: unknown, path: string): FromPacket {
  const content = object(inCamelCase(packet));
  const { id, subject, phenotypicFeatures, diseases, interpretations } = content;
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
  const unused = [...unusedMembers(content, used)];
  if (unused.length > 0) warnings.push({ path, message: `has members that are not imported: ${unused.join(', ')}` });
  const patient = {
    id: text(id) ?? text(subjectId),
    contact,
    sex: sexOf(sex),
    species: text(object(taxonomy).id),
    disorders: disordersOf(named, path, warnings),
    features,
    genomicFeatures: genomicFeaturesOf1(content, path, warnings).concat(
      diagnoses.flatMap(({ genomicInterpretations }, i) =>
        list(genomicInterpretations).flatMap((interpretation, j) =>
          genomicFeatureOf(
            interpretation,
            `${path}.interpretations.${i}.diagnosis.genomicInterpretations.${j}`,
            warnings,
          ),
        ),
      ),
    ),
  };
  return { patient: present(patient), warnings };
}

function featureOf({ type, excluded, negated, onset, classOfOnset }: Loose): Loose {
  const { id, label } = object(type);
  const ageOfOnset = text(object(object(onset).ontologyClass ?? classOfOnset).id);
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
    if (/^(MIM|Orphanet|MONDO|DECIPHER):\d+$/i.test(spelt))
      disorders.set(spelt, present({ id: spelt, label: text(label) }));
    else
      warnings.push({
        path: `${path}.diseases`,
        message: 'has an id that is not from OMIM, Orphanet, MONDO or DECIPHER and is ignored',
      });
  }
  return [...disorders.values()];
}

function genomicFeatureOf(interpretation: Loose, path: string, warnings: FieldFault[]): Loose[] {
  const { interpretationStatus, gene, variantInterpretation } = interpretation;
  if (enumName(packetEnums.interpretationStatus, interpretationStatus) === 'REJECTED') return [];
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

/** The genes and variants of version 1, which does not say which gene a variant is in. */
function genomicFeaturesOf1({ genes, variants }: Loose, path: string, warnings: FieldFault[]): Loose[] {
  const named = list(genes).flatMap(({ id, symbol }, i) => {
    const gene = text(id) ?? text(symbol);
    if (gene === undefined) warnings.push({ path: `${path}.genes.${i}`, message: 'has no id and is ignored' });
    return gene === undefined ? [] : [gene];
  });
  const alleles = list(variants).flatMap(({ vcfAllele, zygosity }, i) => {
    const { chr, ...allele } = object(vcfAllele);
    const variant = variantOf({ ...allele, chrom: chr });
    if (variant) return [{ variant, zygosity: zygosityOf(object(zygosity)) }];
    const message = 'has no VCF allele on NCBI36, GRCh37 or GRCh38 and is ignored';
    warnings.push({ path: `${path}.variants.${i}`, message });
    return [];
  });
  const [only = '', ...others] = named;
  const gene = { id: others.length === 0 ? only : '' };
  const ofGenes = gene.id !== '' && alleles.length > 0 ? [] : named.map((id) => ({ gene: { id } }));
  return [...ofGenes, ...alleles.map((allele) => present({ gene, ...allele }))];
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

function sexOf(sex: unknown): string | undefined {
  const name = enumName(packetEnums.sex, sex);
  if (name === 'OTHER_SEX') return 'OTHER';
  return name === 'FEMALE' || name === 'MALE' ? name : undefined;
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
