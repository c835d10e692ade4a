/** Nodes that fail, ask for a pause or are busy: who is queried when, and what clients and operators see of it. */
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { type Json, type Matchmaker, patient, serveMatchmaker } from '../support/serve.js';
import { connectPeer, key, until } from './support/lab.js';
import { answering, type Behaviour, found, type Peer, servePeer } from './support/peer.js';

for (const engine of dealt(storages, 'postgres')) {
  describe(`matchmaker: health of nodes on ${engine.name}`, () => {
    let server: Matchmaker;
    let peer: Peer;
    let time: number;
    beforeEach(async () => {
      time = Date.parse('2026-11-23T12:00:00Z');
      const exchange = { key, allowHttp: true, timeoutSeconds: 5, retrySeconds: 10 };
      server = await serveMatchmaker(engine, { settings: { exchange }, now: () => new Date(time) });
      peer = await servePeer();
      await connectPeer(server.storage, peer.url);
      await server.post('/patient/add', { patient: patient('P') });
    });
    afterEach(async () => {
      await server.close();
      await peer.close();
    });
    const search = async (query = '', headers = {}) =>
      (await server.post(`/match/external/P${query}`, '', { headers })).body;
    const errors = async (query?: string): Promise<string[]> =>
      (await search(query)).errors.map(({ error }: Json) => error);
    const health = async (): Promise<Json> => (await server.get('/nodes')).body[0]._health;

    it('a node that failed rests, unless it is named, and longer after each failure', async () => {
      expect(await health()).to.deep.equal({ state: 'not queried yet', failures: 0, pending: 0 });
      peer.behave(answering(500, ''));
      expect(await errors()).to.deep.equal(['responded with status 500']);
      const failed = '2026-11-23T12:00:00.000Z';
      expect(await health()).to.deep.equal({
        state: 'resting',
        lastFailure: failed,
        failure: 'responded with status 500',
        failures: 1,
        restingUntil: '2026-11-23T12:00:10.000Z',
        pending: 1,
      });
      time += 9999;
      expect(await errors()).to.deep.equal([
        'was not queried, since it failed once and rests until 2026-11-23T12:00:10.000Z; last, it responded with status 500',
      ]);
      expect(peer.asked).to.have.length(1);
      expect(await errors('?node=peer')).to.deep.equal(['responded with status 500']);
      expect(peer.asked).to.have.length(2);
      expect((await health()).restingUntil, 'twice as long').to.equal('2026-11-23T12:00:29.999Z');
      time += 20_000;
      expect((await health()).state).to.equal('failing');
      peer.behave(found(patient('G')));
      expect(await errors()).to.deep.equal([]);
      const { state, failures, pending, lastFailure, responseSeconds } = await health();
      expect({ state, failures, pending }).to.deep.equal({ state: 'responding', failures: 0, pending: 0 });
      expect(lastFailure).to.equal('2026-11-23T12:00:09.999Z');
      expect(responseSeconds.median).to.be.at.least(0);
      const metrics = await (await fetch(`${server.url}/-/metrics`)).text();
      for (const line of [
        'node_queries_total{node="peer",outcome="failed"} 2',
        'node_queries_total{node="peer",outcome="answered"} 1',
        'node_failures{node="peer"} 0',
        'node_resting{node="peer"} 0',
        'node_up{node="peer"} 1',
      ]) {
        expect(metrics.split('\n')).to.include(`trefoil_matchmaker_${line}`);
      }
      expect(metrics).to.match(/^trefoil_matchmaker_node_response_seconds\{node="peer",quantile="0.95"\} [\d.]+$/m);
    });

    it('a node that asks for a pause gets it, even if it is named', async () => {
      for (const status of [429, 503]) {
        peer.behave(answering(status, '', { 'Retry-After': '60' }));
        const until = new Date(time + 60_000).toISOString();
        expect(await errors()).to.deep.equal([
          `responded with status ${status} and asks not to be queried before ${until}`,
        ]);
        peer.behave(found(patient('G')));
        time += 59_000;
        const asked = peer.asked.length;
        expect(await errors('?node=peer')).to.have.length(1);
        expect((await health()).restingUntil).to.equal(until);
        expect(peer.asked).to.have.length(asked);
        time += 1000;
        expect(await errors()).to.deep.equal([]);
      }
    });

    it('a compressed response, a bomb perhaps, is not unpacked', async () => {
      const bomb = gzipSync(Buffer.alloc(10 * 2 ** 20));
      peer.behave((response) => {
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
      });
      expect(await errors()).to.deep.equal(['sent a compressed response, which was not requested']);
    });

    it('a client states how long it waits; a later response is recorded once', async () => {
      let release: () => void = () => undefined;
      const late: Behaviour = (response, asked) => {
        release = () => found(patient('G'))(response, asked);
      };
      peer.behave(late);
      const name = { id: 'peer', label: 'Peer' };
      const lateness = (seconds: string) => `has not responded after ${seconds} s; a later response is recorded`;
      const first = await search('?timeout=0.05');
      expect(first.results).to.deep.equal([]);
      expect(first.errors).to.deep.equal([{ node: name, error: lateness('0.05') }]);
      expect(first._pending).to.deep.equal([name]);
      // The same search waits for the same query.
      const reply = await server.post('/match/external/P', '', { headers: { prefer: 'respond-async, wait=0' } });
      expect(reply.headers.get('preference-applied')).to.equal('wait=0');
      expect(reply.body.errors).to.deep.equal([{ node: name, error: lateness('0') }]);
      expect((await health()).pending, 'if the server is killed now').to.equal(1);
      await peer.question(1);
      release();
      const matches = await until(async () => (await server.get('/matches/P')).body.matches);
      expect(matches.map((one: Json) => one.results[0].patients[0].patient.id)).to.deep.equal(['G']);
      expect((await health()).pending).to.equal(0);
      expect(peer.asked).to.have.length(1);
    });

    it('a search goes on when its client is gone, and ends with the server', async () => {
      let release: () => void = () => undefined;
      peer.behave((response, asked) => {
        release = () => found(patient('G'))(response, asked);
      });
      const leaving = new AbortController();
      const headers = { 'x-auth-token': server.token };
      const search = fetch(`${server.url}/match/external/P`, { method: 'POST', headers, signal: leaving.signal });
      const left = search.then(
        () => 'answered',
        () => 'left',
      );
      await peer.question(1);
      leaving.abort();
      expect(await left).to.equal('left');
      release();
      await until(async () => (await server.get('/matches/P')).body.matches);
      // The last one is never answered: closing the server, below, ends it.
      await server.post('/patient/add', { patient: patient('P2') });
      const { body } = await server.post('/match/external/P2?timeout=0', '');
      expect(body._pending).to.have.length(1);
      await peer.question(2);
    });

    it('a time that is not valid is refused, and a preference that is not valid ignored', async () => {
      for (const timeout of ['-1', 'soon', '301', '1e9', 'NaN']) {
        const { status, body } = await server.post(`/match/external/P?timeout=${timeout}`, '');
        expect([status, body.fields?.[0]?.path], timeout).to.deep.equal([400, 'timeout']);
        expect(body.message).to.match(/^timeout: must .*(seconds|negative)/);
      }
      peer.behave(found(patient('G')));
      for (const prefer of ['wait', 'wait=soon', 'wait=-1', 'waiting=0', 'x; wait=0']) {
        const { status, body, headers } = await server.post('/match/external/P', '', { headers: { prefer } });
        expect([status, body.results.length, headers.get('preference-applied')], prefer).to.deep.equal([200, 1, null]);
      }
    });

    it('more queries than a node can take wait for a later time', async () => {
      peer.behave(() => undefined); // never responds
      for (let i = 0; i < 10; i++) await server.post('/patient/add', { patient: patient(`P${i}`) });
      const bodies = await Promise.all(
        Array.from({ length: 10 }, async (_, i) => (await server.post(`/match/external/P${i}?timeout=0`, '')).body),
      );
      const all = bodies.flatMap(({ errors }) => errors.map(({ error }: Json) => error.replace(/,.*|;.*/, '')));
      const counts = (text: string) => all.filter((one) => one === text).length;
      expect(counts('has not responded after 0 s')).to.equal(8);
      expect(counts('was not queried yet')).to.equal(2);
      expect((await health()).pending, 'none is lost').to.equal(10);
      await peer.question(8);
      expect(peer.asked).to.have.length(8);
    });
  });
}
