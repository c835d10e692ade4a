/** Accesses by a bearer token: where in a request it is looked for, and in no other place. */
import { Fault } from '../fault.js';
import type { Access, RequestHead } from '../http/route.js';
import type { BearerVerifier } from './bearer.js';

const formType = 'application/x-www-form-urlencoded';

/** `Authorization: Bearer <token>`. */
export function headerAccess(verify: BearerVerifier): Access {
  return {
    scheme: {
      name: 'bearer',
      definition: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
    },
    check: ({ headers }) => verify(/^Bearer +([^ ]+) *$/i.exec(headers.authorization ?? '')?.[1]),
  };
}

/**
 * A cookie, or a field of a form that is posted, of that name. One valid token is enough: a stale cookie does not lock
 * out who sends a fresh one in the form. The form is read only where the cookie does not do.
 */
export function formOrCookieAccess(name: string, verify: BearerVerifier): Access {
  return {
    scheme: {
      name: 'cookie',
      definition: {
        type: 'apiKey',
        in: 'cookie',
        name,
        description: `An access token; or the form field \`${name}\`.`,
      },
    },
    async check(head) {
      const cookie = cookieOf(head, name);
      if (!bringsForm(head)) return verify(cookie);
      if (cookie === undefined) return undefined;
      try {
        return await verify(cookie);
      } catch (error) {
        if (error instanceof Fault && error.code === 'unauthenticated') return undefined;
        throw error;
      }
    },
    checkBody(_head, body) {
      const field = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
      // A field that comes twice is no token.
      return verify(field === undefined || typeof field === 'string' ? field : ' ');
    },
  };
}

function bringsForm({ method, headers }: RequestHead): boolean {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  return method === 'POST' && type === formType;
}

/** The first cookie of the name, without quotes. */
function cookieOf({ headers }: RequestHead, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === name)
      return pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1');
  }
  return undefined;
}
