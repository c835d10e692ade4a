/** A real server of the coverage plugin, by default on a new SQLite database with the intervals of the demo files. */
import { fileURLToPath } from 'node:url';
import { AuditKeys } from '../../../../core/audit/chain.js';
import { audit } from '../../../../core/audit/contract.js';
import { type ReadEntry, readEntries } from '../../../../core/audit/read.js';
import { issueToken } from '../../../../core/auth/access.js';
import { type TokenRepository, tokens } from '../../../../core/auth/contract.js';
import { configure } from '../../../../core/config.js';
import { erasures } from '../../../../core/erasures/contract.js';
import { jobs } from '../../../../core/jobs/contract.js';
import type { Storage } from '../../../../core/storage.js';
import { type ServedStorage, serveOn } from '../../../../core/testing/server.js';
import { beacon, beaconConsequences, beaconDepths, beaconGenes } from '../../../../plugins/beacon/contract.js';
import {
  type Build,
  coverage,
  coverageCohorts,
  coverageRegions,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
  type IntervalKind,
  type IntervalRepository,
  type SampleRepository,
} from '../../../../plugins/coverage/contract.js';
import { usual } from '../../../../plugins/coverage/d4/node/pool/pool.js';
import { type FileKind, loadIntervals } from '../../../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../../../plugins/coverage/intervals/reader.js';
import { request } from '../../../support/http.js';
import { IdentityProvider } from '../../../support/identity-provider.js';
import { type StorageEngine, sqlite } from '../../../support/storages.js';
import { dataFile } from './shared.js';

/** Closing it removes its data. */
export interface Coverage extends ServedStorage {
  intervals: IntervalRepository;
  tokens: TokenRepository;
  samples: SampleRepository;
  /** A new API token with these scopes. */
  token(...scopes: string[]): Promise<string>;
  storage: Storage;
  /** The entries of the audit, oldest first; only with `isAudited`. */
  audited(): Promise<ReadEntry[]>;
}

export interface CoverageOptions {
  /** The plugin's settings. */
  settings?: Record<string, unknown>;
  /** The core's settings of the same name. */
  http?: Record<string, unknown>;
  /** The core's settings of the same name; the section is omitted if this is. */
  auth?: Record<string, unknown>;
  /** The core's settings of the same name. */
  s3?: readonly Record<string, unknown>[];
  demo?: boolean;
  /** Builds for which the demo intervals are loaded; none by default. */
  builds?: readonly Build[];
  engine?: StorageEngine;
  /** Whether a beacon without datasets runs beside it. */
  withBeacon?: boolean;
  /** Whether the configuration has an audit. */
  isAudited?: boolean;
  now?: () => Date;
}

// Sweeps in worker threads have tests of their own, and guides start servers that use them.
usual.inlineBases = Number.POSITIVE_INFINITY;

const auditKey = 'a key of the audit, for tests only';

const alone = '../../../../config/one-plugin/coverage.yaml';

export async function serveCoverage(options: CoverageOptions = {}): Promise<Coverage> {
  const { settings = {}, http = {}, demo = false, builds = [], engine = sqlite, now = () => new Date() } = options;
  const { withBeacon = false, isAudited = false } = options;
  const beacons = withBeacon ? [beacon, beaconGenes, beaconDepths, beaconConsequences] : [];
  const { storage, close: discard } = await engine.open([
    erasures,
    jobs,
    tokens,
    coverage,
    coverageSamples,
    coverageCohorts,
    coverageSites,
    coverageRegions,
    coverageTracks,
    ...(settings.reports === undefined ? [] : [coverageReports]),
    ...beacons,
    ...(isAudited ? [audit] : []),
  ]);
  try {
    const intervals = storage.repository(coverage);
    for (const build of builds) for (const kind of kinds) await loadDemo(intervals, kind, build);
    const configuration = await configure({
      environment: {},
      file: fileURLToPath(new URL(withBeacon ? './with-beacon.yaml' : alone, import.meta.url)),
      overrides: [
        { path: ['storage'], value: { adapter: 'memory' }, source: 'test' },
        { path: ['plugins'], value: { coverage: settings, ...(withBeacon && { beacon: {} }) }, source: 'test' },
        { path: ['demo'], value: demo, source: 'test' },
        { path: ['http'], value: http, source: 'test' },
        ...(isAudited ? [{ path: ['audit'], value: { key: auditKey }, source: 'test' }] : []),
        ...(options.s3 === undefined ? [] : [{ path: ['s3'], value: options.s3, source: 'test' }]),
        ...(options.auth === undefined ? [] : [{ path: ['auth'], value: options.auth, source: 'test' }]),
      ],
    });
    const { close, ...server } = await serveOn({ configuration, storage, now, jobs: false });
    return {
      ...server,
      intervals,
      tokens: storage.repository(tokens),
      samples: storage.repository(coverageSamples),
      token: async (...scopes) => (await issueToken(storage.repository(tokens), { owner: 'lab', scopes }, now())).token,
      storage,
      async audited() {
        const found: ReadEntry[] = [];
        const reading = readEntries({ repository: storage.repository(audit), keys: new AuditKeys(auditKey) }, {});
        for await (const page of reading) found.push(...page);
        return found;
      },
      close: () => close().finally(discard),
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

export async function post<Body = Json>(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply<Body>> {
  return request<Body>(url, { json: body, headers });
}

/** A multipart form: texts are fields, bytes are the file. */
export async function postForm<Body = Json>(url: string, parts: Record<string, string | Buffer>): Promise<Reply<Body>> {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value]), 'targets.bed');
  }
  return request<Body>(url, { form });
}

export async function get<Body = Json>(
  url: string,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Reply<Body>> {
  return request<Body>(url, { query, headers });
}

/** For a suite: a server that requires access tokens, and the identity provider that issues them. */
export function useTokens(options: CoverageOptions) {
  let provider: IdentityProvider | undefined;
  let server: Coverage | undefined;
  before(async () => {
    provider = await IdentityProvider.start();
    const { jwksUrl, audience } = provider;
    const oidc = { jwksUrl, audience, cooldown: 1 };
    server = await serveCoverage({ ...options, settings: { ...options.settings, oidc } });
  });
  after(async () => {
    await server?.close();
    await provider?.close();
  });
  const running = () => {
    if (provider === undefined || server === undefined) throw new Error('The server runs only during tests');
    return { provider, server };
  };
  return { provider: () => running().provider, server: () => running().server };
}
