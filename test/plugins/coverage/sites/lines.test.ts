/** Lines outside of the heap, against arrays and sets. */
import { expect } from 'chai';
import { LineSet, Lines } from '../../../../plugins/coverage/sites/lines.js';
import { Random } from '../../../conformance/core.js';

describe('lines outside of the heap', () => {
  const random = new Random(Number(process.env.TEST_SEED ?? 1));
  const some = () =>
    `${random.pick(['', 'å', '𝒳', 'x'.repeat(random.pick([1, 700, 1_200_000]))])}${random.int(0, 2000)}`;
  const all = Array.from({ length: 3000 }, () => (random.chance(0.002) ? some() : `${random.int(0, 2000)} é`));

  it('are what was added, also longer ones than a page', () => {
    const lines = new Lines();
    expect(all.map((line) => lines.add(line))).to.deep.equal([...all.keys()]);
    expect(all.every((line, number) => lines.line(number) === line)).to.equal(true);
  });

  it('are in a set once', () => {
    const [set, known] = [new LineSet(), new Set<string>()];
    for (const line of all) {
      expect(set.add(line)).to.equal(!known.has(line));
      known.add(line);
    }
    expect(set.size).to.equal(known.size);
  });
});
