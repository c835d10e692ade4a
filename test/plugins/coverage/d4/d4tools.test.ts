import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { depthsArbitrary } from './support/arbitrary.js';
import { runsOf } from './support/brute.js';
import { temporaryFolder } from './support/folder.js';
import { runD4 } from './support/runner.js';

function d4tools(...line: string[]): string {
  const { status, stdout, stderr } = spawnSync('d4tools', line, { encoding: 'utf8' });
  expect(status, stderr).to.equal(0);
  return stdout;
}

const missing = spawnSync('d4tools', ['--version']).error !== undefined;

describe(`d4: beside d4tools${missing ? ' (skipped: d4tools is not installed)' : ''}`, () => {
  const folder = temporaryFolder();
  before(function () {
    if (missing) this.skip();
  });

  const sample = fc.record({ depths: depthsArbitrary(5000), deflate: fc.boolean() });

  function write(depths: Int32Array): { text: string; genome: string } {
    const [text, genome] = [folder.path('text.bedgraph'), folder.path('genome')];
    const rows = runsOf(Array.from(depths), 0).map(([begin, end, depth]) => `chr1\t${begin}\t${end}\t${depth}\n`);
    writeFileSync(text, rows.join(''));
    writeFileSync(genome, `chr1\t${depths.length}\n`);
    return { text, genome };
  }

  it('d4tools view prints our files as our view does', async () => {
    await fc.assert(
      fc.asyncProperty(sample, async ({ depths, deflate }) => {
        const { text, genome } = write(depths);
        const path = folder.path('ours.d4');
        const options = ['--force', '-g', genome, ...(deflate ? ['-z'] : [])];
        expect(await runD4('create', ...options, text, path)).to.include({ status: 0 });
        expect(d4tools('view', path)).to.equal((await runD4('view', path)).out);
      }),
      { numRuns: 25 },
    );
  });

  // Not as its own view: that leaves out the last frame if it has a single record.
  it('our view prints files of d4tools as the text that they were made of', async () => {
    await fc.assert(
      fc.asyncProperty(sample, async ({ depths, deflate }) => {
        const { text, genome } = write(depths);
        const path = folder.path('theirs.d4');
        d4tools('create', ...(deflate ? ['-z'] : []), '-g', genome, text, path);
        expect((await runD4('view', path)).out).to.equal(readFileSync(text, 'utf8'));
      }),
      { numRuns: 25 },
    );
  });

  // All in the dictionary: d4tools counts beyond the region where a record begins, and depths below 0 as above every threshold.
  it('stat prints means and parts of regions as d4tools does', async () => {
    const places = fc.array(
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    await fc.assert(
      fc.asyncProperty(sample, places, async ({ depths, deflate }, pairs) => {
        const { text, genome } = write(depths.map((depth) => Math.abs(depth) % 64));
        const path = folder.path('measured.d4');
        const options = ['--force', '-g', genome, '-R', '0-64', ...(deflate ? ['-z'] : [])];
        expect(await runD4('create', ...options, text, path)).to.include({ status: 0 });
        const bed = folder.path('regions.bed');
        const rows = pairs.map(([one, other]) => {
          const [begin, end] = [one, other].map((part) => Math.floor(part * depths.length)).sort((a, b) => a - b) as [
            number,
            number,
          ];
          return `chr1\t${begin}\t${Math.max(end, begin + 1)}\n`;
        });
        writeFileSync(bed, rows.join(''));
        for (const kind of ['mean', 'perc_cov=1,10,20,60']) {
          const line = ['stat', '-s', kind, '-r', bed, path];
          expect((await runD4(...line)).out, kind).to.equal(d4tools(...line, '--no-index'));
        }
      }),
      { numRuns: 25 },
    );
  });
});
