/**
 * Reads patients that clients and nodes send: by the schema of the specification, and with the departures of other servers
 * mended.
 */
import { z } from 'zod';
import { Fault, type FieldFault, isIntact, wording } from '../../../core/plugin.js';
import { contactHref, isPurpose, isRecord, longestHref, type Patient, sexes } from './patient.js';

// What a patient may look like, by the text of the specification (mme-apis, search-api.md 1.0 and 1.1): the JSON schema
// that other servers ship departs from it. Members that are null count as absent, and members that the specification does
// not name are accepted.

const short = () => z.string().max(255, 'must not be longer than 255 characters');
const name = () => short().refine((text) => text.trim() !== '', 'must not be empty');
const patientId = () => name().refine(isIntact, 'has bytes that are not UTF-8');
const shaped = (pattern: RegExp, shape: string) => z.string().regex(pattern, `must be ${shape}`);
const hpo = () => shaped(/^HP:\d{7}$/, 'HP: followed by seven digits, such as HP:0000252');
const bases = () =>
  shaped(/^[ACGTN]+$/i, 'bases (A, C, G, T or N)').max(100_000, 'must not be longer than 100000 bases');
/** Bases. No human chromosome is longer, in any build. */
const longest = 250_000_000;
const position = () =>
  z
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(longest, `must not exceed ${longest}: no chromosome is longer`);

/** More than any patient has: they bound the work of comparing every entry with every other. */
const mostFeatures = 2000;
const mostGenomicFeatures = 100;
const mostDisorders = 1000;

const contact = z.looseObject({
  name: name(),
  href: z
    .string()
    .refine((href) => Buffer.byteLength(href) <= longestHref, {
      error: `must not be longer than ${longestHref} bytes`,
      abort: true,
    })
    .refine(
      (href) => contactHref(href) !== undefined,
      'must be an http(s) address or an e-mail address, with or without mailto:',
    ),
  institution: short().nullish(),
  email: z.union([short(), z.array(short()).max(100)], 'must be an e-mail address, or a list of at most 100').nullish(),
  roles: z.array(z.enum(['clinician', 'researcher', 'patient'])).nullish(),
});

const disorder = z.looseObject({
  id: shaped(
    /^(MIM|OMIM|Orphanet|ORPHA|MONDO|DECIPHER):\d{1,9}$/i,
    'MIM:, OMIM:, Orphanet:, ORPHA:, MONDO: or DECIPHER: followed by one to nine digits',
  ),
  label: z.string().nullish(),
});

const feature = z.looseObject({
  id: hpo(),
  label: z.string().nullish(),
  observed: z.enum(['yes', 'no']).nullish(),
  ageOfOnset: hpo().nullish(),
});

const variant = z
  .looseObject({
    assembly: shaped(/^(NCBI36|GRCh37|GRCh38)(\.p\d+)?$/, 'NCBI36, GRCh37 or GRCh38, with or without a patch (.p13)'),
    referenceName: shaped(/^([1-9]|1\d|2[0-2]|X|Y|M|MT)$/, '1 to 22, X, Y, M or MT'),
    start: position().nullish(),
    end: position().nullish(),
    referenceBases: bases().nullish(),
    alternateBases: bases().nullish(),
  })
  .superRefine(({ start, end }, context) => {
    if (start == null || end == null || end >= start) return;
    context.addIssue({ code: 'custom', path: ['start'], message: 'must not be greater than end' });
    context.addIssue({ code: 'custom', path: ['end'], message: 'must not be less than start' });
  });

const genomicFeature = z
  .looseObject({
    gene: z.looseObject({ id: short() }),
    variant: variant.nullish(),
    zygosity: z.int('must be a whole number').min(0, 'must not be negative').nullish(),
    type: z
      .looseObject({ id: shaped(/^SO:\d{7}$/, 'SO: followed by seven digits'), label: z.string().nullish() })
      .nullish(),
  })
  .refine(({ gene, variant }) => gene.id.trim() !== '' || variant?.start != null, {
    path: ['gene', 'id'],
    error: 'must not be empty unless there is a variant with a start',
  });

const members = z.looseObject({
  id: patientId(),
  label: short().nullish(),
  contact,
  species: shaped(/^NCBITaxon:\d{1,10}$/, 'NCBITaxon: followed by one to ten digits').nullish(),
  sex: z.enum(sexes).nullish(),
  ageOfOnset: hpo().nullish(),
  inheritanceMode: hpo().nullish(),
  disorders: z.array(disorder).max(mostDisorders, `must have at most ${mostDisorders} entries`).nullish(),
  features: z.array(feature).max(mostFeatures, `must have at most ${mostFeatures} entries`).nullish(),
  genomicFeatures: z
    .array(genomicFeature)
    .max(mostGenomicFeatures, `must have at most ${mostGenomicFeatures} entries`)
    .nullish(),
  test: z.boolean().nullish(),
});

