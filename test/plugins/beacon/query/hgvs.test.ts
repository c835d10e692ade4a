/** HGVS descriptions of changes of chromosomes. */
import { expect } from 'chai';
import { small, structural } from '../../../conformance/beacon/build.js';
import { ask, found, refusal } from './support.js';

const chromosome = 'NC_000001.10';

describe('beacon: HGVS descriptions', () => {
  it('find alleles however their records write them', async () => {
    const alleles = {
      snv: small('1', 100, 'A', 'G'),
      // Positions 102 and 103 are deleted, or T is inserted after position 101.
      deletion: small('1', 100, 'ACG', 'A'),
      one: small('1', 100, 'AC', 'A'),
      insertion: small('1', 100, 'A', 'AT'),
      replaced: small('1', 100, 'ACG', 'TT'),
      duplicated: small('1', 100, 'A', 'ACG'),
      repeated: small('1', 200, 'CC', 'CCC'),
      event: structural('1', 1000, 5000, 'DEL'),
      tandem: structural('1', 1000, 5000, 'DUP:TANDEM'),
      inversion: structural('1', 1000, 5000, 'INV'),
      shown: small('1', 300, 'AAC', 'GTT'),
    };
    const table: [string, string][] = [
      ['g.101A>G', 'snv'],
      ['g.101a>g', 'snv'],
      ['g.101A>C', ''],
      ['g.101=', ''],
      ['g.101A=', ''],
      ['g.102_103del', 'deletion'],
      ['g.102_103delCG', 'deletion'],
      ['g.102_103delCC', ''],
      ['g.102del', 'one'],
      ['g.102delC', 'one'],
      ['g.103del', ''],
      ['g.101_102insT', 'insertion'],
      ['g.101_103delinsTT', 'replaced'],
      ['g.101_103delACGinsTT', 'replaced'],
      ['g.101delinsG', 'snv'],
      ['g.101_102insCG', 'duplicated'],
      ['g.102_103dupCG', 'duplicated'],
      ['g.102_103dup', ''],
      ['g.201dup', 'repeated'],
      ['g.202dup', 'repeated'],
      ['g.1002_5000del', 'event'],
      ['g.1001_5000del', 'event'],
      ['g.1003_5000del', ''],
      ['g.1002_5000dup', 'tandem'],
      ['g.1002_5000inv', 'inversion'],
      ['g.301_303inv', 'shown'],
      ['g.301_303invAAC', 'shown'],
    ];
    for (const [text, expected] of table) {
      const names = await found(alleles, { genomicAlleleShortForm: `${chromosome}:${text}` });
      expect(names.join(' '), text).to.equal(expected);
    }
    expect(await found(alleles, { genomicAlleleShortForm: 'nc_000001.10:g.101A>G' })).to.deep.equal(['snv']);
    expect(await found({ m: small('MT', 3242, 'A', 'G') }, { genomicAlleleShortForm: 'NC_012920.1:m.3243A>G', assemblyId: 'hg19' })).to.deep.equal(['m']); // biome-ignore format: one
  });

  it('read no more than is around their first base, however long they are', async () => {
    const question = await ask({ genomicAlleleShortForm: `${chromosome}:g.1002_90000000del` });
    if (question.kind === 'all') throw new Error('a listing');
    expect(question.queries).to.have.nested.property('[0].overlaps').that.deep.equals({ start: 1000, end: 1002 });
  });

  it('warn of what cannot be known without the reference sequence', async () => {
    const warnings = async (text: string) =>
      (await ask({ genomicAlleleShortForm: `${chromosome}:${text}` })).warnings.join('\n');
    expect(await warnings('g.101A>G')).to.equal('');
    expect(await warnings('g.101_102dup')).to.match(/without the reference sequence duplications.*dupACG/);
    expect(await warnings('g.101_102inv')).to.match(/without the reference sequence inversions/);
    expect(await warnings('g.101=')).to.match(/reference allele, of which nothing is stored/);
    expect(await warnings('g.101_102del')).to.match(/repeats/);
  });

  it('refuse all others, with what is accepted', async () => {
    const table: [string, RegExp][] = [
      ['NM_007294.4:c.68_69del', /transcripts and proteins \(c\.\) are not supported/],
      ['NP_009225.1:p.Glu23ValfsTer17', /transcripts and proteins \(p\.\) are not supported/],
      ['NR_002196.2:n.601G>T', /transcripts and proteins \(n\.\) are not supported/],
      ['NC_000017.9:g.1A>T', /"NC_000017.9" is not an accession of a chromosome of GRCh37/],
      ['NG_005905.2:g.1A>T', /"NG_005905.2" is not an accession/],
      ['17:g.43045703A>G', /"17" is not an accession/],
      [`${chromosome}:m.5A>G`, /must be a substitution/],
      [`${chromosome}:g.0A>G`, /positions count from 1/],
      [`${chromosome}:g.9_8del`, /positions count from 1, the lower one first/],
      [`${chromosome}:g.8_9A>G`, /must be a substitution/],
      [`${chromosome}:g.8_10insT`, /two neighbouring positions/],
      [`${chromosome}:g.8insT`, /two neighbouring positions/],
      [`${chromosome}:g.8_9ins`, /two neighbouring positions/],
      [`${chromosome}:g.8_9ins(10)`, /must be a substitution/],
      [`${chromosome}:g.8_9insXY`, /bases are A, C, G, T and N/],
      [`${chromosome}:g.8_10delAC`, /2 bases for 3 positions/],
      [`${chromosome}:g.8delins`, /delins needs the bases/],
      [`${chromosome}:g.(8_9)_(12_13)del`, /must be a substitution/],
      [`${chromosome}:g.8`, /must be a substitution/],
      ['BRCA1', /must be a substitution, del, ins, dup, delins, inv or = on a RefSeq chromosome/],
      ['x'.repeat(100_000), /got "x{40}…"/],
    ];
    for (const [text, message] of table) {
      const told = await refusal({ genomicAlleleShortForm: text });
      expect(told, text.slice(0, 50)).to.match(/^genomicAlleleShortForm/);
      expect(told, text.slice(0, 50)).to.match(message);
    }
  });
});
