/** The programs of a cluster, which Debian has as packages, and how they run: as the user of PostgreSQL, ended with us. */
import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresTools, postgresUser } from '../../support/cluster.js';
import { canRun, programFolders } from '../../support/programs.js';

const needed = ['etcd', 'patroni', 'haproxy', 'setpriv'] as const;
type Needed = (typeof needed)[number];

function pathOf(program: string): string | undefined {
  return [...programFolders, '/usr/sbin'].map((folder) => join(folder, program)).find(canRun);
}

const found = new Map(needed.map((program) => [program, pathOf(program)]));

/** The programs that this machine lacks. */
export const lacking: readonly string[] = [
  ...needed.filter((program) => found.get(program) === undefined),
  ...(postgresTools === undefined ? ['postgresql'] : []),
];

const root = process.getuid?.() === 0;

/** A running program; its output is in a file. */
export class Program {
  readonly pid: number;
  readonly ended: Promise<unknown>;
  readonly logFile: string;

  /** Ends with this process, however that ends. It is preferred to other work: what it does has limits of seconds. */
  constructor(
    program: Needed,
    args: readonly string[],
    { logFile, env, cwd }: { logFile: string; env: Record<string, string> } & Pick<SpawnOptions, 'cwd'>,
  ) {
    this.logFile = logFile;
    const log = openSync(logFile, 'a');
    const identity = root ? [`--reuid=${postgresUser.uid}`, `--regid=${postgresUser.gid}`, '--clear-groups'] : [];
    const words = [...identity, '--pdeathsig=TERM', found.get(program) ?? program, ...args];
    const first = found.get('setpriv') ?? 'setpriv';
    const child = spawn(root ? 'nice' : first, root ? ['-n', '-10', first, ...words] : words, {
      stdio: ['ignore', log, log],
      cwd,
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', ...env },
    });
    closeSync(log);
    this.pid = child.pid ?? 0;
    this.ended = once(child, 'exit');
  }

  log(): string {
    return readFileSync(this.logFile, 'utf8');
  }
}

/** Sends a signal; false if the process is gone. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** The running child processes of a process. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => parentOf(one) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
