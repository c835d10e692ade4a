/** The handover to a dataset's alleles as a VCF: who gets it, and what is in the file. */
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { issueToken } from '../../../../core/auth/access.js';
import { sampled } from '../../../support/sample.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { addRecords, type Json, serveBeacon } from '../support/serve.js';
import { type Ask, asking } from './support.js';

const records = [
  ['1', '100', '.', 'A', 'C', '.', 'PASS', '.', 'GT', '0/1', '1/1'].join('\t'),
  ['X', '3000000', '.', 'G', 'GTT', '.', 'PASS', '.', 'GT', '0/1', '0/0'].join('\t'),
];

for (const engine of sampled(storages, 2)) {
  describe(`Beacon v2: handover to a VCF (${engine.name})`, () => {
    const beacon = useOnce(() => serveBeacon(engine, { settings: { disclosure: { datasets: { counted: 'count' } } } }));
    let ask: Ask;
    let token: string;
    before(async () => {
      ask = asking(beacon.url);
      for (const [id, more] of Object.entries({ open: {}, counted: {}, closed: { access: 'CONTROLLED' as const } })) {
        await addRecords(beacon.repository, id, records, more);
      }
      const scopes = ['beacon:read:closed', 'beacon:read:counted'];
      token = (await issueToken(beacon.tokens, { owner: 'Lab', scopes }, new Date())).token;
    });

    async function handovers(id: string, options: { token?: string }): Promise<unknown> {
      const { body } = await ask(`/datasets/${id}/g_variants`, options);
      const { resultSets } = body.response as { resultSets: Json[] };
      expect(resultSets.map((set) => set.id)).to.deep.equal([id]);
      return resultSets[0]?.resultsHandovers;
    }

    it('is offered for datasets that a scope names and whose records are told, and for no others', async () => {
      expect(await handovers('open', {})).to.equal(undefined);
      expect(await handovers('open', { token })).to.equal(undefined);
      const [handover, ...others] = (await handovers('closed', { token })) as { handoverType: Json; url: string }[];
      expect(others).to.deep.equal([]);
      expect(handover?.handoverType).to.deep.equal({ id: 'EDAM:3016', label: 'VCF' });
      expect(handover?.url).to.equal(`${beacon.url}/beacon/v2/datasets/closed/sites.vcf.gz`);
    });

    it('leads to all alleles with their counts, and to no sample', async () => {
      const address = `${beacon.url}/beacon/v2/datasets/closed/sites.vcf.gz`;
      const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-disposition')).to.equal('attachment; filename="closed.sites.vcf.gz"');
      const text = gunzipSync(Buffer.from(await response.arrayBuffer())).toString();
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('##'));
      // Two people have four copies: 0/1 and 1/1 are three of them.
      expect(lines.map((line) => line.split('\t'))).to.deep.equal([
        ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO'],
        ['1', '100', '.', 'A', 'C', '.', '.', 'AC=3;AN=4'],
        ['X', '3000000', '.', 'G', 'GTT', '.', '.', 'AC=1;AN=4'],
      ]);
    });

    it('is as if absent without a grant', async () => {
      const absent = await ask('/datasets/no-such/sites.vcf.gz', { token });
      expect(absent.status).to.equal(404);
      for (const [id, sender] of [
        ['closed', {}],
        ['open', {}],
        ['open', { token }],
        ['counted', { token }],
      ] as const) {
        const { status, body } = await ask(`/datasets/${id}/sites.vcf.gz`, sender);
        expect([status, body], id).to.deep.equal([404, absent.body]);
      }
      const head = await fetch(`${beacon.url}/beacon/v2/datasets/closed/sites.vcf.gz`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${token}` },
      });
      expect(head.status).to.equal(200);
    });
  });
}
