/** Queries one node with one patient. */
import { type ByteBudget, postJson } from '../../../core/outgoing.js';
import { Fault } from '../../../core/plugin.js';
import type { PeerNode } from '../contract.js';
import { refuseHttp } from '../nodes/checked.js';
import { unseal } from '../nodes/seal.js';
import { type ReadAnswer, readAnswer } from './answer.js';
import type { Dialect } from './dialect.js';
import type { ExchangeSettings } from './settings.js';

export interface AskOptions {
  settings: ExchangeSettings;
  dialect: Dialect;
  signal: AbortSignal;
  now(): Date;
  memory?: ByteBudget;
}

/** A node that asks for less is overloaded or has a limit; one that asks for more has a fault. */
const longestRest = 24 * 60 * 60 * 1000;

/** A node that responded, and asks not to be queried before a time. */
export class Postponed extends Fault {
  readonly until: Date;

  constructor(status: number, until: Date) {
    super('unavailable', `responded with status ${status} and asks not to be queried before ${until.toISOString()}`);
    this.until = until;
  }
}

/** Milliseconds that the node may take. */
export function patienceOf({ slow }: Pick<Dialect, 'slow'>, settings: ExchangeSettings): number {
  return 1000 * (slow ? Math.max(settings.slowSeconds, settings.timeoutSeconds) : settings.timeoutSeconds);
}

/**
 * Returns the response to a body of the node's dialect. Throws `unavailable` if the query may succeed later, `unprocessable`
 * if it never will; each message continues a sentence that begins with the name of the node.
 */
export async function ask(node: PeerNode, query: object, options: AskOptions): Promise<ReadAnswer> {
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
    timeoutMs: patienceOf(dialect, settings),
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
  if (until) throw new Postponed(status, until);
  throw new Fault('unavailable', `responded with status ${status}`);
}

/** The time that a `Retry-After` states: seconds, or a date. Undefined if it states none, or one that has passed. */
export function retryTime(header: string | undefined, now: Date): Date | undefined {
  const text = header?.trim() ?? '';
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return wait > 0 ? new Date(now.getTime() + Math.min(wait, longestRest)) : undefined;
}
