/**
 * What the reviews plugin adds to a server: its routes, runs, a metric, the removal of expired statements, and the erasure of
 * people.
 */
import { Fault, PdfMaker, type PluginContext, recurring } from '../../core/plugin.js';
import { reasons, reviews } from './contract.js';
import { addDemoCases } from './demo/demo.js';
import { reviewDesk } from './desk.js';
import { reviewEraser } from './eraser.js';
import { pageFault, reviewsPath } from './pages/frame.js';
import { reviewRoutes } from './routes.js';
import { mailDigests } from './run/digest.js';
import { runRoutes } from './run/routes.js';
import { runTools } from './run/run.js';
import { scheduleRuns } from './run/schedule.js';
import type { ReviewSettings } from './settings.js';
import { stateCase, statementRoutes } from './statements/routes.js';

export function register(context: PluginContext<ReviewSettings>): void {
  const repository = context.repository(reviews);
  const { find, tenants, now, basePath: base } = context;
  const tools = runTools({ find, tenants, repository, now }, context.settings);
  const schedule = scheduleRuns(context, tools);
  const stating = { context, schedule };
  const pdf = new PdfMaker();
  context.onClose(() => pdf.close());
  const faces = reviewRoutes({
    ...{ desk: reviewDesk(context), base, pdf },
    state: (request, fields) => stateCase(stating, request, fields),
  });
  for (const route of faces) context.route(route);
  context.errorBody(reviewsPath, pageFault(base));
  context.link(reviewsPath, 'Cases to look at again');
  const openFindings = async () => {
    const open = await repository.countOpen();
    return reasons.map((reason) => ({ labels: { reason }, value: open.get(reason) ?? 0 }));
  };
  context.metrics.gauge('open_findings', 'Open findings by reason', openFindings, ['reason']);
  for (const route of statementRoutes(stating)) context.route(route);
  for (const route of runRoutes(context, { schedule, tools, base })) context.route(route);
  if (context.demo) {
    context.onReady(async () => {
      const added = await addDemoCases({ repository, announce: context.announce, now: context.now });
      if (added > 0) await schedule.ask();
    });
  }
  const { digest } = context.settings;
  for (const name of Object.keys(digest?.tenants ?? {}))
    if (!tenants?.all.some((one) => one.name === name))
      throw new Fault('invalid', `plugins.reviews.digest.tenants: "${name}" is no tenant of this server`);
  if (digest) mailDigests(context, repository, digest);
  context.onErase(reviewEraser(repository, context.now));
  recurring(context, {
    what: 'deleting statements whose time is over',
    everyMs: 60 * 60 * 1000,
    async work() {
      const deleted = await repository.expire(context.now());
      if (deleted > 0) context.log.info({ cases: deleted }, 'statements deleted, whose time was over');
    },
  });
}
