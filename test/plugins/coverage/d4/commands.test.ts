import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Lines, plainNumber } from '../../../../plugins/coverage/commands/d4/output.js';
import { createD4 } from '../../../../plugins/coverage/d4/index.js';
import { demoFile, sharedFile } from '../support/shared.js';
import { temporaryFolder } from './support/folder.js';
import { readNaively } from './support/naive.js';
import { runD4 } from './support/runner.js';
import { serveRanges } from './support/server.js';

const bedgraph = '1\t0\t10\t5\n1\t10\t30\t80\n1\t30\t40\t0\n10\t0\t8\t1\n2\t0\t4\t0\n2\t4\t8\t25\n';

describe('d4: commands', () => {
  const folder = temporaryFolder();
  const sample = () => folder.path('sample.d4');

  before(async () => {
    writeFileSync(folder.path('runs.bedgraph'), bedgraph);
    expect(await runD4('create', folder.path('runs.bedgraph'), sample())).to.deep.equal({
      status: 0,
      out: '',
      err: '',
    });
  });

  it('view prints runs as in the input', async () => {
    expect((await runD4('view', sample())).out).to.equal(bedgraph);
    expect((await runD4('view', sample(), '2', '1:5-12', '1:35-')).out).to.equal(
      '1\t5\t10\t5\n1\t10\t12\t80\n1\t35\t40\t0\n2\t0\t4\t0\n2\t4\t8\t25\n',
    );
    expect((await runD4('view', '-g', sample())).out).to.equal('1\t40\n10\t8\n2\t8\n');
    for (const [asked, sentence] of [
      ['chrZ', 'no chromosome "chrZ"'],
      ['chrZ:0-5', 'no chromosome "chrZ"'],
      ['1:35-41', 'Chromosome 1 has 40 bases, and the region is not in it (1:35-41)'],
      ['1:40-', 'Chromosome 1 has 40 bases'],
      ['1:5', 'A region must be chr, chr:begin-end or chr:begin-, such as chr1:1000-2000 or chr1:1,000-2,000 (1:5)'],
      ['1:1,00-2,00', 'or chr1:1,000-2,000 (1:1,00-2,00)'],
      ['1:5-a', 'or chr1:1,000-2,000 (1:5-a)'],
    ] as const) {
      const { status, out, err } = await runD4('view', '-H', sample(), '2', asked);
      expect({ status, out }, asked).to.deep.equal({ status: 2, out: '' });
      expect(err).to.include(sentence);
    }
  });

  it('view accepts commas between groups of three digits', async () => {
    const made = folder.path('long.d4');
    const runs = { chromosome: 'HLA:1', begins: [0, 1_500_000], ends: [1_500_000, 3_000_000], depths: [7, 8] };
    await createD4(made, [runs]);
    const view = async (region: string) => (await runD4('view', made, region)).out;
    expect(await view('HLA:1:1,000,000-2000000')).to.equal('HLA:1\t1000000\t1500000\t7\nHLA:1\t1500000\t2000000\t8\n');
    expect(await view('HLA:1:2,999,999-')).to.equal('HLA:1\t2999999\t3000000\t8\n');
    for (const wrong of ['1,00-2000', '1000,000-', ',100-200', '100,-200', '1,,000-2,000', '0-1,0000']) {
      const { status, out, err } = await runD4('view', made, `HLA:1:${wrong}`);
      expect({ status, out }, wrong).to.deep.equal({ status: 2, out: '' });
      expect(err).to.include(`chr1:1,000-2,000 (HLA:1:${wrong})`);
    }
  });

  it('stat prints the columns in the order of d4tools', async () => {
    const stat = async (...rest: string[]) => (await runD4('stat', sample(), ...rest)).out;
    expect(await stat()).to.equal('1\t0\t40\t41.25\n10\t0\t8\t1\n2\t0\t8\t12.5\n');
    expect(await stat('-s', 'sum', '-H')).to.equal(
      '#Chr\tBegin\tEnd\tsum\n1\t0\t40\t1650\n10\t0\t8\t8\n2\t0\t8\t100\n',
    );
    expect(await stat('-s', 'count')).to.equal('1\t0\t40\t40\n10\t0\t8\t8\n2\t0\t8\t8\n');
    // A correct median: the mean of the two middle values (0, 0, 0, 0, 25, …), not d4tools' value plus one.
    expect(await stat('-s', 'median')).to.equal('1\t0\t40\t42.5\n10\t0\t8\t1\n2\t0\t8\t12.5\n');
    expect(await stat('-s', 'percentile=100')).to.equal('1\t0\t40\t80\n10\t0\t8\t1\n2\t0\t8\t25\n');
    expect(await stat('-s', 'perc_cov=25,5,100', '-H')).to.equal(
      '#Chr\tStart\tEnd\t5x\t25x\t100x\n1\t0\t40\t0.750\t0.500\t0.000e0\n10\t0\t8\t0.000e0\t0.000e0\t0.000e0\n2\t0\t8\t0.500\t0.500\t0.000e0\n',
    );
    // Several kinds are the columns of each, one after the other.
    expect(
      await stat('-s', 'perc_cov=80', '-s', 'median', '-s', 'mean', '-s', 'perc_cov=1,5', '-s', 'percentile=100'),
    ).to.equal(
      '1\t0\t40\t0.500\t42.5\t41.25\t0.750\t0.750\t80\n10\t0\t8\t0.000e0\t1\t1\t1.000\t0.000e0\t1\n' +
        '2\t0\t8\t0.000e0\t12.5\t12.5\t0.500\t0.500\t25\n',
    );
    expect(await stat('-H', '-s', 'mean', '-s', 'perc_cov=5')).to.match(/^#Chr\tBegin\tEnd\tmean\t5x\n/);
    const both = JSON.parse(await stat('--json', '-s', 'mean', '-s', 'perc_cov=5')) as { statistic: object };
    expect(both.statistic).to.deep.equal([{ name: 'mean' }, { name: 'perc_cov', thresholds: [5] }]);
    expect(await stat('-s', 'hist', '--max-bin', '6')).to.equal(
      '<0\t0\n0\t14\n1\t8\n2\t0\n3\t0\n4\t0\n5\t10\n>6\t24\n',
    );
    writeFileSync(folder.path('regions.bed'), '# comment\r\n2\t2\t6\r\n1\t35\t40\tname\t0\n1\t8\t12\r1\t8\t12\n');
    expect(await stat('-r', folder.path('regions.bed'))).to.equal(
      '1\t8\t12\t42.5\n1\t8\t12\t42.5\n1\t35\t40\t0\n2\t2\t6\t12.5\n',
    );
    const json = JSON.parse(await stat('--json', '-s', 'perc_cov=5')) as { tracks: { rows: object[] }[] };
    expect(json.tracks[0]?.rows[0]).to.deep.equal({
      chromosome: '1',
      begin: 0,
      end: 40,
      bases: 40,
      sum: 1650,
      mean: 41.25,
      counts: [30],
    });
  });

  it('gaps prints BED', async () => {
    expect((await runD4('gaps', sample(), '--below', '6')).out).to.equal('1\t0\t10\n1\t30\t40\n10\t0\t8\n2\t0\t4\n');
    expect((await runD4('gaps', sample(), '--below', '6', '-m', '9')).out).to.equal('1\t0\t10\n1\t30\t40\n');
  });

  it('create refuses texts that are not clearly of their format, and names the option that reads them', async () => {
    const create = async (text: string, ...options: string[]) => {
      writeFileSync(folder.path('unclear.txt'), text);
      const made = folder.path('unclear.d4');
      const { status, err } = await runD4('create', '-f', ...options, folder.path('unclear.txt'), made);
      return status === 0 ? (await runD4('view', made)).out : err;
    };
    const regions = '1\t10\t20\n1\t30\t40\n';
    expect(await create(regions)).to.match(/Three columns may be .* --format depth reads them .*unclear\.txt\)/);
    expect(await create(regions, '--format', 'depth')).to.equal(
      '1\t0\t9\t0\n1\t9\t10\t20\n1\t10\t29\t0\n1\t29\t30\t40\n',
    );
    // Clear: a depth below its position, or two positions in a row.
    expect(await create('1\t3\t2\n')).to.equal('1\t0\t2\t0\n1\t2\t3\t2\n');
    expect(await create('1\t1\t90\n1\t2\t90\n')).to.equal('1\t0\t2\t90\n');
    expect(await create('1\t10\t20\n2\t10\t20\n')).to.include('Three columns may be');
    const several = '1\t5\t30\t40\t50\n';
    expect(await create(several)).to.match(/5 columns may be of several formats: --format bedgraph .*: line 1\)/);
    expect(await create(several, '--column', '2')).to.equal('1\t0\t4\t0\n1\t4\t5\t40\n');
    expect(await create(several, '--column', '2', '--format', 'bedgraph')).to.include(
      'one column of depths (--column)',
    );
    expect(await create('1\t0\t5\t3\n1\t5\t9\n')).to.match(/columns .*: line 2\)/);
    const cut = '1\t0\t10\t5\n1\t10\t20\t3';
    expect(await create(cut)).to.match(/no line end and may be cut: .* --allow-cut of d4 create .*: line 2\)/);
    expect(await create(cut, '--allow-cut')).to.equal(`${cut}\n`);
    expect(await create('1\t0\t10\t5\r1\t10\t20\t3\r')).to.equal(`${cut}\n`);
    writeFileSync(folder.path('one.genome'), '1\t30\n');
    for (const empty of ['', '#chr\tstart\tend\tdepth\n']) {
      expect(await create(empty, '-g', folder.path('one.genome'))).to.include('--allow-empty of d4 create');
      expect(await create(empty, '-g', folder.path('one.genome'), '--allow-empty')).to.equal('1\t0\t30\t0\n');
      expect(await create(empty, '--allow-empty')).to.include('use --genome, too (--allow-empty)');
    }
  });

  it('create rounds depths to the denominator, or to a billionth', async () => {
    writeFileSync(folder.path('thirds.bedgraph'), '1\t0\t1\t12.345\n1\t1\t2\t0.33333333333\n');
    const view = async (...options: string[]) => {
      const made = folder.path('thirds.d4');
      expect(await runD4('create', '-f', ...options, folder.path('thirds.bedgraph'), made)).to.include({ status: 0 });
      return (await runD4('view', made)).out;
    };
    expect(await view('--denominator', '10')).to.equal('1\t0\t1\t12.3\n1\t1\t2\t0.3\n');
    // 12.345 billion do not fit 32 bits: a tenth of a billionth as well.
    expect(await view()).to.equal('1\t0\t1\t12.345\n1\t1\t2\t0.33333333\n');
  });

  it('create writes files that other users cannot read', async () => {
    expect(await runD4('create', folder.path('runs.bedgraph'), folder.path('m.d4'))).to.include({ status: 0 });
    expect((statSync(folder.path('m.d4')).mode & 0o007).toString(8)).to.equal('0');
  });

  it('create accepts several texts, a genome, ranges and compression; merge and ls-track', async () => {
    writeFileSync(folder.path('genome'), '1\t50\n2\t10\n3\t7\n10\t9\n');
    writeFileSync(folder.path('more.bed.gz'), gzipSync('1\t0\t10\t9\n1\t10\t50\t3\n'));
    const both = folder.path('both.d4');
    const line = [
      '-g',
      folder.path('genome'),
      '-z',
      '-R',
      '0-4',
      folder.path('runs.bedgraph'),
      folder.path('more.bed.gz'),
      both,
    ];
    expect(await runD4('create', ...line)).to.include({ status: 0, err: '' });
    expect((await runD4('ls-track', both)).out).to.equal(`${both}:runs\n${both}:more.bed\n`);
    expect((await runD4('ls-track', sample())).out).to.equal(`${sample()}\n`);
    expect((await runD4('view', '-H', both, '1:5-35', '3')).out).to.equal(
      '#Chr\tStart\tEnd\truns\tmore.bed\n1\t5\t10\t5\t9\n1\t10\t30\t80\t3\n1\t30\t35\t0\t3\n3\t0\t7\t0\t0\n',
    );
    const sparse = folder.path('sparse.d4');
    expect(await runD4('create', '-S', folder.path('runs.bedgraph'), sparse)).to.include({ status: 0, err: '' });
    expect((await runD4('view', sparse)).out).to.equal(bedgraph);
    expect(readNaively(readFileSync(sparse))).to.deep.include({ width: 0, compression: { Deflate: 5 } });
    const merged = folder.path('merged.d4');
    expect(await runD4('merge', `${sample()}:one`, both, merged)).to.include({ status: 0, err: '' });
    expect((await runD4('gaps', merged)).err).to.include('name one as FILE:TRACK (one, both/runs, both/more.bed)');
    expect((await runD4('ls-track', merged)).out).to.equal(
      `${merged}:one\n${merged}:both/runs\n${merged}:both/more.bed\n`,
    );
    expect((await runD4('stat', merged)).out).to.equal(
      '1\t0\t40\t41.25\t41.25\t4.5\n10\t0\t8\t1\t1\t0\n2\t0\t8\t12.5\t12.5\t0\n',
    );
  });

  it('view, stat, gaps and verify accept one track as ls-track prints it', async () => {
    writeFileSync(folder.path('deep.bedgraph'), '1\t0\t10\t9\n1\t10\t50\t3\n');
    const [deep, tracks] = [folder.path('deep.d4'), folder.path('tracks:2.d4')];
    expect(await runD4('create', folder.path('deep.bedgraph'), deep)).to.include({ status: 0, err: '' });
    expect(await runD4('merge', `${sample()}:first`, `${deep}:second`, folder.path('inner.d4'))).to.include({
      status: 0,
    });
    expect(await runD4('merge', sample(), folder.path('inner.d4'), tracks)).to.include({ status: 0, err: '' });
    const server = await serveRanges(readFileSync(tracks));
    try {
      for (const given of [tracks, `${server.url}?key=a:b`]) {
        const named = (await runD4('ls-track', given)).out.trimEnd().split('\n');
        expect(named).to.deep.equal(['sample', 'inner/first', 'inner/second'].map((name) => `${given}:${name}`));
        const printed = (command: string, ...more: string[]) =>
          Promise.all(named.map(async (track) => (await runD4(command, track, ...more)).out));
        expect(await printed('view', '1:8-12')).to.deep.equal([
          '1\t8\t10\t5\n1\t10\t12\t80\n',
          '1\t8\t10\t5\n1\t10\t12\t80\n',
          '1\t8\t10\t9\n1\t10\t12\t3\n',
        ]);
        // 10 bases of 9 and 40 of 3: mean 4.2.
        expect((await printed('stat'))[2]).to.equal('1\t0\t50\t4.2\n');
        expect((await printed('gaps', '--below', '4'))[2]).to.equal('1\t10\t50\n');
        const [, , report = ''] = await printed('verify', '--json');
        const { file, tracks: found } = JSON.parse(report) as { file: string; tracks: { name: string }[] };
        // The query of a URL may sign the request, and is in no report.
        const shown = given === tracks ? named[2] : server.url;
        expect([file, found.map(({ name }) => name)]).to.deep.equal([shown, ['inner/second']]);
        // Without a track name: the whole file.
        expect((await runD4('view', given, '1:8-9')).out).to.equal('1\t8\t9\t5\t5\t9\n');
      }
    } finally {
      await server.close();
    }
    const { status, err } = await runD4('view', `${tracks}:third`);
    expect(status).to.equal(2);
    expect(err).to.match(/^invalid: The file has no track "third"; it has: sample, inner\/first, inner\/second/);
    expect((await runD4('gaps', `${sample()}:x`)).err).to.match(/^invalid: The file has no track "x"/);
    expect((await runD4('gaps', `${folder.path('none.d4')}:x`)).err).to.match(/^not-found/);
  });

  it('refuses invalid input with a sentence that names the place', async () => {
    const refused = async (...line: string[]) => {
      const { status, err } = await runD4(...line);
      expect(status, line.join(' ')).to.equal(2);
      return err;
    };
    writeFileSync(folder.path('rubbish'), 'This is no D4 file at all.');
    writeFileSync(folder.path('cut.d4'), readFileSync(sample()).subarray(0, -40));
    writeFileSync(folder.path('bad.bed'), '1\t5\tx\n');
    writeFileSync(folder.path('other.bed'), 'chr1\t5\t9\n');
    expect(await refused('stat', folder.path('none.d4'))).to.match(/^not-found: There is no such file \(.*none\.d4\)$/);
    expect(await refused('view', folder.path('rubbish'))).to.match(/^not-d4/);
    expect(await refused('stat', '.')).to.match(/^unreachable: Not a regular file/);
    expect(await refused('view', folder.path('cut.d4'))).to.match(/^truncated/);
    expect(await refused('stat', sample(), '-r', folder.path('bad.bed'))).to.match(/line 1/);
    expect(await refused('stat', sample(), '-r', folder.path('other.bed'))).to.match(
      /other\.bed, line 1: the D4 file has no chromosome "chr1"; its own are 1, 10, 2 … \(--alias accepts/,
    );
    writeFileSync(folder.path('beyond.bed'), '1\t5\t9\n1\t35\t41\n');
    for (const name of ['stat', 'gaps']) {
      expect(await refused(name, sample(), '-r', folder.path('beyond.bed'))).to.match(
        /beyond\.bed, line 2: the region ends at 41, beyond the end of chromosome 1, which has 40 bases$/,
      );
    }
    expect((await runD4('stat', sample(), '--alias', '-r', folder.path('other.bed'))).out).to.equal('chr1\t5\t9\t5\n');
    for (const kind of ['nonsense', 'perc_cov', 'perc_cov=', 'perc_cov=a', 'percentile=', 'percentile=101', 'mean=3']) {
      expect(await refused('stat', sample(), '-s', kind)).to.match(/^invalid/);
    }
    expect(await refused('stat', sample(), '-s', 'perc_cov')).to.include('perc_cov=T1,T2');
    for (const threads of ['0', '1.5', '99999']) {
      expect(await refused('stat', sample(), '-t', threads)).to.include('a whole number from 1 to 256 (--threads)');
    }
    expect(await refused('stat', sample(), '-s', 'mean', '-s', 'hist')).to.match(/^invalid.* ask for hist alone/);
    expect(await refused('view', sample(), '1:9-3')).to.match(/^invalid/);
    expect(await refused('gaps', sample(), '--below', 'many')).to.match(/^invalid/);
    expect(await refused('create', folder.path('runs.bedgraph'), sample())).to.match(/exists/);
    expect(await refused('create', '-R', '0-5', folder.path('runs.bedgraph'), folder.path('x.d4'))).to.match(
      /bit width/,
    );
    expect(await refused('create', folder.path('rubbish'), folder.path('x.d4'))).to.match(/line 1/);
    expect(await refused('create', folder.path('runs.bedgraph'), '/nowhere/x.d4')).to.match(/^unreachable/);
  });

  it('prints numbers like d4tools', async () => {
    const out = new PassThrough();
    const lines = new Lines(out);
    const fraction = async (count: number, length: number): Promise<string> => {
      lines.addFraction(count, length);
      await lines.flush();
      return String(out.read()).slice(1);
    };
    const shown: string[] = [];
    for (const value of [0.0625, 0.1875, 0.3125, 0.9996, 1, 0.001, 0.0005, 0])
      shown.push(await fraction(value * 100_000, 100_000));
    expect(shown).to.deep.equal(['0.062', '0.188', '0.312', '1.000', '1.000', '0.001', '5.000e-4', '0.000e0']);
    expect(await fraction(0, 0)).to.equal('NaN');
    expect([1e-7, 1.5e-9, 3e21, -2.5e-8, 22.072038496013587].map(plainNumber)).to.deep.equal([
      '0.0000001',
      '0.0000000015',
      '3000000000000000000000',
      '-0.000000025',
      '22.072038496013587',
    ]);
  });

  it('prints the demo file as d4tools does', async function () {
    const [demo, bed] = [demoFile(), sharedFile('109_green.bed')];
    if (!demo || !bed) this.skip();
    expect(
      (await runD4('stat', demo, '-r', bed)).out
        .split('\n')
        .slice(0, 4)
        .map((row) => row.split('\t')[3]),
    ).to.deep.equal(['22.072038496013587', '22.479905086756638', '22.203839413732673', '22.76025039123631']);
    expect((await runD4('stat', demo, '-r', bed, '-s', 'perc_cov=10,15,20,50,100')).out).to.equal(
      '1\t11845780\t11866977\t0.997\t0.930\t0.686\t0.000e0\t0.000e0\n11\t71900602\t71907345\t1.000\t0.955\t0.773\t0.000e0\t0.000e0\n' +
        '17\t26721661\t26734215\t0.994\t0.897\t0.703\t0.000e0\t0.000e0\n5\t79922047\t79950802\t0.892\t0.858\t0.743\t0.000e0\t0.000e0\n',
    );
    const copy = folder.path('copy.d4');
    const [text, genome] = [await runD4('view', demo), await runD4('view', '-g', demo)];
    writeFileSync(folder.path('demo.bedgraph'), text.out);
    writeFileSync(folder.path('demo.genome'), genome.out);
    await runD4('create', '-g', folder.path('demo.genome'), folder.path('demo.bedgraph'), copy);
    expect((await runD4('view', copy)).out).to.equal(text.out);
  });
});
