/** Builds images and runs containers by podman, in a store of its own, without a registry. */
import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { canRun, isInstalled, programFolders } from './programs.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** What the stages of our Dockerfile use of their base image, beside Node.js and npm. */
const programs = ['sh', 'env', 'cat', 'chmod', 'chown', 'install', 'ln', 'mkdir', 'rm', 'uname'];

/** Restrictions that the guides recommend. An engine would otherwise raise limits above those of this process. */
export const confined: readonly string[] = [
  ...['--network', 'none', '--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
  ...['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'],
];

/** The programs that tests of images lack on this machine. */
export function missingPrograms(): string[] {
  return ['podman', 'tar', 'ldd', 'npm'].filter((program) => !isInstalled(program));
}

export class Podman {
  readonly #options: string[];

  private constructor(folder: string, driver: string) {
    const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--tmpdir', join(folder, 'tmp')];
    // crun does not start containers on every hierarchy of cgroups; runc does.
    const runtime = isInstalled('runc') ? ['--runtime', 'runc'] : [];
    const engine = ['--cgroup-manager', 'cgroupfs', '--events-backend', 'none', ...runtime];
    this.#options = [...store, '--storage-driver', driver, ...engine];
  }

  /** With layers that share files if the machine allows it; otherwise each is a copy. */
  static async in(folder: string): Promise<Podman> {
    const shared = new Podman(join(folder, 'overlay'), 'overlay');
    return shared.do('info').then(
      () => shared,
      () => new Podman(join(folder, 'vfs'), 'vfs'),
    );
  }

  /** Runs a command of podman and returns what it prints; throws with its errors. */
  async do(...args: string[]): Promise<string> {
    const { stdout } = await run('podman', [...this.#options, ...args], { maxBuffer: 2 ** 26 });
    return stdout.trim();
  }
}

/** Makes an image of this name from a Node.js executable and programs of this machine, all that a build needs. */
export async function importNode(podman: Podman, name: string, executable: string, folder: string): Promise<void> {
  const root = join(folder, 'base');
  for (const path of ['usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64', 'usr/local/bin', 'usr/local/lib', 'etc', 'proc']) {
    mkdirSync(join(root, path), { recursive: true });
  }
  for (const path of ['sys', 'dev', 'root', 'run', 'var']) mkdirSync(join(root, path));
  mkdirSync(join(root, 'tmp'), { mode: 0o1777 });
  for (const path of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${path}`, join(root, path));
  const files = programs.map((program) => find(program));
  const { stdout } = await run('ldd', [executable, ...files]);
  const libraries = [...stdout.matchAll(/^\t(?:.* => )?(\/\S+)/gm)].map(([, path = '']) => path);
  for (const file of new Set([...files, ...libraries])) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(realpathSync(file), join(root, file));
  }
  copyFileSync(executable, join(root, 'usr/local/bin/node'));
  cpSync(dirname(dirname(realpathSync(find('npm')))), join(root, 'usr/local/lib/npm'), { recursive: true });
  symlinkSync('../lib/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  const archive = join(folder, 'base.tar');
  await run('tar', [
    '--create',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--file',
    archive,
    '--directory',
    root,
    '.',
  ]);
  await podman.do('import', '--quiet', '--change', 'ENV PATH=/usr/local/bin:/usr/bin:/bin', archive, name);
}

/**
 * Options of a build by which npm in the image finds what npm found here: downloaded packages, the registry, and the
 * SQLite driver of this clone where prebuilt ones are kept. None of it becomes part of the image.
 */
export async function npmOfThisMachine(root: string, folder: string): Promise<string[]> {
  const { stdout } = await run('npm', ['config', 'list', '--json'], { cwd: root, maxBuffer: 2 ** 24 });
  const { cache, registry, cafile } = JSON.parse(stdout) as Record<'cache' | 'registry' | 'cafile', string | null>;
  const settings = { 'prefer-offline': true, 'update-notifier': false, registry, ...(cafile ? { cafile } : {}) };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, 'npmrc'), lines.join(''));
  const prebuilds = join(folder, 'prebuilds');
  mkdirSync(prebuilds);
  const driver = dirname(require.resolve('sqlite3/package.json'));
  await run('tar', ['-czf', join(prebuilds, prebuiltName(driver)), '-C', driver, 'build/Release/node_sqlite3.node']);
  const mounts = [
    `${join(cache ?? '', '_cacache')}:/root/.npm/_cacache`,
    `${prebuilds}:/root/.npm/_prebuilds`,
    `${join(folder, 'npmrc')}:/root/.npmrc:ro`,
    ...(cafile ? [`${cafile}:${cafile}:ro`] : []),
  ];
  return mounts.flatMap((mount) => ['--volume', mount]);
}

/** How prebuild-install names the driver in its cache. */
function prebuiltName(driver: string): string {
  const names = require('prebuild-install/util') as {
    getDownloadUrl(options: object): string;
    cachedPrebuild(url: string): string;
  };
  const pkg = require(join(driver, 'package.json')) as { binary: { napi_versions: number[] } };
  const [platform, arch, abi] = [process.platform, process.arch, Math.max(...pkg.binary.napi_versions)];
  const url = names.getDownloadUrl({ pkg, platform, arch, abi, runtime: 'napi', libc: '', 'tag-prefix': 'v' });
  return names.cachedPrebuild(url).split('/').at(-1) ?? '';
}

function find(program: string): string {
  const file = programFolders.map((folder) => join(folder, program)).find(canRun);
  if (file === undefined) throw new Error(`${program} is in none of ${programFolders.join(delimiter)}`);
  return file;
}
