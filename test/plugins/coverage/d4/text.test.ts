import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { isD4Error, parseRuns, type TextOptions } from '../../../../plugins/coverage/d4/index.js';
import { temporaryFolder } from './support/folder.js';
import { runD4 } from './support/runner.js';

type Run = [chromosome: string, begin: number, end: number, depth: number];

/** All runs, or the code and the line of the mistake. */
async function parsed(text: string, cuts: readonly number[], options: Partial<TextOptions>): Promise<Run[] | string> {
  const bytes = Buffer.from(text);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let i = 1; i < places.length; i++) yield new Uint8Array(bytes.subarray(places[i - 1], places[i]));
  }
  const runs: Run[] = [];
  try {
    for await (const { chromosome, begins, ends, depths } of parseRuns(chunks(), { ...options, place: 'text' })) {
      for (let i = 0; i < begins.length; i++) {
        runs.push([chromosome, begins[i] as number, ends[i] as number, depths[i] as number]);
      }
    }
    return runs;
  } catch (error) {
    if (!isD4Error(error)) throw error;
    return `${error.code} ${error.place}`;
  }
}

/** The same line by line, without any care for speed. */
function naive(text: string, format: 'bedgraph' | 'depth', sizes?: Record<string, number>): Run[] | string {
  const runs: Run[] = [];
  const seen = new Set<string>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  for (const [i, line] of lines.entries()) {
    const mistake = (code = 'invalid') => `${code} text: line ${i + 1}`;
    if (i === lines.length - 1 && line.trim() !== '') return mistake();
    const cells = line.split(/[\t ]+/).filter((cell) => cell !== '');
    if (line.startsWith('#') || cells.length === 0 || cells[0] === 'track') continue;
    if (cells.length < (format === 'depth' ? 3 : 4)) return mistake();
    const [chromosome = '', first = '', second = ''] = cells;
    const depth = cells[format === 'depth' ? 2 : 3] as string;
    const positions = format === 'depth' ? [first] : [first, second];
    if (!positions.every((cell) => /^\d{1,10}$/.test(cell)) || !/^-?\d+(\.\d+)?$/.test(depth)) return mistake();
    const end = Number(format === 'depth' ? first : second);
    const begin = format === 'depth' ? end - 1 : Number(first);
    if (begin < 0 || end < begin) return mistake();
    const previous = runs.at(-1);
    if (previous?.[0] !== chromosome) {
      if (seen.has(chromosome)) return mistake();
      if (sizes && !(chromosome in sizes)) return mistake('unknown-chromosome');
      seen.add(chromosome);
    } else if (begin < previous[2]) return mistake();
    if (sizes && end > (sizes[chromosome] as number)) return mistake();
    runs.push([chromosome, begin, end, Number(depth)]);
  }
  return runs.length === 0 ? 'invalid text' : runs;
}

const oddLines = [
  '#comment',
  '',
  '  ',
  'track type=bedGraph',
  '1\t5',
  '1 900 901 3',
  '1\t900\t901\t2.5',
  '1\t900\t901\t-3',
  '1\t900\t901\t3\tmore',
  '1\t900\t\t901\t3',
  '1\t900\t901\t3\r',
  '1\t900\t899\t3',
  '1\t900\t901\tx',
  '1\t900x\t901\t3',
  '12\t0\t5\t1',
  '1\t0\t1\t1',
  '1\t900\t12345678901\t3',
];

