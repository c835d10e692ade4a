import { expect } from 'chai';
import { differences, type PanelGene } from '../../../../plugins/panels/versions/content.js';

const gene = (hgnc: number, symbol: string, more: Partial<PanelGene> = {}): PanelGene => ({
  hgnc,
  symbol,
  confidence: 'green',
  ...more,
});

function between(before: PanelGene[], after: PanelGene[]): unknown[] {
  return differences({ genes: before }, { genes: after }).map(({ symbol, what, changed }) => [symbol, what, changed]);
}

describe('differences between panel versions', () => {
  it('are genes that were added or removed, by HGNC id', () => {
    expect(between([gene(7, 'B'), gene(3, 'A')], [gene(3, 'A'), gene(5, 'C')])).to.deep.equal([
      ['C', ['added'], []],
      ['B', ['removed'], []],
    ]);
  });

  it('are changes of confidence, up and down', () => {
    const before = [gene(1, 'A', { confidence: 'red' }), gene(2, 'B'), gene(3, 'C', { confidence: 'unrated' })];
    const after = [gene(1, 'A', { confidence: 'amber' }), gene(2, 'B', { confidence: 'red' }), gene(3, 'C')];
    expect(between(before, after)).to.deep.equal([
      ['A', ['promoted'], []],
      ['B', ['demoted'], []],
      ['C', ['changed'], ['confidence']],
    ]);
  });

  it('are new symbols, and any other member, by its name', () => {
    const before = [gene(1, 'MLL', { inheritance: 'AD', tags: ['new'] })];
    const after = [gene(1, 'KMT2A', { inheritance: 'AD', tags: ['new', 'watch'], confidence: 'amber' })];
    expect(between(before, after)).to.deep.equal([['KMT2A', ['demoted', 'renamed', 'changed'], ['tags']]]);
  });

  it('are none between equal versions', () => {
    expect(between([gene(1, 'A', { tags: ['x'] })], [gene(1, 'A', { tags: ['x'] })])).to.deep.equal([]);
  });
});
