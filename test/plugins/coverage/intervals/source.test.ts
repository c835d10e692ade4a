/** Lines of interval files (GTF, GFF3, BioMart, HGNC), however they are written and their bytes arrive. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { bgzipped } from '../../../../core/files.js';
import { intervalsOfFile } from '../../../../plugins/coverage/intervals/reader.js';
import { faultOf } from '../../../support/fault.js';

/** A file whose stored bytes arrive in parts of this many. */
function sourceOf(bytes: Buffer, part: number) {
  const parts = Array.from({ length: Math.ceil(bytes.length / part) }, (_, i) =>
    bytes.subarray(i * part, (i + 1) * part),
  );
  return intervalsOfFile({ size: bytes.length, open: () => Readable.from(parts), close() {} }, 'genes.gtf');
}

async function linesOf(source: ReturnType<typeof sourceOf>): Promise<string[]> {
  const all: string[] = [];
  for await (const { lines, first } of source.blocks()) {
    expect(first).to.equal(all.length + 1);
    all.push(...lines);
  }
  return all;
}

describe('lines of interval files', () => {
  it('are the same with any line end, a byte order mark, gzip and bgzip, and in parts of any size', async () => {
    const line = fc.stringMatching(/^[a-zå𝄞\t ;"#]{0,12}$/u);
    const file = fc.record({
      lines: fc.array(line, { minLength: 1, maxLength: 12 }),
      end: fc.constantFrom('\n', '\r\n', '\r'),
      mark: fc.constantFrom('', '\uFEFF'),
      packed: fc.constantFrom('plain', 'gzip', 'bgzip'),
      isEnded: fc.boolean(),
      part: fc.integer({ min: 1, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(file, async ({ lines, end, mark, packed, isEnded, part }) => {
        // Without a line end, an empty last line is none.
        fc.pre(isEnded || lines.at(-1) !== '');
        const text = Buffer.from(`${mark}${lines.join(end)}${isEnded ? end : ''}`);
        const bytes = packed === 'plain' ? text : packed === 'gzip' ? gzipSync(text) : await bgzipped(text);
        const source = sourceOf(bytes, part);
        expect(await linesOf(source)).to.deep.equal(lines);
        expect(source.endsWithLine()).to.equal(isEnded);
        expect(source.progress()).to.equal(1);
      }),
      { numRuns: 300 },
    );
  });

  it('are refused if a bgzip file lacks its last block, or with another encoding, whose line is named', async () => {
    const whole = await bgzipped(Buffer.from('a\nb\n'));
    expect((await faultOf(linesOf(sourceOf(whole.subarray(0, -28), 99)), 'unprocessable')).message).to.match(
      /^genes\.gtf: the closing block of a bgzip file is missing/,
    );
    const latin1 = sourceOf(Buffer.from('a\rb\rå\r', 'latin1'), 99);
    expect((await faultOf(linesOf(latin1), 'unprocessable')).message).to.equal(
      'genes.gtf, line 3: it is not UTF-8 text',
    );
  });
});
