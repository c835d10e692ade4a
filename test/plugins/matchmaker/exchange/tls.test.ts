/** Nodes over TLS: only nodes with a valid certificate are queried; for the others the reason is stated. */
import { request } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { dealt } from '../../../support/dealt.js';
import { engines } from '../../../support/engines.js';
import { useFolder } from '../../../support/folder.js';
import { type Json, patient } from '../support/serve.js';
import { type Certificate, makeCertificate, yearsFromNow } from './support/certificates.js';
import { until, useNodes } from './support/lab.js';
import { servePeer } from './support/peer.js';

interface Front {
  url: string;
  requests: number;
  close(): Promise<void>;
}

/** A reverse proxy that terminates TLS, as in front of any node. */
async function serveFront(
  to: string,
  { certificate: cert, key }: Certificate,
  options: ServerOptions = {},
): Promise<Front> {
  const front: Front = {
    url: '',
    requests: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer({ cert, key, ...options }, (incoming, response) => {
    front.requests += 1;
    const { method = 'POST', headers, url = '' } = incoming;
    const passed = request(new URL(url, to), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  });
  // A client that does not trust us hangs up.
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  front.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/match`;
  return front;
}

const hosts = ['127.0.0.1'];

for (const engine of dealt(engines, 'sqlite')) {
  describe(`matchmaker: nodes over TLS on ${engine.name}`, function () {
    this.timeout(300_000); // several servers
    const folder = useFolder();
    const { opened, node, peer } = useNodes(engine);

    it('queries nodes whose certificates its authorities signed, and says what is wrong with the others', async () => {
      const authority = makeCertificate('An authority of a hospital');
      const stranger = makeCertificate('Another authority');
      const extra = await folder.write('authority.pem', authority.certificate);
      const exchange = { allowHttp: false };
      const env = { NODE_EXTRA_CA_CERTS: extra };
      const here = await node({ matchmaker: { exchange }, env, processes: true });
      const there = await node();
      await Promise.all([here.start(), there.start()]);
      await there.add(await there.client('theirs'), patient('T'));
      const right = await there.client('here', '--scope', 'query');

      const unasked = await peer();
      const front = async (name: string, certificate: Certificate, to = unasked.url) => {
        const made = opened(await serveFront(to, certificate));
        await here.connect(name, made.url, right);
        return made;
      };
      await front('good', makeCertificate('good', authority, { hosts }), there.url);
      const bad = {
        expired: await front('expired', makeCertificate('x', authority, { hosts, until: yearsFromNow(-0.5) })),
        early: await front('early', makeCertificate('x', authority, { hosts, from: yearsFromNow(0.5) })),
        otherhost: await front('otherhost', makeCertificate('127.0.0.1', authority, { hosts: ['mme.example.org'] })),
        stranger: await front('stranger', makeCertificate('x', stranger, { hosts })),
        selfmade: await front('selfmade', makeCertificate('x', undefined, { hosts })),
      };
      const plain = opened(await servePeer());
      await here.connect('plain', plain.url.replace('http:', 'https:'), right);
      const refused = await here.run('add', 'node', '--id', 'open', '--token', 'x', '--matching_url', plain.url);
      expect([refused.code, refused.stderr]).to.deep.equal([
        1,
        'trefoil: The node cannot be queried: its address is http, without encryption, which the setting exchange.allowHttp does not allow\n',
      ]);

      const token = await here.client('scout');
      await here.add(token, patient('P'));
      const { status, body } = await here.request('POST', '/match/external/P', token);
      expect(status).to.equal(200);
      expect(body.results.map((one: Json) => [one.node.id, one.patients.map((p: Json) => p.patient.id)])).to.deep.equal(
        [['good', ['T']]],
      );
      const errors = Object.fromEntries(body.errors.map(({ node, error }: Json) => [node.id, error]));
      expect(errors).to.have.all.keys(...Object.keys(bad), 'plain');
      expect(errors.expired).to.equal('has a certificate that has expired (CERT_HAS_EXPIRED)');
      expect(errors.early).to.equal('has a certificate that is not valid yet (CERT_NOT_YET_VALID)');
      expect(errors.otherhost).to.equal('has a certificate for another host (ERR_TLS_CERT_ALTNAME_INVALID)');
      for (const name of ['stranger', 'selfmade']) {
        expect(errors[name], name).to.match(/^has a certificate of an unknown authority \([A-Z_]+\)$/);
      }
      expect(errors.plain).to.match(/^(does not speak TLS|violates the TLS protocol)/);
      for (const [name, { requests }] of Object.entries(bad)) expect(requests, name).to.equal(0);
      expect(unasked.asked).to.deep.equal([]);

      const tested = await here.run('test', 'node', '--id', 'expired');
      expect([tested.code, tested.stderr]).to.deep.equal([
        1,
        'trefoil: The node "expired" has a certificate that has expired (CERT_HAS_EXPIRED)\n',
      ]);
      const listed = await until(async () => {
        const all: Json[] = await here.done('list', 'node');
        return all.filter(({ failures }) => failures > 0).length === 6 && all;
      });
      expect(listed.find(({ id }) => id === 'good')).to.include({ failures: 0, owed: 0 });
      expect(listed.find(({ id }) => id === 'otherhost')?.failure).to.match(/^has a certificate for another host/);
    });
  });
}
