/** What callers without a grant learn of a protected dataset, through every face, over HTTP. */
import { expect } from 'chai';
import { issueToken } from '../../../../core/auth/access.js';
import { accountOf, anonymous } from '../../../../core/policy/policy.js';
import { variantIdOf } from '../../../../plugins/beacon/faces/v2/variants/record.js';
import { dealt } from '../../../support/dealt.js';
import { request } from '../../../support/http.js';
import { engines } from '../support/engines.js';
import { addRecords, type Beacon, type Json, serveBeacon } from '../support/serve.js';

const samples = Array.from({ length: 10 }, (_, i) => `s${i}`);

/** A person counts once in each stretch of a million bases and those next to it. */
const apart = 3_000_000;

/** One-based positions, and how many of the ten samples carry the allele A>C there: the first ones. */
const single = 300 + 2 * apart;
const charged = Array.from({ length: 12 }, (_, i) => 400 + (i + 3) * apart);
const alleles: readonly [position: number, carriers: number][] = [
  [100, 5],
  [200 + apart, 3],
  [single, 1],
  ...charged.map((position): [number, number] => [position, 5]),
];

/**
 * Five of ten carry it: without the one who is looked for 4 of 9, with a lower bound (Wilson, one-sided 5 %) of 0.2181. Ten people
 * drawn at random have a carrier with 1 − 0.7819¹⁰ = 0.9146. The price is 0.0893, and the budget of 0.6931 pays for seven.
 */
const price = 0.0893;
const payable = 7;

const careful = { profile: 'careful', anonymous: { budget: 0.5, least: 1 }, minimumSize: 5, batch: 3 };
const settings = { protection: { datasets: { d: careful, strict: 'strict', open: 'open' } } };

type Headers = Record<string, string>;

interface Face {
  name: string;
  /** Whether the dataset has A>C at the one-based position. */
  has(position: number, headers?: Headers): Promise<boolean>;
}

