/** Versions of panels over HTTP: read, submitted, signed, retired; on every storage. */
import { expect } from 'chai';
import { issueToken } from '../../../core/auth/access.js';
import { tokens } from '../../../core/auth/contract.js';
import { serveForTest } from '../../../core/testing.js';
import { panels } from '../../../plugins/panels/contract.js';
import { GeneTable } from '../../../plugins/panels/genes/gene-table.js';
import { readApproved, readWithdrawn } from '../../../plugins/panels/genes/hgnc.js';
import type { PanelContent, PanelGene } from '../../../plugins/panels/versions/content.js';
import { draftVersion } from '../../../plugins/panels/versions/lifecycle.js';
import { dealt } from '../../support/dealt.js';
import { request } from '../../support/http.js';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { approved, withdrawn } from './support/hgnc.js';

const at = new Date('2026-11-02T10:00:00Z');
const green = (hgnc: number, symbol: string, more: Partial<PanelGene> = {}): PanelGene => ({
  hgnc,
  symbol,
  confidence: 'green',
  ...more,
});

function contentOf(...genes: PanelGene[]): PanelContent {
  return { name: 'Kidney tumours', genes, source: { kind: 'person', name: 'anna', read: at.toISOString() } };
}

interface Shown {
  state: string;
  revision: number;
  sha256: string;
  detail?: string;
  history: { what: string; by: string; comment?: string }[];
}

