/** Access by a bearer token: the places in a request where it is read. */
import { type Fault, isFault } from '../fault.js';
import type { AcceptedTokens, BearerVerifier } from './bearer.js';
import type { Access, RequestHead } from './guard.js';
import { bearerIn } from './identify.js';

const formTypes: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data'];
const described: Readonly<Record<AcceptedTokens, string>> = {
  access: 'An access token',
  'access-or-id': 'An access token, or an ID token where one is accepted',
};

/** `Authorization: Bearer <token>`; access tokens only, unless `accepted` says otherwise. */
export function headerAccess(verify: BearerVerifier, accepted: AcceptedTokens = 'access'): Access {
  return {
    scheme: {
      name: 'bearer',
      definition: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: `${described[accepted]}.` },
    },
    check: (head) => verify(bearerIn(head), accepted),
  };
}

/**
 * Reads the token from a cookie with this name or from a field of a posted form. One valid token is enough: a stale
 * cookie does not lock out a client that sends a fresh token in the form. The form is read only if no cookie is valid.
 * `further` fields, and cookies with their names, come next and accept ID tokens as well; of several fields the first
 * that is not empty is used. `accepted` says which tokens the field `name` and its cookie may hold.
 */
export function formOrCookieAccess(
  name: string,
  verify: BearerVerifier,
  further: readonly string[] = [],
  accepted: AcceptedTokens = 'access',
): Access {
  const places: { name: string; accepted: AcceptedTokens }[] = [
    { name, accepted },
    ...further.map((one) => ({ name: one, accepted: 'access-or-id' as const })),
  ];
  const alternatives = places.map((place) => `\`${place.name}\``).join(' or ');
  return {
    scheme: {
      name: 'cookie',
      definition: {
        type: 'apiKey',
        in: 'cookie',
        name,
        description: `${described[accepted]}; or the form field ${alternatives}.`,
      },
    },
    async check(head) {
      const cookies = places.filter((place) => cookieOf(head, place.name) !== undefined);
      let refusal: Fault | undefined;
      for (const place of cookies) {
        try {
          return await verify(cookieOf(head, place.name), place.accepted);
        } catch (error) {
          if (!isFault(error) || error.code !== 'unauthenticated') throw error;
          refusal = error;
        }
      }
      if (bringsForm(head)) return undefined;
      if (refusal !== undefined) throw refusal;
      return verify(undefined);
    },
    checkBody(_head, body) {
      const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
      const found = places.find((place) => Object.hasOwn(fields, place.name) && fields[place.name] !== '');
      if (found === undefined) return verify(undefined);
      const token = fields[found.name];
      // A repeated field is not a token.
      return verify(typeof token === 'string' ? token : ' ', found.accepted);
    },
  };
}

function bringsForm({ method, headers }: RequestHead): boolean {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return method === 'POST' && formTypes.includes(type);
}

/** The first cookie with the name, without quotes. */
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
