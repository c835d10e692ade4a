import { expect } from 'chai';
import fc from 'fast-check';
import { Regions } from '../../../../plugins/coverage/commands/d4/regions.js';
import { Clock } from '../../../../plugins/coverage/d4/clock.js';
import type { Interval } from '../../../../plugins/coverage/d4/index.js';
import { piecesOf } from '../../../../plugins/coverage/d4/statistics/statistics.js';
import type { D4Track } from '../../../../plugins/coverage/d4/track.js';

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

  it('are measured from columns as from objects: clipped to their chromosomes, or refused', async () => {
    const interval = fc.record({ chromosome: fc.constantFrom('1', '2', '3', 'X'), begin: fc.nat(9), end: fc.nat(9) });
    // A name more in the regions than in the file, and one fewer.
    const track = {
      chromosomes: [
        { name: '2', size: 6 },
        { name: 'chr1', size: 3 },
        { name: 'X', size: 12 },
        { name: 'Y', size: 5 },
      ],
      source: { name: 'kit.d4' },
    } as unknown as D4Track;
    const ranks = ['2', '1', 'X', '3'];
    const found = async (intervals: readonly Interval[] | Regions) => {
      try {
        const { given, order } = await piecesOf(track, { intervals, alias: true }, new Clock());
        return { columns: Object.values(given).map((column) => [...column]), order: order && [...order] };
      } catch (error) {
        return (error as Error).message;
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(interval), async (given) => {
        const { regions } = Regions.of(given).sorted((one, other) => ranks.indexOf(one) - ranks.indexOf(other));
        expect(regions.columns).to.not.equal(undefined);
        expect(await found(regions)).to.deep.equal(await found([...regions]));
      }),
      { numRuns: 500 },
    );
  });
});
