/** GA4GH phenopackets of versions 1 and 2 as patients. Phenopackets have no contact of a submitter. */
import { enumName, type FieldFault, packetEnums, type UsedMembers, unusedMembers } from '../../../core/plugin.js';
import { contactHref, definedMembers, isRecord } from './patient.js';

/** Unchecked JSON. */
type PacketObject = { readonly [key: string]: unknown };

/** An unchecked patient, to be read by `readPatient`, and warnings about what it could not take over. */
export interface FromPacket {
  patient: PacketObject;
  warnings: FieldFault[];
}

const packetMembers = [
  'subject',
  'phenotypicFeatures',
  'phenotypic_features',
  'interpretations',
  'metaData',
  'meta_data',
];

export function isPhenopacket(value: unknown): boolean {
  return isRecord(value) && packetMembers.some((member) => member in value);
}

const usedTerm: UsedMembers = { id: true, label: true };
const usedMembers: UsedMembers = {
  id: true,
  metaData: true,
  subject: { id: true, sex: true, taxonomy: usedTerm },
  phenotypicFeatures: {
    type: usedTerm,
    excluded: true,
    negated: true,
    onset: { ontologyClass: usedTerm },
    classOfOnset: usedTerm,
  },
  diseases: { term: usedTerm, excluded: true },
  interpretations: {
    id: true,
    progressStatus: true,
    diagnosis: {
      disease: usedTerm,
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
  const content = packetObject(inCamelCase(packet));
  const { id, subject, phenotypicFeatures, diseases, interpretations } = content;
  const { id: subjectId, sex, taxonomy } = packetObject(subject);
  const warnings: FieldFault[] = [];
  const features = packetList(phenotypicFeatures).flatMap((feature, i) => {
    const read = featureOf(feature);
    if (!String(read.id).startsWith('HP:')) {
      warnings.push({ path: `${path}.phenotypicFeatures.${i}`, message: 'is not an HPO term and is ignored' });
      return [];
    }
    return [read];
  });
  const diagnoses = packetList(interpretations).map(({ diagnosis }) => packetObject(diagnosis));
  const named = [
    ...packetList(diseases).flatMap(({ term, excluded }) => (excluded === true ? [] : [packetObject(term)])),
    ...diagnoses.map(({ disease }) => packetObject(disease)),
  ];
  const unused = [...unusedMembers(content, usedMembers)];
  if (unused.length > 0) warnings.push({ path, message: `has members that are not imported: ${unused.join(', ')}` });
  const patient = {
    id: packetText(id) ?? packetText(subjectId),
    contact,
    sex: sexOf(sex),
    species: packetText(packetObject(taxonomy).id),
    disorders: disordersOf(named, path, warnings),
    features,
    genomicFeatures: genomicFeaturesOf1(content, path, warnings).concat(
      diagnoses.flatMap(({ genomicInterpretations }, i) =>
        packetList(genomicInterpretations).flatMap((interpretation, j) =>
          genomicFeatureOf(
            interpretation,
            `${path}.interpretations.${i}.diagnosis.genomicInterpretations.${j}`,
            warnings,
          ),
        ),
      ),
    ),
  };
  return { patient: definedMembers(patient), warnings };
}

function featureOf({ type, excluded, negated, onset, classOfOnset }: PacketObject): PacketObject {
  const { id, label } = packetObject(type);
  const ageOfOnset = packetText(packetObject(packetObject(onset).ontologyClass ?? classOfOnset).id);
  return definedMembers({
    id,
    label: packetText(label),
    observed: excluded === true || negated === true ? 'no' : 'yes',
    ageOfOnset: ageOfOnset?.startsWith('HP:') ? ageOfOnset : undefined,
  });
}

function disordersOf(named: readonly PacketObject[], path: string, warnings: FieldFault[]): PacketObject[] {
  const disorders = new Map<string, PacketObject>();
  for (const { id, label } of named) {
    const spelt = packetText(id)
      ?.replace(/^OMIM:/i, 'MIM:')
      .replace(/^ORPHA:/i, 'Orphanet:');
    if (spelt === undefined) continue;
    if (/^(MIM|Orphanet|MONDO|DECIPHER):\d+$/i.test(spelt))
      disorders.set(spelt, definedMembers({ id: spelt, label: packetText(label) }));
    else
      warnings.push({
        path: `${path}.diseases`,
        message: 'has an id that is not from OMIM, Orphanet, MONDO or DECIPHER and is ignored',
      });
  }
  return [...disorders.values()];
}

function genomicFeatureOf(interpretation: PacketObject, path: string, warnings: FieldFault[]): PacketObject[] {
  const { interpretationStatus, gene, variantInterpretation } = interpretation;
  if (enumName(packetEnums.interpretationStatus, interpretationStatus) === 'REJECTED') return [];
  const descriptor = packetObject(packetObject(variantInterpretation).variationDescriptor);
  const { valueId, symbol } = packetObject(descriptor.geneContext ?? gene);
  const variant = variantOf(packetObject(descriptor.vcfRecord));
  const geneId = packetText(valueId) ?? packetText(symbol);
  const lost = geneId === undefined && variant === undefined;
  const missing = variantInterpretation !== undefined && variant?.alternateBases === undefined;
  if (lost) warnings.push({ path, message: 'has neither a gene nor a readable variant and is ignored' });
  else if (variant === undefined && missing) {
    warnings.push({ path, message: 'has no VCF record on NCBI36, GRCh37 or GRCh38: only its gene is imported' });
  } else if (missing) {
    warnings.push({ path, message: 'has no alternate allele in bases: its variant is imported without one' });
  }
  if (lost) return [];
  const { id: effect, label } = packetObject(descriptor.structuralType);
  return [
    definedMembers({
      gene: { id: geneId ?? '' },
      variant,
      zygosity: zygosityOf(packetObject(descriptor.allelicState)),
      type: packetText(effect)?.startsWith('SO:')
        ? definedMembers({ id: effect, label: packetText(label) })
        : undefined,
    }),
  ];
}

/** The genes and variants of version 1, which does not say which gene a variant is in. */
function genomicFeaturesOf1({ genes, variants }: PacketObject, path: string, warnings: FieldFault[]): PacketObject[] {
  const named = packetList(genes).flatMap(({ id, symbol }, i) => {
    const gene = packetText(id) ?? packetText(symbol);
    if (gene === undefined) warnings.push({ path: `${path}.genes.${i}`, message: 'has no id and is ignored' });
    return gene === undefined ? [] : [gene];
  });
  const alleles = packetList(variants).flatMap(({ vcfAllele, zygosity }, i) => {
    const { chr, ...allele } = packetObject(vcfAllele);
    const variant = variantOf({ ...allele, chrom: chr });
    if (variant) return [{ variant, zygosity: zygosityOf(packetObject(zygosity)) }];
    const message = 'has no VCF allele on NCBI36, GRCh37 or GRCh38 and is ignored';
    warnings.push({ path: `${path}.variants.${i}`, message });
    return [];
  });
  const [only = '', ...others] = named;
  const gene = { id: others.length === 0 ? only : '' };
  const ofGenes = gene.id !== '' && alleles.length > 0 ? [] : named.map((id) => ({ gene: { id } }));
  return [...ofGenes, ...alleles.map((allele) => definedMembers({ gene, ...allele }))];
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
function variantOf({ genomeAssembly, chrom, pos, ref, alt }: PacketObject): PacketObject | undefined {
  const assembly = assemblies[(packetText(genomeAssembly) ?? '').toLowerCase().replace(/\.p\d+$/, '')];
  const first = Number(pos);
  if (assembly === undefined || packetText(chrom) === undefined || !Number.isSafeInteger(first)) return undefined;
  const referenceBases = packetText(ref);
  const alternate = packetText(alt);
  return definedMembers({
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
function zygosityOf({ id, label }: PacketObject): number | undefined {
  const state = `${packetText(id) ?? ''} ${packetText(label) ?? ''}`;
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

function packetObject(value: unknown): PacketObject {
  return isRecord(value) ? value : {};
}

function packetList(value: unknown): PacketObject[] {
  return Array.isArray(value) ? value.map(packetObject) : [];
}

function packetText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
