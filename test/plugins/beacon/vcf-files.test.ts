import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openSource } from '../../../core/files.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { type BeaconEraserTools, beaconEraser } from '../../../plugins/beacon/eraser.js';
import { readPanel } from '../../../plugins/beacon/vcf/panel.js';
import { UnknownSamples } from '../../../plugins/beacon/vcf/reader.js';
import { faultOf } from '../../support/fault.js';
import { useFolder } from '../../support/folder.js';
import { sqlite } from '../../support/storages.js';
import { dataset } from './support/serve.js';
import { line, type ReadOptions, read, vcf } from './support/vcf.js';

/** The message of the `unprocessable` fault with which the work must fail. */
const refusal = async (work: Promise<unknown>) => (await faultOf(work, 'unprocessable')).message;

const refused = (file: string | Buffer, options?: ReadOptions) => refusal(read(file, options));

const many = vcf({
  records: Array.from({ length: 5000 }, (_, i) => `1 ${i + 1} . A C . . DP=${(i * 7919) % 1000} GT 0/1`),
});

/** A BGZF block built here: a gzip member with the BC field (gunzip ignores its size). */
function bgzf(text: string): Buffer {
  const member = gzipSync(text);
  const extra = Buffer.from([6, 0, 0x42, 0x43, 2, 0, 0, 0]);
  const size = Buffer.from(member);
  size[3] = 4;
  return Buffer.concat([size.subarray(0, 10), extra, size.subarray(10)]);
}
const endOfBgzf = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');

