/** People and programs work with rows over HTTP: conflicts, mails, hand-over, other clients, and rubbish. */
import { expect } from 'chai';
import { matchmaker } from '../../../../plugins/matchmaker/contract.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { found } from '../exchange/support/peer.js';
import { read } from '../exchange/support/sink.js';
import { type Json, patient } from '../support/serve.js';
import { serveTriage } from './support/served.js';

const list = '/matchmaker/submissions';
const far = { contact: { name: 'Dr. Far', href: 'mailto:far@clinic.example.org', institution: 'Clinic' } };

for (const storage of dealt(storages, 'postgres')) {
  describe(`matchmaker: work with matches on ${storage.name}`, function () {
    this.timeout(60_000);
    const lab = useOnce(() => serveTriage(storage, { triage: { hidePhenotypeOnly: ['far'] } }));
    let one = 0;
    before(async () => {
      const contact = { name: 'Own Doctor', href: 'mailto:own@lab.example.org', institution: 'Lab' };
      await lab.add(
        lab.scout,
        patient('P-1', { label: 'Case Övre', contact }),
        patient('P-2', { features: [], genomicFeatures: [{ gene: { id: 'KMT2D' } }] }),
      );
      lab.peer.behave(found(patient('F-1', far), patient('F-2', { ...far, genomicFeatures: [] })));
      await lab.matchFar(lab.scout, 'P-1');
      await lab.match(lab.seqr, patient('Q-9', { contact: { name: 'Asker', href: 'https://asker.example.org/' } }));
      one = (await lab.server.repository(matchmaker).patient('P-1'))?.number ?? 0;
    });

    const page = () => `${list}/${one}`;
    const get = (path: string, token = lab.scout) => lab.ask('GET', path, { token });
    const post = (path: string, body: unknown, token = lab.scout) => lab.ask('POST', path, { token, body });
    const idsOf = ({ body }: { body: Json }) => body.submissions.map(({ id }: Json) => id);
    const rowPath = async (other: string) => `${page()}/rows/${(await lab.rowOf(lab.scout, one, other)).id}`;

    it('shows rows with the matched gene, and hides those by phenotype alone where it is so set', async () => {
      const { body } = await get(page());
      expect(body).to.deep.include({ id: 'P-1', label: 'Case Övre', genes: ['SCN1A'], hidden: 1 });
      expect(
        body.rows.map(({ patient: id, genes, node, found: we }: Json) => [id, node.label, genes, we]),
      ).to.deep.equal([
        ['F-1', 'Far away', ['SCN1A'], true],
        ['Q-9', 'seqr', ['SCN1A'], false],
      ]);
      const all = await get(`${page()}?chosen=yes`);
      expect(all.body.rows.map(({ patient: id }: Json) => id)).to.have.members(['F-1', 'F-2', 'Q-9']);
      const some = await get(`${page()}?chosen=yes&require=gene`);
      expect([some.body.rows.length, some.body.hidden]).to.deep.equal([2, 1]);
    });

    it('finds the submission of a reply by any of its names, and by its own patient', async () => {
      for (const text of ['f-1', 'CLINIC.example', 'dr. far', 'far away', 'scn1a', 'övre']) {
        expect(idsOf(await post(list, { text })), text).to.deep.equal(['P-1']);
      }
      expect(idsOf(await post(list, { text: 'nobody' }))).to.deep.equal([]);
      for (const [condition, there, absent] of [
        ['text', 'dr. far', 'nobody'],
        ['label', 'Case', 'nobody'],
        ['submitter', 'own doc', 'nobody'],
      ] as const) {
        expect(idsOf(await get(`${list}?${condition}=${there}`)), condition).to.deep.equal(['P-1']);
        expect(idsOf(await get(`${list}?${condition}=${absent}`)), condition).to.deep.equal([]);
      }
      expect(
        idsOf(await get(`${list}?gene=ENSG00000144285&term=HP:0012638`)),
        'an ancestor of HP:0001250',
      ).to.deep.equal(['P-1']);
      expect(idsOf(await get(`${list}?gene=KMT2D`))).to.deep.equal([]);
      expect(idsOf(await get(`${list}?gene=KMT2D&all=yes`))).to.deep.equal(['P-2']);
      expect(idsOf(await post(list, { submitter: 'own doc' }))).to.deep.equal(['P-1']);
      expect(idsOf(await get(`${list}?since=2000-01-01&status=new&node=far`))).to.deep.equal(['P-1']);
      expect(idsOf(await get(`${list}?since=2999-01-01`))).to.deep.equal([]);
    });

    it('notes what became of a match, and refuses the second of two who change it at once', async () => {
      const path = await rowPath('F-1');
      const answers = await Promise.all(
        ['x', 'y'].map((note) => post(path, { revision: 1, status: 'follow-up', assignee: 'Anna', note })),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
      const refused = answers.find(({ status }) => status === 409);
      expect(refused?.body.detail).to.equal(
        'The row was changed since it was read: read it again, then repeat the change',
      );
      const { body } = await get(path);
      expect([body.status, body.assignee, body.revision]).to.deep.equal(['follow-up', 'Anna', 2]);
      expect(body.history.map(({ what, by, from, to }: Json) => [what, by, from, to])).to.deep.equal([
        ['status', 'scout', 'new', 'follow-up'],
        ['assignee', 'scout', '', 'Anna'],
        ['note', 'scout', undefined, undefined],
      ]);
      expect(idsOf(await get(`${list}?assignee=Anna&status=follow-up`))).to.deep.equal(['P-1']);
    });

    it('sends a mail to the contact, and keeps it with the row', async () => {
      const path = await rowPath('F-1');
      await post(path, { action: 'note', revision: 2, status: 'new' });
      const draft = await post(path, { action: 'draft', revision: 3, subject: 'Ours', text: 'Not yet' });
      expect(draft.body.draft).to.deep.equal({ subject: 'Ours', text: 'Not yet' });
      const mail = { subject: 'About F-1', text: 'Dear Dr. Far,\r\n\r\nours has <SCN1A>, too.' };
      const sent = await post(path, { action: 'send', revision: 4, ...mail });
      expect([sent.status, sent.body.status, sent.body.draft]).to.deep.equal([200, 'contacted', undefined]);
      expect(lab.sink.mails).to.have.length(1);
      const [taken] = lab.sink.mails;
      const text = read(taken ?? { text: '' });
      expect(taken?.to).to.deep.equal(['far@clinic.example.org']);
      expect(text)
        .to.match(/^Reply-To: own@lab\.example\.org\r$/m)
        .and.match(/^Subject: About F-1\r$/m);
      expect(text).to.include('ours has <SCN1A>, too.').and.include('ours has &lt;SCN1A&gt;, too.');
      expect(text).to.not.include('Auto-Submitted');
      expect(sent.body.history.at(-1)).to.deep.include({ what: 'status', from: 'new', to: 'contacted', by: 'scout' });
      expect(sent.body.history.at(-2).mail).to.deep.include({
        state: 'sent',
        subject: 'About F-1',
        to: ['far@clinic.example.org'],
      });
      // Of two who send at once, one is refused before anything is sent.
      const { revision } = sent.body;
      const both = await Promise.all([1, 2].map(() => post(path, { action: 'send', revision, ...mail })));
      expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
      expect(lab.sink.mails).to.have.length(2);
      lab.sink.refuses = /far@/;
      const now = (await get(path)).body.revision;
      const refused = await post(path, { action: 'send', revision: now, ...mail });
      lab.sink.refuses = undefined;
      expect(refused.status).to.equal(422);
      const { history, draft: kept } = (await get(path)).body;
      expect([history.at(-1).mail.state, kept.subject]).to.deep.equal(['failed', 'About F-1']);
      const web = await post(await rowPath('Q-9'), { action: 'send', revision: 1, ...mail });
      expect([web.status, web.body.detail]).to.deep.equal([409, 'The contact has no e-mail address']);
    });

    it('hands a submission over to another contact, once for each version', async () => {
      const { version } = (await get(page())).body;
      const given = { version, name: 'New Doctor', href: 'new@lab.example.org', comment: 'has moved' };
      const done = await post(`${page()}/contact`, given);
      expect(done.body.contact).to.deep.equal({ name: 'New Doctor', href: 'mailto:new@lab.example.org' });
      expect((await post(`${page()}/contact`, given)).status).to.equal(409);
      const { history } = (await get(page())).body;
      expect(history.map(({ what, from, to, text }: Json) => [what, from, to, text])).to.deep.equal([
        ['contact', 'Own Doctor <own@lab.example.org>', 'New Doctor <new@lab.example.org>', 'has moved'],
      ]);
      const bad = await post(`${page()}/contact`, { version: version + 1, name: '', href: 'no address' });
      expect(bad.status).to.equal(422);
    });

    it('answers rows of another client like rows that do not exist', async () => {
      const path = await rowPath('F-1');
      const random = '00000000-0000-4000-8000-000000000000';
      for (const [method, there, absent] of [
        ['GET', page(), `${list}/99999`],
        ['GET', path, `${list}/99999/rows/${random}`],
        ['POST', path, `${list}/99999/rows/${random}`],
        ['POST', `${page()}/contact`, `${list}/99999/contact`],
      ] as const) {
        const body = method === 'GET' ? {} : { body: { revision: 1, version: 1, name: 'N', href: 'a@b.se' } };
        const [own, none] = [
          await lab.ask(method, there, { token: lab.seqr, ...body }),
          await lab.ask(method, absent, { token: lab.seqr, ...body }),
        ];
        const shown = ({ requestId: _, ...rest }: Json) => rest;
        expect([own.status, shown(own.body)], there).to.deep.equal([404, shown(none.body)]);
      }
      expect(idsOf(await post(list, { text: 'F-1' }, lab.seqr))).to.deep.equal([]);
      await lab.server.repository(matchmaker).addClient({ id: 'scout', created: new Date() });
      const reader = await lab.token('reader', 'read:scout');
      expect(idsOf(await get(list, reader))).to.deep.equal(['P-1']);
      expect((await post(path, { revision: 1, note: 'x' }, reader)).status).to.equal(403);
      expect((await lab.ask('GET', list, { token: 'nonsense' })).status).to.equal(401);
    });

    it('refuses rubbish with one sentence', async () => {
      const path = await rowPath('F-1');
      for (const [method, where, body] of [
        ['GET', `${list}?term=HP:9`, undefined],
        ['GET', `${list}?since=yesterday`, undefined],
        ['GET', `${list}?after=x.y`, undefined],
        ['GET', `${list}?after=1.9999999999`, undefined],
        ['GET', `${list}?all=yes&after=9999999999`, undefined],
        ['GET', `${list}?all=yes&status=new`, undefined],
        ['GET', `${list}?status=done`, undefined],
        ['GET', `${list}?txet=x`, undefined],
        ['POST', list, { txet: 'x' }],
        ['GET', `${list}/0`, undefined],
        ['GET', `${list}/1e99`, undefined],
        ['POST', path, '{'],
        ['POST', path, {}],
        ['POST', path, { revision: 'one' }],
        ['POST', path, { revision: 1, status: 'done' }],
        ['POST', path, { revision: 1, note: 'x'.repeat(5001) }],
        ['POST', path, { revision: 1, action: 'send', subject: 'a\nBcc: x@y.se', text: 't' }],
        ['POST', path, []],
      ] as const) {
        const answer = await lab.ask(method, where, { token: lab.scout, body });
        const told = `${method} ${where} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`;
        expect(answer.status, told).to.be.within(400, 422);
        expect(answer.text, told).to.not.include('    at ').and.not.include('F-1');
      }
      expect(lab.server.log()).to.not.include('Dr. Far').and.not.include('P-1').and.not.include('F-1');
    });
  });
}
