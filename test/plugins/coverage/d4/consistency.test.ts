import { expect } from 'chai';
import type { D4Track } from '../../../../plugins/coverage/d4/index.js';
import { windowSlack } from '../../../../plugins/coverage/d4/kernel/kernel.js';
import type { RecordBlock } from '../../../../plugins/coverage/d4/secondary/records.js';
import { checkRecords } from '../../../../plugins/coverage/d4/window.js';

/** Codes under records, which all must be the mask. */
describe('d4: records against the primary table', () => {
  const window = { chromosome: 0, begin: 1000, end: 1100 };

  /** Whether a record of these bases is accepted if all bits of its codes are set, and `changed` is changed. */
  function isAccepted(width: number, begin: number, length: number, changed?: { bit: number; to: 0 | 1 }): boolean {
    const codes = new Uint8Array(Math.ceil((width * 100) / 8) + windowSlack);
    const [from, to] = [(begin - window.begin) * width, (begin + length - window.begin) * width];
    const write = (bit: number, value: 0 | 1) => {
      const place = bit >> 3;
      const mask = 1 << (bit & 7);
      codes[place] = value ? (codes[place] as number) | mask : (codes[place] as number) & ~mask;
    };
    for (let bit = from; bit < to; bit++) write(bit, 1);
    if (changed) write(from + changed.bit, changed.to);
    const words = Uint16Array.of(begin + 1, 0, length - 1, 500, 0);
    const block: RecordBlock = { words, count: 1, floor: 0, ceiling: 2000 };
    const track = {
      dictionary: { width },
      chromosomes: [{ name: '1' }],
      source: { name: 'x.d4' },
    } as unknown as D4Track;
    try {
      checkRecords(track, window, [block], { codes, origin: window.begin });
      return true;
    } catch (error) {
      expect(error).to.include({ code: 'broken' });
      return false;
    }
  }

  it('finds every single bit that is not set, and looks at no other', () => {
    for (const width of [1, 3, 6, 8, 13, 16]) {
      for (const begin of [1000, 1001, 1005, 1030]) {
        for (const length of [1, 2, 5, 6, 11, 64]) {
          const what = `width ${width}, ${begin} + ${length}`;
          expect(isAccepted(width, begin, length), what).to.equal(true);
          const bits = width * length;
          for (const bit of [0, 1, 7, 8, 31, 32, 33, bits >> 1, bits - 2, bits - 1]) {
            if (bit < 0 || bit >= bits) continue;
            expect(isAccepted(width, begin, length, { bit, to: 0 }), `${what}, bit ${bit}`).to.equal(false);
          }
        }
      }
    }
  });
});
