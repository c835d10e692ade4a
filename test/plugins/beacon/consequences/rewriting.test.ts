/**
 * A reference that is loaded after annotated files: alleles are found by gene, change and effect in their new form with what was
 * said of them, allele fractions and phases come along, in plain and protected datasets, of loads that wait as well.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { jobs } from '../../../../core/jobs/contract.js';
import { type Allele, alleleKey, pairNumber } from '../../../../plugins/beacon/contract.js';
import { small } from '../../../conformance/beacon/build.js';
import { request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { engines } from '../support/engines.js';
import { tokenWith } from '../support/observed.js';
import { fastaOf, loadFasta } from '../support/reference.js';
import { dataset, type Json } from '../support/serve.js';
import { vcf } from '../support/vcf.js';
import { serveWriter, until } from '../support/write.js';

const sequence = `G${'CA'.repeat(6)}TGG${'T'.repeat(6)}ACGACGACGAAGGCC`;
/** One unit less, as three files write it, and where it is once it is left-aligned. */
const spellings = [9, 7, 5];
const aligned = small('1', 0, 'GCA', 'G');
const neighbours: readonly Allele[] = [small('1', 25, 'A', 'C'), small('1', 26, 'C', 'G')];
const pair = pairNumber('1', ...(neighbours as [Allele, Allele])) as number;

const header = [
  '##VEP="v110"',
  '##INFO=<ID=CSQ,Number=.,Type=String,Description="Annotations from VEP. Format: Allele|Consequence|SYMBOL|HGNC_ID|HGVSp">',
];
const deletion = (position: number) =>
  `1 ${position} . ACA A . . CSQ=-|inframe_deletion|DEL|100|p.Lys2del GT:AF 0/1:0.2`;
const phased = [
  '1 26 . A C . . CSQ=C|missense_variant|SUB|200|p.Thr8Pro GT:AF 0|1:0.5',
  '1 27 . C G . . CSQ=G|missense_variant|SUB|200|p.Thr8Arg GT:AF 0|1:0.5',
];
const other = ['1 30 . A T . . . GT:AF 0/1:0.5'];

