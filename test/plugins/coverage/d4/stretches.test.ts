import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createD4, openD4 } from '../../../../plugins/coverage/d4/index.js';
import { xorshift } from '../../../bench/d4-sample.js';

/** Records in several partitions, frames and parts of frames, of which one pass finds some and goes on with them. */
describe('d4: records of one pass over many regions', () => {
  const size = 24_000_000;
  const runLength = 120;
  /** Of every million bases, the first half has no record. */
  const depthAt = (base: number) => {
    const run = Math.floor(base / runLength);
    return base % 1_000_000 < 500_000 ? run % 60 : (run * 7) % 150;
  };
  let folder = '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trefoil-stretches-'));
    const begins = Array.from({ length: Math.ceil(size / runLength) }, (_, i) => i * runLength);
    const ends = begins.map((begin) => Math.min(size, begin + runLength));
    const batch = { chromosome: '1', begins, ends, depths: begins.map(depthAt) };
    const options = { dictionary: { low: 0, high: 64 }, chromosomes: [{ name: '1', size }] };
    await createD4(join(folder, 'plain.d4'), { open: () => [batch] }, options);
    await createD4(join(folder, 'deflated.d4'), { open: () => [batch] }, { ...options, deflate: 1 });
  });

  after(() => rmSync(folder, { recursive: true }));

  for (const name of ['plain.d4', 'deflated.d4']) {
    it(`finds those of every region of ${name}`, async () => {
      const random = xorshift(11);
      const intervals: { chromosome: string; begin: number; end: number }[] = [];
      for (let begin = 0; begin < size; begin += random() % 150_000) {
        intervals.push({ chromosome: '1', begin, end: Math.min(size, begin + (random() % 3000)) });
      }
      const thresholds = [1, 30, 64, 100, 149];
      const file = await openD4(join(folder, name));
      try {
        const rows = await file.statistics({ intervals, thresholds });
        const { counts, sums, means } = await file.columns({ intervals, thresholds, sums: false });
        expect([...counts]).to.deep.equal(rows.flatMap((row) => row.counts));
        expect([sums.length, means.length]).to.deep.equal([0, 0]);
        for (const { begin, end, sum, counts: found } of rows) {
          let expected = 0;
          const reached = thresholds.map(() => 0);
          for (let base = begin; base < end; base++) {
            const depth = depthAt(base - (base % runLength));
            expected += depth;
            for (const [t, threshold] of thresholds.entries())
              if (depth >= threshold) reached[t] = (reached[t] ?? 0) + 1;
          }
          expect({ sum, found }, `${begin}-${end}`).to.deep.equal({ sum: expected, found: reached });
        }
      } finally {
        file.close();
      }
    });
  }
});
