/** The exported VCF: its content, and how other readers interpret it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { alleleKey, beacon, type CountedAllele } from '../../../plugins/beacon/contract.js';
import { siteLine, sitesHeader } from '../../../plugins/beacon/vcf/sites.js';
import { useFolder } from '../../support/folder.js';
import { sqlite } from '../../support/storages.js';
import { beaconBin } from '../../support/trefoil.js';
import { typedBeacon } from './support/commands.js';
import { NaiveDataset } from './support/naive.js';
import { dataset, load } from './support/serve.js';
import { describeWithShared, shared } from './support/shared.js';
import { read, vcf } from './support/vcf.js';

const now = new Date('2026-01-02T03:04:05Z');
const records = [
  '1 5 . A C,G . . . GT 1/2 0/0',
  '1 5 . A <DEL> . . SVTYPE=DEL;END=90;CIPOS=-3,4;CIEND=0,12 GT 1/1 0/1',
  '1 6 . A <DUP:TANDEM> . . SVTYPE=DUP;END=20 GT 0/1 0/0',
  '1 7 . A <INS> . . SVTYPE=INS;END=7 GT 0/1 0/0',
  '1 7 . A <INS>,<INS> . . SVTYPE=INS;SVLEN=70,30 GT 1/2 0/0',
  '1 8 . A <CN0> . . END=20 GT 0/1 0/0',
  '1 9 . G G]chr2:30] . . SVTYPE=BND;CIPOS=-2,0 GT 0/1 0/0',
  '1 10 . G G. . . SVTYPE=BND GT 0/1 0/0',
  '1 11 . G GTTTT . . SVTYPE=INS;END=11 GT 0/1 0/0',
  '1 12 . N <TRA> . . SVTYPE=TRA;CHR2=2;END=5 GT 0/1 0/0',
  '1 13 . C <STR19>,<STR40> . . END=70;RL=57;RU=CAG GT 1/2 0/0',
  'X 5 . A C . . . GT 1 0/1',
  'Y 5 . A C . . . GT 1 .',
  'MT 5 . A C . . . GT 1/1 1/1',
];

/** The exported text of a dataset with these files. */
async function exported(files: [string, ...string[]], samples: string[] = []) {
  const { storage, close } = await sqlite.open([beacon]);
  try {
    const repository = storage.repository(beacon);
    await repository.addDataset(dataset('ds'), now);
    await load(repository, 'ds', files, samples);
    const found = await repository.dataset('ds');
    if (!found) throw new Error('there is no dataset');
    const alleles: CountedAllele[] = [];
    await repository.eachAllele('ds', async (portion) => void alleles.push(...portion));
    const lines = alleles.map((allele) => siteLine(allele, found.sampleCount));
    return { text: sitesHeader(found) + lines.join(''), lines, alleles };
  } finally {
    await close();
  }
}

