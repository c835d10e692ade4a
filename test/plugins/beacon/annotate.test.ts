/** `beacon annotate`: what a VCF learns of a dataset's observations, and how other readers take it. */
import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { command } from '../../support/command.js';
import { blockFolder } from '../../support/folder.js';
import { beaconBin } from '../../support/trefoil.js';
import { vcf } from './support/vcf.js';

const cohort = vcf({
  samples: ['child', 'mother', 'other', 'male'],
  records: [
    '1 100 . A C . . . GT 0/1 0/1 1/1 0/0',
    // The same place, written longer, and a second alternate.
    '1 200 . TCC CCC,TC . . . GT 1/2 0/1 0/0 0/0',
    '1 300 . A C . . . GT 0/1 ./. ./. ./.',
    'X 5000000 . G T . . . GT 0/0 0/1 0/0 1/1',
    '2 1000 . N <DEL> . . SVTYPE=DEL;END=1500 GT 0/1 0/0 0/0 0/0',
    '2 1100 . N <DEL> . . SVTYPE=DEL;END=1600 GT 0/0 0/0 0/1 0/0',
    '3 500 . N <INS>,<INS> . . SVTYPE=INS;SVLEN=300,900 GT 1/2 0/0 0/0 0/0',
    '3 500 . N <INS> . . SVTYPE=INS;SVLEN=900 GT 0/0 0/0 0/1 0/0',
  ],
});

/** The records of an annotated text, without their first columns: `POS ALT INFO`. */
function infos(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const columns = line.split('\t');
      return [columns[1], columns[4], columns[7]].join(' ');
    });
}

