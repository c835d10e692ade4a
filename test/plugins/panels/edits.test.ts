/** Drafts over HTTP: made, edited and never edited again once they are signed; on every storage. */
import { expect } from 'chai';
import type { PanelContent } from '../../../plugins/panels/versions/content.js';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { contentOf, green, type PanelServer, servePanels } from './support/served.js';

interface Head {
  version: string;
  state: string;
  revision: number;
  sha256: string;
  genes: number;
  unmapped: number;
  detail: string;
  content: PanelContent;
  history: { what: string; by: string; comment?: string }[];
}

for (const subject of dealt(storages, 'postgres')) {
  describe(`drafts of panels over HTTP on ${subject.name}`, function () {
    this.timeout(30_000);
    let lab: PanelServer;
    let anna = '';
    before(async () => {
      lab = await servePanels(subject);
      anna = await lab.token('anna');
    });
    after(() => lab?.server.close());
    const ask = (method: string, path: string, body?: unknown, token = anna) =>
      lab.ask<Head>(method, path, token, body);

    it('cannot get genes before names of genes are loaded, but a name', async () => {
      await lab.draft('early', '1', contentOf([green(950, 'BAP1')]));
      const { body } = await ask('GET', 'early/1');
      const content = (genes: object[]) => ({ name: 'Kidneys', genes });
      const refused = await ask('PUT', 'early/1', {
        revision: 1,
        content: content([{ hgnc: 8847, confidence: 'red' }]),
      });
      expect([refused.status, refused.body.detail]).to.deep.equal([
        503,
        'No names of genes are loaded: load them with `trefoil panels load-hgnc`',
      ]);
      const renamed = await ask('PUT', 'early/1', { revision: 1, content: content(body.content.genes) });
      expect([renamed.status, renamed.body.revision]).to.deep.equal([200, 2]);
      await lab.named('2026-11-01');
    });

    it('are made empty, as the first version of a panel', async () => {
      const { status, body } = await ask('POST', 'heart/versions', { name: 'Heart', comment: 'for the clinic' });
      expect([status, body.version, body.state, body.genes]).to.deep.equal([201, '1', 'draft', 0]);
      expect(body.history.map(({ what, by, comment }) => [what, by, comment])).to.deep.equal([
        ['made', 'anna', 'for the clinic'],
      ]);
      const read = await ask('GET', 'heart/1');
      expect(read.body.content.source).to.include({ kind: 'person', name: 'anna' });
      expect((await ask('POST', 'heart/1/submit', { revision: 1 })).body.detail).to.equal('heart@1 has no genes');
    });

    it('are made from another version, which they name with its digest', async () => {
      await lab.draft('liver', '1.9', contentOf([green(950, 'BAP1')], { names: '2026-01-01' }));
      const { body: from } = await ask('GET', 'liver/1.9');
      const next = await ask('POST', 'liver/versions', { from: { version: '1.9' } });
      expect([next.status, next.body.version]).to.deep.equal([201, '1.10']);
      const { source, ...content } = (await ask('GET', 'liver/1.10')).body.content;
      const { source: _, ...copied } = from.content;
      expect(content).to.deep.equal(copied);
      expect(source).to.include({ kind: 'version', name: 'liver@1.9', sha256: from.sha256 });
      const other = await ask('POST', 'biliary/versions', { from: { panel: 'liver', version: '1.9' }, name: 'Bile' });
      expect([other.status, other.body.version]).to.deep.equal([201, '1']);
      const again = await ask('POST', 'liver/versions', { version: '1.9', from: { version: '1.9' } });
      expect(again.status).to.equal(409);
    });

    it('take another content at the revision that was seen, with what changed in the history', async () => {
      await lab.draft('skin', '1', contentOf([green(950, 'BAP1'), green(8847, 'PER3', { tags: ['a'] })]));
      const content = {
        name: 'Skin',
        genes: [
          { hgnc: 950, confidence: 'amber' },
          { hgnc: 7132, symbol: 'KMT2A', confidence: 'green', inheritance: 'AD' },
        ],
      };
      const { status, body } = await ask('PUT', 'skin/1', { revision: 1, content, comment: 'after the meeting' });
      expect([status, body.revision, body.genes]).to.deep.equal([200, 2, 2]);
      expect(body.history.at(-1)).to.include({
        what: 'edited',
        comment: 'added KMT2A; removed PER3; confidence BAP1 green → amber; name: Skin: after the meeting',
      });
      const read = (await ask('GET', 'skin/1')).body.content;
      expect(read.genes).to.deep.equal([
        { hgnc: 950, symbol: 'BAP1', confidence: 'amber' },
        { hgnc: 7132, symbol: 'KMT2A', confidence: 'green', inheritance: 'AD' },
      ]);
      expect(read.names, 'all genes are as this release has them').to.equal('2026-11-01');
      // What was read can be sent back as it is, and changes nothing then.
      const same = await ask('PUT', 'skin/1', { revision: 2, content: read });
      expect([same.status, same.body.revision]).to.deep.equal([200, 2]);
      const stale = await ask('PUT', 'skin/1', { revision: 1, content });
      expect([stale.status, stale.body.detail]).to.deep.equal([
        409,
        'skin@1 was changed since it was read: read it again',
      ]);
    });

    it('keep genes as they are, and take no other than approved ones', async () => {
      await lab.draft('bone', '1', contentOf([green(7132, 'MLL'), green(77777, 'GONE')], { names: '2020-01-01' }));
      const old = [
        { hgnc: 7132, symbol: 'MLL', confidence: 'green' },
        { hgnc: 77777, confidence: 'green' },
      ];
      const put = (genes: object[]) => ask('PUT', 'bone/1', { revision: 1, content: { name: 'Bone', genes } });
      for (const [gene, detail] of [
        [{ hgnc: 950, symbol: 'PER3' }, 'genes: HGNC:950 is BAP1, not PER3'],
        [{ hgnc: 1 }, 'genes: HGNC:1 (A1S9T) was withdrawn'],
        [{ hgnc: 2 }, 'genes: HGNC:2 (OLDBAP) was merged into HGNC:950 (BAP1)'],
        [{ hgnc: 123_456 }, 'genes: HGNC:123456 is unknown'],
        [{ hgnc: 7132 }, 'genes: HGNC:7132 is there twice'],
      ] as const) {
        const refused = await put([...old, { ...gene, confidence: 'red' }]);
        expect([refused.status, refused.body.detail]).to.deep.equal([422, detail]);
      }
      const { status, body } = await put([...old, { hgnc: 950, confidence: 'red' }]);
      expect([status, body.genes]).to.deep.equal([200, 3]);
      const { content } = (await ask('GET', 'bone/1')).body;
      expect(content.genes.map(({ symbol }) => symbol)).to.deep.equal(['BAP1', 'MLL', 'GONE']);
      expect(content.names, 'two genes are not as the newer release has them').to.equal('2020-01-01');
    });

    it('lose entries without a gene only with a word about them', async () => {
      const entry = (given: string) => ({ given, why: 'is unknown', confidence: 'green' as const });
      await lab.draft('lip', '1', contentOf([green(950, 'BAP1')], { unmapped: [entry('ONE'), entry('TWO')] }));
      const content = { name: 'Lip', genes: [{ hgnc: 950, confidence: 'green' }], unmapped: [entry('TWO')] };
      const silent = await ask('PUT', 'lip/1', { revision: 1, content });
      expect([silent.status, silent.body.detail]).to.deep.equal([
        400,
        'comment: entries without a gene are removed (ONE): say what became of them',
      ]);
      const told = await ask('PUT', 'lip/1', { revision: 1, content, comment: 'ONE is not a gene' });
      expect([told.status, told.body.unmapped]).to.deep.equal([200, 1]);
      expect(told.body.history.at(-1)?.comment).to.equal('no longer without a gene ONE; name: Lip: ONE is not a gene');
    });

    it('are not edited once they are in review, signed off or retired', async () => {
      await lab.draft('toe', '1', contentOf([green(950, 'BAP1')]));
      const content = { name: 'Toes', genes: [] };
      let { revision, sha256 } = (await ask('GET', 'toe/1')).body;
      for (const [verb, state] of [
        ['submit', 'in review'],
        ['sign', 'signed off'],
        ['retire', 'retired'],
      ]) {
        const done = await ask('POST', `toe/1/${verb}`, { revision, ...(verb === 'sign' && { sha256 }) });
        ({ revision, sha256 } = done.body);
        const refused = await ask('PUT', 'toe/1', { revision, content });
        expect([refused.status, refused.body.detail]).to.deep.equal([
          409,
          `toe@1 is ${state}: only a version that is draft can be edited`,
        ]);
      }
      expect((await ask('GET', 'toe/1')).body.sha256).to.equal(sha256);
    });

    it('are made and edited by callers with the right to their panel, who learn nothing of others', async () => {
      await lab.draft('eye', '1', contentOf([green(950, 'BAP1')]));
      await lab.draft('ear', '1', contentOf([green(950, 'BAP1')]));
      const [limited, reader] = [
        await lab.token('limited', 'panels:read:eye', 'panels:edit:eye'),
        await lab.token('reader', 'panels:read'),
      ];
      const content = { name: 'Eyes', genes: [{ hgnc: 950, confidence: 'green' }] };
      const edit = { revision: 1, content };
      expect((await ask('PUT', 'eye/1', edit, reader)).status).to.equal(403);
      expect((await ask('POST', 'eye/versions', { name: 'x' }, reader)).status).to.equal(403);
      expect((await ask('PUT', 'eye/1', edit, 'no token')).status).to.equal(401);
      for (const [method, path, body] of [
        ['PUT', 'PANEL/1', edit],
        ['POST', 'PANEL/versions', { name: 'x', version: '1' }],
        ['POST', 'eye/versions', { from: { panel: 'PANEL', version: '1' } }],
      ] as const) {
        const sent = (panel: string) =>
          ask(method, path.replace('PANEL', panel), JSON.parse(JSON.stringify(body).replace('PANEL', panel)), limited);
        const [foreign, absent] = [await sent('ear'), await sent('ghost')];
        const plain = (text: string) => text.replace(/"requestId":"[^"]*"/, '').replaceAll('ghost', 'ear');
        expect([foreign.status, plain(foreign.text)], path).to.deep.equal([absent.status, plain(absent.text)]);
        expect(foreign.status, path).to.be.oneOf([403, 404]);
      }
      expect((await ask('PUT', 'eye/1', edit, limited)).status).to.equal(200);
    });

    it('refuse rubbish with a sentence', async () => {
      await lab.draft('nail', '1', contentOf([green(950, 'BAP1')]));
      const content = { name: 'Nails', genes: [] };
      const cases: [string, string, unknown, number][] = [
        ['PUT', 'nail/1', {}, 400],
        ['PUT', 'nail/1', { revision: 1 }, 400],
        ['PUT', 'nail/1', { revision: 1, content: { name: '', genes: [] } }, 400],
        ['PUT', 'nail/1', { revision: 1, content: { ...content, more: 1 } }, 400],
        ['PUT', 'nail/1', { revision: 1, content: { ...content, genes: [{ hgnc: 0, confidence: 'green' }] } }, 400],
        ['PUT', 'nail/1', { revision: 1, content: { ...content, genes: [{ hgnc: 950, confidence: 'blue' }] } }, 400],
        ['PUT', 'nail/1', { revision: 1, content: { ...content, source: { kind: 'panelapp' } } }, 422],
        ['PUT', 'nail/1', { revision: 1, content: { ...content, names: '2030-01-01' } }, 422],
        ['PUT', 'nail/01', { revision: 1, content }, 400],
        ['PUT', 'nail/2', { revision: 1, content }, 404],
        ['POST', 'nail/versions', {}, 400],
        ['POST', 'nail/versions', { version: '1.x', name: 'Nails' }, 400],
        ['POST', 'nail/versions', { version: '1', name: 'Nails' }, 409],
        ['POST', 'nail/versions', { from: { version: '7' } }, 404],
        ['POST', 'Nail/versions', { name: 'Nails' }, 400],
        ['POST', 'versions/versions', { name: 'Nails' }, 400],
      ];
      for (const [method, path, body, status] of cases) {
        const { status: got, text, body: answer } = await ask(method, path, body);
        expect(got, `${method} ${path} ${JSON.stringify(body)}: ${text}`).to.equal(status);
        expect(answer.detail, path)
          .to.be.a('string')
          .and.not.match(/undefined|\[object/);
      }
      expect((await ask('GET', 'nail/1')).body.revision).to.equal(1);
    });
  });
}
