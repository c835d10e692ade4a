/** The image: built from the Dockerfile as it is, inspected, and run as the guides say. */
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { confined, importNode, missingPrograms, npmOfThisMachine, Podman } from '../support/containers.js';
import { blocksOf } from '../support/guide.js';
import { nodes } from '../support/nodes.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const dockerfile = textOf('Dockerfile');
const own = JSON.parse(textOf('package.json')) as Record<'version' | 'license', string>;

/** What a clone holds that an image needs, and what the Dockerfile itself leaves out. */
const sources = ['Dockerfile', '.dockerignore', '.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json'];
const folders = ['tsconfig.build.json', 'core', 'plugins', 'adapters', 'test/conformance', 'config'];
const secret = 'planted-secret';

interface Image {
  Config: {
    User: string;
    Env: string[];
    Cmd: string[];
    Labels: Record<string, string>;
    Volumes: Record<string, object>;
    StopSignal: string;
  };
}

interface Response {
  status: number;
  body: string;
}

interface Question {
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

describe('operators: the image', function () {
  this.timeout(600_000); // builds an image
  let folder = '';
  let podman: Podman;

  before(async function () {
    const [, base = '', major] = /^FROM (node:(\d+)\S*)/m.exec(dockerfile) ?? [];
    const executable = nodes().get(Number(major));
    const missing = missingPrograms();
    if (executable === undefined) missing.push(`Node.js ${major} (in TREFOIL_NODES)`);
    if (process.getuid?.() !== 0) missing.push('the rights of root');
    if (executable === undefined || missing.length > 0) {
      process.stdout.write(`The image is not tested, since this machine lacks ${missing.join(', ')}.\n`);
      return this.skip();
    }
    // A gigabyte: not in memory, where the folder of a whole run may be.
    folder = await mkdtemp('/var/tmp/trefoil-image-');
    podman = await Podman.in(folder);
    await importNode(podman, base, executable, folder);
    const refusal = await podman.do('run', '--rm', ...confined, base, 'sh', '-c', ':').catch(({ stderr }) => stderr);
    if (refusal) {
      process.stdout.write(`The image is not tested, since this machine runs no containers: ${refusal}\n`);
      return this.skip();
    }
    const mounts = await npmOfThisMachine(root, folder);
    const options = [
      '--pull=never',
      '--layers=false',
      '--format=docker',
      '--isolation=chroot',
      '--network=host',
      ...mounts,
    ];
    const revision = ['--build-arg', 'TREFOIL_REVISION=0123456789ab'];
    await podman.do('build', '--quiet', ...options, ...revision, '--tag', 'trefoil', context());
  });
  after(async () => {
    if (folder === '') return;
    await podman.do('rm', '--all', '--force', '--time', '0');
    await podman.do('image', 'umount', '--all');
    await rm(folder, { recursive: true, force: true });
  });

  /** A clone of which only its owner may read anything, with secrets and rubbish in the places that guides name. */
  function context(): string {
    const clone = join(folder, 'clone');
    for (const name of [...sources, ...folders]) cpSync(join(root, name), join(clone, name), { recursive: true });
    for (const path of readdirSync(join(clone, 'config'), { recursive: true, encoding: 'utf8' })) {
      const file = join(clone, 'config', path);
      chmodSync(file, statSync(file).isDirectory() ? 0o700 : 0o600);
    }
    for (const name of ['secrets', 'data', 'test', '.git']) {
      mkdirSync(join(clone, name), { recursive: true });
      writeFileSync(join(clone, name, secret), secret);
    }
    for (const name of ['.env', 'lab.sqlite', 'lab.sqlite-wal']) writeFileSync(join(clone, name), secret);
    return clone;
  }

  it('says what it is, and runs as a user that is not root', async () => {
    const [image] = JSON.parse(await podman.do('image', 'inspect', 'trefoil')) as Image[];
    const { Config } = image as Image;
    expect(Config.User).to.match(/^1000(:1000)?$/);
    expect(Config.StopSignal).to.equal('SIGTERM');
    expect(Object.keys(Config.Volumes)).to.have.members(['/data', '/data-erasures']);
    const label = (name: string) => Config.Labels[`org.opencontainers.image.${name}`];
    expect(label('title')).to.equal('Trefoil');
    expect(label('version')).to.equal(own.version);
    expect(label('licenses')).to.equal(own.license);
    expect(label('revision')).to.equal('0123456789ab');
    expect(Config.Env.join()).to.not.match(/npm_config|TOKEN|SECRET|PASSWORD/i);
  });

  it('has the build and the packages that run, readable by all and writable by root alone', async () => {
    const mounted = await podman.do('image', 'mount', 'trefoil');
    const app = join(mounted, 'app');
    expect(readdirSync(app).sort()).to.deep.equal([
      'config',
      'core',
      'dist',
      'node_modules',
      'package.json',
      'plugins',
    ]);
    const paths = readdirSync(app, { recursive: true, encoding: 'utf8' });
    const wrong = paths.filter((path) => {
      const { uid, gid, mode } = lstatSync(join(app, path));
      return (
        uid !== 0 ||
        gid !== 0 ||
        (((mode & 0o444) !== 0o444 || (mode & 0o6022) !== 0) && !lstatSync(join(app, path)).isSymbolicLink())
      );
    });
    expect(wrong).to.deep.equal([]);

    const ours = paths.filter((path) => !path.startsWith('node_modules/'));
    expect(ours).to.include.members(['dist/commands.json', 'config/production.yaml', 'plugins/beacon/bin/beacon.mjs']);
    expect(ours.filter((path) => /(?<!\.d)\.ts$|\.test\.|(^|\/)(test|\.npmrc|\.env)$/.test(path))).to.deep.equal([]);
    const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
    const development = Object.keys(packages).filter((path) => packages[path]?.dev);
    expect(development).to.include('node_modules/mocha');
    const present = new Set(paths);
    expect(development.filter((path) => present.has(path))).to.deep.equal([]);

    const leaked = ours.filter((path) => path.includes(secret) || containsSecret(join(app, path)));
    expect(leaked).to.deep.equal([]);
    // What the build mounted there has left its place, and nothing else.
    const home = readdirSync(join(mounted, 'root'), { recursive: true, encoding: 'utf8' });
    const files = home.map((path) => statSync(join(mounted, 'root', path))).filter((found) => found.isFile());
    expect(files.map(({ size }) => size).filter((size) => size > 0)).to.deep.equal([]);
    const data = statSync(join(mounted, 'data'));
    expect([data.uid, data.gid, data.mode & 0o7777]).to.deep.equal([1000, 1000, 0o700]);
  });

  const containsSecret = (file: string) => statSync(file).isFile() && readFileSync(file).includes(secret);

  it('serves the demo from a read-only file system, and ends with code 0 when it is stopped', async () => {
    await podman.do('run', '--detach', '--name', 'demo', ...confined, '--volume', 'trefoil:/data', 'trefoil');
    // Until it is ready, as an engine does while it starts.
    while (!(await isHealthy())) {
      const state = await podman.do('inspect', '--format', '{{.State.Status}}', 'demo');
      expect(state, await podman.do('logs', 'demo')).to.equal('running');
      await sleep(1000);
    }
    const limits = await podman.do('exec', 'demo', 'cat', '/proc/1/status');
    expect(limits)
      .to.match(/^Uid:\t1000\t/m)
      .and.match(/^CapBnd:\t0+$/m)
      .and.match(/^NoNewPrivs:\t1$/m);
    const refused = await podman.do('exec', 'demo', 'sh', '-c', 'echo > /app/new || echo refused');
    expect(refused).to.equal('refused');

    const add = ['matchmaker', 'add', 'client', '--id', 'clinic', '--url', 'https://clinic.example.org', '--json'];
    const { token } = JSON.parse(await podman.do('exec', 'demo', 'trefoil', ...add)) as { token: string };
    const allele = 'assemblyId=GRCh37&referenceName=1&start=156146085&referenceBases=C&alternateBases=A';
    const patient = {
      id: 'case-1',
      contact: { name: 'A. Clinician', href: 'mailto:a.clinician@example.org' },
      features: [{ id: 'HP:0002373' }, { id: 'HP:0001251' }],
      genomicFeatures: [{ gene: { id: 'SCN1A' } }],
    };
    const mme = { 'X-Auth-Token': token, 'Content-Type': 'application/vnd.ga4gh.matchmaker.v1.0+json' };
    const [ready, report, query, match] = await ask([
      { path: '/-/ready' },
      { path: '/report/demo?format=csv' },
      { path: `/apiv1.0/query?${allele}` },
      { path: '/match', headers: mme, body: { patient } },
    ]);
    expect(JSON.parse(ready?.body ?? '')).to.include({ ready: true, writable: true });
    // The README states these answers.
    const [table, answer, found] = stated(['sample,mean_coverage', '{"allelRequest"', 'trefoil-demo-01']);
    expect(report).to.deep.equal({ status: 200, body: `${table}\n`.replaceAll('\n', '\r\n') });
    expect(JSON.parse(query?.body ?? '')).to.deep.equal(JSON.parse(answer ?? ''));
    const { results } = JSON.parse(match?.body ?? '') as {
      results: { score: { patient: number }; patient: { id: string } }[];
    };
    const first = results.slice(0, 2).map(({ patient, score }) => `${patient.id} ${score.patient.toFixed(3)}`);
    expect(first.join('\n')).to.equal(found);

    const volume = await podman.do('volume', 'inspect', '--format', '{{.Mountpoint}}', 'trefoil');
    expect(statSync(join(volume, 'trefoil.sqlite')).uid).to.equal(1000);
    await podman.do('stop', '--time', '60', 'demo');
    expect(await podman.do('inspect', '--format', '{{.State.ExitCode}}', 'demo')).to.equal('0');
  });

  /** What the image's own HEALTHCHECK says. */
  async function isHealthy(): Promise<boolean> {
    return podman.do('healthcheck', 'run', 'demo').then(
      () => true,
      () => false,
    );
  }

  /** The first blocks under "Start" in the README that begin with these words. */
  function stated(beginnings: readonly string[]): (string | undefined)[] {
    const blocks = blocksOf('README.md', 'Start');
    return beginnings.map((words) => blocks.find(({ text }) => text.startsWith(words))?.text);
  }

  /** Asks the server within its container, since it has no network, and fetch refuses its port. */
  async function ask(questions: readonly Question[]): Promise<Response[]> {
    const script = `
      import { request } from 'node:http';
      const ask = ({ path, headers, body }) => new Promise((resolve, reject) => {
        const options = { port: 6000, path, headers, method: body === undefined ? 'GET' : 'POST' };
        request(options, async (response) => {
          let text = '';
          for await (const piece of response.setEncoding('utf8')) text += piece;
          resolve({ status: response.statusCode, body: text });
        }).on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
      });
      console.log(JSON.stringify(await Promise.all(${JSON.stringify(questions)}.map(ask))));`;
    return JSON.parse(await podman.do('exec', 'demo', 'node', '--input-type=module', '--eval', script)) as Response[];
  }
});
