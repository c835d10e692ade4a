/** BED files as users supply them. */
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { readBed } from '../../../plugins/coverage/sources/bed.js';

const limits = { intervals: 1000, bytes: 100_000 };
const read = async (text: string | Buffer, own = limits) => [...(await readBed(Buffer.from(text), own))];

describe('BED files', () => {
  const rows = [
    { chromosome: '1', start: 5, end: 9, name: 'a gene', line: 1 },
    { chromosome: 'chrX', start: 0, end: 7, line: 2 },
  ];

  it('are read with tabs or blanks, any line ends, and names', async () => {
    expect(await read('1\t5\t9\ta gene\t0\t+\nchrX\t0\t7\n')).to.deep.equal(rows);
    expect(await read('1\t5\t9\ta gene\r\nchrX  0   7\r\n')).to.deep.equal(rows);
    expect(await read('\uFEFF1\t5\t9\ta gene\nchrX 0 7')).to.deep.equal(rows);
    expect(await read('1\t5\t9\t\t.')).to.deep.equal([{ chromosome: '1', start: 5, end: 9, line: 1 }]);
  });

  it('have the names found by splitting each line', async () => {
    const blank = fc.constantFrom(' ', '  ', '\t', '\t\t', ' \t');
    const name = fc.stringMatching(/^[a-z0-9µ→Ø𝄞 .|-]{0,12}$/u);
    const line = fc
      .tuple(fc.constantFrom('', ' ', '   '), fc.array(blank, { minLength: 4, maxLength: 4 }), name, name)
      .map(([indent, [a, b, c, d], fourth, fifth]) => `${indent}chr1${a}10${b}20${c}${fourth}${d}${fifth}`);
    const end = fc.constantFrom('\n', '\r\n', ' \n', '\t\n');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(line, end), { minLength: 1, maxLength: 20 }), async (lines) => {
        const columns = lines.map(([text]) =>
          text.trimEnd().includes('\t') ? text.split('\t') : text.trim().split(/ +/),
        );
        // Two adjacent tabs enclose an empty column, which is not a position.
        const isRead = columns.every(([, from, to]) => from?.trim() === '10' && to?.trim() === '20');
        fc.pre(isRead);
        const names = (await read(lines.map((parts) => parts.join('')).join(''))).map(({ name }) => name ?? '');
        expect(names).to.deep.equal(columns.map(([, , , name]) => name?.trim() ?? ''));
      }),
    );
  });

  it('are read without headers, comments and blank lines, which count as lines', async () => {
    const text =
      'browser position 1:1-5\ntrack name="x"\n# c\nchrom\tchromStart\tchromEnd\n\n  \n1\t5\t9\n#\n2\t1\t2\n';
    expect((await read(text)).map(({ line }) => line)).to.deep.equal([7, 9]);
    expect((await read('tracks\t5\t9')).map(({ chromosome }) => chromosome)).to.deep.equal(['tracks']);
  });

  it('are read as gzip, also with several members', async () => {
    const members = [gzipSync('1\t5\t9\ta gene\n'), gzipSync('chrX\t0\t7\n')];
    expect(await read(Buffer.concat(members))).to.deep.equal(rows);
  });

  it('are refused if truncated, too long, or larger than the limit when inflated', async () => {
    const refusal = async (bytes: string | Buffer, own = limits) => {
      try {
        await read(bytes, own);
      } catch (error) {
        return error as { code: string; message: string };
      }
      throw new Error('it was taken');
    };
    const whole = gzipSync('1\t5\t9\n'.repeat(5000));
    expect(await refusal(whole.subarray(0, -9))).to.include({ code: 'unprocessable' });
    expect(await refusal('1\t5\t9\n'.repeat(1001))).to.include({ code: 'too-large' });
    expect(await refusal(gzipSync(Buffer.alloc(1_000_000, '#')))).to.include({ code: 'too-large' });
    expect(await refusal('#'.repeat(100_001))).to.include({ code: 'too-large' });
    expect(await read('1\t5\t9\n'.repeat(1000))).to.have.length(1000);
    const latin1 = await refusal(Buffer.from('# å\n1\t5\t9\ta\n1\t5\t9\tå\n', 'latin1'));
    expect(latin1.message).to.match(/line 3 is not UTF-8 text$/);
    const heading = await refusal('1\t5\t9\nchrom\tstart\tend\n');
    expect(heading.message).to.match(/line 2 has a start or an end that is not a position$/);
  });
});
