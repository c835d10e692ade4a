/** Requests to /beacon/v2. */
import { type Answer, request, type Sent } from '../../../support/http.js';

export type Ask = (path: string, sent?: Sent) => Promise<Answer>;

/** Asks the face of a server; `json` makes it a POST. Tokens are sent as bearers. */
export function asking(url: string): Ask {
  return (path, { token, headers, ...sent } = {}) =>
    request(`${url}/beacon/v2${path}`, {
      ...sent,
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    });
}

/** A member of nested objects and lists, by its path: `responseSummary.exists`. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}