describe('beacon: VCF files', () => {
  describe('compression', () => {
    it('is detected from the bytes: plain, gzip, gzip with members, bgzip', async () => {
      const half = many.indexOf('\n', many.length / 2) - 3;
      const members = Buffer.concat([gzipSync(many.slice(0, half)), gzipSync(''), gzipSync(many.slice(half))]);
      const blocks = Buffer.concat([bgzf(many.slice(0, half)), bgzf(many.slice(half)), endOfBgzf]);
      for (const file of [many, gzipSync(many), members, blocks]) {
        for (const chunk of [1000, 1 << 16]) expect((await read(file, { chunk })).alleles).to.have.length(5000);
      }
    });

    it('is an error if the file is truncated', async () => {
      const whole = gzipSync(many);
      for (const bytes of [whole.length - 1, whole.length - 9, whole.length >> 1, 30]) {
        expect(await refused(whole.subarray(0, bytes))).to.match(/^x\.vcf: .*truncated/);
      }
    });

    it('is an error if whole blocks of a bgzip file are missing', async () => {
      expect(await refused(bgzf(many))).to.equal(
        'x.vcf: the closing block of a bgzip file is missing; the file is truncated',
      );
    });

    it('is an error if other data follow, at the end or in the middle', async () => {
      const whole = gzipSync(many);
      for (const rest of [Buffer.alloc(5000), Buffer.concat([Buffer.alloc(10), whole]), Buffer.from('more')]) {
        for (const chunk of [whole.length, 1000, 1 << 20]) {
          expect(await refused(Buffer.concat([whole, rest]), { chunk })).to.match(/^x\.vcf: .*damaged/);
        }
      }
    });

    it('is an error if the data are damaged', async () => {
      const damaged = (at: number) => Buffer.from(gzipSync(many)).fill(0x55, at, at + 40);
      expect(await refused(damaged(200))).to.equal('x.vcf: damaged compressed data');
      // What is decompressed before the damage is noticed may hold an invalid line.
      const middle = await refused(damaged(gzipSync(many).length >> 1));
      expect(middle).to.match(/^x\.vcf(: damaged compressed data|, line \d+: \d+ columns instead of 10)$/);
    });
  });

  describe('structure', () => {
    it('must be VCF', async () => {
      expect(await refused('')).to.equal('x.vcf: the file is empty');
      expect(await refused('chr1\t1\t2\n')).to.equal('x.vcf: not a VCF: the first line is not ##fileformat=VCF…');
      expect(await refused(Buffer.alloc(100_000, 0xe9))).to.match(/not a VCF/);
      expect(await refused(gzipSync('BCF\u0002\u0002....'))).to.match(/this is BCF; convert it first/);
    });

    it('must have a header with all columns and samples', async () => {
      const text = vcf({ records: ['1 1 . A C . . . GT 0/1'] });
      expect(await refused('##fileformat=VCFv4.2\n')).to.equal('x.vcf: the header ends without a #CHROM line');
      expect(await refused(text.replace(/#CHROM.*\n/, ''))).to.equal(
        'x.vcf, line 2: the header ends without a #CHROM line',
      );
      expect(await refused(text.replace('\tALT', ''))).to.equal(
        'x.vcf, line 2: the column ALT is missing or out of place',
      );
      expect(await refused(vcf({ samples: [], records: [] }))).to.equal('x.vcf, line 2: the file has no samples');
      expect(await refused(vcf({ samples: ['a', 'a'], records: [] }))).to.match(
        /two columns have the same sample name/,
      );
      expect(await refused(vcf({ samples: ['a', '', ''], records: [] }))).to.equal(
        'x.vcf, line 2: the line ends with a tab: its last sample has no name',
      );
      expect(await refused(vcf({ samples: ['', 'a', ''].slice(0, 2), records: [] }))).to.match(/a sample has no name/);
      expect(await refused(Buffer.from(vcf({ samples: ['Åsa'], records: [] }), 'latin1'))).to.equal(
        'x.vcf, line 2: a sample name is not encoded in UTF-8',
      );
      expect((await read(vcf({ samples: ['Åsa'], records: [] }))).samples).to.deep.equal(['Åsa']);
    });

    it('may have blanks around names of samples, which are not part of them', async () => {
      const blanks = ['a', ' b', 'c ', '\u00a0d e\u00a0'];
      const text = vcf({ samples: blanks, records: [] });
      expect((await read(text)).samples).to.deep.equal(['a', 'b', 'c', 'd e']);
      expect((await read(text.replace(/\n/g, '\r\n'))).samples).to.deep.equal(['a', 'b', 'c', 'd e']);
      expect((await read(text, { samples: ['c ', 'b', 'c'] })).samples).to.deep.equal(['c', 'b']);
      expect(await refused(vcf({ samples: ['a', 'a '], records: [] }))).to.equal(
        'x.vcf, line 2: two columns have the same sample name; blanks around a name do not count',
      );
      expect(await refused(vcf({ samples: ['a', ' '], records: [] }))).to.equal('x.vcf, line 2: a sample has no name');
      // Loaded by an earlier release, which kept the blanks.
      const { storage, close } = await sqlite.open([beacon]);
      try {
        const repository = storage.repository(beacon);
        await repository.addDataset(dataset('ds'), new Date());
        const alleles = (async function* () {})();
        await repository.importAlleles({ dataset: 'ds', samples: ['a ', 'b'], alleles }, new Date());
        const { related } = beaconEraser({ repository, now: () => new Date() } as unknown as BeaconEraserTools);
        expect(await related?.({ cases: [], samples: ['a'] })).to.deep.equal(['a ', 'a ']);
        expect(await related?.({ cases: ['b '], samples: [] })).to.deep.equal(['b', 'b']);
      } finally {
        await close();
      }
    });

    it('must have the right number of columns in every line, other contigs included', async () => {
      for (const record of [
        '1 1 . A C . . . GT',
        '1 2 . A',
        '1',
        '1 1 . A C . . . GT 0/1 0/1',
        'Un 1 . A C . . . GT 0/1 0/1',
      ]) {
        const message = await refused(vcf({ records: ['1 1 . A C . . . GT 0/1', record, '1 9 . A C . . . GT 0/1'] }));
        expect(message).to.equal(`x.vcf, line 4: ${record.split(' ').length} columns instead of 10`);
      }
    });

    it('must have numbers as positions', async () => {
      for (const position of ['x', '-1', '1.5', '', '4294967296']) {
        expect(await refused(vcf({ records: [`1 ${position} . A C . . . GT 0/1`] }))).to.equal(
          `x.vcf, line 3: POS must be a whole number up to 2147483647; got "${position}"`,
        );
      }
    });

    it('must have the requested samples; the error lists those of the file, its message does not', async () => {
      const file = vcf({ samples: ['Åsa', 'b'], records: ['1 1 . A C . . . GT 0/1 1/1'] });
      expect((await read(file, { samples: ['Åsa'] })).alleles.map(line)).to.deep.equal(['1:0-1 A>C SNP 0:1']);
      const error = await read(file, { samples: ['b', 'nobody'] }).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(UnknownSamples);
      expect((error as UnknownSamples).there).to.deep.equal(['Åsa', 'b']);
      expect((error as UnknownSamples).message).to.equal(
        'x.vcf: one or more of the requested samples are not in this file',
      );
    });

    it('must be of the assembly of the dataset', async () => {
      const header = ['##contig=<ID=chr1,length=248956422>'];
      const file = vcf({ header, records: ['chr1 1 . A C . . . GT 0/1'] });
      expect((await read(file, { assembly: 'GRCh38' })).alleles).to.have.length(1);
      expect(await refused(file, { assembly: 'GRCh37' })).to.equal(
        "x.vcf, line 2: the header says that chr1 has 248956422 bases, but it has 249250621 in the dataset's assembly GRCh37 and 248956422 in GRCh38",
      );
      const accession = vcf({ records: ['NC_000001.11 1 . A C . . . GT 0/1'] });
      expect((await read(accession, { assembly: 'GRCh38' })).alleles).to.have.length(1);
      expect(await refused(accession)).to.equal(
        "x.vcf: NC_000001.11 belongs to GRCh38, but the dataset's assembly is GRCh37",
      );
    });
  });

  describe('on disk', () => {
    const folder = useFolder();

    it('may be missing, or directories', async () => {
      const missing = join(folder.path(), 'missing.vcf');
      expect(await refusal(openSource(missing))).to.equal(`${missing}: no such file`);
      expect(await refusal(openSource(folder.path()))).to.equal(`${folder.path()} is a directory, not a file`);
    });

    it('report how far they were read, in bytes as stored', async () => {
      const path = join(folder.path(), 'a.vcf.gz');
      await writeFile(path, gzipSync(many));
      const source = await openSource(path);
      expect(source.progress()).to.equal(0);
      let bytes = 0;
      for await (const chunk of source.chunks()) bytes += chunk.length;
      expect(bytes).to.equal(many.length);
      expect(source.progress()).to.equal(1);
    });

    it('may be BED files: several, with prefixes, comments, overlaps, compressed', async () => {
      const one = await folder.write(
        'one.bed',
        '# a comment\ntrack name=x\nbrowser position chr1\nchr1\t10\t20\tgene\n\n1 15 30\r\nGL1\t1\t2\n',
      );
      const two = join(folder.path(), 'two.bed.gz');
      await writeFile(two, gzipSync('chrM\t0\t5'));
      const panel = await readPanel([one, two], 'GRCh38');
      expect([9, 10, 29, 30].map((at) => panel.overlaps('1', at, at + 1))).to.deep.equal([false, true, true, false]);
      expect(panel.overlaps('MT', 4, 9)).to.equal(true);
    });

    it('are refused as BED files with file and line', async () => {
      const bad = await folder.write('bad.bed', '1\t10\t20\n1\tten\t20\n');
      expect(await refusal(readPanel([bad], 'GRCh38'))).to.equal(
        `${bad}, line 2: the start must be a whole number from 0 to 4294967295, found "ten"`,
      );
      const reversed = await folder.write('reversed.bed', '1\t20\t10\n');
      expect(await refusal(readPanel([reversed], 'GRCh38'))).to.equal(
        `${reversed}, line 1: the end of the region, 10, is before its start, 20`,
      );
      const beyond = await folder.write('beyond.bed', 'chrM\t16000\t16570\n');
      expect(await refusal(readPanel([beyond], 'GRCh38'))).to.equal(
        `${beyond}, line 1: the region ends at 16570, beyond the end of chromosome chrM, which has 16569 bases`,
      );
      const other = await folder.write('other.bed', 'GL1\t1\t2\n');
      expect(await refusal(readPanel([other], 'GRCh38'))).to.equal(
        `${other}: no region on chromosomes 1-22, X, Y or MT`,
      );
    });
  });
});
