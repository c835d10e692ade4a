import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { z } from 'zod';
import { type BodyDeclaration, route } from '../../../core/http/route.js';
import { problemOf, raw, type Served, serve } from './support.js';

const mme = 'application/vnd.ga4gh.matchmaker.v1.0+json';
const form = 'application/x-www-form-urlencoded';

describe('request bodies', () => {
  let server: Served;

  before(async () => {
    server = await serve(
      (host) => {
        const echo = (path: string, body: BodyDeclaration<unknown>) =>
          host.route(
            route({
              method: ['POST', 'DELETE'],
              path,
              operation: path.slice(1),
              summary: 'Echoes',
              body,
              answers: { 200: { description: 'What came', content: { 'application/json': z.any() } } },
              handle: ({ body: sent, bodyType }) => ({ body: { sent, bodyType } }),
            }),
          );
        echo('/json', { types: ['application/json', mme, form], schema: z.unknown() });
        echo('/small', { types: ['application/json', form], schema: z.unknown(), limit: 20 });
        echo('/texts', { types: ['application/json'], schema: z.array(z.string()), limit: 1_000_000 });
        echo('/only', { types: ['application/json'], schema: z.unknown() });
        host.route(
          route({
            method: 'POST',
            path: '/raw',
            operation: 'raw',
            summary: 'Counts bytes',
            body: { types: ['text/vcf'], schema: z.custom<Readable>(), limit: 100_000 },
            answers: { 200: { description: 'Bytes', content: { 'application/json': z.int() } } },
            async handle({ body }) {
              let size = 0;
              for await (const chunk of body) size += (chunk as Buffer).length;
              return { body: size };
            },
          }),
        );
        host.route(
          route({
            method: 'POST',
            path: '/unread',
            operation: 'unread',
            summary: 'Takes no body',
            answers: { 200: { description: 'Fine', content: { 'application/json': z.literal('fine') } } },
            handle: () => ({ body: 'fine' }),
          }),
        );
      },
      { settings: { bodyLimit: 50_000 } },
    );
  });
  after(() => server.close());

  const post = (
    path: string,
    type: string | undefined,
    body: NonNullable<RequestInit['body']>,
    more: Record<string, string> = {},
  ) =>
    fetch(server.url + path, {
      method: 'POST',
      body,
      headers: { ...(type === undefined ? {} : { 'Content-Type': type }), ...more },
    });

  it('parses JSON, including vendor types', async () => {
    for (const type of ['application/json', mme, 'APPLICATION/JSON; charset="utf-8"']) {
      const response = await post('/json', type, '{"a":[1,"ö"]}');
      expect(response.status, type).to.equal(200);
      const { sent, bodyType } = (await response.json()) as { sent: unknown; bodyType: string };
      expect(sent).to.deep.equal({ a: [1, 'ö'] });
      expect(bodyType).to.equal(type.toLowerCase().split(';')[0]);
    }
  });

  it('rejects a list with a great many invalid items', async () => {
    const response = await post('/texts', 'application/json', `[${'1,'.repeat(150_000)}1]`);
    expect(response.status).to.equal(400);
    const { detail } = (await response.json()) as { detail: string };
    expect(detail).to.match(/; and 149996 more$/);
  });

  it('reads the body of a DELETE', async () => {
    const response = await fetch(`${server.url}/json`, {
      method: 'DELETE',
      body: '[1]',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(((await response.json()) as { sent: unknown }).sent).to.deep.equal([1]);
  });

  it('parses form fields as flat strings, repeated ones as arrays, and drops none', async () => {
    const response = await post('/json', form, 'a=1&b=x&b=y+z&c[d]=%C3%B6&e.f=&__proto__=p');
    const { sent } = (await response.json()) as { sent: Record<string, unknown> };
    expect(Object.entries(sent)).to.deep.equal([
      ['a', '1'],
      ['b', ['x', 'y z']],
      ['c[d]', 'ö'],
      ['e.f', ''],
      ['__proto__', 'p'],
    ]);
    for (const latin1 of ['a=%E5', Buffer.from('a=å', 'latin1')]) {
      expect((await problemOf(await post('/json', form, latin1))).detail).to.equal('The body must be encoded in UTF-8');
    }
    const many = Array.from({ length: 3000 }, (_, i) => `id=${i}`).join('&');
    const long = (await (await post('/json', form, many)).json()) as { sent: { id: string[] } };
    expect(long.sent.id).to.have.length(3000);
  });

  it('reads compressed bodies, and applies the limit after decompression', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    const fine = await post('/json', 'application/json', gzipSync('[1,2]'), gzip);
    expect(((await fine.json()) as { sent: unknown }).sent).to.deep.equal([1, 2]);
    const bomb = await post('/json', 'application/json', gzipSync(`"${'a'.repeat(5_000_000)}"`), gzip);
    expect(bomb.status).to.equal(413);
    const broken = await post('/json', 'application/json', 'not gzip', gzip);
    expect([broken.status, (await problemOf(broken)).detail]).to.deep.equal([
      400,
      'The body cannot be decoded: check its Content-Encoding',
    ]);
    expect((await post('/json', 'application/json', '[1]', { 'Content-Encoding': 'zebra' })).status).to.equal(415);
  });

  it('responds 415 to other types, a missing type and other charsets, and names those accepted', async () => {
    for (const type of ['text/plain', 'application/xml', form, 'multipart/form-data; boundary=x', 'rubbish', '/;;=']) {
      const response = await post('/only', type, 'x');
      expect(response.status, type).to.equal(415);
      expect(response.headers.get('accept')).to.equal('application/json');
      expect((await problemOf(response)).detail).to.equal('The body must be application/json');
    }
    expect((await post('/only', undefined, new Uint8Array([91, 93]))).status).to.equal(415);
    for (const type of ['application/json; charset=latin1', 'application/json;CHARSET = "Latin1"']) {
      const refused = await post('/only', type, '[]');
      expect([refused.status, refused.headers.get('accept')]).to.deep.equal([415, 'application/json']);
      expect((await problemOf(refused)).detail).to.equal(
        'The body must be encoded in UTF-8, not in latin1, as its Content-Type says',
      );
    }
    for (const charset of ['UTF-8', '"utf-8"', 'us-ascii']) {
      expect((await post('/only', `application/json; charset=${charset}`, '[]')).status, charset).to.equal(200);
    }
  });

  it('responds 400 to invalid JSON, without quoting it', async () => {
    for (const body of ['{"patient":"Doe', '{a:1}', 'nul', '[1,]']) {
      const response = await post('/json', 'application/json', body);
      expect(response.status, body).to.equal(400);
      expect((await problemOf(response)).detail).to.equal('The body is not valid JSON');
    }
  });

  it('says which member is refused, and where, if one is named __proto__', async () => {
    for (const [body, path] of [
      ['{"__proto__":{"x":1}}', '__proto__'],
      ['[{"a":{"_\\u005Fpr\\u006fto__":1}}]', '0.a.__proto__'],
    ] as const) {
      const response = await post('/json', 'application/json', body);
      expect(response.status, body).to.equal(400);
      const { detail, errors } = (await problemOf(response)) as { detail?: string; errors?: unknown };
      expect(detail).to.equal(`A member may not be named __proto__: the body has one at ${path}`);
      expect(errors).to.deep.equal([{ path, detail: 'A member may not be named __proto__' }]);
    }
    expect((await post('/json', 'application/json', '{"text":"__proto__"}')).status).to.equal(200);
  });

  it('rejects NUL characters, lone surrogates and excessive nesting', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    for (const body of ['{"a":"x\\u0000"}', '{"a\\u0000":1}', '["\\ud800"]', deep]) {
      expect((await post('/json', 'application/json', body)).status, body.slice(0, 20)).to.equal(400);
    }
    expect((await post('/json', form, 'a=%00')).status).to.equal(400);
    expect((await post('/json', 'application/json', '["\\\\u0000", "\\ud83e\\uddec"]')).status).to.equal(200);
  });

  it('responds 413 by announced and by actual length, and continues to serve the connection', async () => {
    expect((await post('/small', 'application/json', JSON.stringify('a'.repeat(18)))).status).to.equal(200);
    const large = await post('/small', 'application/json', JSON.stringify('a'.repeat(19)));
    expect(large.status).to.equal(413);
    expect((await problemOf(large)).detail).to.equal('The body is larger than 20 bytes');
    expect((await post('/small', form, `a=${'b'.repeat(30)}`)).status).to.equal(413);
    expect((await post('/json', 'application/json', JSON.stringify('a'.repeat(60_000)))).status).to.equal(413);

    const chunk = `${'8'.repeat(40)}`;
    const chunked = `POST /small HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n28\r\n${chunk}\r\n28\r\n${chunk}\r\n0\r\n\r\n`;
    const next = 'GET /-/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answer = await raw(server.port, chunked, next);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('passes other declared types on as a stream, within the limit', async () => {
    const fine = await post('/raw', 'text/vcf', 'x'.repeat(100_000));
    expect([fine.status, await fine.json()]).to.deep.equal([200, 100_000]);
    expect((await post('/raw', 'text/vcf', 'x'.repeat(100_001))).status).to.equal(413);
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(10_000));
        if (--left === 0) controller.close();
      },
    });
    let left = 20;
    const chunked = await fetch(`${server.url}/raw`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/vcf' },
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).to.equal(413);
  });

  it('discards the body of a route that accepts none', async () => {
    const post = `POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabcdef`;
    const answer = await raw(server.port, post, 'GET /-/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  it('keeps bodies out of the log', () => {
    expect(server.log.length).to.be.above(10);
    const text = JSON.stringify(server.log);
    for (const secret of ['Doe', 'patient', 'y z', 'rubbish']) expect(text).to.not.include(secret);
    expect(server.log.filter(({ level }) => level === 50)).to.deep.equal([]);
  });
});
