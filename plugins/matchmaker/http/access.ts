/** Access to the routes. Requests are checked in this order: method, body type, accepted types, token, scope, body. */
import { type Access, ownerOf, type PluginContext, type Principal, type RequestHead } from '../../../core/plugin.js';
import type { Writer } from '../contract.js';
import { adminRight, queryRight, submitRight } from '../rights.js';
import { answerType, refuseBodyType } from './media.js';

export interface Accesses {
  /** For queries. */
  query: Access;
  /** For a client's own patients. */
  submit: Access;
  /** The rights of a caller to change patients. */
  writerOf(caller: Principal): Promise<Writer>;
}

export function accesses({ tokenAccess, policy }: Pick<PluginContext<unknown>, 'tokenAccess' | 'policy'>): Accesses {
  return {
    query: tokenAccess(queryRight),
    submit: tokenAccess(submitRight),
    writerOf: async (caller) => ({ owner: ownerOf(caller), all: await policy.may(caller, adminRight) }),
  };
}

/** The access, preceded by a check of the request's head. */
export function accessAfter(access: Access, inspect: (head: RequestHead) => void): Access {
  return {
    ...access,
    async check(head) {
      inspect(head);
      return access.check(head);
    },
  };
}

/** For routes with a JSON body: the media types of request and response are checked before the token. */
export function mediaFirst(access: Access): Access {
  return accessAfter(access, (head) => {
    refuseBodyType(head);
    answerType(head);
  });
}
