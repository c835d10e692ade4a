/** Puts the server together: the HTTP side, background work, and each enabled plugin registered in order. */
import type { Logger } from 'pino';
import type { AttachedAudit } from '../audit/attach.js';
import { noAudit, operator } from '../audit/audit.js';
import type { ChainStanding } from '../audit/recorder.js';
import { tokens } from '../auth/contract.js';
import type { Configuration } from '../config.js';
import { confirmList, erasureListOf } from '../erasures/configured.js';
import { erasures } from '../erasures/contract.js';
import { createErasers, type EraseTools, eraseListed } from '../erasures/erase.js';
import { Fault, isFault } from '../fault.js';
import { createApp, type HttpApp, type Readiness } from '../http/app.js';
import { jobs } from '../jobs/contract.js';
import { jobsEraser } from '../jobs/eraser.js';
import { type JobRunner, jobRunner } from '../jobs/runner.js';
import { type Handlers, jobService } from '../jobs/service.js';
import { version } from '../package.js';
import type { Metrics, PluginContext } from '../plugin.js';
import { contractsOfPlugin } from '../plugin-context.js';
import type { CallerSources } from '../policy/policy.js';
import { recurring } from '../recurring.js';
import { rightsIn } from '../rights.js';
import type { Contract, Storage } from '../storage.js';
import { createEvents, createServices, type Events, type ServiceRegistry } from './between-plugins.js';
import { claimedRights, signInOf } from './people.js';
import { s3Of } from './storage.js';

/** Work that a plugin registered for the start or the shutdown, with the plugin's name for messages. */
export interface Hook {
  plugin: string;
  work(): Promise<void>;
}

export interface AssembledServer {
  app: HttpApp;
  runner: JobRunner;
  events: Events;
  erasing: EraseTools;
  services: Pick<ServiceRegistry, 'find'>;
  onReady: Hook[];
  onClose: Hook[];
}

export interface AssembleOptions {
  configuration: Configuration;
  storage: Pick<Storage, 'repository' | 'transaction' | 'metrics' | 'unclaimed'>;
  log: Logger;
  now(): Date;
  readiness(): Promise<Readiness>;
  writable?(): Promise<boolean | undefined>;
  checkAnswers?: boolean;
  /** What this process knows of its chain of the audit, if the storage is opened again. */
  standing?: ChainStanding;
}

