/** Panels as BED: merged exons by hand and against a model of every base, and the lines that say what is missing. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { type BedOptions, bedOfPanel } from '../../../../plugins/panels/genes/bed-export.js';
import type { PanelContent } from '../../../../plugins/panels/versions/content.js';
import {
  draftVersion,
  retiredVersion,
  signedVersion,
  submittedVersion,
} from '../../../../plugins/panels/versions/lifecycle.js';
import type { ExonicTranscript, GeneExons } from '../../../../plugins/services/coverage.js';

const at = new Date('2026-11-02T10:00:00Z');
const loaded = new Date('2026-10-01T00:00:00Z');
const options: BedOptions = {
  ...{ build: 'GRCh38', choice: 'preferred', padding: 0, prefixed: false },
  ...{ software: '9.8.7', now: new Date('2026-11-23T12:00:00Z') },
};
const content: PanelContent = {
  name: 'Kidney\ttumours',
  genes: [
    { hgnc: 1, symbol: 'ONE', confidence: 'green' },
    { hgnc: 2, symbol: 'TWO', confidence: 'green', transcripts: ['NM_2.3'] },
    { hgnc: 3, symbol: 'THREE', confidence: 'red' },
  ],
  others: [{ kind: 'str', name: 'HTT_CAG', confidence: 'green', place: '4:3074877-3074933 (GRCh38)' }],
  unmapped: [{ given: 'XYZ', why: 'XYZ is unknown', confidence: 'green' }],
  source: { kind: 'person', name: 'anna', read: at.toISOString() },
  names: '2026-11-01',
};
const draft = draftVersion('kidney', '1.10', content, { by: 'anna', at });
const set = {
  kind: 'exons',
  build: 'GRCh38',
  source: 'exons.gtf',
  checksum: 'sha256:0',
  loaded,
  rows: 1,
  read: 1,
} as const;

function exons(transcripts: ExonicTranscript[], more: Partial<GeneExons> = {}): GeneExons {
  return { transcripts, missing: [], unmet: [], sets: [], ...more };
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const facts = (text: string) => text.split('\n').filter((line) => line.startsWith('# '));

describe('panels as BED', () => {
  const transcripts: ExonicTranscript[] = [
    {
      ...{ hgnc: 2, chromosome: '10', transcript: 'ENST2' },
      exons: [
        { start: 500, end: 600, rank: 2 },
        { start: 900, end: 950, rank: 1 },
      ],
    },
    {
      ...{ hgnc: 1, chromosome: '2', transcript: 'ENST1' },
      exons: [
        { start: 10, end: 20, rank: 1 },
        { start: 20, end: 30, rank: 2 },
        { start: 40, end: 50, rank: 3 },
      ],
    },
    { hgnc: 2, chromosome: '10', transcript: 'ENST2b', exons: [{ start: 590, end: 610, rank: 1 }] },
    { hgnc: 3, chromosome: 'MT', transcript: 'ENST3', exons: [{ start: 16_560, end: 16_569, rank: 1 }] },
  ];

  it('have exons that share bases or touch in one line, by position', () => {
    const { text, lines, bases } = bedOfPanel(draft, content, content.genes, exons(transcripts), options);
    expect(linesOf(text)).to.deep.equal([
      '2\t10\t30\tHGNC:1|ONE|ENST1|1,HGNC:1|ONE|ENST1|2',
      '2\t40\t50\tHGNC:1|ONE|ENST1|3',
      '10\t500\t610\tHGNC:2|TWO|ENST2|2,HGNC:2|TWO|ENST2b|1',
      '10\t900\t950\tHGNC:2|TWO|ENST2|1',
      'MT\t16560\t16569\tHGNC:3|THREE|ENST3|1',
    ]);
    expect([lines, bases]).to.deep.equal([5, 20 + 10 + 110 + 50 + 9]);
  });

  it('end with the chromosome if bases are added, and can have names with chr', () => {
    // The mitochondrial chromosome has 16,569 bases.
    const { text } = bedOfPanel(draft, content, content.genes, exons(transcripts), {
      ...options,
      padding: 15,
      prefixed: true,
    });
    expect(linesOf(text).map((line) => line.split('\t').slice(0, 3).join(' '))).to.deep.equal([
      'chr2 0 65',
      'chr10 485 625',
      'chr10 885 965',
      'chrM 16545 16569',
    ]);
  });

  it('say what they are, and everything that has no lines', () => {
    const found = exons(transcripts.slice(1, 3), {
      missing: [{ hgnc: 2, reason: 'not-in-build' }],
      unmet: [
        { hgnc: 1, wanted: 'NM_1.1' },
        { hgnc: 2, wanted: 'NM_2.3', loaded: 'NM_2.4' },
      ],
      sets: [{ ...set, release: 'GENCODE 49' }],
    });
    const genes = content.genes.filter(({ confidence }) => confidence === 'green');
    const { text, lacking } = bedOfPanel(draft, content, genes, found, { ...options, padding: 20 });
    const hash = createHash('sha256')
      .update(
        linesOf(text)
          .map((line) => `${line}\n`)
          .join(''),
      )
      .digest('hex');
    const without = [
      'Not all lines: HGNC:2 TWO: not among the genes of GRCh38',
      'Left out as red: HGNC:3 THREE',
      'Wanted transcript not loaded: HGNC:1 ONE: NM_1.1',
      'Wanted transcript in another version: HGNC:2 TWO: NM_2.4 for NM_2.3',
      'No gene: XYZ: XYZ is unknown',
      'No lines for the short tandem repeat HTT_CAG, 4:3074877-3074933 (GRCh38)',
    ];
    expect(lacking).to.deep.equal(without);
    expect(facts(text)).to.deep.equal(
      [
        'Panel: kidney@1.10, Kidney tumours (draft: not signed)',
        `Panel SHA-256: ${draft.digest}`,
        'Gene names: HGNC 2026-11-01',
        'Build: GRCh38',
        'Interval set of exons: GENCODE 49, exons.gtf, loaded 2026-10-01T00:00:00.000Z, sha256:0',
        'Exons of the transcripts that the panel wants, else MANE Select, else MANE Plus Clinical, else RefSeq, else all, 20 bases added on both sides, merged',
        'Name: HGNC id|symbol|transcript|exon; several if exons share bases or touch',
        'Genes: 2, of which 2 have lines here',
        'Lines: 2, with 130 bases',
        `SHA-256 of the lines without #: ${hash}`,
        'Written: 2026-11-23T12:00:00.000Z by Trefoil 9.8.7',
        ...without,
      ].map((fact) => `# ${fact}`),
    );
    expect(text).to.include('\n#chrom\tstart\tend\tname\n2\t0\t70\t');
  });

  it('say who signed, and that a version was retired', () => {
    const whole = { ...content, unmapped: [] };
    const review = submittedVersion(draftVersion('kidney', '2', whole, { by: 'anna', at }), { by: 'anna', at });
    const done = signedVersion(signedVersion(review, review.digest, 2, { by: 'anna', at }), review.digest, 2, {
      by: 'bo',
      at,
    });
    const panel = (version: typeof done) => facts(bedOfPanel(version, whole, whole.genes, exons([]), options).text)[0];
    expect(panel(done)).to.equal('# Panel: kidney@2, Kidney tumours (signed off on 2026-11-02 by anna and bo)');
    expect(panel(retiredVersion(done, { by: 'bo', at }))).to.include('by anna and bo, retired since)');
  });

  it('have the bases of all exons and no others', () => {
    const exon = fc.record({ start: fc.nat(300), length: fc.integer({ min: 1, max: 40 }) });
    const transcript = fc.record({
      hgnc: fc.integer({ min: 1, max: 3 }),
      chromosome: fc.constantFrom<ExonicTranscript['chromosome']>('2', '10', 'X'),
      exons: fc.array(exon, { maxLength: 6 }),
    });
    fc.assert(
      fc.property(fc.array(transcript, { maxLength: 6 }), fc.nat(30), (given, padding) => {
        const all = given.map(({ exons: parts, ...one }, place) => ({
          ...one,
          transcript: `ENST${place}`,
          exons: parts.map(({ start, length }, rank) => ({ start, end: start + length, rank: rank + 1 })),
        }));
        const wanted = new Set<string>();
        const names = new Set<string>();
        for (const { chromosome, exons: parts, hgnc, transcript: id } of all) {
          for (const { start, end, rank } of parts) {
            names.add(`HGNC:${hgnc}|${content.genes[hgnc - 1]?.symbol}|${id}|${rank}`);
            for (let base = Math.max(0, start - padding); base < end + padding; base++)
              wanted.add(`${chromosome}:${base}`);
          }
        }
        const { text, bases } = bedOfPanel(draft, content, content.genes, exons(all), { ...options, padding });
        const found = new Set<string>();
        const named: string[] = [];
        let last: readonly [string, number] = ['', 0];
        for (const line of linesOf(text)) {
          const [chromosome = '', start, end, name = ''] = line.split('\t');
          if (last[0] === chromosome) expect(Number(start)).to.be.greaterThan(last[1]);
          last = [chromosome, Number(end)];
          named.push(...name.split(','));
          for (let base = Number(start); base < Number(end); base++) found.add(`${chromosome}:${base}`);
        }
        expect([...found].sort()).to.deep.equal([...wanted].sort());
        expect(bases).to.equal(wanted.size);
        expect(named.sort()).to.deep.equal([...names].sort());
      }),
    );
  });
});
