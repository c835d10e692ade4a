/** Ids in URLs: every valid id leads to its patient; an invalid id is refused with a fitting sentence. */
import { request } from 'node:http';
import { expect } from 'chai';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { type Json, type Matchmaker, patient, serveMatchmaker } from '../support/serve.js';
import { connectPeer, key } from './support/lab.js';
import { found, servePeer } from './support/peer.js';

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker: ids in URLs on ${engine.name}`, () => {
    let server: Matchmaker;
    const peer = useOnce(() => servePeer());
    before(async () => {
      peer.behave(found(patient('G')));
      server = await serveMatchmaker(engine, { settings: { exchange: { key, allowHttp: true } } });
      await connectPeer(server.storage, peer.url);
    });
    after(async () => {
      await server.close();
    });

    /** Sends the path unchanged: `fetch` would normalise it. */
    const raw = (method: string, path: string, headers: Record<string, string> = {}) =>
      new Promise<{ status: number | undefined; body: Json }>((resolve, reject) => {
        const asked = request(
          {
            host: '127.0.0.1',
            port: new URL(server.url).port,
            method,
            path,
            headers: { 'x-auth-token': server.token, ...headers },
          },
          async (response) => {
            let text = '';
            for await (const chunk of response) text += chunk;
            resolve({ status: response.statusCode, body: JSON.parse(text) });
          },
        );
        asked.on('error', reject);
        asked.end();
      });

    const routes = [
      ['GET', (id: string) => `/patient/${id}`],
      ['GET', (id: string) => `/matches/${id}`],
      ['POST', (id: string) => `/match/external/${id}`],
      ['DELETE', (id: string) => `/patient/delete/${id}`],
    ] as const;

    it('identify every patient that can be stored', async () => {
      const ids = [
        'a/b',
        '/',
        'a/',
        '..',
        '%2F',
        '100%',
        'a?b=c#d',
        'with blank',
        'Ä\u0308 ę 患者 🧬',
        '\u202eright to left',
        "o'; drop table x; --",
        '<b>',
        '__proto__',
        'x'.repeat(255),
        '🧬'.repeat(127),
      ];
      for (const id of ids) {
        const said = `${JSON.stringify(id)}`;
        const added = await server.post('/patient/add', { patient: patient(id) });
        expect([added.status, added.body.message], said).to.deep.equal([
          200,
          'Patient was successfully inserted into database.',
        ]);
        const path = encodeURIComponent(id);
        expect((await raw('GET', `/patient/${path}`)).body.patient?.id, said).to.equal(id);
        const asked = await raw('POST', `/match/external/${path}`);
        expect(asked.body.results?.[0].patients[0].patient.id, said).to.equal('G');
        const { body } = await raw('GET', `/matches/${path}`);
        expect(body.matches?.[0].data.patient.id, said).to.equal(id);
        expect((await raw('DELETE', `/patient/delete/${path}`)).body.message, said).to.match(
          /^Patient and its matches/,
        );
        expect((await raw('GET', `/patient/${path}`)).status, said).to.equal(404);
      }
    });

    it('are refused if invalid, on every route', async () => {
      const broken: [id: string, status: number, says: RegExp][] = [
        ['%00', 400, /^Text must not contain NUL characters or/],
        ['a%00b', 400, /^Text must not contain NUL characters or/],
        ['%', 400, /^The path is not valid percent-encoding$/],
        ['%zz', 400, /^The path is not valid percent-encoding$/],
        ['%ff', 400, /^The path is not valid percent-encoding$/],
        ['%ed%a0%80', 400, /^The path is not valid percent-encoding$/],
        ['a/b', 404, /^There is nothing at this path$/],
      ];
      for (const [method, path] of routes) {
        for (const [id, status, says] of broken) {
          const reply = await raw(method, path(id));
          expect([reply.status, Object.keys(reply.body)], `${method} ${path(id)}`).to.deep.equal([status, ['message']]);
          expect(reply.body.message, `${method} ${path(id)}`).to.match(says);
        }
      }
      for (const [method, path] of routes) {
        for (const id of ['x'.repeat(256), 'x'.repeat(10_000), '%F0%9F%A7%AC'.repeat(700)]) {
          const reply = await raw(method, path(id));
          expect([reply.status, reply.body.message], `${method} ${path('x…')}`).to.deep.equal([
            400,
            'id: is longer than 255 characters',
          ]);
        }
      }
      for (const [node, says] of [
        ['%00', /^Text must not contain NUL/],
        ['x'.repeat(10_000), /^node: is longer than 255 characters$/],
        ['a&node=b', /^node: /],
      ] as const) {
        await server.post('/patient/add', { patient: patient('P') });
        const reply = await raw('POST', `/match/external/P?node=${node}`);
        expect(reply.status, node.slice(0, 9)).to.equal(400);
        expect(reply.body.message).to.match(says);
      }
      // Faults of a body are still reported as such.
      for (const [body, says] of [
        ['{', /^Invalid request JSON: The body is not valid JSON$/],
        ['', /^Invalid request JSON: The body is empty$/],
        ['{"patient":{"id":"a\\u0000"}}', /^Invalid request JSON: Text must not contain NUL/],
      ] as const) {
        for (const path of ['/match', '/patient/add', '/patient/import', '/match/', '/match?x=1']) {
          const { status, body: answer } = await server.post(path, body);
          expect(status, path).to.equal(400);
          if (path !== '/match?x=1') expect(answer.message, path).to.match(says);
        }
      }
      expect((await server.post('/match?x=%00', '{}')).body.message).to.match(/^Text must not contain NUL/);
      for (const body of ['{', '']) {
        expect((await server.post('/match?x=1', body)).body.message).to.match(/^Invalid request JSON: The body/);
      }
    });
  });
}
