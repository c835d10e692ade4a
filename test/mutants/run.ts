/**
 * `npm run mutants`: changes one thing at a time in bindings, stores and tables, and runs the cases of the conformance kit that must
 * notice. Mutants that break no promise (`equivalent.ts` says why) are not among them. Prints a line for each mutant, caught or
 * missed, with file and line, and ends with 1 if more than 2 % were missed.
 *
 *     --contract=jobs@1,tokens@1   only these contracts
 *     --source=core/jobs           only sources whose path has this text
 *     --operator='holds no rows'   only mutants of this kind
 *     --seed=7                     of the sample; the day if omitted, so that each day looks at others
 *     --count=300                  mutants of the sample, spread over all contracts
 *     --minutes=60                 no mutant is begun after this time
 *     --state=FILE                 results so far: what is in the file is not run again
 *     --explained                  only lists the mutants that break no promise, each with the reason
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { transform } from 'esbuild';
import { Random } from '../conformance/core.js';
import { compile } from '../support/compile.js';
import { startServer } from '../support/postgres.js';
import { equivalents, explains } from './equivalent.js';
import { type Mutant, mutantsOf, mutated } from './operators.js';
import { type Target, targetsIn } from './targets.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values: options } = parseArgs({
  options: {
    contract: { type: 'string' },
    source: { type: 'string' },
    operator: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    count: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '60' },
    state: { type: 'string' },
    explained: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});

/** Where the cases of contracts run. */
const conformanceTests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?:^|\/)conformance(?:\/\w+)?\.test\.ts$/.test(file))
  .map((file) => join('test', file));

/** A mutant that is run: in a target, on one storage. */
interface Trial extends Target {
  readonly mutant: Mutant;
  readonly subject: string;
  /** The same in every run, for `--state`. */
  readonly name: string;
}

interface Candidate extends Trial {
  /** Why it breaks no promise; undefined if it may. */
  readonly because: string | undefined;
}

interface Result {
  readonly name: string;
  readonly outcome: 'caught' | 'missed';
  /** The case that noticed, or what happened instead. */
  readonly by: string;
}

/** Milliseconds after which a case counts as hung, and after which all of them do. */
const [hung, allHung] = [30_000, 240_000];

/** As many of each contract as of every other, as far as it has so many; in an order of the seed. */
function sampled(trials: readonly Candidate[], count: number, random: Random): Trial[] {
  const byContract = new Map<string, Trial[]>();
  // Explanations that are added leave the others of the sample in it.
  for (const trial of random.shuffled(trials)) {
    if (trial.because !== undefined) continue;
    byContract.set(trial.contract, [...(byContract.get(trial.contract) ?? []), trial]);
  }
  const chosen: Trial[] = [];
  for (let round = 0; chosen.length < count; round++) {
    const next = [...byContract.values()].flatMap((all) => all[round] ?? []);
    if (next.length === 0) break;
    chosen.push(...next.slice(0, count - chosen.length));
  }
  return chosen;
}

/** One process after another on a folder of compiled sources of its own. */
class Worker {
  readonly #folder: string;

  constructor(compiled: string, folder: string) {
    cpSync(compiled, folder, { recursive: true });
    this.#folder = folder;
  }

  async run(trial: Trial): Promise<Omit<Result, 'name'>> {
    const file = join(this.#folder, trial.source);
    const before = readFileSync(file, 'utf8');
    try {
      const source = mutated(readFileSync(join(root, trial.source), 'utf8'), trial.mutant);
      const { code } = await transform(source, { loader: 'ts', format: 'esm', sourcefile: basename(trial.source) });
      writeFileSync(file, code);
      return await this.#noticed(trial);
    } finally {
      writeFileSync(file, before);
    }
  }

  async #noticed({ contract, subject }: Trial): Promise<Omit<Result, 'name'>> {
    const loader = new URL('../support/compiled.mjs', import.meta.url).href;
    const child = spawn(
      process.execPath,
      [
        ...['--import', loader, join(root, 'node_modules/mocha/bin/mocha.js'), '--no-config', '--exit', '--bail'],
        ...['--timeout', String(hung), '--reporter', 'json', '--fgrep', `${contract} on ${subject} `],
        ...conformanceTests,
      ],
      {
        cwd: root,
        // Every case of the contract, whichever of them the suite takes today.
        env: { ...process.env, TREFOIL_TEST_COMPILED: this.#folder, TEST_DAY: undefined },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      },
    );
    const output: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      errors = (errors + chunk).slice(-10_000);
    });
    const late = setTimeout(() => stop(child), allHung);
    const [code] = await once(child, 'close');
    clearTimeout(late);
    const text = Buffer.concat(output).toString();
    const begin = text.indexOf('{\n');
    // A module that is in the clone was not loaded because of the mutant; another was moved since the sources were compiled.
    const [, lacking] = /Cannot find module '([^']+)\.js'/.exec(errors) ?? [];
    if (begin < 0 && lacking !== undefined && !existsSync(`${lacking}.ts`)) {
      throw new Error(`The cases cannot be loaded: ${errors}`);
    }
    if (code === null || begin < 0) return { outcome: 'caught', by: 'the process ends, or goes on for ever' };
    const { stats, failures } = JSON.parse(text.slice(begin)) as {
      stats: { tests: number };
      failures: { title: string }[];
    };
    if (stats.tests === 0) throw new Error(`The kit has no cases "${contract} on ${subject}"`);
    const [failure] = failures;
    return failure ? { outcome: 'caught', by: failure.title } : { outcome: 'missed', by: `${stats.tests} cases` };
  }
}

