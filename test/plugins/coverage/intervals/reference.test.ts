/** coverage@1 above tables: what happens between two of its operations. */
import { expect } from 'chai';
import { store } from '../../../../plugins/coverage/intervals/store.js';
import { at, exon, gene, load, names, transcript } from '../../../conformance/coverage/build.js';
import { type Gated, openGated } from '../support/gated.js';

const later = () => new Date(Date.now() + 60_000);

describe('Intervals above tables', () => {
  let gated: Gated<ReturnType<typeof store.repository>>;
  beforeEach(async () => {
    gated = await openGated(store);
  });
  afterEach(() => gated.close());

  it('are looked up in one state, also if their sets are replaced and swept between two reads', async () => {
    const { repository } = gated;
    const old = gene(1, { hgnc: 1, symbol: 'ONE' });
    const one = transcript(1, old);
    const reads = [
      ['genes', () => repository.findGenes('GRCh38', ['ONE']).then(({ answers }) => answers)],
      ['names', () => repository.findGenes('GRCh38', ['ONE']).then(({ answers }) => answers)],
      ['exons', () => repository.transcriptsOf('GRCh38', [old.ensembl]).then(({ transcripts }) => transcripts)],
      ['exons', () => repository.select('exons', 'GRCh38', { genes: [old.ensembl] })],
    ] as const;
    for (const [table, read] of reads) {
      await load(repository, 'GRCh38', { genes: [old], transcripts: [one], exons: [exon(1, one, 1)] });
      await load(repository, 'GRCh38', { names: [names(1, 'ONE')] });
      const before = await read();
      gated.before(`find coverage_${table}`, async () => {
        await load(repository, 'GRCh38', { genes: [], transcripts: [], exons: [] });
        await load(repository, 'GRCh38', { names: [] });
        await repository.sweep(later());
      });
      expect(await read()).to.deep.equal(before);
      expect(await read()).not.to.deep.equal(before);
    }
  });

  it('are not swept as long as their load goes on', async () => {
    const { repository } = gated;
    const rows = async function* () {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const since = new Date();
      // As many as are stored at once.
      yield { genes: Array.from({ length: 10_000 }, (_, i) => gene(i)) };
      expect(await repository.sweep(since)).to.equal(0);
    };
    const [set] = await load(repository, 'GRCh38', { genes: [] }, at(0), { rows: rows() });
    expect(set?.rows).to.equal(10_000);
  });
});
