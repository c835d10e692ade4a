/** Medians, and distributions of deep windows, by mosdepth's definitions; expected values are computed by hand. */
import { readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createD4, textInput } from '../../../../plugins/coverage/d4/index.js';
import { mosdepthCommand } from '../../../../plugins/coverage/tools/d4.js';
import { temporaryFolder } from '../d4/support/folder.js';
import { readers } from '../d4/support/runner.js';

describe('d4 mosdepth: regions', () => {
  const folder = temporaryFolder();
  const run = async (options: Record<string, unknown>) => {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const input = { arguments: [folder.path('out'), folder.path('sample.d4')], options: { force: true, ...options } };
    expect(await mosdepthCommand.run(input, { out, err, isTTY: false, ...readers })).to.equal(0);
    const regions = gunzipSync(readFileSync(folder.path('out.regions.bed.gz'))).toString();
    const distribution = readFileSync(folder.path('out.mosdepth.region.dist.txt'), 'utf8');
    return { regions: regions.trimEnd().split('\n'), distribution: distribution.split('\n') };
  };

  before(async () => {
    const text = 'c\t0\t2\t1\nc\t2\t3\t2\nc\t3\t4\t9\nc\t4\t10\t1500\nc\t10\t12\t70000\n';
    writeFileSync(folder.path('depth.bedgraph'), text);
    await createD4(folder.path('sample.d4'), textInput(folder.path('depth.bedgraph')), {});
    const bed = ['0\t3', '0\t4', '2\t5', '4\t10', '9\t12'].map((place) => `c\t${place}\tname\n`);
    writeFileSync(folder.path('regions.bed'), bed.join(''));
  });

  it('have with --use-median the lower of two middle depths, and none above 65,535', async () => {
    // Depths by base: 1 1 2 9 1500 × 6, 70000 × 2.
    const { regions } = await run({ by: folder.path('regions.bed'), useMedian: true, perBase: false });
    expect(regions.map((row) => row.split('\t').slice(1).join())).to.deep.equal([
      '0,3,name,1.00',
      '0,4,name,1.00',
      '2,5,name,9.00',
      '4,10,name,1500.00',
      '9,12,name,65535.00',
    ]);
    const means = await run({ by: folder.path('regions.bed'), perBase: false });
    expect(means.regions[1]).to.equal('c\t0\t4\tname\t3.25');
  });

  it('that are windows count as at most 999 in the distribution', async () => {
    // Means 1, 5.5, 1500, 1500, 1500, 70000: four of six windows have 1000 or more.
    const { regions, distribution } = await run({ by: '2', perBase: false });
    expect(regions.at(-1)).to.equal('c\t10\t12\t70000.00');
    expect(distribution.slice(0, 2)).to.deep.equal(['c\t999\t0.67', 'c\t300\t0.67']);
    const medians = await run({ by: '2', perBase: false, useMedian: true });
    // The median of 2 and 9 is 2.
    expect(medians.distribution).to.include.members(['c\t3\t0.67', 'c\t2\t0.83', 'c\t1\t1.00']);
  });
});
