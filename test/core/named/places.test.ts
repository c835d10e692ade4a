/** Which files are in reach of a tenant, by path and by URL. */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { closeOpenFile, Places } from '../../../core/files.js';
import { createS3 } from '../../../core/outgoing/s3/s3.js';
import { hostList } from '../../../core/outgoing.js';

describe('places of tenants', () => {
  let folder: string;
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'trefoil-places-')));
    for (const name of ['a', 'a/inner', 'b']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'x.d4'), name);
    }
  });
  after(() => rm(folder, { recursive: true }));

  const at = (name: string) => join(folder, name);
  const a = () => ({ roots: [at('a')], urls: ['https://store.example/a/'] });
  const inner = () => ({ roots: [at('a/inner')], urls: [] });
  const b = () => ({ roots: [at('b')], urls: ['https://store.example/b/', 'https://store.example/a/b/'] });
  const places = (roots = [folder]) =>
    new Places({ roots, allowed: hostList(['store.example', 'other.example']), tenants: [a(), inner(), b()] });

  it('are its directories, inside those that are configured', async () => {
    expect(await places().find(at('a/x.d4'), [a()])).to.equal(at('a/x.d4'));
    expect(await places().find('x.d4', [a()])).to.equal(at('a/x.d4'));
    expect(await places().find('a/inner/x.d4', [a()])).to.equal(at('a/inner/x.d4'));
    expect(await places().find('a/x.d4', [inner()])).to.equal(undefined);
    expect(await places().find('a/x.d4', [])).to.equal(undefined);
    expect(await places([at('b')]).find(at('a/x.d4'), [a()])).to.equal(undefined);
    expect(places([at('b')]).rootsIn([a(), b()])).to.deep.equal([at('b')]);
  });

  it('are the configured directories inside its own', async () => {
    const tenants = [a(), b()];
    const within = new Places({ roots: [at('a/inner'), at('b')], tenants });
    expect(within.rootsIn([a()])).to.deep.equal([at('a/inner')]);
    expect(await within.find(at('a/inner/x.d4'), [a()])).to.equal(at('a/inner/x.d4'));
    expect(await within.find(at('a/x.d4'), [a()])).to.equal(undefined);
    // A link leads no further than the configured directory, though the tenant's goes on.
    symlinkSync(at('a/x.d4'), at('a/inner/up.d4'));
    for (const reach of [[a()], 'everything'] as const) {
      expect(await within.find(at('a/inner/up.d4'), reach)).to.equal(undefined);
      expect(await within.open(at('a/inner/up.d4'), reach)).to.equal(undefined);
    }
  });

  it('of no tenant are what is under none of theirs, with links followed', async () => {
    mkdirSync(at('free'));
    writeFileSync(at('free/x.d4'), 'free');
    symlinkSync(at('free/x.d4'), at('free/own.d4'));
    symlinkSync(at('a/x.d4'), at('free/link.d4'));
    symlinkSync(at('a'), at('free/folder'));
    const found = async (name: string) => {
      const opened = await places().open(at(name), 'undivided');
      if (opened) await closeOpenFile(opened);
      const real = await places().find(at(name), 'undivided');
      expect(opened !== undefined, name).to.equal(real !== undefined);
      return real !== undefined;
    };
    for (const name of ['free/x.d4', 'free/own.d4']) expect(await found(name), name).to.equal(true);
    for (const name of ['a/x.d4', 'free/../a/x.d4', 'a/inner/x.d4', 'free/link.d4', 'free/folder/x.d4']) {
      expect(await found(name), name).to.equal(false);
    }
    for (const [url, isReached] of [
      ['https://other.example/x.d4', true],
      ['https://store.example/c/x.d4', true],
      ['https://store.example/a/x.d4', false],
      ['https://store.example/c/%2e%2e/a/x.d4', false],
      ['https://store.example/c/..%2fa/x.d4', false],
    ] as const) {
      expect((await places().find(url, 'undivided')) !== undefined, url).to.equal(isReached);
    }
    const tenants = [{ roots: [], urls: ['s3://lab/a/'] }];
    const own = new Places({ roots: [], buckets: ['s3://lab/'], s3: createS3({ stores: [] }), tenants });
    expect(await own.find('s3://lab/a/x.d4', 'undivided')).to.equal(undefined);
    expect(await own.find('s3://lab/b/x.d4', 'undivided')).to.equal('s3://lab/b/x.d4');
  });

  it('of a registered file are judged as for the whole server', () => {
    const two = places([at('a'), at('b')]);
    for (const [text, reach, isReached] of [
      [at('a/x.d4'), [a()], true],
      ['x.d4', [a()], false],
      ['x.d4', [a(), b()], true],
      ['../b/x.d4', [a()], false],
      ['x\0.d4', [a(), b()], false],
      ['', [a()], false],
    ] as const) {
      expect(two.has(text, reach), `${text} ${reach.length}`).to.equal(isReached);
    }
    expect(places().has('x.d4', [a()])).to.equal(false);
    expect(places().has('a/x.d4', [a()])).to.equal(true);
  });

  it('are the beginnings of its URLs', async () => {
    const reached = async (url: string) => (await places().find(url, [a()])) !== undefined;
    for (const url of [
      'https://store.example/a/x.d4',
      'https://store.example/a/x.d4?signature=%2f',
      'https://STORE.example:443/b/../a/x.d4#y',
    ]) {
      expect(await reached(url), url).to.equal(true);
    }
    for (const url of [
      'https://store.example/b/x.d4',
      'https://store.example/ab/x.d4',
      'https://store.example/a/../b/x.d4',
      'https://store.example/a/%2e%2e/b/x.d4',
      'https://store.example/a/..%2fb/x.d4',
      'https://store.example/a/..%5cb/x.d4',
      'https://store.example/a',
      'http://store.example/a/x.d4',
      'https://store.example:444/a/x.d4',
      'https://x@store.example/a/x.d4',
      'https://other.example/a/x.d4',
      'https://elsewhere.example/a/x.d4',
    ]) {
      expect(await reached(url), url).to.equal(false);
    }
    expect(await places().find('https://other.example/c/x.d4', 'everything')).to.equal('https://other.example/c/x.d4');
  });

  it('are the beginnings of the names of its objects in S3', async () => {
    const tenants = [
      { roots: [], urls: ['s3://lab/a/'] },
      { roots: [], urls: ['s3://lab/b/', 's3://other/'] },
    ] as const;
    const buckets = ['s3://lab/', 's3://other/x/'];
    const own = new Places({ roots: [], buckets, s3: createS3({ stores: [] }), tenants });
    for (const [name, ofFirst, ofSecond, ofAll] of [
      ['s3://lab/a/x.d4', true, false, true],
      ['s3://lab/a/b/x?y#z.d4', true, false, true],
      ['s3://lab/b/x.d4', false, true, true],
      ['s3://lab/c/x.d4', false, false, true],
      ['s3://lab/ab/x.d4', false, false, true],
      ['s3://lab/a/../b/x.d4', false, false, false],
      ['s3://lab/a/%2e%2e/b/x.d4', true, false, true],
      ['s3://other/x/x.d4', false, true, true],
      ['s3://other/y/x.d4', false, false, false],
      ['s3://elsewhere/a/x.d4', false, false, false],
      ['s3://lab/a/', false, false, false],
    ] as const) {
      const reaches = [[tenants[0]], [tenants[1]], 'everything'] as const;
      const found = await Promise.all(reaches.map((reach) => own.find(name, reach)));
      expect(
        found.map((one) => one === name),
        name,
      ).to.deep.equal([ofFirst, ofSecond, ofAll]);
      expect([own.has(name, [tenants[0]]), own.has(name, [tenants[1]])]).to.deep.equal([ofFirst, ofSecond]);
    }
    // Without access to S3 no name is reached.
    const none = new Places({ roots: [], buckets, tenants });
    expect(await none.find('s3://lab/a/x.d4', 'everything')).to.equal(undefined);
  });

  it('are not left by a redirect to those of another tenant', () => {
    const [own, theirs, free] = [
      'https://store.example/a/1',
      'https://store.example/b/1',
      'https://other.example/1',
    ].map((url) => new URL(url)) as [URL, URL, URL];
    for (const [from, to, may] of [
      [own, new URL('2', own), true],
      [own, free, true],
      [own, theirs, false],
      [own, new URL('b/1', own), false],
      [free, theirs, false],
      [free, own, false],
    ] as const) {
      expect(places().mayFollow(from, to), `${from} to ${to}`).to.equal(may);
    }
  });

  it('are checked again when the file is opened', async () => {
    mkdirSync(at('a/moving'));
    writeFileSync(at('a/moving/x.d4'), 'a');
    const real = await places().find('a/moving/x.d4', [a()]);
    expect(real).to.equal(at('a/moving/x.d4'));
    const opened = await places().openFound(real ?? '');
    expect(opened).to.include({ size: 1 });
    if (opened) await closeOpenFile(opened);
    renameSync(at('a/moving'), at('a/moved'));
    symlinkSync(at('b'), at('a/moving'));
    expect(await places().openFound(real ?? '')).to.equal(undefined);
    expect(await places().open('a/moving/x.d4', 'everything')).to.equal(undefined);
    // From the inner tenant's directory to the one around it.
    symlinkSync(at('a'), at('a/inner/out'));
    expect(await places().open('a/inner/out/x.d4', [inner()])).to.equal(undefined);
    expect(await places().openFound(at('a/inner/out/x.d4'))).to.equal(undefined);
  });
});
