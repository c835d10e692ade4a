/** Known sites beside a report: simulated exomes over HTTP, compared with every base of their model. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { coverageSites } from '../../../../plugins/coverage/contract.js';
import { notStoredText } from '../../../../plugins/coverage/report/sections/site-tables.js';
import { loadSites } from '../../../../plugins/coverage/sites/loading.js';
import { en } from '../../../../plugins/coverage/texts/texts.js';
import { useBrowser } from '../../../support/browser.js';
import { type Compared, serveExomes } from '../comparison/support.js';
import { rowsOf } from '../pages/support/post.js';
import { tableOf } from '../pages/support/tables.js';
import { depthOf, type Exome, exomesOf, poorExon, simulatedExons } from '../support/exomes.js';
import { record, vcf } from './support.js';

const exomes = exomesOf(22);
const [first, man] = [exomes[0] as Exome, exomes.find(({ id }) => id === 'man') as Exome];
const listed = (...ids: string[]) => JSON.stringify(ids.map((id) => ({ sample_id: id })));
const genes = 'SIM1,SIM3,SIM5,SIMX,SIMPAR,SIMY';

/** The model of `writeExome`: 15 bases at each end of an exon have 60 % of its depth, and nothing else has any. */
function depthAt(exome: Exome, chromosome: string, base: number): number {
  const exon = simulatedExons.find((one) => one.chromosome === chromosome && one.start <= base && base < one.end);
  if (exon === undefined) return 0;
  const depth = depthOf(exon, exome);
  return base < exon.start + 15 || base >= exon.end - 15 ? Math.round(depth * 0.6) : depth;
}

interface Model {
  chromosome: string;
  start: number;
  end: number;
}

/** Every base from one before the reference to one after it. */
function modelOf(exome: Exome, { chromosome, start, end }: Model, level = 20) {
  const depths: number[] = [];
  for (let base = Math.max(0, start - 1); base < end + 1; base++) depths.push(depthAt(exome, chromosome, base));
  const reached = depths.filter((depth) => depth >= level).length;
  return {
    state: reached === depths.length ? 'callable' : reached === 0 ? 'not' : 'partly',
    minimum_depth: Math.min(...depths),
  };
}

const exon = (gene: string, rank: number) => {
  const found = simulatedExons.find((one) => one.gene === gene && one.rank === rank);
  if (found === undefined) throw new Error('the model has five exons for each gene');
  return found;
};

/** Sites over, around and between exons of every gene, of several lengths, and some that only name a gene. */
function records(): string[] {
  const all: string[] = [];
  const bases = 'ACGT'.repeat(50);
  let id = 0;
  for (const { gene, chromosome, start, end } of simulatedExons) {
    for (const at of [
      start - 40,
      start - 2,
      start - 1,
      start,
      start + 1,
      start + 14,
      start + 70,
      end - 16,
      end - 1,
      end,
    ]) {
      const length = [1, 1, 2, 30, 200][id % 5] as number;
      const info = { GENEINFO: `${gene}:${id}`, CLNHGVS: `NC_TEST:g.${at + 1}`, ...(id % 3 === 0 && { GENEINFO: '' }) };
      all.push(record(`${chromosome} ${at + 1} ${id++} ${bases.slice(0, length)} T`, info));
    }
  }
  // Upstream of a gene, which only the record itself names; in no gene; and in a gene that no report here has.
  all.push(record('21 9000000 named G A', { GENEINFO: 'OTHER:1|SIM1:2' }));
  all.push(record('21 9000100 nowhere G A', { GENEINFO: 'OTHER:1' }));
  return all;
}

