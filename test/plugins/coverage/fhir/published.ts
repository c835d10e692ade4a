/**
 * What FHIR R4 (JSON schema) and the guide HL7 Genomics Reporting, STU3 (3.0.0, input/fsh/GGGenomicStudy.fsh) say of our
 * documents, as checks that return what is wrong.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';

const guide = 'http://hl7.org/fhir/uv/genomics-reporting';
const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

export interface Extension {
  url: string;
  extension?: Extension[];
  valueString?: string;
  valueQuantity?: { value: number; unit: string };
  valueReference?: { reference: string };
  valueCodeableConcept?: { coding: { system: string; code: string; display?: string }[]; text?: string };
}

export interface Resource {
  resourceType: string;
  meta?: { profile: string[] };
  extension?: Extension[];
  status?: string;
  category?: { coding: { system: string; code: string }[] };
  performedDateTime?: string;
  performer?: unknown[];
  identifier?: { value: string }[];
  note?: { text: string }[];
  content?: { attachment: { data?: string; size?: number; hash?: string; title: string } }[];
}

export interface Bundle {
  resourceType: string;
  language: string;
  entry: { fullUrl: string; resource: Resource }[];
}

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
ajv.addMetaSchema(createRequire(import.meta.url)('ajv/dist/refs/json-schema-draft-06.json'));
const validate = ajv.compile(read('./r4.schema.json'));

/** By the JSON schema of R4. */
export function schemaFaults(document: unknown): string[] {
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

type Value = 'String' | 'Quantity' | 'CodeableConcept' | 'Reference';

/** An extension with a value, or with parts. */
interface Shape {
  most: number;
  values?: readonly Value[];
  /** The type of the resource that a reference must lead to. */
  to?: string;
  parts?: Readonly<Record<string, Shape>>;
}

const many = Number.POSITIVE_INFINITY;
const genesOrFile: Shape = { most: many, values: ['CodeableConcept', 'Reference'], to: 'DocumentReference' };

/** Of genomic-study-analysis, by the last part of their URLs. */
const ofAnalysis: Readonly<Record<string, Shape>> = {
  'genomic-study-analysis-method-type': { most: many, values: ['CodeableConcept'] },
  'genomic-study-analysis-genome-build': { most: 1, values: ['CodeableConcept'] },
  'genomic-study-analysis-title': { most: 1, values: ['String'] },
  'genomic-study-analysis-specimen': { most: many, values: ['Reference'], to: 'Specimen' },
  'genomic-study-analysis-metrics': {
    most: 1,
    parts: {
      'read-depth': { most: 1, values: ['Quantity'] },
      'sequencing-coverage': { most: 1, values: ['Quantity'] },
      'metrics-description': { most: 1, values: ['String'] },
    },
  },
  'genomic-study-analysis-regions': {
    most: 1,
    parts: {
      description: { most: 1, values: ['String'] },
      studied: genesOrFile,
      called: genesOrFile,
      uncalled: genesOrFile,
    },
  },
  'genomic-study-analysis-device': {
    most: many,
    parts: {
      device: { most: 1, values: ['Reference'], to: 'Device' },
      function: { most: 1, values: ['CodeableConcept'] },
    },
  },
  'genomic-study-analysis-input': {
    most: many,
    parts: {
      file: { most: 1, values: ['Reference'], to: 'DocumentReference' },
      type: { most: 1, values: ['CodeableConcept'] },
    },
  },
};
const ofStudy: Readonly<Record<string, Shape>> = {
  'genomic-study-analysis-ext': { most: many, values: ['Reference'], to: 'Procedure' },
};

/** Elements of Procedure that the profiles close. */
const closed = [
  ...['partOf', 'statusReason', 'recorder', 'location', 'bodySite', 'outcome', 'report', 'complication'],
  ...['complicationDetail', 'followUp', 'focalDevice', 'usedReference', 'usedCode'],
];
const closedOfAnalysis = [...closed, 'basedOn', 'code', 'encounter', 'asserter', 'reasonCode', 'reasonReference'];

/** Of a procedure, by the profile that it names. */
export function profileFaults(resource: Resource, bundle: Bundle): string[] {
  const kind = resource.meta?.profile.map((url) => url.slice(`${guide}/StructureDefinition/`.length)).join();
  if (kind !== 'genomic-study' && kind !== 'genomic-study-analysis') return [`unknown profile ${kind}`];
  const isAnalysis = kind === 'genomic-study-analysis';
  const { extension = [], category, status } = resource;
  const faults = (isAnalysis ? closedOfAnalysis : closed).filter((name) => name in resource);
  if (category?.coding.length !== 1 || category.coding[0]?.code !== 'laboratory') faults.push('category');
  if (status !== 'completed') faults.push('status');
  const own = extension.map((one) => ({ ...one, url: one.url.slice(`${guide}/StructureDefinition/`.length) }));
  return [...faults, ...extensionFaults(own, isAnalysis ? ofAnalysis : ofStudy, bundle)];
}

function extensionFaults(all: readonly Extension[], shapes: Readonly<Record<string, Shape>>, bundle: Bundle): string[] {
  const faults: string[] = [];
  const counts = new Map<string, number>();
  for (const one of all) {
    const shape = shapes[one.url];
    counts.set(one.url, (counts.get(one.url) ?? 0) + 1);
    if (shape === undefined) faults.push(`${one.url}: unknown`);
    else faults.push(...oneFaults(one, shape, bundle).map((fault) => `${one.url}: ${fault}`));
  }
  for (const [url, count] of counts) if (count > (shapes[url]?.most ?? 0)) faults.push(`${url}: ${count} times`);
  return faults;
}

function oneFaults(one: Extension, { values, to, parts }: Shape, bundle: Bundle): string[] {
  const given = Object.keys(one).filter((key) => key.startsWith('value'));
  if (parts !== undefined) {
    if (given.length > 0) return ['has a value'];
    return one.extension?.length ? extensionFaults(one.extension, parts, bundle) : ['has no parts'];
  }
  if (one.extension !== undefined || given.length !== 1) return ['needs one value'];
  const kind = (given[0] as string).slice('value'.length) as Value;
  if (!values?.includes(kind)) return [`has a ${kind}`];
  if (kind !== 'Reference') return [];
  const target = bundle.entry.find(({ fullUrl }) => fullUrl === one.valueReference?.reference)?.resource.resourceType;
  return target === to ? [] : [`leads to ${target}`];
}
