/** The coverage of samples that another server knows. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { isFault } from '../../../core/plugin.js';
import { remoteCallability } from '../../../plugins/beacon/counts/remote.js';
import type { CoveredQuestion } from '../../../plugins/services/coverage.js';
import { useOnce } from '../../support/use.js';
import { store } from '../coverage/callability/support.js';
import { serveCoverage } from '../coverage/support/serve.js';

const { signal } = new AbortController();
const question: CoveredQuestion = {
  build: 'GRCh38',
  threshold: 10,
  groups: [['a', 'b', 'nobody']],
  places: [{ chromosome: 'MT', intervals: [{ start: 100, end: 101 }], named: ['a', 'b'] }],
};

async function faultOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isFault(error) || error.code !== 'unavailable') throw new Error('An unavailable fault was expected');
  return error.message;
}

describe('coverage that another server knows', () => {
  const server = useOnce(() => serveCoverage());
  const stubs: Server[] = [];
  before(async () => {
    await store(server.samples, [
      { id: 'a', stretches: [{ chromosome: 'MT', start: 100, depths: [9] }], sex: 'female', predicted: 'male' },
      { id: 'b', stretches: [{ chromosome: 'MT', start: 100, depths: [10] }], sex: 'female' },
    ]);
  });
  after(async () => {
    for (const stub of stubs) stub.close().closeAllConnections();
  });

  /** A server that answers so, as its address. */
  async function stub(answer: RequestListener): Promise<string> {
    const one = createServer(answer);
    stubs.push(one);
    await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
  }

  it('is that of its coverage plugin', async () => {
    const token = await server.token('coverage:read');
    const remote = remoteCallability({ url: `${server.url}/`, token, timeout: 30 });
    expect(await remote.covered(question, signal)).to.deep.equal({
      unknown: [{ sample: 'nobody', reason: 'unregistered' }],
      places: [{ covered: [1], below: ['a'] }],
    });
    expect(await remote.sexes(['b', 'nobody', 'a'], signal)).to.deep.equal(['female', 'unknown', 'contradicted']);
  });

  it('is unavailable, with the reason and without the token, if the server does not know the token or the question', async () => {
    const token = await server.token('coverage:register');
    const ask = (key: string) =>
      faultOf(remoteCallability({ url: server.url, token: key, timeout: 30 }).covered(question, signal));
    expect(await ask(token)).to.equal(
      'The server that knows the coverage of samples refused the token, which lacks the scope coverage:read (403)',
    );
    expect(await ask('a token that nobody has')).to.match(/ refused the token \(401\)$/);
    const reader = remoteCallability({ url: server.url, token: await server.token('coverage:read'), timeout: 30 });
    expect(await faultOf(reader.covered({ ...question, threshold: 0 }, signal))).to.match(/the status 422$/);
  });

  it('is unavailable if the server fails, is too slow, or sends something else', async () => {
    const sending =
      (status: number, body: string): RequestListener =>
      (request, response) => {
        request.resume();
        response.writeHead(status, { Location: 'http://127.0.0.1/elsewhere' }).end(body);
      };
    const counts = (places: unknown) => JSON.stringify({ unknown: [], places });
    const cases: [RequestListener, string][] = [
      [sending(503, ''), 'is unavailable (503)'],
      [sending(500, '{}'), 'responded with the status 500'],
      [sending(307, ''), 'responded with the status 307'],
      [sending(404, ''), 'has no registered samples (404): is its coverage plugin enabled?'],
      [sending(200, '<html>'), 'sent something else than an answer'],
      [sending(200, counts([])), 'sent something else than an answer'],
      [sending(200, counts([{ covered: [1, 2], below: [] }])), 'sent something else than an answer'],
      [sending(200, counts([{ covered: [-1], below: [] }])), 'sent something else than an answer'],
      [(request) => void request.resume(), 'did not respond within 1 s'],
      [(request) => request.socket.destroy(), 'cannot be reached (ECONNRESET)'],
    ];
    for (const [answer, reason] of cases) {
      const remote = remoteCallability({ url: await stub(answer), token: 'secret-1', timeout: 1 });
      const message = await faultOf(remote.covered(question, signal));
      expect(message).to.equal(`The server that knows the coverage of samples ${reason}`);
    }
  });

  it('stops with the request that needs it', async () => {
    const remote = remoteCallability({ url: await stub((request) => void request.resume()), token: 't', timeout: 30 });
    const gone = new AbortController();
    const asked = remote.covered(question, gone.signal).catch((error: unknown) => error);
    gone.abort(new Error('the client went away'));
    expect(await asked).to.have.property('message', 'the client went away');
  });
});
