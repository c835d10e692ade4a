/** Changes of panels are in the audit, with the change or not at all. */
import { expect } from 'chai';
import { AuditKeys } from '../../../core/audit/chain.js';
import { audit } from '../../../core/audit/contract.js';
import { readEntries } from '../../../core/audit/read.js';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { contentOf, green, type PanelServer, servePanels } from './support/served.js';

const key = 'a key of the audit, for tests only';

interface Version {
  version: string;
  revision: number;
  sha256: string;
}

for (const engine of dealt(storages, 'postgres')) {
  describe(`panels in the audit on ${engine.name}`, function () {
    this.timeout(60_000);
    let served: PanelServer;
    let anna = '';
    let bo = '';

    before(async () => {
      served = await servePanels(engine, { signatures: 2, signers: 'anyone' }, { audit: { key } });
      await served.named('2026-11-01');
      [anna, bo] = [await served.token('Anna'), await served.token('Bo')];
    });
    after(() => served.server.close());

    /** What the work adds: action, caller, panel, outcome, reason and what is said of the version. */
    async function recorded(work: () => Promise<unknown>) {
      const repository = served.server.repository(audit);
      const all = async () => {
        const found = [];
        for await (const page of readEntries({ repository, keys: new AuditKeys(key) }, {})) found.push(...page);
        return found;
      };
      const before = (await all()).length;
      await work();
      return (await all()).slice(before).map(({ action, actor, about, because, outcome, detail, request }) => {
        expect(request).to.match(/\S/);
        expect({ about, because, outcome }).to.deep.equal({
          ...{ about: ['panel:kidney'], because: 'API token', outcome: 'done' },
        });
        return [action, actor, detail?.version, detail?.revision, detail?.state];
      });
    }

    async function asked(method: string, path: string, token: string, body?: unknown): Promise<Version> {
      const { status, text, body: answered } = await served.ask<Version>(method, path, token, body);
      expect(status, text).to.be.within(200, 299);
      return answered;
    }

    async function form(path: string, token: string, fields: Record<string, string>): Promise<number> {
      const { status } = await fetch(`${served.server.url}/panels/${path}`, {
        ...{ method: 'POST', redirect: 'manual', headers: { 'x-auth-token': token } },
        body: new URLSearchParams(fields),
      });
      return status;
    }

    it('every step of a version: made, edited, submitted, sent back, signed by two, retired', async () => {
      const content = contentOf([green(950, 'BAP1')]);
      const { source: _, ...editable } = content;
      const steps = await recorded(async () => {
        const made = await asked('POST', 'kidney/versions', anna, { name: 'Kidney', version: '1' });
        const edit = await asked('PUT', 'kidney/1', anna, { revision: made.revision, content: editable });
        const review = await asked('POST', 'kidney/1/submit', anna, { revision: edit.revision });
        const back = await asked('POST', 'kidney/1/send-back', bo, { revision: review.revision, comment: 'again' });
        const again = await asked('POST', 'kidney/1/submit', anna, { revision: back.revision });
        const once = await asked('POST', 'kidney/1/sign', anna, { revision: again.revision, sha256: again.sha256 });
        const twice = await asked('POST', 'kidney/1/sign', bo, { revision: once.revision, sha256: once.sha256 });
        await asked('POST', 'kidney/1/retire', bo, { revision: twice.revision, comment: 'done' });
      });
      const [a, b] = ['token:Anna', 'token:Bo'];
      expect(steps).to.deep.equal([
        ['panels.add', a, '1', 1, 'draft'],
        ['panels.edit', a, '1', 2, 'draft'],
        ['panels.submit', a, '1', 3, 'in review'],
        ['panels.send-back', b, '1', 4, 'draft'],
        ['panels.submit', a, '1', 5, 'in review'],
        ['panels.sign', a, '1', 6, 'in review'],
        ['panels.sign', b, '1', 7, 'signed off'],
        ['panels.retire', b, '1', 8, 'retired'],
      ]);
    });

    it('the same by the forms of the pages', async () => {
      const steps = await recorded(async () => {
        expect(await form('new', anna, { panel: 'kidney', version: '2', name: 'Kidney', from: '1' })).to.equal(303);
        expect(await form('kidney/2/edit', anna, { action: 'describe', revision: '1', name: 'Renal' })).to.equal(303);
        expect(await form('kidney/2/act', anna, { act: 'submit', revision: '2' })).to.equal(303);
        expect(await form('kidney/2/act', bo, { act: 'send-back', revision: '3', comment: 'no' })).to.equal(303);
        expect(await form('kidney/2/act', anna, { act: 'remove', revision: '4' })).to.equal(303);
      });
      expect(steps.map(([action]) => action)).to.deep.equal(
        ['add', 'edit', 'submit', 'send-back', 'remove'].map((verb) => `panels.${verb}`),
      );
    });

    it('nothing of a change that is refused', async () => {
      await recorded(() => asked('POST', 'kidney/versions', anna, { name: 'Kidney', version: '3' }));
      const refused = await recorded(async () => {
        expect((await served.ask('POST', 'kidney/3/submit', anna, { revision: 7 })).status).to.equal(409);
        expect((await served.ask('POST', 'kidney/versions', anna, { name: 'K', version: '3' })).status).to.equal(409);
        expect((await served.ask('DELETE', 'kidney/1?revision=8', anna)).status).to.equal(409);
      });
      expect(refused).to.deep.equal([]);
      expect(await recorded(() => asked('DELETE', 'kidney/3?revision=1', anna))).to.deep.equal([
        ['panels.remove', 'token:Anna', '3', 1, 'draft'],
      ]);
    });

    it('names no person: neither who signed nor what was commented', async () => {
      const rows = await served.server.repository(audit).entries({ limit: 100 });
      expect(rows.map(({ body }) => body).join()).to.not.match(/Anna|Bo|again/);
    });
  });
}
