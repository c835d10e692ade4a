/** Transcripts that a panel names. */
import { expect } from 'chai';
import type { TranscriptWithExons } from '../../../../plugins/coverage/contract.js';
import { chooseNamed } from '../../../../plugins/coverage/measure/transcripts.js';

const none = { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] };

function transcript(ensembl: string, references: Partial<typeof none | Record<keyof typeof none, string[]>>) {
  const place = { chromosome: '21', start: 0, end: 9 } as const;
  const flags = { isManeSelect: false, isManePlusClinical: false };
  return { ...place, ...flags, ensembl, gene: 'ENSG1', references: { ...none, ...references }, exons: [] };
}

const all: TranscriptWithExons[] = [
  transcript('ENST00000000001', { maneSelect: ['NM_000001.5'], refseqMrna: ['NM_000001.4'] }),
  transcript('ENST00000000002', { refseqMrna: ['NM_000002.1'] }),
  transcript('ENST00000000003', { refseqMrna: ['NM_000002.2'] }),
  transcript('ENST00000000004', { refseqNcrna: ['NR_000004.1'] }),
];

const chosen = (...names: string[]) => {
  const found = chooseNamed(all, names);
  return { ids: found.chosen.map(({ ensembl }) => Number(ensembl.slice(4))), unmet: found.unmet };
};

describe('transcripts that a panel names', () => {
  it('are found by every id, with or without version, in any case', () => {
    expect(chosen('ENST00000000001')).to.deep.equal({ ids: [1], unmet: [] });
    expect(chosen(' NM_000001 ')).to.deep.equal({ ids: [1], unmet: [] });
    expect(chosen('nm_000001.4', 'NM_000001.5')).to.deep.equal({ ids: [1], unmet: [] });
    expect(chosen('NR_000004.1', 'ENST00000000001')).to.deep.equal({ ids: [1, 4], unmet: [] });
  });

  it('are those of the version that is named, if it is loaded', () => {
    expect(chosen('NM_000002.2')).to.deep.equal({ ids: [3], unmet: [] });
    expect(chosen('NM_000002')).to.deep.equal({ ids: [2, 3], unmet: [] });
  });

  it('say which are missing, or there in another version', () => {
    expect(chosen('NM_000001.3')).to.deep.equal({
      ids: [1],
      unmet: [{ wanted: 'NM_000001.3', loaded: 'NM_000001.4' }],
    });
    // Versions of Ensembl transcripts are not stored.
    expect(chosen('enst00000000001.7')).to.deep.equal({
      ids: [1],
      unmet: [{ wanted: 'enst00000000001.7', loaded: 'ENST00000000001' }],
    });
    expect(chosen('NM_0000019', 'NM_', '', '.5', 'NM_000004.1').unmet).to.deep.equal(
      ['NM_0000019', 'NM_', '', '.5', 'NM_000004.1'].map((wanted) => ({ wanted })),
    );
    expect(chosen()).to.deep.equal({ ids: [], unmet: [] });
  });
});
