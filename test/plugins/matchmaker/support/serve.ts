/** A real server of the matchmaker plugin on a storage, with tokens for it. */
import { issueToken } from '../../../../core/auth/access.js';
import { tokens } from '../../../../core/auth/contract.js';
import { configure } from '../../../../core/config.js';
import { erasures } from '../../../../core/erasures/contract.js';
import { jobs } from '../../../../core/jobs/contract.js';
import type { Plugin } from '../../../../core/plugin.js';
import type { Contract, Storage } from '../../../../core/storage.js';
import { serveOn as runOn } from '../../../../core/testing/server.js';
import {
  type MatchmakerRepository,
  type MatchRepository,
  matchmaker,
  matchmakerMatches,
} from '../../../../plugins/matchmaker/contract.js';
import plugin from '../../../../plugins/matchmaker/plugin.js';
import { matchmakerResources, type StoredResource } from '../../../../plugins/matchmaker/resources/contract.js';
import { matchmakerSettings } from '../../../../plugins/matchmaker/settings.js';
import type { StorageEngine } from '../../../support/storages.js';

export const contracts: readonly Contract[] = [erasures, jobs, tokens, ...plugin.contracts];

export interface ServeOptions {
  settings?: Record<string, unknown>;
  demo?: boolean;
  /** Resources loaded before the start; only the excerpt if omitted. */
  resources?: readonly StoredResource[];
  /** The server's clock; the system clock if omitted. */
  now?(): Date;
  /** Whether it runs background jobs. */
  jobs?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are any response of the server
export type Json = any;

export interface Reply {
  status: number;
  type: string;
  headers: Headers;
  body: Json;
}

export interface Sent {
  /** The submitter's if omitted; none if null. */
  token?: string | null;
  headers?: Record<string, string>;
}

export interface Matchmaker {
  url: string;
  storage: Storage;
  patients: MatchmakerRepository;
  matches: MatchRepository;
  /** Tokens of the client `scout`, of another with the same rights, of a query-only one, and of an administrator. */
  token: string;
  other: string;
  asker: string;
  admin: string;
  get(path: string, sent?: Sent): Promise<Reply>;
  /** A body that is not a string is sent as JSON, with the exchange's media type unless headers state another. */
  post(path: string, body: unknown, sent?: Sent): Promise<Reply>;
  send(method: string, path: string, sent?: Sent & { body?: string }): Promise<Reply>;
  log(): string;
  close(): Promise<void>;
}

export const vendor = 'application/vnd.ga4gh.matchmaker.v1.0+json';

export async function serveMatchmaker(engine: StorageEngine, options: ServeOptions = {}): Promise<Matchmaker> {
  const opened = await engine.open(contracts);
  try {
    const server = await serveOn(opened.storage, options);
    return {
      ...server,
      close: () => server.close().finally(opened.close),
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** On a storage that stays open when the server closes: for several servers on one storage. */
export async function serveOn(
  storage: Storage,
  { settings = {}, demo = false, resources, now = () => new Date(), jobs: runs = false }: ServeOptions = {},
): Promise<Matchmaker> {
  if (resources) await storage.repository(matchmakerResources).replace(resources);
  const whole = await configure({
    environment: {},
    overrides: [{ path: ['demo'], value: demo, source: 'test' }],
  });
  // Only this plugin, whatever is enabled by default.
  const enabled = { key: plugin.name, plugin: plugin as Plugin, settings: matchmakerSettings.parse(settings) };
  const configuration = { ...whole, plugins: [enabled] };
  const { url, log, close } = await runOn({ configuration, storage, now, jobs: runs });
  const issue = async (owner: string, ...rights: string[]) => {
    const scopes = rights.map((right) => `matchmaker:${right}`);
    return (await issueToken(storage.repository(tokens), { owner, scopes }, now())).token;
  };
  const token = await issue('scout', 'query', 'submit');

  const send: Matchmaker['send'] = async (method, path, sent = {}) => {
    const headers: Record<string, string> = { ...sent.headers };
    if (sent.token !== null) headers['x-auth-token'] = sent.token ?? token;
    const init = { method, headers, ...(sent.body === undefined ? {} : { body: sent.body }) };
    const response = await fetch(url + path, init);
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    return {
      status: response.status,
      type,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };

  return {
    url,
    storage,
    patients: storage.repository(matchmaker),
    matches: storage.repository(matchmakerMatches),
    token,
    other: await issue('seqr', 'query', 'submit'),
    asker: await issue('asker', 'query'),
    admin: await issue('admin', 'query', 'submit', 'admin'),
    send,
    get: (path, sent) => send('GET', path, sent),
    post: (path, body, sent = {}) =>
      send('POST', path, {
        ...sent,
        headers: { 'content-type': vendor, ...sent.headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    log,
    close,
  };
}

/** A patient with a phenotype and a gene of the excerpt. */
export function patient(id: string, more: Json = {}): Json {
  return {
    id,
    contact: { name: 'A Doctor', href: 'mailto:doctor@example.org' },
    features: [{ id: 'HP:0001250', observed: 'yes' }],
    genomicFeatures: [{ gene: { id: 'SCN1A' } }],
    ...more,
  };
}
