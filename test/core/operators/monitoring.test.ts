/** The dashboard and the alerts that we ship use only metrics that a server exports. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { introduce, servePeer } from '../../plugins/matchmaker/exchange/support/peer.js';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { type Running, serve } from '../../support/trefoil.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const textOf = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const promtool = promisify(execFile)('promtool', ['--version']).then(
  () => true,
  () => false,
);

const patient = {
  id: 'case-1',
  contact: { name: 'A. Clinician', href: 'mailto:a.clinician@example.org' },
  genomicFeatures: [{ gene: { id: 'SCN1A' } }],
};

/** A metric in an expression, with the labels that select it. */
interface Asked {
  name: string;
  labels: string[];
}

describe('operators: dashboard and alerts', function () {
  this.timeout(120_000); // a server and commands
  const folder = useFolder();
  let server: Running | undefined;
  afterEach(() => server?.kill());

  it('use metrics that a server with all plugins exports, by labels that they have', async () => {
    const given = new Map([...(await shared()), ...(await metricsOfAMissingBackup())]);
    const asked = [...dashboard(), ...alerts()].flatMap(selectors);
    expect(asked.map(({ name }) => name)).to.include.members(['trefoil_jobs', 'process_cpu_seconds_total']);
    for (const { name, labels } of asked) {
      if (name === 'up') continue; // Prometheus makes it of every scrape
      expect([...given.keys()], name).to.include(name);
      expect([...(given.get(name) ?? [])], name).to.include.members(labels);
    }
  });

  it('are described in the reference, as all our metrics are', async () => {
    const page = textOf('config/reference/metrics.md');
    const missing = [...(await shared()).keys()]
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''))
      .filter((name) => name.startsWith('trefoil_'))
      .filter((name) => !page.includes(`| \`${name}`));
    expect(missing).to.deep.equal([]);
  });

  it('fire when they should, and only then', async function () {
    if (!(await promtool)) return this.skip();
    const file = fileURLToPath(new URL('alerts.promtool.yaml', import.meta.url));
    const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', file]);
    expect(stdout).to.include('SUCCESS');
    const tested = new Set([...readFileSync(file, 'utf8').matchAll(/alertname: (\w+)/g)].map(([, name]) => name));
    const named = new Set(alertRules().flatMap(({ alert }) => alert ?? []));
    expect([...tested]).to.have.members([...named]);
  });

  /** What `backup verify` leaves for the node exporter if there is no backup. */
  async function metricsOfAMissingBackup(): Promise<Map<string, Set<string>>> {
    const words = ['backup', 'verify', 'gone.sqlite', '--textfile', 'backup.prom'];
    const { code, stderr } = await command(words, { cwd: folder.path(), env: { TREFOIL_SQLITE_FILE: 'lab.sqlite' } });
    expect([code, stderr.trim()]).to.deep.equal([1, 'trefoil: There is no backup gone.sqlite']);
    const text = readFileSync(`${folder.path()}/backup.prom`, 'utf8');
    expect(text).to.include('\ntrefoil_backup_reliable 0\n');
    return labelsByName(text);
  }

  let made: ReturnType<typeof metricsOfABusyServer> | undefined;
  /** Of one server for all tests. */
  const shared = () => {
    made ??= metricsOfABusyServer();
    return made;
  };

  /** The names and labels of a server's metrics, after requests of every kind. */
  async function metricsOfABusyServer(): Promise<Map<string, Set<string>>> {
    const settings = {
      plugins: { beacon: {}, coverage: {}, matchmaker: { exchange: { allowHttp: true } } },
      audit: { key: 'k'.repeat(32), checkpoints: { to: [folder.path()] } },
    };
    await folder.write('lab.yaml', JSON.stringify(settings));
    const env = {
      MATCHMAKER_KEY: 'k'.repeat(44),
      TREFOIL_SQLITE_FILE: 'lab.sqlite',
      TREFOIL_CONFIG: 'lab.yaml',
      MAIL_SERVER: '127.0.0.1',
    };
    const options = { cwd: folder.path(), env };
    const peer = await servePeer();
    try {
      const token = await introduce(peer, options);
      const { url, process } = await serve(['serve', '--port', '0'], options);
      server = process;
      const allele = 'assemblyId=GRCh37&referenceName=1&start=1&referenceBases=C&alternateBases=A';
      await fetch(`${url}/apiv1.0/query?${allele}`);
      const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ patient });
      expect((await fetch(`${url}/patient/add`, { method: 'POST', headers, body })).status).to.equal(200);
      for (;;) {
        const text = await (await fetch(`${url}/-/metrics`)).text();
        const given = labelsByName(text);
        // The job may end while a scrape reads one gauge after the other.
        if (given.has('trefoil_matchmaker_node_up') && given.has('trefoil_matchmaker_node_last_success_seconds'))
          return given;
      }
    } finally {
      await peer.close();
    }
  }
});

/** The labels of each metric in the text of a scrape. */
function labelsByName(text: string): Map<string, Set<string>> {
  const given = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = given.get(name) ?? new Set(['instance', 'job']);
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    given.set(name, known);
  }
  return given;
}

/** Alerts, and the series that some of them are computed from, which have no name of an alert. */
function alertRules(): { alert?: string; expr: string }[] {
  const { groups } = parse(textOf('config/deploy/alerts.yaml')) as {
    groups: { rules: { alert?: string; expr: string }[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

const alerts = (): string[] => alertRules().map(({ expr }) => expr);

function dashboard(): string[] {
  const { panels } = JSON.parse(textOf('config/deploy/grafana-dashboard.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** The metrics in an expression; labels that it groups by count for each of them. */
function selectors(expression: string): Asked[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/, */));
  return [...expression.matchAll(/\b(up|(?:trefoil|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', chosen = '']) => ({
      name,
      labels: [...grouped, ...[...chosen.matchAll(/(\w+)(?==|!)/g)].map(([, label = '']) => label)],
    }),
  );
}