const someFeatures = {
  path: ['features'],
  error: 'must not be empty unless there are genomicFeatures',
};

type FeatureLists = { [List in 'features' | 'genomicFeatures']?: readonly unknown[] | null | undefined };

function hasFeatures({ features, genomicFeatures }: FeatureLists): boolean {
  return (features ?? []).length + (genomicFeatures ?? []).length > 0;
}

/** A patient as it is sent, in which nulls and plain e-mail addresses may occur. */
export const patientSchema = members.refine(hasFeatures, someFeatures);

/** The patient of a query after `mended`: the contact needs no name, and perhaps no feature is left. */
const querySchema = members.extend({ contact: contact.extend({ name: short() }) });

/** What the patient of a query must have before it is mended. */
const queriedSchema = z
  .looseObject({ features: z.array(z.unknown()).nullish(), genomicFeatures: z.array(z.unknown()).nullish() })
  .refine(hasFeatures, someFeatures);

export const submissionSchema = z.looseObject({ patient: patientSchema });

/** All faults of a value by the schema, each with its path below `path`. */
function faultsOfValue(value: unknown, path: string, schema: z.ZodType): FieldFault[] {
  const { error } = schema.safeParse(value, { error: wording });
  return (error?.issues ?? []).map((issue) => ({
    path: [path, ...issue.path.map(String)].filter((part) => part !== '').join('.'),
    message: issue.message,
  }));
}

/**
 * Returns the patient that a value describes: without nulls, `mailto:` added to a contact's plain e-mail address, and
 * otherwise unchanged; or, if the value is not valid, all faults with their paths below `path`.
 */
export function readPatient(
  value: unknown,
  path: string,
  schema: z.ZodType = patientSchema,
): { patient: Patient } | { faults: FieldFault[] } {
  const faults = faultsOfValue(value, path, schema);
  if (faults.length > 0) return { faults };
  const patient = withoutNulls(value) as Patient;
  patient.contact.href = contactHref(patient.contact.href) ?? patient.contact.href;
  return { patient };
}

/** The patient of a request's body `{"patient": {…}}`. Throws an `unprocessable` fault that names every wrong field. */
export function readSubmission(body: unknown): Patient {
  const read = readPatient(submittedIn(body), 'patient');
  if ('faults' in read) throw patientRefusal(read.faults);
  return read.patient;
}

/** What a request's body has under `patient`, unchecked, with the `_purpose` that is stated beside it. */
function submittedIn(body: unknown): unknown {
  if (!isRecord(body))
    throw patientRefusal([{ path: '', message: 'the body must be a JSON object with the key "patient"' }]);
  const { patient, _purpose } = body;
  return isPurpose(_purpose) && isRecord(patient) && patient._purpose == null ? { ...patient, _purpose } : patient;
}

const mostFaults = 100;

/** The sentence that clients match, followed by what is wrong. */
export function patientRefusal(faults: FieldFault[]): Fault {
  const named = faults.slice(0, 3).map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  const more = faults.length > 3 ? `; and ${faults.length - 3} more` : '';
  return new Fault('unprocessable', `Request does not conform to API specifications: ${named.join('; ')}${more}`, {
    fields: faults.slice(0, mostFaults),
  });
}

/** The value itself, or a copy without the members that are null. */
export function withoutNulls<Value>(value: Value): Value {
  return holdsNull(value) ? JSON.parse(JSON.stringify(value, (_, member) => member ?? undefined)) : value;
}

function holdsNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(holdsNull));
}

// Patients as other servers send them. seqr sends an empty `contact.name`, and null for the gene of a structural variant;
// matchbox sends empty texts, or the text `null`, for what is unknown. Such members count as absent, list entries without
// any other content are left out, and a warning names each. Everything else stays as it was sent, unchecked.

interface MendedPatient {
  /** To be checked by a schema. */
  patient: unknown;
  /** What is ignored, by its path in what was sent. */
  warnings: FieldFault[];
  /** The same fault or warning about the mended patient, with its path in what was sent. */
  asSent(fault: FieldFault): FieldFault;
}

type UncheckedMembers = { readonly [key: string]: unknown };

/** Optional members that are texts of a certain form. */
const optional = {
  patient: ['species', 'sex', 'ageOfOnset', 'inheritanceMode'],
  feature: ['observed', 'ageOfOnset'],
  variant: ['referenceBases', 'alternateBases'],
} as const;

export function mendPatient(patient: unknown, path: string): MendedPatient {
  const mender = new Mender(path);
  return {
    patient: isRecord(patient) ? mender.patient(patient) : patient,
    warnings: mender.warnings,
    asSent: (fault) => mender.asSent(fault),
  };
}

