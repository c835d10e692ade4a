/** A `fetch` that connects only to allowed hosts, at exactly the addresses that were checked. */
import { connections } from '../outgoing/fetch.js';
import { ForbiddenHost, type Resolve } from '../outgoing/lookup.js';
import type { AllowedHost } from './hosts.js';

export interface GuardOptions {
  allowed(url: URL): AllowedHost | undefined;
  /** Whether a redirect may lead from one URL to the other; to every allowed host if omitted. */
  mayFollow?(from: URL, to: URL): boolean;
  resolve?: Resolve;
}

export interface GuardedFetch {
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Ends idle connections. */
  close(): void;
}

const mostRedirects = 3;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Redirects are followed to allowed hosts only; each is checked again. */
export function guardedFetch({ allowed, mayFollow, resolve }: GuardOptions): GuardedFetch {
  const own = connections(resolve);

  const send = async (url: URL, { headers, signal }: RequestInit, left: number): Promise<Response> => {
    const host = allowed(url);
    if (host === undefined) throw new ForbiddenHost('the host is not on the list');
    const response = await own.fetch(url, { headers, signal }, host.reach);
    const location = response.headers.get('location');
    if (!redirects.has(response.status) || location === null) return response;
    await response.body?.cancel();
    if (left === 0 || !URL.canParse(location, url.href))
      throw new ForbiddenHost('the host redirects too often or to an invalid URL');
    const next = new URL(location, url);
    if (mayFollow?.(url, next) === false) throw new ForbiddenHost('the host redirects to files of another tenant');
    return send(next, { headers, signal }, left - 1);
  };

  return {
    fetch: (url, init = {}) => send(new URL(url), init, mostRedirects),
    close: () => own.close(),
  };
}
