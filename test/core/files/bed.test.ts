/** BED files and lists of chromosomes as laboratories have them. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { type BedLimits, bgzipped, decodeText, readBed, readGenome, sourceOf } from '../../../core/files.js';
import { faultOf } from '../../support/fault.js';

const bed = (bytes: string | Buffer, limits?: BedLimits) =>
  readBed(
    sourceOf('kit.bed', 0, () => Readable.from([Buffer.from(bytes)])),
    limits,
  );
const read = async (bytes: string | Buffer, limits?: BedLimits) => [...(await bed(bytes, limits))];
const refused = async (bytes: string | Buffer, limits?: BedLimits) => faultOf(read(bytes, limits));
const genome = async (bytes: string | Buffer) => readGenome(await decodeText('chrom.sizes', Buffer.from(bytes)));

describe('BED files', () => {
  const rows = [
    { chromosome: '1', start: 5, end: 9, name: 'a gene', line: 1 },
    { chromosome: 'chrX', start: 0, end: 7, line: 2 },
  ];

  it('are read with tabs or blanks, any line ends, and names', async () => {
    expect(await read('1\t5\t9\ta gene\t0\t+\nchrX\t0\t7\n')).to.deep.equal(rows);
    expect(await read('1\t5\t9\ta gene\r\nchrX  0   7\r\n')).to.deep.equal(rows);
    expect(await read('1\t5\t9\ta gene\rchrX\t0\t7')).to.deep.equal(rows);
    expect(await read('\uFEFF1\t5\t9\ta gene\nchrX 0 7')).to.deep.equal(rows);
    expect(await read('1\t5\t9\t\t.')).to.deep.equal([{ chromosome: '1', start: 5, end: 9, line: 1 }]);
  });

  it('are read whole, however many lines they have', async () => {
    // More than are read at a time, with lines for the slower parser at and around the places where reading goes on.
    const odd = new Set([0, 19_999, 20_000, 20_001, 39_999, 40_002, 60_001]);
    const expected = Array.from({ length: 70_000 }, (_, i) => ({
      chromosome: i < 20_000 ? '1' : 'X',
      start: 3 * i,
      end: 3 * i + 2,
      line: i + 1,
    }));
    for (const oddities of [new Set<number>(), odd]) {
      const text = expected.map(({ chromosome, start, end }, i) =>
        [chromosome, start, end].join(oddities.has(i) ? ' ' : '\t'),
      );
      expect(await read(text.join('\n'))).to.deep.equal(expected);
    }
  });

  it('have the names found by splitting each line', async () => {
    const blank = fc.constantFrom(' ', '  ', '\t', '\t\t', ' \t');
    const name = fc.stringMatching(/^[a-z0-9µ→Ø𝄞 .|-]{0,12}$/u);
    const line = fc
      .tuple(fc.constantFrom('', ' ', '   '), fc.array(blank, { minLength: 4, maxLength: 4 }), name, name)
      .map(([indent, [a, b, c, d], fourth, fifth]) => `${indent}chr1${a}10${b}20${c}${fourth}${d}${fifth}`);
    const end = fc.constantFrom('\n', '\r\n', '\r', ' \n', '\t\n');
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

  /** The rule of a line: left out, a region, or a mistake. */
  function naive(
    text: string,
    isFirst: boolean,
  ): 'out' | 'mistake' | { chromosome: string; start: number; end: number } {
    if (/^\s*$|^#|^(track|browser)(\s|$)/.test(text)) return 'out';
    const cells = text.trimEnd().includes('\t') ? text.split('\t').map((one) => one.trim()) : text.trim().split(/ +/);
    const [chromosome = '', start = '', end = ''] = cells;
    if (isFirst && [start, end].every((one) => /^[A-Za-z_ ]+$/.test(one))) return 'out';
    const isRegion = chromosome !== '' && [start, end].every((one) => /^\d+$/.test(one)) && Number(start) < Number(end);
    return isRegion ? { chromosome, start: Number(start), end: Number(end) } : 'mistake';
  }

  it('are read as a reader of single lines does, to the line of the first mistake', async () => {
    const cell = fc.constantFrom('1', 'chr1', 'chr10', '#', 'track', '', '0', '7', '42', '12a', '-3', '1e3', '5 ');
    const line = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.tuple(fc.constantFrom('chr1', 'chr10', '2'), fc.nat(50), fc.integer({ min: 1, max: 50 })),
      },
      { weight: 1, arbitrary: fc.array(cell, { maxLength: 5 }) },
    );
    const text = fc.record({
      lines: fc.array(
        line.map((cells) => (typeof cells[2] === 'number' ? [cells[0], cells[1], Number(cells[1]) + cells[2]] : cells)),
        { maxLength: 8 },
      ),
      ends: fc.array(fc.constantFrom('\n', '\r\n', '\r'), { minLength: 8, maxLength: 8 }),
      separator: fc.constantFrom('\t', ' '),
    });
    await fc.assert(
      fc.asyncProperty(text, async ({ lines, ends, separator }) => {
        const written = lines.map((cells) => cells.join(separator));
        // A carriage return before a blank line that ends with a line feed is one line end.
        const content = written.map((one, i) => `${one}${ends[i]}`).join('');
        let isFirst = true;
        const expected = content.split(/\r\n|\r|\n/).map((one) => {
          const found = naive(one, isFirst);
          isFirst &&= found === 'out';
          return found;
        });
        const wrong = expected.indexOf('mistake');
        const regions = expected.filter((one) => one !== 'out');
        if (wrong >= 0)
          expect((await refused(content)).message).to.match(new RegExp(`^kit\\.bed, line ${wrong + 1}: `));
        else if (regions.length === 0) expect((await refused(content)).message).to.equal('kit.bed: it has no regions');
        else {
          const found = await read(content);
          expect(found.map(({ chromosome, start, end }) => ({ chromosome, start, end }))).to.deep.equal(regions);
          expect(found.map((one) => expected[one.line - 1])).to.deep.equal(regions);
        }
      }),
    );
  });

  it('are read without headers, comments and blank lines, which count as lines', async () => {
    const text =
      'browser position 1:1-5\ntrack name="x"\n# c\nchrom\tchromStart\tchromEnd\n\n  \n1\t5\t9\n#\n2\t1\t2\n';
    expect((await read(text)).map(({ line }) => line)).to.deep.equal([7, 9]);
    expect((await read('tracks\t5\t9')).map(({ chromosome }) => chromosome)).to.deep.equal(['tracks']);
  });

  it('are read as gzip, also with several members, and as bgzip', async () => {
    const members = [gzipSync('1\t5\t9\ta gene\n'), gzipSync('chrX\t0\t7\n')];
    expect(await read(Buffer.concat(members))).to.deep.equal(rows);
    expect(await read(await bgzipped(Buffer.from('1\t5\t9\ta gene\nchrX\t0\t7\n')))).to.deep.equal(rows);
  });

  it('are refused by one sentence with file, line and column', async () => {
    const most = 'a whole number from 0 to 4294967295';
    const sentences: Record<string, string> = {
      '1\t5': ', line 1: expected three columns (chromosome, start, end), separated by tabs or by spaces, found "1 5"',
      '1,5,9':
        ', line 1: expected three columns (chromosome, start, end), separated by tabs or by spaces, found "1,5,9"',
      '\t5\t9':
        ', line 1: expected three columns (chromosome, start, end), separated by tabs or by spaces, found " 5 9"',
      '1 2\t5\t9': ', line 1: the chromosome must not have a space, found "1 2": tabs and spaces are mixed',
      '1\t5\t9\n\n1\t9\t5': ', line 3: the end of the region, 5, is before its start, 9',
      '#c\r1\t5\t5': ', line 2: the region has no bases: its start and its end are 5',
      '1\t5\tx9': `, line 1: the end must be ${most}, found "x9"`,
      '1\t-5\t9': `, line 1: the start must be ${most}, found "-5"`,
      '1\t1,000\t9': `, line 1: the start must be ${most}, found "1,000"`,
      '1\t5\t9\n1\t5\t4294967296': `, line 2: the end must be ${most}, found "4294967296"`,
      '1\t5\t9\nchrom\tstart\tend\n': `, line 2: the start must be ${most}, found "start"`,
      '<!DOCTYPE html>': ', line 1: the download failed: this is a web page, "<!DOCTYPE html>"',
      '': ': it has no regions',
      '\uFEFF# nothing\r': ': it has no regions',
    };
    for (const [text, sentence] of Object.entries(sentences)) {
      const fault = await refused(text);
      expect([fault.code, fault.message], text).to.deep.equal(['unprocessable', `kit.bed${sentence}`]);
    }
    const latin1 = await refused(Buffer.from('# å\n1\t5\t9\ta\n1\t5\t9\tå\n', 'latin1'));
    expect(latin1.message).to.equal('kit.bed, line 3: it is not UTF-8 text');
    const utf16 = await refused(Buffer.from('\uFEFF1\t5\t9\n', 'utf16le'));
    expect(utf16.message).to.equal('kit.bed is UTF-16 text: save it as UTF-8');
  });

  it('are refused if truncated, too long, or larger than the limit when inflated', async () => {
    const limits = { intervals: 1000, bytes: 100_000 };
    const whole = gzipSync('1\t5\t9\n'.repeat(5000));
    expect(await refused(whole.subarray(0, -9), limits)).to.include({ code: 'unprocessable' });
    expect(await refused('1\t5\t9\n'.repeat(1001), limits)).to.include({ code: 'too-large' });
    expect(await refused(gzipSync(Buffer.alloc(1_000_000, '#')), limits)).to.include({ code: 'too-large' });
    expect(await refused('#'.repeat(100_001), limits)).to.include({ code: 'too-large' });
    expect(await read('1\t5\t9\n'.repeat(1000), limits)).to.have.length(1000);
    const bgzip = await bgzipped(Buffer.from('1\t5\t9\n'));
    expect((await refused(bgzip.subarray(0, -28))).message).to.match(/^kit\.bed: the closing block of a bgzip file/);
  });

  it('are refused for a region beyond the end of its chromosome', async () => {
    const found = await bed('# x\n1\t5\t9\n2\t5\t9\n1\t8\t10\n1\t8\t11\n');
    found.within((name) => (name === '1' ? 11 : undefined));
    expect(() => found.within((name) => (name === '1' ? 10 : undefined))).to.throw(
      'kit.bed, line 5: the region ends at 11, beyond the end of chromosome 1, which has 10 bases',
    );
    const unknown = (name: string) => `there is no ${name}`;
    expect(() => found.within((name) => (name === '1' ? 11 : undefined), unknown)).to.throw(
      'kit.bed, line 3: there is no 2',
    );
  });
});