/** Lists of datasets are read ten times a second at most. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: protected datasets (${engine.name})`, () => {
    let server: Beacon;
    let granted: Headers;
    let named: Headers;
    let faces: readonly Face[];

    const get = (path: string, query: Record<string, string | number> = {}, headers: Headers = {}) =>
      request(`${server.url}${path}`, { query, headers });

    const place = (position: number) => ({ referenceName: '1', start: position - 1, assemblyId: 'GRCh37' });
    const bases = { referenceBases: 'A', alternateBases: 'C' };
    const exists = (body: Json) => (body.responseSummary as Json).exists === true;

    const idOf = (position: number) => {
      const allele = { contig: '1', start: position - 1, end: position, reference: 'A', alternate: 'C' } as const;
      return encodeURIComponent(variantIdOf('GRCh37', { ...allele, kind: 'SNP', structural: false }));
    };

    before(async () => {
      server = await serveBeacon(engine, { settings });
      const records = alleles.map(([position, carriers]) => {
        const genotypes = samples.map((_, i) => (i < carriers ? '0/1' : '0/0'));
        return `1 ${position} . A C . . . GT ${genotypes.join(' ')}`;
      });
      for (const id of ['d', 'strict', 'open']) {
        await addRecords(server.repository, id, records, { samples });
        const found = await server.repository.dataset(id);
        const { created = new Date(), alleleCount = 0, callCount = 0 } = found ?? {};
        const totals = { alleles: alleleCount, calls: callCount, samples: samples.length };
        await server.protection().publish({ dataset: id, created, samples, totals }, new Date());
      }
      const issue = async (scopes: string[], owner: string) => ({
        'x-auth-token': (await issueToken(server.tokens, { owner, scopes }, new Date())).token,
      });
      granted = await issue(['beacon:read'], 'Lab');
      named = await issue([], 'Visitor');
      faces = [
        {
          name: 'v1',
          has: async (position, headers) => {
            const asked = { ...place(position), ...bases, datasetIds: 'd' };
            return (await get('/apiv1.0/query', asked, headers)).body.exists === true;
          },
        },
        {
          name: 'v1, by dataset',
          has: async (position, headers) => {
            const asked = { ...place(position), ...bases, datasetIds: 'd', includeDatasetResponses: 'HIT' };
            const { body } = await get('/apiv1.0/query', asked, headers);
            return (body.datasetAlleleResponses as Json[]).length > 0;
          },
        },
        {
          name: 'v1.1',
          has: async (position, headers) => {
            const asked = { ...place(position), ...bases, datasetIds: 'd', includeDatasetResponses: 'ALL' };
            const { body } = await get('/beacon/v1/query', asked, headers);
            return (body.datasetAlleleResponses as Json[])[0]?.exists === true;
          },
        },
        {
          name: 'v2',
          has: async (position, headers) => {
            const asked = { ...place(position), ...bases, datasets: 'd', requestedGranularity: 'record' };
            return exists((await get('/beacon/v2/g_variants', asked, headers)).body);
          },
        },
        {
          name: 'v2, a range',
          has: async (position, headers) => {
            const asked = { ...place(position), end: position, datasets: 'd' };
            return exists((await get('/beacon/v2/g_variants', asked, headers)).body);
          },
        },
        {
          name: 'v2, a single variant',
          has: async (position, headers) =>
            (await get(`/beacon/v2/g_variants/${idOf(position)}`, { datasets: 'd' }, headers)).status === 200,
        },
        {
          name: 'v2, its carriers',
          has: async (position, headers) =>
            (await get(`/beacon/v2/g_variants/${idOf(position)}/individuals`, { datasets: 'd' }, headers)).status ===
            200,
        },
        {
          name: 'v2, below the dataset',
          has: async (position, headers) => {
            const asked = { ...place(position), ...bases };
            return exists((await get('/beacon/v2/datasets/d/g_variants', asked, headers)).body);
          },
        },
      ];
    });
    after(() => server.close());
    beforeEach(async () => {
      for (const { dataset: id, created, totals } of await server.protection().publications()) {
        await server.protection().drop(id);
        await server.protection().publish({ dataset: id, created, samples, totals }, new Date());
      }
    });

    const spent = async (of = accountOf(anonymous)) => {
      const all = await server.protection().spending('d');
      return all.find(({ account }) => account === of)?.spent ?? 0;
    };

    it('answers one question alike on every face, and charges it once', async () => {
      for (const { name, has } of faces) {
        expect(await has(100), name).to.equal(true);
        expect(await has(single), `${name}, a single carrier`).to.equal(false);
        expect(await has(301), `${name}, nobody`).to.equal(false);
      }
      expect(await spent()).to.be.closeTo(5 * price, 0.001);
      const page = await get('/beacon/search', { q: '1-100-A-C', assemblyId: 'GRCh37' });
      expect(page.text).to.match(/Dataset d <span class="soft small">d<\/span><\/th>\s*<td[^>]*><span>found</);
      expect(await spent()).to.be.closeTo(5 * price, 0.001);
    });

    it('spends one budget of each carrier over all faces, and then says no', async () => {
      const given: boolean[] = [];
      for (const [i, position] of charged.entries()) {
        given.push((await faces[i % faces.length]?.has(position)) === true);
      }
      expect(given).to.deep.equal(charged.map((_, i) => i < payable));
      for (const { name, has } of faces) {
        expect(await has(100), `${name}, a new question`).to.equal(false);
        expect(await has(charged[0] ?? 0), `${name}, a question that was answered`).to.equal(true);
        expect(await has(100, named), `${name}, another account`).to.equal(true);
      }
    });

    it('says no in the same words for every reason', async () => {
      for (const position of charged) await faces[0]?.has(position);
      const asked = (position: number) => ({ ...place(position), ...bases });
      const shape = async (path: string, position: number, more = {}) => {
        const { status, text } = await get(path, { ...asked(position), ...more });
        return { status, text: text.replaceAll(String(position - 1), 'N') };
      };
      for (const [path, more] of [
        ['/apiv1.0/query', { datasetIds: 'd', includeDatasetResponses: 'ALL' }],
        ['/beacon/v1/query', { datasetIds: 'd', includeDatasetResponses: 'ALL' }],
        ['/beacon/v2/g_variants', { datasets: 'd' }],
      ] as const) {
        const nobody = await shape(path, 999, more);
        expect(nobody.status).to.equal(200);
        for (const position of [100, single]) expect(await shape(path, position, more), path).to.deep.equal(nobody);
      }
    });

    it('tells holders of a grant everything, at no cost', async () => {
      for (const { name, has } of faces) expect(await has(single, granted), name).to.equal(true);
      const asked = { ...place(single), ...bases, datasetIds: 'd', includeDatasetResponses: 'ALL' };
      const { body } = await get('/apiv1.0/query', asked, granted);
      const [told] = body.datasetAlleleResponses as Json[];
      expect(told).to.deep.include({ callCount: 1, sampleCount: 1, variantCount: 1 });
      expect(told?.info).to.not.have.property('counts');
      expect(await server.protection().spending('d')).to.deep.equal([]);
    });

    it('tells others no counts, no records and nothing of people', async () => {
      const asked = { ...place(100), ...bases };
      const v1 = await get('/apiv1.0/query', { ...asked, datasetIds: 'd', includeDatasetResponses: 'ALL' });
      expect((v1.body.datasetAlleleResponses as Json[])[0]).to.deep.equal({
        ...{ callCount: 0, datasetId: 'd', exists: true, sampleCount: 0, variantCount: 0 },
        info: { accessType: 'PUBLIC', counts: 'withheld' },
      });
      const form = await get('/apiv1.0/query_form', { ...asked, datasetIds: 'd', includeDatasetResponses: 'ALL' });
      expect(form.text.match(/<span class="soft">withheld<\/span>/g)).to.have.length(3);
      const v11 = await get('/beacon/v1/query', { ...asked, datasetIds: 'd', includeDatasetResponses: 'ALL' });
      expect((v11.body.datasetAlleleResponses as Json[])[0]).to.not.have.any.keys(
        'sampleCount',
        'callCount',
        'frequency',
      );
      const record = { requestedGranularity: 'record', includeResultsetResponses: 'ALL', datasets: 'd' };
      const paths = ['/beacon/v2/g_variants', '/beacon/v2/individuals', '/beacon/v2/biosamples'];
      for (const path of paths) {
        const { body } = await get(path, path.includes('variants') ? { ...asked, ...record } : record);
        expect(body.responseSummary, path).to.deep.equal({ exists: true });
        expect(body, path).to.not.have.property('response');
      }
      const carriers = await get('/beacon/v2/g_variants', { ...asked, ...record, filters: 'NCIT:C16576' });
      expect(carriers.status).to.equal(400);
      const v2 = await get('/beacon/v2/datasets/d', { requestedGranularity: 'record' });
      expect(v2.text).to.not.include('counts');
      expect((await get('/beacon/v2/datasets/d/sites.vcf.gz')).status).to.equal(404);
    });

    it('tells exact counts of open datasets beside them', async () => {
      const asked = { ...place(100), ...bases, includeDatasetResponses: 'ALL' };
      const { body } = await get('/apiv1.0/query', asked);
      const told = (body.datasetAlleleResponses as Json[]).map(({ datasetId, sampleCount }) => [
        datasetId,
        sampleCount,
      ]);
      expect(told).to.deep.equal([
        ['d', 0],
        ['open', 5],
      ]);
      const v2 = await get('/beacon/v2/g_variants', { ...place(100), ...bases, requestedGranularity: 'count' });
      expect(exists(v2.body)).to.equal(true);
    });

    it('lets anonymous callers query nothing under strict, or of fewer people than the least', async () => {
      const asked = { ...place(100), ...bases, datasetIds: 'strict' };
      expect((await get('/apiv1.0/query', asked)).status).to.equal(401);
      expect((await get('/beacon/v1/query', asked)).status).to.equal(401);
      expect((await get('/beacon/v2/datasets/strict/g_variants', place(100))).status).to.equal(401);
      expect((await get('/apiv1.0/query', asked, named)).status).to.equal(200);
      await server.protection().forget(samples.slice(0, 6));
      await until(async () => (await get('/apiv1.0/query', { ...asked, datasetIds: 'd' })).status === 401);
      expect((await get('/apiv1.0/query', { ...asked, datasetIds: 'd' }, named)).status).to.equal(200);
    });

    it('shows totals as of the last publication', async () => {
      const list = async (headers?: Headers) => {
        const { body } = await get('/apiv1.0/', {}, headers);
        return (body.datasets as Json[]).find(({ id }) => id === 'd');
      };
      const [publication] = await server.protection().publications();
      await server.repository.removeSamples('d', ['s0'], new Date(Date.now() + 60_000));
      await until(async () => (await list(granted))?.sampleCount === 9);
      await until(async () => (await list())?.sampleCount === 10);
      expect(await list()).to.deep.include({
        ...{ sampleCount: 10, variantCount: alleles.length },
        updated: publication?.at.toUTCString(),
      });
    });
  });
}
