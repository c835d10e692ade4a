/** Access to the routes. Requests are checked in this order: method, body type, accepted types, token, scope, body. */
import {
  type Access,
  Fault,
  isFault,
  ownerOf,
  type PluginContext,
  type Principal,
  type RequestHead,
  type Right,
} from '../../../core/plugin.js';
import type { ActingParty } from '../audit/trail.js';
import type { MatchmakerRepository, StoredPatient, Writer } from '../contract.js';
import { answerType, refuseBodyType } from '../exchange/protocol.js';
import {
  adminRight,
  loadRight,
  type OwnedBy,
  queryRight,
  readRight,
  stateRight,
  submitRight,
  triageRight,
} from '../rights.js';

/** The caller of a request, and whose patients it may use. */
export interface CallerReach extends Writer {
  /** For the records of who saw what. */
  by: ActingParty;
  /** Whether it is a client: its searches belong to it, too, and not its patients only. */
  isClient: boolean;
  /** Owners whose patients it may use; of no importance if it may use `all`. The first, `owner`, has those that it adds. */
  owners: readonly string[];
}

/** How a kind of route is used: by clients with a scope of their own, and by people and programs with rights to clients' patients. */
interface RouteUse {
  access: Access;
  reachOf(request: AccessRequest): Promise<CallerReach>;
}

interface AccessRequest {
  principal: Principal;
  /** The request's id. */
  id: string;
}

export interface Accesses {
  /** For queries; clients only. */
  query: RouteUse;
  /** For reading patients. */
  read: RouteUse;
  /** For reading matches. */
  matches: RouteUse;
  /** For adding, changing and deleting patients. */
  load: RouteUse;
  /** The same with pages: for reading matches, for noting what became of them, and for changing contacts. */
  pages: { read: RouteUse; work: RouteUse; load: RouteUse };
  /** For what concerns no patient. */
  state: Access;
}

type AccessTools = Pick<PluginContext<unknown>, 'tokenAccess' | 'callerAccess' | 'policy' | 'tenants'>;

export function accesses(tools: AccessTools, patients: Pick<MatchmakerRepository, 'clients'>): Accesses {
  const { tokenAccess, policy } = tools;

  async function clientReach({ principal, id }: AccessRequest, right: Right): Promise<CallerReach> {
    const owner = ownerOf(principal);
    const because = await policy.why(principal, right);
    const by = { owner, actor: principal, because, request: id };
    return { by, owner, owners: [owner], all: await policy.may(principal, adminRight), isClient: true };
  }

  async function peopleReach({ principal, id }: AccessRequest, right: Right<OwnedBy>): Promise<CallerReach> {
    const owners = await ownersFor(principal, right);
    const [first] = owners;
    const all = await policy.may(principal, right);
    const owner = all ? ownerOf(principal) : first;
    if (owner === undefined) throw new Fault('forbidden', 'There is no such client');
    const because = await policy.why(principal, right, all ? undefined : { client: owner });
    return { by: { owner, actor: principal, because, request: id }, owner, owners, all, isClient: false };
  }

  async function ownersFor(principal: Principal, right: Right<OwnedBy>): Promise<string[]> {
    const ofTenants = (tools.tenants?.all ?? []).flatMap(({ clients }) => clients);
    const registered = (await patients.clients()).map(({ id }) => id);
    const known = [...new Set([...ofTenants, ...registered])].map((client) => ({ client }));
    return (await policy.among(principal, right, known)).map(({ client }) => client);
  }

  const pageAccess = (right: Right) => tools.callerAccess(right, undefined, { password: true });

  const use = (own: Right, right: Right<OwnedBy>, accessBy: (right: Right) => Access = tokenAccess): RouteUse => ({
    access: eitherAccess(accessBy(own), accessBy(right)),
    reachOf: async (request) => {
      const isClient = request.principal.kind === 'token' && (await policy.may(request.principal, own));
      return isClient ? clientReach(request, own) : peopleReach(request, right);
    },
  });

  return {
    query: { access: tokenAccess(queryRight), reachOf: (request) => clientReach(request, queryRight) },
    read: use(submitRight, readRight),
    matches: use(queryRight, readRight),
    load: use(submitRight, loadRight),
    pages: {
      read: use(queryRight, readRight, pageAccess),
      work: use(submitRight, triageRight, pageAccess),
      load: use(submitRight, loadRight, pageAccess),
    },
    state: eitherAccess(tokenAccess(queryRight), tokenAccess(stateRight)),
  };
}

/** Whether the caller may use the patient. One that it may not use looks like one that does not exist. */
export function reaches(
  { all, owners }: Pick<CallerReach, 'all' | 'owners'>,
  { owner }: Pick<StoredPatient, 'owner'>,
): boolean {
  return all || owners.includes(owner);
}

/** The owners of the patients that the caller may use, for the storage; undefined if they are those of all. */
export function ownersIn({ all, owners }: Pick<CallerReach, 'all' | 'owners'>): readonly string[] | undefined {
  return all ? undefined : owners;
}

/** The caller as the owner of the patient, if it may use it; otherwise as the owner of what it adds. */
export function asOwnerOf<Writing extends CallerReach>(reach: Writing, stored: StoredPatient | undefined): Writing {
  return stored && reach.owners.includes(stored.owner) ? { ...reach, owner: stored.owner } : reach;
}

/** The access of a client by its own scope; of others by another right. What they are refused is the same. */
function eitherAccess(own: Access, other: Access): Access {
  return {
    ...own,
    check: (head) => orElse(own.check(head), () => other.check(head)),
    ...(own.checkBody && {
      checkBody: (head: RequestHead, body: unknown) =>
        orElse(checkedCaller(own, head, body), () => checkedCaller(other, head, body)),
    }),
  };
}

async function checkedCaller(access: Access, head: RequestHead, body: unknown): Promise<Principal> {
  const caller = await access.checkBody?.(head, body);
  if (caller === undefined) throw new Fault('unauthenticated', 'This needs a credential');
  return caller;
}

async function orElse<Found>(first: Promise<Found>, second: () => Promise<Found>): Promise<Found> {
  try {
    return await first;
  } catch (refusal) {
    if (!isForbidden(refusal)) throw refusal;
    return second().catch((error: unknown) => {
      throw isForbidden(error) ? refusal : error;
    });
  }
}

function isForbidden(error: unknown): boolean {
  return isFault(error) && error.code === 'forbidden';
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
