/** Parameters of Beacon v2 as questions: names, kinds, and what is wrong with others. */
import { expect } from 'chai';
import type { VariantParameters } from '../../../../plugins/beacon/faces/query/filters.js';
import { ask, both, refusal } from './support.js';

const snv = { start: [43_045_702], referenceBases: 'G', alternateBases: 'A' };

describe('beacon: questions of v2', () => {
  it('names of chromosomes and assemblies', async () => {
    const table: [VariantParameters, string][] = [
      [{ referenceName: '17', assemblyId: 'GRCh38' }, 'GRCh38 17'],
      [{ referenceName: 'chr17', assemblyId: 'hg38' }, 'GRCh38 17'],
      [{ referenceName: 'CHR17', assemblyId: 'grch38.p14' }, 'GRCh38 17'],
      [{ referenceName: '17', assemblyId: 'hg19' }, 'GRCh37 17'],
      [{ referenceName: '17', assemblyId: 'b37' }, 'GRCh37 17'],
      [{ referenceName: '17', assemblyId: 'GCF_000001405.13' }, 'GRCh37 17'],
      [{ referenceName: '17', assemblyId: 'GCF_000001405.25' }, 'GRCh37 17'],
      [{ referenceName: '17', assemblyId: 'gcf_000001405.26' }, 'GRCh38 17'],
      [{ referenceName: '17', assemblyId: 'GCF_000001405.40' }, 'GRCh38 17'],
      [{ referenceName: 'NC_000017.11' }, 'GRCh38 17'],
      [{ referenceName: 'NC_000017.10' }, 'GRCh37 17'],
      [{ referenceName: 'CM000679.2' }, 'GRCh38 17'],
      [{ referenceName: 'SQ.dLZ15tNO1Ur0IcGjwc3Sdi_0A6Yf4zm7' }, 'GRCh38 17'],
      [{ referenceName: 'ga4gh:SQ.AjWXsI7AkTK35XW9pgd3UbjpC3MAevlz' }, 'GRCh37 17'],
      [{ referenceName: 'refseq:NC_000017.11', assemblyId: 'GRCh38' }, 'GRCh38 17'],
      [{ referenceName: 'nc_000023.10' }, 'GRCh37 X'],
      [{ referenceName: '23', assemblyId: 'GRCh38' }, 'GRCh38 X'],
      [{ referenceName: 'chr24', assemblyId: 'GRCh38' }, 'GRCh38 Y'],
      [{ referenceName: 'M', assemblyId: 'GRCh38' }, 'GRCh38 MT'],
      [{ referenceName: 'NC_012920.1', assemblyId: 'GRCh37' }, 'GRCh37 MT'],
    ];
    for (const [names, expected] of table) {
      const question = await ask({ ...names, ...snv, start: [100] });
      if (question.kind === 'all') throw new Error('a listing');
      const [query] = question.queries;
      expect(`${query?.assembly} ${query?.contig}`, JSON.stringify(names)).to.equal(expected);
    }
  });

  it('a chromosome without an assembly is of the only one that there is', async () => {
    const one = await ask({ referenceName: '17', ...snv }, ['GRCh37', 'GRCh37']);
    expect(one).to.include({ assembly: 'GRCh37' });
    expect(await ask({ referenceName: '17', ...snv }, [])).to.have.property('kind', 'sequence');
    expect(await refusal({ referenceName: '17', ...snv })).to.match(/^assemblyId is missing: .*GRCh37 and GRCh38/);
    expect(await refusal({ referenceName: 'NC_012920.1', ...snv })).to.match(/^assemblyId is missing/);
    expect(await refusal({ geneId: 'PER3' })).to.match(/^assemblyId is missing/);
  });

  it('the kind is the first that fits', async () => {
    const place = { referenceName: '17', assemblyId: 'GRCh38' };
    const table: [VariantParameters, string][] = [
      [{ genomicAlleleShortForm: 'NC_000017.11:g.43045703G>A' }, 'allele'],
      [{ genomicAlleleShortForm: 'NC_000017.11:g.43045703G>A', assemblyId: 'GRCh38' }, 'allele'],
      [{ ...place, start: [1, 2], end: [3, 4] }, 'bracket'],
      [{ ...place, start: [1], end: [4] }, 'range'],
      [{ ...place, start: [1], end: [4], variantType: 'DEL', variantMinLength: 1 }, 'range'],
      [{ ...place, start: [1], end: [4], alternateBases: 'T' }, 'range'],
      [{ ...place, start: [1], end: [2], alternateBases: 'T', referenceBases: 'A' }, 'range'],
      [{ ...place, start: [1], alternateBases: 'T' }, 'sequence'],
      [{ ...place, start: [1], referenceBases: 'T' }, 'sequence'],
      [{ ...place, start: [1], referenceBases: '' }, 'sequence'],
      [{ ...place, start: [1], variantType: 'BND' }, 'breakend'],
      [{ ...place, start: [1], mateName: '13' }, 'breakend'],
      [{ ...place, start: [1], end: [9], mateName: '13', mateStart: [4], mateEnd: [9] }, 'breakend'],
      [{ ...place, start: [1, 9], end: [4, 8], mateName: '13' }, 'bracket'],
      [{ assemblyId: 'GRCh37', geneId: 'PER3' }, 'gene'],
      [{}, 'all'],
      [{ assemblyId: 'hg19' }, 'all'],
    ];
    for (const [parameters, kind] of table) {
      expect((await ask(parameters)).kind, JSON.stringify(parameters)).to.equal(kind);
    }
  });

  it('what means nothing is refused by the name of its parameter, with what is accepted', async () => {
    const place = { referenceName: '17', assemblyId: 'GRCh38' };
    const table: [VariantParameters, RegExp][] = [
      [{ ...place, ...snv, referenceName: 'chr99' }, /^referenceName must be 1 to 22, X, Y or MT.*got "chr99"/],
      [{ ...place, ...snv, referenceName: 'NC_000017.9' }, /^referenceName must be .*got "NC_000017.9"/],
      [{ ...place, ...snv, referenceName: 'NM_007294.4' }, /^referenceName must be/],
      [
        { ...place, ...snv, referenceName: 'NC_000017.10' },
        /^referenceName is an accession of GRCh37, but assemblyId is GRCh38/,
      ],
      [{ ...place, ...snv, assemblyId: 'NCBI36' }, /^assemblyId must be GRCh37 or GRCh38.*got "NCBI36"/],
      [{ ...place, ...snv, assemblyId: 'GCF_000001405.12' }, /^assemblyId must be/],
      [{ ...snv, assemblyId: 'GRCh38' }, /^referenceName is missing/],
      [{ ...place, start: [1] }, /^start alone needs referenceBases or alternateBases; accepted are/],
      [{ ...place, start: [1], variantType: 'DEL' }, /^start alone needs/],
      [{ ...place, start: [1], end: [2, 3] }, /^start has 1 and end 2 positions/],
      [{ ...place, start: [1, 2], end: [3] }, /^start has 2 and end 1 positions/],
      [{ ...place, start: [1, 2] }, /^start has 2 and end 0 positions/],
      [{ ...place, start: [1, 2, 3], end: [4] }, /^start must be one or two whole numbers/],
      [{ ...place, end: [3] }, /^start is missing beside assemblyId, referenceName, end/],
      [{ ...place, variantType: 'DEL' }, /^start is missing/],
      [{ ...place, start: [9], end: [8] }, /^end must not be less than start; got 9 and 8/],
      [{ ...place, start: [9], end: [8], variantType: 'BND' }, /^end must not be less than start.*mateStart/],
      [{ ...place, start: [9, 8], end: [10, 11] }, /^start must be two positions, the lower one first; got 9 and 8/],
      [{ ...place, start: [1.5], alternateBases: 'T' }, /^start must be one or two whole numbers from 0/],
      [{ ...place, start: [-1], alternateBases: 'T' }, /^start must be one or two whole numbers from 0/],
      [{ ...place, start: [1], referenceBases: 'AXE' }, /^referenceBases must be IUPAC codes.*got "AXE"/],
      [{ ...place, start: [1], alternateBases: '<DEL>' }, /^alternateBases must be IUPAC codes/],
      [
        { ...place, start: [1], end: [9], variantType: 'BIG' },
        /^variantType must be a type of VCF files.*SO:0001483.*got "BIG"/,
      ],
      [{ ...place, start: [1], end: [9], variantType: 'SO:9999999' }, /^variantType must be/],
      [{ ...place, start: [1], end: [9], variantMinLength: -1 }, /^variantMinLength must be a whole number/],
      [
        { ...place, start: [1], end: [9], variantMinLength: 3, variantMaxLength: 2 },
        /^variantMinLength must not be more/,
      ],
      [{ ...place, start: [1], end: [9], mateStart: [3] }, /^mateStart and mateEnd need mateName/],
      [{ ...place, start: [1], end: [9], mateName: '1', mateEnd: [3] }, /^mateEnd needs mateStart/],
      [
        { ...place, start: [1], end: [9], mateName: '1', mateStart: [3, 5], mateEnd: [9] },
        /^mateStart has 2 and mateEnd 1 positions/,
      ],
      [{ ...place, start: [1], end: [9], mateName: '1', mateStart: [5, 3] }, /^mateStart must be two positions/],
      [
        { ...place, start: [1], end: [9], mateName: '1', mateStart: [3], mateEnd: [3] },
        /^mateEnd must be more than mateStart/,
      ],
      [{ ...place, start: [1], mateName: 'NC_000001.10' }, /^mateName is an accession of GRCh37/],
      [{ ...place, start: [1], mateName: 'Z' }, /^mateName must be 1 to 22/],
      [{ aminoacidChange: 'V600E', geneId: 'BRAF' }, /^aminoacidChange is not supported.*genomicAlleleShortForm/],
      [
        { geneId: 'PER3', assemblyId: 'GRCh37', start: [1] },
        /^geneId cannot be combined with start; beside it assemblyId/,
      ],
      [
        { genomicAlleleShortForm: 'NC_000017.11:g.1G>A', referenceName: '17' },
        /^genomicAlleleShortForm cannot be combined with referenceName/,
      ],
      [
        { genomicAlleleShortForm: 'NC_000017.11:g.1G>A', assemblyId: 'hg19' },
        /^genomicAlleleShortForm is an accession of GRCh38/,
      ],
    ];
    for (const [parameters, message] of table) {
      expect(await refusal(parameters), JSON.stringify(parameters)).to.match(message);
    }
  });

  it('a position beyond the end of its chromosome is a warning', async () => {
    // Chromosome 21 has 48,129,895 bases in GRCh37 and 46,709,983 in GRCh38.
    const place = { referenceName: '21', alternateBases: 'T' };
    const warnings = async (parameters: VariantParameters) => (await ask({ ...place, ...parameters })).warnings;
    expect(await warnings({ assemblyId: 'hg38', start: [46_709_982] })).to.deep.equal([]);
    expect(await warnings({ assemblyId: 'hg38', start: [46_709_983] })).to.deep.equal([
      'start lies beyond the end of chromosome 21 of GRCh38, which has 46,709,983 bases',
    ]);
    expect(await warnings({ assemblyId: 'hg19', start: [46_709_983] })).to.deep.equal([]);
    expect(await warnings({ assemblyId: 'hg38', start: [1], end: [46_709_983] })).to.deep.equal([]);
    expect(await warnings({ assemblyId: 'hg38', start: [1], end: [Number.MAX_SAFE_INTEGER] })).to.have.length(1);
    const far = { variantType: 'BND', mateName: '22', start: [1], mateStart: [60_000_000], mateEnd: [60_000_001] };
    expect(await warnings({ assemblyId: 'hg38', ...far })).to.have.length(1);
    const hgvs = await ask({ genomicAlleleShortForm: 'NC_000021.9:g.46709984A>G' });
    expect(hgvs.warnings).to.match(/genomicAlleleShortForm lies beyond the end of chromosome 21/);
  });

  it('a gene is found in all of its places, and an unknown one finds nothing', async () => {
    const gene = await ask({ geneId: 'SHOX', variantType: 'DEL', variantMinLength: 1000 }, ['GRCh38']);
    if (gene.kind === 'all') throw new Error('a listing');
    expect(gene.queries.map(({ contig }) => contig)).to.deep.equal(['X', 'Y']);
    expect(gene.warnings).to.deep.equal([]);
    const unknown = await ask({ geneId: 'PER3', assemblyId: 'GRCh38' });
    expect(unknown).to.deep.equal({
      kind: 'gene',
      assembly: 'GRCh38',
      queries: [],
      warnings: ['geneId: no gene "PER3" is known in GRCh38; it is looked up by symbol, HGNC id and Ensembl id'],
    });
    expect(both).to.have.length(2);
  });
});
