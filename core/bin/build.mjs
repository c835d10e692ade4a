/**
 * Builds `dist/`: declarations, bundled code (see bundle.mjs), assets and demo data, and in a clone makes `npx trefoil`
 * and `npx beacon` find our own binaries. With --if-possible it does nothing if the compiler is not installed, as in a
 * production install; with --if-changed it does nothing if the build is of this commit and newer than every source.
 * With --no-check it leaves the check of types to `npm run typecheck`.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(import.meta.url);
const parts = ['core', 'plugins', 'adapters'];
/** The sources of the build: the parts, and the conformance kit, which the package exports. */
const compiled = [...parts, 'test/conformance'];

const compiler = folderOf('esbuild') && folderOf('typescript');
const sources = existsSync(join(root, 'core/cli.ts'));
if (process.argv.includes('--if-possible') && (compiler === undefined || !sources)) process.exit(0);
if (process.argv.includes('--if-changed') && isCurrent()) process.exit(0);
if (compiler === undefined) fail('typescript or esbuild is not installed: run `npm ci` first');

// Compiles to another folder that then replaces the old build, so that a failed build keeps the old one.
const staging = join(root, 'node_modules/.cache/trefoil-build');
rmSync(staging, { recursive: true, force: true });
const options = ['-p', 'tsconfig.build.json', '--outDir', staging];
if (process.argv.includes('--no-check')) options.push('--noCheck');
const tsc = spawnSync(process.execPath, [join(compiler, 'bin/tsc'), ...options], { cwd: root, stdio: 'inherit' });
if (tsc.status !== 0) {
  rmSync(staging, { recursive: true, force: true });
  fail('the sources do not compile');
}
const { bundle } = await import('./bundle.mjs');
await bundle({ root, parts, folder: staging });
for (const part of parts) copyAssets(join(root, part), join(staging, part));
copySwagger(join(staging, 'core/http/assets'));
writeFileSync(join(staging, 'build.json'), JSON.stringify({ revision: revision() }));
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(staging, join(root, 'dist'));
const { createOutline } = await import('../../dist/core/cli/outline.js');
writeFileSync(join(root, 'dist/commands.json'), JSON.stringify(await createOutline()));
linkBinaries();

/** The commit that is built: TREFOIL_REVISION if set (for builds outside a clone), else that of git, else `unknown`. */
function revision() {
  const { TREFOIL_REVISION } = process.env;
  if (TREFOIL_REVISION) return TREFOIL_REVISION;
  const git = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return existsSync(join(root, '.git')) && git.status === 0 ? git.stdout.trim() : 'unknown';
}

/** A folder is as new as the last entry that was added to it or removed from it. */
function isCurrent() {
  const stamp = join(root, 'dist/build.json');
  if (!existsSync(stamp) || JSON.parse(readFileSync(stamp, 'utf8')).revision !== revision()) return false;
  const built = statSync(stamp).mtimeMs;
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  const below = compiled.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true }).map((path) => join(part, path)),
  );
  return [...files, ...compiled, ...below].every((path) => statSync(join(root, path)).mtimeMs < built);
}

/** Copies every folder called `assets` or `demo`. */
function copyAssets(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name === 'assets' || entry.name === 'demo') {
      cpSync(source, target, { recursive: true, filter: (file) => !file.endsWith('.ts') });
    } else copyAssets(source, target);
  }
}

/** Copies the API explorer, so that /docs works without the network. */
function copySwagger(target) {
  const from = folderOf('swagger-ui-dist');
  if (from === undefined) fail('swagger-ui-dist is not installed: run `npm ci` first');
  mkdirSync(target, { recursive: true });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']) {
    cpSync(join(from, file), join(target, file));
  }
}

/** Links our own binaries in a clone: npm links only those of dependencies. */
function linkBinaries() {
  const folder = join(root, 'node_modules/.bin');
  if (process.platform === 'win32' || !existsSync(folder)) return;
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, file] of Object.entries(bin)) {
    const link = join(folder, name);
    rmSync(link, { force: true });
    symlinkSync(relative(folder, join(root, file)), link);
  }
}

function folderOf(dependency) {
  try {
    return dirname(require.resolve(`${dependency}/package.json`));
  } catch {
    return undefined;
  }
}

function fail(reason) {
  process.stderr.write(`build: ${reason}\n`);
  process.exit(1);
}
