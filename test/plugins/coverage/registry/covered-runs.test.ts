/** Runs of depth classes: what is written is read, in blocks of bounded size, and damage is noticed. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { RunBlock } from '../../../../plugins/coverage/contract.js';
import { addClasses, type ClassRun, RunWriter, runsOf } from '../../../../plugins/coverage/registry/covered-runs.js';

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

const all = (blocks: readonly RunBlock[], thresholds: number) =>
  blocks.flatMap((block) => [...runsOf(block, thresholds)]);

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
        const writer = new RunWriter(thresholds.length);
        let start = 0;
        for (const depths of parts) {
          const end = start + depths.length;
          const runs = thresholds.map((threshold) => below(depths, threshold, start));
          addClasses(writer, { start, end }, runs);
          start = end;
        }
        const found = all(await writer.blocks('X'), thresholds.length);
        const expected = parts.flat().map((depth) => thresholds.filter((threshold) => depth >= threshold).length);
        expect(classes(found)).to.deep.equal(expected);
        // As long as possible: neighbours are of different classes.
        for (const [i, run] of found.entries())
          if (i > 0) expect(run.depthClass).not.to.equal(found[i - 1]?.depthClass);
      }),
      { numRuns: Number(process.env.TEST_HISTORIES ?? 60) },
    );
  });

  it('of many runs are cut into blocks of at most 256 kB that join without a gap', async () => {
    const writer = new RunWriter(2);
    let [seed, bases] = [1, 0];
    const next = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 16) % below;
    };
    const expected: ClassRun[] = [];
    for (let i = 0, depthClass = 0; i < 130_000; i++) {
      const length = 1 + next(60_000);
      depthClass = (depthClass + 1 + next(2)) % 3;
      writer.add(length, depthClass);
      expected.push({ start: bases, end: bases + length, depthClass });
      bases += length;
    }
    const blocks = await writer.blocks('1');
    expect(blocks.length).to.be.greaterThan(1);
    for (const { content } of blocks) expect(content.length).to.be.lessThan(256_000);
    expect(blocks.map(({ start }) => start)).to.deep.equal([0, ...blocks.slice(0, -1).map(({ end }) => end)]);
    expect(blocks.at(-1)?.end).to.equal(bases);
    const found = all(blocks, 2);
    expect(found.length).to.equal(expected.length);
    expect(found.findIndex((run, i) => JSON.stringify(run) !== JSON.stringify(expected[i]))).to.equal(-1);
  });

  it('of a whole chromosome without depth are one run', async () => {
    const writer = new RunWriter(1);
    addClasses(writer, { start: 0, end: 248_956_422 }, [[0, 248_956_422]]);
    const [block, ...more] = await writer.blocks('1');
    expect(more).to.deep.equal([]);
    expect([...runsOf(block as RunBlock, 1)]).to.deep.equal([{ start: 0, end: 248_956_422, depthClass: 0 }]);
    expect(await new RunWriter(1).blocks('1')).to.deep.equal([]);
  });

  it('that are damaged are refused, whichever byte changed', async () => {
    const writer = new RunWriter(1);
    for (let i = 0; i < 50; i++) writer.add(i + 1, i % 2);
    const [block] = await writer.blocks('1');
    if (block === undefined) throw new Error('There is a block');
    for (const i of block.content.keys()) {
      const content = block.content.slice();
      content[i] = (content[i] as number) ^ 1;
      expect(() => [...runsOf({ ...block, content }, 1)]).to.throw('Stored coverage of a sample is damaged');
    }
    expect(() => [...runsOf({ ...block, end: block.end + 1 }, 1)]).to.throw('is damaged');
  });
});
