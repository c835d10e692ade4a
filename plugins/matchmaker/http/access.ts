/** Who may ask what, and in which order a request is refused: 405, 415, 406, 401, 403, then by its body. */
import type { Access, PluginContext, Principal, RequestHead } from '../../../core/plugin.js';
import type { Writer } from '../contract.js';
import { adminRight, queryRight, submitRight } from '../rights.js';
import { answerType, refuseBodyType } from './media.js';

export interface Accesses {
  /** For questions. */
  query: Access;
  /** For a client's own patients. */
  submit: Access;
  /** Returns as whom a caller writes. */
  writerOf(caller: Principal): Promise<Writer>;
}

export function accesses({ tokenAccess, policy }: Pick<PluginContext<unknown>, 'tokenAccess' | 'policy'>): Accesses {
  return {
    query: tokenAccess(queryRight),
    submit: tokenAccess(submitRight),
    writerOf: async (caller) => ({ owner: caller.owner, all: await policy.may(caller, adminRight) }),
  };
}

/** The access to a route, after a look at the request's head. */
function after(access: Access, look: (head: RequestHead) => void): Access {
  return {
    ...access,
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
