/**
 * Access to routes by an API token in the `X-Auth-Token` header, or by another credential of the caller. Requests that arrive
 * at the same time share one look-up.
 */
import { Fault } from '../fault.js';
import { gather } from '../gather.js';
import { type Policy, type Principal, type Right, type TokenHolder, tokenHolder } from '../policy/policy.js';
import type { StorageLog } from '../storage.js';
import type { TokenRepository } from './contract.js';
import {
  type Access,
  type CallerSource,
  type CallerSources,
  type CredentialHead,
  identify as identifier,
} from './identify.js';
import { usageNotes, verifyToken } from './tokens.js';

export const tokenChallenge = 'X-Auth-Token realm="trefoil"';

export const invalidToken = 'The API token is not valid: unknown, expired or revoked';

export const tokenScheme: Access['scheme'] = {
  name: 'apiToken',
  definition: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: 'An API token, issued with `trefoil token add`.',
  },
};

interface TokenAccessOptions {
  repository: TokenRepository;
  policy: Policy;
  /** Credentials besides API tokens; none if omitted. */
  callers?: CallerSources;
  log: StorageLog;
  now(): Date;
}

export interface TokenAccesses {
  /**
   * Access for callers with the right: for everything or, if the right can be limited to one thing, for at least one
   * (the handler then asks the policy about the thing in the request). Without `right`, any valid credential is enough.
   * `also` is a further right that is enough. Throws `unauthenticated` if the header is missing or its token is unknown, expired or revoked (one message for all
   * three, so that guessing reveals nothing), and `forbidden` without the right.
   */
  access(right?: Right, also?: Right): Access;
  /** The holder of the token; undefined if it is unknown, expired or revoked. */
  holderOf(token: string): Promise<TokenHolder | undefined>;
  /** The caller by a credential other than an API token. */
  identify: CallerSource;
  /** Whether the caller by a session is known only once the posted form was read. */
  waitsForForm(head: CredentialHead): boolean;
  /** Throws `forbidden` unless the caller has the right, or the other one, for everything or for at least one thing. */
  mustHave(caller: Principal, right: Right, also?: Right): Promise<void>;
}

/** Makes accesses that share one record of when tokens were last used. */
export function tokenAccesses({ repository, policy, callers = {}, log, now }: TokenAccessOptions): TokenAccesses {
  const identify = identifier(callers);
  const waitsForForm = (head: CredentialHead) => callers.waitsForForm?.(head) === true;
  const note = usageNotes(repository, log);
  const findByHash = sharedLookup((hash) => repository.findByHash(hash));

  async function holderOf(sent: string): Promise<TokenHolder | undefined> {
    const time = now();
    const token = sent === '' ? undefined : await verifyToken({ findByHash }, sent, time);
    if (token === undefined) return undefined;
    note(token, time);
    return tokenHolder(token.owner, token.scopes);
  }

  async function authenticate(head: CredentialHead): Promise<Principal> {
    const sent = head.headers['x-auth-token'];
    const caller = (await identify(head)) ?? (typeof sent === 'string' ? await holderOf(sent) : undefined);
    if (caller === undefined) {
      throw new Fault(
        'unauthenticated',
        sent === undefined || sent === '' ? 'This needs an API token in the header X-Auth-Token' : invalidToken,
        { headers: { 'WWW-Authenticate': tokenChallenge } },
      );
    }
    return caller;
  }

  const has = (caller: Principal, right: Right) =>
    right.of === undefined ? policy.may(caller, right) : policy.mayAny(caller, right);

  async function mustHave(caller: Principal, right: Right, also?: Right): Promise<void> {
    if ((await has(caller, right)) || (also !== undefined && (await has(caller, also)))) return;
    const message = caller.kind === 'token' ? 'The API token lacks the scope' : 'You do not have the right';
    throw new Fault('forbidden', `${message} ${right.scope}`);
  }

  async function admitted(head: CredentialHead, right?: Right, also?: Right): Promise<Principal> {
    const caller = await authenticate(head);
    if (right !== undefined) await mustHave(caller, right, also);
    return caller;
  }

  const access: TokenAccesses['access'] = (right, also) => ({
    scheme: tokenScheme,
    ...(right && { right }),
    check: async (head) => (waitsForForm(head) ? undefined : admitted(head, right, also)),
    checkBody: (head) => admitted(head, right, also),
  });
  return { access, holderOf, identify, waitsForForm, mustHave };
}

// Shares one look-up of a credential among requests that arrive at the same time.

/**
 * Clients send many requests with one credential, and pages too. A request never uses a look-up that began before it arrived,
 * so that a credential is refused from the moment of its revocation.
 */
export function sharedLookup<Found>(
  findByHash: (hash: string) => Promise<Found | undefined>,
): (hash: string) => Promise<Found | undefined> {
  return gather<string, Found | undefined>({
    async together(hashes) {
      const distinct = [...new Set(hashes)];
      const found = await Promise.all(distinct.map((hash) => findByHash(hash)));
      const byHash = new Map(distinct.map((hash, i) => [hash, found[i]]));
      return hashes.map((hash) => byHash.get(hash));
    },
    most: 1000,
    groups: 1,
  });
}
