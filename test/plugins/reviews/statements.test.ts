/** Statements over HTTP: what is taken, from whom, and what others learn of it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { AuditKeys } from '../../../core/audit/chain.js';
import { audit } from '../../../core/audit/contract.js';
import { readEntries } from '../../../core/audit/read.js';
import { serveForTest, type TestServer } from '../../../core/testing.js';
import { coverageReports, coverageSamples, type KeptFacts } from '../../../plugins/coverage/contract.js';
import { fileWord } from '../../../plugins/coverage/report/kept/search.js';
import { panels } from '../../../plugins/panels/contract.js';
import { draftVersion } from '../../../plugins/panels/versions/lifecycle.js';
import { reviews } from '../../../plugins/reviews/contract.js';
import { reviewEraser } from '../../../plugins/reviews/eraser.js';
import { blockFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { storages } from '../../support/storages.js';
import { contentOf, green } from '../panels/support/served.js';

const key = 'a key of the audit, for tests only';
const made = new Date('2026-11-02T10:00:00Z');
const reportId = 'r'.repeat(24);
const [cardio, neuro] = ['cardio', 'neuro'] as const;

for (const engine of storages) {
  describe(`statements on ${engine.name}`, function () {
    this.timeout(60_000);
    let server: TestServer;
    let token = '';
    let both = '';
    const folder = blockFolder();
    const tenant = (name: string) => ({ roots: [join(folder, name)], panels: [name], clients: [] });

    before(async () => {
      for (const name of [cardio, neuro]) await mkdir(join(folder, name));
      server = await serveForTest({
        storage: engine,
        jobs: false,
        plugins: { coverage: { roots: [folder], reports: { days: 30 } }, panels: {}, reviews: {} },
        settings: { audit: { key }, auth: { tenants: { cardio: tenant('cardio'), neuro: tenant('neuro') } } },
      });
      const stated = { build: 'GRCh38', sex: 'female', labels: {} } as const;
      const samples = ['cardio-1', 'cardio-2', 'neuro-1'].map((id) => {
        return { id, ...stated, file: { path: join(folder, id.split('-')[0] ?? '', `${id}.d4`) } };
      });
      await server.repository(coverageSamples).register(samples, made);
      for (const panel of [cardio, neuro]) {
        const version = draftVersion(panel, '1.0', contentOf([green(5, 'ABAT')]), { by: 'n', at: made });
        await server.repository(panels).add(version);
      }
      const file = join(folder, cardio, 'cardio-1.d4');
      const facts: KeptFacts = {
        ...{ software: '0.3.0', language: 'en', page: 'report', build: 'GRCh38', level: 20, thresholds: [10, 20] },
        sets: [{ kind: 'exons', release: 'MANE 1.5', checksum: 'c', loaded: made.toISOString() }],
        ...{ samples: [{ name: 'Anna', registration: 'cardio-1', file }], genes: 1, missing: 0, shared: [], parts: {} },
        panel: { panel: cardio, version: '1.0', sha256: 's', state: 'draft', names: '2026-11-01' },
      };
      await server.repository(coverageReports).keep({ id: reportId, made, facts }, [fileWord(file)], {});
      const scopes = (name: string) => [
        ...['reviews:read', 'reviews:write', 'coverage:read', 'coverage:report', 'panels:read'].map(
          (one) => `${one}:${name}`,
        ),
      ];
      token = await server.token(...scopes(cardio));
      both = await server.token(...scopes(cardio), ...scopes(neuro));
    });
    after(() => server?.close());

    const stated = (fields: object = {}) => ({
      case: 'F1',
      persons: [
        { role: 'mother', isAffected: false, sample: 'cardio-2', sex: 'female' },
        { role: 'proband', isAffected: true, sample: 'cardio-1', sex: 'female' },
      ],
      build: 'GRCh38',
      panel: { panel: cardio, version: '1.0' },
      thresholds: [20],
      conclusion: 'negative',
      reviewer: 'Anna',
      decided: '2026-11-01',
      ...fields,
    });
    const post = (json: object, by = token) => request(`${server.url}/reviews/cases`, { token: by, json });
    const list = async (query: Record<string, string> = {}, by = token) => {
      const { body } = await request<{ cases: { case: string; owner?: string }[]; next: string | null }>(
        `${server.url}/reviews/cases`,
        { token: by, query },
      );
      return body;
    };
    /** The fields that are named, each with what is said of it. */
    const wrong = async (json: object, by = token) => {
      const { status, body } = await post(json, by);
      expect(status, JSON.stringify(body)).to.be.oneOf([400, 422]);
      const { errors } = body as { errors?: { path: string; detail: string }[] };
      return Object.fromEntries((errors ?? []).map(({ path, detail }) => [path, detail]));
    };

    it('are kept for the tenant of who states them, the proband first', async () => {
      const { status, body } = await post(stated());
      expect(status, JSON.stringify(body)).to.equal(201);
      expect(body).to.include({ case: 'F1', owner: cardio, revision: 1, recontact: 'yes', isLookedAt: false });
      const kept = await server.repository(reviews).find({ owner: cardio, case: 'F1' });
      expect(kept?.persons.map(({ sample }) => sample)).to.deep.equal(['cardio-1', 'cardio-2']);
      expect(kept).to.include({ conclusion: 'negative', build: 'GRCh38' });
      expect(kept?.decided).to.deep.equal(new Date('2026-11-01T00:00:00Z'));
    });

    it('supersede the one that was read, and no other', async () => {
      expect((await post(stated())).status).to.equal(409);
      expect((await post(stated({ replaces: 2 }))).status).to.equal(409);
      const { status, body } = await post(stated({ replaces: 1, conclusion: 'uncertain' }));
      expect([status, body.revision, body.conclusion]).to.deep.equal([201, 2, 'uncertain']);
      expect((await post(stated({ replaces: 1 }))).status).to.equal(409);
    });

    it('take from a kept report what it says', async () => {
      const { case: _, persons: __, build: ___, panel: ____, thresholds: _____, ...rest } = stated();
      const { status, body } = await post({ ...rest, case: 'R1', report: reportId });
      expect(status, JSON.stringify(body)).to.equal(201);
      const kept = await server.repository(reviews).find({ owner: cardio, case: 'R1' });
      expect(kept).to.deep.include({
        persons: [{ role: 'proband', isAffected: true, sample: 'cardio-1', sex: 'unknown' }],
        ...{ build: 'GRCh38', panel: { panel: cardio, version: '1.0' }, thresholds: [20, 10], report: reportId },
        releases: { exons: 'MANE 1.5', HGNC: '2026-11-01' },
      });
      expect((await post({ ...rest, case: 'R2', report: reportId, build: 'GRCh38' })).status).to.equal(400);
      expect((await post({ ...rest, case: 'R2', report: 'x'.repeat(24) })).status).to.equal(422);
      const others = await server.token('reviews:write:neuro', 'coverage:report:neuro', 'panels:read:neuro');
      const [theirs, none] = [reportId, 'x'.repeat(24)].map((report) => post({ ...rest, case: 'R2', report }, others));
      expect((await theirs)?.body.detail).to.equal((await none)?.body.detail);
    });

    it('name what is wrong by its field', async () => {
      const faults = await wrong({
        ...stated({ case: '', conclusion: 'perhaps', decided: 'yesterday', terms: ['HP:1'], recontact: 'maybe' }),
        alleles: [{ chromosome: '77', start: -1, reference: 'A', alternate: 'N' }],
      });
      const expected = ['case', 'conclusion', 'decided', 'recontact', 'terms.0'];
      const ofAllele = ['alternate', 'chromosome', 'start'].map((field) => `alleles.0.${field}`);
      expect(Object.keys(faults).sort(), JSON.stringify(faults)).to.deep.equal([...ofAllele, ...expected].sort());
      for (const [field, change] of Object.entries({
        persons: { persons: [{ role: 'mother', isAffected: true, sample: 'cardio-1' }] },
        panel: { panel: undefined },
        'alleles.0.start': { alleles: [{ chromosome: '22', start: 60_000_000, reference: 'A', alternate: 'C' }] },
        'persons.1.sample': {
          persons: ['proband', 'relative'].map((role) => ({ role, isAffected: true, sample: 'cardio-1' })),
        },
      })) {
        expect(Object.keys(await wrong(stated({ case: 'W', ...change }))), field).to.deep.equal([field]);
      }
      const { body } = await post(stated({ case: 'W', decided: '2999-01-01' }));
      expect(body.detail).to.include('decided must not be in the future');
    });

    it('name samples and panels of others as if they did not exist', async () => {
      for (const [theirs, absent] of [
        [{ panel: { panel: neuro, version: '1.0' } }, { panel: { panel: 'ghost', version: '1.0' } }],
        [
          { persons: [{ role: 'proband', isAffected: true, sample: 'neuro-1' }] },
          { persons: [{ role: 'proband', isAffected: true, sample: 'ghost-1' }] },
        ],
      ]) {
        const answers = await Promise.all([theirs, absent].map((fields) => post(stated({ case: 'X', ...fields }))));
        expect(answers.map(({ status }) => status)).to.deep.equal([422, 422]);
        const [one, two] = answers.map(({ body }) => String(body.detail).replaceAll(/neuro|ghost/g, '?'));
        expect(one).to.equal(two);
      }
      // Who belongs to both still states no sample of the one in a case of the other.
      const mixed = stated({
        case: 'X',
        owner: cardio,
        persons: [{ role: 'proband', isAffected: true, sample: 'neuro-1' }],
      });
      expect((await post(mixed, both)).body.detail).to.include('persons.0.sample is no sample that you may see');
      expect((await post(stated({ case: 'X' }), both)).body.detail).to.include('owner is missing');
      expect((await post(stated({ case: 'X', owner: neuro }))).body.detail).to.include('owner is none of your tenants');
    });

    it('are listed and removed by those who reach their tenant', async () => {
      const own = { owner: neuro, panel: { panel: neuro, version: '1.0' } };
      const persons = [{ role: 'proband', isAffected: true, sample: 'neuro-1' }];
      expect((await post(stated({ ...own, persons }), both)).status).to.equal(201);
      expect((await list()).cases.map((one) => one.case)).to.deep.equal(['F1', 'R1']);
      const first = await list({ limit: '2' }, both);
      const second = await list({ limit: '2', after: first.next ?? '' }, both);
      expect([...first.cases, ...second.cases].map((one) => `${one.owner} ${one.case}`)).to.deep.equal([
        ...['cardio F1', 'cardio R1', 'neuro F1'],
      ]);
      expect((await list({ panel: neuro }, both)).cases).to.have.lengthOf(1);
      expect((await list({ conclusion: 'solved' }, both)).cases).to.deep.equal([]);
      const remove = async (path: string) =>
        (await request(`${server.url}/reviews/cases/${path}`, { method: 'DELETE', token })).status;
      expect([await remove('F1?owner=neuro'), await remove('ghost')]).to.deep.equal([404, 404]);
      expect([await remove('R1'), await remove('R1')]).to.deep.equal([204, 404]);
      const limited = await server.token('reviews:read:cardio', 'reviews:write:none');
      expect((await post(stated({ case: 'N' }), limited)).status).to.be.oneOf([403, 422]);
      expect((await request(`${server.url}/reviews/cases`)).status).to.equal(401);
    });

    it('are in the audit, with who stated them about whom', async () => {
      const entries = [];
      const all = readEntries({ repository: server.repository(audit), keys: new AuditKeys(key) }, {});
      for await (const page of all) entries.push(...page.filter(({ action }) => action.startsWith('reviews.')));
      const first = entries.find(({ action }) => action === 'reviews.state');
      expect(first).to.deep.include({ actor: 'token:test', outcome: 'done', because: 'API token' });
      expect([...(first?.about ?? [])].sort()).to.deep.equal(['case:F1', 'sample:cardio-1', 'sample:cardio-2']);
      expect(new Set(entries.map(({ action }) => action))).to.have.keys(
        'reviews.state',
        'reviews.read',
        'reviews.remove',
      );
    });

    it('end with the consent of a person, and go with the person', async () => {
      const repository = server.repository(reviews);
      const eraser = reviewEraser(repository, () => new Date());
      const of = (id: string, scope: 'all' | 'sharing') => [{ id, holder: 'own', scope } as const];
      const counts = async (id: string, scope: 'all' | 'sharing') =>
        (await eraser.find(of(id, scope))).map(({ count }) => count);
      expect(await counts('ghost', 'all')).to.deep.equal([0, 0, 0]);
      expect(await counts('cardio-2', 'sharing')).to.deep.equal([0, 1, 1]);
      await eraser.erase(of('cardio-2', 'sharing'));
      const withdrawn = await repository.find({ owner: cardio, case: 'F1' });
      expect([withdrawn?.recontact, withdrawn?.revision, withdrawn?.reviewer]).to.deep.equal(['no', 3, 'Anna']);
      expect(await counts('cardio-2', 'sharing')).to.deep.equal([0, 0, 1]);
      expect(await counts('cardio-1', 'all')).to.deep.equal([1, 0, 0]);
      await eraser.erase(of('cardio-1', 'all'));
      expect(await repository.find({ owner: cardio, case: 'F1' })).to.equal(undefined);
      expect(await repository.find({ owner: neuro, case: 'F1' })).not.to.equal(undefined);
    });
  });
}