describe('d4: depth text', () => {
  const folder = temporaryFolder();

  /** Mostly ascending runs of a few chromosomes, with odd lines among them. */
  const lines = fc
    .array(
      fc.record({
        next: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
        gap: fc.nat(3),
        length: fc.nat(4),
        depth: fc.nat(300),
        odd: fc.option(fc.constantFrom(...oddLines), { freq: 24 }),
      }),
      { maxLength: 60 },
    )
    .map((steps) => {
      let chromosome = 1;
      let at = 0;
      return steps.flatMap(({ next, gap, length, depth, odd }) => {
        if (next) [chromosome, at] = [chromosome * 10 + 1, 0];
        const begin = at + gap;
        at = begin + length;
        return [{ name: String(chromosome), begin, end: at, depth }, ...(odd === null ? [] : [odd])];
      });
    });

  it('is read as by a naive reader, however its bytes arrive, and mistakes name their line', async () => {
    const case_ = fc.record({
      lines,
      format: fc.constantFrom('bedgraph' as const, 'depth' as const),
      cuts: fc.array(fc.nat(), { maxLength: 4 }),
      ends: fc.constantFrom(['\n'], ['\r\n'], ['\r'], ['\n', '\r', '\r\n']),
      mark: fc.constantFrom('', '\uFEFF'),
      last: fc.boolean(),
      size: fc.option(fc.integer({ min: 50, max: 1000 })),
    });
    await fc.assert(
      fc.asyncProperty(case_, async ({ lines: given, format, cuts, ends, mark, last, size }) => {
        const rows = given.map((line) => {
          if (typeof line === 'string') return line;
          const { name, begin, end, depth } = line;
          return format === 'depth' ? `${name}\t${end}\t${depth}` : `${name}\t${begin}\t${end}\t${depth}`;
        });
        const endAt = (i: number) => (i === rows.length - 1 && !last ? '' : ends[i % ends.length]);
        const text = mark + rows.map((row, i) => `${row}${endAt(i)}`).join('');
        const sizes = size === null ? undefined : { 1: size, 11: 40, 111: 30 };
        const chromosomes = sizes && Object.entries(sizes).map(([name, bases]) => ({ name, size: bases }));
        expect(await parsed(text, cuts, { format, chromosomes })).to.deep.equal(naive(text, format, sizes));
      }),
      { numRuns: 300 },
    );
  });

  it('names the line that is too long', async () => {
    expect(await parsed(`1\t0\t5\t1\n${'A'.repeat(70_000)}`, [], {})).to.equal('invalid text: line 2');
  });

  it('may be more than one batch and one chunk of a chromosome', async () => {
    const runs = Array.from({ length: 30_000 }, (_, i): Run => ['chr7', 3 * i, 3 * i + 2, i % 77]);
    const text = runs.map((run) => `${run.join('\t')}\n`).join('');
    expect(await parsed(text, [100_001, 300_003], {})).to.deep.equal(runs);
    const wrong = text.replace('chr7\t60000\t60002', 'chr7\t59996\t60002');
    expect(await parsed(wrong, [100_001, 300_003], {})).to.equal('invalid text: line 20001');
  });

  it("as mosdepth's per-base.bed.gz names the file and the line of a mistake", async () => {
    const path = folder.path('sample.per-base.bed.gz');
    const good = 'chr1\t0\t10\t0\nchr1\t10\t60\t31\nchrM\t0\t16\t2000\n';
    // The blocks of BGZF are gzip members, and cut lines anywhere; the last one is empty.
    const blocks = (text: string) =>
      Buffer.concat([...(text.match(/.{1,17}/gs) ?? []), ''].map((part) => gzipSync(part)));
    writeFileSync(folder.path('genome'), 'chr1\t60\nchrM\t16\nchr2\t5\n');
    const create = async (text: string) => {
      writeFileSync(path, blocks(text));
      const { status, err } = await runD4('create', '-f', '-g', folder.path('genome'), path, folder.path('sample.d4'));
      return status === 0 ? 'made' : err;
    };
    expect(await create(good)).to.equal('made');
    expect((await runD4('view', folder.path('sample.d4'))).out).to.equal(`${good}chr2\t0\t5\t0\n`);
    expect(await create(`${good}chrX\t0\t5\t1\n`)).to.include(`The genome has no chromosome chrX (${path}: line 4)`);
    expect(await create(`${good}chrM\t16\t17\t1\n`)).to.include(
      `The run ends at 17, after the 16 bases of chrM (${path}: line 4)`,
    );
    expect(await create(`${good}chr1\t0\t1\t1\n`)).to.match(/chr1 has ended before.*: line 4\)/);
    expect(await create(good.replace('10\t60', '9\t60'))).to.match(/ascend.*: line 2\)/);
    expect(await create(good.replace('31', 'many'))).to.include(`"many" is no depth (${path}: line 2)`);
  });
});
