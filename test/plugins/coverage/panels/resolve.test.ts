/** A report that names a panel measures its genes. */
import { expect } from 'chai';
import { useOnce } from '../../../support/use.js';
import { openPanelWorld } from './support.js';

interface Report {
  panel: string | null;
  intervals: {
    gene: string;
    interval: string;
    samples: Record<string, { length: number; bases_at: Record<string, number> }>;
  }[];
  genes_not_found: { gene: string; reason: string }[];
  detail: { loc: string[]; msg: string }[];
}

describe('reports on panels', function () {
  this.timeout(30_000);
  const world = useOnce(() => openPanelWorld());

  const measured = ({ intervals }: Report) => intervals.map(({ gene, interval }) => `${gene} ${interval}`);
  const refusal = async (fields: Record<string, string>, page = 'report') => {
    const { detail } = await world.json<Report>(page, fields, 422);
    return detail.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`);
  };

  it('measure the genes of the version, then others that the form lists', async () => {
    const alone = await world.json<Report>('report', { panel: 'kidney@1.9' });
    // NM_000112.1 is wanted instead of MANE Select; its version 3 is loaded. It has 100 + 50 bases, of which 100 reach 20×.
    expect(measured(alone)).to.deep.equal(['GENA ENST00000000112', 'GENB ENST00000000121']);
    expect(alone.intervals[0]?.samples.child).to.deep.include({ length: 150, bases_at: { 10: 100, 20: 100 } });
    expect(alone.genes_not_found.map(({ gene, reason }) => [gene, reason])).to.deep.equal([
      ['HGNC:999', 'not-in-build'],
    ]);

    const both = await world.json<Report>('report', { panel: 'kidney@1.9', hgnc_gene_ids: 'GENC,GENB,HGNC:101' });
    expect(measured(both)).to.deep.equal([...measured(alone), 'GENC ENST00000000131']);
  });

  it('take the latest signed-off version if none is named', async () => {
    const latest = await world.json<Report>('report', { panel: 'kidney' });
    expect(measured(latest)).to.deep.equal(['GENA ENST00000000112', 'GENB ENST00000000121', 'GENC ENST00000000131']);
  });

  it('measure the genes of a confidence', async () => {
    const green = await world.json<Report>('report', { panel: 'kidney', panel_confidence: 'green' });
    expect(measured(green)).to.deep.equal(['GENA ENST00000000112']);
    const amber = await world.json<Report>('report', { panel: 'kidney', panel_confidence: 'amber' });
    expect(measured(amber)).to.deep.equal(['GENA ENST00000000112', 'GENB ENST00000000121']);
    expect(await refusal({ panel: 'red', panel_confidence: 'green' })).to.deep.equal([
      'panel_confidence: no gene of red@1 has this confidence',
    ]);
    expect(await refusal({ panel: 'red', panel_confidence: 'blue' })).to.deep.equal([
      'panel_confidence: must be one of all, amber, green',
    ]);
  });

  it('keep to the rule of transcripts that the form names', async () => {
    const select = await world.json<Report>('report', { panel: 'kidney@1.9', transcripts: 'mane_select' });
    expect(measured(select)).to.deep.equal(['GENA ENST00000000111', 'GENB ENST00000000121']);
    const mane = await world.json<Report>('mane_overview', { panel: 'kidney@1.9' });
    expect(measured(mane)).to.deep.equal(measured(select));
  });

  it('take drafts for an API token with the right to read them, though reports need none', async () => {
    const statusFor = async (token: string, panel = 'kidney@2.1') =>
      (await world.ask('report', { panel, format: 'json' }, { 'x-auth-token': token })).status;
    expect(await statusFor(await world.server.token('panels:read'))).to.equal(200);
    expect(await statusFor(await world.server.token('panels:read:kidney'))).to.equal(200);
    expect(await statusFor(await world.server.token('panels:read:heart'))).to.equal(422);
    expect(await statusFor('no token')).to.equal(422);
    // A token that is not needed is not looked at.
    expect(await statusFor('no token', 'kidney@1.9')).to.equal(200);
  });

  it('are refused for panels that do not exist, or that are not for the caller', async () => {
    const absent = (reference: string) => [`panel: there is no panel version ${reference} that you may use`];
    for (const reference of [
      'kidney@9',
      'other@1',
      'kidney@2',
      'kidney@3',
      'kidney@',
      '@1',
      'kidney@1@2',
      'kidney@x',
    ]) {
      expect(await refusal({ panel: reference }), reference).to.deep.equal(absent(reference));
    }
    for (const reference of ['other', 'sketch', 'KIDNEY', '<b>', '1'.repeat(200)]) {
      expect(await refusal({ panel: reference }), reference).to.deep.equal([
        `panel: there is no panel ${reference} with a signed-off version that you may use`,
      ]);
    }
    expect(await refusal({ panel: 'k'.repeat(201) })).to.deep.equal(['panel: is longer than 200 characters']);
    expect(
      await refusal({ panel: 'kidney', interval_type: 'custom_intervals', intervals_bed: '21\t1\t9' }),
    ).to.deep.equal([
      'panel: cannot be combined with BED lines: choose genes, transcripts or exons, or leave it empty',
    ]);
  });
});

describe('reports on panels without the plugin', function () {
  this.timeout(30_000);
  const world = useOnce(() => openPanelWorld({ withPanels: false, coverage: { limits: { genes: 2 } } }));

  it('are refused, and others are made', async () => {
    const { detail } = await world.json<Report>('report', { panel: 'kidney@1.9' }, 422);
    expect(detail.map(({ msg }) => msg)).to.deep.equal([
      'cannot be used: this server keeps no gene panels (its plugin panels is not enabled)',
    ]);
    const { intervals } = await world.json<Report>('report', { panel: ' ', hgnc_gene_ids: 'GENA' });
    expect(intervals.map(({ interval }) => interval)).to.deep.equal(['ENST00000000111']);
  });
});