/** The same sites with one made-up sample that has each of them once. */
function genotyped(text: string): string {
  return text.replace(/^#CHROM.*$/m, '$&\tFORMAT\tsomebody').replace(/^([^#].*)$/gm, '$1\tGT\t0/1');
}

describe('beacon: export', () => {
  const folder = useFolder();

  it('states AC, AN and the position of a structural allele', async () => {
    const { text, lines } = await exported([await folder.write('a.vcf', vcf({ samples: ['a', 'b'], records }))]);
    expect(
      lines.map((line) =>
        line
          .trimEnd()
          .split('\t')
          .filter((field) => field !== '.')
          .join(' '),
      ),
    ).to.deep.equal([
      '1 5 A C AC=1;AN=4',
      '1 5 A G AC=1;AN=4',
      '1 5 A <DEL> AC=3;AN=4;SVTYPE=DEL;END=90;CIPOS=-3,4;CIEND=0,12',
      '1 6 A <DUP:TANDEM> AC=1;AN=4;SVTYPE=DUP;END=20',
      '1 7 A <INS> AC=1;AN=4;SVTYPE=INS;END=7;SVLEN=30',
      '1 7 A <INS> AC=1;AN=4;SVTYPE=INS;END=7;SVLEN=70',
      '1 7 A <INS> AC=1;AN=4;SVTYPE=INS;END=7',
      '1 8 A <CN0> AC=1;AN=4;SVTYPE=CNV;END=20',
      '1 9 G G]2:30] AC=1;AN=4;SVTYPE=BND;CIPOS=-2,0',
      '1 10 G G. AC=1;AN=4;SVTYPE=BND',
      '1 11 G GTTTT AC=1;AN=4;SVTYPE=INS;END=11',
      '1 12 N <TRA> AC=1;AN=4;SVTYPE=TRA;CHR2=2;END=5',
      '1 13 C <STR19> AC=1;AN=4;SVTYPE=STR;END=70;RU=NNN',
      '1 13 C <STR40> AC=1;AN=4;SVTYPE=STR;END=70;RU=NNN',
      'X 5 A C AC=2;AN=4',
      'Y 5 A C AC=1;AN=2',
      // Four copies were called; the convention expects two.
      'MT 5 A C AC=4;AN=4',
    ]);
    expect(text).to.match(/^##fileformat=VCFv4\.3\n/);
    expect(text).to.contain('##contig=<ID=1,length=249250621,assembly=GRCh37>\n');
    expect(text).to.not.match(/\bsamples?=[ab]\b/i);
  });

  it('is read back to the same alleles', async () => {
    const { text, alleles } = await exported([await folder.write('a.vcf', vcf({ samples: ['a', 'b'], records }))]);
    const again = await read(genotyped(text));
    const whole = ({ kind, structural, ...allele }: CountedAllele | (typeof again.alleles)[number]) =>
      `${alleleKey(allele as CountedAllele)} ${kind} ${structural} ${JSON.stringify([allele.startRange, allele.endRange])}`;
    expect(again.alleles.map(whole)).to.deep.equal(alleles.map(whole));
    expect(again.summary.skipped.unreadable).to.equal(0);
  });

  describeWithShared('of the real trio', () => {
    const files: [string, string, string] = [
      shared('test_trio.vcf.gz'),
      shared('test_trio.SV.vcf.gz'),
      shared('BND.SV.vcf'),
    ];

    it('equals what an independent reader finds in it, and bcftools accepts it', async function () {
      // 408 alleles with 483 calls: the reference's figures for these files.
      const { text, lines } = await exported(files, ['ADM1059A1']);
      expect(lines).to.have.lengthOf(408);
      const calls = lines.map((line) => Number(/AC=(\d+)/.exec(line)?.[1]));
      expect(calls.reduce((sum, count) => sum + count, 0)).to.equal(483);
      const load = [{ text: genotyped(text), samples: ['somebody'] }];
      // Golden queries of the same data: alleles found, regardless of the number of calls.
      for (const [query, found] of [
        [{ contig: '21', kinds: [{ kind: 'SNP' }] }, 32],
        [{ contig: '1', reference: 'N', alternate: 'N' }, 16],
        [{ contig: '1', start: { min: 235878452, max: 235878452 }, reference: 'G', alternate: 'GNNN' }, 1],
        [{ contig: '2', kinds: [{ kind: 'BND' }], start: { min: 321000, max: 322000 } }, 2],
      ] as const) {
        expect(new NaiveDataset(load).answer(query)?.alleles, JSON.stringify(query)).to.equal(found);
      }
      if (spawnSync('bcftools', ['--version']).status !== 0) return this.skip();
      const { status, stdout, stderr } = spawnSync('bcftools', ['view', '-H', '-'], { input: text, encoding: 'utf8' });
      expect([status, stderr]).to.deep.equal([0, '']);
      expect(stdout.trim().split('\n')).to.have.lengthOf(408);
      const sorted = execFileSync('bcftools', ['sort', '-'], { input: text, stdio: 'pipe', encoding: 'utf8' });
      const places = (all: string) => [...all.matchAll(/^([^#\t]+\t\d+)\t/gm)].map(([, place]) => place);
      expect(places(text)).to.deep.equal(places(sorted));
    });
  });

  it('fails with one sentence if standard output cannot be written', async function () {
    this.timeout(120_000);
    const env = { ...process.env, TREFOIL_SQLITE_FILE: join(folder.path(), 'piped.sqlite') };
    const shell = (line: string) =>
      spawnSync('bash', ['-c', line, 'bash', process.execPath, beaconBin], {
        cwd: folder.path(),
        env,
        encoding: 'utf8',
      });
    const command = '"$1" "$2" export --ds many';
    const records = Array.from({ length: 20_000 }, (_, i) => `1 ${i + 1} . A C . . . GT 1`);
    await folder.write('many.vcf', vcf({ records }));
    shell(
      '"$1" "$2" add dataset --did many --name Many --authlevel public && "$1" "$2" add variants --ds many --vcf many.vcf',
    );
    for (const [line, why] of [
      [`${command} > /dev/full`, 'there is no space left'],
      [`set -o pipefail; ${command} | head -n 1 > first.txt`, 'the reader closed it'],
    ] as const) {
      const { status, stderr } = shell(line);
      expect([status, stderr], line).to.deep.equal([1, `beacon: standard output cannot be written (${why})\n`]);
    }
    const { status, stdout } = shell(`${command} 2> note.txt | tail -n 1`);
    expect([status, stdout]).to.deep.equal([0, '1\t20000\t.\tA\tC\t.\t.\tAC=1;AN=2\n']);
  });

  it('is written completely or not at all', async function () {
    this.timeout(120_000);
    const { run } = typedBeacon(folder.path);

    await run('add', 'demo');
    const out = join(folder.path(), 'sites.vcf.gz');
    const { code, stdout } = await run('export', '--ds', 'test_public', '--out', out);
    expect([code, stdout]).to.deep.equal([0, `Exported 25 alleles of dataset 'test_public' to ${out}\n`]);
    const text = gunzipSync(await readFile(out)).toString();
    expect(text.match(/^[^#]/gm)).to.have.lengthOf(25);
    const piped = await run('export', '--ds', 'test_public');
    expect(piped.stdout).to.equal(text);
    await writeFile(join(folder.path(), 'old.vcf'), 'old');
    for (const args of [
      ['--ds', 'nowhere', '--out', 'old.vcf'],
      ['--ds', 'test_public', '--out', 'none/x.vcf'],
      ['--ds', 'test_public', '--out', '.'],
      ['--ds', 'test_public', '--out', '/dev/full'],
      ['--ds', 'test_public', '--json'],
    ]) {
      const failed = await run('export', ...args);
      expect(failed.code, args.join(' ')).to.equal(1);
      expect(failed.stderr, args.join(' ')).to.match(/^beacon: .+\n$/);
    }
    expect(await readFile(join(folder.path(), 'old.vcf'), 'utf8')).to.equal('old');
    expect((await readdir(folder.path())).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
  });
});
