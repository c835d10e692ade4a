import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createD4, mergeD4, textInput } from '../../../../plugins/coverage/d4/index.js';
import { command } from '../../../support/command.js';
import { temporaryFolder } from '../d4/support/folder.js';

const expected = join(import.meta.dirname, 'expected');
/** The runs of mosdepth whose output is in `expected`: README.md there. */
const runs: { prefix: string; options: string[]; env?: Record<string, string> }[] = [
  { prefix: 'by', options: ['--by', join(expected, 'regions.bed'), '-T', '30,1,10,20', '-q', '0:1:5:150:'] },
  { prefix: 'windows', options: ['-n', '--by', '8', '-T', '0,5'] },
  { prefix: 'only', options: ['--no-per-base', '--by', join(expected, 'regions.bed')] },
  { prefix: 'mito', options: ['-n', '-c', 'chrM', '--by', '100', '-q', '3:400'] },
  { prefix: 'precise', options: ['-n', '--by', '200'], env: { MOSDEPTH_PRECISION: '7' } },
];

describe('d4 mosdepth', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  const sample = () => folder.path('sample.d4');
  const run = (args: string[], env: Record<string, string> = {}) =>
    command(['d4', 'mosdepth', ...args], { cwd: folder.path('.'), env });
  const written = () => readdirSync(folder.path('.')).filter((name) => name.startsWith('out') || name.startsWith('.'));

  before(async () => {
    await createD4(sample(), textInput(join(expected, 'by.per-base.bed.gz'), { format: 'bedgraph' }), {});
  });

  for (const { prefix, options, env } of runs) {
    it(`writes what mosdepth writes: ${options.join(' ').replaceAll(`${expected}/`, '')}`, async () => {
      const { code, stdout, stderr } = await run([...options, prefix, sample()], env);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.equal('');
      const files = readdirSync(expected).filter((name) => name.startsWith(`${prefix}.`));
      expect(files.length).to.be.greaterThan(3);
      for (const name of files) {
        const bytes = readFileSync(join(expected, name));
        const theirs = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
        const own = readFileSync(folder.path(name.replace(/\.txt\.gz$/, '.txt')));
        expect((name.endsWith('.bed.gz') ? gunzipSync(own) : own).toString(), name).to.equal(theirs.toString());
      }
      const beds = files.filter((name) => name.endsWith('.bed.gz'));
      const names = [...files.map((name) => name.replace(/\.txt\.gz$/, '.txt')), ...beds.map((name) => `${name}.csi`)];
      expect(
        readdirSync(folder.path('.')).filter((name) => name.startsWith(`${prefix}.`)),
        'no other file',
      ).to.have.members(names);
      expect((statSync(folder.path(`${prefix}.mosdepth.summary.txt`)).mode & 0o007).toString(8)).to.equal('0');
    });
  }

  it('writes indexes that tabix reads', () => {
    for (const name of ['by.per-base.bed.gz', 'by.regions.bed.gz', 'by.thresholds.bed.gz', 'by.quantized.bed.gz']) {
      const rows = gunzipSync(readFileSync(folder.path(name)))
        .toString()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'));
      for (const [chromosome, from, to] of [
        ['chr1', 900, 9100],
        ['chr1', 16_384, 16_385],
        ['chr2', 11, 11],
        ['chrM', 1, 1700],
      ] as const) {
        const asked = `${chromosome}:${from}-${to}`;
        const found = spawnSync('tabix', [folder.path(name), asked], { encoding: 'utf8' });
        expect(found.status, found.stderr).to.equal(0);
        const naive = rows.filter((row) => {
          const [own, begin, end] = row.split('\t');
          return own === chromosome && Number(begin) < to && Number(end) >= from;
        });
        expect(
          found.stdout.split('\n').filter((line) => line !== ''),
          `${name} ${asked}`,
        ).to.deep.equal(naive);
      }
    }
  });

  it('names the regions that it leaves out, and refuses a BED file of other chromosomes', async () => {
    const { stderr } = await run(['-n', '--force', '--by', join(expected, 'regions.bed'), 'only', sample()]);
    expect(stderr).to.include('no chromosome chrUn: its 1 regions');
    writeFileSync(folder.path('other.bed'), '1\t0\t10\n2\t0\t10\n');
    const other = await run(['--by', 'other.bed', 'out', sample()]);
    expect(other).to.deep.include({ code: 1, stdout: '' });
    expect(other.stderr).to.include('none of the chromosomes of the BED file (1, 2 …); its own are chr1, chr2, chrX');
    expect(written()).to.deep.equal([]);
  });

  it('replaces files only with --force, and leaves nothing behind when it fails', async () => {
    writeFileSync(folder.path('out.regions.bed.gz.csi'), 'earlier');
    const refused = await run(['--by', '100', 'out', sample()]);
    expect(refused).to.deep.include({ code: 1, stdout: '' });
    expect(refused.stderr).to.include('The output exists; --force replaces it (out.regions.bed.gz.csi)');
    expect(written()).to.deep.equal(['out.regions.bed.gz.csi']);
    writeFileSync(folder.path('long.bed'), `chr1\t0\t10\t${'x'.repeat(5000)}\n`);
    const failed = await run(['--by', 'long.bed', '--force', 'out', sample()]);
    expect(failed.stderr).to.include('A name has more than 4096 characters');
    expect(failed.code).to.equal(1);
    expect(written()).to.deep.equal(['out.regions.bed.gz.csi']);
    expect(readFileSync(folder.path('out.regions.bed.gz.csi'), 'utf8')).to.equal('earlier');
    expect(await run(['-n', '--by', '100', '--force', 'out', sample()])).to.deep.include({ code: 0, stderr: '' });
    expect(readFileSync(folder.path('out.regions.bed.gz.csi'), 'utf8')).to.not.equal('earlier');
  });

  it('refuses what it cannot do, in one sentence', async () => {
    writeFileSync(folder.path('beyond.bed'), 'chrLast\t700\t801\n');
    writeFileSync(folder.path('mixed.bed'), 'chr1\t0\t10\nchr1 0\t10\t20\n');
    writeFileSync(folder.path('empty.bed'), 'chr1\t0\t10\nchr1\t10\t10\n');
    writeFileSync(folder.path('turned.bed'), 'chr1\t10\t9\n');
    writeFileSync(folder.path('half.bedgraph'), 'chr1\t0\t10\t0.5\n');
    writeFileSync(folder.path('negative.bedgraph'), 'chr1\t0\t10\t-3\n');
    await createD4(folder.path('half.d4'), textInput(folder.path('half.bedgraph')), {});
    await createD4(folder.path('negative.d4'), textInput(folder.path('negative.bedgraph')), {});
    await mergeD4(folder.path('two.d4'), [
      { path: sample(), name: 'a' },
      { path: sample(), name: 'b' },
    ]);
    const cases: [string[], string][] = [
      [['-Q', '20', 'new', sample()], 'This option of mosdepth is not available: a D4 file holds depths'],
      [['--fast-mode', 'new', sample()], '(--fast-mode)'],
      [['-T', '1,2', 'new', sample()], 'Thresholds count bases of regions: they need --by'],
      [['-T', '1,x', '--by', '100', 'new', sample()], 'got "1,x"'],
      [['-T', '', '--by', '100', 'new', sample()], 'got ""'],
      [['-q', '5:x', 'new', sample()], 'got "5:x"'],
      [['-q', '5:', '-c', 'chrZ', 'new', sample()], 'no chromosome "chrZ"'],
      [['--by', '0', 'new', sample()], 'Windows need a length of 1 base or more'],
      [['--by', 'nowhere.bed', 'new', sample()], 'nowhere.bed: no such file'],
      [
        ['--by', 'beyond.bed', 'new', sample()],
        'beyond.bed, line 1: the region ends at 801, beyond the end of chromosome chrLast, which has 800 bases',
      ],
      [['--by', 'mixed.bed', 'new', sample()], 'mixed.bed, line 2: the chromosome must not have a space'],
      [['--by', 'empty.bed', 'new', sample()], 'empty.bed, line 2: the region has no bases'],
      [
        ['--by', 'turned.bed', 'new', sample()],
        'turned.bed, line 1: the end of the region, 9, is before its start, 10',
      ],
      [['--threads', '0', 'new', sample()], 'The number of threads must be a whole number from 1 to 256'],
      [['new', 'half.d4'], "mosdepth's depths are whole numbers"],
      [['new', 'negative.d4'], 'Chromosome chr1 has negative depths'],
      [['new', 'two.d4'], 'choose one with --track (a, b)'],
      [['--track', 'c', 'new', 'two.d4'], 'no track "c"'],
      [['nowhere/new', sample()], 'The folder of the output is not writable (nowhere/new)'],
      [['new/', sample()], 'The prefix needs the beginning of a file name'],
      [['new', 'missing.d4'], 'missing.d4'],
      [['new', join(expected, 'regions.bed')], 'do not begin as a D4 file does'],
    ];
    for (const [args, sentence] of cases) {
      const { code, stdout, stderr } = await run(args);
      expect(code, args.join(' ')).to.be.oneOf([1, 2]);
      expect(stdout).to.equal('');
      expect(stderr, args.join(' ')).to.include(sentence);
      expect(stderr).to.not.match(/\n\s+at /);
    }
    const env = { MOSDEPTH_PRECISION: '99' };
    expect((await run(['new', sample()], env)).stderr).to.include('from 1 to 15; got "99" (MOSDEPTH_PRECISION)');
    expect(readdirSync(folder.path('.')).filter((name) => /^(new|\.trefoil)/.test(name))).to.deep.equal([]);
  });

  it('takes one track of a file with several', async () => {
    for (const args of [
      ['--track', 'b', 'track', 'two.d4'],
      ['track', 'two.d4:a'],
    ]) {
      expect(await run(['-n', '--force', ...args])).to.deep.include({ code: 0, stderr: '' });
      const lines = readFileSync(folder.path('track.mosdepth.summary.txt'), 'utf8').split('\n');
      expect(lines).to.include('chrM\t1700\t437017\t257.07\t4\t302');
      expect(existsSync(folder.path('track.per-base.bed.gz'))).to.equal(false);
    }
  });
});
