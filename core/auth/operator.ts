/** Access to endpoints for operators, for scrapers and browsers as well as for clients of the API. */
import { Fault, isFault } from '../fault.js';
import { defineRight } from '../policy/right.js';
import type { TokenAccesses } from './access.js';
import type { Access, RequestHead } from './guard.js';

/** The core's only right. */
export const operate = defineRight({
  scope: 'server:read',
  summary: 'See metrics, documentation and pages that are restricted to operators',
});

const sentence = `This needs a valid API token with the scope ${operate.scope}`;

/**
 * Takes an API token with the scope `server:read` in `X-Auth-Token`, as a bearer token, which scrapers send, or as the
 * password of any user name, which browsers prompt for.
 */
export function operatorAccess(access: TokenAccesses['access']): Access {
  const { check } = access(operate);
  return {
    right: operate,
    scheme: {
      name: 'operator',
      definition: {
        type: 'http',
        scheme: 'basic',
        description:
          'An API token with the scope `server:read` as the password; or as a bearer token; or in `X-Auth-Token`.',
      },
    },
    async check(head) {
      const token = tokenIn(head);
      const { 'x-auth-token': _, ...headers } = head.headers;
      try {
        return await check({ ...head, headers: token === undefined ? headers : { ...headers, 'x-auth-token': token } });
      } catch (error) {
        if (!isFault(error) || error.code !== 'unauthenticated') throw error;
        throw new Fault('unauthenticated', sentence, {
          headers: { 'WWW-Authenticate': 'Basic realm="trefoil", charset="UTF-8"' },
          cause: error,
        });
      }
    },
  };
}

function tokenIn({ headers }: RequestHead): string | undefined {
  const own = headers['x-auth-token'];
  if (typeof own === 'string' && own !== '') return own;
  const [, scheme = '', credentials = ''] = /^(Bearer|Basic) +([^ ]+) *$/i.exec(headers.authorization ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials;
  // Anything else is refused like a wrong token.
  if (scheme === '') return headers.authorization === undefined ? undefined : ' ';
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}
