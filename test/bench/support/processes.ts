/** Processes that a measurement starts, queries and stops. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** Runs node to its end, in a folder; throws with its stderr if it fails. */
export async function run(words: string[], cwd = process.cwd()): Promise<void> {
  const child = spawn(process.execPath, words, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${said}`);
}

/** Waits for the first successful response; throws if there is none in ten minutes. */
export async function answered(url: string): Promise<void> {
  const late = Date.now() + 600_000;
  for (;;) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    if (Date.now() > late) throw new Error(`${url} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  server.kill('SIGTERM');
  await once(server, 'exit');
}

/** Milliseconds of processor time of a process so far, all threads included, as Linux counts them. */
export function processorMs(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same of a process and those that it started. */
export function treeMs(pid: number | undefined): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + treeMs(Number(child)), processorMs(pid));
}

/**
 * The same of the connections to a database of a PostgreSQL server on this machine, those that have ended included as far as an earlier
 * call saw them.
 */
export function databaseClock(database: string): () => number {
  const seen = new Map<string, number>();
  return () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const title = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        if (title.startsWith('postgres: ') && title.includes(` ${database} `)) seen.set(pid, processorMs(Number(pid)));
      } catch (error) {
        // It has ended meanwhile.
        if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      }
    }
    return [...seen.values()].reduce((sum, ms) => sum + ms, 0);
  };
}
