/** Asks the coverage plugin of another server which samples are covered. */
import { z } from 'zod';
import { postJson } from '../../../core/outgoing.js';
import { Fault, isFault } from '../../../core/plugin.js';
import type { CallabilityService, CoveredAnswer, RegisteredSex, UnknownCoverage } from '../../services/coverage.js';

export interface RemoteCallability {
  /** Address of the other server, without the path of the service. */
  url: string;
  /** An API token of that server with the scope coverage:read. */
  token: string;
  /** Seconds for each answer. */
  timeout: number;
}

/** Bytes of an answer: 10,000 places with all carriers of common alleles. */
const mostBytes = 64 * 2 ** 20;

const reasonSchema = [
  'unregistered',
  'unchecked',
  'unusable',
  'other-build',
  'other-threshold',
] as const satisfies readonly UnknownCoverage[];

const answerSchema: z.ZodType<CoveredAnswer> = z.object({
  unknown: z.array(z.object({ sample: z.string(), reason: z.enum(reasonSchema) })),
  places: z.array(z.object({ covered: z.array(z.int().min(0)), below: z.array(z.string()) })),
});

const sexSchema: z.ZodType<{ sexes: RegisteredSex[] }> = z.object({
  sexes: z.array(z.enum(['female', 'male', 'unknown', 'contradicted'])),
});

/**
 * The service of that server. Every failure is an `unavailable` fault with its reason, in which neither the token nor the samples
 * appear: the requested coverage is then unknown.
 */
export function remoteCallability({ url, token, timeout }: RemoteCallability): CallabilityService {
  async function ask<Answer>(
    path: string,
    question: unknown,
    shape: z.ZodType<Answer>,
    fits: (found: Answer) => boolean,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { status, body } = await postJson({
      url: new URL(`${url.replace(/\/+$/, '')}${path}`),
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-Auth-Token': token },
      body: JSON.stringify(question),
      timeoutMs: timeout * 1000,
      maxBytes: mostBytes,
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw isFault(error) ? unavailable(error.message) : error;
    });
    if (status !== 200) throw unavailable(refusals[status] ?? `responded with the status ${status}`);
    const found = shape.safeParse(parsedJson(body));
    if (!found.success || !fits(found.data)) throw unavailable('sent something else than an answer');
    return found.data;
  }

  return {
    async covered({ build, threshold, groups, places }, signal) {
      const question = { build, threshold, groups, places };
      const fits = (found: CoveredAnswer) =>
        found.places.length === places.length && found.places.every(({ covered }) => covered.length === groups.length);
      return ask('/coverage/registry/callability', question, answerSchema, fits, signal);
    },

    async sexes(samples, signal) {
      const fits = (found: { sexes: readonly RegisteredSex[] }) => found.sexes.length === samples.length;
      return (await ask('/coverage/registry/sexes', { samples }, sexSchema, fits, signal)).sexes;
    },
  };
}

const refusals: Readonly<Record<number, string>> = {
  401: 'refused the token (401)',
  403: 'refused the token, which lacks the scope coverage:read (403)',
  404: 'has no registered samples (404): is its coverage plugin enabled?',
  413: 'refused the question as too large (413)',
  429: 'has too many requests (429)',
  503: 'is unavailable (503)',
};

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function unavailable(reason: string): Fault {
  return new Fault('unavailable', `The server that knows the coverage of samples ${reason}`);
}
