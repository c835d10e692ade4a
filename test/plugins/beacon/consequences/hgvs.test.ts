/** Changes of proteins and transcripts in HGVS, as VEP, SnpEff, ClinVar and people write them. */
import { expect } from 'chai';
import { namedChange, proteinChange, transcriptChange } from '../../../../plugins/beacon/vcf/consequences/hgvs.js';

describe('beacon: changes in HGVS', () => {
  it('of proteins are one text, however they are written', () => {
    const table: Record<string, readonly string[]> = {
      Ala222Val: [
        'p.Ala222Val',
        'p.(Ala222Val)',
        'A222V',
        'p.A222V',
        'a222v',
        'ALA222VAL',
        'ENSP00000365775.3:p.Ala222Val',
      ],
      Val600Glu: ['V600E', 'p.V600E', 'NP_004324.2:p.Val600Glu', 'p. Val600Glu'],
      Arg97Ter: ['p.Arg97Ter', 'p.Arg97*', 'R97*', 'R97X', 'p.Arg97X', 'R97Ter'],
      'Ala222=': ['p.Ala222=', 'p.Ala222%3D', 'p.Ala222Ala', 'A222A', 'A222='],
      Arg97ProfsTer23: ['p.Arg97ProfsTer23', 'p.Arg97Profs*23', 'R97Pfs*23', 'p.(Arg97ProfsTer23)', 'R97PfsX23'],
      Arg97fs: ['p.Arg97fs', 'R97fs'],
      Lys23_Val25del: ['p.Lys23_Val25del', 'K23_V25del'],
      Lys23del: ['p.Lys23del', 'K23del'],
      Lys23_Val25dup: ['p.Lys23_Val25dup'],
      Lys23_Leu24insArgSerGln: ['p.Lys23_Leu24insArgSerGln', 'K23_L24insRSQ'],
      Cys28delinsTrpVal: ['p.Cys28delinsTrpVal', 'C28delinsWV'],
      'Met1?': ['p.Met1?', 'M1?'],
      'Met1ext-5': ['p.Met1ext-5'],
      Ter110GlnextTer17: ['p.Ter110GlnextTer17', 'p.*110Glnext*17', '*110Qext*17'],
      'Ter110GlnextTer?': ['p.Ter110Glnext*?'],
      Sec46Arg: ['U46R', 'p.Sec46Arg'],
    };
    for (const [change, texts] of Object.entries(table)) {
      for (const text of [change, ...texts]) expect(proteinChange(text), text).to.equal(change);
    }
    for (const text of [
      '',
      'p.?',
      'p.0',
      'p.=',
      'MTHFR',
      'HLA-A',
      'Ala222',
      'A222',
      '222V',
      'c.665C>T',
      'Ala222ValLeu',
      'B12J',
      'A222VV',
      'A2_V',
      `A${'1'.repeat(2000)}V`,
    ]) {
      expect(proteinChange(text), text.slice(0, 40)).to.equal(undefined);
    }
  });

  it('of transcripts leave out the bases that are replaced', () => {
    const table: Record<string, readonly string[]> = {
      'c.665C>T': ['NM_005957.5:c.665C>T', 'c.665c>t', 'C.665C>T', 'c.665 C>T'],
      'c.123_124del': ['c.123_124delAC', 'ENST00000376590.9:c.123_124del'],
      'c.123dup': ['c.123dupA'],
      'c.123_124insGA': ['c.123_124insga'],
      'c.123_125delinsT': ['c.123_125delACGinsT'],
      'c.88+2T>G': ['NM_000059.4:c.88+2T>G'],
      'c.-14-1G>A': [],
      'c.*46T>A': [],
      'c.20_30inv': [],
      'n.601G>T': ['NR_002196.2:n.601G>T'],
    };
    for (const [change, texts] of Object.entries(table)) {
      for (const text of [change, ...texts]) expect(transcriptChange(text), text).to.equal(change);
    }
    expect(transcriptChange('c.666=')).to.equal('c.666=');
    for (const text of ['', 'c.', 'g.100A>T', 'p.Ala222Val', 'c.12', 'c.1_2ins', 'c.12C>', 'c.12dupAinsT', 'c.A12']) {
      expect(transcriptChange(text), text).to.equal(undefined);
    }
  });

  it('are named with a gene, a transcript or a protein', () => {
    const protein = { system: 'protein', change: 'Ala222Val' };
    const transcript = { system: 'transcript', change: 'c.665C>T' };
    const table: [string, object | undefined][] = [
      ['MTHFR p.Ala222Val', { gene: 'MTHFR', ...protein }],
      ['MTHFR:p.(Ala222Val)', { gene: 'MTHFR', ...protein }],
      ['MTHFR A222V', { gene: 'MTHFR', ...protein }],
      ['HGNC:7436 p.A222V', { gene: 'HGNC:7436', ...protein }],
      ['HGNC:7436:p.A222V', { gene: 'HGNC:7436', ...protein }],
      ['p.A222V', protein],
      ['A222V', protein],
      ['V5M', undefined],
      ['p.V5M', { system: 'protein', change: 'Val5Met' }],
      ['NM_005957.5:c.665C>T', { sequence: { id: 'NM_005957', version: 5 }, ...transcript }],
      ['nm_005957:c.665C>T', { sequence: { id: 'NM_005957' }, ...transcript }],
      ['NM_005957.5(MTHFR):c.665C>T (p.Ala222Val)', { sequence: { id: 'NM_005957', version: 5 }, ...transcript }],
      ['ENST00000376590.9:c.665C>T', { sequence: { id: 'ENST00000376590', version: 9 }, ...transcript }],
      ['NP_005948.3:p.Ala222Val', { sequence: { id: 'NP_005948', version: 3 }, ...protein }],
      ['MTHFR:c.665C>T', { gene: 'MTHFR', ...transcript }],
      ['MTHFR c.665C>T', { gene: 'MTHFR', ...transcript }],
      // A transcript's position means nothing without the transcript.
      ['c.665C>T', undefined],
    ];
    for (const [text, expected] of table) expect(namedChange(text), text).to.deep.equal(expected);
    // Genes, places and alleles of chromosomes.
    const others = [
      'MTHFR',
      'F2R',
      'C1S',
      'F11R',
      'S100P',
      'HLA-A',
      'HGNC:7436',
      'ENSG00000177000',
      '1:100-200',
      '1-100-A-C',
      'X:100:AT:A',
      'chr1:11,856,378 g>a',
      'NC_000001.10:g.11856378G>A',
      'INS',
      'DUPD1',
      'two words',
      '?',
      '<script>',
      'NM_005957.5:c.',
      '1\t100\t.\tA\tC',
    ];
    for (const text of others) expect(namedChange(text), text).to.equal(undefined);
  });
});
