/** What is read of VEP's CSQ and SnpEff's ANN: their documented forms, and real files. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { AnnotatedAllele } from '../../../plugins/beacon/contract.js';
import { AnnotationHeader } from '../../../plugins/beacon/vcf/consequences/header.js';
import { placesOfSpelled } from '../../../plugins/beacon/vcf/consequences/spelling.js';
import {
  consequenceTerm,
  consequenceTerms,
  rankOf,
  termsFrom,
  withDescendants,
  worstRank,
} from '../../../plugins/beacon/vcf/consequences/terms.js';
import { readAnnotated } from './support/annotated.js';
import { describeWithShared, shared } from './support/shared.js';

const columns = (names: string) =>
  `##INFO=<ID=CSQ,Number=.,Type=String,Description="Consequence annotations from Ensembl VEP. Format: ${names}">`;
const vepLine =
  '##VEP="v110" time="2023-09-01 10:00:00" cache="/cache/110_GRCh38" ClinVar="202301" assembly="GRCh38.p14" gencode="GENCODE 44"';
const annLine =
  '##INFO=<ID=ANN,Number=.,Type=String,Description="Functional annotations: \'Allele | Annotation | Annotation_Impact | Gene_Name | Gene_ID\'">';
const names =
  'Allele|Consequence|SYMBOL|Gene|Feature_type|Feature|HGVSc|HGVSp|HGNC_ID|CANONICAL|MANE_SELECT|MANE_PLUS_CLINICAL|gnomADe_AF|gnomADg_AF|AF|CLIN_SIG';

/** What is read of the alleles of records with one sample. */
async function readVep(info: string, { record = '1 11796321 . G A . . * GT 0/1', format = names } = {}) {
  return readAnnotated([vepLine, columns(format)], [record.replace('*', info)]);
}
const only = ({ alleles }: { alleles: readonly Omit<AnnotatedAllele, 'source'>[] }) => {
  expect(alleles).to.have.length(1);
  return alleles[0];
};

