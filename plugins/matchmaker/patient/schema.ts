/**
 * What a patient may look like: by the text of the specification (mme-apis, search-api.md 1.0 and 1.1), where the JSON
 * schema that other servers ship departs from it. Members that are null count as absent, and members that the
 * specification does not name are let through.
 */
import { z } from 'zod';
import { Fault, type FieldFault } from '../../../core/plugin.js';
import { contactHref, longestHref } from './contact.js';
import { type Patient, sexes } from './patient.js';

const short = () => z.string().max(255, 'is longer than 255 characters');
const name = () => short().refine((text) => text.trim() !== '', 'is empty');
/** Bytes that are no UTF-8 are read as U+FFFD: two ids that differ in them only would be one patient. */
const patientId = () => name().refine((id) => !id.includes('\ufffd'), 'could not be read: is the body in UTF-8?');
const shaped = (pattern: RegExp, shape: string) => z.string().regex(pattern, `does not read ${shape}`);
const hpo = () => shaped(/^HP:\d{7}$/, 'HP: and seven digits, such as HP:0000252');
const bases = () => shaped(/^[ACGTN]+$/i, 'as bases (A, C, G, T, N)').max(100_000, 'is longer than 100000 bases');
/** No human chromosome is longer, in any build. */
const longest = 250_000_000;
const position = () =>
  z.int('is no whole number').min(0, 'is below zero').max(longest, 'is beyond the end of the longest chromosome');

/** Larger than any patient; what compares every one with every other stays bounded. */
const mostFeatures = 2000;
const mostGenomicFeatures = 100;
const mostDisorders = 1000;

const contact = z.looseObject({
  name: name(),
  href: z
    .string()
    .refine((href) => Buffer.byteLength(href) <= longestHref, {
      error: `is longer than ${longestHref} bytes`,
      abort: true,
    })
    .refine(
      (href) => contactHref(href) !== undefined,
      'is neither an http(s) address nor mailto: and an e-mail address',
    ),
  institution: short().nullish(),
  email: z.union([short(), z.array(short()).max(100)], 'is no e-mail address').nullish(),
  roles: z.array(z.enum(['clinician', 'researcher', 'patient'])).nullish(),
});

const disorder = z.looseObject({
  id: shaped(/^(MIM|OMIM|Orphanet|ORPHA|MONDO):\d{1,9}$/i, 'MIM:, OMIM:, Orphanet:, ORPHA: or MONDO: and digits'),
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
    referenceName: shaped(/^([1-9]|1\d|2[0-2]|X|Y|M|MT)$/, '1 to 22, X, Y or MT'),
    start: position().nullish(),
    end: position().nullish(),
    referenceBases: bases().nullish(),
    alternateBases: bases().nullish(),
  })
  .superRefine(({ start, end }, context) => {
    if (start == null || end == null || end >= start) return;
    context.addIssue({ code: 'custom', path: ['start'], message: 'is beyond end' });
    context.addIssue({ code: 'custom', path: ['end'], message: 'is before start' });
  });

const genomicFeature = z
  .looseObject({
    gene: z.looseObject({ id: short() }),
    variant: variant.nullish(),
    zygosity: z.int('is no whole number').min(0, 'is below zero').nullish(),
    type: z.looseObject({ id: shaped(/^SO:\d{7}$/, 'SO: and seven digits'), label: z.string().nullish() }).nullish(),
  })
  .refine(({ gene, variant }) => gene.id.trim() !== '' || variant?.start != null, {
    path: ['gene', 'id'],
    error: 'is empty, and there is no variant with a start',
  });

const members = z.looseObject({
  id: patientId(),
  label: short().nullish(),
  contact,
  species: shaped(/^NCBITaxon:\d{1,10}$/, 'NCBITaxon: and one to ten digits').nullish(),
  sex: z.enum(sexes).nullish(),
  ageOfOnset: hpo().nullish(),
  inheritanceMode: hpo().nullish(),
  disorders: z.array(disorder).max(mostDisorders, `are more than ${mostDisorders}`).nullish(),
  features: z.array(feature).max(mostFeatures, `are more than ${mostFeatures}`).nullish(),
  genomicFeatures: z.array(genomicFeature).max(mostGenomicFeatures, `are more than ${mostGenomicFeatures}`).nullish(),
  test: z.boolean().nullish(),
});

