import { expect } from 'chai';
import type { Batch, Exon, Transcript } from '../../../../plugins/coverage/contract.js';
import { useOnce } from '../../../support/use.js';
import { serveCoverage } from '../support/serve.js';
import { data, demoForm, post, rowsOf } from './support/post.js';

/** A gene with a MANE Select transcript of one exon and a MANE Plus Clinical one of another. */
const gene = {
  ensembl: 'ENSG00000177000',
  hgnc: 7436,
  symbol: 'MTHFR',
  chromosome: '1',
  start: 11_785_722,
  end: 11_805_964,
} as const;
const references = { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] };
const place = { chromosome: '1', gene: gene.ensembl, strand: -1 } as const;
const transcripts: Transcript[] = [
  {
    ...place,
    ensembl: 'ENST00000000001',
    start: 11_785_722,
    end: 11_790_898,
    references: { ...references, maneSelect: ['NM_000001.1'] },
    isManeSelect: true,
    isManePlusClinical: false,
  },
  {
    ...place,
    ensembl: 'ENST00000000002',
    start: 11_796_205,
    end: 11_796_399,
    references: { ...references, manePlusClinical: ['NM_000002.1'] },
    isManeSelect: false,
    isManePlusClinical: true,
  },
];
const exons: Exon[] = transcripts.map(({ ensembl, start, end }, i) => ({
  ...place,
  ensembl: `ENSE0000000000${i}`,
  transcript: ensembl,
  rank: 1,
  start,
  end,
}));

describe('coverage pages: MANE Plus Clinical', () => {
  const server = useOnce(() => serveCoverage({ demo: true }));
  before(async () => {
    const kinds = ['genes', 'transcripts', 'exons'] as const;
    async function* rows(): AsyncGenerator<Batch> {
      yield { genes: [gene], transcripts, exons };
    }
    await server.intervals.load(
      {
        sets: kinds.map((kind) => ({ kind, build: 'GRCh38' as const })),
        rows: rows(),
        accept: () => ({
          source: 'mane',
          release: 'MANE 1.4',
          checksum: `sha256:${'a'.repeat(64)}`,
          read: 5,
          skipped: {},
        }),
      },
      new Date(),
    );
  });

  it('has separate numbers beside MANE Select', async () => {
    const fields = { ...demoForm, hgnc_gene_ids: 'MTHFR' };
    const csv = await post(`${server.url}/mane_overview`, { ...fields, format: 'csv' });
    const child = rowsOf(csv.text).filter(({ sample }) => sample === 'demo_child');
    expect(child.map(({ transcript, refseq, bases }) => [transcript, refseq, bases])).to.deep.equal([
      ['ENST00000000001', 'NM_000001.1', '5176'],
      ['ENST00000000002', 'NM_000002.1', '194'],
    ]);
    // The demo's child has less than 20x in the whole second exon.
    expect(child.map(({ completeness_20_percent }) => completeness_20_percent)).to.deep.equal(['100', '0']);
    const { text } = await post(`${server.url}/mane_overview`, fields);
    expect(text)
      .to.include('<span class="badge">MANE Select</span>')
      .and.include('<span class="badge">MANE Plus Clinical</span>');
    expect(text).to.include('MANE 1.4').and.include('sha256:aaaaaaaaaaaa');
  });

  it('is left out by default if there is a MANE Select transcript', async () => {
    const { intervals } = await data<{ intervals: { interval: string }[] }>(`${server.url}/report`, {
      ...demoForm,
      hgnc_gene_ids: 'MTHFR',
    });
    expect(intervals.map(({ interval }) => interval)).to.deep.equal(['ENST00000000001']);
  });
});
