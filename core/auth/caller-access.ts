/** Access by every credential that a caller may have. */
import { Fault, isFault } from '../fault.js';
import type { Principal } from '../policy/caller.js';
import { type Right, scopesFor } from '../policy/right.js';
import { invalidToken, type TokenAccesses, tokenScheme } from './access.js';
import { passwordChallenge, passwordIn } from './browser.js';
import type { Access, RequestHead } from './guard.js';

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
