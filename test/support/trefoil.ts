/** Runs the real command line in separate processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const bin = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const trefoilBin = bin('core/bin/trefoil.mjs');
export const beaconBin = bin('plugins/beacon/bin/beacon.mjs');

/**
 * Most processes end soon, and tests run most code a few times: V8 optimises a function after ten times as much work as by
 * default, which saves a seventh of what a start costs, and a fifth of what tests do. Later versions of Node.js do not know the
 * option. New objects have 32 megabytes from the start, so that fewer are looked at to be kept.
 */
export const brief: readonly string[] = process.versions.node.startsWith('20.')
  ? ['--interrupt-budget=1000000', '--min-semi-space-size=32', '--max-semi-space-size=32']
  : [];

export interface RunOptions {
  cwd: string;
  env?: Record<string, string>;
  /** The script to run; `trefoil` if omitted. */
  script?: string;
  /** Further arguments of node. */
  node?: readonly string[];
  /** Whether V8 is as in production, for processes that are measured. */
  asInProduction?: boolean;
  /** The executable of Node.js; that of the tests if omitted. */
  executable?: string;
}

export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Only what a process needs of our environment: none of its variables may choose a storage. */
export function environment(extra: Record<string, string> = {}): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'NODE_V8_COVERAGE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), TZ: 'UTC', ...extra };
}

/** A running process, with its output so far. */
export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], options: RunOptions) {
    const { cwd, env, script = trefoilBin, node = [], executable: program = process.execPath } = options;
    const isBrief = program === process.execPath && !options.asInProduction;
    this.child = spawn(program, [...(isBrief ? brief : []), ...node, script, ...args], {
      cwd,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  /** Waits until stdout matches; throws with all output if the process ends before. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stdout);
      if (found) return found;
      const ended = await Promise.race([once(this.child.stdout as NodeJS.ReadableStream, 'data'), this.ended]);
      if (!Array.isArray(ended) && !pattern.test(this.stdout)) {
        throw new Error(`The process ended with ${ended.code ?? ended.signal}:\n${ended.stdout}${ended.stderr}`);
      }
    }
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<Outcome> {
    this.child.kill(signal);
    return this.ended;
  }
}

export async function trefoil(args: readonly string[], options: RunOptions): Promise<Outcome> {
  return new Running(args, options).ended;
}

/** A listening server; `url` is its address. */
export async function serve(args: readonly string[], options: RunOptions): Promise<{ url: string; process: Running }> {
  const running = new Running(args, options);
  const [, url = ''] = await running.says(/"url":"([^"]+)".*is ready/);
  return { url, process: running };
}