class Mender {
  readonly warnings: FieldFault[] = [];
  readonly #path: string;
  /** By list: where its entries were before some were left out. */
  readonly #positions = new Map<string, readonly number[]>();

  constructor(path: string) {
    this.#path = path;
  }

  patient(sent: UncheckedMembers): UncheckedMembers {
    const patient: Record<string, unknown> = { ...this.#cleared(sent, this.#path, optional.patient) };
    const { contact } = sent;
    if (isRecord(contact) && isEmpty(contact.name)) {
      this.#warn(`${this.#path}.contact.name`, 'is empty: the submitter is known by the address only');
      patient.contact = { ...contact, name: '' };
    }
    this.#mendList(patient, 'disorders', (disorder, at) => this.#identified(disorder, at));
    this.#mendList(patient, 'features', (feature, at) => {
      const known = this.#identified(feature, at);
      return known && this.#cleared(known, at, optional.feature);
    });
    this.#mendList(patient, 'genomicFeatures', (feature, at) => this.#genomicFeature(feature, at));
    return patient;
  }

  asSent({ path, message }: FieldFault): FieldFault {
    for (const [list, positions] of this.#positions) {
      if (!path.startsWith(`${list}.`)) continue;
      const [index = '', ...rest] = path.slice(list.length + 1).split('.');
      return { path: [list, positions[Number(index)] ?? index, ...rest].join('.'), message };
    }
    return { path, message };
  }

  /** Leaves out entries for which `mend` returns undefined. What is not a list or an object is left to the schema. */
  #mendList(
    patient: Record<string, unknown>,
    name: string,
    mend: (entry: UncheckedMembers, at: string) => UncheckedMembers | undefined,
  ) {
    const entries = patient[name];
    if (!Array.isArray(entries)) return;
    const list = `${this.#path}.${name}`;
    const positions: number[] = [];
    const kept: unknown[] = [];
    for (const [i, entry] of entries.entries()) {
      const left: unknown = isRecord(entry) ? mend(entry, `${list}.${i}`) : entry;
      if (left === undefined) continue;
      kept.push(left);
      positions.push(i);
    }
    this.#positions.set(list, positions);
    patient[name] = kept;
  }

  #genomicFeature(feature: UncheckedMembers, at: string): UncheckedMembers | undefined {
    const { gene, variant, type } = feature;
    const left: Record<string, unknown> = { ...feature };
    if (isRecord(type) && isEmpty(type.id)) {
      this.#warn(`${at}.type`, 'has no id and is ignored');
      delete left.type;
    }
    if (isRecord(variant)) left.variant = this.#cleared(variant, `${at}.variant`, optional.variant);
    if (isRecord(gene) && isEmpty(gene.id)) {
      if (!isRecord(variant) || typeof variant.start !== 'number') {
        this.#warn(at, 'has neither a gene nor a variant with a start and is ignored');
        return undefined;
      }
      this.#warn(`${at}.gene.id`, 'is empty: only the variant is compared');
      left.gene = { ...gene, id: '' };
    }
    return left;
  }

  /** The entry, or undefined if it has no id. */
  #identified(entry: UncheckedMembers, at: string): UncheckedMembers | undefined {
    if (!isEmpty(entry.id)) return entry;
    this.#warn(at, 'has no id and is ignored');
    return undefined;
  }

  /** The value without those of the members that are empty texts. */
  #cleared(value: UncheckedMembers, at: string, members: readonly string[]): UncheckedMembers {
    const empty = members.filter((member) => typeof value[member] === 'string' && isEmpty(value[member]));
    for (const member of empty) this.#warn(`${at}.${member}`, 'is empty and is ignored');
    return empty.length === 0
      ? value
      : Object.fromEntries(Object.entries(value).filter(([key]) => !empty.includes(key)));
  }

  #warn(path: string, message: string): void {
    this.warnings.push({ path, message });
  }
}

/** Whether a value is null, blank, or the text `null`. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'string' && /^\s*(null)?\s*$/.test(value));
}

/** The patient of a request's body `{"patient": {…}}`. Throws an `unprocessable` fault that names every wrong field. */
export function readQuery(body: unknown): MendedPatient & { patient: Patient } {
  const sent = submittedIn(body);
  const { patient, warnings, asSent } = mendPatient(sent, 'patient');
  const read = readPatient(patient, 'patient', querySchema);
  if ('faults' in read) throw patientRefusal(read.faults.map(asSent));
  const faults = faultsOfValue(sent, 'patient', queriedSchema);
  if (faults.length > 0) throw patientRefusal(faults);
  return { patient: read.patient, warnings, asSent };
}
