/** One BED file in the dialects of laboratories is the same regions for the server, every command, and the other plugins. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { bgzipped, decodeText, readBedFile } from '../../../core/files.js';
import { readPanel } from '../../../plugins/beacon/vcf/panel.js';
import { runMosdepth } from '../../../plugins/coverage/commands/mosdepth/run.js';
import { isBed, readBed } from '../../../plugins/panels/import/bed.js';
import { useFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { readers, runD4 } from './d4/support/runner.js';
import { writeD4 } from './support/d4.js';
import { type Coverage, serveCoverage } from './support/serve.js';

const chromosomes = [
  { name: '1', size: 1000 },
  { name: 'X', size: 600 },
  { name: 'MT', size: 400 },
];
/** Ten bases of each depth: other regions have other means. */
const depthAt = (base: number) => Math.floor(base / 10) % 97;

interface Place {
  chromosome: string;
  start: number;
  end: number;
}

function meanOf({ start, end }: Place): number {
  let sum = 0;
  for (let base = start; base < end; base++) sum += depthAt(base);
  return sum / (end - start);
}

const place = fc
  .tuple(fc.constantFrom(...chromosomes), fc.nat(), fc.nat())
  .map(([{ name, size }, from, length]): Place => {
    const start = from % size;
    return { chromosome: name, start, end: start + 1 + (length % (size - start)) };
  });

const dialect = fc.record({
  ends: fc.constantFrom(['\n'], ['\r\n'], ['\r'], ['\n', '\r\n', '\r']),
  mark: fc.constantFrom('', '\uFEFF'),
  packed: fc.constantFrom('plain', 'gzip', 'members', 'bgzip'),
  before: fc.subarray(['browser position 1', 'track name="kit"', '# targets', '', 'chrom start end']),
  between: fc.constantFrom(undefined, '', '  ', '#', 'track name=second'),
  separator: fc.constantFrom('\t', ' ', '   '),
  columns: fc.constantFrom([], ['.'], ['.', '0', '+'], ['.', '0', '-', '1', '2', '255,0,0']),
  trailing: fc.constantFrom('', ' ', '\t'),
  isEnded: fc.boolean(),
});
type Dialect = typeof dialect extends fc.Arbitrary<infer Written> ? Written : never;

async function written(places: readonly Place[], form: Dialect): Promise<Buffer> {
  // A line with a tab is separated by tabs.
  const separator = form.trailing === '\t' ? '\t' : form.separator;
  const rows = places.flatMap(({ chromosome, start, end }) => [
    ...(form.between === undefined ? [] : [form.between]),
    `${[chromosome, start, end, ...form.columns].join(separator)}${form.trailing}`,
  ]);
  const lines = [
    ...form.before.map((line) => line.replaceAll(' ', line.startsWith('chrom') ? separator : ' ')),
    ...rows,
  ];
  const endAt = (i: number) => (i === lines.length - 1 && !form.isEnded ? '' : form.ends[i % form.ends.length]);
  const text = Buffer.from(`${form.mark}${lines.map((line, i) => `${line}${endAt(i)}`).join('')}`);
  const half = Math.floor(text.length / 2);
  switch (form.packed) {
    case 'gzip':
      return gzipSync(text);
    case 'members':
      return Buffer.concat([gzipSync(text.subarray(0, half)), gzipSync(text.subarray(half))]);
    case 'bgzip':
      return bgzipped(text);
    default:
      return text;
  }
}

