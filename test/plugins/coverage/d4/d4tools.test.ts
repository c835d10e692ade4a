import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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

  it('our view prints files of d4tools as its own does', async () => {
    await fc.assert(
      fc.asyncProperty(sample, async ({ depths, deflate }) => {
        const { text, genome } = write(depths);
        const path = folder.path('theirs.d4');
        d4tools('create', ...(deflate ? ['-z'] : []), '-g', genome, text, path);
        expect((await runD4('view', path)).out).to.equal(d4tools('view', path));
      }),
      { numRuns: 25 },
    );
  });
});
