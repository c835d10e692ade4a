/** What a server with every optional part has: routes, rights, metrics and limits of lists. Its storage stays closed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { poolMetrics } from '../../../adapters/knex/driver.js';
import { replicaMetrics } from '../../../adapters/postgres/replica.js';
import { builtIn } from '../../../core/load.js';
import { createLog } from '../../../core/log.js';
import type { Right } from '../../../core/policy/policy.js';
import { rightsIn } from '../../../core/rights.js';
import { assemble } from '../../../core/start/assemble.js';
import type { Storage, StorageMetric } from '../../../core/storage.js';
import { configured } from '../configured.js';
import { type Description, fieldsOf } from '../request-fields.js';

export interface ServerDescription {
  rights: readonly Right[];
  routes: readonly { owner: string; methods: readonly string[]; path: string; summary: string; needs: string }[];
  metrics: readonly Metric[];
  lists: readonly { operation: string; field: string; most: number }[];
}

interface Metric {
  name: string;
  help: string;
  type: string;
  labels: readonly string[];
}

interface Operation {
  tags: [string];
  summary: string;
  description?: string;
  security?: readonly Record<string, unknown>[];
}

const secret = 'k'.repeat(44);
const everything = (folder: string) => ({
  http: { baseUrl: 'https://trefoil.example.org' },
  storage: { adapter: 'sqlite', file: join(folder, 'none.sqlite') },
  auth: {
    signIn: { issuer: 'https://login.example.org', clientId: 'trefoil', clientSecret: secret },
    tenants: { cardio: { members: [] } },
  },
  audit: { key: secret, checkpoints: { to: [folder] } },
  erasures: { file: join(folder, 'erasures') },
  plugins: {
    beacon: { loqusdb: { dataset: 'local', addresses: ['127.0.0.1'] }, protection: { default: 'careful' } },
    coverage: {
      intervals: { httpLoading: true },
      oidc: { jwksUrl: 'https://login.example.org/keys', audience: 'trefoil', issuer: 'https://login.example.org' },
      tickets: { key: secret },
      reports: { days: 30 },
      authorize: { url: 'https://cases.example.org/', secret },
    },
    matchmaker: { triage: {}, exchange: { key: secret }, mail: { server: '127.0.0.1' } },
    panels: {},
    reviews: {},
  },
  demo: true,
});

/** Nothing is read from it: a method of its repositories that registration calls finds nothing. */
const closed = {
  repository: <Repository>() => new Proxy({}, { get: () => async () => undefined }) as Repository,
  transaction: async () => {
    throw new Error('The reference opens no storage');
  },
};

export async function describeServer(): Promise<ServerDescription> {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-reference-'));
  try {
    const file = join(folder, 'everything.yaml');
    writeFileSync(file, JSON.stringify(everything(folder)));
    const configuration = await configured({ file });
    const enabled = configuration.plugins.map(({ plugin }) => plugin.name);
    const left = builtIn('plugin').filter((name) => !enabled.includes(name));
    if (left.length > 0) throw new Error(`The reference leaves out ${left.join(', ')}`);
    const { result, metrics } = await watchingMetrics(() =>
      assemble({
        configuration,
        storage: { ...closed, metrics: storageMetrics } as Pick<
          Storage,
          'repository' | 'transaction' | 'metrics' | 'unclaimed'
        >,
        log: createLog({ level: 'silent' }),
        now: () => new Date(0),
        readiness: async () => ({ ready: true, checks: {} }),
      }),
    );
    const description = result.app.openapi() as unknown as Description;
    return {
      rights: rightsIn({ core: configuration.core, plugins: configuration.plugins }),
      routes: routesOf(description),
      metrics,
      lists: listsOf(description),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Those of both engines. */
function storageMetrics(): readonly StorageMetric[] {
  return [...poolMetrics({}), ...replicaMetrics({ current: 0, behind: 0, failed: 0 }, false)];
}

/** Runs the work and returns the metrics that it registers, by name. */
async function watchingMetrics<Result>(work: () => Promise<Result>): Promise<{ result: Result; metrics: Metric[] }> {
  const found = new Map<string, Metric>();
  const { registerMetric } = Registry.prototype;
  Registry.prototype.registerMetric = function (metric) {
    const { name, help, labelNames = [] } = metric as unknown as Metric & { labelNames?: string[] };
    const type = metric.constructor.name.toLowerCase();
    if (name.startsWith('trefoil_')) found.set(name, { name, help, type, labels: labelNames });
    return registerMetric.call(this, metric);
  };
  try {
    const result = await work();
    return { result, metrics: [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) };
  } finally {
    Registry.prototype.registerMetric = registerMetric;
  }
}

function routesOf({ paths }: Description): ServerDescription['routes'] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const operations = Object.entries(item as unknown as Record<string, Operation>);
    const bySummary = new Map<string, { operation: Operation; methods: string[] }>();
    for (const [method, operation] of operations) {
      const key = operation.summary + needsOf(operation);
      const known = bySummary.get(key) ?? { operation, methods: [] };
      bySummary.set(key, { operation, methods: [...known.methods, method.toUpperCase()] });
    }
    return [...bySummary.values()].map(({ operation, methods }) => ({
      owner: operation.tags[0],
      methods,
      path,
      summary: operation.summary,
      needs: needsOf(operation),
    }));
  });
}

/** The scope that the description of an operation states, or the credential that its list of schemes names. */
function needsOf({ description = '', security = [] }: Operation): string {
  const [, required] = /Requires the scope `([^`]+)`/.exec(description) ?? [];
  if (required !== undefined) return `\`${required}\``;
  const [, optional] = /With the scope `([^`]+)`/.exec(description) ?? [];
  if (optional !== undefined) return `(\`${optional}\`)`;
  return security.length === 0 || security.some((one) => Object.keys(one).length === 0) ? '' : 'a credential';
}

function listsOf(description: Description): ServerDescription['lists'] {
  const found = new Map<string, ServerDescription['lists'][number]>();
  for (const { method, path, steps, schema } of fieldsOf(description)) {
    const most = (schema as { maxItems?: number }).maxItems;
    if (most === undefined) continue;
    const field = steps.join('.').replaceAll('.[]', '[]');
    const operation = `${method} ${path}`;
    found.set(`${operation} ${field}`, { operation, field: field === '' ? 'body' : field, most });
  }
  return [...found.values()];
}
