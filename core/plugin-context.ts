/** What a plugin is, what it is given when it registers, and how plugins are called one after the other. */
import type { Middleware } from 'koa';
import type { Audit } from './audit/audit.js';
import type { CallerAccessOptions } from './auth/caller-access.js';
import type { SubjectOf } from './auth/claims.js';
import type { Command } from './commands.js';
import type { Announcing, Eraser } from './erasures/erasure.js';
import type { Erasures } from './erasures/list.js';
import { Fault, isFault } from './fault.js';
import type { ErrorShape, RouteDeclaration } from './http/route.js';
import type { Job, Json } from './jobs/contract.js';
import type { S3 } from './outgoing/s3/s3.js';
import type { Access, OptionalAccess, Policy, Right } from './policy/policy.js';
import type { Tenant, Tenants } from './policy/tenants.js';
import type { Contract, OpenRequest, StandardSchema, StorageLog, StorageScope } from './storage.js';

/**
 * The handler of a durable job. Throwing fails the attempt; the job is retried with backoff unless the fault is
 * `invalid` or `unprocessable`.
 */
export interface JobHandler<Payload> {
  payload: StandardSchema<Payload>;
  /**
   * Failures of `run` after which the job fails for good; 5 if omitted, and at least 100 while the fault is `unavailable`
   * (the storage or another server does not respond). An attempt whose process was killed does not count: the job is
   * claimed again, later each time, and fails after more than 25 crashes.
   */
  attempts?: number;
  run(payload: Payload, control: JobControl): Promise<Json>;
}

export interface JobControl {
  id: string;
  owner: string;
  /** Aborted when the job is cancelled, its lease is lost or the server stops. */
  signal: AbortSignal;
  /** 0 to 1; stored with the next renewal of the lease. */
  progress(fraction: number): void;
  /**
   * Gives priority to requests: resolves once this process has none to answer, or after a second. Call it before each
   * step of work in many small steps that no client waits for.
   */
  giveWay(): Promise<void>;
  log: StorageLog;
}

export interface Jobs {
  /** Registers the handler for `kind` (`plugin.verb`), at registration time. */
  handle<Payload>(kind: string, handler: JobHandler<Payload>): void;
  /**
   * Queues a job; it runs in this or another process. With a key, returns a queued or running job of that key instead.
   * Inside a transaction pass its scope, so that the job exists only if the rest does. Pass a new random UUID as `id`
   * if data that the job needs is already stored under it; otherwise one is made.
   */
  enqueue(
    kind: string,
    payload: Json,
    options: { owner: string; key?: string; scope?: StorageScope; id?: string },
  ): Promise<Job>;
  /** Returns the plugin's own job of this id; undefined if there is none, or if it was deleted. */
  find(id: string): Promise<Job | undefined>;
  /** Where the owner of the job can read its state: `/-/jobs/<id>`. */
  href(job: Job): string;
}

