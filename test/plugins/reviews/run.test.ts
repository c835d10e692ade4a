/** Runs on a server: a new statement is looked at, a version of a panel is tried and applied, a change that waits is agreed to. */
import { expect } from 'chai';
import { serveForTest } from '../../../core/testing/server.js';
import { type Allele, beacon, beaconConsequences, type CalledAllele } from '../../../plugins/beacon/contract.js';
import { panels } from '../../../plugins/panels/contract.js';
import { GeneTable } from '../../../plugins/panels/genes/gene-table.js';
import { draftVersion, signedVersion, submittedVersion } from '../../../plugins/panels/versions/lifecycle.js';
import { reviews } from '../../../plugins/reviews/contract.js';
import { request } from '../../support/http.js';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { annotate, annotated, atGene } from '../beacon/consequences/support.js';
import { add } from '../beacon/support/observed.js';
import { dataset } from '../beacon/support/serve.js';
import { contentOf, green } from '../panels/support/served.js';

const now = new Date('2026-05-05T05:05:05.000Z');
const symbols = { 1: 'ONE', 3: 'THREE' } as const;
const snv = (start: number): Allele => ({
  ...{ contig: '1', start, end: start + 1, reference: 'A', alternate: 'C', kind: 'SNP', structural: false },
});
const people = ['child', 'mother', 'father'];

function draft(version: string, genes: readonly (1 | 3)[]) {
  const inheritance = 'MONOALLELIC, autosomal or pseudoautosomal, NOT imprinted';
  const content = contentOf(genes.map((hgnc) => ({ ...green(hgnc, symbols[hgnc]), inheritance })));
  return draftVersion('kidney', version, content, { by: 'anna', at: now });
}

