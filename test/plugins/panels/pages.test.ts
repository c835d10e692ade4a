/** The pages of panels as a browser without scripts uses them: read, filled in, posted. */
import { expect } from 'chai';
import type { PanelContent, UnmappedEntry } from '../../../plugins/panels/versions/content.js';
import { request } from '../../support/http.js';
import { storages } from '../../support/storages.js';
import { contentOf, green, type PanelServer, servePanels } from './support/served.js';

interface Read {
  state: string;
  revision: number;
  sha256: string;
  content: PanelContent;
  history: { what: string; by: string; comment?: string }[];
}

const html = 'text/html,application/xhtml+xml,*/*;q=0.8';

for (const subject of storages.slice(0, 1)) {
  describe(`the pages of panels on ${subject.name}`, function () {
    this.timeout(30_000);
    let lab: PanelServer;
    let [anna, bo, reader] = ['', '', ''];
    before(async () => {
      lab = await servePanels(subject, { signatures: 2 });
      await lab.named('2026-11-01');
      [anna, bo, reader] = [await lab.token('anna'), await lab.token('bo'), await lab.token('reader', 'panels:read')];
    });
    after(() => lab?.server.close());

    const basic = (token: string) => `Basic ${Buffer.from(`x:${token}`).toString('base64')}`;
    const open = (path: string, token = anna, headers: Record<string, string> = {}) =>
      request(lab.server.url + path, { headers: { accept: html, authorization: basic(token), ...headers } });
    /** Posts a form as a browser does from a page of this server. */
    async function post(
      path: string,
      fields: Record<string, string | string[]>,
      { token = anna, headers = {} }: { token?: string; headers?: Record<string, string> } = {},
    ) {
      const answer = await request(lab.server.url + path, {
        form: fields,
        headers: { accept: html, authorization: basic(token), 'sec-fetch-site': 'same-origin', ...headers },
      });
      return { ...answer, location: answer.headers.get('location') };
    }
    const read = async (path: string) => (await lab.ask<Read>('GET', path, anna)).body;
    /** The fields that a form of the page sends unasked. */
    const hiddenOf = (page: string, act: string) => {
      const form = page.split('<form').find((one) => one.includes(`value="${act}"`)) ?? '';
      return Object.fromEntries(
        [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [
          name,
          value,
        ]),
      ) as Record<string, string>;
    };

    it('take a panel from an empty draft to its signatures', async () => {
      const made = await post('/panels/new', { panel: 'kidney', name: 'Kidney <tumours>', version: '', from: '' });
      expect([made.status, made.location]).to.deep.equal([303, '/panels/kidney/1/edit']);
      const page = await open('/panels/kidney/1/edit');
      expect(page.text).to.include('Kidney &lt;tumours&gt;').and.not.include('<tumours>');
      const added = await post('/panels/kidney/1/edit', {
        ...hiddenOf(page.text, 'add'),
        genes: 'BAP1, mll\r\nHGNC:8847 UCHL2 BAP1',
        confidence: 'green',
        inheritance: 'AD',
        comment: 'from the clinic',
      });
      expect([added.status, added.location]).to.deep.equal([303, '/panels/kidney/1/edit']);
      const { content, history } = await read('kidney/1');
      expect(content.genes.map(({ symbol, inheritance }) => [symbol, inheritance])).to.deep.equal([
        ['BAP1', 'AD'],
        ['KMT2A', 'AD'],
        ['PER3', 'AD'],
      ]);
      expect(history.at(-1)?.comment).to.equal(
        'added BAP1, KMT2A, PER3; added without a gene UCHL2; mll is now KMT2A; ' +
          'UCHL2 has no certain gene: UCHL2 is an alias, which is not certain; ' +
          'BAP1 is in the panel already and stays as it is: from the clinic',
      );
      const version = await open('/panels/kidney/1');
      const blocked = await post('/panels/kidney/1/act', hiddenOf(version.text, 'submit'));
      expect(blocked.status).to.equal(409);
      expect(blocked.text).to.include('kidney@1 has 1 entries without a gene: map or remove them first');
      const edit = await open('/panels/kidney/1/edit');
      await post('/panels/kidney/1/edit', { ...hiddenOf(edit.text, 'drop'), reason: 'a slip of the pen' });
      expect((await read('kidney/1')).history.at(-1)?.comment).to.equal('UCHL2 was dropped: a slip of the pen');
      const ready = await open('/panels/kidney/1');
      const submitted = await post('/panels/kidney/1/act', { ...hiddenOf(ready.text, 'submit'), comment: '' });
      expect([submitted.status, submitted.location]).to.deep.equal([303, '/panels/kidney/1']);
      for (const [token, state] of [
        [anna, 'in review'],
        [bo, 'signed off'],
      ] as const) {
        const before = await read('kidney/1');
        const sign = await open('/panels/kidney/1/sign', token);
        expect(sign.text).to.include(`<code>${before.sha256}</code>`).and.include(`revision ${before.revision}`);
        const fields = hiddenOf(sign.text, 'sign');
        expect(fields).to.deep.equal({ act: 'sign', revision: String(before.revision), sha256: before.sha256 });
        expect((await post('/panels/kidney/1/act', fields, { token })).status).to.equal(303);
        expect((await read('kidney/1')).state).to.equal(state);
      }
      expect((await open('/panels/kidney/1')).text).to.include(
        'Signed off</strong> by <bdi>anna</bdi> and <bdi>bo</bdi>',
      );
    });

    it('say what a version lacks, and resolve it', async () => {
      const entry = (given: string, candidates: number[] = []): UnmappedEntry => ({
        ...{ given, at: 'line 7', why: `${given} is an alias, which is not certain`, confidence: 'amber' },
        ...(candidates.length > 0 && { candidates }),
      });
      const genes = [green(950, 'BAP1'), green(7132, 'MLL'), green(2, 'OLDBAP'), green(1, 'A1S9T')];
      await lab.draft('eye', '1', contentOf(genes, { unmapped: [entry('UCHL2', [11, 950]), entry('HRX', [7132])] }));
      const { text } = await open('/panels/eye/1');
      for (const words of [
        '2 entries without a gene',
        'UCHL2 is an alias, which is not certain',
        'MLL is now KMT2A',
        'HGNC:2 (OLDBAP) was merged into HGNC:950 (BAP1)',
        'withdrawn: blocks signing',
      ])
        expect(text).to.include(words);
      const at = '/panels/eye/1/edit';
      const revised = async () => ({ revision: String((await read('eye/1')).revision) });
      expect((await post(at, { ...(await revised()), action: 'resolve', entry: '0' })).text).to.include(
        'gene: choose a gene, or name another',
      );
      await post(at, { ...(await revised()), action: 'resolve', entry: '0', gene: '11', other: '' });
      await post(at, { ...(await revised()), action: 'resolve', entry: '0', other: 'KMT2A' });
      await post(at, { ...(await revised()), action: 'names' });
      await post(at, { ...(await revised()), action: 'remove', gene: ['1'], comment: 'it is no gene' });
      await post(at, { ...(await revised()), action: 'confidence', gene: ['950', '11'], confidence: 'red' });
      const facts = { inheritance: 'AD', transcripts: 'NM_1.1 NM_2', penetrance: '', mode: '', tags: 'a\r\nb' };
      const gene = { action: 'gene', gene: '7132', confidence: 'green', phenotypes: '', note: 'see\r\nthere' };
      await post(at, { ...(await revised()), ...gene, ...facts, core: 'yes' });
      const about = { action: 'describe', name: 'Eyes', description: '', disorders: 'R1\r\nR2', depth: '20' };
      expect((await post(at, { ...(await revised()), ...about, percent: '' })).text).to.include('expected both');
      await post(at, { ...(await revised()), ...about, percent: '99,5', bases: 'coding' });
      const { content, history } = await read('eye/1');
      expect(content).to.deep.include({
        name: 'Eyes',
        disorders: ['R1', 'R2'],
        requirement: { depth: 20, percent: 99.5, bases: 'coding' },
        names: '2026-11-01',
        genes: [
          { hgnc: 11, symbol: 'OTHER', confidence: 'red' },
          { hgnc: 950, symbol: 'BAP1', confidence: 'red' },
          {
            ...{ hgnc: 7132, symbol: 'KMT2A', confidence: 'green', inheritance: 'AD', core: true },
            ...{ transcripts: ['NM_1.1', 'NM_2'], tags: ['a', 'b'], comment: 'see\nthere' },
          },
        ],
      });
      expect(content).to.not.have.property('unmapped');
      expect(history.slice(1).map(({ comment }) => comment)).to.deep.equal([
        'UCHL2 is OTHER (HGNC:11)',
        'HRX is KMT2A (HGNC:7132)',
        'OLDBAP was merged into BAP1; MLL is now KMT2A',
        'removed A1S9T: it is no gene',
        'confidence OTHER amber → red, BAP1 green → red',
        'changed KMT2A (comment, core, inheritance, tags, transcripts)',
        'name: Eyes; disorders; required: 99.5 % of coding and splice bases at 20×',
      ]);
    });

    it('find panels by name, id, state and gene, and versions that held a gene by any of its names', async () => {
      await lab.draft('ear-a', '1', contentOf([green(8847, 'PER3')], { name: 'Hearing' }));
      await lab.draft('ear-b', '2', contentOf([green(2, 'OLDBAP')], { name: 'Balance' }));
      const unmapped = [{ given: 'GIG13', why: 'is an alias', candidates: [8847], confidence: 'green' as const }];
      await lab.draft('ear-c', '3', contentOf([green(7132, 'MLL')], { name: 'Tinnitus', unmapped }));
      const found = async (query: string) =>
        [...(await open(`/panels${query}`)).text.matchAll(/href="\/panels\/(ear-[a-z])"/g)].map(([, id]) => id);
      expect(await found('')).to.deep.equal(['ear-a', 'ear-b', 'ear-c']);
      expect(await found('?q=hEAR')).to.deep.equal(['ear-a']);
      expect(await found('?q=ear-')).to.deep.equal(['ear-a', 'ear-b', 'ear-c']);
      expect(await found('?q=mll')).to.deep.equal(['ear-c']);
      expect(await found('?q=ear&state=retired')).to.deep.equal([]);
      expect(await found('/holding?gene=per3')).to.deep.equal(['ear-a', 'ear-c']);
      const { text } = await open('/panels/holding?gene=HGNC:8847');
      expect(text).to.include('PER3 (HGNC:8847) is in').and.include('An entry without a gene may be it');
      expect(await found('/holding?gene=BAP1'), 'as the entry that was merged into it').to.deep.equal(['ear-b']);
      expect((await open('/panels/holding?gene=SPLIT')).text).to.include(
        'No gene: HGNC:3 (SPLIT) was split into HGNC:950 (BAP1), HGNC:8847 (PER3)',
      );
      expect((await open('/panels/holding')).status).to.equal(200);
      const merged = (await lab.ask<object>('GET', 'holding?gene=bap1', anna)).body;
      expect(merged).to.deep.include({ hgnc: 950, symbol: 'BAP1' });
      expect(merged)
        .to.have.deep.property('versions')
        .that.deep.includes({
          ...{ panel: 'ear-b', version: '2', state: 'draft', former: [2] },
        });
      expect((await lab.ask('GET', 'holding?gene=per3', anna)).body).to.have.deep.property('entries', [
        { panel: 'ear-c', version: '3', state: 'draft', given: 'GIG13' },
      ]);
      expect((await lab.ask<{ detail: string }>('GET', 'holding', anna)).body.detail).to.include('gene: expected');
      expect((await lab.ask('GET', 'holding?gene=NOSUCH', anna)).status).to.equal(404);
    });

    it('compare versions, and say of a retired one which is newer', async () => {
      await lab.draft('lung', '1.9', contentOf([green(950, 'BAP1'), green(8847, 'PER3')]));
      await lab.draft('lung', '1.10', contentOf([green(950, 'BAP1', { confidence: 'red' }), green(7132, 'KMT2A')]));
      for (const version of ['1.9', '1.10']) {
        await lab.ask('POST', `lung/${version}/submit`, anna, { revision: 1 });
        const { sha256 } = await read(`lung/${version}`);
        await lab.ask('POST', `lung/${version}/sign`, anna, { revision: 2, sha256 });
        await lab.ask('POST', `lung/${version}/sign`, bo, { revision: 3, sha256 });
      }
      await lab.ask('POST', 'lung/1.9/retire', bo, { revision: 4, comment: 'PER3 was an error' });
      const retired = (await open('/panels/lung/1.9')).text;
      expect(retired).to.include('Retired</strong> by <bdi>bo</bdi>: <bdi>PER3 was an error</bdi>');
      expect(retired).to.include('/panels/lung/compare?from=1.9&to=1.10');
      const { text } = await open('/panels/lung/compare?from=1.9&to=1.10');
      expect(text).to.include('3 genes differ').and.include('1 demoted, 1 added, 1 removed');
      expect((await open('/panels/lung/compare?from=1&to=1.9&other=kidney')).text).to.include('kidney@1 → lung@1.9');
      expect((await open('/panels/lung')).text).to.include('Reports that ask for it use version');
      expect((await open('/')).text).to.include('href="/panels"');
    });

    it('offer readers nothing that they may not do, and refuse it', async () => {
      await lab.draft('nose', '1', contentOf([green(950, 'BAP1')]));
      for (const path of ['/panels', '/panels/nose', '/panels/nose/1', '/panels/holding?gene=BAP1']) {
        const { status, text } = await open(path, reader);
        expect(status, path).to.equal(200);
        expect(text, path).to.not.match(/method="post"|\/edit"|\/sign"/);
      }
      const sent = { revision: '1', act: 'submit' };
      expect((await post('/panels/nose/1/act', sent, { token: reader })).status).to.equal(403);
      expect((await post('/panels/nose/1/edit', { ...sent, action: 'names' }, { token: reader })).status).to.equal(403);
      for (const path of ['/panels/nose/1/edit', '/panels/nose/1/sign'])
        expect((await open(path, reader)).status, path).to.equal(403);
      const other = await lab.token('other', 'panels:read:ear-a', 'panels:edit:ear-a', 'panels:sign:ear-a');
      for (const path of ['/panels/nose', '/panels/nose/1', '/panels/nose/1/edit', '/panels/nose/1/sign']) {
        const [foreign, absent] = [await open(path, other), await open(path.replace('nose', 'ghost'), other)];
        const plain = (text: string) => text.replaceAll('ghost', 'nose').replace(/nonce="[^"]*"/g, '');
        expect([foreign.status, plain(foreign.text)], path).to.deep.equal([404, plain(absent.text)]);
      }
      expect((await open('/panels', other)).text).to.not.include('/panels/nose');
      expect((await open('/panels/holding?gene=BAP1', other)).text).to.not.include('nose');
    });

    it('take forms with a password only from pages of this server', async () => {
      await lab.draft('throat', '1', contentOf([green(950, 'BAP1')]));
      const sent = { revision: '1', act: 'submit' };
      const { host } = new URL(lab.server.url);
      const foreign: Record<string, string>[] = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
      ];
      for (const headers of foreign) {
        const refused = await post('/panels/throat/1/act', sent, { headers });
        expect(refused.status, JSON.stringify(headers)).to.equal(403);
        expect(refused.text).to.include('must come from a page of this server');
      }
      const unasked = await fetch(`${lab.server.url}/panels`, { headers: { accept: html } });
      expect([unasked.status, unasked.headers.get('www-authenticate')]).to.deep.equal([
        401,
        'Basic realm="trefoil", charset="UTF-8"',
      ]);
      expect((await open('/panels', 'trf_wrong')).status).to.equal(401);
      expect((await read('throat/1')).state).to.equal('draft');
    });

    it('answer programs with JSON, browsers with pages, and rubbish with a sentence', async () => {
      const json = await open('/panels/throat/1', anna, { accept: '*/*' });
      expect(json.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect((await open('/panels/throat/1')).headers.get('content-type')).to.equal('text/html; charset=utf-8');
      const at = '/panels/throat/1/edit';
      const cases: [string, Record<string, string | string[]>, number][] = [
        [at, {}, 400],
        [at, { action: 'explode', revision: '1' }, 400],
        [at, { action: 'names', revision: 'x' }, 400],
        [at, { action: 'names', revision: '7' }, 409],
        [at, { action: 'add', revision: '1', genes: ' ', confidence: 'green' }, 400],
        [at, { action: 'add', revision: '1', genes: 'PER3', confidence: 'blue' }, 400],
        [at, { action: 'add', revision: '1', genes: 'x'.repeat(3000), confidence: 'green' }, 400],
        [at, { action: 'remove', revision: '1' }, 400],
        [at, { action: 'remove', revision: '1', gene: '7' }, 404],
        [at, { action: 'drop', revision: '1', entry: '0', reason: 'x' }, 404],
        [at, { action: 'resolve', revision: '1', entry: '0', other: 'PER3' }, 404],
        [at, { action: 'describe', revision: '1', name: '' }, 400],
        [at, { action: 'describe', revision: '1', name: 'x', depth: 'deep', percent: '5' }, 400],
        ['/panels/throat/1/act', { act: 'explode', revision: '1' }, 400],
        ['/panels/throat/1/act', { act: 'sign', revision: '1', sha256: 'x' }, 409],
        ['/panels/new', { panel: 'Throat', name: 'x' }, 400],
        ['/panels/new', { panel: 'throat', version: '1.x', name: 'x' }, 400],
        ['/panels/new', { panel: 'throat', version: '1', name: 'x' }, 409],
      ];
      for (const [path, fields, status] of cases) {
        const refused = await post(path, fields);
        expect(refused.status, `${path} ${JSON.stringify(fields).slice(0, 100)} ${refused.text.slice(-900)}`).to.equal(
          status,
        );
        expect(refused.text)
          .to.include('role="alert"')
          .and.not.match(/undefined|NaN|\[object/);
      }
      expect((await read('throat/1')).revision).to.equal(1);
      for (const path of ['/panels/throat/compare', '/panels/throat/compare?from=1&to=x', '/panels/throat/01'])
        expect((await open(path)).status, path).to.equal(400);
      expect((await open('/panels/throat/1/edit?gene=7')).status).to.equal(404);
    });

    it('remove drafts', async () => {
      const { text } = await open('/panels/throat/1');
      const removed = await post('/panels/throat/1/act', hiddenOf(text, 'remove'));
      expect([removed.status, removed.location]).to.deep.equal([303, '/panels']);
      expect((await open('/panels/throat')).status).to.equal(404);
    });
  });
}
