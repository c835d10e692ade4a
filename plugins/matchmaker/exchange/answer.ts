/** Reads the response of another node. Additional members are accepted; an invalid result is dropped, not the response. */
import { z } from 'zod';
import { Fault } from '../../../core/plugin.js';
import type { MatchedPatient } from '../contract.js';
import { mended } from '../patient/mend.js';
import type { Dialect } from './dialect.js';

const short = z.string().min(1, 'is empty').max(255, 'is longer than 255 characters');

/** Nodes may withhold features and genes; a result without an id and a contact is of no use. */
const resultSchema = z.looseObject({
  score: z.looseObject(
    { patient: z.number('must be a number').min(0, 'must not be below 0').max(1, 'must not be above 1') },
    'must be an object',
  ),
  patient: z.looseObject(
    {
      id: short,
      contact: z.looseObject(
        { name: z.string('must be text').max(1000), href: z.string('must be text').max(10_000) },
        'must be an object',
      ),
      label: z.string('must be text').nullish(),
      features: z.array(z.looseObject({ id: short })).nullish(),
      genomicFeatures: z.array(z.looseObject({ gene: z.looseObject({ id: z.string().max(255) }) })).nullish(),
      disorders: z.array(z.looseObject({ id: short })).nullish(),
    },
    'must be an object',
  ),
});

export interface ReadAnswer {
  /** Best first, as the node sent them. */
  patients: MatchedPatient[];
  /** What was left out and why, in one sentence; undefined if nothing was. */
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
  const patients: MatchedPatient[] = [];
  const faults: string[] = [];
  for (const [i, sent] of results.slice(0, mostRead).entries()) {
    const result = withMended(dialect.result(sent));
    const fault = faultOf(result);
    if (fault === undefined) patients.push(kept(result as MatchedPatient));
    else faults.push(`results.${i}${fault}`);
  }
  patients.sort((a, b) => b.score.patient - a.score.patient);
  const more = patients.length - maxResults;
  const remarks = [
    ...faults.slice(0, mostNamed),
    ...(faults.length > mostNamed ? [`${faults.length - mostNamed} more`] : []),
    ...(more > 0 ? [`${more} beyond the first ${maxResults}`] : []),
    ...(results.length > mostRead ? [`${results.length - mostRead} after ${mostRead} were not read`] : []),
  ];
  return {
    patients: patients.slice(0, maxResults),
    dropped: remarks.length === 0 ? undefined : `results were dropped: ${remarks.join('; ')}`,
  };
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

/** As in queries, empty members count as absent. */
function withMended(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('patient' in result)) return result;
  return { ...result, patient: mended(result.patient, 'patient').patient };
}

/** Only score and patient: nodes add members of their own to a result. */
function kept({ score, patient }: MatchedPatient): MatchedPatient {
  return { patient, score };
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