function stop({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

function describe({ source, mutant, subject, contract }: Trial): string {
  const before = readFileSync(join(root, source), 'utf8').slice(mutant.start, mutant.end);
  const brief = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 70);
  return `${source}:${mutant.line} ${mutant.operator} (${contract} on ${subject}): ${brief(before)} → ${brief(mutant.text)}`;
}

/** The mutants of all sources that are wanted. */
async function candidatesOf(random: Random): Promise<Candidate[]> {
  const wanted = options.contract?.split(',');
  const targets = (await targetsIn(root)).filter(
    ({ contract, source }) =>
      (wanted === undefined || wanted.includes(contract)) && source.includes(options.source ?? ''),
  );
  return targets.flatMap((target) => {
    const source = readFileSync(join(root, target.source), 'utf8');
    const mutants = mutantsOf(source).filter(({ operator }) => operator === (options.operator ?? operator));
    return mutants.map((mutant) => {
      // Only an engine with several writers, and memory that is strict, show what is not held.
      const subjects =
        mutant.operator === 'holds no rows' ? target.subjects.filter((name) => name !== 'SQLite') : target.subjects;
      const subject = random.pick(subjects);
      const { start, end, text } = mutant;
      const name = `${target.source} ${start} ${end} ${subject} ${text}`;
      const because = equivalents.find((one) => explains(one, target.source, source, mutant))?.because;
      return { ...target, mutant, subject, name, because };
    });
  });
}

function resultsIn(file: string | undefined): Map<string, Result> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.name, result]));
}

async function main(): Promise<number> {
  const random = new Random(Number(options.seed));
  const all = await candidatesOf(random);
  const explained = all.filter(({ because }) => because !== undefined);
  if (options.explained) for (const one of explained) console.log(`${describe(one)}; ${one.because}`);
  console.log(`${all.length} mutants, of which ${explained.length} are left out: they break no promise`);
  if (options.explained) return 0;
  const trials = sampled(all, Number(options.count), random);
  const results = resultsIn(options.state);
  const left = trials.filter(({ name }) => !results.has(name));
  console.log(`${trials.length} of seed ${options.seed}, of which ${left.length} are to be run`);
  const scratch = mkdtempSync(join(tmpdir(), 'trefoil-mutants-'));
  const server = process.env.TEST_POSTGRES_URL === undefined ? await startServer() : undefined;
  if (server) process.env.TEST_POSTGRES_URL = server.url;
  const end = Date.now() + Number(options.minutes) * 60_000;
  try {
    const compiled = join(scratch, 'compiled');
    await compile(root, compiled);
    const work = async (_: unknown, n: number) => {
      const worker = new Worker(compiled, join(scratch, `worker-${n}`));
      for (let trial = left.shift(); trial !== undefined && Date.now() < end; trial = left.shift()) {
        const result = { name: trial.name, ...(await worker.run(trial)) };
        results.set(trial.name, result);
        if (options.state !== undefined) appendFileSync(options.state, `${JSON.stringify(result)}\n`);
        console.log(`${result.outcome} ${describe(trial)} | ${result.by}`);
      }
    };
    await Promise.all(Array.from({ length: Number(options.workers) }, work));
  } finally {
    await server?.stop();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
  return summary(trials, results);
}

/** Prints how many were caught of each contract, and what was missed; 1 if that is too much. */
function summary(trials: readonly Trial[], results: ReadonlyMap<string, Result>): number {
  const run = trials.filter(({ name }) => results.has(name));
  const missed = run.filter(({ name }) => results.get(name)?.outcome === 'missed');
  console.log('');
  for (const contract of new Set(run.map((trial) => trial.contract))) {
    const [all, some] = [run, missed].map((list) => list.filter((trial) => trial.contract === contract).length);
    console.log(`${contract}: ${(all ?? 0) - (some ?? 0)} of ${all} caught`);
  }
  for (const trial of missed) console.log(`missed ${describe(trial)}`);
  const share = (100 * missed.length) / Math.max(1, run.length);
  console.log(
    `${run.length} run of ${trials.length}, ${run.length - missed.length} caught, ${missed.length} missed: ${share.toFixed(1)} %`,
  );
  return share > 2 ? 1 : 0;
}

process.exitCode = await main();
