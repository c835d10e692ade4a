/** The matchmaker's background work. */
import { z } from 'zod';
import { type PluginContext, recurring } from '../../../core/plugin.js';
import { searchKind } from '../exchange/after-save.js';
import { mailKind } from '../mail/outbox.js';
import { sendsMail } from '../mail/settings.js';
import type { MatchmakerServices } from '../services.js';
import { catchUpJob, catchUpKind, queueCatchUps } from './catch-up.js';
import { keepExpired } from './expiring.js';
import { searchJob } from './search.js';

const nodesEveryMs = 1000;
const mailEveryMs = 2000;

export function registerJobs(
  context: Pick<PluginContext<unknown>, 'jobs' | 'now' | 'log' | 'onReady' | 'onClose'>,
  services: MatchmakerServices,
): void {
  const { settings, matches, audit, mail, triage } = services;
  const { jobs } = context;
  if (sendsMail(settings.mail)) {
    jobs.handle(mailKind, {
      payload: z.strictObject({}),
      run: async (_, { signal }) => ({ sent: await mail.send(signal) }),
    });
    recurring(context, { what: 'checking for mail to send', everyMs: mailEveryMs, work: () => mail.look() });
  }
  jobs.handle(searchKind, searchJob(services));
  jobs.handle(catchUpKind, catchUpJob(services));
  recurring(context, {
    what: 'checking for queries to repeat',
    everyMs: nodesEveryMs,
    work: () => queueCatchUps(services),
  });
  keepExpired(context, { what: 'records of matches', repository: matches, days: settings.retentionDays });
  if (triage)
    keepExpired(context, { what: 'rows of matches', repository: triage.repository, days: settings.retentionDays });
  keepExpired(context, { what: 'entries of the audit trail', repository: audit, days: settings.auditDays });
}
