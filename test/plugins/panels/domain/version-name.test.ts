import { expect } from 'chai';
import fc from 'fast-check';
import { compareVersionNames, isVersionName, nextVersionName } from '../../../../plugins/panels/versions/names.js';

describe('names of panel versions', () => {
  const name = fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }).map((numbers) => numbers.join('.'));

  it('are dotted whole numbers without leading zeros', () => {
    for (const good of ['1', '0.1', '1.10', '12.0.3']) expect(isVersionName(good), good).to.equal(true);
    for (const bad of ['', '1.', '.1', '01', '1.01', 'v1', '1,0', '1e3', '-1', '1.2.3.4.5.6.7', '١', '1 '])
      expect(isVersionName(bad), bad).to.equal(false);
  });

  it('are in the order of their numbers', () => {
    const sorted = ['0.9', '1', '1.0', '1.1', '1.2', '1.9', '1.10', '1.10.1', '2', '10'];
    expect([...sorted].reverse().sort(compareVersionNames)).to.deep.equal(sorted);
  });

  it('are the same only if they read alike', () => {
    fc.assert(
      fc.property(name, name, (one, two) => {
        const order = compareVersionNames(one, two);
        expect(order === 0).to.equal(one === two);
        expect(Math.sign(order)).to.equal(-Math.sign(compareVersionNames(two, one)) + 0);
      }),
    );
  });

  it('are followed by a later one', () => {
    expect(nextVersionName('1.9')).to.equal('1.10');
    fc.assert(
      fc.property(name, (one) => {
        expect(isVersionName(nextVersionName(one))).to.equal(true);
        expect(compareVersionNames(one, nextVersionName(one))).to.be.below(0);
      }),
    );
  });
});
