/** Processes that a measurement starts, queries and stops. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

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
