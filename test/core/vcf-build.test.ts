import { expect } from 'chai';
import fc from 'fast-check';
import { type Assembly, assemblies } from '../../core/genome.js';
import { Header, OtherAssembly } from '../../core/vcf.js';

const columns = '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts';

/** The header as a file of this assembly: its warnings, or why it is refused. */
function read(lines: readonly string[], assembly: Assembly): string[] | string {
  const header = new Header(assembly, 'x.vcf');
  try {
    for (const [i, line] of ['##fileformat=VCFv4.2', ...lines, columns].entries()) header.take(line, i + 1);
    return header.warnings;
  } catch (error) {
    expect(error).to.be.instanceOf(OtherAssembly);
    return (error as OtherAssembly).public ?? '';
  }
}

/** Lines that are signs of each assembly. Lengths and names are those of the assembly reports of NCBI, UCSC and Broad. */
const signs = {
  GRCh37: {
    lengths: [
      '##contig=<ID=1,length=249250621>',
      '##contig=<length=155270560, ID="chrX">',
      '##contig=<ID=23,length=155270560>',
    ],
    reference: [
      '##reference=file:///refs/human_g1k_v37_decoy.fasta',
      '##reference=/seq/hg19/ucsc.hg19.fasta',
      '##reference=hs37d5.fa.gz',
      '##reference=GCA_000001405.14_GRCh37.p13',
      '##reference=ftp://x/GCF_000001405.25.fna',
      '##reference=file:///Homo_sapiens_assembly19.fasta',
      '##assembly=b37',
      '##reference=/lifted/to/hg38/human.grch37.fa',
      '##contig=<ID=1,assembly=b37>',
    ],
    names: ['##contig=<ID=hs37d5,length=35477943>', '##contig=<ID=chrUn_gl000211>', '##contig=<ID=chrM,length=16571>'],
  },
  GRCh38: {
    lengths: ['##contig=<ID=chr1,length=248956422>', '##contig=<ID=X,length=156040895,assembly=x>'],
    reference: [
      '##reference=file:///Homo_sapiens_assembly38.fasta',
      '##reference=GRCh38.primary_assembly.genome.fa',
      '##reference=GCA_000001405.15_GRCh38_no_alt_analysis_set.fna',
      '##reference=GCF_000001405.40.fna',
      '##reference=https://x/hs38DH.fa',
      '##assembly=GRCh38.p14',
    ],
    names: ['##contig=<ID=chr1_KI270706v1_random>', '##contig=<ID=HLA-A*01:01:01:01>', '##contig=<ID=KI270706.1>'],
  },
  another: {
    // CHM13 and NCBI36.
    lengths: ['##contig=<ID=chr1,length=248387328>', '##contig=<ID=1,length=247249719>'],
    reference: [
      '##reference=chm13v2.0.fa',
      '##reference=T2T-CHM13',
      '##reference=human_b36_male.fa',
      '##reference=hg18.fa',
    ],
    names: [],
  },
} as const;
const named = [...assemblies, 'another'] as const;

/** Lines that say nothing of the assembly. */
const silent = [
  '##contig=<ID=MT,length=16569>',
  '##contig=<ID=GL000194.1,length=191469>',
  '##contig=<ID=1,Description="lifted, ID=2, from <b38>">',
  '##reference=file:///refs/genome.fa',
  '##reference=/hg19_to_hg38/lifted_hg19_hg38.fa',
  '##reference=ab37c',
  '##source=GRCh38',
];

describe('VCF header: the assembly', () => {
  it('is read from each sign alone', () => {
    for (const of of named) {
      for (const line of Object.values(signs[of]).flat()) {
        for (const wanted of assemblies) {
          const result = read([line], wanted);
          if (of === wanted) expect(result, line).to.deep.equal([]);
          else expect(result, line).to.match(new RegExp(`^x.vcf, line 2: .*${wanted}`));
        }
      }
    }
    for (const line of silent) for (const wanted of assemblies) expect(read([line], wanted), line).to.deep.equal([]);
  });

  it('is what the strongest signs say that agree: lengths, then references, then names; weaker ones warn', () => {
    const kinds = ['lengths', 'reference', 'names'] as const;
    const lines = named.flatMap((of) => kinds.flatMap((kind) => signs[of][kind].map((text) => ({ of, kind, text }))));
    const chosen = fc.array(fc.constantFrom(...lines), { maxLength: 6 });
    fc.assert(
      fc.property(chosen, fc.constantFrom(...assemblies), (all, wanted) => {
        const saying = kinds.map((kind) => new Set(all.filter((each) => each.kind === kind).map(({ of }) => of)));
        const [decided] = [...(saying.find((each) => each.size === 1) ?? [])];
        const isTorn = (saying[0]?.size ?? 0) > 1 && decided === undefined;
        const result = read(
          all.map(({ text }) => text),
          wanted,
        );
        const contrary = new Set(all.filter(({ of }) => of !== wanted).map(({ of, kind }) => `${of} ${kind}`));
        if (isTorn || (decided !== undefined && decided !== wanted)) expect(result).to.be.a('string');
        else expect(result).to.have.length(contrary.size);
      }),
      { numRuns: 2000 },
    );
  });

  it('is told with what it is by', () => {
    const lifted = ['##reference=file:///refs/hg19.fa', '##contig=<ID=chr1,length=248956422>'];
    expect(read(lifted, 'GRCh38')).to.deep.equal([
      'line 2: ##reference is "file:///refs/hg19.fa": the header says that the file is of GRCh37, not of GRCh38; stronger signs decide, as lifted files keep old headers',
    ]);
    expect(read(lifted, 'GRCh37')).to.equal(
      "x.vcf, line 3: the header says that chr1 has 248956422 bases, but it has 249250621 in the dataset's assembly GRCh37 and 248956422 in GRCh38",
    );
    expect(read(['##reference=hg19.fa'], 'GRCh38')).to.equal(
      'x.vcf, line 2: ##reference is "hg19.fa": the header says that the file is of GRCh37, not of GRCh38',
    );
  });
});
