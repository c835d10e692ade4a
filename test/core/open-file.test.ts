/** Files that clients name: opening them never blocks and never leads outside, whatever is at their path. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import {
  closeOpenFile,
  fileUnder,
  type OpenFile,
  openFound,
  openRegular,
  openUnder,
  readOpen,
} from '../../core/files/open.js';
import { createPolicy } from '../../core/policy/policy.js';
import { namedFiles } from '../../plugins/beacon/vcf/open-named.js';
import { openD4 } from '../../plugins/coverage/d4/index.js';
import { chromosomesOf, writeD4 } from '../plugins/coverage/support/d4.js';
import { post, serveCoverage } from '../plugins/coverage/support/serve.js';
import { useFolder } from '../support/folder.js';

const ours = 'may be read\n';
const theirs = 'must not be read\n';

async function textOf(file: OpenFile): Promise<string> {
  let text = '';
  for await (const part of readOpen(file, { highWaterMark: 1024 })) text += String(part);
  return text;
}

/** Open descriptors of this process. */
function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

describe('files that clients name', () => {
  const folder = useFolder();
  let root: string;
  let outside: string;
  beforeEach(() => {
    root = join(folder.path(), 'root');
    outside = join(folder.path(), 'outside');
    for (const one of [root, outside, join(root, 'in')]) mkdirSync(one);
    writeFileSync(join(root, 'in', 'a'), ours);
    writeFileSync(join(outside, 'a'), theirs);
    execFileSync('mkfifo', [join(root, 'pipe')]);
    symlinkSync(join(outside, 'a'), join(root, 'out'));
    symlinkSync(join(root, 'in', 'a'), join(root, 'link'));
    symlinkSync(join(root, 'pipe'), join(root, 'to-pipe'));
  });

  it('must be regular files under the directories, links followed', async () => {
    for (const path of ['in/a', 'link', join(root, 'in/a'), './in/../in/a']) {
      const file = await openUnder([outside, root].slice(1), path);
      expect(file && (await textOf(file)), path).to.equal(ours);
      const elsewhere = await openUnder([root], path, { descriptors: '/none' });
      expect(elsewhere && (await textOf(elsewhere)), `${path} without /proc`).to.equal(ours);
    }
    const before = descriptors();
    const others = [
      'none',
      'in',
      'out',
      'pipe',
      'to-pipe',
      '../outside/a',
      join(outside, 'a'),
      '/dev/null',
      'in/a\0',
      '.',
    ];
    for (const path of others)
      for (const known of [undefined, '/none']) {
        expect(await openUnder([root], path, { descriptors: known }), path).to.equal(undefined);
      }
    expect(descriptors()).to.equal(before);
  });

  it('are opened by their real paths if a directory is itself a link', async () => {
    symlinkSync(root, join(folder.path(), 'alias'));
    const roots = [join(folder.path(), 'alias')];
    const real = await fileUnder(roots, 'in/a');
    expect(real).to.equal(join(root, 'in', 'a'));
    const file = await openFound(roots, real ?? '');
    expect(file && (await textOf(file))).to.equal(ours);
    expect(await openFound(roots, join(outside, 'a'))).to.equal(undefined);
    expect(await openFound(roots, join(root, 'link')), 'no link at its end').to.equal(undefined);
  });

  it('are opened without blocking if a pipe replaced them', async () => {
    const file = await openRegular(join(root, 'in', 'a'));
    expect(file.size).to.equal(ours.length);
    await closeOpenFile(file);
    // More than the pool has threads: an open that waited for a writer would block its thread forever.
    const outcomes = await Promise.allSettled(Array.from({ length: 16 }, () => openRegular(join(root, 'pipe'))));
    expect(outcomes.every(({ status }) => status === 'rejected')).to.equal(true);
    expect(await readFile(join(root, 'in', 'a'), 'utf8')).to.equal(ours);
  });

  it('are never outside, even if a folder is repeatedly swapped for a link', async () => {
    const swapper = new Worker(
      `const { workerData: { root, outside }, parentPort } = require('node:worker_threads');
       const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
       const [at, kept] = [root + '/in', root + '/kept'];
       let stopped = false;
       parentPort.once('message', () => { stopped = true; });
       const cell = new Int32Array(new SharedArrayBuffer(4));
       const swap = () => {
         for (let i = 0; i < 50; i++) {
           renameSync(at, kept); symlinkSync(outside, at);
           Atomics.wait(cell, 0, 0, 0.1);
           unlinkSync(at); renameSync(kept, at);
           Atomics.wait(cell, 0, 0, 0.3);
         }
         if (stopped) parentPort.close(); else setImmediate(swap);
       };
       parentPort.postMessage('ready'); swap();`,
      { eval: true, workerData: { root, outside } },
    );
    try {
      await new Promise((resolve, reject) => swapper.once('message', resolve).once('error', reject));
      const before = descriptors();
      const found = { ours: 0, none: 0 };
      const lane = async () => {
        for (let i = 0; i < 250; i++) {
          const file = await openUnder([root], 'in/a');
          const text = file && (await textOf(file));
          if (text === undefined) found.none += 1;
          else {
            expect(text).to.equal(ours);
            found.ours += 1;
          }
        }
      };
      await Promise.all(Array.from({ length: 6 }, lane));
      expect(found.ours + found.none).to.equal(1500);
      expect(found.ours).to.be.above(0);
      expect(descriptors()).to.equal(before);
    } finally {
      swapper.postMessage('stop');
      await new Promise((resolve) => swapper.once('exit', resolve));
    }
  });

  it('are refused by the coverage endpoints if they are pipes, while others are still served', async () => {
    const server = await serveCoverage({ settings: { roots: [root] } });
    try {
      const d4 = writeD4(join(root, 'sound.d4'), {
        chromosomes: chromosomesOf('GRCh38'),
        runs: [{ chromosome: '1', begin: 0, end: 1000, depth: 7 }],
      });
      writeFileSync(join(root, 'sound.bed'), '1\t0\t100\n');
      const ask = (coverage_file_path: string, intervals_bed_path: string) =>
        post(`${server.url}/coverage/d4/interval_file/`, { coverage_file_path, intervals_bed_path });
      const refused = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? ask(d4, 'pipe') : ask('pipe', 'sound.bed'))),
      );
      expect(refused.map(({ status }) => status)).to.deep.equal([422, 404, 422, 404, 422, 404, 422, 404]);
      const { status, body } = await ask(d4, 'sound.bed');
      expect([status, (body as unknown as { mean_coverage: number }[])[0]?.mean_coverage]).to.deep.equal([200, 7]);
    } finally {
      await server.close();
    }
  });

  it('include the VCF files of the beacon, with one sentence for all invalid ones', async () => {
    const before = descriptors();
    const settings = { roots: [root], buckets: [] };
    const named = namedFiles({ settings, s3: undefined, policy: createPolicy(), tenants: undefined });
    const open = (path: string) => named.open(path, 'ds', 'everything');
    for (const path of ['pipe', 'to-pipe', 'out', 'in', 'none']) {
      const refusal = await open(path).catch((caught: unknown) => caught);
      expect(refusal).to.have.property('message', `VCF file was not found at the provided path:${path}`);
    }
    const unread = await open('link');
    unread.close();
    unread.close();
    const read = await open('link');
    let text = '';
    for await (const chunk of read.chunks()) text += String(chunk);
    expect(text).to.equal(ours);
    read.close();
    // The last of them is closed in the background.
    while (descriptors() > before) await setImmediate();
  });

  it('are opened as D4 files by the given opener, or not at all', async () => {
    const made = writeD4(join(outside, 'x.d4'), { chromosomes: chromosomesOf('GRCh38'), runs: [] });
    symlinkSync(outside, join(root, 'linked'));
    const openPath = async (path: string) => (await openUnder([root], path))?.fd;
    const error = await openD4(join(root, 'linked', 'x.d4'), { openPath }).catch((caught: unknown) => caught);
    expect(error).to.have.property('code', 'not-found');
    (await openD4(made, { openPath: async (path) => (await openUnder([outside], path))?.fd })).close();
  });
});
