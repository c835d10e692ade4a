/** An id is unique on one node only: deleting or erasing a patient affects no other patient with the same id. */
import { expect } from 'chai';
import { matchmakerMail } from '../../../../plugins/matchmaker/contract.js';
import { dealt } from '../../../support/dealt.js';
import { engines } from '../../../support/engines.js';
import { storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { type Json, patient, serveMatchmaker } from '../support/serve.js';
import { connectPeer, key, makeNode, until } from './support/lab.js';
import { found, servePeer } from './support/peer.js';

const mailTo = (name: string) => ({ contact: { name, href: `mailto:${name}@example.org` } });

/** For each result of each record: the node, and the labels that identify its patients. */
const shown = (records: Json[]) =>
  records
    .flatMap(({ results }) => results)
    .map(({ node, patients }: Json) => [node.id, ...patients.map((one: Json) => one.patient.label)])
    .sort();

for (const engine of dealt(storages, 'postgres')) {
  describe(`matchmaker: deleting one of several with the same id on ${engine.name}`, () => {
    const server = useEach(async () => {
      const mail = { server: '127.0.0.1', port: 1, sender: 'mme@example.org', digest: true };
      return serveMatchmaker(engine, {
        settings: { scrubOnDelete: true, mail, exchange: { key, allowHttp: true } },
      });
    });
    const peer = useEach(() => servePeer());
    beforeEach(async () => {
      await connectPeer(server.storage, peer.url);
      peer.behave(found(patient('P1', { label: 'of peer', ...mailTo('theirs') })));
      await add(server.other, patient('Q', { label: 'of seqr', ...mailTo('seqr') }));
    });

    const add = async (token: string, one: Json) =>
      expect((await server.post('/patient/add', { patient: one }, { token })).status).to.equal(200);
    const matches = async (id: string, token: string): Promise<Json[]> =>
      (await server.get(`/matches/${id}`, { token })).body.matches ?? [];
    /** Queued notifications: the recipient, and the matching patient. */
    const waiting = async () => {
      const notices = await server.storage.repository(matchmakerMail).due(new Date('2100-01-01'), 100);
      return notices
        .flatMap(({ patient, matches }) => matches.map((one) => [patient.id, one.node.id, one.patient.id].join(' ')))
        .sort();
    };

    it('removes the patient of this node from results of others, and no namesake', async () => {
      await add(server.token, patient('P1', { label: 'of scout', ...mailTo('scout') }));
      await server.post('/match', { patient: patient('Q', mailTo('seqr')) }, { token: server.other });
      await server.post('/match/external/Q', '', { token: server.other });
      await server.post('/match', { patient: patient('P1', { label: 'of asker' }) }, { token: server.asker });
      for (const token of [server.token, server.admin]) {
        await server.post('/match', { patient: patient('P1', { label: 'of scout', ...mailTo('scout') }) }, { token });
      }
      await server.post('/match/external/P1', '');
      expect(shown(await matches('Q', server.other))).to.deep.include.members([
        ['peer', 'of peer'],
        ['trefoil', 'of scout'],
      ]);
      // Each submitter is notified of this node's P1 and Q once, whichever side searched.
      expect(await waiting()).to.deep.equal([
        'P1 asker P1',
        'P1 peer P1',
        'P1 trefoil Q',
        'Q asker P1',
        'Q peer P1',
        'Q trefoil P1',
      ]);

      expect((await server.send('DELETE', '/patient/delete/P1')).body.message).to.match(/^Patient and its matches/);
      const left = await matches('Q', server.other);
      expect(shown(left), 'who asked about Q finds Q itself').to.deep.equal([
        ['peer', 'of peer'],
        ['trefoil', 'of seqr'],
      ]);
      const asked = (await matches('P1', server.admin)).filter((one) => one.data.patient.id === 'P1');
      expect(asked.map((one) => one.data.patient.label)).to.deep.equal(['of asker']);
      expect(await waiting()).to.deep.equal(['Q asker P1', 'Q peer P1']);
    });

    it('removes no result if the deleted patient was never found', async () => {
      await server.post('/match/external/Q', '', { token: server.other });
      await add(server.token, patient('P1', { label: 'of scout' }));
      await server.send('DELETE', '/patient/delete/P1');
      expect(shown(await matches('Q', server.other))).to.deep.equal([['peer', 'of peer']]);
      expect(await waiting()).to.deep.equal(['Q peer P1']);
    });
  });
}

for (const engine of dealt(engines, 'postgres')) {
  describe(`matchmaker: erasing one of several with the same id on ${engine.name}`, function () {
    this.timeout(300_000); // several servers
    // Only the searches below, whose records are counted.
    const node = useEach(
      () => makeNode(engine, { matchmaker: { exchange: { within: 'off' } } }),
      (node) => node.discard(),
    );
    const peer = useEach(() => servePeer());
    beforeEach(async () => {
      await node.start();
      await node.connect('peer', peer.url);
    });

    it('erases the intended one, and names other owners of that id', async () => {
      const [scout, seqr, partner] = [
        await node.client('scout'),
        await node.client('seqr'),
        await node.client('partner', '--scope', 'query'),
      ];
      peer.behave(found(patient('P1', { label: 'of peer' })));
      await node.add(seqr, patient('Q', { label: 'of seqr' }));
      await until(async () => (await node.matches(seqr, 'Q')).length > 0);
      peer.behave(found());

      const here = async () => {
        await node.add(scout, patient('P1', { label: 'of scout' }));
        // Otherwise its search among earlier queries would find the next one.
        await node.idle();
        await node.request('POST', '/match', seqr, { patient: patient('Q') });
      };
      await here();
      await node.request('POST', '/match', partner, { patient: patient('P1', { label: 'of partner' }) });
      const foundByQ = async () => shown(await node.matches(seqr, 'Q'));
      const query = ['trefoil', 'of seqr'];
      const [ours, theirs] = [
        ['trefoil', 'of scout'],
        ['peer', 'of peer'],
      ];
      // The partner's query found this node's patient of the same id, and Q.
      const both = ['trefoil', 'of scout', 'of seqr'];
      expect(await foundByQ()).to.deep.equal([theirs, ours, both]);

      // Erases the patient of the other node; ours stays, also in the audit trail.
      const sees = async (id: string): Promise<string[]> => {
        const entries: Json[] = await node.done('list', 'audit', '--patient', id);
        return entries.map(({ actor, action }) => `${actor} ${action}`);
      };
      const erased = await node.done('erase', '--patient', 'P1', '--of', 'peer', '--yes');
      expect(erased).to.deep.equal({ patient: false, records: 1, rows: 0, entries: 1, left: { partner: 1 } });
      expect(await foundByQ()).to.deep.equal([ours, both]);
      const done: Json[] = await node.done('list', 'audit', '--actor', 'cli');
      const name = done.find(({ action }) => action === 'erase')?.patient;
      expect(await sees(name)).to.deep.equal(['node:peer receive', 'cli erase']);
      const aboutOurs = ['scout add', 'node:peer send', 'seqr match'];
      expect(await sees('P1')).to.include.members([...aboutOurs, 'partner match']);
      expect(await sees('P1')).not.to.include('node:peer receive');

      // Erases ours; the partner's query stays.
      const own = await node.run('erase', '--patient', 'P1', '--yes');
      expect([own.code, own.stdout]).to.deep.equal([0, 'Erased the patient and its part of 2 records of matches\n']);
      expect(own.stderr).to.include(
        '"partner" also has a patient with this id, in 1 record, which was not erased (see --of).',
      );
      expect(await foundByQ()).to.deep.equal([query]);
      expect([...new Set(await sees('P1'))]).to.deep.equal(['partner match']);
      expect(await node.matches(partner, 'P1')).to.have.length(1);

      // Two others, neither on this node: the command does not guess.
      peer.behave(found(patient('P1', { label: 'of peer' })));
      await node.request('POST', '/match/external/Q', seqr);
      const refused = await node.run('erase', '--patient', 'P1', '--yes');
      expect([refused.code, refused.stderr]).to.deep.equal([
        1,
        'trefoil: No patient of this id is stored here, but "partner" and "peer" have patients of this id, perhaps different persons: say which one to erase\n',
      ]);
      expect(await foundByQ()).to.deep.equal([theirs, query]);
      const nobody = await node.run('erase', '--patient', 'P1', '--of', 'nobody', '--yes');
      expect([nobody.code, nobody.stderr]).to.deep.equal([
        1,
        'trefoil: No record has a patient of this id that "nobody" found or asked about\n',
      ]);
      const refusedBoth = await node.run('erase', '--patient', 'P1', '--of', 'peer', '--everywhere', '--yes');
      expect([refusedBoth.code, refusedBoth.stderr]).to.deep.equal([
        1,
        'trefoil: Use either --of or --everywhere, not both\n',
      ]);
      await node.done('erase', '--patient', 'P1', '--of', 'partner', '--yes');
      expect(await node.matches(partner, 'P1')).to.deep.equal([]);
      expect(await foundByQ()).to.deep.equal([theirs]);

      // If there is only one, no name is needed; if all are one person, all are erased.
      await node.done('erase', '--patient', 'P1', '--yes');
      expect(await foundByQ()).to.deep.equal([]);
      await here();
      await node.request('POST', '/match/external/Q', seqr);
      expect(await foundByQ()).to.deep.equal([theirs, ours]);
      const all = await node.done('erase', '--patient', 'P1', '--everywhere', '--yes');
      expect(all).to.deep.include({ patient: true, left: {} });
      expect(await foundByQ()).to.deep.equal([]);
    });
  });
}
