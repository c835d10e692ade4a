// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders in configuration files
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { stringify } from 'yaml';
import type { Override } from '../../../core/config.js';
import { configured, faultsOf, probe, shown } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';

type Section = Record<string, unknown>;

/** What an operator starts a server with: a file, variables and options. */
interface Setup {
  file: { http: Section; storage: Section; log: Section; jobs: Section; plugins: Section } & Section;
  environment: Record<string, string>;
  overrides: Override[];
  /** Appended to the text of the file. */
  tail: string;
  missing?: boolean;
}

interface Mistake {
  name: string;
  make(setup: Setup): void;
  /** Pattern that the report must match. */
  report: RegExp;
  /** The settings or things concerned; two mistakes about the same one cannot be combined. */
  about: string;
  /** The file becomes unreadable, so no other mistake in it can be found. */
  unreadable?: boolean;
  /** The mistake is in variables or options, so it is found even if the file is unreadable. */
  outside?: boolean;
}

const at = (name: string) => fileURLToPath(new URL(`../../support/plugins/${name}.mjs`, import.meta.url));
const option = (key: string, value: string): Override => ({ path: ['http', key], value, source: `--${key}` });

const mistakes: Mistake[] = [
  {
    name: 'an unknown plugin',
    about: 'becon',
    make: ({ file }) => (file.plugins.becon = {}),
    report: /plugins\.becon: there is no plugin "becon"; did you mean "beacon"\?.*lab\.yaml:\d+:\d+/,
  },
  {
    name: 'a plugin by path that is not there',
    about: 'path',
    make: ({ file }) => (file.plugins['./none.mjs'] = {}),
    report: /"\.\/none\.mjs"\]: the plugin "\.\/none\.mjs" was not found.*lab\.yaml/,
  },
  {
    name: 'a plugin of another interface',
    about: 'outdated',
    make: ({ file }) => (file.plugins[at('outdated')] = {}),
    report: /version 2 of the plugin interface.*lab\.yaml/,
  },
  {
    name: 'a plugin that cannot be loaded',
    about: 'broken',
    make: ({ file }) => (file.plugins[at('broken')] = {}),
    report: /could not be loaded: broken on purpose.*lab\.yaml/,
  },
  {
    name: 'a plugin given twice',
    about: 'twice',
    make: ({ file }) => (file.plugins[probe.replace('/probe', '/./probe')] = {}),
    report: /claims the name "probe", as .* does.*lab\.yaml/,
  },
  {
    name: 'tables with two owners',
    about: 'greedy',
    make: ({ file }) => (file.plugins[at('greedy')] = {}),
    report: /claims the tables of "jobs", as the core does.*lab\.yaml/,
  },
  {
    name: 'one port for two servers',
    about: 'port',
    make: ({ file }) => {
      file.http.metrics = { port: 5601 };
      file.http.port = 5601;
    },
    report: /http\.metrics\.port: is the same port as http\.port/,
  },
  {
    name: 'a plugin setting of the wrong type',
    about: 'greeting',
    make: ({ file }) => ((file.plugins[probe] as Section).greeting = 5),
    report: /\.greeting: expected another type.*lab\.yaml/,
  },
  {
    name: 'a variable of a plugin with a wrong value',
    about: 'limit',
    make: ({ environment }) => (environment.PROBE_LIMIT = 'many'),
    report: /\.limit: expected another type \(environment variable PROBE_LIMIT\)/,
  },
  {
    name: 'a plugin with a list for a section',
    about: 'beacon',
    make: ({ file }) => (file.plugins.beacon = ['x']),
    report: /plugins\.beacon: .*lab\.yaml/,
  },
  {
    name: 'a bad port',
    about: 'port',
    make: ({ file }) => (file.http.port = 'banana'),
    report: /http\.port: must be a number .*lab\.yaml/,
  },
  {
    name: 'a bad port on the command line',
    about: 'port',
    outside: true,
    make: ({ overrides }) => overrides.push(option('port', '70000')),
    report: /http\.port: must be at most 65535 \(--port\)/,
  },
  {
    name: 'an empty host on the command line',
    about: 'host',
    outside: true,
    make: ({ overrides }) => overrides.push(option('host', '')),
    report: /http\.host: must have at least 1 character \(--host\)/,
  },
  {
    name: 'an unknown section',
    about: 'sever',
    make: ({ file }) => (file.jbos = {}),
    report: /jbos: unknown key; did you mean "jobs"\?.*lab\.yaml/,
  },
  {
    name: 'an unknown key',
    about: 'prot',
    make: ({ file }) => (file.http.prot = 1),
    report: /http\.prot: unknown key; did you mean "port"\?.*lab\.yaml/,
  },
  {
    name: 'an unknown key deeper down',
    about: 'cors',
    make: ({ file }) => (file.http.cors = { origin: [] }),
    report: /http\.cors\.origin: unknown key; did you mean "origins"\?.*lab\.yaml/,
  },
  {
    name: 'an unknown adapter',
    about: 'adapter',
    make: ({ file }) => (file.storage = { adapter: 'postgress' }),
    report: /storage\.adapter: there is no adapter "postgress"; did you mean "postgres"\?.*lab\.yaml/,
  },
  {
    name: 'an unknown adapter in the environment',
    about: 'adapter',
    outside: true,
    make: ({ environment }) => (environment.TREFOIL_STORAGE = 'oracle'),
    report: /there is no adapter "oracle".*environment variable TREFOIL_STORAGE/,
  },
  {
    name: 'an unknown adapter setting',
    about: 'adapter',
    make: ({ file }) => (file.storage = { adapter: 'sqlite', flie: 'x' }),
    report: /storage\.flie: unknown key; did you mean "file"\?.*lab\.yaml/,
  },
  {
    name: 'a bad adapter setting',
    about: 'adapter',
    make: ({ file }) => (file.storage = { adapter: 'postgres', host: 'x', port: 'x' }),
    report: /storage\.port: .*lab\.yaml/,
  },
  {
    name: 'a variable that is not set',
    about: 'log',
    make: ({ file }) => (file.log.level = '${NOPE}'),
    report: /log\.level: the environment variable NOPE is not set.*lab\.yaml/,
  },
  {
    name: 'a secret file that is not there',
    about: 'baseUrl',
    make: ({ file }) => (file.http.baseUrl = '${file:none}'),
    report: /http\.baseUrl: the file .*none does not exist.*lab\.yaml/,
  },
  {
    name: 'a bad choice',
    about: 'migrate',
    make: ({ file }) => (file.migrate = 'always'),
    report: /migrate: must be one of auto, manual .*lab\.yaml/,
  },
  {
    name: 'a switch that is none',
    about: 'demo',
    make: ({ file }) => (file.demo = 'perhaps'),
    report: /demo: must be true or false .*lab\.yaml/,
  },
  {
    name: 'settings that do not fit together',
    about: 'lease',
    make: ({ file }) => (file.jobs.leaseSeconds = 12),
    report: /jobs\.renewSeconds: must be at most half.*/,
  },
  {
    name: 'a job setting out of range',
    about: 'concurrency',
    make: ({ file }) => (file.jobs.concurrency = 1000),
    report: /jobs\.concurrency: must be at most \d+ .*lab\.yaml/,
  },
  {
    name: 'a bad log level in the environment',
    about: 'log',
    outside: true,
    make: ({ environment }) => (environment.LOG_LEVEL = 'loud'),
    report: /log\.level: .*environment variable LOG_LEVEL/,
  },
  {
    name: 'a YAML mistake',
    about: 'yaml',
    unreadable: true,
    make: (setup) => (setup.tail += 'open: { a: 1\n'),
    report: /YAML: .*lab\.yaml:\d+/,
  },
  {
    name: 'a file that is not there',
    about: 'yaml',
    unreadable: true,
    make: (setup) => (setup.missing = true),
    report: /lab\.yaml does not exist \(--config\)/,
  },
];

