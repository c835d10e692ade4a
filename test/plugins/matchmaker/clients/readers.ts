/**
 * How the public clients of the exchange read answers, by their sources: Scout (`scout/parse/matchmaker.py`, and its page of
 * matches), seqr (`matchmaker/matchmaker_utils.py`, `matchmaker/views/matchmaker_api.py`), matchbox
 * (`network/Communication.java`, `search/PatientRecordUtility.java`), and PhenomeCentral (remote-matching's
 * `DefaultRemoteMatchingService`, `DefaultJSONToMatchingPatientConverter`). Each throws where its client would fail or would
 * drop a patient. All ignore members that they do not know.
 */
import type { Json } from '../support/serve.js';

/** A response as it is received. */
export interface Received {
  /** The Content-Type. */
  type: string;
  bytes: Buffer;
}

export interface ReadPatient {
  id: string;
  name: string | undefined;
  institution: string | undefined;
  score: number;
  terms: string[];
  /** As they are stated, empty ones left out. */
  genes: string[];
}

export type Reader = (answer: Received) => ReadPatient[];

export class Unreadable extends Error {}

function fail(what: string): never {
  throw new Unreadable(what);
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function object(value: Json, what: string): Json {
  return isObject(value) ? value : fail(`${what} is not an object`);
}

function text(value: Json, what: string): string {
  return typeof value === 'string' ? value : fail(`${what} is not text`);
}

function number(value: Json, what: string): number {
  return typeof value === 'number' ? value : fail(`${what} is not a number`);
}

function list(value: Json, what: string): Json[] {
  return Array.isArray(value) ? value : fail(`${what} is not a list`);
}

/** Python's `or []`: null and an omitted member are empty. */
function listIfAny(value: Json, what: string): Json[] {
  return value === undefined || value === null ? [] : list(value, what);
}

/** As Python's requests decodes JSON, whatever charset is stated. */
function inPython({ bytes }: Received): Json {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

/** The rows of Scout's page for a patient, from `GET /matches/<id>`; none if the answer is a message. */
export function scoutRows(answer: Received, id: string): (ReadPatient & { type: string; date: Date; node: string })[] {
  const { matches } = object(inPython(answer), 'the answer');
  return listIfAny(matches, 'matches').flatMap((record) => {
    const { $date: created } = object(record.created, 'created');
    // Milliseconds, or else this format of strptime, in which the fraction is required.
    if (typeof created !== 'number' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z$/.test(created)) {
      fail(`the date ${created} has another format`);
    }
    text(object(record._id, '_id').$oid, '_id.$oid');
    const query = object(object(record.data, 'data').patient, 'data.patient');
    const isQuery = text(query.id, 'data.patient.id') === id;
    const type = isQuery && text(record.match_type, 'match_type') === 'internal' ? 'internal' : 'external';
    return list(record.results, 'results').flatMap(({ node, patients }) =>
      list(patients, 'patients').flatMap(({ patient, score }) => {
        if (!isQuery && text(patient.id, 'patient.id') !== id) return [];
        const shown = isQuery ? patient : query;
        const row = { type, date: new Date(created), node: text(object(node, 'node').label, 'node.label') };
        return [{ ...row, ...scoutRow(shown), score: number(object(score, 'score').patient, 'score.patient') }];
      }),
    );
  });
}

/** What its page shows of a patient. A list may be omitted, but not be null: the template goes through it. */
function scoutRow(patient: Json): Omit<ReadPatient, 'score'> {
  const given = (name: string) => (patient[name] === undefined ? [] : list(patient[name], name));
  const contact = object(patient.contact, 'contact');
  if (contact.href !== undefined) text(contact.href, 'contact.href');
  for (const { id } of given('disorders')) text(id, 'disorders.id');
  return {
    id: text(patient.id, 'patient.id'),
    name: contact.name,
    institution: contact.institution,
    terms: given('features').map(({ id }) => id),
    genes: listIfAny(patient.genomicFeatures, 'genomicFeatures').flatMap(({ gene }) => object(gene, 'gene').id || []),
  };
}

/** Those of Scout's requests of which only the status and that there is JSON matter. */
export function scoutNodes(answer: Received): string[] {
  return listIfAny(inPython(answer), 'nodes').map(({ id, description }) => {
    text(description, 'description');
    return text(id, 'id');
  });
}

export const seqr: Reader = (answer) =>
  list(object(inPython(answer), 'the answer').results, 'results').map((result) => {
    const patient = object(result.patient, 'patient');
    const contact = object(patient.contact, 'contact');
    const { institution = '', name } = contact;
    // `strip` is called on both, and on every gene `startswith`.
    text(institution, 'contact.institution');
    const features = listIfAny(patient.features, 'features');
    // Searched for the genes of the query without `or []`.
    const genomic = patient.genomicFeatures === undefined ? [] : list(patient.genomicFeatures, 'genomicFeatures');
    for (const { variant } of genomic) if (variant) object(variant, 'variant');
    return {
      id: text(patient.id, 'patient.id'),
      name,
      institution: contact.institution,
      score: number(object(result.score, 'score').patient, 'score.patient'),
      terms: features.map(({ id }) => text(id, 'features.id')),
      genes: genomic.flatMap(({ gene }) => text(object(gene, 'gene').id, 'gene.id') || []),
    };
  });

/** What seqr reports of a refusal. */
export function seqrMessage(answer: Received): string {
  return text(object(inPython(answer), 'the answer').message, 'message');
}

/** A number as json-simple reads it: a Long unless it has a fraction or an exponent. */
class JavaNumber {
  readonly isLong: boolean;
  readonly value: number;

  constructor(literal: string) {
    this.isLong = /^-?\d+$/.test(literal);
    this.value = Number(literal);
    if (this.isLong && BigInt.asIntN(64, BigInt(literal)) !== BigInt(literal)) fail(`${literal} is no Long`);
  }
}

/** As json-simple parses: members are cast to one type later, and a cast of anything but null to another fails. */
function inJsonSimple(json: string): Json {
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gs;
  const tagged = json.replace(tokens, (token) => (token.startsWith('"') ? token : `{"java number":"${token}"}`));
  return JSON.parse(tagged, (_, value) =>
    isObject(value) && 'java number' in value ? new JavaNumber(value['java number']) : value,
  );
}

function cast(value: Json, what: string): string | undefined {
  return value === undefined || value === null ? undefined : text(value, what);
}

function castLong(value: Json, what: string): void {
  if (value !== undefined && value !== null && !(value instanceof JavaNumber && value.isLong)) {
    fail(`${what} is not a whole number`);
  }
}

/** A member that may be omitted, but not be null. */
function given<Read>(owner: Json, name: string, otherwise: Read, read: (value: Json, what: string) => Read): Read {
  return name in owner ? read(owner[name], name) : otherwise;
}

export const matchbox: Reader = ({ bytes }) => {
  // In the charset of its platform, which in a container without a locale is ASCII.
  const ascii = bytes.toString('latin1').replace(/[\x80-\xff]/g, '\ufffd');
  return list(object(inJsonSimple(ascii), 'the answer').results, 'results').map((result) => {
    const patient = object(result.patient, 'patient');
    const contact = object(patient.contact, 'contact');
    if (!('features' in patient || 'genomicFeatures' in patient)) fail('the patient has no list of features or genes');
    for (const member of ['label', 'species', 'sex', 'ageOfOnset', 'inheritanceMode']) cast(patient[member], member);
    cast(contact.href, 'contact.href');
    for (const disorder of given(patient, 'disorders', [], list)) cast(disorder.id, 'disorders.id');
    const features = given(patient, 'features', [], list);
    for (const { observed, ageOfOnset } of features) {
      cast(observed, 'observed');
      cast(ageOfOnset, 'ageOfOnset');
    }
    const genomic = given(patient, 'genomicFeatures', [], list);
    for (const feature of genomic) {
      const variant = given(feature, 'variant', {}, object);
      for (const member of ['assembly', 'referenceName', 'referenceBases', 'alternateBases']) {
        cast(variant[member], `variant.${member}`);
      }
      for (const member of ['start', 'end']) castLong(variant[member], `variant.${member}`);
      castLong(feature.zygosity, 'zygosity');
      const type = given(feature, 'type', {}, object);
      for (const member of ['id', 'label']) cast(type[member], `type.${member}`);
    }
    // Read as a Number: whole scores, which are a Long, are read like others.
    const { patient: score } = object(result.score, 'score');
    if (!(score instanceof JavaNumber)) fail('score.patient is not a number');
    return {
      id: cast(patient.id, 'patient.id') ?? fail('the patient has no id'),
      name: cast(contact.name, 'contact.name'),
      institution: cast(contact.institution, 'contact.institution'),
      score: score.value,
      terms: features.flatMap(({ id }) => cast(id, 'features.id') ?? []),
      genes: genomic.flatMap(({ gene }) => cast(object(gene, 'gene').id, 'gene.id') || []),
    };
  });
};

/** As Apache's HttpCore decodes: the stated charset, else UTF-8 for JSON, else that of HTTP/1.1 for unknown types. */
function inHttpCore({ type, bytes }: Received): string {
  const [media = '', ...parameters] = type.toLowerCase().split(/\s*;\s*/);
  const charset = parameters.find((one) => one.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && charset !== 'utf-8') fail(`the charset ${charset} is not known here`);
  return bytes.toString(charset === 'utf-8' || media === 'application/json' ? 'utf8' : 'latin1');
}

export const phenomeCentral: Reader = (answer) =>
  list(object(JSON.parse(inHttpCore(answer)), 'the answer').results, 'results').map((result) => {
    const patient = object(result.patient, 'patient');
    // What is no list is logged, and counts as absent.
    const entries = (name: string) => given(patient, name, [], list);
    const terms = entries('features').map(({ id, observed = 'yes' }) => {
      if (!/^(yes|no)$/i.test(observed)) fail(`a feature is ignored because it is observed "${observed}"`);
      const term = text(id, 'features.id').toUpperCase().trim();
      return /^HP:\d+$/.test(term) ? term : fail(`the feature ${term} is ignored`);
    });
    for (const { id } of entries('disorders')) text(id, 'disorders.id');
    const genes = entries('genomicFeatures').flatMap(
      ({ gene }) => (isObject(gene) && String(gene.id ?? '').trim()) || [],
    );
    if (terms.length === 0 && genes.length === 0) fail('the patient is dropped: it has no features and no genes');
    const contact = isObject(patient.contact) ? patient.contact : {};
    return {
      id: text(patient.id, 'patient.id'),
      name: contact.name,
      institution: contact.institution,
      score: number(object(result.score, 'score').patient, 'score.patient'),
      ...{ terms, genes },
    };
  });
