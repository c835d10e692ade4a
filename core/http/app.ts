/** The HTTP side of the core: everything between a socket and a plugin's handler. */
import { channel } from 'node:diagnostics_channel';
import type { RequestListener, Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import type { Logger } from 'pino';
import type { AttachedAudit } from '../audit/attach.js';
import { tokenAccesses } from '../auth/access.js';
import { browserAccess } from '../auth/browser.js';
import { callerAccess, optionalAccess } from '../auth/caller-access.js';
import type { TokenRepository } from '../auth/contract.js';
import { Fault, isFault } from '../fault.js';
import type { Job, JobState } from '../jobs/contract.js';
import type { Metrics, Plugin, PluginContext } from '../plugin.js';
import { type CallerSources, createPolicy, type Right } from '../policy/policy.js';
import { auditRight, operate, operatorAccess } from '../rights.js';
import { outage, type StorageMetric } from '../storage.js';
import { createAdmission, rateLimit } from './admission.js';
import { answerErrors, crossOrigin, describeError, openToPages, securityHeaders } from './answer.js';
import { dispatcher } from './dispatch.js';
import {
  accessLog,
  createWork,
  type HttpContext,
  type HttpMiddleware,
  type HttpState,
  openExchange,
  tracedRequests,
} from './exchange.js';
import { createMetrics } from './metrics.js';
import { openApi } from './openapi.js';
import {
  docsRoutes,
  type FrontPlugin,
  frontRoute,
  healthRoutes,
  jobRoute,
  metricsRoute,
  type Readiness,
} from './own-routes.js';
import { createRegistry, isUnder, type OwnedRoute, type RouteRegistry, theCore } from './route.js';
import { startServer, stopServer } from './server.js';
import { exposed, type HttpSettings } from './settings.js';
import type { SignIn } from './sign-in/sign-in.js';

export type { Readiness } from './own-routes.js';

export interface AppOptions {
  settings: HttpSettings;
  log: Logger;
  /** The package's version. */
  version: string;
  now(): Date;
  /** Called at every `/-/ready` except while draining: pings the storage, asks the plugins whether they are ready. */
  readiness(): Promise<Readiness>;
  /** Whether the storage accepts writes, if known: called at every `/-/ready` and each scrape of the metrics. */
  writable?(): Promise<boolean | undefined>;
  /** What is refused while it accepts none, besides changes; nothing if omitted. */
  recorded?: readonly string[];
  tokens: TokenRepository;
  /** Credentials that callers may bring besides API tokens; none if omitted. */
  callers?: CallerSources;
  /** Sign-in of people; off if omitted. */
  signIn?: SignIn;
  findJob(id: string, owner: string): Promise<Job | undefined>;
  /** Called at each scrape of the metrics. */
  countJobs(): Promise<Record<JobState, number>>;
  /** Metrics of the storage; none if omitted. */
  storageMetrics?(): readonly StorageMetric[];
  /** For tests: checks every JSON answer against its declaration; a breach becomes a 500 and is kept in `breaches`. */
  checkAnswers?: boolean;
}

/** A port and what is served there: all routes, or those for operators alone. */
export interface ListeningServer {
  server: Server;
  serves: 'all' | 'operators';
}

/** What one plugin adds to the server: the HTTP part of its context. */
export type RouteHost = Pick<
  PluginContext<unknown>,
  | 'route'
  | 'use'
  | 'errorBody'
  | 'policy'
  | 'tokenAccess'
  | 'optionalAccess'
  | 'browserAccess'
  | 'callerAccess'
  | 'operatorAccess'
  | 'metrics'
  | 'link'
>;

export interface HttpApp {
  /** Returns the host for one enabled plugin; call once per plugin, in order, before seal. */
  host(plugin: Pick<Plugin, 'name' | 'summary' | 'rights'>): RouteHost;
  /**
   * Closes registration and returns every fault as a sentence (which names both owners of one path); empty if there are
   * none. Must come before `listen`.
   */
  seal(): string[];
  /** Adds the page of the audit, and the right to see it; before seal. Returns what its metrics are made with. */
  addAudit(attached: Pick<AttachedAudit, 'audit' | 'source'>): Promise<Metrics>;
  /** Returns the OpenAPI 3.1 document of every route; after seal. */
  openapi(): Record<string, unknown>;
  /**
   * Answers 503 from now on, except for the health routes: the stored data was replaced, and what this app knows of it is
   * of the past. Its connections and ports stay open for the next app.
   */
  suspend(): void;
  /** Gives away its ports with their connections; a request that is running is still answered by this app. */
  handOver(): readonly ListeningServer[];
  /** Serves the ports of a former app, which was made with the same settings; after seal. */
  takeOver(listening: readonly ListeningServer[]): void;
  /** Returns the ports that it listens on. Throws an `unavailable` fault if it cannot listen on the address. */
  listen(host: string, port: number): Promise<{ port: number; metricsPort?: number }>;
  /** Listens for operators only, on the separate port for metrics; returns undefined if none is configured. */
  listenForOperators(host: string): Promise<number | undefined>;
  /**
   * Reports not ready, refuses new connections after `http.drainDelay`, lets running requests finish within the limit
   * (milliseconds), then closes all connections. May be called twice.
   */
  drain(timeoutMs: number): Promise<void>;
  /**
   * Resolves once no request is running, or after the limit (milliseconds); if the server has too much to do then, up
   * to four times that later.
   */
  quiet(limitMs: number): Promise<void>;
  /** Answers that broke their declaration, if `checkAnswers` is set. */
  readonly breaches: readonly string[];
}

const calmer = 4;

/** The name in the API description of the credential that a browser sends: `beaconObservePassword`. */
function schemeOf({ scope }: Right): string {
  return `${scope.replace(/[:-]([a-z])/g, (_, letter: string) => letter.toUpperCase())}Password`;
}

/** Announces the work of each app, so that tests can see that no request outlives its test. */
const created = channel('trefoil:http:work');

export function createApp(options: AppOptions): HttpApp {
  const { settings, log } = options;
  const registry = createRegistry();
  const work = createWork();
  const writable = options.writable ?? (async () => undefined);
  created.publish(work);
  const metrics = createMetrics({
    log,
    version: options.version,
    storage: options.storageMetrics ?? (() => []),
    countJobs: options.countJobs,
    inFlight: work.inFlight,
    writable,
  });
  const admission = createAdmission({
    settings: settings.overload,
    log: log.child({ part: 'http' }),
    meters: metrics.admission,
  });
  metrics.watchCrowd(admission.crowd);
  const policy = createPolicy();
  const { tokens, signIn, now } = options;
  const session = signIn && { session: signIn.source.caller, waitsForForm: signIn.source.waitsForForm };
  const callers = { ...options.callers, ...session };
  const accesses = tokenAccesses({ repository: tokens, policy, callers, log, now });
  const { access } = accesses;
  const plugins: (FrontPlugin & { links: { href: string; title: string }[]; rights: readonly Right[] })[] = [];
  const breaches: string[] = [];
  const servers: ListeningServer[] = [];
  let isSuspended = false;
  const base = settings.baseUrl === undefined ? '' : new URL(settings.baseUrl).pathname.replace(/\/+$/, '');
  let sealed = false;
  let document: Record<string, unknown> | undefined;
  let drained: Promise<void> | undefined;

  const openapi = () => {
    document ??= openApi({
      version: options.version,
      baseUrl: settings.baseUrl,
      plugins,
      routes: registry.routes,
      rights: [...ownRights, ...plugins.flatMap(({ rights }) => rights)],
      ownErrors: (path) => registry.shapeFor(path) !== undefined,
    });
    return document;
  };

  const health = () =>
    healthRoutes({
      readiness: options.readiness,
      writable,
      recorded: options.recorded ?? [],
      draining: () => drained !== undefined,
    });
  const operators = () => operatorAccess(accesses);
  const ownRights: Right[] = [operate];
  const metricsRoutes = () => exposed(metricsRoute(metrics), settings.metrics.access, operators);
  const { openapi: description, docs } = docsRoutes({ base, document: openapi });
  const links = [
    { href: '/docs', title: 'API documentation', exposure: settings.docs },
    { href: '/openapi.json', title: 'OpenAPI description', exposure: settings.openapi },
    { href: '/-/ready', title: 'Readiness', exposure: 'open' },
    { href: '/-/me', title: 'Account', exposure: signIn === undefined ? 'off' : 'open' },
  ].filter(({ exposure }) => exposure !== 'off');
  const ownRoutes = [
    frontRoute({ version: options.version, plugins, base, links }),
    ...exposed(description, settings.openapi, operators),
    ...docs.flatMap((declaration) => exposed(declaration, settings.docs, operators)),
    ...health(),
    jobRoute(access(), policy, options.findJob),
    ...(signIn?.routes ?? []),
  ];
  for (const declaration of ownRoutes) registry.addRoute(theCore, declaration);
  for (const [prefix, shape] of Object.entries(signIn?.shapes ?? {})) registry.addShape(theCore, prefix, shape);
  const metricsAlone = settings.metrics.port !== undefined;
  if (!metricsAlone) for (const declaration of metricsRoutes()) registry.addRoute(theCore, declaration);

  const onBreach = (breach: string) => {
    breaches.push(breach);
    log.error({ breach }, 'an answer breaks its declaration');
  };

  const refuseSuspended: HttpMiddleware = (ctx, next) => {
    if (isSuspended && !isUnder(ctx.path, '/-')) throw outage('The stored data was replaced and is being opened again');
    return next();
  };

  /** Makes a listener; its middleware handles a request in this order. */
  const listener = (from: Pick<RouteRegistry, 'shapeFor' | 'middleware'> & { routes: readonly OwnedRoute[] }) => {
    const koa = new Koa<HttpState>({ proxy: settings.trustProxy > 0, maxIpsCount: settings.trustProxy });
    koa.on('error', (error: NodeJS.ErrnoException, ctx?: HttpContext) => {
      // The client left during a response: the access log has it. A write may fail before the connection closes.
      const isLine = error.code === 'ERR_STREAM_PREMATURE_CLOSE' || (ctx && error === ctx.req.socket.errored);
      if (isLine || ctx?.state.exchange?.isLeaving(error)) return;
      log.error({ error: describeError(error) }, 'answer not sent');
    });
    const onBreachWhere = options.checkAnswers === true ? onBreach : undefined;
    const chain: (HttpMiddleware | undefined)[] = [
      openExchange({
        log,
        timeout: settings.requestTimeout,
        observers: [accessLog(log), metrics.requests, work.requests],
        closing: work.closing,
      }),
      tracedRequests,
      securityHeaders(settings),
      answerErrors({ shapeFor: from.shapeFor, onWork: work.add, onBreach: onBreachWhere }),
      crossOrigin(settings, openToPages(from.routes)),
      refuseSuspended,
      rateLimit(settings),
      signIn?.layer,
      ...from.middleware.map(
        ({ prefix, value }): HttpMiddleware =>
          (ctx, next) =>
            isUnder(ctx.path, prefix) ? (value as HttpMiddleware)(ctx, next) : next(),
      ),
      ...dispatcher(from.routes, {
        admission,
        bodyLimit: settings.bodyLimit,
        ...(signIn === undefined ? {} : { csrfField: signIn.csrfField }),
        ...(onBreachWhere === undefined ? {} : { onBreach: onBreachWhere }),
      }),
    ];
    for (const middleware of chain) if (middleware !== undefined) koa.use(middleware);
    return koa.callback();
  };

  async function listenForOperators(host: string): Promise<number | undefined> {
    if (!metricsAlone) return undefined;
    const { port = 0, host: own = host } = settings.metrics;
    const started = await startServer(listenerOf('operators'), settings, own, port, log);
    servers.push({ server: started.server, serves: 'operators' });
    return started.port;
  }

  function listenerOf(serves: ListeningServer['serves']): RequestListener {
    if (serves === 'all') return listener(registry);
    const alone = createRegistry();
    for (const declaration of [...metricsRoutes(), ...health()]) alone.addRoute(theCore, declaration);
    return listener(alone);
  }

  return {
    breaches,
    openapi,

    host({ name, summary, rights = [] }) {
      const links: { href: string; title: string }[] = [];
      plugins.push({ name, summary, links, rights });
      const foreign = rights.find(({ scope }) => !scope.startsWith(`${name}:`));
      if (foreign !== undefined) {
        throw new Fault('invalid', `The plugin "${name}" declares the right ${foreign.scope}, which is not its own`);
      }
      const declared = (right: Right): Right => {
        if (rights.includes(right)) return right;
        throw new Fault('invalid', `The right ${right.scope} is not among the rights that the plugin declares`);
      };
      return {
        route: (declaration) => registry.addRoute(name, declaration),
        use: (prefix, middleware) => registry.addMiddleware(name, prefix, middleware),
        errorBody: (prefix, shape) => registry.addShape(name, prefix, shape),
        policy,
        tokenAccess: (right) => access(declared(right)),
        optionalAccess: (right) => optionalAccess(accesses, declared(right), name),
        browserAccess: (right, also) =>
          browserAccess(accesses, declared(right), schemeOf(right), also && declared(also)),
        callerAccess: (right, further, options) => callerAccess(accesses, declared(right), further, options),
        operatorAccess: operators,
        metrics: metrics.forPlugin(name),
        link(href, title) {
          links.push({ href, title });
        },
      };
    },

    async addAudit({ audit, source }) {
      ownRights.push(auditRight);
      const { auditRoutes } = await import('./audit/routes.js');
      const auditAccess = browserAccess(accesses, auditRight, schemeOf(auditRight));
      const declarations = auditRoutes({ ...source, audit, access: auditAccess, base });
      for (const declaration of declarations) registry.addRoute(theCore, declaration);
      links.push({ href: '/-/audit', title: 'Audit', exposure: 'open' });
      return metrics.forPlugin('audit');
    },

    seal() {
      const faults = registry.seal();
      if (faults.length === 0) {
        // Made now, so that a plugin that cannot be described is refused at start, not at the first visit of /docs.
        try {
          openapi();
        } catch (error) {
          if (!isFault(error)) throw error;
          faults.push(error.message);
        }
      }
      sealed = faults.length === 0;
      return faults;
    },

    async listen(host, port) {
      if (!sealed) throw new Error('listen comes after a seal without faults');
      const main = await startServer(listenerOf('all'), settings, host, port, log);
      servers.push({ server: main.server, serves: 'all' });
      try {
        const metricsPort = await listenForOperators(host);
        return { port: main.port, ...(metricsPort === undefined ? {} : { metricsPort }) };
      } catch (error) {
        await stopServer(main.server, 0, work);
        throw error;
      }
    },

    listenForOperators,

    suspend() {
      isSuspended = true;
    },

    handOver: () => servers.splice(0),

    takeOver(listening) {
      for (const { server, serves } of listening) {
        server.removeAllListeners('request').on('request', listenerOf(serves));
        servers.push({ server, serves });
      }
    },

    async quiet(limitMs) {
      await work.idle(limitMs);
      await admission.calm(limitMs * calmer);
    },

    drain(timeoutMs) {
      drained ??= (async () => {
        work.close();
        if (settings.drainDelay > 0 && servers.length > 0) await sleep(settings.drainDelay * 1000);
        await Promise.all(servers.map(({ server }) => stopServer(server, timeoutMs, work)));
      })();
      return drained;
    },
  };
}