for (const subject of dealt(storages, 'sqlite')) {
  describe(`panels over HTTP on ${subject.name}`, function () {
    this.timeout(30_000);
    const server = useOnce(() => serveForTest({ plugins: { panels: { signatures: 2 } }, storage: subject }));
    let [anna, bo, reader, stranger] = ['', '', '', ''];
    before(async () => {
      const token = async (owner: string, ...scopes: string[]) =>
        (await issueToken(server.repository(tokens), { owner, scopes }, new Date())).token;
      anna = await token('anna', 'panels:read', 'panels:edit', 'panels:sign');
      bo = await token('bo', 'panels:read', 'panels:sign');
      reader = await token('reader', 'panels:read');
      stranger = await token('stranger');
    });

    const ask = (method: string, path: string, token: string, json?: unknown) =>
      request<Shown>(`${server.url}/panels/${path}`, { method, token, json });
    const post = (path: string, token: string, body: unknown) => ask('POST', path, token, body);
    const draft = (panel: string, version: string, ...genes: PanelGene[]) =>
      server.repository(panels).add(draftVersion(panel, version, contentOf(...genes), { by: 'anna', at }));
    const named = (release: string, gone = withdrawn) => {
      const table = new GeneTable(
        readApproved({ name: 'set.txt', text: approved }).genes,
        readWithdrawn({ name: 'withdrawn.txt', text: gone }),
      );
      const names = { release, sources: ['set.txt'], approved: 6, withdrawn: 6, loaded: at };
      return server.repository(panels).replaceNames(names, table.pack());
    };

    it('are signed by two people, and never change afterwards', async () => {
      await draft('kidney', '1.9', green(950, 'BAP1'), green(8847, 'PER3'));
      await named('2026-11-01');
      const { body: first } = await ask('GET', 'kidney/1.9', reader);
      const seen = { revision: first.revision };
      expect((await post('kidney/1.9/sign', anna, { ...seen, sha256: first.sha256 })).body.detail).to.equal(
        'kidney@1.9 is draft: only a version that is in review can be signed',
      );
      const { body: review } = await post('kidney/1.9/submit', anna, { ...seen, comment: 'please look' });
      expect(review.state).to.equal('in review');
      const signature = { revision: review.revision, sha256: review.sha256 };
      const { body: once } = await post('kidney/1.9/sign', anna, signature);
      expect([once.state, once.revision]).to.deep.equal(['in review', 3]);
      const again = await post('kidney/1.9/sign', anna, { ...signature, revision: 3 });
      expect([again.status, again.body.detail]).to.deep.equal([409, 'anna has signed kidney@1.9 already']);
      const stale = await post('kidney/1.9/sign', bo, signature);
      expect([stale.status, stale.body.detail]).to.deep.equal([
        409,
        'kidney@1.9 was changed since it was read: read it again',
      ]);
      const { body: signed } = await post('kidney/1.9/sign', bo, { ...signature, revision: 3 });
      expect(signed.state).to.equal('signed off');
      expect(signed.history.map(({ what, by }) => [what, by])).to.deep.equal([
        ['made', 'anna'],
        ['submitted', 'anna'],
        ['signed', 'anna'],
        ['signed', 'bo'],
        ['signed off', 'bo'],
      ]);
      for (const [method, path] of [
        ['POST', 'kidney/1.9/submit'],
        ['POST', 'kidney/1.9/send-back'],
        ['DELETE', `kidney/1.9?revision=${signed.revision}`],
      ] as const) {
        const body = method === 'POST' ? { revision: signed.revision } : undefined;
        expect((await ask(method, path, anna, body)).status, path).to.equal(409);
      }
      const { body: retired } = await post('kidney/1.9/retire', bo, { revision: signed.revision, comment: 'see 1.10' });
      expect([retired.state, retired.sha256]).to.deep.equal(['retired', first.sha256]);
    });

    it('are not signed with a gene that was withdrawn meanwhile', async () => {
      await draft('lung', '1', green(8847, 'PER3'), green(77777, 'GONE'));
      await named('2026-11-01');
      const { body } = await post('lung/1/submit', anna, { revision: 1 });
      const refused = await post('lung/1/sign', bo, { revision: body.revision, sha256: body.sha256 });
      expect([refused.status, refused.body.detail]).to.deep.equal([
        409,
        'lung@1 has genes that were withdrawn: GONE: HGNC:77777 is unknown',
      ]);
    });

    it('are listed by the order of their versions, and compared gene by gene', async () => {
      await draft('eye', '1.10', green(950, 'BAP1', { confidence: 'amber' }), green(7132, 'KMT2A'));
      await draft('eye', '1.9', green(950, 'BAP1'), green(7132, 'MLL'), green(8847, 'PER3'));
      const { text } = await ask('GET', 'versions?panel=eye', reader);
      const listed = (JSON.parse(text) as { versions: { version: string; genes: number }[] }).versions;
      expect(listed.map(({ version, genes }) => [version, genes])).to.deep.equal([
        ['1.9', 3],
        ['1.10', 2],
      ]);
      const compared = await ask('GET', 'eye/1.10/differences?from=1.9', reader);
      expect(JSON.parse(compared.text)).to.deep.equal({
        genes: [
          { hgnc: 950, symbol: 'BAP1', what: ['demoted'], changed: [] },
          { hgnc: 7132, symbol: 'KMT2A', what: ['renamed'], changed: [] },
          { hgnc: 8847, symbol: 'PER3', what: ['removed'], changed: [] },
        ],
      });
    });

    it('are removed as drafts only, at the revision that was seen', async () => {
      await draft('ear', '1', green(950, 'BAP1'));
      expect((await ask('DELETE', 'ear/1?revision=2', anna)).status).to.equal(409);
      expect((await ask('DELETE', 'ear/1?revision=1', anna)).status).to.equal(204);
      expect((await ask('GET', 'ear/1', reader)).status).to.equal(404);
    });

    it('are for callers with the right for what they do', async () => {
      await draft('nose', '1', green(950, 'BAP1'));
      const seen = { revision: 1 };
      const all = [
        ['GET', 'versions', undefined, 'panels:read'],
        ['GET', 'nose/1', undefined, 'panels:read'],
        ['GET', 'nose/1/differences?from=1', undefined, 'panels:read'],
        ['POST', 'nose/1/sign', { ...seen, sha256: 'x' }, 'panels:sign'],
        ['POST', 'nose/1/send-back', seen, 'panels:sign'],
        ['POST', 'nose/1/retire', seen, 'panels:sign'],
        ['POST', 'nose/1/submit', seen, 'panels:edit'],
        ['DELETE', 'nose/1?revision=1', undefined, 'panels:edit'],
      ] as const;
      for (const [method, path, body, right] of all) {
        expect((await ask(method, path, 'no token at all', body)).status, `${method} ${path}`).to.equal(401);
        expect((await ask(method, path, stranger, body)).status, `${method} ${path}`).to.equal(403);
        if (right !== 'panels:read') expect((await ask(method, path, reader, body)).status, path).to.equal(403);
        if (right === 'panels:edit') expect((await ask(method, path, bo, body)).status, path).to.equal(403);
      }
      expect((await ask('GET', 'nose/1', reader)).body.revision).to.equal(1);
    });

    it('are hidden from callers with a right to other panels', async () => {
      await draft('mouth', '1', green(950, 'BAP1'));
      await draft('teeth', '1', green(950, 'BAP1'));
      const limited = async (...scopes: string[]) =>
        (await issueToken(server.repository(tokens), { owner: 'limited', scopes }, new Date())).token;
      const caller = await limited('panels:read:mouth', 'panels:edit:mouth', 'panels:sign:mouth');
      const { text } = await ask('GET', 'versions', caller);
      expect((JSON.parse(text) as { versions: { panel: string }[] }).versions.map(({ panel }) => panel)).to.deep.equal([
        'mouth',
      ]);
      expect((await ask('GET', 'mouth/1', caller)).status).to.equal(200);
      const seen = { revision: 1 };
      for (const [method, path, body] of [
        ['GET', 'PANEL/1', undefined],
        ['GET', 'PANEL/1/differences?from=1&panel=mouth', undefined],
        ['GET', 'mouth/1/differences?from=1&panel=PANEL', undefined],
        ['GET', 'versions?panel=PANEL', undefined],
        ['POST', 'PANEL/1/submit', seen],
        ['POST', 'PANEL/1/send-back', seen],
        ['POST', 'PANEL/1/retire', seen],
        ['POST', 'PANEL/1/sign', { ...seen, sha256: 'x' }],
        ['DELETE', 'PANEL/1?revision=1', undefined],
      ] as const) {
        const [foreign, absent] = [
          await ask(method, path.replace('PANEL', 'teeth'), caller, body),
          await ask(method, path.replace('PANEL', 'ghost'), caller, body),
        ];
        const plain = (one: string) => one.replace(/"requestId":"[^"]*"/, '').replaceAll('ghost', 'teeth');
        expect([foreign.status, plain(foreign.text)], path).to.deep.equal([absent.status, plain(absent.text)]);
      }
      const { body } = await ask('POST', 'mouth/1/submit', caller, seen);
      expect(body.state).to.equal('in review');
    });

    it('refuse rubbish with a sentence', async () => {
      for (const [path, body, status] of [
        ['nose/01/submit', { revision: 1 }, 400],
        ['nose/1/submit', {}, 400],
        ['nose/1/submit', { revision: 0 }, 400],
        ['nose/1/submit', { revision: 2 ** 31 }, 400],
        ['nose/1/submit', { revision: 1, comment: '' }, 400],
        ['nose/1/submit', { revision: 1, more: 1 }, 400],
        ['nothing/1/submit', { revision: 1 }, 404],
        ['nose/9/submit', { revision: 1 }, 404],
      ] as const) {
        const answer = await post(path, anna, body);
        expect(answer.status, `${path} ${answer.text}`).to.equal(status);
        expect(answer.body.detail, path).to.be.a('string').and.not.include('undefined');
      }
      await draft('throat', '1', green(950, 'BAP1'));
      for (const [method, path, detail] of [
        ['DELETE', 'throat/1', 'revision: expected the revision that was seen, a whole number'],
        ['DELETE', 'throat/1?revision=x', 'revision: expected the revision that was seen, a whole number'],
        ['DELETE', 'throat/1?revision=2147483648', 'revision: expected the revision that was seen, a whole number'],
        ['GET', 'throat/1/differences', 'from: expected the earlier version'],
        ['GET', 'throat/1/differences?from=1.x', 'from: expected dotted whole numbers, such as 3 or 1.10'],
      ] as const) {
        const answer = await ask(method, path, anna);
        expect([answer.status, answer.body.detail], path).to.deep.equal([400, detail]);
      }
    });
  });
}
