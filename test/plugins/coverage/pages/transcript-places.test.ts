import { expect } from 'chai';
import fc from 'fast-check';
import type { Exon, Span, Strand } from '../../../../plugins/coverage/contract.js';
import { placesIn } from '../../../../plugins/coverage/measure/transcripts.js';

/** A transcript with these exons (zero-based half-open, by position), and the coding part of each. */
function transcript(exons: readonly (Span & { cds?: Span })[], strand?: Strand) {
  return {
    exons: exons.map(
      ({ start, end, cds }, i): Exon => ({
        ...{ ensembl: `ENSE${i}`, gene: 'ENSG1', transcript: 'ENST1', chromosome: '1', start, end },
        rank: strand === -1 ? exons.length - i : i + 1,
        ...(cds === undefined ? {} : { cds }),
      }),
    ),
    ...(strand === undefined ? {} : { strand }),
  };
}

const span = (start: number, end: number): Span => ({ start, end });

/*
 * By hand. Exons of 20, 30 and 50 bases; the coding part begins 8 bases into the first exon and ends with the 10th base
 * of the third. Forwards: 8 bases before the start codon, 12 + 30 + 10 = 52 coding ones, 40 after the stop codon.
 */
const exons = [
  { start: 100, end: 120, cds: span(108, 120) },
  { start: 200, end: 230, cds: span(200, 230) },
  { start: 300, end: 350, cds: span(300, 310) },
];
/** Backwards the third exon is the first: 40 bases before the start codon, 52 coding ones, 8 after the stop codon. */
const both: [string, Strand, [Span, string, string][]][] = [
  [
    'forward',
    1,
    [
      [span(108, 109), '1', 'c.1'],
      [span(100, 108), '1', 'c.-8_-1'],
      [span(107, 111), '1', 'c.-1_3'],
      [span(118, 120), '1', 'c.11_12'],
      [span(200, 201), '2', 'c.13'],
      [span(200, 230), '2', 'c.13_42'],
      [span(305, 313), '3', 'c.48_*3'],
      [span(310, 350), '3', 'c.*1_*40'],
      [span(120, 128), '', 'c.12+1_12+8'],
      [span(192, 200), '', 'c.13-8_13-1'],
      [span(116, 121), '1', 'c.9_12+1'],
    ],
  ],
  [
    'reverse',
    -1,
    [
      [span(309, 310), '1', 'c.1'],
      [span(310, 350), '1', 'c.-40_-1'],
      [span(308, 313), '1', 'c.-3_2'],
      [span(300, 302), '1', 'c.9_10'],
      [span(229, 230), '2', 'c.11'],
      [span(200, 230), '2', 'c.11_40'],
      [span(105, 110), '3', 'c.51_*3'],
      [span(100, 108), '3', 'c.*1_*8'],
      [span(230, 232), '', 'c.11-2_11-1'],
      [span(298, 300), '', 'c.10+1_10+2'],
      // In the middle of an intron of 80 bases.
      [span(159, 161), '', 'c.40+40_41-40'],
    ],
  ],
];

describe('coverage pages: names of positions in a transcript', () => {
  for (const [direction, strand, places] of both) {
    it(`numbers coding positions like HGVS, into UTRs and introns: ${direction}`, () => {
      const named = placesIn(transcript(exons, strand));
      for (const [place, exon, coding] of places) {
        expect(named(place), `${place.start}-${place.end}`).to.deep.equal({ exon, coding });
      }
    });
  }

  it('equals numbering every base separately', () => {
    const lengths = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(lengths, fc.constantFrom<Strand>(1, -1), fc.nat(), fc.nat(), (parts, strand, a, b) => {
        const plain: Span[] = [];
        let at = 0;
        for (const [intron, length] of parts) {
          plain.push(span(at + intron, at + intron + length));
          at += intron + length;
        }
        // Every base of the exons, in the direction of reading.
        const bases = plain.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i));
        if (strand === -1) bases.reverse();
        const [first = 0, last = 0] = [a % bases.length, b % bases.length].sort((x, y) => x - y);
        const coding = new Set(bases.slice(first, last + 1));
        const stated = plain.map(({ start, end }) => {
          const own = [...coding].filter((base) => start <= base && base < end);
          return own.length === 0 ? { start, end } : { start, end, cds: span(Math.min(...own), Math.max(...own) + 1) };
        });
        const named = placesIn(transcript(stated, strand));
        for (const [i, base] of bases.entries()) {
          const number = i < first ? `-${first - i}` : i > last ? `*${i - last}` : `${i - first + 1}`;
          expect(named(span(base, base + 1)).coding).to.equal(`c.${number}`);
        }
      }),
    );
  });

  it('names only the exon if the coding part or the strand is unknown, or the coding part is not contiguous', () => {
    const uncoded = exons.map(({ start, end }) => ({ start, end }));
    expect(placesIn(transcript(uncoded, 1))(span(100, 110))).to.deep.equal({ exon: '1' });
    expect(placesIn(transcript(exons))(span(100, 110))).to.deep.equal({ exon: '1' });
    const broken = [exons[0], { start: 200, end: 230 }, exons[2]].flatMap((exon) => (exon ? [exon] : []));
    expect(placesIn(transcript(broken, 1))(span(100, 110))).to.deep.equal({ exon: '1' });
  });

  it('names both exons of a place that spans adjacent exons', () => {
    const touching = [
      { start: 100, end: 110, cds: span(100, 110) },
      { start: 110, end: 120, cds: span(110, 120) },
    ];
    expect(placesIn(transcript(touching, 1))(span(108, 113))).to.deep.equal({ exon: '1-2', coding: 'c.9_13' });
    expect(placesIn(transcript(touching, -1))(span(108, 113))).to.deep.equal({ exon: '1-2', coding: 'c.8_12' });
  });
});
