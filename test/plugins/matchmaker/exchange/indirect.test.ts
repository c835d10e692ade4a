/** Indirect matches, and the commands for nodes. */
import { expect } from 'chai';
import { dealt } from '../../../support/dealt.js';
import { engines } from '../../../support/engines.js';
import { useEach } from '../../../support/use.js';
import { type Json, patient } from '../support/serve.js';
import { makeNode, until, waitSeconds } from './support/lab.js';
import { found, servePeer } from './support/peer.js';

const gene = (symbol: string) => ({ genomicFeatures: [{ gene: { id: symbol } }], features: [] });

for (const engine of dealt(engines, 'sqlite')) {
  describe(`matchmaker: indirect matches and commands on ${engine.name}`, function () {
    this.timeout(300_000); // several servers
    const node = useEach(
      () => makeNode(engine),
      (node) => node.discard(),
    );

    it('an earlier query is found by a patient added later, once', async () => {
      await node.start();
      const [token, asker] = [await node.client('scout'), await node.client('partner', '--scope', 'query')];
      // Only queries with results are stored.
      await node.add(token, patient('first', gene('SCN1A')));
      const query = { patient: patient('Q', { ...gene('SCN1A'), label: 'asked' }) };
      expect((await node.request('POST', '/match', asker, query)).body.results).to.have.length(1);
      await node.request('POST', '/match', asker, query);
      await node.request('POST', '/match', asker, { patient: patient('none', gene('GPX4')) });
      const test = { patient: patient('tested', { ...gene('SCN1A'), test: true }) };
      expect((await node.request('POST', '/match', asker, test)).body.results).to.have.length(1);

      await node.add(token, patient('late', gene('SCN1A')));
      const mine = await until(async () => {
        const all = await node.matches(token, 'late');
        return all.length > 0 && all;
      });
      expect(mine.map((one: Json) => [one.match_type, one.direction, one.data.patient.id])).to.deep.equal([
        ['internal', 'incoming', 'Q'],
      ]);
      const theirs = await node.matches(asker, 'Q');
      expect(theirs.map((one) => one.results[0].patients.map((each: Json) => each.patient.id))).to.deep.equal([
        ['late'],
        ['first'],
        ['first'],
      ]);
      const seen: Json[] = await node.done('list', 'audit', '--patient', 'late');
      expect(
        seen.map(({ actor, action, query }) => [actor, action, query]),
        'who can read of it',
      ).to.deep.include(['partner', 'match', 'Q']);
      // A different label or contact does not make a different patient.

      await node.add(token, patient('late', { ...gene('SCN1A'), label: 'renamed' }));
      const elsewhere = { name: 'Other', href: 'mailto:other@example.org' };
      await node.add(token, patient('late', { ...gene('SCN1A'), label: 'renamed', contact: elsewhere }));
      await node.add(token, patient('first', { ...gene('SCN1A'), label: 'renamed' }));
      await node.idle();
      expect(await node.matches(token, 'late')).to.have.length(1);
      expect(await node.matches(asker, 'Q'), 'that it found directly, too').to.have.length(3);
      // Unchanged patients are not queried again, and unrelated ones are not found.
      await node.add(token, patient('late', { ...gene('SCN1A'), label: 'renamed', contact: elsewhere }));
      await node.add(token, patient('GPX', gene('GPX4')));
      await waitSeconds(2);
      expect(await node.matches(asker, 'Q')).to.have.length(3);
      expect(await node.matches(asker, 'none')).to.deep.equal([]);
      expect(await node.matches(asker, 'tested'), 'a test is over with its answer').to.have.length(1);
      const { metrics } = (await node.request('GET', '/metrics', token)).body;
      expect(metrics.numberOfRequestsReceived).to.equal(4);
    });

    it('an earlier query about a patient with the same id is found, that of the patient’s own owner is not', async () => {
      await node.start();
      const [token, asker] = [await node.client('scout'), await node.client('partner', '--scope', 'query')];
      await node.add(token, patient('first', gene('SCN1A')));
      for (const [from, label] of [
        [token, 'of scout'],
        [asker, 'of partner'],
      ] as const) {
        const query = { patient: patient('s3', { ...gene('SCN1A'), label }) };
        expect((await node.request('POST', '/match', from, query)).body.results).to.have.length(1);
      }
      await node.add(token, patient('s3', gene('SCN1A')));
      const found = async (id: string, from: string) =>
        (await node.matches(from, id)).flatMap((one: Json) =>
          one.results.flatMap(({ patients }: Json) =>
            patients.map((each: Json) => [one.data.patient.label, each.patient.id].join(' finds ')),
          ),
        );
      await until(async () => (await found('s3', asker)).length > 1);
      expect((await found('s3', asker)).sort()).to.deep.equal(['of partner finds first', 'of partner finds s3']);
      expect((await found('s3', token)).sort(), 'its own query, and that of the partner').to.deep.equal([
        'of partner finds s3',
        'of scout finds first',
      ]);
    });

    it('a query that arrives before a new patient is compared with queries finds it once', async () => {
      await node.start({ jobs: false });
      const [token, asker] = [await node.client('scout'), await node.client('partner', '--scope', 'query')];
      await node.add(token, patient('first', gene('SCN1A')));
      const ask = (id: string) => node.request('POST', '/match', asker, { patient: patient(id, gene('SCN1A')) });
      await ask('early');
      await node.add(token, patient('late', gene('SCN1A')));
      await ask('between');
      await node.stop();
      await node.start();
      await node.idle();
      const found = await node.matches(token, 'late');
      expect(found.map((one: Json) => one.data.patient.id).sort()).to.deep.equal(['between', 'early']);
    });

    it('adds, tests, changes, lists and removes nodes', async () => {
      const peer = await servePeer();
      try {
        const url = ['--matching_url', peer.url];
        const refused = async (says: RegExp, ...words: string[]) => {
          const { code, stderr } = await node.run(...words);
          expect(stderr, words.join(' '))
            .to.match(says)
            .and.match(/^[^\n]+\n$/);
          expect(code, words.join(' ')).to.be.above(0);
        };
        await refused(/The token to send to the node is required/, 'add', 'node', '--id', 'n', ...url);
        await refused(/does not hold a token/, 'add', 'node', '--id', 'n', ...url, '--token-file', 'nowhere');
        await refused(/https URL/, 'add', 'node', '--id', 'n', '--token', 'x', '--matching_url', 'nonsense');
        await refused(
          /media type/,
          'add',
          'node',
          '--id',
          'n',
          '--token',
          'x',
          ...url,
          '--accepted_content',
          'text/html',
        );
        await refused(/id of a node/, 'add', 'node', '--id', 'a b', '--token', 'x', ...url);
        const { code, stdout } = await node.run(
          'add',
          'node',
          '-i',
          'n',
          '-l',
          'N',
          '-t',
          'secret-token',
          '-m',
          peer.url,
        );
        expect([code, stdout]).to.deep.equal([0, 'Inserted node with ID "n" into database collection nodes\n']);
        await refused(/already a node/, 'add', 'node', '--id', 'n', '--token', 'x', ...url);
        peer.behave(found(patient('A'), patient('B')));
        expect(await node.done('test', 'node', '--id', 'n')).to.deep.equal({ id: 'n', patients: 2 });
        const [asked] = peer.asked;
        expect(asked?.headers['x-auth-token']).to.equal('secret-token');
        expect(asked?.body.patient).to.include({ test: true, id: 'trefoil-connection-test' });
        await refused(/no node "m"/, 'test', 'node', '--id', 'm');
        await node.done('update', 'node', '--id', 'n', '--disable', '--label', 'Other');
        const [listed] = await node.done('list', 'node');
        expect(listed).to.include({ id: 'n', label: 'Other', enabled: false, token: 'encrypted', url: peer.url });
        expect((await node.run('list', 'node')).stdout)
          .to.include('disabled')
          .and.not.include('secret-token');
        await node.done('update', 'node', '--id', 'n', '--enable');
        expect((await node.done('list', 'node'))[0].enabled).to.equal(true);
        await node.done('remove', 'node', '--id', 'n');
        await refused(/no node "n"/, 'remove', 'node', '--id', 'n');
        expect(await node.done('list', 'node')).to.deep.equal([]);
      } finally {
        await peer.close();
      }
    });
  });
}
