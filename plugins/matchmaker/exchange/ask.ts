/** Queries one node with one patient, and reads its response. */
import { z } from 'zod';
import { type ByteBudget, postJson } from '../../../core/outgoing.js';
import { Fault } from '../../../core/plugin.js';
import type { MatchedPatient, PeerNode } from '../contract.js';
import { isRecord } from '../patients/patient.js';
import { mendPatient } from '../patients/reading.js';
import type { ExchangeSettings } from '../settings.js';
import type { Dialect } from './dialect.js';
import { refuseHttp, unseal } from './node.js';

export interface QueryOptions {
  settings: ExchangeSettings;
  dialect: Dialect;
  signal: AbortSignal;
  now(): Date;
  memory?: ByteBudget;
}

/** A node that asks for less is overloaded or has a limit; one that asks for more has a fault. */
const longestRest = 24 * 60 * 60 * 1000;

/** A node that responded, and asks not to be queried before a time. */
export class PostponedQuery extends Fault {
  readonly until: Date;

  constructor(status: number, until: Date) {
    super('unavailable', `responded with status ${status} and asks not to be queried before ${until.toISOString()}`);
    this.until = until;
  }
}

/** Milliseconds that the node may take. */
export function timeoutOfNode({ slow }: Pick<Dialect, 'slow'>, settings: ExchangeSettings): number {
  return 1000 * (slow ? Math.max(settings.slowSeconds, settings.timeoutSeconds) : settings.timeoutSeconds);
}

/**
 * Returns the response to a body of the node's dialect. Throws `unavailable` if the query may succeed later, `unprocessable`
 * if it never will; each message continues a sentence that begins with the name of the node.
 */
export async function ask(node: PeerNode, query: object, options: QueryOptions): Promise<ReadAnswer> {
  const { settings, dialect, signal, now, memory } = options;
  const url = new URL(node.url);
  try {
    refuseHttp(url, settings.allowHttp);
  } catch (cause) {
    throw new Fault('unavailable', 'was not queried: its address is not https', { cause });
  }
  const token = await unseal(node.token, node.id, settings.key);
  const { status, body, retryAfter } = await postJson({
    url,
    headers: { ...dialect.headers, 'X-Auth-Token': token },
    body: JSON.stringify(query),
    timeoutMs: timeoutOfNode(dialect, settings),
    maxBytes: settings.maxBytes,
    signal,
    ...(memory && { memory }),
  });
  if (status === 200) return readAnswer(body, settings.maxResults, dialect);
  if (status >= 300 && status < 400) {
    throw new Fault('unavailable', `responded with a redirect (${status}), which is not followed`);
  }
  if (status === 401 || status === 403) throw new Fault('unavailable', `did not accept our token (${status})`);
  // Sending the same patient again would not change that.
  if ([400, 413, 422].includes(status)) throw new Fault('unprocessable', `did not accept the patient (${status})`);
  const until = status === 429 || status === 503 ? retryTime(retryAfter, now()) : undefined;
  if (until) throw new PostponedQuery(status, until);
  throw new Fault('unavailable', `responded with status ${status}`);
}

/** The time that a `Retry-After` states: seconds, or a date. Undefined if it states none, or one that has passed. */
export function retryTime(header: string | undefined, now: Date): Date | undefined {
  const text = header?.trim() ?? '';
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return wait > 0 ? new Date(now.getTime() + Math.min(wait, longestRest)) : undefined;
}

// Reads the response of another node. Additional members are accepted. What cannot be read is dropped alone: an entry of a
// list of the patient, or a result without score, id or contact; never the response.

const shortText = z.string().min(1, 'is empty').max(255, 'is longer than 255 characters');

/** Sums of fractions exceed their bounds by this much: they are the bound. */
const rounding = 1e-6;

const entry = z.looseObject({ id: shortText });
/** The lists of a patient, with what an entry must have. */
const lists = Object.entries({
  features: entry,
  genomicFeatures: z.looseObject({ gene: z.looseObject({ id: z.string().max(255) }) }),
  disorders: entry,
});

/** Nodes may withhold features and genes; a result without an id and a contact is of no use. */
const resultSchema = z.looseObject({
  score: z.looseObject(
    {
      patient: z
        .number('must be a number')
        .min(-rounding, 'must not be below 0')
        .max(1 + rounding, 'must not be above 1'),
    },
    'must be an object',
  ),
  patient: z.looseObject(
    {
      id: shortText,
      contact: z.looseObject(
        { name: z.string('must be text').max(1000), href: z.string('must be text').max(10_000) },
        'must be an object',
      ),
      label: z.string('must be text').nullish(),
    },
    'must be an object',
  ),
});

interface ReadAnswer {
  /** Best first, as the node sent them. */
  patients: MatchedPatient[];
  /** What was left out and why, in a sentence or two; absent if nothing was. */
  dropped?: string;
}

/** Faults that a sentence names. */
const mostNamed = 3;
const deepest = 32;

/** Results that are read, and values in one of them, at most: millions would keep other requests waiting. */
const mostRead = 2000;
const mostValues = 50_000;