describe('beacon: terms of consequences', () => {
  it('are those of VEP in its order, with ids and parents that exist', () => {
    const ids = new Set(consequenceTerms.map(({ id }) => id));
    expect(ids.size).to.equal(consequenceTerms.length);
    expect(new Set(consequenceTerms.map(({ name }) => name)).size).to.equal(consequenceTerms.length);
    for (const { id, parents } of consequenceTerms) {
      expect(id).to.match(/^SO:\d{7}$/);
      for (const parent of parents) expect(ids, parent).to.include(parent);
      expect(parents.length > 0).to.equal(id !== 'SO:0001060');
    }
    // The table of Ensembl has 41 terms; some of them with rank and impact.
    expect(consequenceTerms.filter(({ impact }, i) => impact && i < 41)).to.have.length(41);
    expect(
      ['transcript_ablation', 'start_lost', 'missense_variant', 'synonymous_variant', 'sequence_variant'].map(rankOf),
    ).to.deep.equal([0, 6, 12, 21, 40]);
    expect(consequenceTerm('SO:0001574')).to.include({ name: 'splice_acceptor_variant', impact: 'HIGH' });
    expect(consequenceTerm('missense_variant')?.id).to.equal('SO:0001583');
    expect([consequenceTerm('missense'), consequenceTerm('SO:0000001'), withDescendants('x')]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('of SnpEff rank with those of VEP that they are, else behind all of their impact', () => {
    expect(rankOf('disruptive_inframe_deletion')).to.equal(rankOf('inframe_deletion'));
    expect(rankOf('conserved_intron_variant')).to.equal(rankOf('intron_variant'));
    expect(rankOf('exon_loss_variant')).to.equal(rankOf('feature_truncation'));
    expect(rankOf('rare_amino_acid_variant')).to.equal(rankOf('feature_truncation'));
    expect(consequenceTerm('intergenic_region')?.name).to.equal('intergenic_variant');
    expect(worstRank(['intron_variant', 'splice_donor_variant'])).to.equal(rankOf('splice_donor_variant'));
    expect(rankOf('unknown')).to.be.above(rankOf('sequence_variant'));
  });

  it('have their descendants by is_a, and impacts those that are worse', () => {
    expect([...(withDescendants('splice_site_variant') ?? [])].sort()).to.deep.equal([
      'splice_acceptor_variant',
      'splice_donor_5th_base_variant',
      'splice_donor_variant',
      'splice_site_variant',
    ]);
    const altering = withDescendants('SO:0001818') ?? new Set();
    for (const name of ['missense_variant', 'stop_gained', 'frameshift_variant', 'inframe_deletion', 'start_lost'])
      expect(altering, name).to.include(name);
    for (const name of ['synonymous_variant', 'splice_donor_variant', 'coding_sequence_variant'])
      expect(altering, name).to.not.include(name);
    expect(withDescendants('sequence_variant')?.size).to.equal(consequenceTerms.length);
    expect(termsFrom('HIGH')).to.include('stop_gained').and.not.include('missense_variant');
    expect(termsFrom('MODERATE'))
      .to.include('missense_variant')
      .and.include('stop_gained')
      .and.not.include('synonymous_variant');
  });
});

describe('beacon: spelling of annotated alleles', () => {
  const places = (reference: string, alternates: string, spelled: string, isVep = true, structural = false) => {
    const all = spelled.split(',').map((word) => {
      const [text = '', number] = word.split('#');
      return { text, number: number === undefined ? undefined : Number(number) };
    });
    const found = placesOfSpelled({ reference, alternates: alternates.split(','), structural }, all, isVep);
    return typeof found === 'string' ? 'unknown' : found.map((place) => place ?? '-').join();
  };

  it('of VEP lacks the first base if all share it and lengths differ', () => {
    expect(places('C', 'T', 'T')).to.equal('0');
    expect(places('CTT', 'C', '-')).to.equal('0');
    expect(places('C', 'CAA', 'AA')).to.equal('0');
    expect(places('CTT', 'C,CT,CTTT', 'TTT,-,T')).to.equal('2,0,1');
    expect(places('CA', 'TG', 'TG')).to.equal('0');
    // The first bases differ: nothing is left out.
    expect(places('CTT', 'C,ATT', 'C,ATT')).to.equal('0,1');
    expect(places('CTT', 'C,*', '-')).to.equal('0');
    expect(places('C', 'T,<NON_REF>', 'T')).to.equal('0');
    // --minimal
    expect(places('CAGAG', 'CAG,TAGAG', '-,T')).to.equal('0,1');
  });

  it('of SnpEff is ALT', () => {
    expect(places('A', 'AAT,AT', 'AT', false)).to.equal('1');
    expect(places('CTT', 'C', 'C', false)).to.equal('0');
    expect(places('CTT', 'C', '-', false)).to.equal('unknown');
  });

  it('is not guessed: of records that were split after the annotation, bases alone are certain', () => {
    expect(places('C', 'T', 'T,G')).to.equal('0,-');
    expect(places('C', 'T', 'G')).to.equal('unknown');
    expect(places('CT', 'C', '-,T')).to.equal('unknown');
    expect(places('CT', 'C', '-#1,T#2')).to.equal('unknown');
    expect(places('C', 'T', '-')).to.equal('unknown');
  });

  it('of structural variants is a word: of the only alternate, or by number', () => {
    expect(places('C', '<DEL>', 'deletion', true, true)).to.equal('0');
    expect(places('C', '<DEL>,<DUP>', 'deletion,duplication', true, true)).to.equal('unknown');
    expect(places('C', '<DUP>,<DEL>', 'deletion#2,duplication#1', true, true)).to.equal('1,0');
    expect(places('C', '<DEL>,<DUP>', 'deletion#1,duplication#3', true, true)).to.equal('unknown');
  });
});

describe('beacon: annotations of VCF files', () => {
  it('of VEP are read with MANE Select, each Plus Clinical and the worst of all, by gene', async () => {
    const entries = [
      'A|missense_variant&splice_region_variant|MTHFR|ENSG00000177000|Transcript|ENST00000376590|ENST00000376590.9:c.665C>T|ENSP00000365775.3:p.Ala222Val|HGNC:12345|YES|NM_005957.5||0.3|0.25|0.2454|benign&drug_response',
      'A|missense_variant|MTHFR|ENSG00000177000|Transcript|ENST00000376592||ENSP00000365777.1:p.Ala222%3D|HGNC:12345|||NM_001330358.2|0.3|0.25|0.2454|benign',
      'A|stop_gained|MTHFR|ENSG00000177000|Transcript|ENST00000641407||ENSP1.1:p.(Arg97Ter)|HGNC:12345||||0.3|0.25|0.2454|',
      'A|intron_variant|MTHFR|ENSG00000177000|Transcript|ENST00000641446||||||||||',
      'A|downstream_gene_variant|CLCN6|ENSG00000011021|Transcript|ENST00000346436|||HGNC:2024|YES|||||0.2454|',
      'A|regulatory_region_variant|||RegulatoryFeature|ENSR00000001|||||||||0.2454|',
    ];
    const read = await readVep(`CSQ=${entries.join()}`);
    const [first] = read.alleles;
    expect(first?.genes.map(({ transcripts, ...name }) => name)).to.deep.equal([
      { hgnc: 12345, symbol: 'MTHFR' },
      { symbol: 'MTHFR' },
      { hgnc: 2024, symbol: 'CLCN6' },
    ]);
    expect(first?.genes[0]?.transcripts).to.deep.equal([
      {
        choice: 'mane-select',
        transcript: 'ENST00000376590.9',
        mane: 'NM_005957.5',
        terms: ['missense_variant', 'splice_region_variant'],
        coding: 'c.665C>T',
        protein: 'p.Ala222Val',
      },
      {
        choice: 'mane-plus-clinical',
        transcript: 'ENST00000376592',
        mane: 'NM_001330358.2',
        terms: ['missense_variant'],
        protein: 'p.Ala222=',
      },
      { choice: 'worst', transcript: 'ENST00000641407', terms: ['stop_gained'], protein: 'p.Arg97Ter' },
    ]);
    expect(first?.genes[2]?.transcripts).to.deep.equal([
      { choice: 'canonical', transcript: 'ENST00000346436', terms: ['downstream_gene_variant'] },
    ]);
    expect(first?.frequency).to.deep.equal({ value: 0.3, field: 'gnomADe_AF' });
    expect(first?.clinVar).to.deep.equal(['benign', 'drug_response']);
    expect(read.source).to.deep.equal({
      annotator: 'VEP',
      version: 'v110',
      databases: { ClinVar: '202301', assembly: 'GRCh38.p14', gencode: 'GENCODE 44' },
    });
    expect(read.summary).to.deep.equal({ alleles: 1, unreadable: 0 });
  });

  it('are read in any order and subset of columns', async () => {
    const format = 'HGVSp|Consequence|IMPACT|Allele|Feature';
    const { genes } =
      only(await readVep('DP=3;CSQ=ENSP1:p.Ala1Val|missense_variant|MODERATE|A|ENST1;AC=1', { format })) ?? {};
    expect(genes).to.deep.equal([
      { transcripts: [{ choice: 'worst', transcript: 'ENST1', terms: ['missense_variant'], protein: 'p.Ala1Val' }] },
    ]);
    // Of RefSeq, and of releases that have one column for MANE.
    const refSeq = await readVep('CSQ=A|missense_variant|BRAF|673|NM_004333.6|NM_004333.6', {
      format: 'Allele|Consequence|SYMBOL|Gene|Feature|MANE',
    });
    expect(only(refSeq)?.genes[0]?.transcripts[0]).to.include({ choice: 'mane-select', transcript: 'NM_004333.6' });
    const elsewhere = await readVep('XCSQ=A|stop_gained;CSQ=A|intron_variant', { format: 'Allele|Consequence' });
    expect(only(elsewhere)?.genes[0]?.transcripts[0]?.terms).to.deep.equal(['intron_variant']);
  });

  it('of alleles in one record come apart, and alleles that nobody carries have none', async () => {
    const info = 'CSQ=-|frameshift_variant|A,TTT|inframe_insertion|A,T|intron_variant|A';
    const read = await readVep(info, {
      record: '1 100 . CTT C,CT,CTTT . . * GT 1/3',
      format: 'Allele|Consequence|SYMBOL',
    });
    expect(
      read.alleles.map(({ allele, genes }) => [allele.alternate, genes[0]?.transcripts[0]?.terms[0]]),
    ).to.deep.equal([
      ['C', 'frameshift_variant'],
      ['CT', 'inframe_insertion'],
    ]);
    expect(read.summary?.alleles).to.equal(2);
  });

  it('outside of genes have the worst entry alone', async () => {
    const read = await readVep('CSQ=A|intergenic_variant|||||||||||0.00001|.||', {});
    expect(only(read)).to.deep.include({
      genes: [{ transcripts: [{ choice: 'worst', terms: ['intergenic_variant'] }] }],
      frequency: { value: 0.00001, field: 'gnomADe_AF' },
    });
  });

  it('of SnpEff are read at transcripts, with ALT for the allele', async () => {
    const entries = [
      'AT|frameshift_variant|HIGH|BRCA2|ENSG00000139618|transcript|ENST00000380152.3|protein_coding|10/27|c.1813dupA|p.Ile605fs|2046/10930|1813/10257|605/3418||',
      'AT|stop_gained&disruptive_inframe_deletion|HIGH|BRCA2|ENSG00000139618|transcript|ENST00000544455.1|protein_coding|10/28|c.1A>T|p.Arg97*|||||',
      'AT|sequence_feature|LOW|BRCA2|ENSG00000139618|domain:x|ENST00000380152.3|protein_coding|10/27|c.1813dupA||||||',
      'AT|intergenic_region|MODIFIER|A-B|A-B|intergenic_region|A-B|||n.1A>T||||||',
    ];
    const header = ['##SnpEffVersion="5.1d (build 2022-04-19 15:49), by Pablo Cingolani"', annLine];
    const read = await readAnnotated(header, [`1 100 . A AT . . ANN=${entries.join()} GT 0/1`]);
    expect(read.source).to.deep.equal({ annotator: 'SnpEff', version: '5.1d (build 2022-04-19 15:49)', databases: {} });
    expect(only(read)?.genes).to.deep.equal([
      {
        symbol: 'BRCA2',
        transcripts: [
          {
            choice: 'worst',
            transcript: 'ENST00000544455.1',
            terms: ['stop_gained', 'disruptive_inframe_deletion'],
            coding: 'c.1A>T',
            protein: 'p.Arg97Ter',
          },
        ],
      },
    ]);
  });

  it('that cannot be read are counted with the first line, and never guessed', async () => {
    const bad = [
      'A|no_such_variant|MTHFR',
      'A||MTHFR',
      'G|missense_variant|MTHFR',
      'A|missense_variant|MTHFR|E|Transcript|T|T:not HGVS'.replaceAll(' ', '_'),
      'A|missense_variant|MTHFR|||||||||||||1.5|',
      'A|missense_variant&intron_variant|MTHFR|||||||||||||0.1|',
    ];
    const records = bad.map((entry, i) => `1 ${100 + i} . G A . . CSQ=${entry} GT 0/1`);
    const format = `${names.replace('AF|CLIN_SIG', 'x|MAX_AF')}|y`;
    const read = await readAnnotated([vepLine, columns(format)], records);
    expect(read.summary).to.deep.equal({
      alleles: 3,
      unreadable: 5,
      first: { line: 5, reason: '"no_such_variant" is not a consequence that is known' },
    });
    expect(
      read.alleles.map(({ frequency, genes }) => [genes[0]?.transcripts[0]?.coding, frequency?.value]),
    ).to.deep.equal([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, 0.1],
    ]);
    const headless = await readAnnotated([columns('Allele|IMPACT')], ['1 1 . G A . . CSQ=A|HIGH GT 0/1']);
    expect(headless.alleles).to.deep.equal([]);
    expect(headless.summary).to.deep.equal({
      alleles: 0,
      unreadable: 0,
      first: { line: 2, reason: 'CSQ has no columns Allele and Consequence (Format: …): nothing of it was read' },
    });
    expect((await readAnnotated([], ['1 1 . G A . . CSQ=A|HIGH GT 0/1'])).summary).to.equal(undefined);
  });

  it('have a source that is read from the lines of any release', () => {
    const layout = (line: string) => {
      const header = new AnnotationHeader();
      header.take(columns('Allele|Consequence'), 2);
      header.take(line, 3);
      const found = header.layout();
      return found && 'source' in found ? found.source : undefined;
    };
    expect(
      layout(
        '##VEP=v85 cache=/x/85_GRCh37 db=. ESP=20141103 polyphen=2.2.2 dbSNP=144 ClinVar=201507 assembly=GRCh37.p13 gencode=GENCODE 19 sift=sift5.2.2',
      ),
    ).to.deep.equal({
      annotator: 'VEP',
      version: 'v85',
      databases: { dbSNP: '144', ClinVar: '201507', assembly: 'GRCh37.p13', gencode: 'GENCODE 19' },
    });
    expect(layout('##other')).to.deep.equal({ annotator: 'VEP', version: '', databases: {} });
  });
});

describeWithShared('beacon: annotations of a real file, which VEP and SnpEff annotated', () => {
  it("are read whole, VEP's alone", async () => {
    const read = await readAnnotated(undefined, readFileSync(shared('test_trio.vcf.gz')));
    expect(read.summary).to.deep.include({ unreadable: 0 });
    expect(read.source?.version).to.equal('v85');
    expect(read.alleles.length).to.be.above(400);
    const place = read.alleles.find(({ allele }) => allele.start === 7_890_023 && allele.end === 7_890_024);
    expect(place?.genes).to.deep.equal([
      {
        hgnc: 8847,
        symbol: 'PER3',
        transcripts: [
          {
            choice: 'canonical',
            transcript: 'ENST00000361923.2',
            terms: ['missense_variant'],
            coding: 'c.2990T>G',
            protein: 'p.Met997Arg',
          },
        ],
      },
    ]);
  });
});