describe('configuration: faults', () => {
  const folder = useFolder();

  async function reportOf(...made: Mistake[]): Promise<{ text: string; count: number }> {
    const setup: Setup = {
      file: { http: {}, storage: { adapter: 'memory' }, log: {}, jobs: {}, plugins: { [probe]: {} } },
      environment: {},
      overrides: [],
      tail: '',
    };
    for (const mistake of made) mistake.make(setup);
    const text = stringify(setup.file) + setup.tail;
    const file = setup.missing ? `${folder.path()}/none/lab.yaml` : await folder.write('lab.yaml', text);
    const faults = await faultsOf({ file, environment: setup.environment, overrides: setup.overrides });
    return { text: faults.map(shown).join('\n'), count: faults.length };
  }

  for (const mistake of mistakes) {
    it(`report ${mistake.name}, and nothing else`, async () => {
      const { text, count } = await reportOf(mistake);
      expect(text).to.match(mistake.report);
      expect(count).to.equal(1);
    });
  }

  it('of every pair of mistakes are reported in one run', async () => {
    let pairs = 0;
    for (const [i, one] of mistakes.entries()) {
      for (const other of mistakes.slice(i + 1)) {
        const hidden = (one.unreadable && !other.outside) || (other.unreadable && !one.outside);
        if (one.about === other.about || hidden) continue;
        const { text, count } = await reportOf(one, other);
        expect(text, `${one.name} and ${other.name}`).to.match(one.report).and.match(other.report);
        expect(count, `${one.name} and ${other.name}:\n${text}`).to.equal(2);
        pairs++;
      }
    }
    expect(pairs).to.be.greaterThan(280);
  });

  it('name the setting in a nested list', async () => {
    const file = await folder.write(
      'lab.yaml',
      `storage: { adapter: memory }\nhttp:\n  cors:\n    origins:\n      - '*'\n      - 7\n`,
    );
    expect((await faultsOf({ file })).map(shown).join()).to.match(/http\.cors\.origins\.1: .*lab\.yaml:6:9/);
  });

  it('are reported beside a misspelt adapter: the closest name checks the remaining settings', async () => {
    const file = await folder.write('lab.yaml', 'storage: { adapter: sqlit, fil: x }\n');
    expect((await faultsOf({ file })).map(({ path }) => path)).to.have.members(['storage.adapter', 'storage.fil']);
  });

  it('say of a required setting that it is missing, and what is expected', async () => {
    const auth =
      'auth: { issuers: [{ audience: lab }], roles: [{ claim: groups, value: x }], visaGrants: [{ value: x, scopes: [server:audit] }] }';
    const file = await folder.write('lab.yaml', `storage: { adapter: memory }\n${auth}\n`);
    expect((await faultsOf({ file })).map(({ path, message }) => `${path}: ${message}`)).to.include.members([
      'auth.issuers.0.issuer: is missing; expected string',
      'auth.roles.0.role: is missing; expected one of "read"|"work"|"admin"',
    ]);
  });

  it('are reported in one message with a line for each', async () => {
    const file = await folder.write('lab.yaml', 'storage: { adapter: memory }\nhttp: { prot: 1, port: x }\n');
    const error = await configured({ file }).catch((thrown: Error) => thrown);
    expect(
      String((error as Error).message)
        .split('\n')
        .map((line) => line.replace(/\(.*lab/, '(lab')),
    ).to.deep.equal([
      '2 things are wrong with the configuration:',
      '  - http.port: must be a number (lab.yaml:2:18)',
      '  - http.prot: unknown key; did you mean "port"? (lab.yaml:2:9)',
    ]);
  });
});
