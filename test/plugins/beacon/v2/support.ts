/** Requests to /beacon/v2. */
import type { Json } from '../support/serve.js';

export interface Answered {
  status: number;
  headers: Headers;
  body: Json;
}

export type Ask = (path: string, options?: RequestInit & { json?: unknown; token?: string }) => Promise<Answered>;

/** Asks the face of a server; `json` makes it a POST. */
export function asking(url: string): Ask {
  return async (path, { json, token, headers, ...options } = {}) => {
    const response = await fetch(`${url}/beacon/v2${path}`, {
      ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
      ...options,
      headers: {
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Json) };
  };
}

/** A member of nested objects and lists, by its path: `responseSummary.exists`. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}
