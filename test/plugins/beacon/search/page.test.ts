/** The search page over HTTP: what it finds, what it tells whom, and what it says of a field that it cannot read. */
import { expect } from 'chai';
import { issueToken } from '../../../../core/auth/access.js';
import { memorySubject } from '../../../kit/memory.js';
import { request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { alerts, rows } from '../support/form.js';
import { addRecords, dataset, serveBeacon } from '../support/serve.js';

const small = ['1', '100', '.', 'A', 'C', '.', 'PASS', '.', 'GT', '0/1', '1/1'].join('\t');
const insertion = ['1', '150', '.', 'G', 'GTT', '.', 'PASS', '.', 'GT', '0/1', '0/0'].join('\t');
const deletion = ['1', '300', '.', 'N', '<DEL>', '.', 'PASS', 'SVTYPE=DEL;END=400', 'GT', '0/1', '0/0'].join('\t');
/** Its two sides, far from the rest. */
const junction = [
  ['1', '9000', 'here', 'G', 'G]2:70]', '.', 'PASS', 'SVTYPE=BND;MATEID=there', 'GT', '0/1', '0/0'],
  ['2', '70', 'there', 'C', 'C]1:9000]', '.', 'PASS', 'SVTYPE=BND;MATEID=here', 'GT', '0/1', '0/0'],
].map((fields) => fields.join('\t'));

describe('search page', () => {
  const disclosure = { datasets: { counted: 'count', told: 'boolean' } };
  const beacon = useOnce(() => serveBeacon(memorySubject, { settings: { disclosure } }));
  before(async () => {
    for (const [id, more] of Object.entries({
      open: {},
      counted: {},
      told: {},
      closed: { access: 'REGISTERED' as const },
      newer: { assembly: 'GRCh38' as const },
    })) {
      await addRecords(beacon.repository, id, [small, insertion, deletion, ...junction], more);
    }
    await beacon.genes.replaceGenes(
      'GRCh37',
      [{ ensembl: 'ENSG00000000001', hgnc: 1, symbol: 'AAA1', contig: '1', start: 120, end: 350 }],
      new Date(),
    );
  });

  const search = (query: Record<string, string>, headers: Record<string, string> = {}) =>
    request(`${beacon.url}/beacon/search`, { query, headers });
  const ask = (q: string, more: Record<string, string> = {}) => search({ q, assemblyId: 'GRCh37', ...more });

  it('tells of each dataset as much as its policy allows, and nothing of closed ones', async () => {
    const { status, text } = await ask('1-100-A-C');
    expect(status).to.equal(200);
    const [counted, open, told, ...others] = rows(text);
    expect(counted).to.deep.equal(['Dataset counted counted', 'found', '1', '2', 'not told']);
    expect(open).to.deep.equal(['Dataset open open', 'found', '1', '2', 'not told']);
    expect(told).to.deep.equal(['Dataset told told', 'found', 'not told', 'not told', 'not told']);
    expect(others).to.deep.equal([]);
    expect(text).not.to.include('closed');
    // One variant is listed: that of the dataset whose records are open. Its three copies are those of 0/1 and 1/1.
    expect(text.match(/<td[^>]*>Dataset [a-z]+<\/span>|title="[a-z]+">Dataset/g)).to.deep.equal([
      'title="open">Dataset',
    ]);
    expect(text)
      .to.match(/1:100<\/th>/)
      .and.to.include('A&gt;C');
  });

  it('shows closed datasets to those who may query them', async () => {
    const scopes = ['beacon:read:closed'];
    const { token } = await issueToken(beacon.tokens, { owner: 'Lab', scopes }, new Date());
    const fields = { q: '1:100', assemblyId: 'GRCh37' };
    const { text } = await search(fields, { 'X-Auth-Token': token });
    expect(rows(text)[0]).to.deep.equal(['Dataset closed closed', 'found', '1', '2']);
    const { status } = await search(fields, { 'X-Auth-Token': 'wrong' });
    expect(status).to.equal(401);
  });

  it('finds by gene, HGVS, place and VCF line', async () => {
    const open = async (q: string) => rows((await ask(q)).text).find(([name]) => name === 'Dataset open open');
    expect(await open('ENSG00000000001')).to.deep.equal(['Dataset open open', 'found', '2', '1']);
    expect(await open('HGNC:1')).to.deep.equal(['Dataset open open', 'found', '2', '1']);
    expect((await open('NC_000001.10:g.100A>C'))?.slice(1, 4)).to.deep.equal(['found', '1', '2']);
    expect(await open('1:90-160')).to.deep.equal(['Dataset open open', 'found', '2', '2']);
    expect(await open(deletion)).to.deep.equal(['Dataset open open', 'found', '1', '1']);
    expect((await open('chr1:150 G>GTT'))?.slice(1, 4)).to.deep.equal(['found', '1', '1']);
    expect((await open('1-100-A-G'))?.slice(1, 4)).to.deep.equal(['not found', '0', '0']);
  });

  it('counts as many variants as it lists, and as Beacon v2 counts: both records of a junction', async () => {
    const { text } = await ask('1:8990-9010');
    const [counted, open] = rows(text);
    expect(counted).to.deep.equal(['Dataset counted counted', 'found', '2', '1']);
    expect(open).to.deep.equal(['Dataset open open', 'found', '2', '1']);
    expect(text).to.include('2 variants, by place');
    const place = 'assemblyId=GRCh37&referenceName=1&start=8989&end=9010&datasetIds=open&requestedGranularity=count';
    const response = await fetch(`${beacon.url}/beacon/v2/g_variants?${place}`);
    expect(((await response.json()) as { responseSummary: object }).responseSummary).to.include({ numTotalResults: 2 });
  });

  it('says what is wrong in a sentence, with status 200', async () => {
    const sentence = async (fields: Record<string, string>) => {
      const { status, text } = await search(fields);
      expect(status).to.equal(200);
      const [found, ...others] = alerts(text);
      expect(others).to.deep.equal([]);
      return found;
    };
    expect(await sentence({ q: '1-100-A-C' })).to.match(/assemblyId is missing: the datasets are of GRCh37 and GRCh38/);
    expect(await sentence({ q: '1-100-A-C', assemblyId: 'hg17' })).to.match(/assemblyId must be GRCh37 or GRCh38/);
    expect(await sentence({ q: 'NM_1:c.1A>G', assemblyId: 'GRCh37' })).to.match(
      /Changes of transcripts.*no annotations/,
    );
    expect(await sentence({ q: 'A'.repeat(10_001), assemblyId: 'GRCh37' })).to.match(/can hold 10,000 characters/);
    expect(await sentence({ q: '??', assemblyId: 'GRCh37', lang: 'sv' })).to.match(/^danger: Detta är varken en gen/);
  });

  it('picks the assembly if all datasets that the caller may search have one', async () => {
    const picked = (text: string) => text.match(/<option value="(\w*)"[^>]* selected/)?.[1] ?? '';
    expect(picked((await search({})).text)).to.equal('');
    const one = await serveBeacon(memorySubject, {});
    try {
      await one.repository.addDataset(dataset('open'), new Date());
      await one.repository.addDataset(dataset('closed', { access: 'REGISTERED', assembly: 'GRCh38' }), new Date());
      const page = async (fields: string) => (await fetch(`${one.url}/beacon/search?${fields}`)).text();
      expect(picked(await page(''))).to.equal('GRCh37');
      expect(picked(await page('q=1-100-A-C'))).to.equal('GRCh37');
      expect(picked(await page('q=1-100-A-C&assemblyId=GRCh38'))).to.equal('GRCh38');
    } finally {
      await one.close();
    }
  });

  it('warns of a gene that is not known', async () => {
    expect(alerts((await ask('BBB2')).text)).to.deep.equal([
      'secondary: Not found in any dataset that you may search',
      'warning: geneId: no gene "BBB2" is known in GRCh37; it is looked up by symbol, HGNC id and Ensembl id',
    ]);
  });

  it('speaks the language of the browser, or that of its link', async () => {
    const fields = { q: '1-100-A-C', assemblyId: 'GRCh37' };
    const swedish = await search(fields, { 'Accept-Language': 'sv-SE, en;q=0.5' });
    expect(swedish.text).to.include('<html lang="sv">').and.to.include('Hittad i 3 datamängder');
    expect(swedish.headers.get('vary')).to.match(/Accept-Language/);
    expect((await search({ ...fields, lang: 'en' }, { 'Accept-Language': 'sv' })).text).to.include(
      'Found in 3 datasets',
    );
    expect((await search({ ...fields, lang: 'xx' })).text).to.include('<html lang="en">');
  });

  it('keeps what was typed, without markup of its own', async () => {
    const { text } = await ask('<img src=x onerror="alert(1)">');
    expect(text).to.include('value="&lt;img src=x onerror=&quot;alert(1)&quot;&gt;"').and.not.to.include('<img');
  });

  it('offers examples that are found', async () => {
    const { text } = await search({});
    const links = [...text.matchAll(/<a href="(\?q=[^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
    expect(links).to.have.length(2);
    for (const link of links) {
      const found = await (await fetch(`${beacon.url}/beacon/search${link}`)).text();
      expect(alerts(found)[0]).to.match(/^success: Found in/);
    }
  });
});
