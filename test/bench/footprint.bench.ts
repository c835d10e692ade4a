/**
 * Cost of a server with one plugin, or all: time until it is ready, memory then, modules and tables. Compared
 * with bare Koa that returns a constant. Demo data is off; each is started `--rounds=5` times and the median counts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtIn } from '../../core/load.js';
import { freePort } from '../support/port.js';
import { tables } from '../support/tables.js';
import type { BenchOptions, Print } from './run.js';
import { withFolder } from './support/machine.js';

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const hook = new URL('../support/loaded.mjs', import.meta.url).href;

interface Footprint {
  milliseconds: number;
  megabytes: number;
}

export default async function footprint(print: Print, options: BenchOptions): Promise<void> {
  const rounds = Number(options.rounds ?? 5);
  await withFolder(async (folder) => {
    const environment = (name: string) => ({
      ...process.env,
      TREFOIL_SQLITE_FILE: join(folder, `${name}.sqlite`),
      NODE_ENV: 'production',
    });
    const bareKoa = await median(rounds, async () => {
      const port = await freePort();
      return started([path('test/bench/support/bare.mjs'), `${port}`], `http://127.0.0.1:${port}/`, process.env);
    });
    print(row('bare Koa', bareKoa, bareKoa));
    for (const name of [...builtIn('plugin'), 'all']) {
      const config = name === 'all' ? 'config/default.yaml' : `config/one-plugin/${name}.yaml`;
      const off = join(folder, 'off.yaml');
      const text = await readFile(path(config), 'utf8');
      await writeFile(off, `demo: false\n${text.slice(text.indexOf('plugins:'))}`);
      const command = [path('core/bin/trefoil.mjs'), 'serve', '--config', off, '--port'];
      const serve = async (node: string[] = [], more = {}) => {
        const port = await freePort();
        const words = [...node, ...command, `${port}`];
        return started(words, `http://127.0.0.1:${port}/-/ready`, { ...environment(name), ...more });
      };
      await serve(); // creates the tables
      const own = await median(rounds, () => serve());
      const modules = join(folder, `${name}.modules`);
      await serve(['--import', hook], { LOADED_MODULES: modules });
      const loaded = new Set((await readFile(modules, 'utf8')).split('\n')).size;
      const made = (await tables(join(folder, `${name}.sqlite`))).length;
      print(`${row(name, own, bareKoa)}, ${loaded} modules, ${made} tables`);
    }
  });
}

function row(name: string, own: Footprint, bare: Footprint): string {
  const ratio = (key: keyof Footprint) => (own[key] / bare[key]).toFixed(1);
  return (
    `${name.padEnd(11)} ready after ${own.milliseconds.toFixed(0)} ms (${ratio('milliseconds')} of bare), ` +
    `${own.megabytes.toFixed(0)} MB (${ratio('megabytes')})`
  );
}

async function median(rounds: number, measure: () => Promise<Footprint>): Promise<Footprint> {
  const all: Footprint[] = [];
  for (let i = 0; i < rounds; i++) all.push(await measure());
  const middle = (key: keyof Footprint) => all.map((one) => one[key]).sort((a, b) => a - b)[rounds >> 1] ?? 0;
  return { milliseconds: middle('milliseconds'), megabytes: middle('megabytes') };
}

/** Starts a server, waits for its first successful response, reads its memory, and stops it. */
async function started(words: string[], url: string, env: NodeJS.ProcessEnv): Promise<Footprint> {
  const begin = performance.now();
  const child = spawn(process.execPath, words, { stdio: 'ignore', env });
  const exit = once(child, 'exit');
  try {
    while (
      !(await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`${words.join(' ')} ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const milliseconds = performance.now() - begin;
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    const [, kilobytes = 'NaN'] = /VmRSS:\s+(\d+) kB/.exec(status) ?? [];
    return { milliseconds, megabytes: Number(kilobytes) / 1024 };
  } finally {
    child.kill('SIGTERM');
    await exit;
  }
}