/** Throws an `invalid` fault that lists every conflict, such as one path with two owners. */
export async function assemble(options: AssembleOptions): Promise<AssembledServer> {
  const { configuration, storage, log, now, readiness, writable } = options;
  const { core, plugins } = configuration;
  const repository = storage.repository(jobs);
  const handlers: Handlers = new Map();
  const jobLog = log.child({ part: 'jobs' });
  const quiet = (limitMs: number) => app.quiet(limitMs);
  const runner = jobRunner({ repository, handlers, settings: core.jobs, now, quiet, log: jobLog });
  const service = jobService({ repository: () => repository, storage, handlers, now, wake: () => runner.wake() });
  const signIn = await signInOf(options);
  const app = createApp({
    settings: core.http,
    log,
    version,
    now,
    readiness,
    ...(writable === undefined ? {} : { writable }),
    recorded: recordedBy(configuration),
    tokens: storage.repository(tokens),
    ...(signIn === undefined ? {} : { signIn }),
    ...(await callersOf(configuration, log, now)),
    findJob: (id, owner) => repository.find(id, owner),
    countJobs: () => repository.count(),
    storageMetrics: () => storage.metrics?.() ?? [],
    ...(options.checkAnswers === undefined ? {} : { checkAnswers: options.checkAnswers }),
  });
  const services = createServices();
  const events = createEvents();
  const list = erasureListOf(configuration, async () => storage.repository(erasures));
  const knownToAudit = async () => (await attached?.knownLine()) ?? 0;
  const erasing: EraseTools = {
    list,
    erasers: createErasers(),
    now,
    async confirm() {
      await confirmList({
        list,
        knownToAudit,
        unclaimed: async () => (await storage.unclaimed?.()) ?? [],
        now,
        record: (event) => audit.record(operator(), event),
      });
    },
    knownToAudit,
  };
  erasing.erasers.add('jobs', jobsEraser(repository));
  const baseUrl = core.http.baseUrl?.replace(/\/+$/, '');
  const base = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
  const docs = core.http.docs === 'off' ? undefined : `${base}/docs`;
  const onReady: Hook[] = [];
  const onClose: Hook[] = [];
  if (signIn) onReady.push({ plugin: 'sign-in', work: () => signIn.sweep() });

  const lastLine = async () => (await list.end()).number;
  const attached = await auditOf(options, { onReady, onClose, lastLine });
  const audit = attached?.audit ?? noAudit;
  if (attached) {
    erasing.erasers.add('audit', attached.eraser);
    const metrics = await app.addAudit(attached);
    await writeCheckpoints(options, { onReady, onClose }, { ...attached.source, metrics });
  }

  const claimed = await claimedRights(configuration);
  const s3 = await s3Of(core.s3, log.child({ part: 's3' }));
  if (s3) onClose.push({ plugin: 's3', work: async () => s3.close() });

  for (const { plugin, settings } of plugins) {
    const own = new Set(contractsOfPlugin({ plugin, settings }).map(({ id }) => id));
    const pluginLog = log.child({ plugin: plugin.name });
    const context: PluginContext<unknown> = {
      ...app.host(plugin),
      settings,
      tenants: claimed?.tenants,
      subjectOf: claimed?.subjectOf,
      demo: core.demo,
      version,
      baseUrl,
      basePath: base,
      docs,
      s3,
      repository: <Repository>(contract: Contract<Repository>) => {
        if (own.has(contract.id)) return storage.repository(contract);
        throw new Fault(
          'internal',
          `The plugin "${plugin.name}" asks for ${contract.id}, which is not among its contracts`,
        );
      },
      transaction: service.transaction,
      offer: (key, build) => services.offer(plugin.name, key, build),
      find: services.find as PluginContext<unknown>['find'],
      on: <Event extends object>(key: string, listener: (event: Event) => Promise<void> | void) =>
        events.on(plugin, key, (event) => listener(event as Event)),
      announce: (key, event) => events.announce(plugin.name, key, event),
      audit,
      onErase: (eraser) => erasing.erasers.add(plugin.name, eraser),
      announceErasure: async (erasure) => void (await eraseListed(erasing, [erasure], { except: plugin.name })),
      erasures: erasing.list,
      jobs: service.for(plugin.name, pluginLog),
      log: pluginLog,
      now,
      onReady: (work) => void onReady.push({ plugin: plugin.name, work }),
      onClose: (work) => void onClose.push({ plugin: plugin.name, work }),
    };
    try {
      await plugin.register(context);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'a value that is not an Error was thrown';
      throw new Fault('invalid', `The plugin "${plugin.name}" failed to register: ${reason}`, { cause: error });
    }
  }
  events.seal();
  erasing.erasers.seal();
  services.build();
  const conflicts = app.seal();
  if (conflicts.length > 0) throw new Fault('invalid', conflicts.join('\n'));
  return { app, runner, events, erasing, services, onReady, onClose };
}

/** What this server records before it answers. */
function recordedBy({ core, plugins }: Configuration): string[] {
  return [
    ...(core.audit === undefined ? [] : ['everything that the audit records']),
    ...(core.auth?.signIn === undefined ? [] : ['signing in']),
    ...plugins.flatMap(({ plugin, settings }) => plugin.recorded?.(settings) ?? []),
  ];
}

/** Milliseconds. */
const settleEveryMs = 60_000;

