/** Access to routes by an API token in the `X-Auth-Token` header. */
import { Fault } from '../fault.js';
import { gather } from '../gather.js';
import type { Access, Principal, RequestHead } from '../http/route.js';
import type { StorageLog } from '../storage.js';
import type { ApiToken, TokenRepository } from './contract.js';
import { grants, grantsSome, usageNotes, verifyToken } from './tokens.js';

const challenge = 'X-Auth-Token realm="trefoil"';

const scheme: Access['scheme'] = {
  name: 'apiToken',
  definition: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: 'An API token, issued with `trefoil token add`.',
  },
};

export interface TokenAccessOptions {
  repository: TokenRepository;
  log: StorageLog;
  now(): Date;
}

export interface TokenAccesses {
  /**
   * The access for a scope: `unauthenticated` if the header is missing or its token unknown, expired or revoked (one
   * sentence for all, so that nothing is learnt by trying), `forbidden` if the scope is lacking. Without a scope any
   * valid token will do. `some`: see `PluginContext.tokenAccess`.
   */
  access(scope?: string, options?: { some?: boolean }): Access;
  /** Whose token it is; undefined for one that is unknown, expired or revoked. */
  holderOf(token: string): Promise<Principal | undefined>;
}

/** Makes accesses that share one record of when tokens were last used. */
export function tokenAccesses(options: TokenAccessOptions): TokenAccesses {
  const note = usageNotes(options.repository, options.log);
  const findByHash = sharedLookup(options.repository);

  async function holderOf(sent: string): Promise<Principal | undefined> {
    const now = options.now();
    const token = sent === '' ? undefined : await verifyToken({ findByHash }, sent, now);
    if (token === undefined) return undefined;
    note(token, now);
    return { owner: token.owner, scopes: token.scopes };
  }

  async function authenticate(head: RequestHead): Promise<Principal> {
    const sent = head.headers['x-auth-token'];
    const holder = typeof sent === 'string' ? await holderOf(sent) : undefined;
    if (holder === undefined) {
      throw new Fault(
        'unauthenticated',
        sent === undefined || sent === ''
          ? 'This needs an API token in the header X-Auth-Token'
          : 'The API token is not valid: unknown, expired or revoked',
        { headers: { 'WWW-Authenticate': challenge } },
      );
    }
    return holder;
  }

  const access: TokenAccesses['access'] = (scope, { some = false } = {}) => ({
    scheme,
    async check(head): Promise<Principal> {
      const holder = await authenticate(head);
      if (scope !== undefined && !(some ? grantsSome : grants)(holder.scopes, scope)) {
        throw new Fault('forbidden', `The API token lacks the scope ${scope}`);
      }
      return holder;
    },
  });
  return { access, holderOf };
}

/**
 * Looks tokens up for all who ask at the same time: clients send many requests with one token. A look that began before
 * a request came is not for it, so that a token is refused from the moment on at which it is revoked.
 */
function sharedLookup(repository: TokenRepository): TokenRepository['findByHash'] {
  return gather<string, ApiToken | undefined>({
    async together(hashes) {
      const asked = [...new Set(hashes)];
      const found = await Promise.all(asked.map((hash) => repository.findByHash(hash)));
      const byHash = new Map(asked.map((hash, i) => [hash, found[i]]));
      return hashes.map((hash) => byHash.get(hash));
    },
    most: 1000,
    groups: 1,
  });
}
