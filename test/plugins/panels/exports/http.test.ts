/** `GET /panels/ID/VERSION.bed`, with the genes that the demo loads. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveForTest, type TestServer } from '../../../../core/testing.js';
import { coverage } from '../../../../plugins/coverage/contract.js';
import { addDemo, demoFolder } from '../../../../plugins/coverage/demo/demo.js';
import { panels } from '../../../../plugins/panels/contract.js';
import type { PanelContent } from '../../../../plugins/panels/versions/content.js';
import { draftVersion } from '../../../../plugins/panels/versions/lifecycle.js';
import { request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';

const at = new Date('2026-11-02T10:00:00Z');
const content: PanelContent = {
  name: 'Folate',
  genes: [
    { hgnc: 7436, symbol: 'MTHFR', confidence: 'green' },
    { hgnc: 11311, symbol: 'SRY', confidence: 'amber' },
    { hgnc: 77777, symbol: 'NOWHERE', confidence: 'green' },
  ],
  source: { kind: 'person', name: 'anna', read: at.toISOString() },
};

describe('panels as BED over HTTP', function () {
  this.timeout(30_000);
  const server = useOnce(() => serveForTest({ plugins: { panels: {}, coverage: {} } }));
  let reader = '';
  before(async () => {
    await addDemo(server.repository(coverage), at);
    await server.repository(panels).add(draftVersion('folate', '1.2', content, { by: 'anna', at }));
    reader = await server.token('panels:read');
  });

  const ask = (path: string, token = reader, from = server) => request(`${from.url}/panels/${path}`, { token });
  const lines = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

  it('have the exons of each gene, and name the genes without', async () => {
    const { status, headers, text } = await ask('folate/1.2.bed?build=GRCh38&chromosomes=chr');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(headers.get('content-disposition')).to.equal('attachment; filename="folate-1.2-GRCh38.bed"');
    const [, transcript = ''] = /\|MTHFR\|(ENST\d+)\|/.exec(text) ?? [];
    const ofMthfr = lines(text).filter((line) => line.includes('|MTHFR|'));
    expect(ofMthfr.sort()).to.deep.equal(await exonsInGtf(transcript));
    expect(lines(text).filter((line) => line.startsWith('chrY\t'))).to.have.length(1);
    expect(text).to.match(/^# No lines: HGNC:77777 NOWHERE: not among the genes of GRCh38$/m);
    const [, hash] = /^# SHA-256 of the lines without #: ([0-9a-f]{64})$/m.exec(text) ?? [];
    const body = lines(text).map((line) => `${line}\n`);
    expect(hash).to.equal(createHash('sha256').update(body.join('')).digest('hex'));
  });

  /** The lines of a transcript of MTHFR, from the demo's GTF, whose positions are 1-based with both ends. */
  async function exonsInGtf(transcript: string): Promise<string[]> {
    const gtf = await readFile(join(demoFolder, 'intervals.GRCh38.gtf'), 'utf8');
    const exons = gtf.split('\n').flatMap((line) => {
      const [contig, , kind, first, last] = line.split('\t');
      const [, rank] = /exon_number "(\d+)"/.exec(line) ?? [];
      if (kind !== 'exon' || !line.includes(`"${transcript}"`)) return [];
      return [`chr${contig}\t${Number(first) - 1}\t${last}\tHGNC:7436|MTHFR|${transcript}|${rank}`];
    });
    expect(exons).to.have.length.greaterThan(5);
    return exons.sort();
  }

  it('leave out genes by confidence, and say which', async () => {
    const { text } = await ask('folate/1.2.bed?build=GRCh38&confidence=green&padding=10');
    expect(text).to.include('# Left out as amber: HGNC:11311 SRY\n').and.not.include('|SRY|');
    const widths = (bed: string) => lines(bed).map((line) => Number(line.split('\t')[2]) - Number(line.split('\t')[1]));
    const { text: plain } = await ask('folate/1.2.bed?build=GRCh38&confidence=green');
    expect(widths(text)).to.deep.equal(widths(plain).map((width) => width + 20));
  });

  it('are for callers who may read the panel; others learn nothing', async () => {
    const query = 'bed?build=GRCh38';
    const limited = await server.token('panels:read:other');
    const plain = (text: string) => text.replace(/"requestId":"[^"]*"/, '').replaceAll('ghost', 'folate');
    const [foreign, absent] = [await ask(`folate/1.2.${query}`, limited), await ask(`ghost/1.2.${query}`, limited)];
    expect([foreign.status, plain(foreign.text)]).to.deep.equal([404, plain(absent.text)]);
    expect((await ask(`folate/1.2.${query}`, 'nobody')).status).to.equal(401);
    expect((await ask(`folate/1.2.${query}`, await server.token('coverage:read'))).status).to.equal(403);
  });

  it('refuse rubbish with a sentence', async () => {
    for (const [query, status, detail] of [
      ['1.2.bed', 400, 'build: expected GRCh37 or GRCh38'],
      ['1.2.bed?build=hg19', 400, 'build: expected GRCh37 or GRCh38'],
      ['1.2.bed?build=GRCh38&padding=-1', 400, 'padding: expected a whole number of bases up to 10000'],
      ['1.2.bed?build=GRCh38&padding=1.5', 400, 'padding: expected a whole number of bases up to 10000'],
      ['1.2.bed?build=GRCh38&padding=ten', 400, 'padding: expected a whole number of bases up to 10000'],
      ['1.2.bed?build=GRCh38&transcripts=longest', 400, 'transcripts: expected preferred, mane, '],
      ['1.2.bed?build=GRCh38&confidence=red', 400, 'confidence: expected all, amber, green'],
      ['9.bed?build=GRCh38', 404, 'There is no version folate@9'],
      ['1.x.bed?build=GRCh38', 400, 'version: expected dotted whole numbers'],
    ] as const) {
      const { status: found, text } = await ask(`folate/${query}`);
      expect([found, (JSON.parse(text) as { detail: string }).detail.slice(0, detail.length)], query).to.deep.equal([
        status,
        detail,
      ]);
    }
  });

  const pageOf = async (from: TestServer, token: string) =>
    (await fetch(`${from.url}/panels/folate/1.2`, { headers: { 'x-auth-token': token, accept: 'text/html' } })).text();

  it('are offered on the page of the version, whose form has only values that are taken', async () => {
    const page = await pageOf(server, reader);
    const [, form = ''] = /<form[^>]* action="\/panels\/folate\/1\.2\.bed">(.*?)<\/form>/s.exec(page) ?? [];
    const fields = [...form.matchAll(/<select [^>]*name="(\w+)">(.*?)<\/select>/gs)].map(
      ([, name = '', options = '']) => ({
        name,
        values: [...options.matchAll(/<option value="(\w+)"/g)].map(([, value = '']) => value),
      }),
    );
    expect(fields.map(({ name }) => name)).to.deep.equal(['build', 'transcripts', 'confidence', 'chromosomes']);
    for (const { name, values } of fields) {
      expect(values, name).to.have.length.greaterThan(1);
      for (const value of values.filter((one) => one !== 'GRCh37')) {
        const query = new URLSearchParams({ build: 'GRCh38', padding: '20', [name]: value });
        expect((await ask(`folate/1.2.bed?${query}`)).status, `${query}`).to.equal(200);
      }
    }
  });

  it('need the coverage plugin and its genes', async () => {
    const alone = await serveForTest({ plugins: { panels: {} } });
    try {
      await alone.repository(panels).add(draftVersion('folate', '1.2', content, { by: 'anna', at }));
      const token = await alone.token('panels:read');
      expect(await pageOf(alone, token))
        .to.include('Folate 1.2')
        .and.not.include('.bed');
      const { status, text } = await ask('folate/1.2.bed?build=GRCh38', token, alone);
      expect([status, (JSON.parse(text) as { detail: string }).detail]).to.deep.equal([
        503,
        'Positions of genes are those of the plugin coverage, which is not enabled',
      ]);
    } finally {
      await alone.close();
    }
  });

  it('are described in the API documentation beside the version itself', async () => {
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    expect(Object.keys(paths)).to.include.members(['/panels/{panel}/{version}', '/panels/{panel}/{version}.bed']);
    expect((await ask('folate/1.2')).text).to.include('"version":"1.2"');
  });
});