describe('genome files', () => {
  const sizes = [
    { name: 'chr1', size: 1000 },
    { name: 'chrM', size: 16 },
  ];

  it('are read in all dialects, with further columns', async () => {
    const dialect = fc.record({
      end: fc.constantFrom('\n', '\r\n', '\r'),
      mark: fc.constantFrom('', '\uFEFF'),
      separator: fc.constantFrom('\t', ' ', '   '),
      more: fc.constantFrom('', '\t6\t60\t61'),
      before: fc.subarray(['# sizes', '', 'chrom\tsize']),
      isPacked: fc.boolean(),
      isEnded: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(dialect, async ({ end, mark, separator, more, before, isPacked, isEnded }) => {
        const rows = sizes.map(({ name, size }) => `${name}${more === '' ? separator : '\t'}${size}${more}`);
        const text = `${mark}${[...before, ...rows].join(end)}${isEnded ? end : ''}`;
        expect(await genome(isPacked ? gzipSync(text) : text)).to.deep.equal(sizes);
      }),
    );
  });

  it('are refused by one sentence with file and line', async () => {
    for (const [text, sentence] of [
      ['chr1\n', ', line 1: expected a name and a size, found "chr1"'],
      ['chr1\t1\nchr2\t1.5\n', ', line 2: the size must be a whole number from 1 to 4294967295, found "1.5"'],
      ['chr1\t0', ', line 1: the size must be a whole number from 1 to 4294967295, found "0"'],
      ['chr1\t5\r#\rchr1\t6', ', line 3: chromosome "chr1" is in line 1 already'],
      ['#\n', ': it has no chromosomes'],
    ] as const) {
      const fault = await faultOf(genome(text));
      expect([fault.code, fault.message], text).to.deep.equal(['unprocessable', `chrom.sizes${sentence}`]);
    }
  });
});
