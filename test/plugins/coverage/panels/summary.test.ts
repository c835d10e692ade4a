/** A panel in the call for programs. */
import { expect } from 'chai';
import { request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { openPanelWorld } from './support.js';

interface Summary {
  length: number;
  bases_at: Record<string, number>;
  intervals: number;
  genes_not_found: { gene: string; message: string }[];
  panel?: Record<string, unknown> & { not_covered: { name: string }[] };
}

describe('summaries of genes: panels', function () {
  this.timeout(30_000);
  const world = useOnce(() => openPanelWorld({ coverage: { limits: { genes: 3 } } }));

  async function ask<Body = { child: Summary }>(fields: Record<string, unknown>, status = 200): Promise<Body> {
    const json = {
      ...{ build: 'GRCh38', samples: [{ name: 'child', coverage_file_path: 'child.d4' }] },
      ...{ coverage_threshold: 20, interval_type: 'transcripts', ...fields },
    };
    const answer = await request<Body>(`${world.server.url}/coverage/d4/genes/summary`, { json });
    expect(answer.status, answer.text).to.equal(status);
    return answer.body;
  }

  it('give genes and transcripts, and are stated', async () => {
    const { child } = await ask({ panel: 'kidney@1.9' });
    // GENA by the transcript that the panel names, 150 bases of which 100 reach 20×, and GENB with 200.
    expect(child).to.deep.include({ length: 350, bases_at: { 20: 300 }, intervals: 2 });
    expect(child.genes_not_found.map(({ message }) => message)).to.deep.equal([
      'The gene NOWHERE (HGNC:999) is not among the genes of this build',
    ]);
    expect(child.panel).to.deep.include({ reference: 'kidney@1.9', state: 'signed off', gene_names: '2026-11-01' });
    expect(child.panel?.not_covered.map(({ name }) => name)).to.deep.equal(['NOWHERE', '16p11.2 loss', 'FMR1_CGG']);
    const { child: both } = await ask({ panel: 'heart', hgnc_gene_ids: ['GENB', 'GENC'] });
    expect(both).to.deep.include({ length: 500, intervals: 2 });
    expect(both.panel).to.deep.include({ reference: 'heart@1', genes_beside: ['GENC'] });
    expect((await ask({ hgnc_gene_ids: [101] })).child).to.not.have.property('panel');
  });

  it('are refused with the field', async () => {
    const refusal = async (fields: Record<string, unknown>) => {
      const { detail } = await ask<{ detail: string | { loc: string[]; msg: string }[] }>(fields, 422);
      return typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    };
    expect(await refusal({ panel: 'kidney@7' })).to.equal(
      'body.panel: there is no panel version kidney@7 that you may use',
    );
    expect(await refusal({ panel: 'kidney@1.10' })).to.equal(
      'body.panel: kidney@1.10 and the genes of the list are more than 3 together',
    );
    expect(await refusal({ panel: 'kidney', interval_type: 'custom_intervals' })).to.match(
      /^body\.panel: cannot be combined/,
    );
    expect(await refusal({ panel: 'red', panel_confidence: 'amber' })).to.equal(
      'body.panel_confidence: no gene of red@1 has this confidence',
    );
    expect(await refusal({ panel: 7 })).to.match(/^body\.panel: /);
    expect(await refusal({ panel: '' })).to.match(/Please provide either Ensembl gene IDs/);
  });
});
