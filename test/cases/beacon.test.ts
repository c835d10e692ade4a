/** Situations that users of beacons, observation databases and matchmakers met, against the built program. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));
const runner = fileURLToPath(new URL('../../../shared/data/cases/beacon/run.mjs', import.meta.url));

/** What the runner prints: a line for each case, and the numbers of those that held and that did not. */
function output(): Promise<string> {
  return new Promise((done) => {
    execFile(process.execPath, [runner, root], { maxBuffer: 2 ** 24 }, (_, stdout, stderr) => done(stdout + stderr));
  });
}

describe('cases of alleles and patients', function () {
  this.timeout(1_800_000);

  it('all hold', async function () {
    if (!existsSync(runner)) this.skip();
    const lines = (await output()).trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('ok ')).join('\n')).to.match(/^[1-9]\d* held, 0 missed$/);
  });
});
