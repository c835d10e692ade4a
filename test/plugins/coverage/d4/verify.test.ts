import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  contigFindings,
  type D4Report,
  detectBuild,
  memorySource,
  openD4,
  quickFindings,
} from '../../../../plugins/coverage/d4/index.js';
import { demoFile } from '../support/shared.js';
import { type BuildTrack, buildFile } from './support/build.js';
import { temporaryFolder } from './support/folder.js';
import { runD4 } from './support/runner.js';

/** A chromosome at about 30x, and a mitochondrial one at thousands. */
function sampleTrack(): BuildTrack {
  const wave = (i: number) => 30 + Math.round(8 * Math.sin(i / 50)) + (i % 3);
  const deep = (i: number) => 3000 + (i % 700);
  return {
    chromosomes: [
      { name: '1', size: 6000, depths: Int32Array.from({ length: 6000 }, (_, i) => wave(i)) },
      { name: 'MT', size: 2000, depths: Int32Array.from({ length: 2000 }, (_, i) => deep(i)) },
    ],
    values: Array.from({ length: 128 }, (_, value) => value),
    simple: true,
    cuts: [[2000, 4000], []],
    deflate: false,
    firstFrame: 512,
  };
}

/** The same, with every depth capped at the dictionary's last value, as by a writer that loses the records. */
function capped(): BuildTrack {
  const track = sampleTrack();
  for (const one of track.chromosomes) one.depths = Array.from(one.depths, (depth) => Math.min(depth, 127));
  return track;
}

function runsText({ chromosomes }: BuildTrack): string {
  return chromosomes
    .flatMap(({ name, depths }) => Array.from(depths, (depth, i) => `${name}\t${i}\t${i + 1}\t${depth}\n`))
    .join('');
}

function summaryText({ chromosomes }: BuildTrack): string {
  const rows = chromosomes.map(({ name, size, depths }) => {
    const all = Array.from(depths);
    const sum = all.reduce((a, b) => a + b, 0);
    return [name, size, sum, (sum / size).toFixed(2), Math.min(...all), Math.max(...all)].join('\t');
  });
  return ['chrom\tlength\tbases\tmean\tmin\tmax', ...rows, 'total\t8000\t1\t1.00\t0\t9', ''].join('\n');
}

