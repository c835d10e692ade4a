/** Reference sequences: reading, packing and comparing them, and the command that does so. */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { bgzipped } from '../../../core/files.js';
import { lengthOf, pseudoautosomal, refgetOf } from '../../../core/genome.js';
import { referenceFile, referencesIn } from '../../../plugins/beacon/vcf/reference/packed.js';
import { faultOf } from '../../support/fault.js';
import { useFolder } from '../../support/folder.js';
import { typedBeacon } from './support/commands.js';
import { fastaOf, loadFasta, numbersFrom, repeatedSequence } from './support/reference.js';
import { vcf } from './support/vcf.js';

const random = numbersFrom(3);
const long = repeatedSequence(150_001, random);
const odd = `${'N'.repeat(9)}ACGTRYKMACGNNNNACGTT${'N'.repeat(70)}AC`;

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const refget = (text: string) =>
  `SQ.${createHash('sha512').update(text).digest().subarray(0, 24).toString('base64url')}`;

describe('beacon: reference sequences', () => {
  const folder = useFolder();
  const opened = () => {
    const reference = referencesIn(folder.path()).of('GRCh37');
    if (!reference) throw new Error('no reference is loaded');
    return reference;
  };

  it('are the same however the file is written', async () => {
    const text = fastaOf({ chr20: long, 'NC_000021.8': odd, chrUn_gl000211: long, chr22: 'ACGT' });
    const forms: (string | Buffer)[] = [
      ...[
        text,
        text.replaceAll('\n', '\r\n'),
        `\n${text.trimEnd()}`,
        gzipSync(text),
        await bgzipped(Buffer.from(text)),
      ],
      text.replace(/^[^>\n]+$/gm, (line) => (random(2) === 0 ? line.toLowerCase() : line)),
      `>20\n${long}\n>21\n${odd}\n>other\nAC\n>22\nACGu`,
    ];
    const digests = new Set<string>();
    for (const form of forms) {
      const { digest, sequences, remarks } = await loadFasta(folder.path(), form);
      digests.add(digest);
      expect(sequences.map((one) => [one.contig, one.length, one.md5, one.refget])).to.deep.equal([
        ['20', long.length, md5(long), refget(long)],
        ['21', odd.length, md5(odd), refget(odd)],
        ['22', 4, md5('ACGT'), refget('ACGT')],
      ]);
      expect(remarks.join()).to.include('chromosome 20 has 150,001 bases; that of GRCh37 has 63,025,520');
      expect(remarks.join()).to.match(/1 other sequences were left out/);
      const reference = opened();
      for (let i = 0; i < 300; i++) {
        const [start, length] = [random(long.length), random(random(3) === 0 ? 70_000 : 9)];
        const end = Math.min(start + length, long.length);
        expect(reference.bases('20', start, end)).to.equal(long.slice(start, end));
      }
      for (let start = 0; start <= odd.length; start++) {
        for (let end = start; end <= odd.length; end++)
          expect(reference.bases('21', start, end)).to.equal(odd.slice(start, end));
      }
      const beyond = [reference.bases('22', 3, 5), reference.bases('1', 0, 1), reference.bases('22', -1, 1)];
      expect(beyond).to.deep.equal([undefined, undefined, undefined]);
      expect([reference.bases('22', 0, 4), reference.bases('22', 4, 4), reference.bases('22', 2, 1)]).to.deep.equal([
        ...['ACGT', '', undefined],
      ]);
    }
    expect(digests.size).to.equal(1);
    const other = await loadFasta(folder.path(), fastaOf({ chr20: `${long.slice(0, -1)}N`, '21': odd, chr22: 'ACGT' }));
    expect(digests.has(other.digest)).to.equal(false);
  });

  it('of another assembly, damaged or twice are refused, and the old ones stay', async () => {
    await loadFasta(folder.path(), fastaOf({ '22': 'ACGT' }));
    const refusal = async (fasta: string | Buffer, assembly: 'GRCh37' | 'GRCh38' = 'GRCh37', force = false) =>
      (await faultOf(loadFasta(folder.path(), fasta, assembly, force))).message;
    expect(await refusal(`>21\n${'N'.repeat(lengthOf('GRCh38', '21'))}`)).to.equal(
      'made-up.fa: chromosome 21 has 46,709,983 bases, as in GRCh38; that of GRCh37 has 48,129,895; with --force it is taken all the same',
    );
    expect(await refusal(`>21\n${'N'.repeat(lengthOf('GRCh37', '21'))}`)).to.include(
      `chromosome 21 has as many bases as that of GRCh37, but not the same: ${refget('N'.repeat(48129895))} instead of ${refgetOf('GRCh37', '21')}`,
    );
    expect(await refusal('>NC_000021.9\nACGT', 'GRCh37', true)).to.include('line 1: NC_000021.9 is of GRCh38');
    expect(await refusal('>21\nACGT\n>chr21\nACGT\n', 'GRCh37', true)).to.include(
      'line 3: chromosome 21 is there twice',
    );
    expect(await refusal('>21\nACGT\nAC!T', 'GRCh37', true)).to.equal('made-up.fa, line 3: "!" is no base');
    expect(await refusal('##fileformat=VCFv4.2\n', 'GRCh37', true)).to.equal(
      'made-up.fa, line 1: this is not a FASTA file',
    );
    expect(await refusal('>decoy\nACGT', 'GRCh37', true)).to.include('there is no chromosome in this file');
    expect(await refusal(gzipSync(fastaOf({ '22': long })).subarray(0, 9000), 'GRCh37', true)).to.include('truncated');
    expect(opened().bases('22', 0, 4)).to.equal('ACGT');
  });

  it('of UCSC and of aligners are taken with a remark: the old MT is left out, and Y may be masked', async function () {
    this.timeout(60_000);
    const y = Buffer.alloc(lengthOf('GRCh37', 'Y'), 'A');
    for (const { chromosome, start, end } of pseudoautosomal.GRCh37) if (chromosome === 'Y') y.fill('N', start, end);
    const file = Buffer.concat([Buffer.from('>chrY\n'), y, Buffer.from(`\n>chrM\n${'A'.repeat(16_571)}\n`)]);
    const { sequences, remarks } = await loadFasta(folder.path(), file, 'GRCh37', false);
    expect(sequences.map(({ contig }) => contig)).to.deep.equal(['Y']);
    expect(remarks).to.have.lengthOf(3);
    expect(remarks[0]).to.equal(
      'chromosome Y has N in its pseudo-autosomal regions: alleles there stay as they are written',
    );
    expect(remarks[1]).to.match(/^MT was left out: it has 16,571 bases/);
    expect(remarks[2]).to.match(/^there is no sequence of 1, 2, .*, X, MT: /);
  });

  it('are seen as damaged if their file is', async () => {
    await loadFasta(folder.path(), fastaOf({ '22': 'ACGT' }));
    const path = referenceFile(folder.path(), 'GRCh37');
    const bytes = await readFile(path);
    for (const damaged of [bytes.subarray(0, -1), bytes.subarray(3), Buffer.alloc(0), Buffer.from('ACGT'.repeat(99))]) {
      await writeFile(path, damaged);
      expect((await faultOf(Promise.resolve().then(() => referencesIn(folder.path()).of('GRCh37')))).code).to.equal(
        'internal',
      );
    }
    expect(referencesIn(folder.path()).of('GRCh38')).to.equal(undefined);
  });

  it('of a damaged file leave no descriptor open, however often they are asked for', async function () {
    if (process.platform !== 'linux') this.skip();
    const descriptors = async () => (await readdir('/proc/self/fd')).length;
    const path = referenceFile(folder.path(), 'GRCh37');
    await loadFasta(folder.path(), fastaOf({ chr20: long }));
    const whole = await readFile(path);
    // An index that says to be longer than any file, and one that is none.
    const endless = Buffer.from(whole);
    endless.writeUInt32LE(2 ** 32 - 1, whole.length - 12);
    for (const damaged of [endless, Buffer.concat([whole.subarray(0, 40_000), whole.subarray(-12)])]) {
      await writeFile(path, damaged);
      const loaded = referencesIn(folder.path());
      const before = await descriptors();
      for (let i = 0; i < 20; i++) expect(() => loaded.of('GRCh37')).to.throw(/cannot be read as a reference/);
      expect(await descriptors()).to.equal(before);
    }
  });
});

