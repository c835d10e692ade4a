/** Runs of depth classes: what is written is read, in blocks of bounded size, and damage is noticed. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { RunBlock } from '../../../../plugins/coverage/contract.js';
import { addClasses, coveredIn, RunWriter, runWindow } from '../../../../plugins/coverage/samples/covered-runs.js';
import { type ClassRun, runsOfBlock } from './support.js';

/** The runs of bases below a threshold, base by base. */
function below(depths: readonly number[], threshold: number, offset: number): number[] {
  const runs: number[] = [];
  for (const [i, depth] of depths.entries()) {
    if (depth >= threshold) continue;
    if (runs.at(-1) === offset + i) runs[runs.length - 1] = offset + i + 1;
    else runs.push(offset + i, offset + i + 1);
  }
  return runs;
}

/** The depth class of every base. */
function classes(runs: readonly ClassRun[]): number[] {
  return runs.flatMap(({ start, end, depthClass }) => Array.from({ length: end - start }, () => depthClass));
}

/** The runs of all blocks; those that a window cut in two are one again. */
function all(blocks: readonly RunBlock[], thresholds: number): ClassRun[] {
  const found: ClassRun[] = [];
  for (const run of blocks.flatMap((block) => runsOfBlock(block, thresholds))) {
    const last = found.at(-1);
    if (last?.end === run.start && last.depthClass === run.depthClass && run.start % runWindow === 0)
      last.end = run.end;
    else found.push(run);
  }
  return found;
}

/** The runs between these. */
function complement(runs: readonly number[], end: number): number[] {
  const bounds = [0, ...runs, end];
  const found: number[] = [];
  for (let i = 0; i < bounds.length; i += 2) {
    const [from, to] = [bounds[i] as number, bounds[i + 1] as number];
    if (from < to) found.push(from, to);
  }
  return found;
}

describe('Covered runs', () => {
  it('have the class of every base, as a plain count of thresholds has it', async () => {
    const thresholdLists = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 });
    const windows = fc.array(fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 12 }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(thresholdLists, windows, async (list, parts) => {
        const thresholds = list.toSorted((a, b) => a - b);
        const writer = new RunWriter('X', thresholds.length);
        let start = 0;
        for (const depths of parts) {
          const end = start + depths.length;
          const runs = thresholds.map((threshold) => below(depths, threshold, start));
          addClasses(writer, { start, end }, runs);
          start = end;
        }
        const blocks = writer.blocks();
        const found = all(blocks, thresholds.length);
        const expected = parts.flat().map((depth) => thresholds.filter((threshold) => depth >= threshold).length);
        expect(classes(found)).to.deep.equal(expected);
        // As of several samples, whose runs are read together.
        const stored = thresholds.map((_, k) => ({ blocks, thresholds: thresholds.length, least: k + 1 }));
        const lists = coveredIn(stored, { start: 0, end: start });
        for (const [k, threshold] of thresholds.entries()) {
          expect(below(parts.flat(), threshold, 0)).to.deep.equal(complement([...(lists[k] as Uint32Array)], start));
        }
        // As long as possible: neighbours are of different classes.
        for (const [i, run] of found.entries())
          if (i > 0) expect(run.depthClass).not.to.equal(found[i - 1]?.depthClass);
      }),
      { numRuns: Number(process.env.TEST_HISTORIES ?? 60) },
    );
  });

  it('of many runs are cut into blocks of at most 256 kB, within windows, that join without a gap', async () => {
    const writer = new RunWriter('1', 2);
    let [seed, bases] = [1, 0];
    const next = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 16) % below;
    };
    const expected: ClassRun[] = [];
    // More than fit into the block of one window, then some that are longer than a window.
    for (let i = 0, depthClass = 0; i < 260_000; i++) {
      const length = 1 + next(i < 259_900 ? 30 : 10_000_000);
      depthClass = (depthClass + 1 + next(2)) % 3;
      writer.add(length, depthClass);
      expected.push({ start: bases, end: bases + length, depthClass });
      bases += length;
    }
    const blocks = writer.blocks();
    expect(blocks.length).to.be.greaterThan(1);
    for (const { start, end, content } of blocks) {
      expect(content.length).to.be.lessThan(256_000);
      expect(Math.floor((end - 1) / runWindow), 'crosses no window').to.equal(Math.floor(start / runWindow));
    }
    expect(blocks.map(({ start }) => start)).to.deep.equal([0, ...blocks.slice(0, -1).map(({ end }) => end)]);
    expect(blocks.at(-1)?.end).to.equal(bases);
    const found = all(blocks, 2);
    expect(found.length).to.equal(expected.length);
    expect(found.findIndex((run, i) => JSON.stringify(run) !== JSON.stringify(expected[i]))).to.equal(-1);
  });

  it('of a whole chromosome without depth are one run of each window', async () => {
    const writer = new RunWriter('1', 1);
    addClasses(writer, { start: 0, end: 248_956_422 }, [[0, 248_956_422]]);
    const blocks = writer.blocks();
    expect(blocks.length).to.equal(Math.ceil(248_956_422 / runWindow));
    expect(blocks.reduce((sum, { content }) => sum + content.length, 0)).to.equal(4 * blocks.length);
    expect(all(blocks, 1)).to.deep.equal([{ start: 0, end: 248_956_422, depthClass: 0 }]);
    expect(new RunWriter('1', 1).blocks()).to.deep.equal([]);
  });

  it('that are damaged are refused, whichever byte changed', async () => {
    const writer = new RunWriter('1', 1);
    for (let i = 0; i < 50; i++) writer.add(i + 1, i % 2);
    const [block] = writer.blocks();
    if (block === undefined) throw new Error('There is a block');
    const { end } = block;
    const covered = (blocks: readonly RunBlock[], from: number, to: number) =>
      coveredIn([{ blocks, thresholds: 1, least: 1 }], { start: from, end: to });
    for (const i of block.content.keys()) {
      const content = block.content.slice();
      content[i] = (content[i] as number) ^ 1;
      expect(() => covered([{ ...block, content }], 0, end)).to.throw('Stored coverage of a sample is damaged');
    }
    expect(() => covered([{ ...block, end: end + 1 }], 0, end + 1)).to.throw('is damaged');
    expect(covered([block], 0, end)[0]?.length).to.equal(50);
    expect(() => covered([block], 0, end + 1), 'a block is missing').to.throw('is damaged');
    expect(() => covered([], 0, end)).to.throw('is damaged');
    expect(() => covered([block], 1, end)).to.throw('is damaged');
  });
});
