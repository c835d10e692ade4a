import { expect } from 'chai';
import { Clock } from '../../../../plugins/coverage/d4/clock.js';
import { emptyPieces, sweepOrder } from '../../../../plugins/coverage/d4/statistics/pieces.js';

describe('d4: the order of a sweep', () => {
  it('has every piece once, however many begin far from the start', async () => {
    // Begin times number is beyond the whole numbers that a double holds.
    const count = 3 * 2 ** 20;
    const pieces = emptyPieces(count);
    for (let i = 0; i < count; i++) {
      const begin = 2 ** 32 - 2000 - (i % 1000);
      pieces.begin[i] = begin;
      pieces.end[i] = begin + 1;
    }
    const order = (await sweepOrder(pieces, new Clock())) as Uint32Array;
    expect(order).to.have.length(count);
    const seen = new Uint8Array(count);
    let isAscending = true;
    for (const [at, piece] of order.entries()) {
      seen[piece] = 1;
      const before = pieces.begin[order[at - 1] ?? piece] as number;
      if (before > (pieces.begin[piece] as number)) isAscending = false;
    }
    expect(isAscending).to.equal(true);
    expect(seen.includes(0)).to.equal(false);
  }).timeout(20_000);
});