for (const engine of storages)
  describe(`runs of reviews on a server on ${engine.name}`, function () {
    this.timeout(120_000);
    const server = useOnce(() => serveForTest({ plugins: { beacon: {}, panels: {}, reviews: {} }, storage: engine }));
    let token = '';

    before(async () => {
      token = await server.token(
        'reviews:read',
        'reviews:write',
        'panels:read',
        'panels:edit',
        'panels:sign',
        'beacon:observe',
        'beacon:cases',
      );
      const repository = server.repository(beacon);
      await repository.addDataset(dataset('wgs', { assembly: 'GRCh38' }), now);
      const [old, added] = [snv(1005), snv(9010)];
      const called = (allele: Allele): CalledAllele => ({ ...allele, carriers: [[0, 1]], uncalled: [] });
      const facts = Object.fromEntries(people.map((name) => [name, { case: 'F1' }]));
      await add(repository, 'wgs', facts, [called(old), called(added)], now, { small: true, structural: false });
      await annotate(server.repository(beaconConsequences), 'wgs', [
        annotated(old, [atGene({ hgnc: 1, symbol: 'ONE' }, ['missense_variant'])]),
        annotated(added, [atGene({ hgnc: 3, symbol: 'THREE' }, ['stop_gained'])]),
      ]);
      const submitted = submittedVersion(draft('1', [1]), { by: 'anna', at: now });
      await server.repository(panels).add(signedVersion(submitted, submitted.digest, 1, { by: 'bo', at: now }));
      await server.repository(panels).add(draft('2', [1, 3]));
      const names = { release: '2026-05-01', sources: ['t'], approved: 2, withdrawn: 0, loaded: now };
      const approved = ([1, 3] as const).map((hgnc) => {
        return { hgnc, symbol: symbols[hgnc], coding: true, previous: [], aliases: [] };
      });
      await server.repository(panels).replaceNames(names, new GeneTable(approved, []).pack());
    });

    const post = <Body = unknown>(path: string, json: object, headers = {}) =>
      request<Body>(`${server.url}${path}`, { method: 'POST', token, json, headers });

    /** Waits for a job, and returns its result. */
    async function resultOf(href: string): Promise<unknown> {
      for (;;) {
        const { body } = await request<{ state: string; result: unknown; error?: string }>(`${server.url}${href}`, {
          token,
        });
        if (body.state === 'done') return body.result;
        expect(body.state, JSON.stringify(body)).to.be.oneOf(['queued', 'running']);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }

    it('look at a new statement soon, without findings of what was so already', async () => {
      const role = { child: 'proband', mother: 'mother', father: 'father' } as const;
      const persons = (['child', 'mother', 'father'] as const).map((sample) => {
        const sex = sample === 'mother' ? 'female' : 'male';
        return { role: role[sample], isAffected: sample === 'child', sample, sex };
      });
      const { status, body } = await post('/reviews/cases', {
        ...{ case: 'F1', persons, build: 'GRCh38', panel: { panel: 'kidney', version: '1' }, thresholds: [20] },
        ...{ conclusion: 'negative', reviewer: 'Anna', decided: '2026-05-01' },
      });
      expect(status, JSON.stringify(body)).to.equal(201);
      const repository = server.repository(reviews);
      while (!(await repository.find({ case: 'F1' }))?.isLookedAt)
        await new Promise((resolve) => setTimeout(resolve, 50));
      const { baseline } = (await repository.find({ case: 'F1' })) ?? {};
      expect(baseline?.passing).to.deep.equal(['1-1006-A-C 1']);
      expect(baseline?.unknown).to.include({ coverage: 'no-plugin', matches: 'no-plugin' });
      expect(await repository.findings({ limit: 10 })).to.deep.equal([]);
    });

    it('count what a draft would bring, and find it once the version is signed', async () => {
      const { status, body } = await post<{ job: { href: string } }>('/reviews/preview', { panel: 'kidney@2' });
      expect(status, JSON.stringify(body)).to.equal(202);
      expect(await resultOf(body.job.href)).to.deep.equal({ byReason: { panel: 1 }, cases: 1, asked: 1, unlooked: 0 });
      const repository = server.repository(reviews);
      expect(await repository.findings({ limit: 10 })).to.deep.equal([]);
      expect((await post('/reviews/preview', { panel: 'kidney@9' })).status).to.equal(404);

      // Signing is announced: the cases of the panel are asked again.
      const submitted = await post<{ revision: number; sha256: string }>('/panels/kidney/2/submit', { revision: 1 });
      expect(submitted.status, JSON.stringify(submitted.body)).to.equal(200);
      const { revision, sha256 } = submitted.body;
      const signed = await post('/panels/kidney/2/sign', { revision, sha256 });
      expect(signed.status, JSON.stringify(signed.body)).to.equal(200);
      while ((await repository.findings({ limit: 10 })).length === 0)
        await new Promise((resolve) => setTimeout(resolve, 50));
      const [finding, ...others] = await repository.findings({ limit: 10 });
      expect(others).to.deep.equal([]);
      expect(finding).to.deep.include({
        case: 'F1',
        reason: 'panel',
        priority: 2,
        state: 'open',
        gene: { hgnc: 3, symbol: 'THREE' },
      });
      expect(finding?.evidence.before).to.deep.equal({ panel: 'kidney@1', confidence: 'absent' });
      expect(Object.values(finding?.allele?.copies ?? {})).to.deep.equal([1, 'unknown', 'unknown']);
    });

    it('apply a change that waits once a person agrees, and only once', async () => {
      const repository = server.repository(reviews);
      await repository.hold({ id: 'panel kidney@3', found: now, byReason: { panel: 1 }, cases: 1, watched: 1 });
      const approve = () => post<{ job: { href: string } }>('/reviews/changes/panel%20kidney@3/approve', {});
      const { status, body } = await approve();
      expect(status, JSON.stringify(body)).to.equal(202);
      const [change] = await repository.held();
      expect(change).to.deep.include({ id: 'panel kidney@3' });
      expect(change?.agreed?.by).to.be.a('string');
      expect((await approve()).status).to.equal(404);
      // As a page, too; the server under test refuses answers that no route declares.
      const asPage = await post('/reviews/changes/none/approve', {}, { accept: 'text/html' });
      expect(asPage.status).to.equal(404);
    });
  });
