import { expect } from 'chai';
import { accessionNamed, assemblies, contigs, lengthOf } from '../../core/genome.js';
import { sizeIn } from '../../plugins/coverage/d4/index.js';

describe('lengths of chromosomes', () => {
  it('are those of the D4 library, which has a table of its own because it depends on nothing around it', () => {
    for (const assembly of assemblies) {
      for (const contig of contigs) expect(lengthOf(assembly, contig), contig).to.equal(sizeIn(assembly, contig));
    }
  });
});

describe('accessions of chromosomes', () => {
  it('are those of refget, which name a sequence by its bases', () => {
    // GRCh38 from the public SeqRepo; GRCh37 from tools of gnomAD and of the liftover service of the VICC, which agree.
    for (const [name, expected] of [
      ['SQ.Ya6Rs7DHhDeg7YaOSg1EoNi3U_nQ9SvO', { contig: '1', assembly: 'GRCh38' }],
      ['ga4gh:SQ.8_liLu1aycC0tPQPFmUaGXJLDs5SbPZ5', { contig: 'Y', assembly: 'GRCh38' }],
      ['SQ.S_KjnFVz-FE7M0W6yoaUDgYxLPc1jyWU', { contig: '1', assembly: 'GRCh37' }],
      ['SQ.BT7QyW5iXaX_1PSX-msSGYsqRdMKqkj-', { contig: 'Y', assembly: 'GRCh37' }],
      ['SQ.k3grVkjY-hoWcCUojHw6VU6GE3MZ8Sct', { contig: 'MT' }],
      ['SQ.ya6Rs7DHhDeg7YaOSg1EoNi3U_nQ9SvO', undefined],
      ['SQ.Ya6Rs7DHhDeg7YaOSg1EoNi3U_nQ9Sv', undefined],
      ['Ya6Rs7DHhDeg7YaOSg1EoNi3U_nQ9SvO', undefined],
    ] as const) {
      expect(accessionNamed(name), name).to.deep.equal(expected);
    }
  });

  it('are those of RefSeq and of GenBank', () => {
    // From the assembly reports GCF_000001405.25 and .26 of the Genome Reference Consortium.
    for (const [name, expected] of [
      ['NC_000001.11', { contig: '1', assembly: 'GRCh38' }],
      ['CM000663.1', { contig: '1', assembly: 'GRCh37' }],
      ['CM000663.2', { contig: '1', assembly: 'GRCh38' }],
      ['cm000669.2', { contig: '7', assembly: 'GRCh38' }],
      ['CM000684.1', { contig: '22', assembly: 'GRCh37' }],
      ['CM000685.2', { contig: 'X', assembly: 'GRCh38' }],
      ['CM000686.2', { contig: 'Y', assembly: 'GRCh38' }],
      ['CM000686.3', { contig: 'Y' }],
      ['J01415.2', { contig: 'MT' }],
      ['NC_012920.1', { contig: 'MT' }],
      // Chimpanzee 1, and what comes before and after the human ones.
      ['CM000314.3', undefined],
      ['CM000662.2', undefined],
      ['CM000687.2', undefined],
      ['CM000663', undefined],
    ] as const) {
      expect(accessionNamed(name), name).to.deep.equal(expected);
    }
  });
});