const someFeatures = {
  path: ['features'],
  error: 'are none, and there are no genomicFeatures either: one of the two is needed',
};

interface Listed {
  features?: readonly unknown[] | null | undefined;
  genomicFeatures?: readonly unknown[] | null | undefined;
}

function hasFeatures({ features, genomicFeatures }: Listed): boolean {
  return (features ?? []).length + (genomicFeatures ?? []).length > 0;
}

/** Describes a patient as it is sent: plain e-mail addresses and nulls are still in it. */
export const patientSchema = members.refine(hasFeatures, someFeatures);

/** Describes the patient of a query once it is mended: nobody need be named, and perhaps no feature is left. */
export const querySchema = members.extend({ contact: contact.extend({ name: short() }) });

/** What it has to have before. */
export const queriedSchema = z
  .looseObject({ features: z.array(z.unknown()).nullish(), genomicFeatures: z.array(z.unknown()).nullish() })
  .refine(hasFeatures, someFeatures);

export const submissionSchema = z.looseObject({ patient: patientSchema });

/** Every fault of a value by the schema, with its path below `path`. */
export function faultsOf(value: unknown, path: string, schema: z.ZodType): FieldFault[] {
  const { error } = schema.safeParse(value, { error: wording });
  return (error?.issues ?? []).map((issue) => ({
    path: [path, ...issue.path.map(String)].filter((part) => part !== '').join('.'),
    message: issue.message,
  }));
}

/**
 * The patient that a value describes: without its nulls, the contact's address made a `mailto:` one if it is a plain
 * e-mail address, and nothing else changed. Returns every fault with its path (below `path`) if it describes none.
 */
export function readPatient(
  value: unknown,
  path: string,
  schema: z.ZodType = patientSchema,
): { patient: Patient } | { faults: FieldFault[] } {
  const faults = faultsOf(value, path, schema);
  if (faults.length > 0) return { faults };
  const patient = withoutNulls(value) as Patient;
  patient.contact.href = contactHref(patient.contact.href) ?? patient.contact.href;
  return { patient };
}

/** The patient of a request's body `{"patient": {…}}`; else an `unprocessable` fault with every field that is wrong. */
export function readSubmission(body: unknown): Patient {
  const read = readPatient(submittedIn(body), 'patient');
  if ('faults' in read) throw refusal(read.faults);
  return read.patient;
}

/** What a request's body has under `patient`. */
export function submittedIn(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw refusal([{ path: '', message: 'the body is no JSON object with the key "patient"' }]);
  }
  return (body as { patient?: unknown }).patient;
}

const mostFaults = 100;

/** The sentence that clients know, with what is wrong behind it. */
export function refusal(faults: FieldFault[]): Fault {
  const named = faults.slice(0, 3).map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  const more = faults.length > 3 ? `; and ${faults.length - 3} more` : '';
  return new Fault('unprocessable', `Request does not conform to API specifications: ${named.join('; ')}${more}`, {
    fields: faults.slice(0, mostFaults),
  });
}

const kinds: Record<string, string> = { string: 'text', array: 'list', object: 'object', boolean: 'true or false' };

/** The words for what has none of its own. Values that were sent are not repeated: they may be a patient's. */
const wording: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'is missing';
  if (issue.code === 'invalid_type') return `is no ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `is none of ${issue.values.join(', ')}`;
  return undefined;
};

/** The value, or a copy in which members that are null are left out. */
function withoutNulls(value: unknown): unknown {
  return holdsNull(value) ? copyWithoutNulls(value) : value;
}

function holdsNull(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null;
  if (Array.isArray(value)) return value.some(holdsNull);
  for (const key in value) if (holdsNull((value as Record<string, unknown>)[key])) return true;
  return false;
}

function copyWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyWithoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, copyWithoutNulls(member)]])),
  );
}
