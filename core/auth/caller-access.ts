/** Access by every credential that a caller may have: required, or optional on routes that show more to callers with a right. */
import { Fault, isFault } from '../fault.js';
import {
  type Access,
  anonymous,
  type Caller,
  heldGrants,
  type OptionalAccess,
  type Principal,
  type RequestHead,
  type Right,
  scopesFor,
  type TokenHolder,
} from '../policy/policy.js';
import { invalidToken, type TokenAccesses, tokenChallenge, tokenScheme } from './access.js';
import { passwordChallenge, passwordIn } from './browser.js';

export interface CallerAccessOptions {
  /**
   * Whether people need the right: if `all` are let in, the handler decides about each of them. API tokens always need it;
   * `with-right` if omitted.
   */
  readonly people?: 'with-right' | 'all';
  /**
   * Whether an API token also counts as the password that a browser asks for. Since browsers send passwords with the requests
   * of other sites' pages too, it then changes data only if the browser says that a page of this server sends the request.
   */
  readonly password?: boolean;
}

/**
 * Accepts API tokens, access tokens of configured issuers and sessions: what the client sends as a header comes first, then
 * what `further` finds, then a session, which browsers send unasked. The caller must have the right, unless it is a person and
 * `people` says `all`.
 */
export function callerAccess(
  { access, identify, waitsForForm, mustHave, holderOf }: TokenAccesses,
  right: Right,
  further?: Access,
  { people = 'with-right', password = false }: CallerAccessOptions = {},
): Access {
  const { check } = access(right);
  const refusal = () => nobody(right, password ? passwordChallenge : undefined);

  async function byPassword(head: RequestHead): Promise<Principal | undefined> {
    const token = password ? passwordIn(head.headers.authorization ?? '') : undefined;
    if (token === undefined) return undefined;
    if (!isRead(head) && !isFromOwnPage(head)) {
      throw new Fault('forbidden', 'With a password, a request that changes data must come from a page of this server');
    }
    const caller = await holderOf(token);
    if (caller === undefined) throw new Fault('unauthenticated', invalidToken, { headers: passwordChallenge });
    return caller;
  }

  async function admitted(caller: Principal): Promise<Principal> {
    if (people === 'with-right' || caller.kind !== 'subject') await mustHave(caller, right);
    return caller;
  }

  async function bySession(head: RequestHead, refusal: Fault): Promise<Principal> {
    const caller = await identify(head);
    if (caller === undefined) throw refusal;
    return admitted(caller);
  }

  return {
    right,
    scheme: further?.scheme ?? tokenScheme,
    async check(head) {
      const { authorization, 'x-auth-token': apiToken } = head.headers;
      if (apiToken !== undefined) return check(head);
      if (authorization !== undefined) {
        const caller = (await identify(head)) ?? (await further?.check(head)) ?? (await byPassword(head));
        if (caller === undefined) throw refusal();
        return admitted(caller);
      }
      const found = await orRefusal(further?.check(head));
      if (found !== undefined && !isFault(found)) return admitted(found);
      // A form that was not read yet may bring what is looked for.
      const mayFollow = found === undefined && further?.checkBody !== undefined;
      return mayFollow || waitsForForm(head) ? undefined : bySession(head, found ?? refusal());
    },
    async checkBody(head, body) {
      const found = await orRefusal(further?.checkBody?.(head, body));
      return found === undefined || isFault(found) ? bySession(head, found ?? refusal()) : admitted(found);
    },
  };
}

/** The caller, or why the credential is not valid. */
async function orRefusal(found: Promise<Principal | undefined> | undefined): Promise<Principal | Fault | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isFault(error) && error.code === 'unauthenticated') return error;
    throw error;
  }
}

function isRead({ method }: RequestHead): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Browsers of before 2023 do not send Sec-Fetch-Site, but the origin. */
function isFromOwnPage({ headers }: RequestHead): boolean {
  const { 'sec-fetch-site': site, origin = '', host = '' } = headers;
  if (site !== undefined) return site === 'same-origin';
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

function nobody(
  right: Right,
  headers: Record<string, string> = { 'WWW-Authenticate': 'Bearer realm="trefoil"' },
): Fault {
  return new Fault(
    'unauthenticated',
    `This needs an access token, or an API token with the scope ${scopesFor(right)}`,
    { headers },
  );
}

// Credentials on routes that every client may call and that show more to callers with a right.

const bearerScheme: Access['scheme'] = {
  name: 'apiTokenAsBearer',
  definition: { type: 'http', scheme: 'bearer', description: 'The same API token as a bearer token (RFC 6750).' },
};

/**
 * Reads an API token from `X-Auth-Token` and from `Authorization: Bearer` (RFC 6750). A browser sends it as a password to
 * the whole server once a page has asked for one, so that a valid token is accepted there too. An invalid credential causes
 * an `unauthenticated` fault, so that no client mistakes an anonymous response for its own. The scopes of two valid
 * tokens add up. The challenge for bearer tokens names `realm`.
 */
export function optionalAccess(
  { holderOf, identify }: Pick<TokenAccesses, 'holderOf' | 'identify'>,
  right: Right,
  realm: string,
): OptionalAccess {
  const unauthenticated = (message: string, error: string) =>
    new Fault('unauthenticated', message, {
      headers: { 'WWW-Authenticate': `Bearer realm="${realm}", error="${error}"` },
    });

  /** The holder of a token that a browser sends as a password. */
  async function browserHolder(authorization: string): Promise<TokenHolder | undefined> {
    const password = passwordIn(authorization);
    return password === undefined ? undefined : holderOf(password);
  }

  function bearerToken(authorization: string): string {
    const [scheme = '', token, ...more] = authorization.split(' ');
    if (!token || more.length > 0) throw unauthenticated('Missing authentication token', 'invalid_request');
    if (scheme.toLowerCase() !== 'bearer') throw unauthenticated('Bearer token scheme required', 'invalid_request');
    return token;
  }

  return {
    schemes: [tokenScheme, bearerScheme],
    right,
    async callerOf(head): Promise<Caller> {
      const caller = await identify(head);
      if (caller !== undefined) return caller;
      const { headers } = head;
      const { authorization } = headers;
      const own = headers['x-auth-token'];
      let holder: TokenHolder | undefined;
      if (own !== undefined) {
        holder = await holderOf(String(own));
        if (holder === undefined) {
          throw new Fault('unauthenticated', invalidToken, { headers: { 'WWW-Authenticate': tokenChallenge } });
        }
      }
      if (authorization !== undefined) {
        const bearer = (await browserHolder(authorization)) ?? (await holderOf(bearerToken(authorization)));
        if (bearer === undefined) {
          throw unauthenticated('The access token is not valid: unknown, expired or revoked', 'invalid_token');
        }
        holder = holder === undefined ? bearer : both(holder, bearer);
      }
      return holder ?? anonymous;
    },
  };
}

function both(own: TokenHolder, bearer: TokenHolder): TokenHolder {
  return { ...own, [heldGrants]: [...own[heldGrants], ...bearer[heldGrants]] };
}
