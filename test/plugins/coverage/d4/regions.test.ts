import { expect } from 'chai';
import fc from 'fast-check';
import { Regions } from '../../../../plugins/coverage/commands/d4/regions.js';

describe('d4: regions of commands', () => {
  it('are sorted by their names in any order, then by begin and end', () => {
    const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
    const interval = fc.record({
      chromosome: fc.constantFrom('1', '10', '2', 'X', 'å', '\u{1f9ec}', '\uffee'),
      begin: fc.nat(3),
      end: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(interval), fc.boolean(), (given, backwards) => {
        const compare = backwards ? (one: string, other: string) => byBytes(other, one) : byBytes;
        const expected = [...given].sort(
          (a, b) => compare(a.chromosome, b.chromosome) || a.begin - b.begin || a.end - b.end,
        );
        const { regions, stretches } = Regions.of(given).sorted(compare);
        expect([...regions]).to.deep.equal(expected);
        for (const { name, from, to } of stretches) {
          expect(expected.slice(from, to)).to.deep.equal(expected.filter(({ chromosome }) => chromosome === name));
        }
      }),
    );
  });
});