export interface LabelledValue {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Counters and gauges under `trefoil_<plugin>_…` in /-/metrics. Label values must be few and not personal data. */
export interface Metrics {
  counter(
    name: string,
    help: string,
    labels?: readonly string[],
  ): (labels?: Record<string, string>, by?: number) => void;
  /** `read` is called at each scrape. With labels it returns all current values. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  gauge(
    name: string,
    help: string,
    read: () => readonly LabelledValue[] | Promise<readonly LabelledValue[]>,
    labels: readonly string[],
  ): void;
}

export interface PluginContext<Settings> extends Announcing {
  readonly settings: Settings;
  /** True if the configuration says `demo: true`: fill an empty storage with demo data in `onReady`. */
  readonly demo: boolean;
  /** The package's version. */
  readonly version: string;
  /** Public address of the server as configured, without a slash at its end; undefined if unknown. */
  readonly baseUrl: string | undefined;
  /** Its path, before every link of a page: empty if the server is at the root. */
  readonly basePath: string;
  /** Where pages link to the API documentation: `/docs` below the public address; undefined if `http.docs` is off. */
  readonly docs: string | undefined;
  /** Objects in the configured buckets of S3; undefined if the configuration has none. It is closed at shutdown. */
  readonly s3: S3 | undefined;
  repository<Repository>(contract: Contract<Repository>): Repository;
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result>;
  /** Adds a route. The start fails if two routes, of any plugins, have the same method and path. */
  // biome-ignore lint/suspicious/noExplicitAny: a route's input types matter to its own handler only
  route(declaration: RouteDeclaration<any, any, any>): void;
  /** Adds Koa middleware for the paths under a prefix that this plugin owns. */
  use(prefix: string, middleware: Middleware): void;
  /** Shapes the errors of paths under a prefix that this plugin owns, input faults and 404s included. */
  errorBody(prefix: string, shape: ErrorShape): void;
  /** Decides what callers may see and do. Handlers ask it and never look at scopes. */
  readonly policy: Policy;
  /**
   * What belongs to which tenant, and what of it callers reach. Undefined unless the configuration gives rights to people or
   * tenants (`auth.roles`, `auth.tenants`): then nothing is limited to them.
   */
  readonly tenants: Tenants | undefined;
  /** The subject of verified claims, with the rights that the configuration gives to them; for `bearerVerifier`. */
  readonly subjectOf: SubjectOf | undefined;
  /** Records who asked for whose data, if the configuration has the section `audit`. */
  readonly audit: Audit;
  /**
   * Access by an API token in `X-Auth-Token` that has the right: for everything or, if the right can be limited to one
   * thing, for at least one. The handler then asks the policy about the thing in the request. The plugin must declare
   * the right in `rights`, also for `optionalAccess`.
   */
  tokenAccess(right: Right): Access;
  /**
   * For routes that every client may call and that show more to callers with a right: the handler gets the caller from
   * `callerOf`, which refuses an invalid credential, and asks the policy.
   */
  optionalAccess(right: Right): OptionalAccess;
  /**
   * Like `tokenAccess`, for pages: also takes the token as a bearer token, and as the password that a browser asks for. For
   * routes that change nothing, as browsers send a password to requests of other sites, too. If people can sign in, a
   * browser that opens the page is sent to sign in instead. Callers with the right `also` are admitted, too.
   */
  browserAccess(right: Right, also?: Right): Access;
  /**
   * Access by every credential with the right, for everything or for at least one thing: an API token in `X-Auth-Token`, an
   * access token of a configured issuer, a session, and what `further` accepts in other places of the request. With `people:
   * 'all'`, people need no right: the handler decides about each of them. With `password`, an API token is also taken as the
   * password that a browser asks for: for pages with forms.
   */
  callerAccess(right: Right, further?: Access, options?: CallerAccessOptions): Access;
  /**
   * Access for operators, by an API token with the scope `server:read`, which a browser asks for as a password. For
   * endpoints with an `exposureSetting`; see `exposed`.
   */
  operatorAccess(): Access;
  /**
   * Offers a service to other plugins, under a key such as `coverage/callability@1`: this plugin, the service, its
   * major version. Its interface is declared apart from what provides it. `build` is called once, after all plugins
   * have registered, and may `find` services of others. The start fails if services need each other to be built, or if
   * a key is offered twice.
   */
  offer<Service extends object>(key: string, build: () => Service): void;
  /**
   * Returns the service of that key, or undefined if no enabled plugin offers it: what depends on it is then unknown,
   * never an error. Call it when the service is used, not while the plugin registers.
   */
  find<Service extends object>(key: string): Service | undefined;
  /**
   * Listens to an event of another plugin, which need not be enabled. The listener runs in the process that announces,
   * a server or a command, where `onReady` may not have run. It may receive one event more than once. Throwing fails
   * the announcement.
   */
  on<Event extends object>(key: string, listener: (event: Event) => Promise<void> | void): void;
  /** Registers how all data of this plugin about a person is found and erased. It may be called in a process of a command. */
  onErase(eraser: Eraser): void;
  /** The people who may not be stored again, or not be shared. */
  readonly erasures: Erasures;
  readonly jobs: Jobs;
  readonly log: StorageLog;
  readonly metrics: Metrics;
  now(): Date;
  /** Runs after the storage is ready and before the server accepts requests; a failure ends the start. */
  onReady(work: () => Promise<void>): void;
  /** Runs at shutdown, after the last request, in reverse order of registration. */
  onClose(work: () => Promise<void>): void;
  /** Links for the front page: `[{ href: '/apiv1.0/', title: 'Beacon information' }]`. */
  link(href: string, title: string): void;
}

/** What else a plugin's advice may depend on. */
export interface AdviceContext {
  /** Undefined if no buckets of S3 are configured. */
  readonly s3?: Pick<S3, 'covers'> | undefined;
  readonly demo: boolean;
  /** Whether people are recognised, by access tokens of issuers or sessions. */
  readonly people: boolean;
  /** The configured tenants; none if nothing is divided. */
  readonly tenants: readonly Tenant[];
}

export interface Plugin<Settings = unknown> {
  /** Lower-case letters, digits and dashes; the key under `plugins:` and the first word of its commands. */
  readonly name: string;
  /** Version of this interface. */
  readonly api: 1;
  /** One sentence for the front page and `--help`. */
  readonly summary: string;
  /** Validates the plugin's section of the configuration. It must accept an empty section: no key is required. */
  readonly settings: StandardSchema<Settings>;
  /** Environment variables that override files: variable → path of the setting (`MAX_RESULTS: 'maxResults'`). */
  readonly environment?: Readonly<Record<string, string>>;
  /** What it stores. */
  readonly contracts: readonly Contract[];
  /** What it stores in addition with these settings: no table is made for what is not configured. */
  contractsFor?(settings: Settings): readonly Contract[];
  /** Its own bindings for adapter families: family → contract id → module with the binding. */
  readonly bindings?: Readonly<Record<string, Readonly<Record<string, () => Promise<unknown>>>>>;
  /** How its contracts are kept above tables, on every adapter that has no binding of its own: contract id → module with the store. */
  readonly stores?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Its commands, or a function that loads them: a server and the commands of others then need not. */
  readonly commands?: readonly Command<Settings>[] | (() => Promise<readonly Command<Settings>[]>);
  /**
   * Warnings about settings that are valid but probably not intended, such as a directory that does not exist:
   * `trefoil check` prints them and a start logs them. They must not contain secrets or patient data.
   */
  advice?(settings: Settings, about: AdviceContext): readonly string[] | Promise<readonly string[]>;
  /**
   * What is recorded before it is answered, so that it is refused while the storage accepts no writes though it changes nothing:
   * short phrases for `/-/ready`, such as "patients of the exchange". Nothing if omitted.
   */
  recorded?(settings: Settings): readonly string[];
  /** Below which directories, and beginnings of names in S3, callers may name files; none if omitted. */
  named?(settings: Settings): { roots: readonly string[]; buckets: readonly string[] };
  /**
   * Issuers whose tokens it accepts besides those of the section `auth`; `any` if it accepts every issuer. None if omitted.
   */
  acceptedIssuers?(settings: Settings): 'any' | readonly string[];
  /**
   * The events that it may listen to; any if omitted. `on` throws for others. A command that announces an event registers the
   * enabled plugins only if one of them may listen to it.
   */
  readonly listens?: readonly string[];
  /** What its API tokens may allow. `trefoil token add` refuses other scopes; the API description lists them. */
  readonly rights?: readonly Right[];
  /**
   * Registers routes, jobs and hooks. It must not send requests or read data; `onReady` may. Commands run without it, so
   * that what only a server needs may be imported here.
   */
  register(context: PluginContext<Settings>): void | Promise<void>;
}

/** All that a plugin stores with its settings. */
export function contractsOfPlugin({ plugin, settings }: { plugin: Plugin; settings: unknown }): readonly Contract[] {
  return [...plugin.contracts, ...(plugin.contractsFor?.(settings) ?? [])];
}

/** What plugins bring to keep their contracts, for adapters of a family. */
export function broughtBy(
  plugins: readonly Plugin[],
  family: string | undefined,
): Required<Pick<OpenRequest<unknown>, 'bindings' | 'stores'>> {
  return {
    bindings: new Map(plugins.flatMap(({ bindings }) => Object.entries(bindings?.[family ?? ''] ?? {}))),
    stores: new Map(plugins.flatMap(({ stores = {} }) => Object.entries(stores))),
  };
}

/** Infers the type of the settings for a plugin that is written as a plain object. */
export function definePlugin<Settings>(plugin: Plugin<Settings>): Plugin<Settings> {
  return plugin;
}

// Calls plugins one after the other, in the order of registration: all of them, even if one fails.

/** Throws an `unavailable` fault that names every plugin that failed, so that a job that calls is retried. */
export async function eachPlugin<Listening extends { readonly plugin: string }>(
  all: readonly Listening[],
  what: string,
  call: (one: Listening) => Promise<void> | void,
): Promise<void> {
  const failures: { plugin: string; error: unknown }[] = [];
  for (const one of all) {
    try {
      await call(one);
    } catch (error) {
      failures.push({ plugin: one.plugin, error });
    }
  }
  if (failures.length > 0) throw incomplete(what, failures);
}

function incomplete(what: string, failures: readonly { plugin: string; error: unknown }[]): Fault {
  const names = failures.map(({ plugin }) => `"${plugin}"`).join(', ');
  const reasons = failures.map(({ plugin, error }) => {
    return `${plugin}: ${isFault(error) ? error.message : 'an unexpected error'}`;
  });
  return new Fault('unavailable', `Some plugins could not act on ${what}: ${reasons.join('; ')}`, {
    public: `Some plugins could not act on ${what}: ${names}. Please try again`,
    cause: new AggregateError(failures.map(({ error }) => error)),
  });
}
