/** A real server of the coverage plugin, by default on a new SQLite database with the intervals of the demo files. */
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { type TokenRepository, tokens } from '../../../../core/auth/contract.js';
import { configure } from '../../../../core/config.js';
import { jobs } from '../../../../core/jobs/contract.js';
import { assemble, runReady } from '../../../../core/start/assemble.js';
import {
  type Build,
  coverage,
  type IntervalKind,
  type IntervalRepository,
} from '../../../../plugins/coverage/contract.js';
import { type FileKind, loadIntervals } from '../../../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../../../plugins/coverage/intervals/source.js';
import { type StorageEngine, sqlite } from '../../../support/storages.js';

/** Chanjo2's demo files, with counts by another program. The folder is beside the repository. */
const data = new URL('../../../../../shared/data/coverage/', import.meta.url);

export function dataFile(name: string): string {
  return fileURLToPath(new URL(name, data));
}

export const dataFolder = fileURLToPath(data);
export const demoD4 = dataFile('panelapp_109_example.d4');
export const demoBed = dataFile('109_green.bed');

export interface Coverage {
  url: string;
  intervals: IntervalRepository;
  tokens: TokenRepository;
  /** The server's log, as text. */
  log(): string;
  close(): Promise<void>;
}

export interface CoverageOptions {
  /** The plugin's settings. */
  settings?: Record<string, unknown>;
  /** The core's settings of the same name. */
  http?: Record<string, unknown>;
  demo?: boolean;
  /** Builds for which the demo intervals are loaded; none by default. */
  builds?: readonly Build[];
  engine?: StorageEngine;
  now?: () => Date;
}

export async function serveCoverage(options: CoverageOptions = {}): Promise<Coverage> {
  const { settings = {}, http = {}, demo = false, builds = [], engine = sqlite, now = () => new Date() } = options;
  const { storage, close: discard } = await engine.open([jobs, tokens, coverage]);
  try {
    const intervals = storage.repository(coverage);
    for (const build of builds) for (const kind of kinds) await loadDemo(intervals, kind, build);
    const configuration = await configure({
      environment: {},
      file: fileURLToPath(new URL('../../../../config/one-plugin/coverage.yaml', import.meta.url)),
      overrides: [
        { path: ['storage'], value: { adapter: 'memory' }, source: 'test' },
        { path: ['plugins'], value: { coverage: settings }, source: 'test' },
        { path: ['demo'], value: demo, source: 'test' },
        { path: ['http'], value: http, source: 'test' },
      ],
    });
    let logged = '';
    const log = (line: string) => {
      logged += line;
    };
    const { app, onReady, onClose } = await assemble({
      configuration,
      storage,
      log: pino({ level: 'debug' }, { write: log }),
      now,
      readiness: async () => ({ ready: true, checks: {} }),
      checkAnswers: true,
    });
    await runReady(onReady);
    const { port } = await app.listen('127.0.0.1', 0);
    return {
      url: `http://127.0.0.1:${port}`,
      intervals,
      tokens: storage.repository(tokens),
      log: () => logged,
      async close() {
        await app.drain(1000);
        for (const { work } of onClose) await work();
        await discard();
        if (app.breaches.length > 0) throw new Error(app.breaches.join('\n'));
      },
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

const kinds: readonly IntervalKind[] = ['genes', 'transcripts', 'exons'];

async function loadDemo(repository: IntervalRepository, kind: FileKind, build: Build): Promise<void> {
  const source = await openIntervals(dataFile(`${kind}_${build.slice(-2)}.tsv`));
  await loadIntervals({ repository, kind, build, source, release: 'demo', maxShrink: 0, now: new Date() });
}

export type Json = Record<string, unknown>;

export interface Reply<Body = Json> {
  status: number;
  headers: Headers;
  body: Body;
}

async function reply<Body>(response: Response): Promise<Reply<Body>> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

export async function post<Body = Json>(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply<Body>> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return reply(
    await fetch(url, { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } }),
  );
}

/** A multipart form: texts are fields, bytes are the file. */
export async function postForm<Body = Json>(url: string, parts: Record<string, string | Buffer>): Promise<Reply<Body>> {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value]), 'targets.bed');
  }
  return reply(await fetch(url, { method: 'POST', body: form }));
}

export async function get<Body = Json>(
  url: string,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Reply<Body>> {
  return reply(await fetch(`${url}?${new URLSearchParams(query)}`, { headers }));
}
