import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Block, blocksOf, follow, npxOf } from '../support/guide.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const start: Block = { language: 'sh', rest: 'serve', text: 'npm start' };

/** The binaries of the clone, linked as `npm ci` would for npx. */
const prelude = npxOf('.');

/** A clone as `npm ci` leaves it: the files here, their build if it exists, and the dependencies. */
function clone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-clone-'));
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter(Boolean);
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    if (existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
  }
  // Copied last: a build that is older than a source is ignored.
  if (existsSync(join(root, 'dist'))) cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

describe('guides: the README', function () {
  this.timeout(180_000); // many processes, started from source
  let folder: string;
  beforeEach(() => {
    folder = clone();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const section = (heading: string) => blocksOf('README.md', heading);

  it('starts with one command, and its example requests get the documented answers', async () => {
    const [first, ...others] = section('Start');
    expect(first?.text).to.equal('npm ci && npm start');
    expect(others.at(-1)?.text).to.equal('npm ci && npm test');
    await follow([start, ...others.slice(0, -1)], { folder, prelude });
  });

  it('starts with a configuration', async () => {
    writeFileSync(join(folder, 'my.yaml'), 'plugins: { beacon: {} }\n');
    await follow(section('Configuration'), { folder, prelude });
  });
});
