import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { Regions } from '../../../../plugins/coverage/d4/commands/region-columns.js';
import { readBed } from '../../../../plugins/coverage/d4/commands/regions.js';
import { isD4Error } from '../../../../plugins/coverage/d4/error.js';
import { temporaryFolder } from './support/folder.js';

describe('d4: regions of commands', () => {
  const folder = temporaryFolder();

  /** The rule of a BED file line by line: skipped, a region, or a mistake. */
  function naive(line: string): 'skipped' | 'mistake' | { chromosome: string; begin: number; end: number } {
    if (/^\s*$|^#|^(track|browser)\b/.test(line)) return 'skipped';
    const [chromosome = '', begin = '', end = ''] = line.split('\t');
    if (!/^\d+$/.test(begin) || !/^\d+$/.test(end) || Number(end) < Number(begin)) return 'mistake';
    return { chromosome, begin: Number(begin), end: Number(end) };
  }

  it('are read from BED as a reader of single lines does', async () => {
    const cell = fc.constantFrom('1', 'chr1', 'chr10', '#', 'track', '', ' ', '0', '7', '42', '12a', '-3', '5\r');
    const line = fc.oneof(
      fc.tuple(fc.constantFrom('chr1', 'chr10', '2'), fc.nat(50), fc.nat(50)).map(([name, a, b]) => [name, a, a + b]),
      fc.array(cell, { maxLength: 5 }),
    );
    const text = fc.record({
      lines: fc.array(
        line.map((cells) => cells.join('\t')),
        { maxLength: 8 },
      ),
      newline: fc.constantFrom('\n', '\r\n'),
      last: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(text, async ({ lines, newline, last }) => {
        const content = lines.join(newline) + (last ? newline : '');
        const path = folder.path('regions.bed');
        writeFileSync(path, content);
        const expected = content.split(/\r?\n/).map(naive);
        const wrong = expected.indexOf('mistake');
        const found = await readBed(path).then(
          (regions) => [...regions],
          (error: unknown) => error,
        );
        if (wrong >= 0) expect(isD4Error(found) && found.message).to.include(`line ${wrong + 1})`);
        else expect(found).to.deep.equal(expected.filter((one) => one !== 'skipped'));
      }),
    );
  });

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
