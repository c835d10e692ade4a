import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { addRecords, ask, type Json, serveBeacon } from './support/serve.js';

/** One sample; each allele has a distinct chromosome or position, so that a miss identifies the broken rule. */
const records = [
  '1 10 . A C . . . GT 0/1',
  '1 20 . AT A . . . GT 0/1',
  '1 30 . A ACG . . . GT 0/1',
  '1 40 . AC GT . . . GT 0/1',
  '1 50 . A <DEL> . . SVTYPE=DEL;END=90;CIPOS=-5,5;CIEND=-7,7 GT 0/1',
  '1 60 . A <DUP:TANDEM> . . SVTYPE=DUP;END=120 GT 0/1',
  '1 70 . A <INS> . . SVTYPE=INS;END=70;SVLEN=50 GT 0/1',
  '1 80 . A <INV> . . SVTYPE=INV;END=180 GT 0/1',
  '1 95 . A <DEL:ME> . . SVTYPE=DEL;END=140 GT 0/1',
  // The junction of VCF 4.3 §5.4, by both of its records.
  '2 321681 . G G]17:198982] . . SVTYPE=BND GT 0/1',
  '17 198982 . A A]2:321681] . . SVTYPE=BND GT 0/1',
  // Another, with only one record in the file; and a single breakend.
  '3 1000 . T T[4:2000[ . . SVTYPE=BND GT 0/1',
  '5 500 . C C. . . SVTYPE=BND GT 0/1',
];

/** Starts on chromosome 1 that a type finds, zero-based: the alias table. */
const types: [type: string, starts: number[]][] = [
  ['SNV', [9]],
  ['SNP', [9]],
  ['snp', [9]],
  ['INDEL', [19, 29]],
  ['MNP', [39]],
  ['DEL', [19, 49, 94]],
  ['DEL:ME', [94]],
  ['INS', [29, 69]],
  ['DUP', [59]],
  ['DUP:TANDEM', [59]],
  ['INV', [79]],
  ['BND', []],
  ['CNV', [49, 59, 94]],
];
const starts = [9, 19, 29, 39, 49, 59, 69, 79, 94];

const bnd = { referenceBases: 'N', variantType: 'BND' };

/** Queries, with the alleles that they find; undefined for none. */
const queries: [what: string, sent: Record<string, string | number>, alleles: number | undefined][] = [
  ['start and exclusive end', { referenceName: '1', start: 49, end: 90, referenceBases: 'A', variantType: 'DEL' }, 1],
  ['an end one short', { referenceName: '1', start: 49, end: 89, referenceBases: 'A', variantType: 'DEL' }, undefined],
  ['a start within CIPOS only', { referenceName: '1', start: 46, referenceBases: 'A', variantType: 'DEL' }, undefined],
  [
    'bounds, inclusive',
    { referenceName: '1', startMin: 49, startMax: 49, endMin: 90, endMax: 90, variantType: 'DEL' },
    1,
  ],
  ['one bound', { referenceName: '1', endMin: 141, variantType: 'INV' }, 1],
  [
    'a bracket beside zeros',
    { referenceName: '1', start: 0, end: 0, startMin: 49, startMax: 59, variantType: 'DEL' },
    1,
  ],
  [
    'both type and bases',
    { referenceName: '1', start: 19, referenceBases: 'AT', alternateBases: 'A', variantType: 'DEL' },
    1,
  ],
  [
    'type against bases',
    { referenceName: '1', start: 19, referenceBases: 'AT', alternateBases: 'A', variantType: 'SNV' },
    undefined,
  ],
  ['N for one base', { referenceName: '1', start: 29, referenceBases: 'A', alternateBases: 'ANN' }, 1],
  ['N for too many bases', { referenceName: '1', start: 29, referenceBases: 'A', alternateBases: 'ANNN' }, undefined],
  [
    'N for a part of the bases',
    { referenceName: '1', start: 29, referenceBases: 'A', alternateBases: 'NN' },
    undefined,
  ],
  ['a lone N for a symbol', { referenceName: '1', start: 79, referenceBases: 'N', alternateBases: 'N' }, 1],
  ['a junction from one end', { ...bnd, referenceName: '2', start: 321680 }, 1],
  ['a junction from the other', { ...bnd, referenceName: '17', start: 198981 }, 1],
  ['a junction by the base at its side', { ...bnd, referenceName: '17', start: 198981, referenceBases: 'A' }, 1],
  ['not by the base at the other side', { ...bnd, referenceName: '17', start: 198981, referenceBases: 'G' }, undefined],
  ['its mate as the end, before the start', { ...bnd, referenceName: '2', start: 321680, end: 198981 }, 1],
  ['another mate position', { ...bnd, referenceName: '2', start: 321680, end: 198982 }, undefined],
  ['its mate by name', { ...bnd, referenceName: '2', start: 321680, mateName: 'chr17' }, 1],
  ['another mate', { ...bnd, referenceName: '2', start: 321680, mateName: '9' }, undefined],
  [
    'its mate by name, with any bases',
    { referenceName: '2', start: 321680, referenceBases: 'N', alternateBases: 'N', mateName: '17' },
    1,
  ],
  ['the unrecorded end', { ...bnd, referenceName: '4', start: 1999, mateName: '3' }, 1],
  ['a single breakend', { ...bnd, referenceName: '5', start: 499 }, 1],
];

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: semantics of a query (${engine.name})`, () => {
    const beacon = useOnce(() => serveBeacon(engine));

    before(() => addRecords(beacon.repository, 'ds', records, { samples: ['s'] }));

    async function found(sent: Record<string, string | number>): Promise<number | undefined> {
      const { status, body } = await ask(beacon.url, { assemblyId: 'GRCh37', includeDatasetResponses: 'HIT', ...sent });
      expect(status, JSON.stringify(body.error)).to.equal(200);
      const [one] = body.datasetAlleleResponses as Json[];
      expect(body.exists).to.equal(one !== undefined);
      if (one) expect([one.callCount, one.sampleCount]).to.deep.equal([one.variantCount, 1]);
      return one?.variantCount as number | undefined;
    }

    for (const [variantType, expected] of types) {
      it(`${variantType} finds the types that it covers`, async () => {
        const hits = [];
        for (const start of starts) {
          if (await found({ referenceName: '1', start, referenceBases: 'N', variantType })) hits.push(start);
        }
        expect(hits).to.deep.equal(expected);
      });
    }

    for (const [what, sent, alleles] of queries) {
      it(`${what}: ${alleles ?? 'no'} match`, async () => {
        expect(await found(sent)).to.equal(alleles);
      });
    }
  });
}