for (const engine of engines) {
  describe(`beacon: annotated alleles that are left-aligned later (${engine.name})`, function () {
    this.timeout(60_000);
    let folder = '';
    const server = useOnce(async () => {
      folder = await mkdtemp(join(tmpdir(), 'trefoil-rewriting-'));
      const settings = { references: { folder }, protection: { datasets: { closed: { batch: 2 } } } };
      return serveWriter(engine, { settings });
    });
    after(() => rm(folder, { recursive: true, force: true }));

    const load = async (id: string, sample: string, records: readonly string[], more: object = {}) => {
      const vcf_path = await server.file('new.vcf', vcf({ samples: [sample], header, records: [...records] }));
      const job = await server.ended(
        await server.send('add', { dataset_id: id, assemblyId: 'GRCh37', vcf_path, ...more }),
      );
      expect(job.state, String(job.error)).to.equal('done');
    };
    const replace = (id: string, sample: string, records: readonly string[]) =>
      load(id, sample, records, { replace: true, force: true });
    const isAligned = async (id: string) => (await server.repository.dataset(id))?.alignedTo !== undefined;
    const get = async (path: string, query: Record<string, string>) => {
      const headers = { 'X-Auth-Token': await tokenWith(server, 'beacon:observe', 'beacon:read') };
      const { status, body, text } = await request(`${server.url}${path}`, { query, headers });
      expect(status, text).to.equal(200);
      return body;
    };
    /** The alleles that v2 finds, by place. */
    const variants = async (datasets: string, query: Record<string, string>) => {
      const asked = { assemblyId: 'GRCh37', datasets, requestedGranularity: 'record', ...query };
      const { response } = (await get('/beacon/v2/g_variants', asked)) as { response?: { resultSets: Json[] } };
      const results = (response?.resultSets ?? []).flatMap((one) => (one.results ?? []) as { variation: Json }[]);
      return results.map(({ variation }) => {
        const { location, referenceBases, alternateBases } = variation as Record<string, Json>;
        const { interval } = location as { interval: { start: Json } };
        return [interval.start.value, referenceBases, alternateBases].join('-');
      });
    };
    const rewrite = async () => {
      await loadFasta(folder, fastaOf({ chr1: sequence }));
      const now = new Date();
      const key = 'beacon.rewrite';
      await until(async () => {
        const job = { id: `rewrite-${Date.now()}`, kind: key, payload: {}, owner: 'server', key };
        await server.storage.repository(jobs).enqueue({ ...job, created: now, runAfter: now });
        return isAligned('ds');
      });
    };
    const expectFound = async (id: string, carriers: readonly string[]) => {
      const { repository, consequences, depths } = server;
      const [found] = await repository.found({ assembly: 'GRCh37', contig: '1', start: { min: 0, max: 20 } }, [id], {
        limit: 9,
        carriers: true,
      });
      const alleles = (found?.alleles ?? []).map(({ named = [], ...one }) => [
        alleleKey(one),
        named.map(([name]) => name),
      ]);
      expect(alleles).to.deep.equal([[alleleKey(aligned), [...carriers]]]);
      for (const query of [
        { geneId: 'DEL' },
        { geneId: 'DEL', aminoacidChange: 'Lys2del' },
        { aminoacidChange: 'K2del' },
        { filters: 'molecularEffects=inframe_deletion' },
      ] as Record<string, string>[]) {
        expect(await variants(id, query), JSON.stringify(query)).to.deep.equal(['1-CA-']);
      }
      const gene = await get('/observations/genes/DEL', { assembly: 'GRCh37', dataset: id });
      expect((gene.alleles as Json[]).map(({ allele }) => Object.values(allele as Json).join('-'))).to.deep.equal([
        '1-1-GCA-G',
      ]);
      expect((await consequences.sources(id)).map((one) => one.alleles)).to.deep.equal([3]);
      const [fractions] = await repository.fractions(id, [aligned]);
      expect([...(fractions ?? [])].sort()).to.deep.equal(carriers.map((name) => [name, 20]));
      expect([...(await depths.findPhases(id, [pair], ['a', 'b', 'c', 'e']))].map(([name]) => name)).to.deep.equal([
        'a',
      ]);
      expect(await consequences.unsettled()).to.deep.equal([]);
    };

    it('are found in their new form with all that is known of them', async () => {
      await server.genes.replaceGenes(
        'GRCh37',
        [
          { ensembl: 'ENSG00000000001', hgnc: 100, symbol: 'DEL', contig: '1', start: 0, end: 20 },
          { ensembl: 'ENSG00000000002', hgnc: 200, symbol: 'SUB', contig: '1', start: 20, end: 40 },
        ],
        new Date(),
      );
      for (const id of ['ds', 'closed']) await server.repository.addDataset(dataset(id), new Date());
      const [first, second, third] = spellings.map(deletion) as [string, string, string];
      await load('ds', 'a', [first, ...phased]);
      await load('ds', 'b', [second]);
      await load('ds', 'c', [third]);
      // Two of three are new as the dataset is published, and what is recalled of a waits.
      await load('closed', 'a', other);
      await load('closed', 'b', [second]);
      await replace('closed', 'a', [first, ...phased]);
      expect(await server.consequences.waiting('closed')).to.deep.equal([]);
      await rewrite();
      await until(async () => (await server.consequences.unsettled()).length === 0);
      await expectFound('ds', ['a', 'b', 'c']);
      const query = { assembly: 'GRCh37', dataset: 'ds', allele: '1-26-AC-CG', decompose: 'true' };
      const { observations } = await get('/observations', query);
      expect(observations).to.have.nested.property('[0].decomposed.certain.carriers', 1);

      expect(await isAligned('closed')).to.equal(false);
      expect(await variants('closed', { geneId: 'DEL' })).to.deep.equal(['6-AC-']);
      // In the old form, and published with the rest.
      await load('closed', 'e', [third]);
      expect(await isAligned('closed')).to.equal(true);
      await expectFound('closed', ['a', 'b', 'e']);
    });
  });
}
