/** The HTTP side of the core: everything between a socket and a plugin's handler. */
import type { Logger } from 'pino';
import type { TokenRepository } from '../auth/contract.js';
import type { Job } from '../jobs/contract.js';
import type { PluginContext } from '../plugin.js';
import type { HttpSettings } from './settings.js';

/** What `/-/ready` says: every check by name, `ok` or a sentence without secrets. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

export interface AppOptions {
  settings: HttpSettings;
  log: Logger;
  /** The package's version. */
  version: string;
  now(): Date;
  /** Asked at every `/-/ready`: storage pinged, plugins ready. While draining it is not asked. */
  readiness(): Promise<Readiness>;
  /** Asked only while requests are served, so it may be filled in late. */
  tokens: TokenRepository;
  findJob(id: string): Promise<Job | undefined>;
  /** For tests: every JSON answer is checked against its declaration; a breach is answered 500 and kept in `breaches`. */
  checkAnswers?: boolean;
}

/** What one plugin adds to the server: the HTTP part of its context. */
export type RouteHost = Pick<
  PluginContext<unknown>,
  'route' | 'use' | 'errorBody' | 'tokenAccess' | 'metrics' | 'link'
>;

export interface HttpApp {
  /** The host for one enabled plugin; call once per plugin, in order, before seal. */
  host(plugin: { name: string; summary: string }): RouteHost;
  /**
   * Closes registration and answers every fault as a sentence (two owners of one path are both named); empty where all
   * is well. Nothing can be listened on before.
   */
  seal(): string[];
  /** The OpenAPI 3.1 document of every route; after seal. */
  openapi(): Record<string, unknown>;
  /** Answers the ports that it listens on. A port that is taken rejects with an `unavailable` fault. */
  listen(host: string, port: number): Promise<{ port: number; metricsPort?: number }>;
  /** Not ready, no new connections, requests under way finish within the limit (milliseconds), then all is cut. May be called twice. */
  drain(timeoutMs: number): Promise<void>;
  /** Answers that broke their declaration, where checkAnswers. */
  readonly breaches: readonly string[];
}

export function createApp(_options: AppOptions): HttpApp {
  throw new Error('createApp is not written yet');
}
