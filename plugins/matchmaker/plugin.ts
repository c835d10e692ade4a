/** The matchmaker: keeps patients, and finds those that are alike. */
import { definePlugin, exposed } from '../../core/plugin.js';
import { commands } from './commands.js';
import { matchmaker, matchmakerAudit, matchmakerMail, matchmakerMatches, matchmakerNodes } from './contract.js';
import { connect } from './exchange/connect.js';
import { accesses } from './http/access.js';
import { errorBody } from './http/errors.js';
import type { Node } from './http/node.js';
import { keepExpired } from './matches/expiring.js';
import { search } from './matches/search.js';
import { MatchService } from './matching/service.js';
import { addDemo, wantsDemo } from './patient/demo.js';
import { matchmakerResources } from './resources/contract.js';
import { resourceService } from './resources/service.js';
import { rights } from './rights.js';
import { dashboardExposure, dashboardRoute } from './routes/dashboard.js';
import { routes } from './routes.js';
import { environment, type MatchmakerSettings, matchmakerSettings } from './settings.js';

export default definePlugin<MatchmakerSettings>({
  name: 'matchmaker',
  api: 1,
  summary: 'Finds patients that are alike, by phenotype and genotype',
  settings: matchmakerSettings,
  environment,
  contracts: [matchmaker, matchmakerMatches, matchmakerResources, matchmakerNodes, matchmakerMail, matchmakerAudit],
  commands,
  rights,
  register(context) {
    const { settings, transaction, now, version, log } = context;
    const patients = context.repository(matchmaker);
    const matches = context.repository(matchmakerMatches);
    const resources = resourceService(context.repository(matchmakerResources), {
      log,
      check: settings.resources.check,
    });
    const service = new MatchService({ patients, resources: () => resources.current, log });
    const audit = context.repository(matchmakerAudit);
    const exchange = connect(context, { patients, matches, resources: () => resources.current });
    const node: Node = {
      settings,
      transaction,
      now,
      version,
      patients,
      matches,
      resources: () => resources.current,
      search: (patient, request) => search(service, settings, patient, request),
      access: accesses(context),
      audit,
      ...exchange,
      production: settings.heartbeat.production ?? settings.production ?? !context.demo,
    };
    for (const route of routes(node)) context.route(route);
    const exposure = dashboardExposure(settings);
    for (const route of exposed(dashboardRoute(node), exposure, context.operatorAccess)) context.route(route);
    for (const prefix of ['/patient', '/patients', '/match', '/matches', '/metrics', '/nodes', '/heartbeat']) {
      context.errorBody(prefix, errorBody);
    }
    context.onReady(() => resources.begin());
    context.onClose(async () => {
      await service.close();
      await resources.close();
    });
    keepExpired(context, { what: 'records of matches', repository: matches, days: settings.retentionDays });
    keepExpired(context, { what: 'entries of the audit trail', repository: audit, days: settings.auditDays });
    if (exposure !== 'off') context.link('/matchmaker', 'Dashboard');

    if (context.demo) {
      context.onReady(async () => {
        if (!(await wantsDemo(patients))) return;
        const { inserted } = await addDemo({ ...node, resources: resources.current });
        log.info({ patients: inserted }, 'demo data added');
      });
    }
    context.onReady(() => service.ready());
  },
});
