import { expect } from 'chai';
import { openD4 } from '../../../../plugins/coverage/d4/index.js';
import { demoFile } from '../support/shared.js';

describe('d4: the demo file of chanjo2', () => {
  const path = demoFile();
  before(function () {
    if (!path) this.skip();
  });

  it('means of the four genes, of the covered chromosomes, and zero of all others', async () => {
    const file = await openD4(path as string);
    const { chromosomes } = file.track();
    expect(chromosomes).to.have.length(87);
    const genes = (
      [
        ['1', 11845780, 11866977],
        ['11', 71900602, 71907345],
        ['17', 26721661, 26734215],
        ['5', 79922047, 79950802],
      ] as const
    ).map(([chromosome, begin, end]) => ({ chromosome, begin, end }));
    const found = await file.statistics({ intervals: genes, thresholds: [10, 15, 20, 50, 100] });
    expect(found.map(({ mean }) => mean)).to.deep.equal([
      22.072038496013587, 22.479905086756638, 22.203839413732673, 22.76025039123631,
    ]);
    expect(found.map(({ counts, bases }) => counts.map((count) => (count / bases).toFixed(3)))).to.deep.equal([
      ['0.997', '0.930', '0.686', '0.000', '0.000'],
      ['1.000', '0.955', '0.773', '0.000', '0.000'],
      ['0.994', '0.897', '0.703', '0.000', '0.000'],
      ['0.892', '0.858', '0.743', '0.000', '0.000'],
    ]);
    const whole = await file.statistics({
      intervals: chromosomes.map(({ name, size }) => ({ chromosome: name, begin: 0, end: size })),
    });
    const means = Object.fromEntries(whole.flatMap(({ chromosome, mean }) => (mean === 0 ? [] : [[chromosome, mean]])));
    expect(means).to.deep.equal({
      1: 0.0018935158440387596,
      5: 0.003639698497517567,
      11: 0.0011467594645579921,
      17: 0.0034849839048387214,
    });
  });
});
