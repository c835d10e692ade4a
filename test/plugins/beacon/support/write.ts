/** A server that runs jobs, with a token and a folder for files: for tests of changes over HTTP. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueToken } from '../../../../core/auth/access.js';
import type { Subject } from '../../../conformance/core.js';
import { type Beacon, type BeaconOptions, type Json, type Reply, serveBeacon } from './serve.js';

export interface Sent {
  method?: string;
  /** The one with the scope if omitted; none if null. */
  token?: string | null;
  headers?: Record<string, string>;
}

export interface Writer extends Beacon {
  /** Files under it may be loaded by path. */
  root: string;
  /** The parent of root and uploads. */
  folder: string;
  token: string;
  /** Writes a file into root; returns its path. */
  file(name: string, text: string | Buffer): Promise<string>;
  /** Names in the folder for uploads. */
  uploads(): Promise<string[]>;
  /** Sends a body to a path under /apiv1.0/; other types than text, form or stream are sent as JSON. */
  send(path: string, body: unknown, options?: Sent): Promise<Reply>;
  /** The job named in a response, once it has ended. */
  ended(reply: Reply): Promise<Json>;
}

export async function serveWriter(subject: Subject, options: BeaconOptions = {}): Promise<Writer> {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-write-'));
  const root = join(folder, 'root');
  const uploads = join(folder, 'uploads');
  await mkdir(root);
  const settings = { roots: [root], ...options.settings };
  const beacon = await serveBeacon(subject, {
    ...options,
    work: options.work ?? true,
    settings: { ...settings, uploads: { folder: uploads, ...(options.settings?.uploads as object | undefined) } },
  });
  const { token } = await issueToken(beacon.tokens, { owner: 'Lab', scopes: ['beacon:write'] }, new Date());

  async function send(path: string, body: unknown, sent: Sent = {}): Promise<Reply> {
    const raw = typeof body === 'string' || body instanceof FormData || body instanceof ReadableStream;
    const response = await fetch(`${beacon.url}/apiv1.0/${path}`, {
      method: sent.method ?? 'POST',
      headers: {
        ...(sent.token === null ? {} : { 'x-auth-token': sent.token ?? token }),
        ...(raw || body instanceof Uint8Array ? {} : { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(body === undefined
        ? {}
        : { body: (raw || body instanceof Uint8Array ? body : JSON.stringify(body)) as string }),
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    } as RequestInit);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
  }

  return {
    ...beacon,
    folder,
    root,
    token,
    send,
    async file(name, text) {
      await writeFile(join(root, name), text);
      return join(root, name);
    },
    uploads: () => readdir(uploads).catch(() => []),
    async ended(reply) {
      const { href } = reply.body.job as { href: string };
      for (;;) {
        const job = (await (await fetch(beacon.url + href, { headers: { 'x-auth-token': token } })).json()) as Json;
        if (job.state !== 'queued' && job.state !== 'running') return job;
        await sleep(20);
      }
    },
    async close() {
      await beacon.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Polls until the condition holds; mocha's limit ends a wait in vain. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await sleep(20);
}
