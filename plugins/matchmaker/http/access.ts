/** Who may ask what, and in which order a request is refused: 405, 415, 406, 401, 403, then by its body. */
import { type Access, grants, type PluginContext, type Principal, type RequestHead } from '../../../core/plugin.js';
import type { Writer } from '../contract.js';
import { answerType, refuseBodyType } from './media.js';

export const queryScope = 'matchmaker:query';
export const submitScope = 'matchmaker:submit';
export const adminScope = 'matchmaker:admin';

export interface Accesses {
  /** For questions. */
  query: Access;
  /** For a client's own patients. */
  submit: Access;
}

export function accesses({ tokenAccess }: Pick<PluginContext<unknown>, 'tokenAccess'>): Accesses {
  return { query: tokenAccess(queryScope), submit: tokenAccess(submitScope) };
}

/** The access to a route, after a look at the request's head. */
function after(access: Access, look: (head: RequestHead) => void): Access {
  return {
    scheme: access.scheme,
    async check(head) {
      look(head);
      return access.check(head);
    },
  };
}

/** For routes with a JSON body: its type and the accepted types of the answer are looked at before the token. */
export function mediaFirst(access: Access): Access {
  return after(access, (head) => {
    refuseBodyType(head);
    answerType(head);
  });
}

export { after as accessAfter };

/** As whom a token's holder writes. */
export function writerOf(principal: Principal): Writer {
  return { owner: principal.owner, all: grants(principal.scopes, adminScope) };
}
