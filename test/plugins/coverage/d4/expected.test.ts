import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { openD4 } from '../../../../plugins/coverage/d4/file.js';
import { stretches } from '../../../../plugins/coverage/d4/profile.js';
import { demoFile, sharedFile } from '../support/shared.js';

interface Expected {
  chrom: string;
  start0: number;
  end: number;
  bases: number;
  sum: number;
  mean: number;
  min: number;
  max: number;
  median: number;
  bases_ge: Record<string, number>;
}

function isExpected(value: object): value is Expected {
  return 'bases_ge' in value && 'start0' in value;
}

/** All intervals in the document. */
function collect(value: unknown, found: Expected[] = []): Expected[] {
  if (typeof value !== 'object' || value === null) return found;
  if (isExpected(value)) found.push(value);
  else for (const member of Object.values(value)) collect(member, found);
  return found;
}

describe('d4: the demo file of chanjo2', () => {
  const path = demoFile();
  const document = sharedFile('chanjo2_expected.json');
  before(function () {
    if (!path || !document) this.skip();
  });
  const read = () => JSON.parse(readFileSync(document as string, 'utf8')) as Record<string, unknown>;

  it('every interval, exact to the base', async () => {
    const expected = collect(read());
    expect(expected.length).to.be.greaterThan(200);
    const thresholds = [10, 15, 20, 30, 50, 100];
    const file = await openD4(path as string);
    const found = await file.statistics({
      intervals: expected.map(({ chrom, start0, end }) => ({ chromosome: chrom, begin: start0, end })),
      thresholds,
      range: true,
      percentiles: [50],
    });
    found.forEach((row, i) => {
      const want = expected[i] as Expected;
      expect(row, `${want.chrom}:${want.start0}-${want.end}`).to.include({
        bases: want.bases,
        sum: want.sum,
        mean: want.mean,
        min: want.min,
        max: want.max,
      });
      expect(row.percentiles).to.deep.equal([want.median]);
      expect(row.counts).to.deep.equal(thresholds.map((threshold) => want.bases_ge[threshold]));
    });
  });

  it('means of the four genes, of the covered chromosomes, and zero of all others', async () => {
    const file = await openD4(path as string);
    const { chromosomes } = file.track();
    expect(chromosomes).to.have.length(87);
    const genes = (
      [
        ['1', 11845780, 11866977],
        ['11', 71900602, 71907345],
        ['17', 26721661, 26734215],
        ['5', 79922047, 79950802],
      ] as const
    ).map(([chromosome, begin, end]) => ({ chromosome, begin, end }));
    const found = await file.statistics({ intervals: genes, thresholds: [10, 15, 20, 50, 100] });
    expect(found.map(({ mean }) => mean)).to.deep.equal([
      22.072038496013587, 22.479905086756638, 22.203839413732673, 22.76025039123631,
    ]);
    expect(found.map(({ counts, bases }) => counts.map((count) => (count / bases).toFixed(3)))).to.deep.equal([
      ['0.997', '0.930', '0.686', '0.000', '0.000'],
      ['1.000', '0.955', '0.773', '0.000', '0.000'],
      ['0.994', '0.897', '0.703', '0.000', '0.000'],
      ['0.892', '0.858', '0.743', '0.000', '0.000'],
    ]);
    const whole = await file.statistics({
      intervals: chromosomes.map(({ name, size }) => ({ chromosome: name, begin: 0, end: size })),
    });
    const means = Object.fromEntries(whole.flatMap(({ chromosome, mean }) => (mean === 0 ? [] : [[chromosome, mean]])));
    expect(means).to.deep.equal({
      1: 0.0018935158440387596,
      5: 0.003639698497517567,
      11: 0.0011467594645579921,
      17: 0.0034849839048387214,
    });
  });

  it('the runs below 10x and 20x', async () => {
    const document = read();
    const genes = document.bed_109_green as (Expected & { symbol: string })[];
    const below10 = document.gaps_lt10_in_109_green as Record<string, [number, number][]>;
    const below20 = document.gap_counts_lt20_in_109_green as Record<string, { runs: number; bases: number }>;
    const track = (await openD4(path as string)).track();
    for (const { chrom, start0, end, symbol } of genes) {
      const interval = { chromosome: chrom, begin: start0, end };
      const found: [number, number][] = [];
      for await (const run of stretches(track, interval, { below: 10 })) found.push([run.begin, run.end]);
      expect(found, symbol).to.deep.equal(below10[symbol]);
      let count = 0;
      let bases = 0;
      for await (const run of stretches(track, interval, { below: 20 })) {
        count++;
        bases += run.end - run.begin;
      }
      expect({ runs: count, bases }, symbol).to.deep.equal(below20[symbol]);
    }
  });
});
