/** `/reviews/cases`: statements over HTTP. What belongs to tenants that the caller does not reach does not exist. */
import { z } from 'zod';
import {
  type AuditEvent,
  bodyRefusals,
  callerRefusals,
  disclosing,
  Fault,
  isFault,
  type PluginContext,
  type Principal,
  type RouteDeclaration,
  refused,
  route,
} from '../../../core/plugin.js';
import type { Services } from '../../services/services.js';
import { type CaseKey, caseKey, conclusions, headAnswer, reviews, type StatementHead } from '../contract.js';
import { headShown } from '../json.js';
import { caseOf, hasOwner, ownersFor, readRight, tenantOfCase, writeRight } from '../rights.js';
import type { Schedule } from '../run/schedule.js';
import type { ReviewSettings } from '../settings.js';
import { type StatementFields, statementBody } from './body.js';
import { conflictOf, type EntryTools, statementOf } from './entry.js';

export const casesPath = '/reviews/cases';

interface StatementRequest {
  principal: Principal;
  /** The id of the request. */
  id: string;
  signal: AbortSignal;
}

const ownerName = z.string().max(100).optional().describe('The tenant, if the caller reaches the cases of several.');
const caseParams = z.object({ case: z.string().max(100).describe('The name of the case, percent-encoded.') });

