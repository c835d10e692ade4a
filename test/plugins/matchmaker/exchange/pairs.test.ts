/** At most one mail for a pair of patients: only about relevant matches, with all results of a search. */
import { expect } from 'chai';
import { matchmakerMail } from '../../../../plugins/matchmaker/contract.js';
import { drain } from '../../../../plugins/matchmaker/mail/outbox.js';
import { mailSettings } from '../../../../plugins/matchmaker/settings.js';
import { dealt } from '../../../support/dealt.js';
import { quiet, storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { type Json, type Matchmaker, patient, serveMatchmaker } from '../support/serve.js';
import { connectPeer, key, until } from './support/lab.js';
import { answering, found, type Peer, servePeer } from './support/peer.js';
import { read, serveSink } from './support/sink.js';

const contact = (name: string) => ({ contact: { name, href: `mailto:${name}@example.org` } });
const gene = (...symbols: string[]) => ({ genomicFeatures: symbols.map((id) => ({ gene: { id } })) });
const terms = (...ids: string[]) => ({ features: ids.map((id) => ({ id })) });
/** A node with its own scores: `scores` by patient. */
const scored = (...results: [Json, number][]) =>
  answering(
    200,
    JSON.stringify({ results: results.map(([patient, score]) => ({ score: { patient: score }, patient })) }),
  );

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker: pairs of patients in notifications on ${engine.name}`, function () {
    this.timeout(120_000);
    const sink = useEach(() => serveSink());
    let peers: [Peer, Peer];
    let server: Matchmaker;
    const others: Matchmaker[] = [];
    beforeEach(async () => {
      peers = [await servePeer(), await servePeer()];
    });
    afterEach(async () => {
      for (const one of [...others.splice(0), server]) await one?.close();
      for (const peer of peers) await peer.close();
    });

    const mail = () => ({ server: '127.0.0.1', port: sink.port, useTls: false, sender: 'mme@example.org' });
    const settings = (more: Json = {}) => ({ mail: mail(), exchange: { key, allowHttp: true }, ...more });
    const start = async (more: Json = {}, options: Json = {}) => {
      server = await serveMatchmaker(engine, { settings: settings(more), ...options });
      await connectPeer(server.storage, peers[0].url, { id: 'first' });
      await connectPeer(server.storage, peers[1].url, { id: 'second' });
      return server;
    };
    const add = async (one: Json, on = server, token = on.token) => {
      const { status, body } = await on.post('/patient/add', { patient: one }, { token });
      expect(status, JSON.stringify(body)).to.equal(200);
    };
    const search = (id: string) => server.post(`/match/external/${id}`, '');
    /** Sends mails that are due; returns the new ones. */
    const sent = async (on = server) => {
      const before = sink.mails.length;
      await drain({
        mail: on.storage.repository(matchmakerMail),
        settings: mailSettings.parse(mail()),
        now: () => new Date(),
        log: quiet,
        signal: new AbortController().signal,
      });
      return sink.mails.slice(before).map((one) => ({ to: one.to, text: read(one) }));
    };

    it('sends one mail for a search, with the results of all nodes', async () => {
      await start({}, { jobs: true });
      peers[0].behave(found(patient('A', contact('a')), patient('B', contact('b'))));
      peers[1].behave(async (response, asked) => {
        // The slower node: nothing waits for its part, which is still in the same mail.
        await until(async () => (await server.matches.matches({ patient: 'A', limit: 1 })).records.length > 0);
        await found(patient('C', contact('c')))(response, asked);
      });
      await add(patient('P', contact('own')));
      await until(() => sink.mails.length > 0);
      const [only] = sink.mails.map(read);
      expect(only).to.include('Your submission P has 3 new matches.');
      for (const id of ['A', 'B', 'C']) expect(only).to.match(new RegExp(`^ {2}Patient: ${id}\r$`, 'm'));
      await until(async () => (await server.storage.repository(matchmakerMail).waiting()).waiting === 0);
      expect(sink.mails).to.have.length(1);
    });

    it('notifies a submitter in one mail of all its patients that a query found', async () => {
      await start();
      const queried = ['SCN1A', 'GPX4', 'EFTUD2'];
      for (const symbol of queried)
        await add(patient(`of ${symbol}`, { ...contact('own'), ...gene(symbol), ...terms() }));
      const query = patient('Q', { ...contact('stranger'), ...gene(...queried), ...terms() });
      // Two at the same time, and one under another id.
      const asking = { token: server.asker };
      const answers = await Promise.all([1, 2].map(() => server.post('/match', { patient: query }, asking)));
      for (const { body } of answers) expect(body.results).to.have.length(3);
      await server.post('/match', { patient: { ...query, id: 'Q2', label: 'renamed' } }, asking);
      const mails = await sent();
      expect(mails.map(({ to }) => to)).to.deep.equal([['own@example.org']]);
      for (const symbol of queried) {
        expect(mails[0]?.text).to.include(`Your submission of ${symbol} has a new match.`).and.include(symbol);
      }
    });

    it('notifies of a pair once, even if ids, labels and content change', async () => {
      await start();
      await add(patient('P', contact('own')));
      let answers = 0;
      // A node that returns a different id each time.
      peers[0].behave((response, asked) =>
        found(patient(`hidden-${++answers}`, { label: `label ${answers}`, ...contact('a') }))(response, asked),
      );
      await search('P');
      expect(await sent()).to.have.length(1);
      await search('P');
      expect(answers).to.equal(2);
      expect(await sent(), 'the id of the match has changed').to.deep.equal([]);

      await server.send('DELETE', '/patient/delete/P');
      await add(patient('P2', { label: 'again', ...contact('own') }));
      await search('P2');
      expect(await sent(), 'the own id has changed, too').to.deep.equal([]);

      // Its gene in another spelling; then the same ids with other content, and that content under another id.
      peers[0].behave(found(patient('G', { ...contact('a'), ...gene('ENSG00000144285') })));
      await search('P2');
      peers[0].behave(found(patient('G', { ...contact('a'), ...terms('HP:0001250', 'HP:0001251') })));
      await search('P2');
      peers[0].behave(found(patient('H', { ...contact('a'), ...terms('HP:0001251', 'HP:0001250') })));
      await search('P2');
      expect(await sent()).to.deep.equal([]);

      // The other submitter's node queries the same patient.
      const asked = await server.post(
        '/match',
        { patient: patient('hidden-9', contact('a')) },
        { token: server.asker },
      );
      expect(asked.body.results).to.have.length(1);
      expect(await sent(), 'from the other side').to.deep.equal([]);
      // Another owner’s patient with the same gene and terms is a different one.
      peers[0].behave(found(patient('N', contact('b'))));
      peers[1].behave(found(patient('G', contact('c'))));
      await search('P2');
      const [news, ...more] = await sent();
      expect(more).to.deep.equal([]);
      expect(news?.text).to.include('2 new matches').and.include('mailto:b@').and.include('mailto:c@');
    });

    it('notifies two clients of this node of their pair once, whichever of them searches after a change', async () => {
      await start();
      await add(patient('P', contact('own')));
      await add(patient('T', contact('their')), server, server.other);
      await server.post('/match', { patient: patient('P', contact('own')) });
      expect((await sent()).map(({ to }) => to.join()).sort()).to.deep.equal(['own@example.org', 'their@example.org']);
      const changed = patient('T', { ...contact('their'), ...terms('HP:0001251') });
      await add(changed, server, server.other);
      const { body } = await server.post('/match', { patient: changed }, { token: server.other });
      expect(body.results).to.have.length(1);
      expect(await sent()).to.deep.equal([]);
    });

    it('notifies the submitter of both patients of a pair once', async () => {
      await start();
      const both = [patient('P1', contact('own')), patient('P2', { ...contact('own'), sex: 'FEMALE' })];
      for (const one of both) await add(one);
      for (const one of both) {
        const { body } = await server.post('/match', { patient: one });
        expect(body.results).to.have.length(1);
      }
      expect(await sent()).to.have.length(1);
    });

    const low = patient('low', { ...gene('GPX4'), ...terms('HP:0001250', 'HP:0000252', 'HP:0004322', 'HP:0000365') });
    for (const { title, minScore, told } of [
      { title: 'by default', minScore: undefined, told: ['alike', 'gene', 'score'] },
      { title: 'above another score', minScore: 0.01, told: ['alike', 'gene', 'low', 'score'] },
      { title: 'of genes alone', minScore: 1, told: ['gene'] },
    ]) {
      it(`notifies only of relevant matches: ${title}`, async () => {
        await start(minScore === undefined ? {} : { notify: { minScore } });
        await add(patient('P', { ...contact('own'), ...terms('HP:0001250', 'HP:0001251') }));
        // `low` shares one of two terms of P and has three others; `alike` has both, and a closely related one.
        const alike = patient('alike', { ...gene('GPX4'), ...terms('HP:0001250', 'HP:0001251', 'HP:0002133') });
        peers[0].behave(
          scored(
            [{ ...alike, ...contact('a') }, 0.2],
            [{ ...low, ...contact('b') }, 0.009],
            [patient('gene', { ...contact('c'), ...terms('HP:0000365') }), 0.009],
            [patient('score', { ...contact('d'), ...gene('GPX4'), ...terms('HP:0000365') }), 0.9],
          ),
        );
        await search('P');
        const [only] = await sent();
        const named = [...(only?.text.matchAll(/^ {2}Patient: (.*)\r$/gm) ?? [])].map(([, id]) => id);
        expect(named.sort()).to.deep.equal(told);
        if (!told.includes('alike')) return;
        expect(only?.text).to.match(
          /Patient: alike\r\n {2}Score: 0\.200\r\n {2}Genes in common: none\r\n {2}Phenotype terms in common: .*HP:0001251 Ataxia/,
        );
        expect(only?.text).to.match(/Patient: gene\r\n {2}Score: 0\.009\r\n {2}Genes in common: SCN1A\r\n/);
      });
    }

    it('sends the owner of fifty patients on two nodes one mail for each search', async () => {
      await start();
      await Promise.all(peers.map((peer) => peer.behave(found())));
      const other = await serveMatchmaker(engine, { settings: { ...settings(), maxResults: 50 } });
      others.push(other);
      for (const [here, there] of [
        [server, other],
        [other, server],
      ] as const) {
        await connectPeer(here.storage, `${there.url}/match`, { id: 'node', token: there.asker });
      }
      const symbols = ['SCN1A', 'GPX4', 'EFTUD2', 'SCN2A', 'MECP2'];
      const cases = Array.from({ length: 50 }, (_, i) =>
        patient(`C${i}`, {
          ...contact('owner'),
          ...gene(symbols[i % 5] as string),
          ...terms('HP:0001250', 'HP:0000252', 'HP:0004322', 'HP:0000365'),
          // Each with a distinct variant: fifty patients, not one.
          ageOfOnset: `HP:000${1000 + i}`,
        }),
      );
      for (const one of cases) await add(one, other);
      await add(patient('case', { ...contact('clinic'), ...gene('SCN1A') }));
      await search('case');
      await search('case');
      await add(patient('case', { ...contact('clinic'), ...gene('SCN1A'), label: 'renamed' }));
      await search('case');
      const mails = [...(await sent()), ...(await sent(other))];
      const told = mails.map(({ to, text }) => [to.join(), text.match(/Genes in common: SCN1A/g)?.length ?? 0]);
      // Ten of the fifty have the gene. The forty others, with one common term, cause no mail.
      expect(told.map(([to]) => to)).to.deep.equal(['clinic@example.org', 'owner@example.org']);
      expect(mails[0]?.text).to.not.include('Genes in common: none');
      expect(mails[1]?.text.match(/^Your submission C\d+ has a new match\./gm)).to.have.length(10);
      // The fifty query for themselves: their matches were already reported.
      for (const { id } of cases) await other.post(`/match/external/${id}`, '');
      expect([...(await sent()), ...(await sent(other))]).to.deep.equal([]);
    });
  });
}
