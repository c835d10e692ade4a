/** What a node with quirks is sent, and how its response is read. */
import { Fault } from '../../../core/plugin.js';
import type { Feature, GenomicFeature, Patient, PeerNode } from '../contract.js';
import { isRecord } from '../patients/patient.js';
import { outgoingPatient } from '../patients/presentation.js';
import type { Ontology } from '../resources/ontology.js';
import type { Resources } from '../resources/resources.js';
import { type Quirk, quirksOfNames } from './node.js';
import { type Statements, vendorType } from './protocol.js';

export interface Dialect {
  headers: Readonly<Record<string, string>>;
  /** Whether it may take minutes to respond. */
  slow: boolean;
  /**
   * The body of a query. Throws `unprocessable`, with a message that continues a sentence about the node, if nothing of the
   * patient is left that the node compares.
   */
  body(patient: Patient, resources: Pick<Resources, 'genes' | 'ontology'>, statements: Statements): object;
  /** A result of the node's response as the specification has it. What is no result stays as it is. */
  result(sent: unknown): unknown;
}

/** The term that stands for features that are not disclosed: some phenotypic abnormality. */
const masked = 'HP:0000118';

/** Throws `unavailable` if the node has a quirk that this version does not know. */
export function dialectOfNode({ contentType, quirks }: Pick<PeerNode, 'contentType' | 'quirks'>): Dialect {
  const has = quirksOfNames(quirks);
  const accepted = has.has('version-1.0') ? vendorType('1.0') : contentType;
  return {
    headers: {
      'Content-Type': has.has('form-content-type') ? 'application/x-www-form-urlencoded' : accepted,
      Accept: vendorType('1.0'),
      'Content-Language': 'en-US',
    },
    slow: has.has('slow'),
    body: (patient, resources, statements) => ({
      patient: spokenPatient(patient, resources, has),
      ...(accepted === vendorType('1.1') ? statements : {}),
    }),
    result: (sent) => readResult(sent, has),
  };
}

function spokenPatient(
  patient: Patient,
  { genes, ontology }: Pick<Resources, 'genes' | 'ontology'>,
  has: ReadonlySet<Quirk>,
) {
  const sent = outgoingPatient(patient, genes);
  const features = sent.features?.flatMap((feature) => spokenFeature(feature, ontology, has));
  const genomicFeatures = sent.genomicFeatures?.map((feature) => spokenGenomicFeature(feature, has));
  if ((features ?? []).length + (genomicFeatures ?? []).length === 0) {
    throw new Fault('unprocessable', 'was not queried: it compares nothing that the patient has');
  }
  const { features: _, genomicFeatures: __, contact, ...rest } = sent;
  const spoken = {
    ...rest,
    contact: spokenContact(contact, has),
    ...(features && { features }),
    ...(genomicFeatures && { genomicFeatures }),
  };
  return has.has('no-extensions') ? withoutExtensions(spoken) : spoken;
}

function spokenFeature(feature: Feature, ontology: Ontology, has: ReadonlySet<Quirk>): Feature[] {
  if (has.has('genes-only')) return [];
  if (has.has('observed-only') && feature.observed === 'no') return [];
  if (!has.has('known-terms') && !has.has('labels')) return [feature];
  const term = ontology.resolve(feature.id)?.term;
  if (term === undefined) return has.has('known-terms') ? [] : [feature];
  return [
    {
      ...feature,
      ...(has.has('known-terms') && { id: ontology.id(term) }),
      ...(has.has('labels') && { label: ontology.name(term) }),
    },
  ];
}

function spokenGenomicFeature(feature: GenomicFeature, has: ReadonlySet<Quirk>): GenomicFeature {
  const { gene, variant } = feature;
  const symbol = gene._geneName;
  return {
    ...feature,
    ...(has.has('gene-symbols') && typeof symbol === 'string' && { gene: { ...gene, id: symbol } }),
    ...(variant && {
      variant: {
        ...variant,
        ...(has.has('plain-assembly') && { assembly: variant.assembly.replace(/\.p\d+$/, '') }),
        ...(has.has('starts-at-1') && variant.start !== undefined && { start: variant.start + 1 }),
      },
    }),
  };
}

function spokenContact(contact: Patient['contact'], has: ReadonlySet<Quirk>): Patient['contact'] {
  const { name, institution, href } = contact;
  const isUnnamed = has.has('contact-name') && name.trim() === '';
  return {
    ...contact,
    ...(isUnnamed && { name: institution || href.replace(/^mailto:/i, '').slice(0, 255) }),
    ...(has.has('one-address') && { href: /^mailto:/i.test(href) ? (href.split(',', 1)[0] ?? href) : href }),
  };
}

/** A copy without members whose names begin with `_`. */
function withoutExtensions<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutExtensions) as Value;
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !name.startsWith('_'));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutExtensions(member)])) as Value;
}

function readResult(sent: unknown, has: ReadonlySet<Quirk>): unknown {
  if (!isRecord(sent)) return sent;
  const { score, patient } = sent;
  return {
    ...sent,
    ...(has.has('score-100') && isRecord(score) && { score: withPercentage(score) }),
    ...(isRecord(patient) && { patient: heardPatient(patient, has) }),
  };
}

function withPercentage(score: Record<string, unknown>): Record<string, unknown> {
  return typeof score.patient === 'number' ? { ...score, patient: score.patient / 100 } : score;
}

function heardPatient(patient: Record<string, unknown>, has: ReadonlySet<Quirk>): Record<string, unknown> {
  const { features, genomicFeatures } = patient;
  return {
    ...patient,
    ...(has.has('masked-features') &&
      Array.isArray(features) && {
        features: features.filter((feature) => !isRecord(feature) || feature.id !== masked),
      }),
    ...(has.has('starts-at-1') &&
      Array.isArray(genomicFeatures) && { genomicFeatures: genomicFeatures.map(heardGenomicFeature) }),
  };
}

function heardGenomicFeature(feature: unknown): unknown {
  if (!isRecord(feature) || !isRecord(feature.variant)) return feature;
  const { start } = feature.variant;
  if (typeof start !== 'number' || start < 1) return feature;
  return { ...feature, variant: { ...feature.variant, start: start - 1 } };
}