const listQuery = z.object({
  conclusion: z.enum(conclusions).optional(),
  panel: z.string().max(100).optional().describe('Only cases with a version of this panel.'),
  after: z
    .string()
    .max(1000)
    .refine((text) => placeOf(text) !== undefined, 'is not `next` of a page')
    .optional()
    .describe('`next` of the page before.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('Most cases of a page.'),
});

const refusals = refused({ ...callerRefusals, 400: 'A parameter is not valid.' });

interface StatementTools {
  context: PluginContext<ReviewSettings>;
  /** Has cases asked again. */
  schedule: Pick<Schedule, 'ask'>;
}

/** Keeps what a caller states about a case, and records who did. Throws as `statementOf`, and `conflict` if another was kept meanwhile. */
export async function stateCase(
  { context, schedule }: StatementTools,
  { principal, id, signal }: StatementRequest,
  fields: StatementFields,
): Promise<StatementHead> {
  const tools: EntryTools = {
    find: async <Key extends keyof Services>(key: Key) => context.find<Services[Key]>(key),
    tenants: context.tenants?.all ?? [],
    keepDays: context.settings.keepDays,
    now: context.now,
    erasures: context.erasures,
  };
  const owners = await ownersFor(context, principal, writeRight);
  const statement = await statementOf(tools, { principal, id }, owners, fields, signal);
  const stored = context.now();
  const { persons, conclusion, revision } = statement;
  const act = { action: 'reviews.state', samples: persons.map(({ sample }) => sample) };
  const event = await actOn(context, statement, { principal, id }, { ...act, detail: { conclusion, revision } });
  await context.audit.within(context.transaction, async (scope, record) => {
    await scope.repository(reviews).put(statement, stored).catch(refusedAs(fields.replaces));
    await record(principal, event);
    // A solved case may end findings of others, who share an allele.
    await schedule.ask(conclusion === 'solved' ? undefined : statement, scope);
  });
  return { ...statement, stored, isLookedAt: false };
}

/** An act about a case, for the audit. */
async function actOn(
  { policy }: Pick<PluginContext<unknown>, 'policy'>,
  { owner, case: name }: CaseKey,
  { principal, id }: Omit<StatementRequest, 'signal'>,
  more: Pick<AuditEvent, 'action' | 'detail'> & { samples?: readonly string[] },
): Promise<AuditEvent> {
  const { samples = [], ...act } = more;
  const because = await policy.why(principal, writeRight, tenantOfCase(owner));
  const about = [`case:${name}`, ...samples.map((sample) => `sample:${sample}`)];
  return { ...act, about, because, outcome: 'done', request: id };
}

export function statementRoutes(tools: StatementTools): RouteDeclaration[] {
  const { context } = tools;
  const repository = context.repository(reviews);
  const disclose = disclosing(context);
  const [read, write] = [readRight, writeRight].map((right) => context.callerAccess(right));

  return [
    route({
      method: 'GET',
      path: casesPath,
      operation: 'reviewedCases',
      summary: 'List cases with their newest statements, by name',
      access: read,
      query: listQuery,
      answers: {
        200: {
          description: 'A page of cases.',
          content: {
            'application/json': z.object({
              cases: z.array(headAnswer),
              next: z.string().nullable().describe('`after` of the next page; null on the last one.'),
            }),
          },
        },
        ...refusals,
      },
      async handle({ input, principal, id }) {
        const { conclusion, panel, after, limit } = input;
        const owners = await ownersFor(context, principal, readRight);
        const from = after === undefined ? undefined : placeOf(after);
        const heads = await repository.list({
          ...(owners && { owners }),
          ...(conclusion && { conclusion }),
          ...(panel !== undefined && { touched: { panels: [panel] } }),
          ...(from && { after: from }),
          limit,
        });
        const last = heads.length === limit ? heads.at(-1) : undefined;
        const about = { case: heads.map((one) => one.case) };
        const of = tenantOfCase(heads[0]?.owner);
        if (heads.length > 0) await disclose({ principal, id }, { action: 'reviews.read', about, by: readRight, of });
        return { body: { cases: heads.map(headShown), next: last === undefined ? null : nextOf(last) } };
      },
    }),
    route({
      method: 'POST',
      path: casesPath,
      operation: 'stateCase',
      summary: 'State what was concluded about a case, or replace what was stated',
      description:
        'Without `report` everything is stated; with it, a kept report says build, panel, thresholds, releases and samples. Samples ' +
        'and the version of the panel must be among what the caller may see.',
      access: write,
      body: { types: ['application/json'], schema: statementBody },
      answers: {
        201: { description: 'The statement is kept.', content: { 'application/json': headAnswer } },
        ...refusals,
        ...refused({
          409: 'There is another statement about this case than the one that it replaces.',
          413: bodyRefusals[413],
          415: 'The body is not JSON.',
          422: 'The statement names what does not exist, or what the caller may not see.',
        }),
      },
      handle: async (request) => ({
        status: 201,
        body: headShown(await stateCase(tools, request, request.body)),
      }),
    }),
    route({
      method: 'DELETE',
      path: `${casesPath}/:case`,
      operation: 'removeCase',
      summary: 'Remove a case with all statements, findings and decisions',
      access: write,
      params: caseParams,
      query: z.object({ owner: ownerName }),
      answers: {
        204: { description: 'It is removed.' },
        ...refusals,
        ...refused({ 404: 'The caller has no such case.' }),
      },
      async handle({ params, input, principal, id }) {
        const owners = await ownersFor(context, principal, writeRight);
        const key = caseOf(owners, params.case, input.owner);
        const event = await actOn(context, key, { principal, id }, { action: 'reviews.remove' });
        await context.audit.within(context.transaction, async (scope, record) => {
          const removed = hasOwner(owners, key.owner) ? await scope.repository(reviews).remove([key]) : 0;
          if (removed === 0) throw new Fault('not-found', `There is no case ${params.case}`);
          await record(principal, event);
        });
        return { status: 204 };
      },
    }),
  ];
}

/** What the storage refuses, in words of the request. */
export function refusedAs(replaces: number | undefined): (error: unknown) => never {
  return (error) => {
    if (!isFault(error) || error.code !== 'conflict') throw error;
    throw new Fault('conflict', conflictOf(replaces), { cause: error });
  };
}

function nextOf({ owner, case: name }: CaseKey): string {
  return Buffer.from(JSON.stringify(owner === undefined ? [name] : [name, owner])).toString('base64url');
}

function placeOf(text: string): CaseKey | undefined {
  try {
    const [name, owner] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    if (typeof name !== 'string' || (owner !== undefined && typeof owner !== 'string')) return undefined;
    return caseKey(name, owner);
  } catch {
    return undefined;
  }
}
