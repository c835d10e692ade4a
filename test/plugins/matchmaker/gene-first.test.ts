/** Places for patients that share a gene with the query, and who is told of those that were left out. */
import { expect } from 'chai';
import { matchmakerMail, type Notice } from '../../../plugins/matchmaker/contract.js';
import { mailOfNotices } from '../../../plugins/matchmaker/mail/notices.js';
import { factsOfPatient } from '../../../plugins/matchmaker/patients/patient.js';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { smallWorld } from './matching/support/toy.js';
import { type Json, type Matchmaker, patient, serveMatchmaker } from './support/serve.js';

const gene = (...ids: string[]) => ids.map((id) => ({ gene: { id } }));
const contact = (name: string) => ({ contact: { name, href: `mailto:${name}@example.org` } });

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker: gene first on ${engine.name}`, () => {
    let server: Matchmaker;
    afterEach(() => server.close());

    /** Six that are alike by phenotype, and as many that have nothing but the gene. */
    const begin = async (settings: Json, only: readonly string[]) => {
      server = await serveMatchmaker(engine, { settings });
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await add(patient(id, { genomicFeatures: [] }));
      for (const id of only) await add(patient(id, { features: [], genomicFeatures: gene('SCN1A') }));
    };
    const add = async (one: Json, token = server.token) => {
      expect((await server.post('/patient/add', { patient: one }, { token })).status).to.equal(200);
    };
    const query = patient('Q', { genomicFeatures: gene('KCNT2', 'scn1a') });
    const ask = async (token = server.asker, more: Json = {}) => {
      const { status, body } = await server.post('/match', { patient: { ...query, ...more } }, { token });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    };
    const rows = (body: Json) =>
      body.results.map(({ patient, score }: Json) => [patient.id, score.patient, score._geneFirst]);

    it('two of five places go first to patients that share a gene, in descending order of score', async () => {
      await begin({}, ['x', 'y', 'z']);
      const body = await ask();
      // One term that both have counts 0.25; the gene 0.75 · ¼ / √2.
      const raised = ['x', 'y'].map((id) => [id, 0.25, true]);
      expect(rows(body)).to.deep.equal([...['a', 'b', 'c'].map((id) => [id, 0.25, undefined]), ...raised]);
      const [, , , first] = body.results;
      expect(first.score._genotype).to.equal((0.75 * 0.25) / Math.SQRT2);
      expect(first.score._phenotype).to.equal(0);
      expect(first.score._matchedGenes[0]._geneName).to.equal('SCN1A');
      expect([body._alsoSharing, body._alsoSharingPatients]).to.deep.equal([1, undefined]);
      const { matches } = (await server.get('/matches/Q', { token: server.asker })).body;
      expect(matches.map((one: Json) => [one._alsoSharing, rows(one.results[0] && toAnswer(one))])).to.deep.equal([
        [1, rows(body)],
      ]);
      expect(await ask(server.asker, { genomicFeatures: gene('KCNT2') })).to.not.have.property('_alsoSharing');
    });

    const toAnswer = (record: Json) => ({ results: record.results[0].patients });

    it('only patients that reach SCORE_THRESHOLD get a place, and 0 gives none', async () => {
      await begin({ scoreThreshold: 0.15 }, ['x']);
      expect(rows(await ask()).map(([id]: Json) => id)).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
      await server.close();
      await begin({ geneShare: 0 }, ['x', 'y']);
      const body = await ask();
      expect(rows(body).map(([id]: Json) => id)).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
      expect(body._alsoSharing).to.equal(2);
      await server.close();
      await begin({ geneShare: 1, maxResults: 3 }, ['x', 'y']);
      expect(rows(await ask())).to.deep.equal([
        ['a', 0.25, undefined],
        ['x', 0.25, true],
        ['y', 0.25, true],
      ]);
    });

    it('a patient whose only gene is shared comes before one that lists five, if nobody has phenotypes', async () => {
      await begin({}, ['x']);
      await add(patient('l', { features: [], genomicFeatures: gene('SCN1A', 'SCN2A', 'SCN3A', 'SCN8A', 'SCN9A') }));
      const genomicFeatures = gene('KCNT2', 'scn1a', 'GRIN1', 'GRIN2A', 'GRIN2B');
      const [one, five, ...more] = rows(await ask(server.asker, { features: [], genomicFeatures }));
      expect(more).to.deep.equal([]);
      // 0.75 · ¼, divided by √(5 · 1) and √(5 · 5); equal scores would be in the order of ids.
      expect([one[0], five[0]]).to.deep.equal(['x', 'l']);
      expect(one[1]).to.be.closeTo(0.0838525, 1e-7);
      expect(five[1]).to.be.closeTo(0.0375, 1e-12);
    });

    describe('patients that were left out', () => {
      const mail = { server: '127.0.0.1', port: 9, sender: 'mme@example.org' };
      const sharing = [
        patient('k1', { features: [], genomicFeatures: gene('KCNT2'), ...contact('one') }),
        patient('k2', { features: [], genomicFeatures: gene('KCNT2', 'SCN2A'), ...contact('two') }),
        patient('k3', { features: [], genomicFeatures: gene('KCNT2'), ...contact('two') }),
      ];
      /** 300 patients, of whom three, or with `more` four, list KCNT2: three are 1 %. */
      const crowd = async (more: Json[] = [], options: Json = mail, geneShare = 0) => {
        const [settings, genes] = [{ maxResults: 1, geneShare, mail: options }, (await smallWorld()).genes];
        server = await serveMatchmaker(engine, { settings });
        const others = Array.from({ length: 297 }, (_, i) => patient(`o${i}`, { genomicFeatures: [] }));
        const saved = [...others.slice(more.length), ...sharing, ...more].map((patient) => {
          const writer = { owner: 'scout', all: false };
          return { patient, facts: factsOfPatient(patient, genes), writer, at: new Date(0) };
        });
        await server.patients.savePatients(saved);
      };
      const asked = { genomicFeatures: gene('KCNT2'), ...contact('asker') };
      const notices = async (): Promise<Notice[]> => {
        const due = await server.storage.repository(matchmakerMail).due(new Date(Date.now() + 1e6), 1000);
        return due.filter(({ matches }) => matches.some(({ leftOut }) => leftOut !== undefined));
      };
      const told = async () =>
        (await notices()).map(({ to, patient, matches }) => [to, patient.id, matches[0]?.leftOut]);

      it('are named to their submitters once for a query patient, and to callers that may see all', async () => {
        await crowd();
        expect(await ask(server.asker, asked))
          .to.deep.include({ _alsoSharing: 3 })
          .and.not.have.property('_alsoSharingPatients');
        const expected = [
          [['one@example.org'], 'k1', { patients: 3, yours: ['k1'] }],
          [['two@example.org'], 'k2', { patients: 3, yours: ['k2', 'k3'] }],
        ];
        expect(await told()).to.deep.equal(expected);
        const texts = (await notices()).map((notice) => mailOfNotices([notice], {}).text);
        expect(texts[0]).to.include('Left out of the results: 3 patients, one of them yours, share KCNT2\n');
        expect(texts[0]).to.include('asker@example.org').and.not.include('k2');
        expect(texts[1]).to.include('3 patients, 2 of them yours, share KCNT2 (k2, k3)\n').and.not.include('k1');
        // Asked again, changed, by another client, and after the submitter added a patient that comes first.
        await ask(server.asker, asked);
        await ask(server.asker, { ...asked, features: [{ id: 'HP:0001250' }, { id: 'HP:0000252' }] });
        await server.send('DELETE', '/patient/delete/k3');
        await add(patient('a1', { features: [], genomicFeatures: gene('KCNT2'), ...contact('two') }));
        await ask(server.asker, asked);
        expect(await told()).to.deep.equal(expected);
        const all = await ask(server.admin, asked);
        expect([all._alsoSharing, all._alsoSharingPatients]).to.deep.equal([3, ['a1', 'k1', 'k2']]);
      });

      it('are named to a caller that owns them, apart from tests, with or without mails', async () => {
        for (const options of [mail, {}]) {
          await crowd([], options);
          for (const id of ['k2', 'k3']) await server.send('DELETE', `/patient/delete/${id}`);
          const own = { features: [], genomicFeatures: gene('KCNT2'), ...contact('one') };
          await add(patient('s1', own), server.other);
          await add(patient('s2', { ...own, test: true }), server.other);
          const seen = async (token: string) => (await ask(token, asked))._alsoSharingPatients;
          expect(await seen(server.token)).to.deep.equal(['k1']);
          expect(await seen(server.other), 'not its tests').to.deep.equal(['s1']);
          expect(await seen(server.asker)).to.equal(undefined);
          if (options === mail) await server.close();
        }
      });

      it('are those outside of the answer', async () => {
        await crowd([], mail, 1);
        const { results, _alsoSharing, _alsoSharingPatients } = await ask(server.admin, asked);
        expect(results.map(({ patient }: Json) => patient.id)).to.deep.equal(['k1']);
        expect([_alsoSharing, _alsoSharingPatients]).to.deep.equal([2, ['k2', 'k3']]);
        expect((await told()).map(([to]) => to)).to.deep.equal([['two@example.org']]);
      });

      it('are counted only if the gene is common, the list is long or the query is a test', async () => {
        await crowd([patient('k4', { features: [], genomicFeatures: gene('KCNT2') })]);
        expect((await ask(server.asker, asked))._alsoSharing, '4 of 300 list the gene').to.equal(4);
        expect((await ask(server.admin, asked))._alsoSharingPatients).to.equal(undefined);
        expect(await told()).to.deep.equal([]);
        await server.close();
        await crowd();
        const long = gene('KCNT2', ...Array.from({ length: 10 }, (_, i) => `G${i}`));
        expect((await ask(server.asker, { ...asked, genomicFeatures: long }))._alsoSharing).to.equal(3);
        expect((await ask(server.asker, { ...asked, test: true }))._alsoSharing).to.equal(3);
        expect(await told()).to.deep.equal([]);
        await ask(server.asker, { ...asked, genomicFeatures: long.slice(1, 11).concat(long.slice(0, 1)).slice(1) });
        expect((await told()).length, 'ten genes are told').to.equal(2);
      });
    });
  });
}
