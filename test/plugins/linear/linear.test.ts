/** The work of every parser of client input is linear in its size: counted in work, not in time. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { sampled } from '../../support/sample.js';
import { brief } from '../../support/trefoil.js';

/** Twice the input takes twice the work; sorting a little more, quadratic work four times as much. */
const most = 2.6;

describe('parsers: twice the input takes twice the work', () => {
  let names: string[];
  let measured: Record<string, [once: number, twice: number]>;

  before(async function () {
    this.timeout(600_000); // a separate process, in which every block of code is counted
    const script = fileURLToPath(new URL('./run.ts', import.meta.url));
    const run = promisify(execFile);
    // In a run of the whole suite from sources that are compiled already.
    const isCompiled = process.env.TREFOIL_TEST_COMPILED !== undefined;
    const loader = isCompiled ? new URL('../../support/compiled.mjs', import.meta.url).href : 'tsx/esm';
    const { stdout } = await run(process.execPath, [...brief, '--import', loader, script], { maxBuffer: 1 << 24 });
    ({ names, measured } = JSON.parse(stdout) as { names: typeof names; measured: typeof measured });
  });

  it('for every kind of growth', () => {
    const parsers = Object.entries(measured).filter(([name]) => !/^(control|bound|limit):/.test(name));
    expect(names.length).to.be.above(90);
    expect(parsers.map(([name]) => name)).to.deep.equal(sampled(names, 6));
    const ratios = parsers.map(([name, [once, twice]]) => ({ name, once, ratio: twice / once }));
    expect(ratios.filter(({ ratio }) => ratio > most)).to.deep.equal([]);
    // The input was read, and more of it the second time.
    expect(ratios.filter(({ once, ratio }) => once < 1000 || ratio < 1.2)).to.deep.equal([]);
  });

  it('for every list of a request that the API description declares', () => {
    const requests = names.filter((name) => name.startsWith('request:'));
    expect(requests.length).to.be.above(50);
  });

  it('or refuses more entries than a limit of at most 200', () => {
    const limits = Object.entries(measured).filter(([name]) => name.startsWith('limit:'));
    expect(limits.length).to.be.above(20);
    expect(limits.filter(([, [most, isLimit]]) => most > 200 || isLimit !== 1)).to.deep.equal([]);
  });

  it('or is bounded', () => {
    const bounds = Object.entries(measured).filter(([name]) => name.startsWith('bound:'));
    expect(bounds.length).to.be.above(0);
    for (const [name, [work, most]] of bounds) expect(work, name).to.be.within(most / 10, most);
  });

  it('and every kind of quadratic work is detected', () => {
    const controls = Object.entries(measured).filter(([name]) => name.startsWith('control'));
    expect(controls.length).to.equal(9);
    for (const [name, [once, twice]] of controls) {
      if (name.includes('quadratic')) expect(twice / once, name).to.be.above(3);
      else expect(twice / once, name).to.be.below(most);
    }
  });
});