describe('known sites beside a report', () => {
  let it_: Compared;
  const before_: Record<string, string> = {};
  const fields = { samples: listed('S001', 'man'), hgnc_gene_ids: genes, interval_type: 'exons' };

  const load = async (text: string, name?: string) => {
    const file = join(it_.folder, 'sites.vcf');
    await writeFile(file, text);
    const repository = it_.server.storage.repository(coverageSites);
    const { signal } = new AbortController();
    await loadSites({
      ...{
        repository,
        file,
        name,
        release: '2026-11',
        leastStars: 0,
        maxShrink: 0.1,
      },
      ...{ now: new Date('2026-11-20T00:00:00Z'), signal, onProgress() {} },
    });
  };
  const timeless = (text: string) =>
    text.replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:[\d.]+Z| UTC)/g, 'now').replace(/nonce="[^"]*"/g, 'nonce');

  before(async function () {
    this.timeout(120_000);
    it_ = await serveExomes(exomes);
    for (const format of ['html', 'json', 'csv'])
      before_[format] = timeless(await it_.text('report', { ...fields, format }));
    await load(vcf(records()));
  });
  after(() => it_?.close());

  it('are not mentioned without loaded sites, nor for another build', async () => {
    const repository = it_.server.storage.repository(coverageSites);
    await repository.remove('ClinVar', 'GRCh38');
    await load(vcf([record('21 10000010 1 G A')], { build: 'GRCh37' }));
    for (const format of ['html', 'json', 'csv']) {
      expect(timeless(await it_.text('report', { ...fields, format })), format).to.equal(before_[format]);
    }
    const wanted = { ...fields, format: 'csv', table: 'sites' };
    expect((await it_.text('report', wanted).catch(String)).includes('422')).to.equal(true);
    await repository.remove('ClinVar', 'GRCh37');
    await load(vcf(records()));
  });

  it('have the state and the least depth of every base of their span and one around it', async () => {
    const report = await it_.json('report', fields);
    const own = ['SIM1', 'SIM3', 'SIM5', 'SIMX', 'SIMPAR', 'SIMY'];
    const named = report.known_sites.filter(({ id }: { id: string }) => id === 'named');
    expect(named.map((one: { genes: string[] }) => one.genes)).to.deep.equal([['SIM1']]);
    const others = report.known_sites.filter(({ id }: { id: string }) => id !== 'named');
    // The last of an exon, and those before the first exon of a gene, are in no gene unless the record names it.
    const expected = records()
      .map((line) => line.split('\t'))
      .filter(([chromosome = '', position = '', id = '', reference = '', , , , info = '']) => {
        const [start, end] = [Number(position) - 1, Number(position) - 1 + reference.length];
        const symbol = /GENEINFO=([A-Z0-9]+)/.exec(info)?.[1];
        const within = own.some(
          (gene) => exon(gene, 1).chromosome === chromosome && start < exon(gene, 5).end && end > exon(gene, 1).start,
        );
        return id !== 'named' && (within || (symbol !== undefined && own.includes(symbol)));
      });
    expect(others.map(({ id }: { id: string }) => Number(id)).sort((a: number, b: number) => a - b)).to.deep.equal(
      expected.map(([, , id]) => Number(id)),
    );
    const states = new Set<string>();
    for (const site of report.known_sites) {
      for (const exome of [first, man]) {
        const { state, minimum_depth } = site.samples[exome.id];
        expect({ state, minimum_depth }, `${exome.id} ${site.id}`).to.deep.equal(modelOf(exome, site));
        states.add(state);
      }
    }
    expect([...states].sort()).to.deep.equal(['callable', 'not', 'partly']);
    for (const [i, exome] of [first, man].entries()) {
      const count = (state: string) =>
        report.known_sites.filter((site: Model) => modelOf(exome, site).state === state).length;
      expect(report.samples[i].known_sites).to.deep.equal({
        ...{
          sites: report.known_sites.length,
          callable: count('callable'),
          partly: count('partly'),
          not: count('not'),
        },
      });
    }
    const [set, ...more] = report.known_site_sets;
    expect(more).to.deep.equal([]);
    expect(set).to.include({ name: 'ClinVar', release: '2026-11', source: 'sites.vcf', sites: records().length });
  });

  it('say how many of the other samples of the assay could show them', async () => {
    // The covered runs are stored at 10x: at the threshold of 20x nothing is known.
    const at20 = await it_.json('report', fields);
    const stated = at20.known_sites.flatMap((site: { samples: object }) => Object.values(site.samples));
    expect(stated.filter((one: object) => 'assay' in one)).to.deep.equal([]);
    const cohort = exomes.filter(({ assay }) => assay === 'WES-A');
    // S001 and the man are compared with each other too.
    const { message, ...counts } = at20.known_sites_assay;
    expect(counts).to.deep.equal({ samples: cohort.length, not_stored: cohort.length, stored_thresholds: [10] });
    expect(message).to.equal(
      `${cohort.length} of ${cohort.length} other samples do not count in whether the assay usually covers a site: ` +
        'their covered regions are not stored at 20×. Use a coverage threshold of 10×, or have 20 added to ' +
        'coverage.samples.thresholds in the configuration; the next check of the samples stores the regions.',
    );
    expect(await it_.text('report', fields)).to.include(message);
    // The setting was changed, and only some samples were checked since.
    expect(notStoredText({ samples: 2, of: 22, thresholds: [10, 20] }, 20, en)).to.equal(
      '2 of 22 other samples do not count in whether the assay usually covers a site: ' +
        'their covered regions are not stored at 20×. The next check of the samples stores them.',
    );
    const swedish = 'Använd tröskelvärdet 10×, eller låt lägga till 20 i coverage.samples.thresholds';
    expect(await it_.text('report', { ...fields, lang: 'sv' })).to.include(swedish);
    expect((await it_.json('report', { ...fields, lang: 'sv' })).known_sites_assay.message).to.include(swedish);
    let [holes, own] = [0, 0];
    const at10 = await it_.json('report', { ...fields, default_level: '10' });
    expect(at10).not.to.have.property('known_sites_assay');
    for (const site of at10.known_sites.filter((_: unknown, i: number) => i % 3 === 0)) {
      for (const exome of [first, man]) {
        const { state, assay } = site.samples[exome.id];
        const isOfOneSex = site.chromosome === 'Y' || (site.chromosome === 'X' && site.start > 40_000_000);
        const others = cohort.filter(({ id, sex }) => id !== exome.id && (!isOfOneSex || sex === exome.sex));
        const someLacks = [first, man].some((one) => modelOf(one, site, 10).state !== 'callable');
        if (!someLacks || others.length === 0) {
          expect(assay, site.id).to.equal(undefined);
          continue;
        }
        const n = others.length;
        const callable = others.filter((other) => modelOf(other, site, 10).state === 'callable').length;
        const hole = n < 20 ? 'few' : callable < n / 2 ? 'assay' : 'sample';
        expect(assay, `${exome.id} ${site.id}`).to.deep.equal({ samples: n, callable, hole });
        if (state !== 'callable' && hole === 'assay') holes += 1;
        if (state !== 'callable' && hole === 'sample') own += 1;
      }
    }
    expect([holes > 0, own > 0]).to.deep.equal([true, true]);
  });

  it('say in a PDF file why nothing is known of the other samples', async function () {
    if (spawnSync('pdftotext', ['-v']).error) return this.skip();
    const body = new URLSearchParams({ ...fields, build: 'GRCh38', default_level: '20', format: 'pdf' });
    const response = await fetch(`${it_.server.url}/report`, { method: 'POST', body });
    const input = Buffer.from(await response.arrayBuffer());
    const { stdout } = spawnSync('pdftotext', ['-', '-'], { input, encoding: 'utf8' });
    const text = stdout.replace(/\s+/g, ' ');
    expect(text).to.include('their covered regions are not stored at 20×. Use a coverage threshold of 10×');
  });

  it('are listed on pages with their release, and in CSV', async () => {
    const page = await it_.text('report', { ...fields, default_level: '10' });
    expect(page).to.include('ClinVar 2026-11, loaded 2026-11-20, sha256:');
    expect(page).to.match(/At 10×: 94\.53 % for k = 3, 82\.81 % for k = 4/);
    const summary = tableOf(page, 'known_sites');
    const report = await it_.json('report', { ...fields, default_level: '10' });
    const { callable, partly, not, sites } = report.samples[0].known_sites;
    expect(summary[0]?.slice(0, 4)).to.deep.equal(['S001', 'ClinVar 2026-11', String(sites), String(callable)]);
    expect(summary[0]?.slice(5)).to.deep.equal([String(partly), String(not)]);
    expect(page).to.include('Known sites that are not callable at 10×');
    const lost = exon('SIM3', 2);
    const poor = exon('SIM5', Number(poorExon.split(':')[1]));
    expect(page).to.match(
      new RegExp(`NC_TEST:g\\.${lost.start + 71}[\\s\\S]{0,600}minimum 0×[\\s\\S]{0,200}not callable in this sample`),
    );
    expect(poor.gene).to.equal('SIM5');
    const csv = rowsOf(await it_.text('report', { ...fields, default_level: '10', format: 'csv', table: 'sites' }));
    expect(csv).to.have.lengthOf(2 * report.known_sites.length);
    const row = csv.find(({ first: at, sample }) => at === String(lost.start + 71) && sample === 'S001');
    expect(row).to.include({
      source: 'ClinVar',
      release: '2026-11',
      gene: 'SIM3',
      state: 'not',
      minimum_depth: '0',
      stars: '2',
    });
    expect(row).to.include({ assay_samples: '22', assay_callable: '22', hole: 'sample', threshold: '10' });
    const counts = rowsOf(await it_.text('report', { ...fields, format: 'csv', table: 'known_sites' }));
    expect(counts.map(({ sample, sites: all }) => [sample, all])).to.deep.equal([
      ['S001', String(sites)],
      ['man', String(sites)],
    ]);
    const swedish = await it_.text('report', { ...fields, default_level: '10', lang: 'sv' });
    expect(swedish).to.include('Kända varianter som inte är bedömbara vid 10×');
  });

  describe('in a browser', () => {
    const browser = useBrowser(async () => ({ url: it_.server.url, close: async () => {} }));

    it('have names that break within their column, and lists of a trio that fit a desktop', async () => {
      const long = `NC_000021.9:g.10000001delins${'TTATGGCAAT'.repeat(12)}`;
      await load(vcf([record(`21 ${exon('SIM2', 1).end} 1 G A`, { CLNHGVS: long })]), 'Own');
      const trio = { ...fields, samples: listed('S001', 'man', 'S003'), hgnc_gene_ids: 'SIM2', default_level: '10' };
      const page = await browser.blank({ viewport: { width: 1280, height: 900 } });
      const body = await it_.text('report', trio);
      const address = `${it_.server.url}/report`;
      await page.route(address, (route) => route.fulfill({ body, contentType: 'text/html; charset=utf-8' }));
      await page.goto(address);
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      const wide = await page.evaluate(
        `[...document.querySelectorAll('[aria-label^="Known sites that"], [aria-label^="Known sites that"] :is(th, td, li)')]
          .filter((one) => one.scrollWidth > one.clientWidth && one.clientWidth > 0).map((one) => one.outerHTML)`,
      );
      expect(wide).to.deep.equal([]);
      expect(await page.locator('[aria-label^="Known sites that"]', { hasText: long }).count()).to.be.above(0);
      await page.unroute(address);
      await it_.server.storage.repository(coverageSites).remove('Own', 'GRCh38');
    });
  });

  it('say so if a gene has none, and if all are callable', async () => {
    const none = await it_.json('report', { ...fields, hgnc_gene_ids: 'SIM9' });
    expect(none.known_sites.length).to.equal(50);
    await load(vcf([record(`21 ${exon('SIM2', 1).start + 70} 1 G A`)]), 'Own');
    const page = await it_.text('report', { ...fields, hgnc_gene_ids: 'SIM2' });
    expect(tableOf(page, 'known_sites').map(([sample, source, sites]) => [sample, source, sites])).to.deep.include([
      'S001',
      'Own 2026-11',
      '1',
    ]);
    await it_.server.storage.repository(coverageSites).remove('ClinVar', 'GRCh38');
    const own = await it_.text('report', { ...fields, hgnc_gene_ids: 'SIM2' });
    expect(own).to.include('Every known site is callable in every sample.');
    const without = await it_.json('report', { ...fields, hgnc_gene_ids: 'SIM3' });
    expect([without.known_sites, without.samples[0].known_sites.sites]).to.deep.equal([[], 0]);
  });
});
