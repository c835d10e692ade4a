/** Access for browsers and scrapers as well as for clients of the API. */
import { Fault, isFault } from '../fault.js';
import { type Access, bearerIn, type CredentialHead, type Right, scopesFor } from '../policy/policy.js';
import type { TokenAccesses } from './access.js';

export const passwordChallenge = { 'WWW-Authenticate': 'Basic realm="trefoil", charset="UTF-8"' };

/**
 * Besides what every access accepts, takes an API token with the right as a bearer token, which scrapers send, or as the
 * password of any user name, which browsers prompt for. `name` is that of the scheme in the API description; `also` is a
 * further right that is enough.
 */
export function browserAccess(
  { access, identify, mustHave }: Pick<TokenAccesses, 'access' | 'identify' | 'mustHave'>,
  right: Right,
  name: string,
  also?: Right,
): Access {
  const { check } = access(right, also);
  return {
    right,
    scheme: {
      name,
      definition: {
        type: 'http',
        scheme: 'basic',
        description: `An API token with the scope ${scopesFor(right)} as the password; or as a bearer token; or in \`X-Auth-Token\`.`,
      },
    },
    async check(head) {
      const caller = await identify(head);
      if (caller !== undefined) {
        await mustHave(caller, right, also);
        return caller;
      }
      const token = tokenIn(head);
      const { 'x-auth-token': _, ...headers } = head.headers;
      try {
        return await check({ ...head, headers: token === undefined ? headers : { ...headers, 'x-auth-token': token } });
      } catch (error) {
        if (!isFault(error) || error.code !== 'unauthenticated') throw error;
        throw new Fault('unauthenticated', `This needs a valid API token with the scope ${right.scope}`, {
          headers: passwordChallenge,
          cause: error,
        });
      }
    },
  };
}

function tokenIn(head: CredentialHead): string | undefined {
  const { headers } = head;
  const own = headers['x-auth-token'];
  if (typeof own === 'string' && own !== '') return own;
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  // Anything else is refused like a wrong token.
  return bearerIn(head) ?? passwordIn(authorization) ?? ' ';
}

/** The password of basic credentials (RFC 7617); undefined for any other header. */
export function passwordIn(authorization: string): string | undefined {
  const [, credentials] = /^Basic +([^ ]+) *$/i.exec(authorization) ?? [];
  if (credentials === undefined) return undefined;
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}
