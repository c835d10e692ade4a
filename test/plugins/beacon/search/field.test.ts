/** The one field of the search page. Positions in the field are one-based, those of parameters zero-based and half-open. */
import { expect } from 'chai';
import { type FieldMistake, readField } from '../../../../plugins/beacon/faces/search/field.js';

describe('search page: the field', () => {
  const read: Record<string, [form: string, parameters: object]> = {
    MTHFR: ['gene', { geneId: 'MTHFR' }],
    ' HLA-A ': ['gene', { geneId: 'HLA-A' }],
    'HGNC:7436': ['gene', { geneId: 'HGNC:7436' }],
    ENSG00000177000: ['gene', { geneId: 'ENSG00000177000' }],
    'MTHFR p.Ala222Val': ['change', { geneId: 'MTHFR', aminoacidChange: 'Ala222Val' }],
    'mthfr:a222v': ['change', { geneId: 'mthfr', aminoacidChange: 'Ala222Val' }],
    'HGNC:7436 p.(A222V)': ['change', { geneId: 'HGNC:7436', aminoacidChange: 'Ala222Val' }],
    'p.A222V': ['change', { aminoacidChange: 'Ala222Val' }],
    A222V: ['change', { aminoacidChange: 'Ala222Val' }],
    F2R: ['gene', { geneId: 'F2R' }],
    S100P: ['gene', { geneId: 'S100P' }],
    'NM_005957.5:c.665C>T': ['change', { genomicAlleleShortForm: 'NM_005957.5:c.665C>T' }],
    'NM_005957.5(MTHFR):c.665C>T (p.Ala222Val)': [
      'change',
      { genomicAlleleShortForm: 'NM_005957.5(MTHFR):c.665C>T (p.Ala222Val)' },
    ],
    'NP_005948.3:p.Ala222Val': ['change', { genomicAlleleShortForm: 'NP_005948.3:p.Ala222Val' }],
    'MTHFR c.665C>T': ['change', { genomicAlleleShortForm: 'MTHFR c.665C>T' }],
    'NC_000001.10:g.11856378G>A': ['hgvs', { genomicAlleleShortForm: 'NC_000001.10:g.11856378G>A' }],
    'NC_000001.10: g.11856378 G>A': ['hgvs', { genomicAlleleShortForm: 'NC_000001.10:g.11856378G>A' }],
    '1-11856378-G-A': ['allele', { referenceName: '1', start: [11856377], referenceBases: 'G', alternateBases: 'A' }],
    'chr1:11,856,378 g>a': [
      'allele',
      { referenceName: 'chr1', start: [11856377], referenceBases: 'G', alternateBases: 'A' },
    ],
    'X:100:AT:A': ['allele', { referenceName: 'X', start: [99], referenceBases: 'AT', alternateBases: 'A' }],
    '1_100_A_C': ['allele', { referenceName: '1', start: [99], referenceBases: 'A', alternateBases: 'C' }],
    '1:100-200': ['place', { referenceName: '1', start: [99], end: [200] }],
    'chrM: 1,000 – 1,100': ['place', { referenceName: 'chrM', start: [999], end: [1100] }],
    '17:43045702': ['place', { referenceName: '17', start: [43045701], end: [43045702] }],
    '1\t100\trs1\tA\tC\t50\tPASS\tAC=1\tGT\t0/1': [
      'vcf',
      { referenceName: '1', start: [99], referenceBases: 'A', alternateBases: 'C' },
    ],
    '1 100 . a c,<NON_REF>': ['vcf', { referenceName: '1', start: [99], referenceBases: 'A', alternateBases: 'C' }],
    // POS 100 is the base before a symbolic deletion: stored from 99 on, up to END.
    '1\t100\t.\tN\t<DEL>\t.\tPASS\tSVTYPE=DEL;END=300': [
      'vcf',
      { referenceName: '1', start: [99, 100], end: [300, 301], variantType: 'DEL' },
    ],
    '2\t100\t.\tA\tA]chr5:500]\t.\tPASS\tSVTYPE=BND': [
      'vcf',
      {
        referenceName: '2',
        start: [99, 100],
        end: [100, 101],
        variantType: 'BND',
        mateName: '5',
        mateStart: [499],
      },
    ],
    // Without END, by its length; VCF 4.5 has no END.
    '1\t100\t.\tN\t<DEL>\t.\tPASS\tSVLEN=-200': [
      'vcf',
      { referenceName: '1', start: [99, 100], end: [300, 301], variantType: 'DEL' },
    ],
    '2\t100\t.\tN\t<CTX>\t.\tPASS\tSVTYPE=CTX;CHR2=chr5;END=100;END2=500': [
      'vcf',
      { referenceName: '2', start: [99, 100], end: [100, 101], variantType: 'BND', mateName: '5', mateStart: [499] },
    ],
    '2\t100\t.\tA\t]5:0]A': [
      'vcf',
      { referenceName: '2', start: [99, 100], end: [100, 101], variantType: 'BND', mateName: '5', mateStart: [0] },
    ],
  };
  for (const [text, [form, parameters]] of Object.entries(read)) {
    it(`reads ${JSON.stringify(text)} as ${form}`, () => {
      expect(readField(text)).to.deep.equal({ form, parameters });
    });
  }

  const refused: Record<string, FieldMistake> = {
    'NM_005957.5:c.665C>?': 'transcript-form',
    'NM_005957.5:c.': 'transcript-form',
    'c.665C>T': 'unreadable',
    'MTHFR p.Ala222': 'unreadable',
    '1\t100\t.\tA\tC,G': 'several-alternates',
    '1\t100\t.\tA\t.': 'no-alternate',
    '1\t100\t.\tA\t<NON_REF>': 'no-alternate',
    '1\t100\t.\tA\t<DEL>\t.\t.\tSVTYPE=DEL': 'no-end',
    '1\t100\t.\tA\t<TRA>\t.\t.\tSVTYPE=TRA;CHR2=5;END=100': 'no-end',
    '1:0-10': 'position',
    '1-0-A-C': 'position',
    '1:200-100': 'backwards',
    '?': 'unreadable',
    '99:100-200': 'unreadable',
    '<script>': 'unreadable',
    'two words': 'unreadable',
  };
  for (const [text, mistake] of Object.entries(refused)) {
    it(`refuses ${JSON.stringify(text)}: ${mistake}`, () => {
      expect(readField(text)).to.deep.equal({ mistake });
    });
  }
});