describe('beacon: annotate', function () {
  this.timeout(120_000);
  const folder = blockFolder();
  const run = (args: string[]) => command(args, { cwd: folder, script: beaconBin, env: {} });
  const file = (name: string) => join(folder, name);
  const sites = (records: string[], header: string[] = []) =>
    [
      '##fileformat=VCFv4.2',
      ...header,
      '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
      ...records.map((record) => record.replaceAll(' ', '\t')),
      '',
    ].join('\n');

  before(async () => {
    await writeFile(file('cohort.vcf'), cohort);
    const ped = [
      'fam\tchild\t0\tmother\t2\t2',
      'fam\tmother\t0\t0\t2\t1',
      'x\tother\t0\t0\t0\t0',
      'y\tmale\t0\t0\t1\t2',
    ];
    await writeFile(file('cohort.ped'), `${ped.join('\n')}\n`);
    for (const args of [
      ['add', 'dataset', '--did', 'local', '--name', 'Local', '--authlevel', 'controlled'],
      ['add', 'variants', '--ds', 'local', '--vcf', file('cohort.vcf'), '--ped', file('cohort.ped')],
    ]) {
      const { code, stderr } = await run(args);
      expect(code, stderr).to.equal(0);
    }
  });

  it('adds cases, homozygotes and frequency to each record', async () => {
    await writeFile(
      file('in.vcf'),
      sites(
        [
          '1 100 . A C . . DP=7',
          '1 100 . A G . . .',
          '1 200 . T C,*,<NON_REF> . . AC=1,0,0;Obs=9,9,9',
          '1 200 . TC T . . DB',
          'chrX 5000000 rs1 G T 50 PASS DP=3',
          '2 990 . N <DEL> . . SVTYPE=DEL;END=1490',
          '2 1000 . N <DUP> . . SVTYPE=DUP;END=1500',
          '2 990 . N <DEL> . . SVTYPE=CNV;END=1490',
          'GL000191.1 5 . A C . . DP=1',
          '3 7 . A N . . DP=2',
          '3 500 . N <INS>,<INS> . . SVTYPE=INS;SVLEN=900,300',
        ],
        ['##INFO=<ID=Obs,Number=1,Type=Integer,Description="older">', '##NrCases=3', '##other=kept'],
      ),
    );
    const { code, stdout, stderr } = await run(['annotate', file('in.vcf'), '--ds', 'local']);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include('Annotated 11 records: 8 of 10 alleles seen in dataset');
    // Three cases (fam, x, y) were searched. A>C: child and mother (one case), other (1/1).
    expect(infos(stdout)).to.deep.equal([
      '100 C DP=7;Obs=2;Hom=1;Frq=0.66667',
      '100 G Obs=0;Hom=0;Frq=0',
      // TCC>CCC is T>C: child and mother.
      '200 C,*,<NON_REF> AC=1,0,0;Obs=1,.,.;Hom=0,.,.;Frq=0.33333,.,.',
      // TCC>TC is TC>T: the child.
      '200 T DB;Obs=1;Hom=0;Frq=0.33333',
      // mother and male; his two called copies of X are one, so nobody is homozygous.
      '5000000 T DP=3;Obs=2;Hom=0;Frq=0.66667',
      // A deletion of 500 bases: each end within half of that, rounded half to even to hundreds: 200. 10 and 110 bases away.
      '990 <DEL> SVTYPE=DEL;END=1490;Obs=2;Hom=0;Frq=0.66667',
      '1000 <DUP> SVTYPE=DUP;END=1500;Obs=0;Hom=0;Frq=0',
      '990 <DEL> SVTYPE=CNV;END=1490;Obs=2;Hom=0;Frq=0.66667',
      '5 C DP=1',
      '7 N DP=2',
      '500 <INS>,<INS> SVTYPE=INS;SVLEN=900,300;Obs=2,1;Hom=0,0;Frq=0.66667,0.33333',
    ]);
    const header = stdout.split('\n').filter((line) => line.startsWith('##'));
    expect(header.filter((line) => line.includes('ID=Obs,'))).to.have.length(1);
    expect(header.filter((line) => line.startsWith('##NrCases'))).to.deep.equal(['##NrCases=3']);
    expect(header).to.include('##other=kept');
    expect(header.find((line) => line.startsWith('##Software'))).to.match(
      /ID=loqusdb,.*Date="\d{4}-\d\d-\d\d \d\d:\d\d"/,
    );
  });

  it('says how many samples were not called, which count nowhere', async () => {
    await writeFile(file('in.vcf'), sites(['1 300 . A C . . .', '1 300 . A C,G . . .']));
    const { code, stdout, stderr } = await run(['annotate', file('in.vcf'), '--ds', 'local']);
    expect(code, stderr).to.equal(0);
    // The child of fam carries it, its mother and the other two cases are unknown.
    expect(infos(stdout)).to.deep.equal([
      '300 C Obs=1;Hom=0;Frq=1;ObsNoCall=3',
      '300 C,G Obs=1,0;Hom=0,0;Frq=1,0;ObsNoCall=3,0',
    ]);
  });

  it('leaves out carriage returns and empty lines', async () => {
    const records = ['1 100 . A C . . DP=7', '', '1 100 . A G . . .', 'X 5000000 rs1 g T . . DP=3', ''];
    await writeFile(file('in.vcf'), sites(records).replaceAll('\n', '\r\n'));
    const windows = await run(['annotate', file('in.vcf'), '--ds', 'local']);
    await writeFile(file('in.vcf'), sites(records.filter((record) => record !== '')));
    const plain = await run(['annotate', file('in.vcf'), '--ds', 'local']);
    expect(windows.stdout.replace(/Date="[^"]*"/g, '')).to.equal(plain.stdout.replace(/Date="[^"]*"/g, ''));
    expect(infos(plain.stdout)).to.deep.equal([
      '100 C DP=7;Obs=2;Hom=1;Frq=0.66667',
      '100 G Obs=0;Hom=0;Frq=0',
      '5000000 T DP=3;Obs=2;Hom=0;Frq=0.66667',
    ]);
  });

  it('again changes nothing but dates', async () => {
    await writeFile(file('in.vcf'), cohort);
    const first = await run(['annotate', file('in.vcf'), '--ds', 'local', '--out', file('first.vcf')]);
    expect(first.code, first.stderr).to.equal(0);
    const second = await run(['annotate', file('first.vcf'), '--ds', 'local', '--out', file('second.vcf')]);
    expect(second.code, second.stderr).to.equal(0);
    const undated = async (name: string) =>
      (await readFile(file(name), 'utf8')).replace(/Date="[^"]*"/g, '').replace(/##Software.*\n/, '');
    expect(await undated('second.vcf')).to.equal(await undated('first.vcf'));
    // The genotypes stay.
    expect(await readFile(file('first.vcf'), 'utf8')).to.match(/\tGT\t0\/1\t0\/1\t1\/1\t0\/0\n/);
  });

  it('writes bgzip with an index that tabix and bcftools read', async () => {
    await writeFile(file('in.vcf'), cohort);
    const prefix = 'clinical_genomics_loqus';
    const args = ['annotate', file('in.vcf'), '--ds', 'local', '--out', file('out.vcf.gz'), '--prefix', prefix];
    const { code, stderr, stdout } = await run(args);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('out.vcf.gz');
    const region = spawnSync('tabix', [file('out.vcf.gz'), 'X:5000000-5000000'], { encoding: 'utf8' });
    expect(infos(region.stdout)).to.deep.equal([`5000000 T ${prefix}Obs=2;${prefix}Hom=0;${prefix}Frq=0.66667`]);
    const query = spawnSync('bcftools', ['view', '-H', '-i', `${prefix}Obs>1`, file('out.vcf.gz')], {
      encoding: 'utf8',
    });
    expect(
      infos(query.stdout).map((line) => line.split(' ', 1)[0]),
      query.stderr,
    ).to.deep.equal(['100', '5000000', '1000', '1100', '500', '500']);
  });

  it('compresses standard output on request', async () => {
    await writeFile(file('in.vcf'), cohort);
    const line = '"$0" "$1" annotate in.vcf --ds local --compress > out.vcf.gz && bgzip -t out.vcf.gz';
    const shell = spawnSync('bash', ['-c', line, process.execPath, beaconBin], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(shell.status, shell.stderr).to.equal(0);
    expect(infos(gunzipSync(await readFile(file('out.vcf.gz'))).toString())[0]).to.equal(
      '100 C Obs=2;Hom=1;Frq=0.66667',
    );
  });

  it('passes on a file without records', async () => {
    await writeFile(file('in.vcf'), sites([]));
    const { code, stdout, stderr } = await run(['annotate', file('in.vcf'), '--ds', 'local']);
    expect(code, stderr).to.equal(0);
    expect(stdout.split('\n').at(-2)).to.equal('#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO');
  });

  const other = '##contig=<ID=1,length=248956422>';
  const faults: [what: string, text: string, more: string[], says: RegExp][] = [
    ['no VCF', 'hello\n', [], /in\.vcf: not a VCF/],
    ['an empty file', '', [], /in\.vcf: the file is empty/],
    ['another assembly', sites(['1 5 . A C . . .'], [other]), [], /line 2: .*248956422 .*GRCh38/],
    ['a short line', sites(['1 5 . A C']), [], /line 3: 5 columns, but a VCF has at least 8/],
    ['a bad position', sites(['1 x . A C . . .']), [], /line 3: POS must be a whole number/],
    [
      'records out of order, for an index',
      sites(['1 9 . A C . . .', '1 5 . A C . . .']),
      ['--out', 'out.vcf.gz'],
      /record 2 is out of order.*bcftools sort/,
    ],
    ['a bad prefix', sites([]), ['--prefix', 'a b'], /--prefix must be letters/],
  ];
  for (const [what, text, more, says] of faults) {
    it(`refuses ${what} and leaves no file`, async () => {
      await writeFile(file('in.vcf'), text);
      const before = await readdir(folder);
      const { code, stderr } = await run(['annotate', 'in.vcf', '--ds', 'local', ...more]);
      expect(code).to.equal(1);
      expect(stderr).to.match(says);
      expect(stderr).to.not.match(/\n\s+at /);
      expect(
        (await readdir(folder)).filter((name) => !before.includes(name) && !/sqlite|log/.test(name)),
      ).to.deep.equal([]);
    });
  }

  it('keeps the earlier result and its index if it fails', async () => {
    await writeFile(file('in.vcf'), cohort);
    expect((await run(['annotate', 'in.vcf', '--ds', 'local', '--out', 'out.vcf.gz'])).code).to.equal(0);
    const [whole, index] = [await readFile(file('out.vcf.gz')), await readFile(file('out.vcf.gz.tbi'))];
    await writeFile(file('in.vcf'), sites(['1 9 . A C . . .', '1 5 . A C . . .']));
    expect((await run(['annotate', 'in.vcf', '--ds', 'local', '--out', 'out.vcf.gz'])).code).to.equal(1);
    expect((await readFile(file('out.vcf.gz'))).equals(whole)).to.equal(true);
    expect((await readFile(file('out.vcf.gz.tbi'))).equals(index)).to.equal(true);
  });
});
