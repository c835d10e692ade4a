/** Which alleles answer questions of v2: the rules of the specification, and those on which its implementations differ. */
import { expect } from 'chai';
import type { Allele } from '../../../../plugins/beacon/contract.js';
import type { VariantParameters } from '../../../../plugins/beacon/faces/query/filters.js';
import { breakend, small, structural } from '../../../conformance/beacon/build.js';
import { ask, found } from './support.js';

type Row = readonly [parameters: VariantParameters, names: string, why?: string];

async function finds(alleles: Record<string, Allele>, place: VariantParameters, rows: readonly Row[]): Promise<void> {
  for (const [parameters, names, why] of rows) {
    const asked = { assemblyId: 'GRCh37', ...place, ...parameters };
    expect((await found(alleles, asked)).join(' '), why ?? JSON.stringify(parameters)).to.equal(names);
  }
}

const one = { referenceName: '1' };

describe('beacon: alleles that answer questions of v2', () => {
  it('sequences, however they are written', async () => {
    const alleles = {
      snv: small('1', 100, 'A', 'G'),
      other: small('1', 100, 'A', 'C'),
      insertion: small('1', 100, 'A', 'AT'),
      deletion: small('1', 100, 'ACG', 'A'),
      event: structural('1', 100, 500, 'DEL'),
    };
    await finds(alleles, one, [
      [{ start: [100], referenceBases: 'A', alternateBases: 'G' }, 'snv'],
      [{ start: [100], referenceBases: 'a', alternateBases: 'g' }, 'snv'],
      [{ start: [99], referenceBases: 'CA', alternateBases: 'CG' }, 'snv', 'untrimmed, as a file may write it'],
      [{ start: [100], referenceBases: 'A', alternateBases: 'R' }, 'snv', 'R is A or G'],
      [{ start: [100], referenceBases: 'A', alternateBases: 'Y' }, 'other', 'Y is C or T'],
      [{ start: [100], referenceBases: 'A', alternateBases: 'U' }, '', 'U is T'],
      [{ start: [100], referenceBases: 'N', alternateBases: 'G' }, 'snv'],
      [{ start: [100], referenceBases: 'A', alternateBases: 'N' }, 'snv other insertion', 'a lone N is anything'],
      [{ start: [100], alternateBases: 'G' }, 'snv'],
      [{ start: [100], referenceBases: 'A', alternateBases: 'AT' }, 'insertion'],
      [
        { start: [101], referenceBases: '', alternateBases: 'T' },
        'insertion',
        'between two bases: the reference is empty',
      ],
      [{ start: [101], referenceBases: '-', alternateBases: 'T' }, 'insertion'],
      [{ start: [101], referenceBases: '.', alternateBases: 'K' }, 'insertion'],
      [{ start: [101], referenceBases: '' }, 'insertion', 'an insertion of anything'],
      [{ start: [100], referenceBases: '', alternateBases: 'T' }, ''],
      [{ start: [100], referenceBases: 'ACG', alternateBases: 'A' }, 'deletion'],
      [{ start: [101], referenceBases: 'CG', alternateBases: '' }, 'deletion'],
      [{ start: [101], referenceBases: 'SS', alternateBases: '' }, 'deletion'],
      [{ start: [101], referenceBases: 'CC', alternateBases: '' }, ''],
      [{ start: [101], alternateBases: '' }, 'deletion', 'a deletion of anything'],
      [{ start: [100], end: [101], referenceBases: 'A', alternateBases: 'G' }, 'snv'],
      [{ start: [99], end: [101], referenceBases: 'CA', alternateBases: 'CG' }, 'snv'],
      [{ start: [100], referenceBases: 'A', alternateBases: 'G', variantType: 'SNV' }, 'snv'],
      [{ start: [100], referenceBases: 'A', alternateBases: 'G', variantType: 'INS' }, ''],
    ]);
    const same = await ask({ ...one, assemblyId: 'hg19', start: [100], referenceBases: 'A', alternateBases: 'A' });
    expect(same).to.deep.include({ queries: [] });
    expect(same.warnings).to.have.length(1);
  });

  it('ranges share a base, insertions lie within or at an edge', async () => {
    const alleles = {
      before: small('1', 99, 'A', 'T'),
      touching: small('1', 97, 'ACG', 'A'),
      edge: small('1', 99, 'A', 'AT'),
      inside: small('1', 100, 'A', 'T'),
      end: small('1', 109, 'A', 'AT'),
      behind: small('1', 110, 'A', 'T'),
      around: structural('1', 5, 5000, 'INV'),
      junction: breakend('1', 105, 'G[7:9[', '7', 8),
    };
    await finds(alleles, one, [
      [
        { start: [100], end: [110] },
        'edge inside end around junction',
        'half-open: EGA also counts what only touches the range (before, touching, behind)',
      ],
      [{ start: [100], end: [110], alternateBases: 'T' }, 'edge inside end', 'as stored, or without the base before'],
      [{ start: [100], end: [110], alternateBases: 'AT' }, 'edge end'],
      [{ start: [100], end: [110], variantType: 'INS' }, 'edge end'],
      [{ start: [100], end: [110], variantType: 'SO:0001059' }, 'edge inside end around junction', 'any alteration'],
      [{ start: [100], end: [110], variantMinLength: 2 }, 'around'],
      [{ start: [100], end: [110], variantMaxLength: 1 }, 'edge inside end'],
      [
        { start: [100], end: [110], variantType: 'INV', variantMinLength: 4994, variantMaxLength: 4994 },
        'around',
        'END − POS',
      ],
      [{ start: [100], end: [110], variantType: 'INV', variantMinLength: 4995 }, ''],
      [{ start: [100], end: [100] }, 'edge around', 'an empty range: insertions there, and what spans it'],
      [{ start: [98], end: [99] }, 'touching around'],
    ]);
  });

  it('brackets are half-open; the same number twice is exact', async () => {
    const alleles = {
      snv: small('1', 43_045_703, 'A', 'T'),
      next: small('1', 43_045_704, 'A', 'T'),
      previous: small('1', 43_045_702, 'A', 'T'),
      deletion: structural('1', 1000, 5000, 'DEL'),
      uncertain: { ...structural('1', 1100, 5100, 'DEL'), startRange: { min: 900, max: 1300 } },
      within: breakend('1', 1000, 'G[1:5001[', '1', 5000),
      across: breakend('1', 1000, 'G[7:5001[', '7', 5000),
    };
    await finds(alleles, one, [
      [
        { start: [43_045_703, 43_045_704], end: [43_045_704, 43_045_705] },
        'snv',
        'as the specification writes an exact position; read inclusively, it would find the next one too',
      ],
      [{ start: [43_045_703, 43_045_703], end: [43_045_704, 43_045_704] }, 'snv', 'as v1 writes an exact position'],
      [{ start: [900, 1101], end: [4900, 5101] }, 'deletion uncertain within'],
      [{ start: [900, 1100], end: [4900, 5101] }, 'deletion within', 'the end of a bracket is not within it'],
      [
        { start: [900, 1000], end: [4900, 5200] },
        '',
        'the stated position must be in the bracket, not its range alone',
      ],
      [{ start: [900, 1200], end: [4900, 5200], variantType: 'DEL' }, 'deletion uncertain'],
      [{ start: [900, 1200], end: [4900, 5200], variantType: 'BND' }, 'within across', 'the end is that of the mate'],
      [{ start: [900, 1200], end: [4900, 5200], mateName: '7' }, 'across'],
    ]);
  });

  it('breakends from both of their ends', async () => {
    const alleles = {
      pair: breakend('2', 321_680, 'G]17:198982]', '17', 198_981),
      within: breakend('2', 400_000, 'G[2:500001[', '2', 500_000),
      snv: small('2', 321_680, 'G', 'T'),
    };
    const two = { referenceName: '2', variantType: 'BND' };
    const seventeen = { referenceName: '17', variantType: 'BND' };
    await finds(alleles, {}, [
      [{ ...two, start: [321_680] }, 'pair'],
      [{ ...seventeen, start: [198_981] }, 'pair'],
      [{ ...seventeen, start: [198_982] }, ''],
      [{ ...two, start: [321_000], end: [321_680] }, ''],
      [{ ...two, start: [321_000], end: [321_681] }, 'pair'],
      [{ ...two, start: [321_680], mateName: '17' }, 'pair'],
      [{ ...two, start: [321_680], mateName: 'NC_000017.10', mateStart: [198_981] }, 'pair'],
      [{ ...two, start: [321_680], mateName: '17', mateStart: [198_000], mateEnd: [198_981] }, ''],
      [{ ...seventeen, start: [198_981], mateName: '2', mateStart: [321_000], mateEnd: [322_000] }, 'pair'],
      [{ ...two, start: [321_680], mateName: '2' }, ''],
      [{ ...two, start: [500_000], mateName: '2', mateStart: [400_000] }, 'within'],
      [{ referenceName: '2', mateName: '2', start: [0], end: [1_000_000] }, 'within', 'a mate asks for breakends'],
      [{ ...two, variantType: 'SO:0000806', start: [321_680] }, 'pair'],
      [{ ...two, start: [321_680], variantMinLength: 1 }, '', 'a breakend has no length'],
    ]);
  });

  it('types expand downwards, never up', async () => {
    const alleles = {
      snp: small('1', 100, 'A', 'T'),
      mnp: small('1', 100, 'AC', 'TG'),
      del: small('1', 100, 'AC', 'A'),
      ins: small('1', 100, 'A', 'AC'),
      DEL: structural('1', 100, 900, 'DEL'),
      DUP: structural('1', 100, 900, 'DUP'),
      tandem: structural('1', 100, 900, 'DUP:TANDEM'),
      CNV: structural('1', 100, 900, 'CNV'),
      INV: structural('1', 100, 900, 'INV'),
      INS: structural('1', 100, 101, 'INS'),
      alu: structural('1', 100, 101, 'INS:ME:ALU'),
      BND: breakend('1', 100, 'G[2:9[', '2', 8),
      TRA: { ...breakend('1', 100, 'G[2:9[', '2', 8), kind: 'TRA' },
    };
    const range = { ...one, start: [50], end: [200] };
    const table: [string, string][] = [
      ['SNV', 'snp'],
      ['snp', 'snp'],
      ['SO:0001483', 'snp'],
      ['MNP', 'mnp'],
      ['MNV', 'mnp'],
      ['INDEL', 'del ins'],
      ['DEL', 'del DEL'],
      ['SO:0001743', 'del DEL'],
      ['SO:0000159', 'del DEL'],
      ['EFO:0030067', 'DEL'],
      ['efo:0030067', 'DEL'],
      ['DUP', 'DUP tandem'],
      ['SO:0001742', 'DUP tandem'],
      ['EFO:0030070', 'DUP tandem'],
      ['DUP:TANDEM', 'tandem'],
      ['SO:1000173', 'tandem'],
      ['CNV', 'DEL DUP tandem CNV'],
      ['SO:0001019', 'DEL DUP tandem CNV'],
      ['INV', 'INV'],
      ['SO:1000036', 'INV'],
      ['INS', 'ins INS alu'],
      ['SO:0000667', 'ins INS alu'],
      ['SO:0001837', 'alu'],
      ['INS:ME', 'alu'],
      ['BND', 'BND TRA'],
      ['TRA', 'TRA'],
      ['CTX', 'TRA'],
      ['SO:0000806', 'BND TRA'],
      ['SO:0001059', Object.keys(alleles).join(' ')],
    ];
    await finds(
      alleles,
      range,
      table.map(([variantType, names]) => [{ variantType }, names, variantType]),
    );
    // Files state a loss, not whether both copies are lost.
    for (const level of ['EFO:0030068', 'EFO:0020073', 'EFO:0030069', 'EFO:0030071', 'EFO:0030072', 'EFO:0030073']) {
      await finds(alleles, range, [[{ variantType: level }, '']]);
      const { warnings } = await ask({ assemblyId: 'hg19', ...range, variantType: level });
      expect(warnings[0], level).to.match(/^variantType: no record states a .*; ask for EFO:00300(67|70)/);
    }
  });
});
