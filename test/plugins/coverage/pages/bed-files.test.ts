/** Several BED files in one report: random files over HTTP, compared with an array of depths, line by line and name by name. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Random } from '../../../conformance/core.js';
import { temporaryFolder } from '../d4/support/folder.js';
import { chromosomesOf, writeD4 } from '../support/d4.js';
import { type Coverage, serveCoverage } from '../support/serve.js';
import { data, type Fields, post, rowsOf } from './support/post.js';

interface Figures {
  length: number;
  mean_coverage: number;
  bases_at: Record<string, number>;
}

interface BedReport {
  bed_file?: { name: string | null; checksum: string; lines: number };
  bed_files?: { name: string | null; label: string; checksum: string; lines: number }[];
  samples: (Figures & { name: string })[];
  intervals: { gene: string; bed_file?: string; samples: Record<string, Figures> }[];
  names?: { name: string; lines: number; samples: Record<string, Figures> }[];
}

interface Line {
  chromosome: '1' | '14';
  start: number;
  end: number;
  name?: string;
  /** As the file writes it. */
  written: string;
}

const seed = Number(process.env.TEST_SEED ?? 1);
const level = 20;
const size = 2000;

describe(`reports on several BED files (TEST_SEED=${seed})`, () => {
  const folder = temporaryFolder();
  const random = new Random(seed);
  const depths = new Map<string, number>();
  let server: Coverage;
  const fields: Fields = {
    ...{
      build: 'GRCh38',
      default_level: String(level),
      completeness_thresholds: '10',
      interval_type: 'custom_intervals',
    },
    ...{ sample_name_1: 'a', sample_file_1: 'a.d4' },
  };

  before(async () => {
    const runs = (['1', '14'] as const).flatMap((chromosome) => {
      const own: { chromosome: string; begin: number; end: number; depth: number }[] = [];
      for (let at = 0; at < size; at += 50) {
        const depth = random.pick([5, 15, 20, 30]);
        own.push({ chromosome, begin: at, end: at + 50, depth });
        for (let base = at; base < at + 50; base++) depths.set(`${chromosome} ${base}`, depth);
      }
      return own;
    });
    writeD4(folder.path('a.d4'), { chromosomes: chromosomesOf('GRCh38', { names: ['1', '14'] }), runs });
    server = await serveCoverage({ settings: { roots: [folder.path('.')], limits: { intervals: 40, upload: 4000 } } });
  });
  after(() => server?.close());

  function someLines(): Line[] {
    return random.list(1, 10, (): Line => {
      const chromosome = random.pick(['1', '14'] as const);
      const start = random.int(0, size - 101);
      const name = random.pick(['A', 'B', 'C, D', '']);
      // Files without names often have the same lines.
      const place = name === '' ? { start: 100, end: 150 } : { start, end: start + random.int(1, 100) };
      const written = `${random.pick(['', 'chr'])}${chromosome}`;
      return { chromosome, ...place, written, ...(name !== '' && { name }) };
    });
  }
  const textOf = (lines: readonly Line[]) =>
    lines.map(({ written, start, end, name }) => [written, start, end, ...(name ? [name] : [])].join('\t')).join('\n');
  const idOf = ({ name, written, start, end }: Line) => name ?? `${written}:${start + 1}-${end}`;

  /** From single bases, each counted once. */
  function figuresOf(lines: readonly Line[]) {
    const keys = lines.flatMap(({ chromosome, start, end }) =>
      Array.from({ length: end - start }, (_, i) => `${chromosome} ${start + i}`),
    );
    const bases = [...new Set(keys)].map((key) => depths.get(key) ?? 0);
    const at = (depth: number) => bases.filter((one) => one >= depth).length;
    return { length: bases.length, at10: at(10), at20: at(20), sum: bases.reduce((sum, one) => sum + one, 0) };
  }
  const countsOf = ({ length, bases_at, mean_coverage }: Figures) => {
    return { length, at10: bases_at[10], at20: bases_at[20], sum: Math.round(mean_coverage * length) };
  };

  it('are what single bases say, by line, by name and together', async () => {
    for (let turn = 0; turn < 25; turn++) {
      const files = random.list(1, 3, someLines);
      const form: Record<string, string> = {};
      const labels: string[] = [];
      for (const [i, lines] of files.entries()) {
        const ending = i === 0 ? '' : `_${i + 1}`;
        const how = random.pick(['path', 'text', 'named'] as const);
        const text = textOf(lines);
        if (how === 'path') {
          await writeFile(folder.path(`kit${i}.bed`), random.chance(0.5) ? `${text}\n` : gzipSync(text));
          form[`intervals_bed_path${ending}`] = `kit${i}.bed`;
        } else form[`intervals_bed${ending}`] = text;
        if (how === 'named') form[`intervals_bed_name${ending}`] = `own ${i}`;
        labels.push(how === 'path' ? `kit${i}.bed` : how === 'named' ? `own ${i}` : `BED ${i + 1}`);
      }
      const found = await data<BedReport>(`${server.url}/report`, { ...fields, ...form });
      const label = JSON.stringify({ turn, form, files });
      const ids = files.map((lines) => new Set(lines.map(idOf)));
      const groupOf = (line: Line, file: number) => {
        const isShared = ids.filter((own) => own.has(idOf(line))).length > 1;
        return isShared ? `${idOf(line)} (${labels[file]})` : idOf(line);
      };
      const all = files.flatMap((lines, file) => lines.map((line) => ({ line, file, group: groupOf(line, file) })));
      expect(
        found.intervals.map(({ gene, bed_file }) => [gene, bed_file]),
        label,
      ).to.deep.equal(all.map(({ group, file }) => [group, files.length > 1 ? labels[file] : undefined]));
      expect(
        found.intervals.map(({ samples }) => countsOf(samples.a as Figures)),
        label,
      ).to.deep.equal(all.map(({ line }) => figuresOf([line])));
      expect(countsOf(found.samples[0] as Figures), label).to.deep.equal(figuresOf(all.map(({ line }) => line)));
      const groups = [...new Set(all.map(({ group }) => group))].map((name) => {
        const own = all.filter(({ group }) => group === name).map(({ line }) => line);
        return { name, lines: own.length, ...figuresOf(own) };
      });
      const isByLine = groups.length === all.length;
      const names = found.names?.map(({ name, lines, samples }) => ({
        name,
        lines,
        ...countsOf(samples.a as Figures),
      }));
      expect(names, label).to.deep.equal(isByLine ? undefined : groups);
      const heads = found.bed_files ?? (found.bed_file === undefined ? [] : [{ ...found.bed_file, label: labels[0] }]);
      expect(
        heads.map((one) => [one.label, one.lines]),
        label,
      ).to.deep.equal(labels.map((one, i) => [one, files[i]?.length]));
      if (isByLine) continue;
      const csv = rowsOf(
        (await post(`${server.url}/report`, { ...fields, ...form, format: 'csv', table: 'names' })).text,
      );
      expect(
        csv.map(({ name, lines, bases }) => [name, Number(lines), Number(bases)]),
        label,
      ).to.deep.equal(groups.map(({ name, lines, length }) => [name, lines, length]));
    }
  });

  it('are in the header with name and checksum, and on the page, which sends them again', async () => {
    const [one, two] = ['1\t100\t200\tA\n1\t150\t250\tA', '14\t100\t200\tA\n14\t300\t310'];
    const form = { ...fields, intervals_bed: one, intervals_bed_name: 'exons.bed', intervals_bed_2: two };
    const page = (await post(`${server.url}/report`, form)).text;
    const digest = (text: string) => createHash('sha256').update(`${text}\n`).digest('hex').slice(0, 12);
    expect(page)
      .to.include(`exons.bed, 2 intervals, sha256:${digest(one)}`)
      .and.to.include(`BED 2, 2 intervals, sha256:${digest(two)}`)
      .and.to.include('Coverage by name of the BED lines')
      .and.to.include('A (exons.bed)')
      .and.to.include('A (BED 2)')
      .and.to.match(/<textarea id="intervals_bed_2"[^>]*>\n14\t100/)
      .and.to.match(/name="intervals_bed_name" value="exons\.bed"/)
      .and.to.include('id="intervals_bed_path_3"');
    const swedish = (await post(`${server.url}/report`, { ...form, lang: 'sv' })).text;
    expect(swedish).to.include('Täckning per namn i BED-filen').and.to.include('BED-fil på servern, fil 3');
    const rows = rowsOf((await post(`${server.url}/report`, { ...form, format: 'csv', table: 'intervals' })).text);
    expect(rows.map(({ bed_file }) => bed_file)).to.deep.equal(['exons.bed', 'exons.bed', 'BED 2', 'BED 2']);
    const overview = (await post(`${server.url}/overview`, { ...form, default_level: '25' })).text;
    expect(overview).to.include('A (BED 2)').and.not.to.include('Coverage by name');
  });

  it('share the limits on lines and bytes, and are named if they are wrong', async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, i) => `1\t${i}\t${i + 1}`).join('\n');
    const refused = async (more: Fields) => {
      const headers = { accept: 'application/json' };
      const { status, text } = await post(`${server.url}/report`, { ...fields, ...more, format: 'json' }, headers);
      return `${status} ${text}`;
    };
    const together = 'The BED files of a request may have 40 intervals and 4000 bytes at most together';
    expect(await refused({ intervals_bed: lines(21), intervals_bed_2: lines(20) }))
      .to.include(together)
      .and.match(/^413/);
    const wide = `${lines(2)}\n#${'x'.repeat(2500)}`;
    expect(await refused({ intervals_bed: wide, intervals_bed_2: wide })).to.include(together);
    expect(await refused({ intervals_bed: lines(41) })).to.include('A BED file may have 40 intervals at most');
    const wrong = { intervals_bed: lines(2), intervals_bed_2: '1\t1\t2\n1\t2\tx', intervals_bed_name_2: 'mine.bed' };
    expect(await refused(wrong)).to.include('mine.bed, line 2: the end must be a whole number');
    expect(await refused({ intervals_bed: lines(2), intervals_bed_path_2: '/etc/hosts' })).to.include(
      'Provided intervals files is not a valid BED file',
    );
  });
});
