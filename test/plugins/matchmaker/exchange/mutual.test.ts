/** Several nodes that query each other, some of them misbehaving. */
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { dealt } from '../../../support/dealt.js';
import { engines } from '../../../support/engines.js';
import { type Json, patient } from '../support/serve.js';
import { type LabNode, until, useNodes } from './support/lab.js';
import { answering, found, type Peer, servePeer } from './support/peer.js';

const gene = (symbol: string) => ({ genomicFeatures: [{ gene: { id: symbol } }] });

for (const engine of dealt(engines, 'postgres')) {
  describe(`matchmaker: nodes that query each other on ${engine.name}`, function () {
    this.timeout(300_000); // several servers
    const { node, peer } = useNodes(engine);

    it('three nodes find each other’s patients by addition, update and explicit search', async () => {
      const nodes = [await node(), await node(), await node()];
      await Promise.all(nodes.map((one) => one.start()));
      const own = await Promise.all(nodes.map((one) => one.client('scout')));
      for (const [i, asker] of nodes.entries()) {
        for (const [j, asked] of nodes.entries()) {
          if (i !== j) await asker.connect(`n${j}`, asked.url, await asked.client(`n${i}`, '--scope', 'query'));
        }
      }
      const [a, b, c] = nodes as [LabNode, LabNode, LabNode];
      const [ta, tb, tc] = own as [string, string, string];
      const health = { state: 'not queried yet', failures: 0, pending: 0 };
      expect((await a.request('GET', '/nodes', ta)).body).to.deep.equal([
        { id: 'n1', description: 'Node n1', _health: health },
        { id: 'n2', description: 'Node n2', _health: health },
      ]);

      // No node has a similar patient yet; the next addition finds it on both sides.
      await a.add(ta, patient('PA', gene('SCN1A')));
      await until(async () => (await a.done('list', 'node')).every((one: Json) => one.lastSuccess !== undefined));
      await b.add(tb, patient('PB', gene('SCN1A')));
      const record = await until(async () => (await b.matches(tb, 'PB')).find((one) => one.match_type === 'external'));
      expect(record).to.include({ has_matches: true, direction: 'outgoing' });
      expect(record.data.patient.id).to.equal('PB');
      expect(record.results.map(({ node }: Json) => node)).to.deep.equal([{ id: 'n0', label: 'Node n0' }]);
      expect(record.results[0].patients.map((one: Json) => one.patient.id)).to.deep.equal(['PA']);
      expect(record.results[0].patients[0].patient.genomicFeatures[0].gene).to.deep.equal({
        id: 'ENSG00000144285',
        _geneName: 'SCN1A',
      });
      // On the queried node it is an incoming search that found its patient.
      const [incoming] = await a.matches(ta, 'PA');
      expect(incoming).to.include({ match_type: 'internal', direction: 'incoming' });
      expect(incoming.data.patient.id).to.equal('PB');

      // An update searches again: the patient now has the gene of the third one.
      await c.add(tc, patient('PC', { ...gene('GPX4'), features: [] }));
      await a.add(ta, patient('PA', { ...gene('GPX4'), features: [] }));
      const updated = await until(async () => (await a.matches(ta, 'PA')).find((one) => one.match_type === 'external'));
      expect(updated.results[0].node.id).to.equal('n2');
      expect(updated.results[0].patients[0].patient.id).to.equal('PC');

      const asked = await c.request('POST', '/match/external/PC', tc);
      expect(asked.body.errors).to.deep.equal([]);
      expect(asked.body.disclaimer).to.be.a('string');
      expect(
        asked.body.results.map((one: Json) => [one.node.id, one.patients.map((p: Json) => p.patient.id)]),
      ).to.deep.equal([
        ['n0', ['PA']],
        ['n1', []],
      ]);
      const only = await c.request('POST', '/match/external/PC?node=n1', tc);
      expect(only.body.results.map((one: Json) => one.node.id)).to.deep.equal(['n1']);
      expect((await c.request('POST', '/match/external/zzz', tc)).body).to.deep.equal({
        message: 'ERROR. Could not find any patient with ID zzz in database',
      });
      expect((await c.request('POST', '/match/external/PC?node=meh', tc)).body).to.deep.equal({
        message: 'ERROR. Could not find any connected node with id meh in database',
      });
      const refused = await c.request('POST', '/match/external/PC', await c.client('other'));
      expect(JSON.stringify(refused.body)).to.include('Could not find any patient with ID PC');
      // Searching again adds no record.
      await c.request('POST', '/match/external/PC', tc);
      expect((await c.matches(tc, 'PC')).filter((one) => one.match_type === 'external')).to.have.length(1);
    });

    it('a node without other nodes says so, and sends no query about demo data', async () => {
      const alone = await node({ demo: true });
      await alone.start();
      const token = await alone.client('scout');
      await alone.add(token, patient('P'));
      expect((await alone.request('POST', '/match/external/P', token)).body).to.deep.equal({
        message: 'Could not find any other node connected to this MatchMaker server',
      });
      const other = await peer();
      await alone.connect('n', other.url);
      await alone.done('add', 'demodata');
      await alone.add(token, patient('P', { label: 'changed' }));
      await other.question(1);
      expect(other.asked.map(({ body }) => body.patient.id)).to.deep.equal(['P']);
    });

    it('responds in time whatever other nodes do, reports what they did, and catches up', async () => {
      const here = await node();
      await here.start();
      const token = await here.client('scout');
      const good = await peer();
      good.behave(found(patient('G', gene('SCN1A'))));
      await here.connect('good', good.url);
      const wrong: Record<string, { peer: Peer; says: RegExp }> = {};
      const bad = async (id: string, behaviour: Parameters<Peer['behave']>[0], says: RegExp) => {
        const made = await peer();
        made.behave(behaviour);
        await here.connect(id, made.url, `token-for-${id}`);
        wrong[id] = { peer: made, says };
      };
      const chunk = Buffer.alloc(1 << 20, ' ');
      // Requests that wait for the rest of an answer now, and at most.
      let [waiting, most] = [0, 0];
      const keepWaiting = (response: ServerResponse) => {
        most = Math.max(most, ++waiting);
        response.on('close', () => waiting--);
      };
      await bad('slow', keepWaiting, /did not respond within 2 s$/);
      await bad(
        'drips',
        (response) => {
          response.writeHead(200);
          keepWaiting(response);
          const timer = setInterval(() => response.write(' '), 200);
          response.on('close', () => clearInterval(timer));
        },
        /did not respond within 2 s$/,
      );
      await bad('locked', answering(401, '{"message":"Not authorized"}'), /did not accept our token \(401\)/);
      await bad('broken', answering(500, '<h1>Internal</h1>'), /responded with status 500/);
      await bad(
        'page',
        answering(200, '<html></html>', { 'Content-Type': 'text/html' }),
        /sent a response that is not JSON/,
      );
      await bad('list', answering(200, '[]'), /without a list of results/);
      await bad(
        'huge',
        (response) => {
          response.writeHead(200, { 'Content-Length': String(1 << 30) });
          const more = () => {
            while (!response.destroyed && response.write(chunk));
          };
          response.on('drain', more);
          more();
        },
        /sent more than 8388608 bytes/,
      );
      const elsewhere = await peer();
      await bad('moved', answering(307, '', { Location: elsewhere.url }), /redirect \(307\), which is not followed/);
      const dead = await servePeer();
      await dead.close();
      await here.connect('dead', dead.url);

      const invalid = await peer();
      const results = [
        { score: { patient: 0.4 }, patient: patient('V') },
        { score: { patient: 7 }, patient: patient('X1') },
        { score: { patient: 0.3 }, patient: { id: 'X2' } },
        { score: { patient: 0.3 }, patient: patient('X3', { label: 'a\u0000b' }) },
        'nothing',
        { score: { patient: 0.9 }, patient: patient('W') },
      ];
      invalid.behave(answering(200, JSON.stringify({ results })));
      await here.connect('invalid', invalid.url);

      await here.add(token, patient('P', gene('SCN1A')));
      const { body } = await here.request('POST', '/match/external/P', token);
      expect(most, 'all are asked at once').to.be.at.least(2);
      const errors = Object.fromEntries(body.errors.map(({ node, error }: Json) => [node.id, error]));
      for (const [id, { says }] of Object.entries(wrong)) expect(errors[id], id).to.match(says);
      // The search after the addition may have failed first: then the node rests, and its last failure is named.
      expect(errors.dead).to.match(/(^|last, it )cannot be reached \(ECONNREFUSED\)$/);
      expect(errors.invalid).to.match(/^results were dropped: results\.1\.score\.patient .*; .*; .*; 1 more$/);
      const ids = (one: Json) => one.patients.map((each: Json) => each.patient.id);
      expect(Object.fromEntries(body.results.map((one: Json) => [one.node.id, ids(one)]))).to.deep.equal({
        good: ['G'],
        invalid: ['W', 'V'],
      });
      expect(elsewhere.asked, 'no token goes to where a redirect points').to.deep.equal([]);

      // Operators see all of it.
      const listed = await until(async () => {
        const all: Json[] = await here.done('list', 'node');
        return all.filter(({ failures }) => failures > 0).length === 9 && all;
      });
      const state = Object.fromEntries(listed.map((one: Json) => [one.id, one]));
      expect(state.good.failures).to.equal(0);
      expect(state.locked.failure).to.match(/401/);
      expect(state.locked.owed).to.equal(1);
      const metrics = await (await fetch(`${here.url}/-/metrics`)).text();
      expect(metrics).to.match(/^trefoil_matchmaker_node_up\{node="good"\} 1$/m);
      expect(metrics).to.match(/^trefoil_matchmaker_node_up\{node="locked"\} 0$/m);
      expect(metrics).to.match(/^trefoil_matchmaker_node_owed\{node="dead"\} 1$/m);
      expect(here.log()).to.not.match(/token-for|token-of-nobody/);

      // Each node that recovers is queried again, and its results are stored once.
      for (const [id, { peer }] of Object.entries(wrong)) peer.behave(found(patient(`back-${id}`)));
      const records = await until(async () => {
        const all = (await here.matches(token, 'P')).filter((one) => one.match_type === 'external');
        return all.length === 2 + Object.keys(wrong).length && all;
      });
      const from = records.map((one: Json) => one.results[0].node.id).sort();
      expect(from).to.deep.equal(['good', 'invalid', ...Object.keys(wrong)].sort());
    });

    it('a killed node is queried again once it is back', async () => {
      const [here, there] = [await node(), await node({ processes: true })];
      await Promise.all([here.start(), there.start()]);
      const [token, theirs] = [await here.client('scout'), await there.client('scout')];
      await here.connect('there', there.url, await there.client('here', '--scope', 'query'));
      await there.add(theirs, patient('T', gene('SCN1A')));
      await there.kill();
      for (let i = 0; i < 10; i++) await here.add(token, patient(`P${i}`, gene('SCN1A')));
      await until(async () => (await here.done('list', 'node'))[0].owed === 10);
      await there.start();
      for (let i = 0; i < 10; i++) {
        const record = await until(async () => (await here.matches(token, `P${i}`))[0]);
        expect(record.results[0].patients.map((one: Json) => one.patient.id)).to.deep.equal(['T']);
      }
      const [state] = await until(async () => {
        const all = await here.done('list', 'node');
        return all[0].owed === 0 && all;
      });
      expect(state.failures).to.equal(0);
      expect((await there.matches(theirs, 'T')).length, 'each question was answered once').to.equal(10);
    });
  });
}
