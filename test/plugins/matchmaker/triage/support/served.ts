/** A server on which people work with matches, with another node and a mail server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueToken } from '../../../../../core/auth/access.js';
import { tokens } from '../../../../../core/auth/contract.js';
import { serveForTest, type TestServer } from '../../../../../core/testing.js';
import {
  matchmakerNodes,
  matchmakerTriage,
  type TriageRepository,
} from '../../../../../plugins/matchmaker/contract.js';
import { request } from '../../../../support/http.js';
import type { StorageEngine } from '../../../../support/storages.js';
import { type Peer, servePeer } from '../../exchange/support/peer.js';
import { type Sink, serveSink } from '../../exchange/support/sink.js';
import { type Json, vendor } from '../../support/serve.js';

export interface Answered {
  status: number;
  text: string;
  headers: Headers;
  body: Json;
}

export interface Sent {
  token: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TriageServer {
  server: TestServer;
  rows: TriageRepository;
  peer: Peer;
  sink: Sink;
  /** Tokens of two clients with the same rights. */
  scout: string;
  seqr: string;
  token(owner: string, ...rights: string[]): Promise<string>;
  ask(method: string, path: string, sent: Sent): Promise<Answered>;
  /** Adds patients, or queries with them. */
  add(token: string, ...patients: Json[]): Promise<void>;
  match(token: string, patient: Json): Promise<void>;
  /** Queries the other node, which is called `far`. */
  matchFar(token: string, id: string): Promise<void>;
  /** The row of this counterpart, from the page of the submission as JSON. */
  rowOf(token: string, submission: number, patient: string): Promise<Json>;
  close(): Promise<void>;
}

export interface ServeTriage {
  matchmaker?: Record<string, unknown>;
  triage?: Record<string, unknown> | null;
  settings?: Record<string, unknown>;
  /** Further plugins. */
  plugins?: Record<string, unknown>;
  jobs?: boolean;
  now?(): Date;
}

export async function serveTriage(
  storage: StorageEngine,
  { matchmaker = {}, triage = {}, settings = {}, plugins = {}, jobs = false, now = () => new Date() }: ServeTriage = {},
): Promise<TriageServer> {
  const [peer, sink] = await Promise.all([servePeer(), serveSink()]);
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-triage-'));
  writeFileSync(join(folder, 'token'), 'a-token-of-the-other-node');
  const mail = { server: '127.0.0.1', port: sink.port, useTls: false, sender: 'mme@lab.example.org' };
  const plugin = {
    mail,
    exchange: { indirect: false, allowHttp: true },
    ...(triage !== null && { triage }),
    ...matchmaker,
  };
  const server = await serveForTest({ plugins: { matchmaker: plugin, ...plugins }, settings, storage, jobs, now });
  await server.repository(matchmakerNodes).add({
    ...{ id: 'far', label: 'Far away', url: peer.url, contentType: vendor, enabled: true, created: now() },
    token: { file: join(folder, 'token') },
  });
  const token = async (owner: string, ...rights: string[]) => {
    const scopes = rights.map((right) => `matchmaker:${right}`);
    return (await issueToken(server.repository(tokens), { owner, scopes }, now())).token;
  };

  const ask: TriageServer['ask'] = async (method, path, { token: held, body, headers = {} }) => {
    const sent = body instanceof URLSearchParams ? { form: Object.fromEntries(body) } : { json: body };
    return request<Json>(server.url + path, { method, token: held, headers, ...sent });
  };

  async function post(path: string, held: string, patient?: Json): Promise<void> {
    const sent = patient === undefined ? {} : { body: { patient }, headers: { 'content-type': vendor } };
    const { status, text } = await ask('POST', path, { token: held, ...sent });
    if (status !== 200 || text.includes('"error":')) throw new Error(`${path}: ${status} ${text}`);
  }

  return {
    ...{ server, peer, sink, token, ask, rows: server.repository(matchmakerTriage) },
    scout: await token('scout', 'query', 'submit'),
    seqr: await token('seqr', 'query', 'submit'),
    async add(held, ...patients) {
      for (const patient of patients) await post('/patient/add', held, patient);
    },
    match: (held, patient) => post('/match', held, patient),
    matchFar: (held, id) => post(`/match/external/${id}?node=far`, held),
    async rowOf(held, submission, patient) {
      const { body } = await ask('GET', `/matchmaker/submissions/${submission}`, { token: held });
      return body.rows.find((row: Json) => row.patient === patient);
    },
    async close() {
      await server.close();
      await Promise.all([peer.close(), sink.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}
