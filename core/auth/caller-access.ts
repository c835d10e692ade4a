/** Access by every credential that a caller may have. */
import { Fault, isFault } from '../fault.js';
import type { Principal } from '../policy/caller.js';
import { type Right, scopesFor } from '../policy/right.js';
import { type TokenAccesses, tokenScheme } from './access.js';
import type { Access, RequestHead } from './guard.js';

export interface CallerAccessOptions {
  /**
   * Whether people need the right: if `all` are let in, the handler decides about each of them. API tokens always need it;
   * `with-right` if omitted.
   */
  readonly people?: 'with-right' | 'all';
}

/**
 * Accepts API tokens, access tokens of configured issuers and sessions: what the client sends as a header comes first, then
 * what `further` finds, then a session, which browsers send unasked. The caller must have the right, unless it is a person and
 * `people` says `all`.
 */
export function callerAccess(
  { access, identify, waitsForForm, mustHave }: Omit<TokenAccesses, 'holderOf'>,
  right: Right,
  further?: Access,
  { people = 'with-right' }: CallerAccessOptions = {},
): Access {
  const { check } = access(right);

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
        const caller = (await identify(head)) ?? (await further?.check(head));
        if (caller === undefined) throw nobody(right);
        return admitted(caller);
      }
      const found = await orRefusal(further?.check(head));
      if (found !== undefined && !isFault(found)) return admitted(found);
      // A form that was not read yet may bring what is looked for.
      const mayFollow = found === undefined && further?.checkBody !== undefined;
      return mayFollow || waitsForForm(head) ? undefined : bySession(head, found ?? nobody(right));
    },
    async checkBody(head, body) {
      const found = await orRefusal(further?.checkBody?.(head, body));
      return found === undefined || isFault(found) ? bySession(head, found ?? nobody(right)) : admitted(found);
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

function nobody(right: Right): Fault {
  return new Fault(
    'unauthenticated',
    `This needs an access token, or an API token with the scope ${scopesFor(right)}`,
    { headers: { 'WWW-Authenticate': 'Bearer realm="trefoil"' } },
  );
}
