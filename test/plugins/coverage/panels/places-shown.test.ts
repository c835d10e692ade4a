/** What pages, files and kept reports say of the regions and repeats of a panel. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { panels } from '../../../../plugins/panels/contract.js';
import { useOnce } from '../../../support/use.js';
import { contentOf, draft, exons, geneA, openPanelWorld } from './support.js';

/** From the last 50 bases before GENA to the middle of its second exon, of which the sample has depth 5. */
const region = { start: exons.first.start - 50, end: exons.second.start + 25 };
const place = ({ start, end }: { start: number; end: number }, chromosome = '21') =>
  `${chromosome}:${start + 1}-${end} (GRCh38)`;

describe('reports on panels: what they say of regions and repeats', function () {
  this.timeout(60_000);
  const world = useOnce(async () => {
    const opened = await openPanelWorld({ coverage: { reports: { days: 1 } } });
    const others = [
      {
        ...{ kind: 'region' as const, name: '21q21 loss', confidence: 'green' as const, place: place(region) },
        detail: 'copy number loss, overlap of 60 % required',
      },
      {
        ...{ kind: 'str' as const, name: 'GENA_CAG', confidence: 'amber' as const, place: place(exons.second) },
        detail: 'repeat CAG, pathogenic from 40',
      },
      { kind: 'region' as const, name: '1p36 loss', confidence: 'green' as const, place: place(region, '1') },
      { kind: 'region' as const, name: 'only 37', confidence: 'green' as const, place: '21:5-9 (GRCh37)' },
    ];
    const repository = opened.server.repository(panels);
    await repository.add(draft('places', '1', contentOf([geneA], { others })));
    const core = others.map((one) => ({ ...one, core: true as const }));
    await repository.add(draft('core', '1', contentOf([geneA], { others: core.slice(0, 2) })));
    await repository.add(draft('lost', '1', contentOf([geneA], { others: core })));
    return opened;
  });
  const fields = {
    panel: 'places@1',
    transcripts: 'all',
    sample_name_1: 'child',
    sample_file_1: 'child.d4',
    samples: '',
  };
  const token = async () => ({ 'X-Auth-Token': await world.server.token('panels:read') });
  const text = async (more: Record<string, string>) =>
    (await world.ask('report', { ...fields, ...more }, await token())).text();
  const read = async (more: Record<string, string> = {}) =>
    (await text({ format: 'html', ...more }))
      .replace(/<(style|script|form)[\s\S]*?<\/\1>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');

  it('is on the page, apart from the genes, and in Swedish', async () => {
    const page = await read();
    for (const sentence of [
      'Regions of the panel Depth only: neither copy numbers nor the length of repeats are measured.',
      '21q21 loss child 21:9999951-10002025 125 exonic bases of the genes in it: GENA copy number loss, overlap of 60 % required',
      'overlap of 60 % required 25× 80.00 % ▾ 80.00 % 25 bp 21:10002001-10002025',
      'GENA_CAG child 21:10002001-10002050 all 50 bases depth only: the repeat length is not measured repeat CAG, pathogenic from 40',
      'pathogenic from 40 5× 0.00 % ▾ 0.00 % 50 bp 21:10002001-10002050',
      'Of the panel, this report does not include: 2 regions.',
      '1p36 loss region 1:9999951-10002025 (GRCh38) not looked at: no coding bases of genes in it are known',
      'only 37 region 21:5-9 (GRCh37) not looked at: the panel does not say where it is on GRCh38',
    ])
      expect(page).to.include(sentence);
    const swedish = await read({ lang: 'sv' });
    for (const sentence of [
      'Panelens regioner Endast läsdjup: varken kopietal eller repetitioners längd mäts.',
      '125 exonbaser i generna inom den: GENA',
      'endast läsdjup: repetitionens längd mäts inte',
      'inte granskad: panelen anger inte var den ligger i GRCh38',
    ])
      expect(swedish).to.include(sentence);
    expect(await read({ panel: 'heart@1' })).to.not.include('Regions of the panel');
  });

  it('are whole regions in reports on whole genes, and 0 of what a file does not have, with a warning', async () => {
    const page = await read({ interval_type: 'genes' });
    expect(page).to.include('1:9999951-10002025 all 2,075 bases');
    expect(page).to.include('all 2,075 bases 0× 0.00 % ▾ 0.00 % 2,075 bp 1:9999951-10002025');
    expect(page).to.include('The coverage file has no chromosome 1: no depths in the file, counted as 0.');
  });

  it('enters a requirement if the panel calls it core', async () => {
    const csv = await text({ panel: 'core@1', format: 'csv', table: 'requirement' });
    expect(csv.split('\r\n')[1]).to.match(/^child,.*,no,21q21 loss 80.00 % GENA_CAG 0.00 %,GENA 66.67 %,core@1/);
    const page = await read({ panel: 'lost@1' });
    expect(page)
      .to.include('21q21 loss (core)')
      .and.to.match(/were not measured, so that the requirement is not met: 1p36 loss, only 37\./);
  });

  it('is in PDF and in kept reports', async function () {
    const kept = await world.ask('report', { ...fields, keep: 'true', format: 'html' }, await token());
    const id = kept.headers.get('report-id');
    const headers = { 'X-Auth-Token': await world.server.token('coverage:reports', 'panels:read') };
    const again = await fetch(`${world.server.url}/coverage/reports/${id}`, { headers });
    const body = await again.text();
    expect(body, `${again.status}`).to.include('depth only: the repeat length is not measured');
    if (spawnSync('pdftotext', ['-v']).error) return this.skip();
    const input = Buffer.from(
      await (await world.ask('report', { ...fields, format: 'pdf' }, await token())).arrayBuffer(),
    );
    const words = spawnSync('pdftotext', ['-layout', '-', '-'], { input }).stdout.toString().replace(/\s+/g, ' ');
    expect(words).to.include('Repeats of the panel').and.to.include('21:10002001-10002050');
  });
});

describe('reports on panels: regions with very many genes', function () {
  this.timeout(60_000);
  const world = useOnce(() => openPanelWorld({ coverage: { limits: { genes: 1 } } }));

  it('are not looked at beyond the limit of genes, and say so', async () => {
    const entry = (name: string, from: number, to: number) => {
      return { kind: 'region' as const, name, confidence: 'green' as const, place: `21:${from}-${to} (GRCh38)` };
    };
    const others = [
      entry('A', 10_000_001, 10_000_020),
      entry('A, B', 9_000_001, 10_150_000),
      entry('a', 10_000_005, 10_000_006),
    ];
    await world.server.repository(panels).add(draft('wide', '1', contentOf([geneA], { others })));
    const token = await world.server.token('panels:read');
    const response = await world.ask('report', { panel: 'wide@1', format: 'json' }, { 'X-Auth-Token': token });
    const found = (await response.json()) as {
      panel_regions: { name: string }[];
      panel_version: { not_covered: { name: string; reason: string }[] };
    };
    expect(found.panel_regions.map(({ name }) => name)).to.deep.equal(['A', 'a']);
    expect(found.panel_version.not_covered.map(({ name, reason }) => [name, reason])).to.deep.equal([
      ['A, B', 'too-many-genes'],
    ]);
  });
});
