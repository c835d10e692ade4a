/** Real nodes: each a server with its own database, controlled by commands and requests. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Storage } from '../../../../../core/storage.js';
import { matchmakerNodes, type PeerNode } from '../../../../../plugins/matchmaker/contract.js';
import { seal } from '../../../../../plugins/matchmaker/exchange/node.js';
import { command } from '../../../../support/command.js';
import { type engines, type LedStorage, preparedFor } from '../../../../support/engines.js';
import { request } from '../../../../support/http.js';
import { freePort } from '../../../../support/port.js';
import { noJobs, type Started, startedIn } from '../../../../support/started.js';
import { killedAt } from '../../../../support/steps.js';
import { type Outcome, type Running, type RunOptions, serve } from '../../../../support/trefoil.js';
import { type Json, vendor } from '../../support/serve.js';
import { servePeer } from './peer.js';

export const key = 'a key for tests, long enough';

/** Connects the storage of a server in this process to a node, named `peer` by default. */
export async function connectPeer(
  storage: Pick<Storage, 'repository'>,
  url: string,
  more: Partial<Omit<PeerNode, 'token'>> & { token?: string } = {},
): Promise<void> {
  const { id = 'peer', token = 'token', ...rest } = more;
  await storage.repository(matchmakerNodes).add({
    id,
    label: 'Peer',
    url,
    contentType: 'application/json',
    token: seal(token, id, key),
    enabled: true,
    created: new Date(),
    ...rest,
  });
}

export interface LabOptions {
  /** Lines of the plugin's section in YAML. */
  matchmaker?: Json;
  jobs?: Json;
  /** Further sections of the configuration. */
  core?: Json;
  demo?: boolean;
  /** Additional environment variables of its commands and servers. */
  env?: Record<string, string>;
  /** Gives each of its servers a process of its own; otherwise those that are not killed run in that of the tests. */
  processes?: boolean;
}

export interface LabNode {
  folder: string;
  url: string;
  storage: LedStorage;
  /** The log of all its servers. */
  log(): string;
  /** Starts a server, which runs jobs unless told not to. */
  start(how?: { jobs: boolean }): Promise<void>;
  /** Like `start`, in a process of its own, which `kill` ends. */
  startToKill(how?: { jobs: boolean }): Promise<void>;
  /** Starts a server that is killed at a step (`killedAt`); `ended` resolves with its exit. */
  startKilled(step: string): Promise<{ ended: Promise<Outcome> }>;
  /** Stops the server in good order. */
  stop(): Promise<void>;
  /** Kills the process of the server. */
  kill(): Promise<void>;
  /** Runs a command of the plugin. */
  run(...words: string[]): Promise<Outcome>;
  /** Runs any command. */
  trefoil(...words: string[]): Promise<Outcome>;
  /** Runs a command with --json, which must succeed. */
  done(...words: string[]): Promise<Json>;
  /** A new token. */
  client(id: string, ...more: string[]): Promise<string>;
  connect(id: string, url: string, token?: string): Promise<void>;
  request(method: string, path: string, token: string, body?: Json): Promise<{ status: number; body: Json }>;
  add(token: string, patient: Json): Promise<void>;
  /** Resolves once no job waits or runs and, if so asked, no mail waits, as of one moment. */
  idle(asked?: { mails: boolean }): Promise<void>;
  /** Records of a patient's matches. */
  matches(token: string, id: string): Promise<Json[]>;
  discard(): Promise<void>;
}

type Engine = (typeof engines)[number];

interface Closable {
  discard?(): Promise<void>;
  close?(): Promise<void>;
}

/** Nodes and peers of a test, which are closed after it; call inside `describe`. */
export function useNodes(engine: Engine) {
  const open: Closable[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await (one.discard?.() ?? one.close?.());
  });
  const opened = <One extends Closable>(one: One): One => {
    open.push(one);
    return one;
  };
  return {
    opened,
    node: async (options?: LabOptions) => opened(await makeNode(engine, options)),
    peer: async () => opened(await servePeer()),
  };
}

