import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import fc from 'fast-check';
import { Lines } from '../../../../plugins/coverage/commands/d4/output.js';

describe('d4: lines of commands', () => {
  const cells = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('chr1', 'å', '\u{1F9EC}', 'x'.repeat(300_000)),
    fc.nat(),
    fc.constantFrom(0, 9, 10, 2 ** 31 - 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
  );

  it('are the bytes of the same text in UTF-8, whatever is added', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(cells)), async (rows) => {
        const out = new PassThrough();
        const written = buffer(out);
        const lines = new Lines(out);
        for (const row of rows) {
          for (const cell of row) {
            if (typeof cell === 'number') lines.addWhole(cell);
            else lines.add(cell);
          }
          await lines.end();
        }
        await lines.flush();
        out.end();
        const text = rows.map((row) => `${row.join('')}\n`).join('');
        expect((await written).equals(Buffer.from(text))).to.equal(true);
      }),
      { numRuns: 30 },
    );
  });
});