describe('beacon load-reference', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const { done, json, failure } = typedBeacon(() => folder.path());

  it('writes a file beside the data, and says what it is', async () => {
    const file = join(folder.path(), 'made-up.fa.gz');
    await writeFile(file, gzipSync(fastaOf({ chr20: long })));
    const refused = await failure(1, 'load-reference', '--build', 'grch38', '--fasta', file);
    expect(refused).to.include('chromosome 20 has 150,001 bases; that of GRCh38 has 64,444,167');
    const { stdout } = await done('load-reference', '--build', 'grch38', '--fasta', file, '--force');
    expect(stdout).to.match(
      /^Reference GRCh38: 1 chromosomes, 150,001 bases, digest [\w-]{32}; written to data\/references\/GRCh38.reference/m,
    );
    const reference = referencesIn(join(folder.path(), 'data/references')).of('GRCh38');
    expect(reference?.bases('20', 1000, 1100)).to.equal(long.slice(1000, 1100));
    const told = await json('load-reference', '--build', 'GRCh38', '--fasta', file, '--force');
    expect(told.sequences).to.deep.equal([
      { chromosome: '20', length: long.length, md5: md5(long), refget: refget(long) },
    ]);
    expect(told.digest).to.equal(reference?.digest);
  });

  it('lets commands load, annotate and export by one form', async () => {
    const sequence = `TG${'CA'.repeat(30)}TTTTTG${long.slice(0, 200)}`;
    await folder.write('made-up.fa', fastaOf({ chr20: sequence }));
    await done('load-reference', '--build', 'GRCh37', '--fasta', join(folder.path(), 'made-up.fa'), '--force');
    const records = ['20 60 . ACA A . PASS . GT 0/1', '20 66 . TT TTT . PASS . GT 1/1'];
    const header = [`##contig=<ID=20,length=63025520,md5=${md5(long)}>`];
    await folder.write('own.vcf', vcf({ header, records }));
    await done('add', 'dataset', '--did', 'own', '--name', 'Own', '--build', 'GRCh37', '--authlevel', 'public');
    const { stdout, stderr } = await done('add', 'variants', '--ds', 'own', '--vcf', join(folder.path(), 'own.vcf'));
    expect(stdout + stderr).to.include(
      `the header has the MD5 ${md5(long)} for chromosome 20, and the loaded reference has ${md5(sequence)}`,
    );
    const sites = (await done('export', '--ds', 'own')).stdout.split('\n').filter((line) => /^20/.test(line));
    expect(sites.map((line) => line.split('\t').slice(0, 5))).to.deep.equal([
      ['20', '2', '.', 'GCA', 'G'],
      ['20', '62', '.', 'A', 'AT'],
    ]);
    const asked = ['20 30 . ACA A . PASS . GT 0/1', '20 67 . TG TTG . PASS . GT 0/1', '20 63 . TT T . PASS . GT 0/1'];
    await folder.write('asked.vcf', vcf({ records: asked }));
    const annotated = (await done('annotate', join(folder.path(), 'asked.vcf'), '--ds', 'own')).stdout;
    const told = annotated.split('\n').filter((line) => /^20/.test(line));
    expect(told.map((line) => line.split('\t').filter((_, i) => [1, 3, 4, 7].includes(i)))).to.deep.equal([
      ['30', 'ACA', 'A', 'Obs=1;Hom=0;Frq=1'],
      ['67', 'TG', 'TTG', 'Obs=1;Hom=1;Frq=1'],
      ['63', 'TT', 'T', 'Obs=0;Hom=0;Frq=0'],
    ]);
    // Without the reference nothing may be loaded that is written otherwise.
    await rm(referenceFile(join(folder.path(), 'data/references'), 'GRCh37'));
    const refused = await failure(1, 'add', 'variants', '--ds', 'own', '--vcf', join(folder.path(), 'own.vcf'));
    expect(refused).to.include('left-aligned by a reference that is not loaded here: load it again');
  });
});
