/** Servers killed at each step: nothing is lost or duplicated, and one mail is sent. */
import { expect } from 'chai';
import { dealt } from '../../../support/dealt.js';
import { engines } from '../../../support/engines.js';
import { steps, thorough } from '../../../support/steps.js';
import { type Json, patient } from '../support/serve.js';
import { type LabNode, makeNode, until, waitSeconds } from './support/lab.js';
import { found, type Peer, servePeer } from './support/peer.js';
import { type Sink, serveSink } from './support/sink.js';

for (const engine of dealt(engines, 'postgres')) {
  describe(`matchmaker: killed servers on ${engine.name}`, function () {
    this.timeout(300_000); // several processes
    let node: LabNode;
    let peer: Peer;
    let sink: Sink;
    let token: string;
    beforeEach(async () => {
      [peer, sink] = await Promise.all([servePeer(), serveSink()]);
      peer.behave(found(patient('G', { contact: { name: 'Dr G', href: 'mailto:g@example.org' } })));
      const mail = {
        server: '127.0.0.1',
        port: sink.port,
        useTls: false,
        sender: 'mme@example.org',
        retrySeconds: 0.5,
      };
      node = await makeNode(engine, { matchmaker: { mail, triage: {} } });
      token = await node.client('scout');
      await node.connect('peer', peer.url);
    });
    afterEach(async () => {
      await node.discard();
      await peer.close();
      await sink.close();
    });

    /** Once all work is done: one record of the one match, and one mail about it. */
    async function expectOnce(times = 1): Promise<void> {
      const mails = await until(() => sink.mails.length > 0 && sink.mails);
      const idle = ['trefoil_matchmaker_mail_waiting', 'trefoil_jobs{state="queued"}', 'trefoil_jobs{state="running"}'];
      // In one scrape: work moves from one gauge to another.
      await until(async () => {
        const lines = (await metrics()).split('\n');
        return idle.every((gauge) => lines.includes(`${gauge} 0`));
      });
      // Time for duplicates to arrive: leases of killed servers end after a second.
      await waitSeconds(2.5);
      // A mail that the mail server accepted just before the kill is sent again with the same id.
      expect(new Set(mails.map(({ text }) => /^Message-ID: (.*)$/im.exec(text)?.[1]))).to.have.property('size', 1);
      expect(mails).to.have.length(times);
      expect(mails[0]?.to).to.deep.equal(['doctor@example.org']);
      const records = await node.matches(token, 'P');
      expect(records.map((one: Json) => one.results[0].patients.map((each: Json) => each.patient.id))).to.deep.equal([
        ['G'],
      ]);
      const list = await node.request('GET', '/matchmaker/submissions', token);
      const { body } = await node.request('GET', `/matchmaker/submissions/${list.body.submissions[0].number}`, token);
      expect(body.rows, JSON.stringify(list)).to.be.an('array');
      expect(body.rows.map((row: Json) => [row.node.id, row.patient, row.scores.length])).to.deep.equal([
        ['peer', 'G', 1],
      ]);
    }
    const metrics = async () => (await fetch(`${node.url}/-/metrics`)).text();

    it('between the addition and the search', async () => {
      await node.startToKill({ jobs: false });
      await node.add(token, patient('P'));
      await node.kill();
      expect(peer.asked).to.have.length(0);
      await node.start();
      await expectOnce();
      expect(peer.asked).to.have.length(1);
    });

    /** Kills the server at its first request to the peer; the next server repeats it. */
    async function killAtRequest(behaviour: Parameters<typeof peer.behave>[0]): Promise<void> {
      peer.behave(behaviour);
      await node.startToKill();
      await node.add(token, patient('P'));
      await peer.question(1);
      await node.kill();
      peer.behave(found(patient('G')));
      await node.start();
      await expectOnce();
    }

    it('between the request and the record', async () => {
      await killAtRequest(() => undefined); // keeps the first request open
      expect(peer.asked.map(({ body }) => body.patient.id)).to.deep.equal(['P', 'P']);
    });

    it('as soon as the response is on its way', () =>
      killAtRequest((response, asked) => {
        found(patient('G'))(response, asked);
        response.on('finish', () => void node.kill());
      }));

    it('between the record and the mail', async () => {
      let killed: Promise<void> | undefined;
      sink.onConnect = async () => {
        killed ??= node.kill();
        await killed;
      };
      await node.startToKill();
      await node.add(token, patient('P'));
      await until(() => killed !== undefined);
      await killed;
      expect(sink.mails).to.have.length(0);
      sink.onConnect = undefined;
      await node.start();
      await expectOnce();
      expect(peer.asked, 'what is recorded is not asked again').to.have.length(1);
    });

    for (const step of thorough ? [...steps.exchange, ...steps.mail] : steps.exchange.slice(-1)) {
      it(`at ${step}`, async () => {
        const { ended } = await node.startKilled(step);
        await node.add(token, patient('P'));
        expect((await ended).signal).to.equal('SIGKILL');
        await node.start();
        await expectOnce(step === 'matchmaker.mail.accepted' ? 2 : 1);
      });
    }

    it('repeatedly, while patients are added', async () => {
      const ids = Array.from({ length: thorough ? 9 : 4 }, (_, i) => `P${i}`);
      peer.behave((response, asked) => found(patient(`G-${asked.body.patient.id}`))(response, asked));
      for (const [i, id] of ids.entries()) {
        // Both ways of stopping follow each other.
        const isKilled = i % 2 === 1;
        await (isKilled ? node.startToKill() : node.start());
        await node.add(token, patient(id, { contact: { name: id, href: `mailto:${id}@example.org` } }));
        await (isKilled ? node.kill() : node.stop());
      }
      await node.start();
      // Each has one: the number of mails alone may include one that was sent twice.
      await until(() => new Set(sink.mails.map(({ to }) => to[0])).size >= ids.length);
      await waitSeconds(2.5);
      // A kill just after the mail server accepted a mail may send it again; mail programs recognise its id.
      const sent = new Set(sink.mails.map(({ to, text }) => `${to[0]} ${/^Message-ID: (.*)$/im.exec(text)?.[1]}`));
      const to = [...sent].map((one) => one.split(' ', 1)[0]).sort();
      expect(to).to.deep.equal(ids.map((id) => `${id}@example.org`).sort());
      for (const id of ids) expect(await node.matches(token, id), id).to.have.length(1);
    });
  });
}
