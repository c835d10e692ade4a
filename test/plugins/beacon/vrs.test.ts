/** Computed identifiers of VRS, by examples that others published. */
import { expect } from 'chai';
import {
  digestOfObject,
  identifiedAllele,
  type VrsAllele,
  vrsAllele,
} from '../../../plugins/beacon/faces/v2/variants/record.js';

const allele = (sequence: string, start: number, end: number, state: string): VrsAllele => ({
  type: 'Allele',
  location: {
    type: 'SequenceLocation',
    sequence_id: sequence,
    interval: {
      type: 'SequenceInterval',
      start: { type: 'Number', value: start },
      end: { type: 'Number', value: end },
    },
  },
  state: { type: 'LiteralSequenceExpression', sequence: state },
});

describe('beacon: identifiers of VRS', () => {
  // From the tests of GA4GH's and ClinGen's programs for VRS 1.x: a substitution, and an insertion.
  it('are those of published examples of VRS 1', () => {
    const apoe = identifiedAllele(allele('ga4gh:SQ.IIB53T8CNeJJdUqzn9V_JnRtQadwWCbl', 44_908_821, 44_908_822, 'T'));
    expect(apoe._id, 'NC_000019.10:g.44908822C>T').to.equal('ga4gh:VA.CxiA_hvYbkD8Vqwjhx5AYuyul4mtlkpD');
    expect(apoe.location._id).to.equal('ga4gh:VSL.QrRSuBj-VScAGV_gEdxNgsnh41jYH1Kg');
    const egfr = identifiedAllele(allele('ga4gh:SQ.F-LrLMe1SRpfUZHkQmvkVKFEGaoDeHul', 55_181_230, 55_181_230, 'GGCT'));
    expect(egfr._id, 'NC_000007.14:g.55181230_55181231insGGCT').to.equal('ga4gh:VA.JKGCs07cFu2wlDydCAe2ea06jMFXyK56');
    expect(egfr.location._id).to.equal('ga4gh:VSL.SdvAZCNKh5kf6ClsiOOmw_88fbkFPTqG');
  });

  it('use the digest that VRS 2 has kept: its published example', () => {
    const location = digestOfObject({
      type: 'SequenceLocation',
      sequenceReference: { type: 'SequenceReference', refgetAccession: 'SQ.KEO-4XBcm1cxeo_DIQ8_ofqGUkp4iZhI' },
      start: 128_325_834,
      end: 128_325_835,
    });
    const state = { type: 'LiteralSequenceExpression', sequence: 'T' };
    expect(digestOfObject({ type: 'Allele', location, state })).to.equal('SZIS2ua7AL-0YgUTAqyBsFPYK3vE8h_d');
  });

  it('are computed from a place of GRCh38, for as many bases as are replaced and for no others', () => {
    const apoe = {
      assembly: 'GRCh38',
      contig: '19',
      start: 44_908_821,
      end: 44_908_822,
      reference: 'C',
      alternate: 'T',
    } as const;
    expect(vrsAllele(apoe)._id).to.equal('ga4gh:VA.CxiA_hvYbkD8Vqwjhx5AYuyul4mtlkpD');
    const pair = vrsAllele({ ...apoe, end: 44_908_823, reference: 'CG', alternate: 'TA' });
    expect(pair._id).to.match(/^ga4gh:VA\./);
    // Without the reference sequence it is unknown how far these may be shifted, or how the chromosomes of GRCh37 read.
    for (const other of [
      { ...apoe, assembly: 'GRCh37' } as const,
      { ...apoe, end: 44_908_823, reference: 'CG', alternate: 'T' },
      { ...apoe, end: 44_908_821, reference: '', alternate: 'T' },
      { ...apoe, end: 44_908_823, reference: 'CG', alternate: 'TG' },
    ]) {
      const { _id, location } = vrsAllele(other);
      expect([_id, location._id, location.sequence_id]).to.deep.equal([undefined, undefined, other.assembly === 'GRCh37' ? 'refseq:NC_000019.9' : 'refseq:NC_000019.10']); // biome-ignore format: one
    }
  });
});