describe('d4: verify', () => {
  const folder = temporaryFolder();

  async function verify(track: BuildTrack | Buffer, ...options: string[]): Promise<D4Report & { status: number }> {
    const path = folder.path('checked.d4');
    writeFileSync(path, Buffer.isBuffer(track) ? track : buildFile(track));
    const { status, out } = await runD4('verify', path, '--json', ...options);
    return { ...(JSON.parse(out) as D4Report), status };
  }
  const codes = ({ findings, tracks }: D4Report) =>
    [...findings, ...tracks.flatMap((track) => track.findings)]
      .filter(({ level }) => level !== 'note')
      .map(({ code }) => code);

  it('passes a valid file, against the summary and every base of mosdepth', async () => {
    const track = sampleTrack();
    writeFileSync(folder.path('summary.txt'), summaryText(track));
    writeFileSync(folder.path('per-base.bed.gz'), gzipSync(runsText(track)));
    const files = ['--summary', folder.path('summary.txt'), '--per-base', folder.path('per-base.bed.gz')];
    const report = await verify(track, ...files);
    expect(report).to.include({ verdict: 'pass', status: 0 });
    expect(report.tracks[0]?.chromosomes[1]).to.include({ name: 'MT', size: 2000, records: 2000, max: 3699 });
    const text = await runD4('verify', folder.path('checked.d4'));
    expect(text.out.split('\n')[0]).to.match(/^PASS\t/);
  });

  it('reports depths capped at the last value of the dictionary', async () => {
    const report = await verify(capped());
    expect(report).to.include({ verdict: 'fail', status: 1 });
    expect(report.tracks[0]?.findings.find(({ code }) => code === 'capped')).to.deep.include({
      chromosome: 'MT',
      message:
        '2000 bases of MT have a depth of exactly 127, the last value of the dictionary, and none have more: greater depths are lost or capped.',
    });
    writeFileSync(folder.path('summary.txt'), summaryText(sampleTrack()));
    const against = await verify(capped(), '--summary', folder.path('summary.txt'));
    expect(codes(against)).to.include.members(['capped', 'summary']);
    expect(against.tracks[0]?.findings.map(({ message }) => message)).to.include(
      'The greatest depth of MT is 127, the summary says 3699.',
    );
  });

  it('names as possible what may be uniform by nature, or too small a sample', async () => {
    const covered = (begin: number, end: number) =>
      Array.from({ length: 6000 }, (_, i) => (i >= begin && i < end ? 127 : 0));
    const [chromosome, ...others] = sampleTrack().chromosomes as [BuildTrack['chromosomes'][number]];
    const of = (depths: number[], changes: Partial<BuildTrack> = {}) =>
      verify({ ...sampleTrack(), chromosomes: [{ ...chromosome, depths }, ...others], ...changes });
    const small = Array.from(chromosome.depths);
    small.fill(127, 3000, 3060);
    // One amplicon; the same in a dictionary of the depths that there are; 60 bases among others.
    const listed = { values: [0, 127], simple: false };
    for (const report of [await of(covered(2100, 2600)), await of(covered(2100, 2600), listed), await of(small)]) {
      expect(report).to.include({ verdict: 'warn', status: 0 });
      const [found] = report.tracks[0]?.findings.filter(({ code }) => code === 'capped') ?? [];
      expect(found).to.include({ level: 'warn', chromosome: '1' });
      expect(found?.message).to.match(
        /^(500|60) bases of 1 have .* may be lost or capped, unless .* as in amplicons\.$/,
      );
    }
    // Depths that climb to the last value and stay there.
    const climbing = covered(2150, 2550).map((depth, i) =>
      depth > 0 ? depth : Math.max(0, 127 - 2 * Math.min(Math.abs(i - 2150), Math.abs(i - 2549))),
    );
    expect(await of(climbing)).to.include({ verdict: 'fail', status: 1 });
  });

  it('reports a lost secondary table, a lost stream and a useless denominator', async () => {
    const bytes = buildFile({ ...sampleTrack(), deflate: true, denominator: { Value: 0 } });
    // The last entry of its directory, which begins 18 bytes before its name, and all bytes from its member on.
    const without = (name: string, directory: number) => {
      const lost = Buffer.from(bytes);
      const entry = lost.indexOf(`${name}\0`, directory, 'latin1') - 18;
      const at = directory + Number(lost.readBigUInt64LE(entry + 2));
      return lost.fill(0, entry, entry + 19 + name.length).subarray(0, at);
    };
    expect(codes(await verify(without('.stab', 8)))).to.include.members(['lost-records', 'capped', 'odd']);
    const place = bytes.indexOf('.stab\0');
    const stab = 8 + Number(bytes.readBigUInt64LE(place - 16));
    bytes.writeBigUInt64LE(512n, place - 8);
    const stream = without('3', stab);
    expect(codes(await verify(stream))).to.include('lost-records');
    const warnings = quickFindings((await openD4(memorySource(stream))).track());
    expect(warnings.map(({ level, code }) => `${level} ${code}`)).to.deep.equal(['warn odd', 'fail lost-records']);
  });

  it('fails if a member was renamed or has moved', async () => {
    const bytes = buildFile(sampleTrack());
    const offset = bytes.indexOf('.ptab\0') - 16;
    for (const [at, bit] of [
      [bytes.indexOf('.stab\0') + 1, 4],
      [offset, 8],
      [offset + 1, 2],
    ] as const) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ bit;
      const report = await verify(damaged);
      expect(report).to.include({ verdict: 'fail', status: 1 });
      expect(report.findings[0]?.message).to.match(/overlap|belong to no member|is missing, but/);
    }
  });

  it('reports holes that begin or end exactly between partitions', async () => {
    const track = sampleTrack();
    const depths = Array.from((track.chromosomes[0] as (typeof track.chromosomes)[number]).depths);
    (track.chromosomes[0] as (typeof track.chromosomes)[number]).depths = depths.fill(0, 2000, 2500);
    const one = await verify(track);
    expect(one.verdict).to.equal('warn');
    expect(one.tracks[0]?.findings.find(({ code }) => code === 'hole')?.message).to.match(/exactly at 1:2000/);
    depths.fill(0, 3700, 4000);
    const two = await verify(track);
    expect(two.verdict).to.equal('fail');
    // A gap beside a boundary is not suspicious.
    (track.chromosomes[0] as (typeof track.chromosomes)[number]).depths = Array.from(
      sampleTrack().chromosomes[0]?.depths ?? [],
    ).fill(0, 2001, 2500);
    expect((await verify(track)).verdict).to.equal('pass');
  });

  it('reports truncation and corrupt data', async () => {
    const bytes = buildFile(sampleTrack());
    for (const [share, code] of [
      [0.98, 'truncated'],
      [0.3, 'truncated'],
    ] as const) {
      const report = await verify(bytes.subarray(0, Math.floor(bytes.length * share)));
      expect(report).to.include({ verdict: 'fail', status: 1 });
      expect(codes(report)).to.deep.equal([code]);
    }
    expect(codes(await verify(Buffer.from('rubbish, rubbish')))).to.deep.equal(['unreadable']);
  });

  it('reports each base that differs from the per-base file', async () => {
    const track = sampleTrack();
    const text = runsText(track).replace('1\t77\t78\t', '1\t77\t78\t9').replace('1\t78\t79\t', '1\t78\t79\t9');
    writeFileSync(folder.path('per-base.bed'), `${text}2\t0\t5\t1\n`);
    const report = await verify(track, '--per-base', folder.path('per-base.bed'));
    expect(
      report.tracks[0]?.findings.filter(({ code }) => code === 'per-base').map(({ message }) => message),
    ).to.deep.equal([
      '2 bases of 1 differ from the per-base file, first at 77: 40 instead of 940.',
      'Chromosome 2 of the per-base file is not in the file.',
    ]);
  });

  it('checks chromosomes against the build', async () => {
    const hg19 = [
      { name: 'chr1', size: 249250621 },
      { name: 'chrM', size: 16571 },
    ];
    expect(detectBuild(hg19)).to.equal('GRCh37');
    expect(contigFindings(hg19, 'GRCh37').map(({ level }) => level)).to.deep.equal(['fail']);
    expect(contigFindings(hg19, 'GRCh38').map(({ message }) => message)).to.include(
      'Chromosome 1 has 249250621 bases, in GRCh38 it has 248956422.',
    );
    const report = await verify(sampleTrack(), '--build', 'grch38');
    expect(report.verdict).to.equal('fail');
    const demo = demoFile();
    if (demo) {
      expect((await runD4('verify', demo, '--build', 'GRCh37')).out).to.match(/^PASS/);
      expect((await runD4('verify', demo, '--build', 'GRCh38')).status).to.equal(1);
    }
  });
});