/** Throws `unavailable` if the response as a whole is not one of the exchange. */
export function readAnswer(text: string, maxResults: number, dialect: Pick<Dialect, 'result'>): ReadAnswer {
  const results = resultsIn(text);
  const read: MatchedPatient[] = [];
  const faults: string[] = [];
  const entries: string[] = [];
  for (const [i, sent] of results.slice(0, mostRead).entries()) {
    const { result, leftOut } = readable(dialect.result(sent));
    const fault = faultOf(result);
    if (fault === undefined) {
      read.push(keptResult(result as MatchedPatient));
      entries.push(...leftOut.map((one) => `results.${i}.patient.${one}`));
    } else faults.push(`results.${i}${fault}`);
  }
  read.sort((a, b) => b.score.patient - a.score.patient);
  // Some servers list a patient once for each of its genes: its best result counts.
  const known = new Set<string>();
  const patients = read.filter(({ patient }) => !known.has(patient.id) && known.add(patient.id));
  const more = patients.length - maxResults;
  const remarks = [
    ...namedFaults(faults),
    ...(more > 0 ? [`${more} beyond the first ${maxResults}`] : []),
    ...(results.length > mostRead ? [`${results.length - mostRead} after ${mostRead} were not read`] : []),
  ];
  const sentences = [
    ...(remarks.length > 0 ? [`results were dropped: ${remarks.join('; ')}`] : []),
    ...(entries.length > 0 ? [`parts of results were left out: ${namedFaults(entries).join('; ')}`] : []),
  ];
  return {
    patients: patients.slice(0, maxResults),
    ...(sentences.length > 0 && { dropped: sentences.join('. ') }),
  };
}

/** The first of them, and the number of the others. */
function namedFaults(faults: readonly string[]): string[] {
  const more = faults.length - mostNamed;
  return more > 0 ? [...faults.slice(0, mostNamed), `${more} more`] : [...faults];
}

function resultsIn(text: string): unknown[] {
  let answer: unknown;
  try {
    // Some servers send a byte order mark.
    answer = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new Fault('unavailable', 'sent a response that is not JSON');
  }
  const results = typeof answer === 'object' && answer !== null ? (answer as { results?: unknown }).results : undefined;
  if (!Array.isArray(results)) throw new Fault('unavailable', 'sent a response without a list of results');
  return results;
}

/**
 * The result without the entries of lists that cannot be read, and what was wrong with each. As in queries, empty members count
 * as absent.
 */
function readable(result: unknown): { result: unknown; leftOut: string[] } {
  if (!isRecord(result)) return { result, leftOut: [] };
  const { patient } = mendPatient(result.patient, 'patient');
  if (!isRecord(patient)) return { result, leftOut: [] };
  const leftOut: string[] = [];
  const read: Record<string, unknown> = { ...patient };
  for (const [list, schema] of lists) {
    const sent = patient[list];
    if (sent === undefined || sent === null) continue;
    if (!Array.isArray(sent)) {
      leftOut.push(`${list} is not a list`);
      delete read[list];
      continue;
    }
    read[list] = sent.flatMap((one, i): unknown[] => {
      const whole = list === 'genomicFeatures' ? withGene(one) : one;
      const [issue] = schema.safeParse(whole, { error: () => 'is missing or of another type' }).error?.issues ?? [];
      if (issue === undefined) return [whole];
      leftOut.push(`${[list, i, ...issue.path.map(String)].join('.')} ${issue.message}`);
      return [];
    });
  }
  return { result: { ...result, patient: read }, leftOut };
}

/** Without a gene, a variant with a start is compared alone. */
function withGene(feature: unknown): unknown {
  if (!isRecord(feature) || !isRecord(feature.variant) || typeof feature.variant.start !== 'number') return feature;
  if (feature.gene === undefined || feature.gene === null) return { ...feature, gene: { id: '' } };
  return isRecord(feature.gene) && feature.gene.id === undefined
    ? { ...feature, gene: { ...feature.gene, id: '' } }
    : feature;
}

/** Only score and patient, since nodes add members of their own to a result; the score from 0 to 1. */
function keptResult({ score, patient }: MatchedPatient): MatchedPatient {
  return { patient, score: { ...score, patient: Math.min(1, Math.max(0, score.patient)) } };
}

function faultOf(result: unknown): string | undefined {
  const storable = storabilityOf(result);
  if (storable !== undefined) return storable;
  const checked = resultSchema.safeParse(result, { error: () => 'is missing or of another type' });
  const [issue] = checked.error?.issues ?? [];
  return issue && `${issue.path.map((part) => `.${String(part)}`).join('')} ${issue.message}`;
}

/**
 * Why a value cannot be stored; undefined if it can. No storage keeps U+0000 or half of a surrogate pair, and very deep values
 * cannot be written as JSON.
 */
function storabilityOf(value: unknown): string | undefined {
  let values = 0;
  const check = (value: unknown, depth: number): string | undefined => {
    if (depth > deepest) return ' is nested too deeply';
    if (++values > mostValues) return ' has too many values';
    if (typeof value === 'string') return isStorable(value) ? undefined : invalid;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const key in value) {
      if (!isStorable(key)) return invalid;
      const fault = check((value as Record<string, unknown>)[key], depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return check(value, 0);
}

const invalid = ' contains invalid characters';

function isStorable(text: string): boolean {
  return !text.includes('\0') && !/[\uD800-\uDFFF]/u.test(text);
}
