/** Where variants are, computed by hand from what patients state. */
import { expect } from 'chai';
import { sampleOfPatient } from '../../../../plugins/matchmaker/patients/patient.js';
import { liftedPlace, placeOfVariant } from '../../../../plugins/matchmaker/triage/local.js';
import { variantWords } from '../../../../plugins/matchmaker/triage/pages/frame.js';
import { resourcesOf } from '../resources/support/build.js';

const on = { assembly: 'GRCh38', chromosome: '1' };
/** `start-end` of each interval, and the starts of the alleles. */
const places = (variant: Partial<Parameters<typeof placeOfVariant>[0]>) => {
  const place = placeOfVariant({ ...on, start: 100, ...variant });
  if (place === undefined) return undefined;
  const { intervals, alleles, chromosome } = place;
  const spans = intervals.map(({ start, end }) => `${start}-${end}`).join(' ');
  return `${chromosome} ${spans} ${alleles.map(({ start }) => start).join(' ')}`.trim();
};

describe('matchmaker: places of stated variants', () => {
  it('are the bases of the reference, and one more on each side of an insertion or deletion', () => {
    const of = (reference: string, alternate: string, end: number) => places({ reference, alternate, end });
    expect(of('A', 'T', 101)).to.equal('1 100-101 100');
    expect(of('AC', 'TG', 102)).to.equal('1 100-102 100');
    expect(of('A', 'AT', 101)).to.equal('1 99-102 100');
    expect(of('ACC', 'A', 103)).to.equal('1 99-104 100');
    expect(places({ start: 0, reference: 'A', alternate: 'AT', end: 1 })).to.equal('1 0-2 0');
  });

  it('begin one base before a start that is one-based, and at both if that is open', () => {
    expect(places({ reference: 'A', alternate: 'T', end: 100 }), 'as Scout sends it').to.equal('1 99-100 99');
    expect(places({ reference: 'ACC', alternate: 'A', end: 102 })).to.equal('1 98-103 99');
    expect(places({ reference: 'A', alternate: 'T' })).to.equal('1 99-101 100 99');
    expect(places({ start: 0, reference: 'A', alternate: 'T' })).to.equal('1 0-1 0');
  });

  it('are printed as positions of VCF files', () => {
    const words = (variant: object) => variantWords({ ...on, start: 100, reference: 'A', alternate: 'T', ...variant });
    expect([words({ end: 101 }), words({ end: 100 }), words({})]).to.deep.equal([
      'GRCh38 1:101 A>T',
      'GRCh38 1:100 A>T',
      'GRCh38 1:101 A>T',
    ]);
    const long = 'A'.repeat(30);
    expect(words({ reference: long, alternate: 'A', end: 130 })).to.equal(`GRCh38 1:101 ${'A'.repeat(20)}… (30)>A`);
    expect(variantWords({ ...on, start: 100, end: 250 })).to.equal('GRCh38 1:101–250');
  });

  it('are as stated without bases, and the two ends of a long variant', () => {
    expect(places({})).to.equal('1 100-101');
    expect(places({ end: 100 })).to.equal('1 100-101');
    expect(places({ end: 1100 })).to.equal('1 100-1100');
    expect(places({ end: 1101 })).to.equal('1 100-101 1100-1101');
  });

  it('know builds and chromosomes by their usual names, and stay within them', () => {
    expect(places({ assembly: 'GRCh37.p13', chromosome: 'M' })).to.equal('MT 100-101');
    expect(places({ chromosome: 'M', start: 16_568, end: 16_700 })).to.equal('MT 16568-16569');
    for (const none of [{ assembly: 'NCBI36' }, { chromosome: '23' }, { chromosome: 'M', start: 16_569 }]) {
      expect(places(none), JSON.stringify(none)).to.equal(undefined);
    }
  });
});

describe('matchmaker: places in the other build', () => {
  // Bases 100–149 are 200–249 there, a gap of 10 here and 4 there, 160–209 are 254–303; 300–399 are on the other strand.
  const chains =
    'chain 1 1 248956422 + 100 210 1 249250621 + 200 304 1\n50 10 4\n50\n\n' +
    'chain 1 1 248956422 + 300 2400 1 249250621 - 50 2150 2\n2100\n';
  /** Bases of the other strand count from its end. */
  const back = (from: number) => 249_250_621 - (50 + (from - 300));

  it('are those of the chains, if each base has one', async () => {
    const { lift } = await resourcesOf(chains);
    const lifted = (...intervals: [number, number][]) => {
      const place = { assembly: 'GRCh38' as const, chromosome: '1' as const };
      const found = liftedPlace({ ...place, intervals: intervals.map(([start, end]) => ({ start, end })) }, lift);
      return found && [found.assembly, found.chromosome, ...found.intervals.map(({ start, end }) => [start, end])];
    };
    expect(lifted([100, 103])).to.deep.equal(['GRCh37', '1', [200, 203]]);
    expect(lifted([300, 302]), 'on the other strand').to.deep.equal(['GRCh37', '1', [back(302), back(300)]]);
    expect(lifted([310, 311], [2310, 2311]), 'the ends of a long one').to.deep.equal([
      ...['GRCh37', '1', [back(2311), back(2310)]],
      [back(311), back(310)],
    ]);
    expect(lifted([140, 170]), 'over a gap').to.equal(undefined);
    expect(lifted([140, 141], [310, 311]), 'in two chains').to.equal(undefined);
    expect(lifted([150, 151]), 'without a counterpart').to.equal(undefined);
  });

  it('are none without chains', async () => {
    const { lift } = await resourcesOf();
    const place = { assembly: 'GRCh38' as const, chromosome: '1' as const, intervals: [{ start: 100, end: 101 }] };
    expect(liftedPlace(place, lift)).to.equal(undefined);
  });
});

describe('matchmaker: the sample of a patient', () => {
  const patient = (id: string, more = {}) => ({ id, contact: { name: 'N', href: 'mailto:a@b.se' }, ...more });

  it('is the one that is stated, and follows from the id only if a setting says so', () => {
    expect(sampleOfPatient(patient('S'), 'stated')).to.equal(undefined);
    expect(sampleOfPatient(patient('S'), 'same-id')).to.equal('S');
    expect(sampleOfPatient(patient('case.S1'), 'scout-id')).to.equal('S1');
    expect(sampleOfPatient(patient('S1'), 'scout-id'), 'without a dot').to.equal(undefined);
    expect(sampleOfPatient(patient('case.'), 'scout-id')).to.equal(undefined);
    expect(sampleOfPatient(patient('a'.repeat(255)), 'same-id')).to.equal(undefined);
    for (const rule of ['stated', 'same-id', 'scout-id'] as const) {
      expect(sampleOfPatient(patient('case.S1', { _sample: 'T' }), rule)).to.equal('T');
      for (const odd of [7, '', '  ', 'a\nb', null, 'a'.repeat(201)]) {
        expect(sampleOfPatient(patient('case.S1', { _sample: odd }), rule), String(odd)).to.equal(undefined);
      }
    }
  });
});