/** The audit, if it is configured: its key is checked before the server is ready, and old entries are deleted every day. */
async function auditOf(
  { configuration, storage, log, now, standing }: AssembleOptions,
  { onReady, onClose, lastLine }: Pick<AssembledServer, 'onReady' | 'onClose'> & { lastLine(): Promise<number> },
): Promise<AttachedAudit | undefined> {
  const settings = configuration.core.audit;
  if (settings === undefined) return undefined;
  const { attachAudit } = await import('../audit/attach.js');
  const attached = attachAudit({ storage, settings, now, lastLine, ...(standing && { standing }) });
  const { expire, settle } = attached;
  const hook = (hooks: Hook[]) => (work: Hook['work']) => void hooks.push({ plugin: 'audit', work });
  const auditLog = log.child({ part: 'audit' });
  // What a server left that was killed comes first, and the wrong key is refused.
  onReady.push({ plugin: 'audit', work: async () => void (await settle()) });
  const during = { log: auditLog, onReady: hook(onReady), onClose: hook(onClose) };
  recurring(during, {
    what: 'completing the audit',
    everyMs: settleEveryMs,
    async work() {
      // What is younger is about to be chained by the process that did it.
      const unreadable = await settle(new Date(now().getTime() - settleEveryMs));
      if (unreadable > 0) auditLog.error({ unreadable }, 'events of the audit that wait for their chain are damaged');
    },
  });
  recurring(during, {
    what: 'deleting old entries of the audit',
    everyMs: 24 * 60 * 60 * 1000,
    async work() {
      const count = await expire();
      if (count > 0) auditLog.info({ count }, 'old entries of the audit deleted');
    },
  });
  return attached;
}

/** Stores checkpoints of the audit at each interval and at the end, if the configuration says where. */
async function writeCheckpoints(
  { configuration: { core }, log, now }: AssembleOptions,
  { onReady, onClose }: Pick<AssembledServer, 'onReady' | 'onClose'>,
  source: AttachedAudit['source'] & { metrics: Metrics },
): Promise<void> {
  const settings = core.audit?.checkpoints;
  if (settings === undefined) return;
  const { createCheckpoints } = await import('../audit/checkpoint.js');
  const auditLog = log.child({ part: 'audit' });
  // Of its own, since the one of the plugins is closed before the last checkpoint is written.
  const s3 = await s3Of(core.s3, auditLog);
  const checkpoints = createCheckpoints({ ...source, destinations: settings.to, s3, log: auditLog, now });
  const ending = new AbortController();
  // Hooks run in reverse: first the interval ends, then the last one is written.
  onClose.push({
    plugin: 'audit',
    async work() {
      await checkpoints.write(AbortSignal.timeout(lastCheckpointMs)).finally(() => s3?.close());
    },
  });
  const hook = (hooks: Hook[]) => (work: Hook['work']) => void hooks.push({ plugin: 'audit', work });
  recurring(
    { log: auditLog, onReady: hook(onReady), onClose: hook(onClose) },
    {
      what: 'writing a checkpoint of the audit',
      everyMs: settings.everyMinutes * 60_000,
      work: () => checkpoints.write(ending.signal),
    },
  );
  onClose.push({ plugin: 'audit', work: async () => ending.abort() });
}

/** The end of a server does not wait longer than this for a destination. */
const lastCheckpointMs = 8000;

/** Who is recognised besides holders of API tokens. The code for it is loaded only if the configuration asks for it. */
async function callersOf(
  configuration: Configuration,
  log: Logger,
  now: () => Date,
): Promise<{ callers?: CallerSources }> {
  const { auth } = configuration.core;
  if (auth === undefined || auth.issuers.length === 0) return {};
  const { callerSources } = await import('../auth/callers.js');
  return { callers: callerSources({ auth, rights: rightsIn(configuration), log: log.child({ part: 'auth' }), now }) };
}

/** Runs the hooks one after another. The first failure ends the start with a fault that names the plugin. */
export async function runReady(hooks: readonly Hook[]): Promise<void> {
  for (const { plugin, work } of hooks) {
    try {
      await work();
    } catch (error) {
      const reason = isFault(error) ? error.message : 'an unexpected error';
      throw new Fault('unavailable', `The plugin "${plugin}" failed while getting ready: ${reason}`, { cause: error });
    }
  }
}