export async function makeNode(engine: Engine, options: LabOptions = {}): Promise<LabNode> {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-lab-'));
  const { exchange, ...matchmaker } = options.matchmaker ?? {};
  const configuration = {
    ...options.core,
    // One for all its servers: a peer keeps the address.
    http: { port: await freePort() },
    migrate: 'auto',
    demo: options.demo ?? false,
    jobs: { leaseSeconds: 2, renewSeconds: 0.3, pollSeconds: 0.1, retrySeconds: 0.2, ...options.jobs },
    plugins: {
      matchmaker: {
        ...matchmaker,
        exchange: { allowHttp: true, timeoutSeconds: 2, retrySeconds: 0.5, retryMaxSeconds: 1, ...exchange },
      },
    },
  };
  // JSON is YAML.
  const file = join(folder, 'lab.yaml');
  await writeFile(file, JSON.stringify(configuration));
  const environment = { MATCHMAKER_KEY: key, ...options.env };
  const storage = await engine.lead(await preparedFor(folder, 'lab.yaml', environment));
  const running = {
    cwd: folder,
    env: { TREFOIL_CONFIG: 'lab.yaml', ...storage.env, ...environment },
  };
  const servers: (Running | Started)[] = [];
  const trefoil = (...words: string[]) => command(words, running);
  const run = (...words: string[]) => trefoil('matchmaker', ...words);

  async function begin(args: readonly string[], how: Pick<RunOptions, 'node' | 'env'> = {}): Promise<Running> {
    const started = await serve(['serve', ...args], { ...running, ...how });
    servers.push(started.process);
    node.url = started.url;
    return started.process;
  }

  const node: LabNode = {
    folder,
    url: '',
    storage,
    log: () => servers.map((one) => ('child' in one ? one.stdout + one.stderr : one.log())).join(''),
    async start({ jobs } = { jobs: true }) {
      if (options.processes) return node.startToKill({ jobs });
      const server = await startedIn(running, jobs ? [] : [noJobs]);
      servers.push(server);
      node.url = server.url;
    },
    async startToKill({ jobs } = { jobs: true }) {
      await begin(jobs ? [] : ['--jobs', '0']);
    },
    async startKilled(step) {
      const { node: words, env } = killedAt(step);
      return begin([], { node: words, env: { ...running.env, ...env } });
    },
    async stop() {
      const server = servers.at(-1);
      if (server) await end(server);
    },
    async kill() {
      const server = servers.at(-1);
      if (server === undefined || !('child' in server)) throw new Error('Only a process of its own can be killed');
      await server.kill('SIGKILL');
    },
    run,
    trefoil,
    async done(...words) {
      const { code, stdout, stderr } = await run(...words, '--json');
      expect(code, `${words.join(' ')}: ${stderr}`).to.equal(0);
      return JSON.parse(stdout);
    },
    client: async (id, ...more) => (await node.done('add', 'client', '--id', id, ...more)).token,
    async connect(id, url, token = 'token-of-nobody') {
      await node.done('add', 'node', '--id', id, '--label', `Node ${id}`, '--token', token, '--matching_url', url);
    },
    async request(method, path, token, body) {
      const typed = body !== undefined && { headers: { 'content-type': vendor } };
      return request<Json>(node.url + path, { method, token, json: body, ...typed });
    },
    async add(token, patient) {
      const { status, body } = await node.request('POST', '/patient/add', token, { patient });
      expect(status, JSON.stringify(body)).to.equal(200);
    },
    async idle({ mails } = { mails: false }) {
      const gauges = ['jobs{state="queued"}', 'jobs{state="running"}', ...(mails ? ['matchmaker_mail_waiting'] : [])];
      await until(async () => {
        const lines = (await (await fetch(`${node.url}/-/metrics`)).text()).split('\n');
        return gauges.every((gauge) => lines.includes(`trefoil_${gauge} 0`));
      });
    },
    async matches(token, id) {
      const { status, body } = await node.request('GET', `/matches/${encodeURIComponent(id)}`, token);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.matches ?? [];
    },
    async discard() {
      for (const server of servers) await ('child' in server ? server.kill('SIGKILL') : server.stop());
      await storage.drop();
      for (const path of [folder, `${folder}-erasures`]) await rm(path, { recursive: true, force: true });
    },
  };
  return node;
}

async function end(server: Running | Started): Promise<void> {
  if ('child' in server) await server.kill('SIGTERM');
  else await server.stop();
}

/** Polls until the condition holds; the test's time limit ends it otherwise. */
export async function until<Value>(
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value as Value;
    await sleep(100);
  }
}

export async function waitSeconds(seconds: number): Promise<void> {
  await sleep(seconds * 1000);
}

export const benchmark = async (file: string): Promise<Json[]> => JSON.parse(await readFile(file, 'utf8'));
