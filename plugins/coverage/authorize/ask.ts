/** Questions to the system that decides who may see which sample: access evaluations of the AuthZEN Authorization API 1.0. */
import { z } from 'zod';
import { jsonObject } from '../../../core/openid.js';
import { configured, send } from '../../../core/outgoing.js';
import { Fault } from '../../../core/plugin.js';
import type { AuthorizeSettings } from './settings.js';

/** Someone whom an identity provider vouches for. */
export interface Person {
  /** The `sub` claim. */
  id: string;
  /** The `iss` claim. */
  issuer: string | undefined;
}

/** What a person asks for. */
export type Resource =
  /** A sample by the id that a request names. `case` and `file` as registered, if it is registered. */
  | { type: 'sample'; id: string; case?: string; file?: string }
  /** A file that a request names itself: its absolute path without links resolved, or its URL. */
  | { type: 'file'; id: string }
  /** The list of registered samples; each of them is asked about as well. */
  | { type: 'registry'; id: 'samples' };

/** One decision for each resource. Throws an `unavailable` fault, with the reason, if there is no sound answer. */
export type Ask = (person: Person, resources: readonly Resource[], timeoutMs: number) => Promise<boolean[]>;

/** Bytes of an answer; a decision takes about 20, and may come with a reason. */
const mostBytes = 256 * 1024;

const answer = z.object({ evaluations: z.array(z.object({ decision: z.boolean() })) });

export function asker({ url: text, secret }: Pick<AuthorizeSettings, 'url' | 'secret'>): Ask {
  const { url, reach } = configured(text);
  const headers = {
    Accept: 'application/json',
    Authorization: `Bearer ${secret}`,
    'Content-Type': 'application/json',
  };
  return async (person, resources, timeoutMs) => {
    const body = JSON.stringify(questionOf(person, resources));
    const response = await send({ method: 'POST', url, reach, headers, body, timeoutMs, maxBytes: mostBytes });
    if (response.status !== 200) throw new Fault('unavailable', `responded with the status ${response.status}`);
    const { data } = answer.safeParse(jsonObject(response.body));
    if (data?.evaluations.length !== resources.length) {
      throw new Fault('unavailable', 'did not respond with one decision (true or false) for each resource');
    }
    return data.evaluations.map(({ decision }) => decision);
  };
}

function questionOf({ id, issuer }: Person, resources: readonly Resource[]): object {
  return {
    subject: { type: 'user', id, ...(issuer !== undefined && { properties: { issuer } }) },
    action: { name: 'read' },
    evaluations: resources.map(({ type, id: name, ...properties }) => ({
      resource: { type, id: name, ...(Object.keys(properties).length > 0 && { properties }) },
    })),
  };
}
