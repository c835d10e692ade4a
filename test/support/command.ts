/**
 * Runs commands without a process for each: loading the modules takes half a second of processor time, and most tests
 * check what a command does, not how it starts. Some of `test/core/cli` and all of `test/guides` run real processes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beaconBin, brief, environment, type Outcome, type RunOptions, trefoil } from './trefoil.js';

interface Host {
  process: ChildProcess;
  /** Output since the last command ended. */
  output: Record<'stdout' | 'stderr', string>;
  /** Rejects once the process has ended. */
  ended: Promise<never>;
  /** The end of the last accepted command; commands run one after another. */
  last: Promise<unknown>;
}

let host: Host | undefined;
let number = 0;

/** Servers, which write their log to standard output in batches: the last one may come after a refused start has ended. */
const serving = new Set(['serve', 'work']);

/**
 * Like `trefoil`, for commands that read no standard input and end by themselves. Servers that must not start, and all commands
 * outside a run of the whole suite, when the build may be out of date, have a process of their own.
 */
export function command(args: readonly string[], options: RunOptions): Promise<Outcome> {
  const isShared = process.env.TREFOIL_TEST_RUN !== undefined && !options.node && !options.executable;
  if (!isShared || serving.has(args[0] ?? '')) return trefoil(args, options);
  host ??= start();
  const { last } = host;
  const outcome = last.then(() => run(host as Host, args, options));
  host.last = outcome.catch(() => undefined);
  return outcome;
}

function start(): Host {
  const child = fork(fileURLToPath(new URL('command-host.mjs', import.meta.url)), {
    env: environment(),
    // Not those of this process: worker threads would look for its loader from the folder of the command.
    execArgv: [...brief],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The process that runs commands has ended: ${output.stderr}`);
  });
  ended.catch(() => undefined);
  // The host ends with the process that runs the tests, and does not keep it alive.
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref(): void } | null)?.unref();
  return { process: child, output, ended, last: Promise.resolve() };
}

async function run(
  { process: child, output, ended }: Host,
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  const mark = `\0${++number}\0`;
  const program = options.script === beaconBin ? 'beacon' : 'trefoil';
  const answered = once(child, 'message') as Promise<[{ code: number }]>;
  child.send({ args, cwd: options.cwd, env: environment(options.env), program, mark });
  const text = async (name: 'stdout' | 'stderr'): Promise<string> => {
    while (!output[name].endsWith(mark)) await once(child[name] as NodeJS.ReadableStream, 'data');
    const written = output[name].slice(0, -mark.length);
    output[name] = '';
    return written;
  };
  const [[{ code }], stdout, stderr] = await Promise.race([
    Promise.all([answered, text('stdout'), text('stderr')]),
    ended,
  ]);
  return { code, signal: null, stdout, stderr };
}
