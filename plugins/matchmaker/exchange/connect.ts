/** Puts the exchange together: other nodes, indirect matches, notifications, and how they fare. */
import type { PluginContext } from '../../../core/plugin.js';
import {
  type MatchmakerRepository,
  type MatchRepository,
  matchmakerAudit,
  matchmakerNodes,
  type NodeRepository,
} from '../contract.js';
import { statements } from '../http/answers.js';
import { noticeWriter, type WriteNotices } from '../mail/notices.js';
import { outbox, type SearchMail } from '../mail/outbox.js';
import { profilerInUse } from '../matching/profile.js';
import type { AfterSave } from '../patient/saving.js';
import type { Resources } from '../resources/resources.js';
import type { MatchmakerSettings } from '../settings.js';
import { Exchange } from './exchange.js';
import { Indirect } from './indirect.js';
import { exchangeJobs } from './jobs.js';
import { nodeGauges } from './metrics.js';

export interface Connected {
  nodes: NodeRepository;
  exchange: Exchange;
  notices: WriteNotices;
  mail: SearchMail;
  afterSave: readonly AfterSave[];
}

export function connect(
  context: PluginContext<MatchmakerSettings>,
  {
    patients,
    matches,
    resources,
  }: { patients: MatchmakerRepository; matches: MatchRepository; resources(): Resources },
): Connected {
  const { settings, transaction, now, log } = context;
  const nodes = context.repository(matchmakerNodes);
  const audit = context.repository(matchmakerAudit);
  const profiler = profilerInUse(resources);
  const notices = noticeWriter({ settings: settings.mail, notify: settings.notify, now, profiler });
  const mail = outbox(context, settings.mail);
  const common = { transaction, now, patients, nodes, resources, notices };
  const exchange = new Exchange({
    ...common,
    audit,
    log,
    settings: settings.exchange,
    statements: statements(settings),
  });
  const indirect = settings.exchange.indirect ? new Indirect({ ...common, settings, matches, profiler }) : undefined;
  const search = exchangeJobs(context, { exchange, indirect, patients, nodes, mail });
  nodeGauges(context.metrics, nodes);
  return { nodes, exchange, notices, mail, afterSave: [search] };
}
