/** A server with only the HTTP layer, for tests over real connections. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { z } from 'zod';
import type { ApiToken, TokenRepository } from '../../../core/auth/contract.js';
import { type AppOptions, createApp, type HttpApp, type RouteHost } from '../../../core/http/app.js';
import { type RouteDeclaration, route } from '../../../core/http/route.js';
import { httpSettings } from '../../../core/http/settings.js';
import type { Right } from '../../../core/policy/policy.js';

export interface Served {
  app: HttpApp;
  url: string;
  port: number;
  metricsPort: number | undefined;
  /** Log lines so far, parsed. */
  log: Record<string, unknown>[];
  close(): Promise<void>;
}

export interface ServeOptions extends Partial<Omit<AppOptions, 'settings'>> {
  settings?: z.input<typeof httpSettings>;
  /** The rights that the plugin declares. */
  rights?: readonly Right[];
  /** Set if the test expects violations of declarations; otherwise they fail it at close. */
  breachesWanted?: boolean;
}

export async function serve(register: (host: RouteHost) => void, options: ServeOptions = {}): Promise<Served> {
  const { settings = {}, breachesWanted = false, rights = [], ...rest } = options;
  const log: Record<string, unknown>[] = [];
  const lines = new Writable({
    write(line, _, done) {
      log.push(JSON.parse(String(line)) as Record<string, unknown>);
      done();
    },
  });
  const app = createApp({
    settings: httpSettings.parse(settings),
    log: pino({ level: 'debug' }, lines),
    version: '1.2.3',
    now: () => new Date(),
    readiness: async () => ({ ready: true, checks: { storage: 'ok' } }),
    tokens: noTokens,
    findJob: async () => undefined,
    countJobs: async () => ({ queued: 3, running: 1, done: 0, failed: 2, cancelled: 0 }),
    checkAnswers: true,
    ...rest,
  });
  register(app.host({ name: 'demo', summary: 'A plugin for tests.', rights }));
  const faults = app.seal();
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const { port, metricsPort } = await app.listen('127.0.0.1', 0);
  return {
    app,
    url: `http://127.0.0.1:${port}`,
    port,
    metricsPort,
    log,
    async close() {
      await app.drain(1000);
      if (!breachesWanted && app.breaches.length > 0) throw new Error(app.breaches.join('\n'));
    },
  };
}

/** For servers whose tests use no token: any look-up is a mistake of the test. */
const noTokens = new Proxy({} as TokenRepository, {
  get() {
    throw new Error('this test has no tokens');
  },
});

export function apiToken(own: Partial<ApiToken> & Pick<ApiToken, 'hash'>): ApiToken {
  return { id: own.hash.slice(0, 8), owner: 'lab', scopes: [], created: new Date('2026-01-01T00:00:00Z'), ...own };
}

/** A route that returns JSON of any shape. */
export function get(path: string, handle: RouteDeclaration['handle'], more: Partial<RouteDeclaration> = {}) {
  return route({
    method: 'GET',
    path,
    operation: path.replace(/[^a-z0-9]+/gi, '_'),
    summary: 'For tests',
    answers: { 200: { description: 'Anything', content: { 'application/json': z.any() } } },
    handle,
    ...more,
  });
}

/** Sends raw bytes and returns everything received until the server closes the connection. */
export async function raw(port: number, ...pieces: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (data) => {
    answer += String(data);
  });
  socket.on('error', () => undefined); // a server may close the connection; the bytes before that count
  for (const piece of pieces) socket.write(piece);
  await once(socket, 'close');
  return answer;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  errors?: { path: string; detail: string }[];
  requestId: string;
}

export async function problemOf(response: Response): Promise<Problem> {
  if (response.headers.get('content-type') !== 'application/problem+json') {
    throw new Error(`not a problem: ${response.status} ${await response.text()}`);
  }
  return (await response.json()) as Problem;
}

/** Waits until the condition is true. */
export async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500; i += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it never came true');
}
