import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { buildNamed, chromosomeNamed, type LiftOver } from '../../../../plugins/matchmaker/resources/lift-over.js';
import { read, refusal, resourcesOf } from './support/build.js';
import { completeResources, describeWithShared, shared } from './support/shared.js';

/**
 * Chromosome 1: bases 100–149 (zero-based, 100 … 150 half-open) map to 200; a gap of 10 here and 4 there; 160–209 to
 * 254. Then 300–399 on the other strand: in the reverse it begins at 50, so base 300 is base 248956422 − 1 − 50 there.
 */
const chain = [
  'chain 1 1 249250621 + 100 210 1 248956422 + 200 304 1',
  '50 10 4',
  '50',
  '',
  'chain 1 1 249250621 + 300 400 1 248956422 - 50 150 2',
  '100',
  '',
  'chain 1 1 249250621 + 500 510 HSCHR1_1_CTG31 300 + 0 10 3',
  '10',
  '',
].join('\n');
const last = 248956422 - 1 - 50;

const at = (lift: LiftOver, start: number, end: number) => {
  const found = lift.lift('GRCh37', '1', start, end);
  return found && [found.start, found.end, found.reversed];
};

describe('matchmaker lift-over', () => {
  it('moves intervals, half-open, by the chain', async () => {
    const { lift } = await resourcesOf(chain);
    expect(lift.from).to.deep.equal(['GRCh37']);
    const forward = { assembly: 'GRCh38', chromosome: '1', reversed: false };
    expect(lift.lift('GRCh37', '1', 100, 101)).to.deep.equal({ ...forward, start: 200, end: 201 });
    expect(at(lift, 149, 150)).to.deep.equal([249, 250, false]);
    expect(at(lift, 100, 150)).to.deep.equal([200, 250, false]);
    expect(at(lift, 160, 161)).to.deep.equal([254, 255, false]);
    expect(at(lift, 140, 170), 'over the gap: 30 bases here, 24 there').to.deep.equal([240, 264, false]);
  });

  it('reverses intervals on the other strand', async () => {
    const { lift } = await resourcesOf(chain);
    expect(at(lift, 300, 301)).to.deep.equal([last, last + 1, true]);
    expect(at(lift, 301, 304)).to.deep.equal([last - 3, last, true]);
  });

  it('moves positions between bases', async () => {
    const { lift } = await resourcesOf(chain);
    expect(at(lift, 100, 100)).to.deep.equal([200, 200, false]);
    expect(at(lift, 120, 120)).to.deep.equal([220, 220, false]);
    expect(at(lift, 150, 150), 'behind the last base of a block').to.deep.equal([250, 250, false]);
    expect(at(lift, 300, 300), 'before base 300 is behind it there').to.deep.equal([last + 1, last + 1, true]);
    expect(at(lift, 400, 400), 'behind base 399, which is last − 99').to.deep.equal([last - 99, last - 99, true]);
  });

  it('returns nothing if there is no counterpart', async () => {
    const { lift } = await resourcesOf(chain);
    const places = [
      [99, 100],
      [150, 151],
      [155, 156],
      [210, 211],
      [99, 99],
      [200, 310],
      [145, 155],
      [500, 501],
    ];
    for (const [start = 0, end = 0] of places) expect(at(lift, start, end), `${start}-${end}`).to.equal(undefined);
    for (const [start = 0, end = 0] of [
      [-1, 0],
      [110, 109],
      [1.5, 2],
      [Number.NaN, 3],
    ]) {
      expect(lift.lift('GRCh37', '1', start, end)).to.equal(undefined);
    }
    expect(lift.lift('GRCh38', '1', 200, 201), 'no chains back').to.equal(undefined);
    expect(lift.lift('NCBI36', '1', 100, 101)).to.equal(undefined);
    expect(lift.lift('GRCh37', '2', 100, 101)).to.equal(undefined);
    expect(lift.lift('GRCh37', 'GL000191.1', 100, 101)).to.equal(undefined);
  });

  it('accepts builds and chromosomes in every spelling, and treats MT as identical everywhere', async () => {
    const { lift } = await resourcesOf(chain);
    for (const build of ['GRCh37.p13', 'grch37', 'hg19', ' GRCh37 ']) {
      expect(lift.lift(build, 'chr1', 100, 101), build).to.include({ start: 200 });
    }
    const none = (await resourcesOf('ensembl\thgnc\tentrez\tsymbol\tprev_symbols\talias_symbols\n\tHGNC:1\t\tA\t\t\n'))
      .lift;
    expect(none.from).to.deep.equal([]);
    for (const name of ['MT', 'M', 'chrM', 'mt']) {
      const there = { assembly: 'GRCh38', chromosome: 'MT', start: 7277, end: 7278, reversed: false };
      expect(none.lift('GRCh37', name, 7277, 7278)).to.deep.equal(there);
      expect(none.lift('GRCh38', name, 7277, 7278)).to.deep.equal({ ...there, assembly: 'GRCh37' });
    }
    expect(['GRCh38.p14', 'hg38', 'hg18', 'GRCh37p13', 'x'].map(buildNamed)).to.deep.equal([
      'GRCh38',
      'GRCh38',
      undefined,
      undefined,
      undefined,
    ]);
    expect(['22', '23', 'x', 'chrY', '0', '', '01'].map(chromosomeNamed)).to.deep.equal([
      '22',
      undefined,
      'X',
      'Y',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('detects its direction by the lengths of chromosomes', async () => {
    const back = 'chain 1 X 156040895 + 0 10 X 155270560 + 5 15 1\n10\n';
    expect(await read(chain)).to.include({ kind: 'lift-37-38', entries: 3 });
    expect(await read(back)).to.include({ kind: 'lift-38-37', entries: 1 });
  });

  it('refuses invalid chains, with file and line', async () => {
    const head = 'chain 1 1 249250621 + 100 210 1 248956422 + 200 304 1';
    const cases: [text: string, reason: RegExp][] = [
      [chain.replace('50 10 4', '50 10'), /^x\.chain, line 2: "50 10" is not a line of a chain$/],
      [chain.replace('50 10 4', '50 x 4'), /line 2: "x" is not a position/],
      [chain.replace('50 10 4', '0 60 54'), /line 2: a block must have at least one base/],
      [chain.replace('50 10 4', '50 9 4'), /line 3: the blocks of this chain do not reach its end/],
      [chain.replace('50 10 4', '50 90 4'), /line 2: the blocks of this chain extend beyond its end/],
      [chain.replace('+ 100 210', '- 100 210'), /line 1: .* is not a chain header/],
      [`${head}\n50 10 4\n${chain}`, /line 3: a chain starts before the previous one has ended/],
      [`${head}\n50 10 4\n`, /the file is truncated/],
      [chain.replace('+ 300 400', '+ 150 250'), /line 3: this block overlaps the one in line 6/],
      [chain.replaceAll('chain 1 1 ', 'chain 1 chr1 '), /with the names of Ensembl/],
      [chain.replaceAll('248956422', '300'), /line 1: this chain extends beyond the end of its chromosome/],
      [chain.replaceAll('248956422', '9999'), /must be between GRCh37 and GRCh38/],
      [chain.replaceAll('249250621', '248956422'), /must be between GRCh37 and GRCh38/],
      [
        `${chain}chain 1 2 242193529 + 0 1 3 198295559 + 0 1 9\n1\n`,
        /line 10: chromosome 2 has the length of GRCh38, earlier ones that of GRCh37/,
      ],
    ];
    for (const [text, reason] of cases) expect(await refusal(read(text, 'x.chain'))).to.match(reason);
  });
});

describeWithShared('matchmaker: lift-over by the chains of Ensembl', () => {
  it('gives the positions of the reference, which is 1-based', async () => {
    const { lift } = await completeResources();
    const expected: [chromosome: string, in37: number, in38: number][] = [
      ['X', 1_000_000, 1_039_265],
      ['MT', 7278, 7278],
      ['12', 14_794_076, 14_641_142], // start 14794075 and 14641141, zero-based
    ];
    for (const [chromosome, in37, in38] of expected) {
      const there = { assembly: 'GRCh38', chromosome, start: in38 - 1, end: in38, reversed: false };
      expect(lift.lift('GRCh37.p13', chromosome, in37 - 1, in37)).to.deep.equal(there);
      const back = { assembly: 'GRCh37', chromosome, start: in37 - 1, end: in37, reversed: false };
      expect(lift.lift('GRCh38', chromosome, in38 - 1, in38)).to.deep.equal(back);
    }
  });

  it('maps back to the origin, from both ends of every block', async () => {
    const { lift } = await completeResources();
    let blocks = 0;
    let reversed = 0;
    let [chromosome, at] = ['', 0];
    let wanted = false;
    for (const line of gunzipSync(readFileSync(shared('ensembl.GRCh37_to_GRCh38.chain.gz')))
      .toString()
      .split('\n')) {
      const cells = line.split(/\s+/);
      if (cells[0] === 'chain') {
        const [, , name = '', , , start, , other = ''] = cells;
        chromosome = name;
        at = Number(start);
        wanted = [name, other].every((each) => /^(\d\d?|X|Y)$/.test(each));
      } else if (line !== '') {
        const [length = 0, gap = 0] = cells.map(Number);
        if (wanted) {
          blocks++;
          for (const [start, end] of [
            [at, at + 1],
            [at + length - 1, at + length],
            [at, at + length],
          ] as const) {
            const there = lift.lift('GRCh37', chromosome, start, end);
            const back = there && lift.lift('GRCh38', there.chromosome, there.start, there.end);
            if (there?.reversed) reversed++;
            const found = { chromosome: back?.chromosome, start: back?.start, end: back?.end, turned: back?.reversed };
            const expected = { chromosome, start, end, turned: there?.reversed };
            if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).to.deep.equal(expected);
            expect((there?.end ?? 0) - (there?.start ?? 0)).to.equal(end - start);
          }
        }
        at += length + gap;
      }
    }
    expect(blocks).to.equal(18_383);
    expect(reversed).to.be.above(0);
  });
});
