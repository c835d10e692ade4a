/** What the matchmaker adds to a server: its routes, its jobs, and the demo patients. */
import { z } from 'zod';
import { sendsMail } from '../../core/outgoing.js';
import { exposed, type PluginContext, recurring } from '../../core/plugin.js';
import type { AuditRepository, MatchRepository, TriageRepository } from './contract.js';
import { matchmakerEraser } from './eraser.js';
import { catchUpJob, catchUpKind, queueCatchUps, searchJob } from './exchange/jobs.js';
import { errorBody } from './exchange/protocol.js';
import { matchRoute } from './http/match.js';
import { externalRoute, matchesRoute } from './http/matches.js';
import { addRoute, deleteRoute, importRoute, patientRoutes } from './http/patients.js';
import { dashboardExposure, dashboardPath, dashboardRoute, infoRoutes } from './http/state.js';
import { mailKind } from './mail/outbox.js';
import { addDemo, wantsDemo } from './patients/lists.js';
import { searchKind } from './patients/saving.js';
import { phenotypeService } from './resources/resources.js';
import { type MatchmakerServices, matchmakerServices } from './services.js';
import type { MatchmakerSettings } from './settings.js';

export async function register(context: PluginContext<MatchmakerSettings>): Promise<void> {
  const services = matchmakerServices(context);
  registerRoutes(context, services);
  registerJobs(context, services);
  const { triage } = services;
  if (triage) (await import('./triage/routes.js')).registerTriage(context, services, triage);
  const { joined } = services.trail;
  context.offer('matchmaker/phenotypes@1', () => phenotypeService(services.loaded));
  context.onErase(
    matchmakerEraser({
      ...services,
      ...{ isRecorded: joined, triage: triage !== undefined, rows: triage?.repository },
      samples: triage?.settings.samples ?? 'stated',
    }),
  );
  if (context.demo) {
    context.onReady(() => fillDemo(services));
    context.on<{ step: string }>('reviews/demo@1', async ({ step }) => {
      if (services.triage) await (await import('./triage/demo-case.js')).followDemo(services, services.triage, step);
    });
  }
  context.onReady(() => services.searchable());
}

async function fillDemo(services: MatchmakerServices): Promise<void> {
  if (!(await wantsDemo(services.patients))) return;
  const { inserted } = await addDemo({ ...services, resources: services.resources() });
  services.log.info({ patients: inserted }, 'demo data added');
  if (services.triage) await (await import('./triage/routes.js')).addDemoRows(services, services.triage);
}

const nodesEveryMs = 1000;
const mailEveryMs = 2000;

function registerJobs(
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

const everyMs = 60 * 60 * 1000;
const day = 24 * 60 * 60 * 1000;
/** Earlier than any record. */
const never = new Date('0001-01-01T00:00:00Z');

interface ExpiringRecords {
  what: string;
  repository: Pick<MatchRepository | AuditRepository | TriageRepository, 'expire'>;
  /** 0 keeps all; what no record needs any more is deleted even then. */
  days: number;
}

function keepExpired(
  context: Pick<PluginContext<unknown>, 'now' | 'log' | 'onReady' | 'onClose'>,
  { what, repository, days }: ExpiringRecords,
): void {
  recurring(context, {
    what: `deleting old ${what}`,
    everyMs,
    async work() {
      const before = days === 0 ? never : new Date(context.now().getTime() - days * day);
      const count = await repository.expire(before);
      if (count > 0) context.log.info({ count }, `old ${what} deleted`);
    },
  });
}

/** Paths with the error body of the exchange. */
const prefixes = ['/patient', '/patients', '/match', '/matches', '/metrics', '/nodes', '/heartbeat'];

function registerRoutes(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'link' | 'operatorAccess'>,
  services: MatchmakerServices,
): void {
  const routes = [
    addRoute(services),
    importRoute(services),
    deleteRoute(services),
    ...patientRoutes(services),
    matchRoute(services),
    externalRoute(services),
    matchesRoute(services),
    ...infoRoutes(services),
  ];
  for (const route of routes) context.route(route);
  for (const prefix of prefixes) context.errorBody(prefix, errorBody);

  const exposure = dashboardExposure(services.settings);
  for (const route of exposed(dashboardRoute(services), exposure, context.operatorAccess)) context.route(route);
  if (exposure !== 'off') context.link(dashboardPath, 'Dashboard');
}
