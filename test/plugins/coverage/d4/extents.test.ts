/** A truncated file, or one padded with zeros, is recognised when it is opened. */
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  D4Cache,
  fingerprintD4,
  isD4Error,
  memorySource,
  openD4,
  type Source,
} from '../../../../plugins/coverage/d4/index.js';
import { trackArbitrary } from './support/arbitrary.js';
import { type BuildTrack, buildFile } from './support/build.js';
import { temporaryFolder } from './support/folder.js';
import { runD4 } from './support/runner.js';
import { serveRanges } from './support/server.js';

/** Every tenth base is a record: 10,000 records, in frames that double in size. */
function track(changes: Partial<BuildTrack> = {}): BuildTrack {
  const depths = Int32Array.from({ length: 100_000 }, (_, i) => (i % 10 === 0 ? 90 + i : i % 60));
  return {
    chromosomes: [{ name: '1', size: depths.length, depths }],
    values: Array.from({ length: 64 }, (_, value) => value),
    simple: true,
    cuts: [[40_000]],
    deflate: false,
    firstFrame: 512,
    ...changes,
  };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (error !== undefined && !isD4Error(error)) throw error;
  return error?.code ?? 'none';
}

describe('d4: extents', () => {
  const folder = temporaryFolder();

  it('refuse a file of `d4 create` and a copy truncated inside its secondary table', async () => {
    // 20 Mb of one code each and 250,000 records of ten bytes: the records are the last 2.5 of its 5 million bytes.
    const lines = Array.from({ length: 250_000 }, (_, i) => `1\t${i * 80}\t${i * 80 + 40}\t${1000 + (i % 50_000)}`);
    writeFileSync(folder.path('depth.bedgraph'), `${lines.join('\n')}\n`);
    writeFileSync(folder.path('genome.txt'), '1\t20000000\n');
    const made = folder.path('made.d4');
    const { status, err } = await runD4('create', '-g', folder.path('genome.txt'), folder.path('depth.bedgraph'), made);
    expect(status, err).to.equal(0);
    const { size } = statSync(made);
    expect(size).to.be.above(2_400_000);
    (await openD4(made)).close();
    truncateSync(made, 2_000_000);
    expect(await codeOf(openD4(made))).to.equal('truncated');
    const bytes = readFileSync(made);
    const server = await serveRanges(bytes);
    expect(await codeOf(openD4(server.url)), 'over HTTP').to.equal('truncated');
    await server.close();
    expect((await runD4('stat', made)).status).not.to.equal(0);
  });

  it('refuse any file without its last bytes, in any layout', async () => {
    await fc.assert(
      fc.asyncProperty(trackArbitrary({ maxSize: 600, maxWidth: 8 }), fc.nat(), async (made, cut) => {
        const bytes = buildFile(made);
        (await openD4(memorySource(bytes))).close();
        const left = bytes.subarray(0, cut % bytes.length);
        expect(await codeOf(openD4(memorySource(left)))).to.be.oneOf(['truncated', 'not-d4']);
      }),
      { numRuns: 200 },
    );
  });

  it('follow the frames if a directory states a smaller size than the actual one', async () => {
    const bytes = buildFile(track());
    const entry = bytes.indexOf('.stab\0');
    bytes.writeBigUInt64LE(512n, entry - 8);
    (await openD4(memorySource(bytes))).close();
    expect(await codeOf(openD4(memorySource(bytes.subarray(0, bytes.length - 1))))).to.equal('truncated');
  });

  it('detect frames that no link leads to, as if the end of the file is zeros', async () => {
    for (const frameIndex of ['bool-first', undefined] as const) {
      const bytes = buildFile(track({ frameIndex }));
      (await openD4(memorySource(bytes))).close();
      // The first link between frames of records: its target was never copied.
      const doubled = bytes.indexOf(Buffer.from([0, 4, 0, 0, 0, 0, 0, 0]), bytes.indexOf('SimpleKV'));
      bytes.fill(0, doubled - 8, doubled + 8);
      const error = await openD4(memorySource(bytes)).catch((caught: unknown) => caught);
      expect(isD4Error(error) && error.message).to.match(/^Bytes \d+ to \d+ belong to no member/);
    }
  });

  it('are checked once for each version of a file', async () => {
    const bytes = buildFile(track());
    let fetched = 0;
    const counting = (version: string): Source => {
      const source = memorySource(bytes);
      const fetch: Source['fetch'] = (spans) => {
        fetched += 1;
        return source.fetch(spans);
      };
      return { ...source, version, fetch };
    };
    const whole = new Map<string, true>();
    const costOf = async (version: string) => {
      fetched = 0;
      await openD4(counting(version), { whole });
      return fetched;
    };
    const [first, again, other] = [await costOf('a'), await costOf('a'), await costOf('b')];
    expect(again).to.be.below(first);
    expect(other).to.equal(first);
  });

  it('are checked again if a file is replaced by a shorter one', async () => {
    const path = folder.path('replaced.d4');
    const bytes = buildFile(track());
    writeFileSync(path, bytes);
    const cache = new D4Cache();
    await cache.use(path, async (file) => fingerprintD4(file));
    writeFileSync(path, bytes.subarray(0, bytes.length - 10));
    expect(await codeOf(cache.use(path, async (file) => fingerprintD4(file)))).to.equal('truncated');
    writeFileSync(path, bytes);
    await cache.use(path, async (file) => fingerprintD4(file));
    cache.close();
  });
});
