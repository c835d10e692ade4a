/** Samples that were given one file: found by content, whatever names and times the copies have. */
import { createCipheriv } from 'node:crypto';
import { copyFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type D4File, memorySource, type Source } from '../../../plugins/coverage/d4/index.js';
import { demoSamples } from '../../../plugins/coverage/demo/demo.js';
import { type DepthFiles, FileFault, type Location, type Sample } from '../../../plugins/coverage/measure/measure.js';
import { createFindSameFiles } from '../../../plugins/coverage/measure/same-files.js';
import { coverageSources } from '../../../plugins/coverage/measure/sources.js';
import { coverageSettings } from '../../../plugins/coverage/settings.js';
import { useFolder } from '../../support/folder.js';

const MiB = 2 ** 20;

/** Files by name, with one track each; counts the bytes that are read. */
function filesOf(sources: Record<string, Source>, read?: { bytes: number }): DepthFiles {
  return {
    async use(location, work) {
      const source = sources[location];
      if (source === undefined) throw new FileFault(location, 'unavailable', 'it cannot be read');
      const counting: Source = {
        ...source,
        fetch(spans, signal) {
          if (read !== undefined) for (const { length } of spans) read.bytes += length;
          return source.fetch(spans, signal);
        },
      };
      return work({ source: counting, track: () => ({ name: '' }) } as unknown as D4File);
    },
  };
}

/** Bytes without a pattern, the same in each run. */
function noise(size: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16)).update(Buffer.alloc(size));
}

const samplesOf = (names: readonly string[]): Sample[] => names.map((name) => ({ name, location: name as Location }));

describe('coverage: samples with one file', () => {
  const folder = useFolder();

  it('are found for copies, and never for files that differ in one byte, wherever it is', async () => {
    const part = 16 * 1024;
    for (const size of [1, part + 1, MiB, MiB + 1, 2 * MiB + 12_345]) {
      const bytes = noise(size);
      const edges = [0, part, MiB, 2 * MiB, size].flatMap((at) => [at - 1, at]);
      const places = [...edges, ...[0.21, 0.5, 0.83].map((share) => Math.floor(share * size))];
      for (const at of places.filter((one) => one >= 0 && one < size)) {
        const other = Buffer.from(bytes);
        other[at] = (other[at] as number) ^ (1 << (at % 8));
        const sources = { a: bytes, b: other, c: Buffer.from(bytes), d: Buffer.from(other), e: bytes.subarray(1) };
        for (const remote of [false, true]) {
          const files = filesOf(
            Object.fromEntries(
              Object.entries(sources).map(([name, content]) => [name, { ...memorySource(content), remote }]),
            ),
          );
          const find = createFindSameFiles(files, { local: 4 * MiB, remote: 4 * MiB });
          expect((await find(samplesOf(['a', 'b', 'c', 'd', 'e']))).found, `byte ${at} of ${size}`).to.deep.equal([
            { samples: ['a', 'c'], compared: 'whole' },
            { samples: ['b', 'd'], compared: 'whole' },
          ]);
        }
      }
    }
  });

  it('are not called the same of files too long to be read whole, but said to agree in the parts that were read', async () => {
    const bytes = Buffer.alloc(5 * MiB, 7);
    const other = Buffer.from(bytes);
    // Between the first part, to byte 16,383, and the second, from (5 MiB - 16 KiB) / 63 = 82,960 on.
    other[40_000] = 8;
    const first = Buffer.from(bytes);
    first[0] = 8;
    const read = { bytes: 0 };
    const sources = { a: memorySource(bytes), b: memorySource(other), c: memorySource(first) };
    const find = createFindSameFiles(filesOf(sources, read), { local: 4 * MiB, remote: 0 });
    expect((await find(samplesOf(['a', 'b', 'c']))).found).to.deep.equal([{ samples: ['a', 'b'], compared: 'parts' }]);
    expect(read.bytes).to.equal(3 * 64 * 16 * 1024);
    // The same name twice is one file, whatever was read.
    const twice = samplesOf(['a', 'c', 'a']).map((one, i) => ({ ...one, name: `${i}` }));
    expect((await find(twice)).found).to.deep.equal([{ samples: ['0', '2'], compared: 'whole' }]);
  });

  it('are compared once for each version of a file', async () => {
    const bytes = Buffer.alloc(2 * MiB, 7);
    const read = { bytes: 0 };
    const of = (version: string): Source => ({ ...memorySource(bytes, version), version });
    const find = createFindSameFiles(filesOf({ a: of('1'), b: of('2') }, read));
    const expected = { found: [{ samples: ['a', 'b'], compared: 'whole' }], failed: new Map() };
    expect(await find(samplesOf(['a', 'b']))).to.deep.equal(expected);
    // The parts of both, and then both.
    expect(read.bytes).to.equal(2 * (MiB + 2 * MiB));
    expect(await find(samplesOf(['a', 'b']))).to.deep.equal(expected);
    expect(read.bytes).to.equal(6 * MiB);
  });

  it('name the file that fails, and go on with the others', async () => {
    const bytes = Buffer.alloc(1000, 7);
    const find = createFindSameFiles(filesOf({ a: memorySource(bytes), c: memorySource(bytes) }));
    const { found, failed } = await find(samplesOf(['a', 'b', 'c']));
    expect(found).to.deep.equal([{ samples: ['a', 'c'], compared: 'whole' }]);
    expect([...failed.keys()]).to.deep.equal(['b']);
  });

  it('are found for D4 files with other names and times, not for another file of the same size and time', async () => {
    const original = demoSamples[0]?.coverageFile ?? '';
    const content = readFileSync(original);
    const changed = Buffer.from(content);
    // The last byte of a D4 file is the end of a directory or of a record; the file need not be sound.
    changed[content.length - 1] = (changed.at(-1) as number) ^ 1;
    const paths = ['one.d4', 'two.d4', 'other.d4'].map((name) => join(folder.path(), name));
    const [one = '', two = '', other = ''] = paths;
    copyFileSync(original, one);
    copyFileSync(original, two);
    writeFileSync(other, changed);
    utimesSync(one, 1_600_000_000, 1_600_000_000);
    utimesSync(other, 1_600_000_000, 1_600_000_000);
    const settings = coverageSettings.parse({ roots: [folder.path()] });
    const sources = coverageSources({ settings, log: { warn() {} } });
    const samples = await Promise.all(
      paths.map(async (path, i) => ({ name: `s${i}`, location: await sources.coverageFile(path) })),
    );
    const find = createFindSameFiles(sources);
    const { found, failed } = await find([...samples, { ...(samples[1] as Sample), name: 's3' }]);
    expect(failed.size).to.equal(0);
    expect(found).to.deep.equal([{ samples: ['s0', 's1', 's3'], compared: 'whole' }]);
    await sources.close();
  });
});