describe('a BED file', () => {
  const folder = useFolder();
  let server: Coverage;
  let sample: string;

  beforeEach(async () => {
    const runs = chromosomes.flatMap(({ name, size }) =>
      Array.from({ length: size / 10 }, (_, i) => {
        return { chromosome: name, begin: 10 * i, end: 10 * i + 10, depth: depthAt(10 * i) };
      }),
    );
    sample = writeD4(join(folder.path(), 's.d4'), { chromosomes, runs });
    server = await serveCoverage({ settings: { roots: [folder.path()] } });
  });
  afterEach(() => server.close());

  async function posted(path: string, fields: Record<string, string>, field: string, bytes: Buffer) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append(field, new Blob([new Uint8Array(bytes)]), 'kit.bed');
    return request(`${server.url}${path}`, { form });
  }

  const byFile = { coverage_file_path: '', completeness_thresholds: '10' };
  const bySamples = () => ({
    ...{ build: 'GRCh38', interval_type: 'custom_intervals', format: 'json' },
    samples: JSON.stringify([{ name: 's', coverage_file_path: sample }]),
  });

  async function mosdepth(bed: string): Promise<string[]> {
    const prefix = join(folder.path(), 'm');
    const io = { out: new PassThrough(), err: new PassThrough(), isTTY: false, ...readers };
    await runMosdepth({ arguments: [prefix, sample], options: { by: bed, perBase: false, force: true } }, io);
    return gunzipSync(readFileSync(`${prefix}.regions.bed.gz`))
      .toString()
      .trimEnd()
      .split('\n');
  }

  it('is the same regions in every dialect for every face', async () => {
    const bed = join(folder.path(), 'kit.bed');
    await fc.assert(
      fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 6 }), dialect, async (places, form) => {
        const bytes = await written(places, form);
        writeFileSync(bed, bytes);
        const placeOf = ({ chromosome, start, end }: Place) => ({ chromosome, start, end });
        expect([...(await readBedFile(bed))].map(placeOf)).to.deep.equal(places);

        const file = await posted(
          '/coverage/d4/interval_file/',
          { ...byFile, coverage_file_path: sample },
          'bed',
          bytes,
        );
        expect(file.status, file.text).to.equal(200);
        const measured = JSON.parse(file.text) as { interval_id: string; mean_coverage: number }[];
        expect(measured.map((one) => one.interval_id)).to.deep.equal(
          places.map((one) => `${one.chromosome}:${one.start}-${one.end}`),
        );
        for (const [i, one] of places.entries()) {
          expect(measured[i]?.mean_coverage).to.be.closeTo(meanOf(one), 1e-9);
        }

        const report = await posted('/report', bySamples(), 'intervals_bed', bytes);
        expect(report.status, report.text).to.equal(200);
        const { intervals } = JSON.parse(report.text) as { intervals: Place[] };
        expect(intervals.map(placeOf)).to.deep.equal(places);

        const stat = await runD4('stat', '-r', bed, sample);
        const rows = stat.out
          .trimEnd()
          .split('\n')
          .map((row) => row.split('\t'));
        expect(rows.map((row) => row.slice(0, 3).join(' ')).sort(), stat.err).to.deep.equal(
          places.map((one) => `${one.chromosome} ${one.start} ${one.end}`).sort(),
        );
        for (const [chromosome = '', start, end, mean] of rows) {
          expect(Number(mean)).to.be.closeTo(meanOf({ chromosome, start: Number(start), end: Number(end) }), 1e-9);
        }
        const gaps = await runD4('gaps', '-r', bed, '-b', '97', sample);
        expect(gaps.out, gaps.err).to.equal(
          places.map((one) => `${one.chromosome}\t${one.start}\t${one.end}\n`).join(''),
        );

        const names = form.columns.length === 0 ? '' : '\t.';
        const ordered = chromosomes.flatMap(({ name }) =>
          places.filter((one) => one.chromosome === name).sort((a, b) => a.start - b.start),
        );
        expect((await mosdepth(bed)).map((row) => row.replace(/\t[^\t]*$/, ''))).to.deep.equal(
          ordered.map((one) => `${one.chromosome}\t${one.start}\t${one.end}${names}`),
        );

        const panel = await readPanel([bed], 'GRCh38');
        for (const { name, size } of chromosomes) {
          for (let base = 0; base < size; base++) {
            const isIn = places.some((one) => one.chromosome === name && one.start <= base && base < one.end);
            if (panel.overlaps(name as '1', base, base + 1) !== isIn) throw new Error(`${name}:${base} is ${!isIn}`);
          }
        }

        const text = await decodeText('kit.bed', bytes);
        expect(isBed(text.text)).to.equal(true);
        expect(
          readBed(text, () => ({ candidates: [] })).others?.map((one) => 'place' in one && one.place),
        ).to.deep.equal(places.map((one) => `${one.chromosome}:${one.start + 1}-${one.end}`));
      }),
      { numRuns: 30 },
    );
  });

  it('is refused with the same sentence by every face', async () => {
    const bed = join(folder.path(), 'bad.bed');
    for (const [content, sentence] of [
      ['# x\r1\t5\t9\r1\t9\t5\r', 'line 3: the end of the region, 5, is before its start, 9'],
      ['\uFEFF1\t7\t7\n', 'line 1: the region has no bases: its start and its end are 7'],
      ['1 5 9\n1 5 9a\n', 'line 2: the end must be a whole number from 0 to 4294967295, found "9a"'],
      [
        '1\t5\t9\n\n1\t5\n',
        'line 3: expected three columns (chromosome, start, end), separated by tabs or by spaces, found "1 5"',
      ],
    ] as const) {
      const bytes = Buffer.from(content);
      writeFileSync(bed, bytes);
      const said = async (work: Promise<unknown>) =>
        work.then(
          () => 'it was read',
          (error: Error) => error.message,
        );
      const d4 = async (...line: string[]) => (await runD4(...line)).err;
      const answers = {
        file: (await posted('/coverage/d4/interval_file/', { ...byFile, coverage_file_path: sample }, 'bed', bytes))
          .text,
        report: (await posted('/report', bySamples(), 'intervals_bed', bytes)).text,
        stat: await d4('stat', '-r', bed, sample),
        gaps: await d4('gaps', '-r', bed, sample),
        mosdepth: await said(mosdepth(bed)),
        beacon: await said(readPanel([bed], 'GRCh38')),
        panels: await said(decodeText('bad.bed', bytes).then((text) => readBed(text, () => ({ candidates: [] })))),
      };
      for (const [face, answer] of Object.entries(answers))
        expect(answer.replaceAll('\\"', '"'), face).to.include(sentence);
    }
  });

  it('with a region beyond the end of its chromosome is refused by commands, and counts as not covered on the server', async () => {
    const bed = join(folder.path(), 'beyond.bed');
    const bytes = Buffer.from('1\t10\t20\r1\t980\t1020\r');
    writeFileSync(bed, bytes);
    const sentence =
      'beyond.bed, line 2: the region ends at 1020, beyond the end of chromosome 1, which has 1000 bases';
    for (const name of ['stat', 'gaps']) {
      const { status, out, err } = await runD4(name, '-r', bed, sample);
      expect([status, out], name).to.deep.equal([2, '']);
      expect(err).to.include(sentence);
    }
    expect(await mosdepth(bed).catch((error: Error) => error.message)).to.include(sentence);
    const { text } = await posted(
      '/coverage/d4/interval_file/',
      { ...byFile, coverage_file_path: sample },
      'bed',
      bytes,
    );
    const [, second] = JSON.parse(text) as { completeness: Record<string, number>; warnings: { code: string }[] }[];
    // Depths of 98 and 99 modulo 97 are 1 and 2: no base of the 40 reaches 10.
    expect(second?.completeness['10']).to.equal(0);
    expect(second?.warnings.map(({ code }) => code)).to.include('beyond-end');
    const { warnings } = JSON.parse((await posted('/report', bySamples(), 'intervals_bed', bytes)).text) as {
      warnings: { code: string }[];
    };
    expect(warnings.map(({ code }) => code)).to.include('beyond-end');
  });
});
