/**
 * Follows a guide to the letter. Of a section's code blocks, one that names a file (```js plugin.js) is written; `sh`
 * is run; `sh serve` is started and runs until the end; a `json` or `text` block right after `sh` is its output, of
 * which `…` may stand for parts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { abridgedJson, abridgedText } from './abridged.js';
import { freePort } from './port.js';
import { brief, environment } from './trefoil.js';

export interface Block {
  language: string;
  /** The word after the language: a file's name, or `serve`. */
  rest: string;
  text: string;
}

/** A block with the headings that it is under, from the title of the page to the nearest. */
export interface PlacedBlock extends Block {
  under: readonly string[];
}

/** All blocks of a page. */
export function blocksIn(file: string): PlacedBlock[] {
  return read(file).blocks;
}

/** The blocks of the section under a heading, subsections included. Throws if there is no such heading. */
export function blocksOf(file: string, heading: string): Block[] {
  const { headings, blocks } = read(file);
  if (!headings.has(heading)) throw new Error(`${file} has no heading "${heading}"`);
  return blocks.filter(({ under }) => under.includes(heading));
}

function read(file: string): { headings: Set<string>; blocks: PlacedBlock[] } {
  const headings = new Set<string>();
  const blocks: PlacedBlock[] = [];
  let chain: { level: number; heading: string }[] = [];
  let open: { fence: string; block: PlacedBlock; lines: string[] } | undefined;
  for (const line of readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8').split('\n')) {
    if (open) {
      if (line !== open.fence) open.lines.push(line);
      else {
        blocks.push({ ...open.block, text: open.lines.join('\n') });
        open = undefined;
      }
      continue;
    }
    const [, fence, language = '', rest = ''] = /^(`{3,})(\S*) ?(.*)$/.exec(line) ?? [];
    const [, level = '', heading = ''] = /^(#+) (.*)$/.exec(line) ?? [];
    if (fence !== undefined) {
      const under = chain.map((one) => one.heading);
      open = { fence, block: { language, rest, text: '', under }, lines: [] };
    } else if (level !== '') {
      headings.add(heading);
      chain = [...chain.filter((one) => one.level < level.length), { level: level.length, heading }];
    }
  }
  return { headings, blocks };
}

export interface GuideOptions {
  folder: string;
  env?: Record<string, string>;
  /** Shell code before each command, by default an `npx` that runs the binaries of the folder. */
  prelude?: string;
  /** Receives the output of each command. */
  onPrint?(text: string): void;
}

/** How guides start processes, most of which end soon. */
export const node = ['node', ...brief].join(' ');

/** What npx does with an installed binary, without the half second that it takes itself. `.ci/package` runs the real one. */
const npx = `npx() { local name=$1; shift; ${node} "./node_modules/.bin/$name" "$@"; }`;

/** The binaries of a clone, by its path. */
export const npxOf = (clone: string) => `npx() {
  case $1 in
    trefoil) shift; ${node} ${clone}/core/bin/trefoil.mjs "$@" ;;
    beacon) shift; ${node} ${clone}/plugins/beacon/bin/beacon.mjs "$@" ;;
  esac
}`;

/** Those of this clone. */
export const prelude = npxOf(fileURLToPath(new URL('../..', import.meta.url)));

/** Follows the blocks in order; throws with the output if a command fails or prints something else. */
export async function follow(
  blocks: readonly Block[],
  { folder, env = {}, prelude = npx, onPrint }: GuideOptions,
): Promise<void> {
  const port = String(await freePort());
  const here = (text: string) => text.replaceAll(/\b5000\b/g, port);
  const shell = new Shell(folder, env);
  const servers: Serving[] = [];
  let printed: string | undefined;
  try {
    for (const { language, rest, text } of blocks) {
      if (language === 'sh' && rest === 'serve') {
        const own = / --port \d+/;
        const options = `${text.endsWith('npm start') ? ' --' : ''} --port ${port}`;
        const started = own.test(text) ? here(text).replace(own, ` --port ${port}`) : here(text) + options;
        const server = new Serving(`${prelude}\n${started}`, folder, shell.env);
        servers.push(server);
        await server.ready(`http://127.0.0.1:${port}/-/ready`);
        printed = undefined;
      } else if (language === 'sh') {
        printed = await shell.run(`${prelude}\n${here(text)}`);
        onPrint?.(printed);
      } else if (rest !== '') {
        await mkdir(dirname(join(folder, rest)), { recursive: true });
        await writeFile(join(folder, rest), `${text}\n`);
        printed = undefined;
      } else if (printed !== undefined && (language === 'json' || language === 'text')) {
        if (language === 'json') {
          const shown: unknown = JSON.parse(here(text));
          expect(abridgedJson(JSON.parse(printed), shown)).to.deep.equal(shown);
        } else {
          expect(abridgedText(printed.replaceAll('\r\n', '\n').trimEnd(), here(text))).to.equal(here(text));
        }
        printed = undefined;
      }
    }
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Each block runs in a shell of its own; variables that a guide exports are kept for the next. */
class Shell {
  readonly #folder: string;
  env: Record<string, string>;

  constructor(folder: string, env: Record<string, string>) {
    this.#folder = folder;
    this.env = env;
  }

  async run(text: string): Promise<string> {
    const mark = '=== exported ===';
    const script = `set -euo pipefail\n${text}\nprintf '%s\\n' '${mark}' >&3\nenv -0 >&3`;
    const child = spawn('bash', ['-c', script], {
      cwd: this.#folder,
      env: environment(this.env),
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const [out, err, exported] = [1, 2, 3].map((fd) => collect(child.stdio[fd] as NodeJS.ReadableStream));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`The guide's command ended with ${code}:\n${text}\n${out?.()}${err?.()}`);
    const after = (exported?.() ?? '').slice(mark.length + 1);
    this.env = Object.fromEntries(after.split('\0').filter(Boolean).map(pair));
    return out?.() ?? '';
  }
}

class Serving {
  readonly #child;
  readonly #out;
  readonly #err;
  readonly #ended;
  #isOver = false;

  constructor(command: string, folder: string, env: Record<string, string>) {
    this.#child = spawn('bash', ['-c', command], {
      cwd: folder,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group: processes that the shell starts receive the signal too.
      detached: true,
    });
    this.#out = collect(this.#child.stdout);
    this.#err = collect(this.#child.stderr);
    this.#ended = once(this.#child, 'close').then(() => {
      this.#isOver = true;
    });
  }

  async ready(url: string): Promise<void> {
    for (;;) {
      if (this.#isOver) throw new Error(`The guide's server ended:\n${this.#out()}${this.#err()}`);
      const answer = await fetch(url).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    if (!this.#isOver && this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGTERM');
    await this.#ended;
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => text;
}

function pair(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}
