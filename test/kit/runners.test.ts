/** The kit knows no test runner: here it runs on another than the one of these tests. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { storageCases, tokenCases } from '../conformance/core.js';

describe('the conformance kit on node:test', () => {
  it('runs every case', async () => {
    const file = fileURLToPath(new URL('./support/node-test.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--import=tsx/esm', '--test-reporter=tap', file]);
    const cases = [...storageCases, ...tokenCases];
    const skipped = cases.filter(({ needs }) => needs).length;
    expect(stdout).to.include(`# pass ${cases.length - skipped}\n`);
    expect(stdout).to.include(`# skipped ${skipped}\n`);
    expect(stdout).to.include('# fail 0\n');
  });
});
