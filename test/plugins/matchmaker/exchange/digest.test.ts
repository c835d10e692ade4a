/** One mail a day for each submitter, if configured. */
import { expect } from 'chai';
import { matchmakerMail, type NewReportedMatch } from '../../../../plugins/matchmaker/contract.js';
import { drain } from '../../../../plugins/matchmaker/mail/outbox.js';
import { mailSettings } from '../../../../plugins/matchmaker/settings.js';
import { dealt } from '../../../support/dealt.js';
import { quiet, storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { contracts, type Matchmaker, patient, serveOn } from '../support/serve.js';
import { connectPeer, key, until } from './support/lab.js';
import { found, servePeer } from './support/peer.js';
import { read, type Sink, serveSink, type TakenMail } from './support/sink.js';

for (const engine of dealt(storages, 'postgres')) {
  describe(`matchmaker: a digest on ${engine.name}`, function () {
    this.timeout(120_000); // servers look for mail every two seconds
    let sink: Sink;
    const opened = useEach(() => engine.open(contracts));
    beforeEach(async () => {
      sink = await serveSink();
    });
    afterEach(async () => {
      await sink.close();
    });

    const due = new Date('2026-04-01T06:00:00Z');
    const settings = () => ({
      server: '127.0.0.1',
      port: sink.port,
      useTls: false,
      sender: 'mme@example.org',
      digest: true,
    });
    const options = () => ({
      mail: opened.storage.repository(matchmakerMail),
      settings: mailSettings.parse(settings()),
      log: quiet,
      signal: new AbortController().signal,
    });
    const match = (id: string): NewReportedMatch => ({
      node: { id: 'n', label: 'N' },
      patient: { id, contact: { name: 'C', href: 'mailto:c@example.org' } },
      score: 0.75,
      genes: ['SCN1A'],
      terms: [],
      pair: `pair of ${id}`,
    });
    const put = (number: number, to: string) =>
      opened.storage.repository(matchmakerMail).add([
        {
          id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
          created: due,
          due,
          to: [to],
          patient: { id: `P${number}` },
          matches: [match(`M-P${number}`)],
          search: `search ${number}`,
        },
      ]);
    const messageId = (mail: TakenMail | undefined) => /^Message-ID: (.*)$/im.exec(mail?.text ?? '')?.[1];

    it('contains all matches due for one address', async () => {
      for (const [number, to] of [
        [1, 'a@example.org'],
        [2, 'b@example.org'],
        [3, 'a@example.org'],
      ] as const) {
        await put(number, to);
      }
      expect(await drain({ ...options(), now: () => new Date(due.getTime() - 1) })).to.equal(0);
      expect(await drain({ ...options(), now: () => due })).to.equal(2);
      expect(await drain({ ...options(), now: () => due })).to.equal(0);
      const [toA, toB] = sink.mails.sort((one, other) => String(one.to).localeCompare(String(other.to)));
      expect([toA?.to, toB?.to]).to.deep.equal([['a@example.org'], ['b@example.org']]);
      for (const id of ['P1', 'M-P1', 'P3', 'M-P3']) expect(toA?.text).to.include(id);
      expect(toB?.text).to.include('P2').and.not.include('P1');
    });

    it('is one mail for hundreds of matches, between those to others', async () => {
      for (let i = 0; i < 450; i++) await put(i, i % 90 === 0 ? `other${i}@example.org` : 'a@example.org');
      expect(await drain({ ...options(), now: () => due })).to.equal(6);
      const [mail, ...more] = sink.mails.filter(({ to }) => to[0] === 'a@example.org');
      expect(more).to.deep.equal([]);
      expect(read(mail as TakenMail).match(/^Your submission P\d+ has a new match\./gm)).to.have.length(445);
    });

    it('has the same mail id only while its content is the same', async () => {
      const lost = Object.assign(Object.create(options().mail), { sent: () => Promise.reject(new Error('killed')) });
      const send = async (mail = options().mail) =>
        drain({ ...options(), mail, now: () => due }).catch(() => undefined);
      await put(1, 'a@example.org');
      await put(2, 'a@example.org');
      await send(lost);
      await send(lost);
      await put(3, 'a@example.org');
      await send();
      await send();
      const [first, again, more, ...others] = sink.mails.map(messageId);
      expect(others).to.deep.equal([]);
      expect(again).to.equal(first);
      expect(more).to.not.equal(first);
      expect(sink.mails[2]?.text).to.include('M-P3');
    });

    describe('of a server', () => {
      const peer = useEach(() => servePeer());
      let server: Matchmaker | undefined;
      let clock: Date;
      beforeEach(async () => {
        peer.behave((response, asked) => found(patient(`G-${asked.body.patient.id}`))(response, asked));
        clock = new Date('2026-03-31T22:15:00Z');
      });
      afterEach(async () => {
        await server?.close();
      });
      const start = async () => {
        const mail = { ...settings(), retrySeconds: 60 };
        server = await serveOn(opened.storage, {
          settings: { mail, exchange: { key, allowHttp: true } },
          now: () => clock,
          jobs: true,
        });
        return server;
      };
      const stop = async () => {
        await server?.close();
        server = undefined;
      };
      const waiting = async () => (await opened.storage.repository(matchmakerMail).waiting()).waiting;

      it('is sent at its hour, once, with all matches since the last, also after a restart', async () => {
        await connectPeer(opened.storage, peer.url, { created: clock });
        const add = async (on: Matchmaker, id: string, name: string) => {
          const contact = { name, href: `mailto:${name}@example.org` };
          // Each with a distinct variant: the same content under another id would be the same patient.
          const variant = { assembly: 'GRCh37', referenceName: '2', start: Number(id.slice(1)) };
          const genomicFeatures = [{ gene: { id: 'SCN1A' }, variant }];
          const one = patient(id, { contact, genomicFeatures });
          expect((await on.post('/patient/add', { patient: one })).status).to.equal(200);
        };
        const first = await start();
        for (const id of ['P1', 'P2', 'P3']) await add(first, id, 'own');
        await add(first, 'P4', 'other');
        await until(async () => (await waiting()) === 4);
        await stop();
        expect(sink.mails, 'before its hour').to.deep.equal([]);

        // Stopped overnight; the mail server is down in the morning, and the server is started again.
        const port = sink.port;
        await sink.close();
        clock = new Date('2026-04-01T06:00:01Z');
        await start();
        const { failing } = await until(async () => {
          const state = await opened.storage.repository(matchmakerMail).waiting();
          return state.failing > 0 && state;
        });
        expect(failing).to.equal(4);
        await stop();
        sink = await serveSink(port);
        clock = new Date('2026-04-01T06:10:00Z');
        const last = await start();
        await until(async () => (await waiting()) === 0);
        const [toOther, toOwn, ...more] = sink.mails.sort((one, other) =>
          String(one.to).localeCompare(String(other.to)),
        );
        expect(more).to.deep.equal([]);
        expect([toOther?.to, toOwn?.to]).to.deep.equal([['other@example.org'], ['own@example.org']]);
        for (const id of ['P1', 'P2', 'P3']) {
          expect(toOwn?.text).to.include(`Your submission ${id} has a new match.`).and.include(`Patient: G-${id}`);
        }
        expect(toOwn?.text).to.not.include('P4');
        expect(toOther?.text).to.include('P4');

        // Matches during the day are sent the next morning, without earlier ones.
        await last.post('/match/external/P1', '');
        await add(last, 'P5', 'own');
        await until(async () => (await waiting()) === 1);
        clock = new Date('2026-04-02T06:00:00Z');
        await until(async () => (await waiting()) === 0);
        expect(sink.mails).to.have.length(3);
        expect(sink.mails[2]?.text)
          .to.include('P5')
          .and.not.match(/P[1-4]\b/);
      });
    });
  });
}
