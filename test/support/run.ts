/**
 * `npm test`: the whole suite, files side by side in one process more than there are processors, since many wait for
 * databases and timers; each further process compiles and optimises the same code again. Tests that drive a browser, kill
 * processes, fail over, build and serve a package, or run the conformance kit run separately in three lanes, one file at a time
 * in each.
 * The run shares one PostgreSQL, one packed package, sources that are compiled once, and one folder for scratch files,
 * in memory if there is room.
 *
 * Large sets are sampled by the day (sample.ts).
 *
 * `npm test -- FILE…` runs mocha on those files only, with any options of mocha.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.js';
import { pack } from './installed.js';
import { dropDatabases, startServer } from './postgres.js';
import { processorSeconds } from './processor-time.js';
import { readResults, summary } from './results.js';
import { sampled, today } from './sample.js';
import { brief } from './trefoil.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const mocha = join(root, 'node_modules/mocha/bin/mocha.js');

/**
 * Milliseconds after which a test of the whole suite counts as hung. Tests limit the work that they do; the time that
 * it takes depends on the load of the machine.
 */
const hung = String(10 * 60_000);

/** Tests that run apart from the others, by folder or by the end of the file's name. */
const apart = /^test\/.*\b(replica|guides|conformance|kv-adapter|image)\/|\b(browser|processes|crash)\.test\.ts$/;
/**
 * Their lanes, of which none disturbs another: pages and guides; servers that take over from others, and the image, which
 * wait most of the time, with the kit, whose engines share what is compiled of it; and what kills processes.
 */
const lanes = [
  /^test\/guides\/|\bbrowser\.test\.ts$/,
  /^test\/(cluster|image|adapters\/replica|kit\/conformance)\//,
  /^/,
];
/** Whole guides, the image and what fails over: a seventh of them a day, so that the image comes with no other large one. */
const large =
  /^test\/(guides\/(?!links|package|plugin-readmes|questions|readme|reference)|image\/|cluster\/|adapters\/replica\/failover|plugins\/coverage\/d4\/readme)/;
/** The longest of the other files start first, so that none of them runs alone at the end. */
const longest = [
  'test/plugins/matchmaker/exchange/federation.test.ts',
  'test/plugins/linear/linear.test.ts',
  'test/plugins/beacon/attack/attack.test.ts',
  'test/adapters/storage/compaction.test.ts',
  'test/adapters/storage/io-errors.test.ts',
  'test/plugins/matchmaker/exchange/mail.test.ts',
  'test/plugins/matchmaker/exchange/mutual.test.ts',
  'test/plugins/matchmaker/exchange/within.test.ts',
  'test/plugins/coverage/pages/expected-copies.test.ts',
  'test/core/erasures/restore.test.ts',
  'test/plugins/named-fields.test.ts',
  'test/plugins/rights.test.ts',
];

const given = process.argv.slice(2);
process.exitCode = given.length > 0 ? await exitCode(start(given)) : await runAll();

async function runAll(): Promise<number> {
  const began = Date.now();
  const scratch = makeScratch();
  process.env.TMPDIR = scratch;
  // Commands under test then start from the build, as after `npm ci`.
  const building = exitCode(
    spawn(process.execPath, ['core/bin/build.mjs', '--if-changed'], { cwd: root, stdio: 'inherit' }),
  );
  const run = String(process.pid);
  process.env.TREFOIL_TEST_RUN = run;
  process.env.TEST_DAY ??= today();
  const compiled = join(scratch, 'compiled');
  process.env.TREFOIL_TEST_COMPILED = compiled;
  const [server] = await Promise.all([
    process.env.TEST_POSTGRES_URL === undefined ? startServer() : undefined,
    compile(root, compiled),
  ]);
  if (server) process.env.TEST_POSTGRES_URL = server.url;
  const results = join(scratch, 'results.jsonl');
  process.env.TREFOIL_TEST_RESULTS = results;
  try {
    const built = await building;
    if (built !== 0) return built;
    const files = testFiles();
    const alone = lanes.map((lane) =>
      files.filter((file) => apart.test(file) && lanes.find((one) => one.test(file)) === lane),
    );
    const together = files.filter((file) => !apart.test(file));
    const ordered = [...new Set([...longest.filter((file) => together.includes(file)), ...together])];
    const jobs = Math.max(2, availableParallelism()) + 1;
    const common = ['--config', configuration(scratch), '--reporter', 'test/support/reporter.mjs', '--timeout', hung];
    const parallel = exitCode(startCompiled([...common, '--parallel', '--jobs', String(jobs), ...ordered]));
    // Only the tests that run apart use the package.
    process.env.TREFOIL_TEST_PACKAGE = pack();
    const codes = await Promise.all([parallel, ...alone.map((lane) => exitCode(startCompiled([...common, ...lane])))]);
    const total = { seconds: (Date.now() - began) / 1000, processor: processorSeconds() ?? 0 };
    process.stdout.write(`\nSamples of TEST_DAY=${process.env.TEST_DAY}\n${summary(readResults(results), total)}\n`);
    return codes.find((code) => code !== 0) ?? 0;
  } finally {
    await (server ? server.stop() : dropDatabases(run));
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

function testFiles(): string[] {
  const all = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${file}`)
    .sort();
  const isLarge = (file: string) => large.test(file);
  const dealt = sampled(all.filter(isLarge), 7);
  return all.filter((file) => !isLarge(file) || dealt.includes(file));
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [mocha, ...args], { cwd: root, stdio: 'inherit' });
}

/** Like `start`, with the compiled sources, of which a test runs most code a few times. Mocha gives its processes the same options. */
function startCompiled(args: readonly string[]): ChildProcess {
  const loader = new URL('./compiled.mjs', import.meta.url).href;
  return spawn(process.execPath, [...brief, '--import', loader, mocha, ...args], { cwd: root, stdio: 'inherit' });
}

/** Writes mocha's configuration of the clone without its loader, and returns the path. */
function configuration(scratch: string): string {
  const { 'node-option': _, ...options } = JSON.parse(readFileSync(join(root, '.mocharc.json'), 'utf8')) as object & {
    'node-option': unknown;
  };
  const file = join(scratch, 'mocharc.json');
  writeFileSync(file, JSON.stringify(options));
  return file;
}

async function exitCode(child: ChildProcess): Promise<number> {
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** In memory if 4 GB are free there: databases of tests need not survive a reboot. */
function makeScratch(): string {
  const folder = mkdtempSync(join(spareMemory() ? '/dev/shm' : tmpdir(), 'trefoil-tests-'));
  // The user that runs PostgreSQL has its data below this folder.
  chmodSync(folder, 0o711);
  return folder;
}

function spareMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > 4 * 2 ** 30;
  } catch {
    return false;
  }
}
