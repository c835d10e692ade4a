/** Routes of runs: a person agrees to a change that waits, or asks what a change would bring. */
import { z } from 'zod';
import {
  bodyRefusals,
  callerRefusals,
  Fault,
  type Json,
  ownerOf,
  type PluginContext,
  preferred,
  type RouteDeclaration,
  refused,
  route,
} from '../../../core/plugin.js';
import type { Services } from '../../services/services.js';
import { reviews } from '../contract.js';
import { nameOfPerson } from '../desk.js';
import { ownersFor, tenantOfCase, writeRight } from '../rights.js';
import { preview, withVersion } from './preview.js';
import type { AssumingTools } from './run.js';
import type { Schedule } from './schedule.js';

export const previewJob = 'reviews.preview';

const previewFields = z.strictObject({ panel: z.string().min(3).max(200) });
const previewPayload = previewFields.extend({ owners: z.array(z.string()).optional() });

type RunContext = Pick<
  PluginContext<unknown>,
  'jobs' | 'repository' | 'callerAccess' | 'tenants' | 'policy' | 'audit' | 'transaction' | 'find' | 'now'
>;

export interface RunRouteTools {
  schedule: Schedule;
  tools: AssumingTools;
  base: string;
}

const pageType = 'text/html';
const noSuchVersion = 'There is no such version of a panel, or the caller may not read it.';
const jobAnswer = z.object({ job: z.object({ id: z.string(), href: z.string() }) });

export function runRoutes(context: RunContext, { schedule, tools, base }: RunRouteTools): RouteDeclaration[] {
  const { jobs, find } = context;
  const access = context.callerAccess(writeRight, undefined, { password: true });

  jobs.handle<z.infer<typeof previewPayload>>(previewJob, {
    payload: previewPayload,
    async run({ panel: reference, owners }, { signal, progress, giveWay }) {
      const panels = find<Services['panels/versions@1']>('panels/versions@1');
      const { panel, services } = await withVersion(panels, reference);
      const scope = { touched: { panels: [panel.panel] }, ...(owners && { owners }) };
      const result = await preview({ ...tools, replaced: tools.assuming(services).gather }, scope, {
        signal,
        progress,
        giveWay,
      });
      return { ...result };
    },
  });

  return [
    route({
      method: 'POST',
      path: '/reviews/changes/:id/approve',
      operation: 'approveChange',
      summary: 'Apply a change that waits, since it brings many cases onto the list',
      description: 'All cases are asked again by a job, which applies it.',
      access,
      params: z.object({ id: z.string().max(300) }),
      answers: {
        202: { description: 'It is applied by a job.', content: { 'application/json': jobAnswer } },
        303: { description: 'The same, for forms: the worklist is at Location.' },
        ...refused({ ...callerRefusals, 404: 'No such change waits.' }, pageType),
      },
      async handle({ params: { id }, principal, id: request, headers }) {
        const owners = await ownersFor(context, principal, writeRight);
        const [waiting] = (await tools.repository.held(owners)).filter((one) => one.id === id && !one.agreed);
        if (!waiting) throw new Fault('not-found', `No change ${id} waits`);
        const agreed = { by: nameOfPerson(principal), at: context.now() };
        await context.audit.within(context.transaction, async (scope, record) => {
          if (!(await scope.repository(reviews).settle(id, agreed)))
            throw new Fault('not-found', `No change ${id} waits`);
          const because = await context.policy.why(principal, writeRight, tenantOfCase(waiting.owner));
          const about = [`change:${id}`];
          await record(principal, { action: 'reviews.approve', about, because, outcome: 'done', request });
        });
        const job = await schedule.ask();
        if (preferred(headers, ['application/json', pageType]) === pageType)
          return { status: 303, headers: { Location: `${base}/reviews` } };
        return { status: 202, body: { job: { id: job.id, href: jobs.href(job) } } };
      },
    }),
    route({
      method: 'POST',
      path: '/reviews/preview',
      operation: 'previewChange',
      summary: 'Count the cases that a version of a panel would bring onto the list, by reason',
      description: 'A job, whose result has the counts; nothing is stored. The version need not be signed.',
      access,
      body: { types: ['application/json'], schema: previewFields },
      answers: {
        202: { description: 'It is counted by a job.', content: { 'application/json': jobAnswer } },
        ...refused({ ...callerRefusals, ...bodyRefusals, 404: noSuchVersion }, pageType),
      },
      async handle({ body: { panel }, principal }) {
        const panels = find<Services['panels/versions@1']>('panels/versions@1');
        if (!(await panels?.versionOf(panel, principal))) throw new Fault('not-found', `There is no panel ${panel}`);
        const owners = await ownersFor(context, principal, writeRight);
        const payload = { panel, ...(owners && { owners: owners.filter((owner) => owner !== undefined) }) };
        const job = await jobs.enqueue(previewJob, payload as Json, { owner: ownerOf(principal) });
        return { status: 202, body: { job: { id: job.id, href: jobs.href(job) } } };
      },
    }),
  ];
}
