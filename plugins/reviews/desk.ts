/**
 * What readers of reviews may see and do: the cases of their tenants, findings by page with conditions, decisions. Reads and
 * decisions are recorded. What belongs to others is answered as what does not exist.
 */
import {
  type Access,
  disclosing,
  Fault,
  type NamedThings,
  type PluginContext,
  type Principal,
} from '../../core/plugin.js';
import type { CaseReader } from './comparison.js';
import {
  type CaseFinding,
  type CaseKey,
  type GroupRow,
  type Owners,
  type ReviewDecision,
  reviews,
  type Statement,
} from './contract.js';
import { caseOf, hasOwner, ownersFor, type RightOfCases, readRight, tenantOfCase, writeRight } from './rights.js';
import { decidable, type WorklistChoice, type WorklistPart, worklistOf } from './worklist.js';

/** What a person decides, as it is sent. */
export interface DecisionRequest {
  revision: number;
  outcome: ReviewDecision['outcome'];
  reason: string;
  until?: Date | undefined;
}

/** What the identity provider calls the person, else the holder of the token. */
export function nameOfPerson(principal: Principal): string {
  return principal.kind === 'subject' ? (principal.name ?? principal.owner) : principal.owner;
}

/** Who asks, and the id of the request. */
type ReviewCaller = Pick<CaseReader, 'principal' | 'id'>;

export type ReviewDesk = ReturnType<typeof reviewDesk>;

type DeskContext = Pick<
  PluginContext<unknown>,
  'repository' | 'callerAccess' | 'policy' | 'tenants' | 'audit' | 'transaction' | 'find' | 'now'
>;

/** Former statements that a page shows. */
const mostFormer = 20;

export function reviewDesk(context: DeskContext) {
  const repository = context.repository(reviews);
  const disclose = disclosing(context);

  const access = (right: RightOfCases): Access => context.callerAccess(right, undefined, { password: true });
  const ownersOf = (principal: Principal, right: RightOfCases) => ownersFor(context, principal, right);

  /** Records that cases of a tenant were read. */
  const recordRead = (reader: ReviewCaller, by: RightOfCases, about: NamedThings, owner: string | undefined) =>
    disclose(reader, { action: 'reviews.read', about, by, of: tenantOfCase(owner) });

  async function statementOf(principal: Principal, right: RightOfCases, key: CaseKey): Promise<Statement> {
    const owners = await ownersOf(principal, right);
    const wanted = caseOf(owners, key.case, key.owner);
    const found = hasOwner(owners, wanted.owner) ? await repository.find(wanted) : undefined;
    if (found === undefined) throw new Fault('not-found', `There is no case ${key.case}`);
    return found;
  }

  return {
    repository,
    now: context.now,
    find: context.find,
    read: access(readRight),
    write: access(writeRight),
    /** The tenants whose cases the caller may read; undefined for all cases. */
    ownersOf: (principal: Principal) => ownersOf(principal, readRight),

    /** The last statement of a case about which the caller may state something. Records that it was read. */
    async lastOf({ principal, id }: ReviewCaller, key: CaseKey): Promise<Statement> {
      const last = await statementOf(principal, writeRight, key);
      await recordRead({ principal, id }, writeRight, { case: [last.case] }, last.owner);
      return last;
    },

    /** Number of watched cases that were not looked at yet. */
    unlooked: (owners: Owners | undefined) =>
      repository.countWatched(context.now(), { ...(owners && { owners }), unlooked: true }),

    async mayWrite(principal: Principal, owner?: string): Promise<boolean> {
      if (owner === undefined) return context.policy.mayAny(principal, writeRight);
      return hasOwner(await ownersOf(principal, writeRight), owner);
    },

    /** A page of findings, and where the next begins. */
    async worklist({ principal, id }: ReviewCaller, asked: WorklistChoice, limit: number): Promise<WorklistPart> {
      const owners = await ownersOf(principal, readRight);
      const part = await worklistOf(repository, { ...asked, ...(owners && { owners }) }, limit, {
        now: context.now(),
        panels: context.find('panels/versions@1'),
      });
      const [first] = part.findings;
      const about = { case: part.findings.map((one) => one.case) };
      if (first) await recordRead({ principal, id }, readRight, about, first.owner);
      return part;
    },

    /** A case with its statements and findings. Records that it was read. */
    async caseOf({ principal, id }: ReviewCaller, key: CaseKey) {
      const statement = await statementOf(principal, readRight, key);
      const about = { case: [statement.case], sample: statement.persons.map(({ sample }) => sample) };
      await recordRead({ principal, id }, readRight, about, statement.owner);
      return { statement, findings: await repository.findings({ case: statement, limit: 1000 }) };
    },

    /** The statements that this one supersedes, the last first; not the oldest of very many. */
    async formerOf(statement: Statement): Promise<Statement[]> {
      const earlier = Array.from(
        { length: Math.min(statement.revision - 1, mostFormer) },
        (_, i) => statement.revision - 1 - i,
      );
      const former = await Promise.all(earlier.map((revision) => repository.find(statement, revision)));
      return former.filter((one) => one !== undefined);
    },

    /** Keeps the decision of a person, and records it. Returns what was decided about. */
    async decide(
      { principal, id: request }: ReviewCaller,
      what: 'finding' | 'group',
      id: string,
      { revision, outcome, reason, until }: DecisionRequest,
    ): Promise<CaseFinding | GroupRow> {
      const owners = await ownersOf(principal, writeRight);
      const found = await decidable(repository, id, { owners, what });
      const by = nameOfPerson(principal);
      const decision = { outcome, reason, by, at: context.now(), ...(until && { until }) };
      const about = [`finding:${id}`, ...('case' in found ? [`case:${found.case}`] : [])];
      await context.audit.within(context.transaction, async (scope, record) => {
        if (!(await scope.repository(reviews).decide(what, id, revision, decision)))
          throw new Fault('conflict', 'It was changed since it was read: read it again');
        const because = await context.policy.why(principal, writeRight, tenantOfCase(found.owner));
        const act = { action: 'reviews.decide', about, because, outcome: 'done', request } as const;
        await record(principal, { ...act, detail: { outcome } });
      });
      return decidable(repository, id, { owners, what });
    },
  };
}
