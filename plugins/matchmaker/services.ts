/** What the matchmaker builds once, for its routes and its jobs. */
import { sendsMail } from '../../core/outgoing.js';
import type { Jobs, PluginContext } from '../../core/plugin.js';
import { type Trail, trailOfPlugin } from './audit/trail.js';
import {
  type AuditRepository,
  type MatchmakerRepository,
  type MatchRepository,
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerResources,
  matchmakerTriage,
  type NodeRepository,
  type TriageRepository,
} from './contract.js';
import { Exchange } from './exchange/exchange.js';
import { nodeGauges } from './exchange/health.js';
import { Indirect } from './exchange/indirect.js';
import { statements } from './exchange/protocol.js';
import { type Searches, type Sightings, searchesOfNode, sightingsBy } from './exchange/searches.js';
import { Within } from './exchange/within.js';
import { type Accesses, accesses } from './http/access.js';
import { noticeWriter, type WriteNotices } from './mail/notices.js';
import { type Outbox, outboxOfMails } from './mail/outbox.js';
import { recentPatients } from './matching/follower.js';
import { profilerInUse } from './matching/profile.js';
import { MatchService } from './matching/service.js';
import { type AfterSave, searchAfterSave } from './patients/saving.js';
import { type Resources, resourceService } from './resources/resources.js';
import type { MatchmakerSettings, TriageSettings } from './settings.js';

/** How people work with matches. */
export interface Triage {
  settings: TriageSettings;
  repository: TriageRepository;
  sightings: Sightings;
}

export interface MatchmakerServices
  extends Searches,
    Pick<PluginContext<unknown>, 'transaction' | 'now' | 'version' | 'log' | 'erasures'> {
  settings: MatchmakerSettings;
  patients: MatchmakerRepository;
  matches: MatchRepository;
  nodes: NodeRepository;
  /** Its own trail. */
  audit: AuditRepository;
  trail: Trail;
  /** The resources in use: the same object until an update replaces it. */
  resources(): Resources;
  /** Resolves when the index for searches is built. */
  searchable(): Promise<void>;
  /** The same, also in a process that does not serve: a command. */
  loaded(): Promise<Resources>;
  access: Accesses;
  jobs: Jobs;
  /** Runs in each transaction that saves patients. */
  afterSave: readonly AfterSave[];
  exchange: Exchange;
  /** Compares new patients with earlier queries; undefined if the settings turn it off. */
  indirect: Indirect | undefined;
  /** Compares saved patients with the stored ones; undefined if the settings turn it off. */
  within: Within | undefined;
  notices: WriteNotices;
  /** Undefined if people do not work with matches on this server. */
  triage: Triage | undefined;
  mail: Outbox;
  /** Whether `/heartbeat` reports a server in production. */
  production: boolean;
}

/** Resources are loaded before anything else that waits for `onReady`. */
export function matchmakerServices(context: PluginContext<MatchmakerSettings>): MatchmakerServices {
  const { settings, transaction, now, version, log, jobs } = context;
  const patients = context.repository(matchmaker);
  const matches = context.repository(matchmakerMatches);
  const nodes = context.repository(matchmakerNodes);
  const audit = context.repository(matchmakerAudit);
  const trail = trailOfPlugin(context);

  const { check } = settings.resources;
  const inUse = resourceService(context.repository(matchmakerResources), { log, check });
  const resources = inUse.current;
  const weights = { genotype: settings.maxGenotypeScore, phenotype: settings.maxPhenotypeScore };
  const index = new MatchService({ patients: recentPatients(patients), resources, log, weights });
  context.onReady(() => inUse.begin());
  context.onClose(async () => {
    await index.close();
    await inUse.close();
  });

  const profiler = profilerInUse(resources);
  const notices = noticeWriter({ settings: settings.mail, notify: settings.notify, now, profiler });
  const mail = outboxOfMails(context, settings.mail, { mail: context.repository(matchmakerMail), trail });
  const triage = settings.triage && {
    settings: settings.triage,
    repository: context.repository(matchmakerTriage),
    sightings: sightingsBy({ profiler, now }),
  };
  const shared = { trail, now, patients, nodes, resources, notices, sightings: triage?.sightings };
  const exchange = new Exchange({
    ...shared,
    log,
    settings: settings.exchange,
    statements: statements(settings),
    count: context.metrics.counter('node_queries_total', 'Queries to nodes by outcome', ['node', 'outcome']),
  });
  context.onClose(() => exchange.close());
  const indirect = settings.exchange.indirect
    ? new Indirect({ ...shared, settings, matches, reading: (score) => index.reading(score) })
    : undefined;
  context.onClose(async () => indirect?.close());
  const searches = searchesOfNode(index, settings);
  const { within: whose } = settings.exchange;
  const tells = sendsMail(settings.mail);
  const within = whose === 'off' ? undefined : new Within({ ...shared, ...searches, within: whose, tells });
  nodeGauges(context.metrics, exchange);

  return {
    settings,
    transaction,
    now,
    version,
    log,
    erasures: context.erasures,
    patients,
    matches,
    nodes,
    audit,
    trail,
    resources,
    ...searches,
    searchable: () => index.ready(),
    loaded: () => inUse.loaded(),
    access: accesses(context, patients),
    jobs,
    afterSave: [searchAfterSave(jobs, { indirect: indirect !== undefined, within: within !== undefined })],
    exchange,
    indirect,
    within,
    notices,
    triage,
    mail,
    production: settings.heartbeat.production ?? settings.production ?? !context.demo,
  };
}
