/** A response is read in the character set that it declares, and never with characters in the place of others. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { send } from '../../../core/outgoing/request.js';

describe('outgoing requests: the character set of a response', () => {
  let server: Server;
  let sent: { type: string | undefined; body: Buffer };
  before((done) => {
    server = createServer((_, response) => {
      if (sent.type !== undefined) response.setHeader('Content-Type', sent.type);
      response.end(sent.body);
    }).listen(0, '127.0.0.1', done);
  });
  after((done) => {
    server.close(done);
  });

  async function read(type: string | undefined, body: Buffer): Promise<string> {
    sent = { type, body };
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return send({ method: 'GET', url, timeoutMs: 10_000, maxBytes: 1000 }).then(
      (response) => response.body,
      (error: Error) => error.message,
    );
  }

  const name = '{"name":"Åsa Öberg"}';
  // Each byte of ISO-8859-1 is the code point of the same number: Å is C5, Ö is D6.
  const latin1 = Buffer.from(name, 'latin1');

  it('is the declared one', async () => {
    for (const charset of ['ISO-8859-1', 'iso-8859-1; q=1', '"latin1"', 'windows-1252']) {
      expect(await read(`application/json; charset=${charset}`, latin1), charset).to.equal(name);
    }
    expect(await read('application/json;charset=utf-16le', Buffer.from(name, 'utf16le'))).to.equal(name);
    for (const type of [
      'application/json',
      'application/json; charset=UTF-8',
      'text/html; charset=us-ascii',
      undefined,
    ]) {
      expect(await read(type, Buffer.from(`\ufeff${name}`)), type).to.equal(name);
    }
  });

  it('is refused if the bytes are not text in it, or it is not known', async () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', undefined]) {
      expect(await read(type, latin1), type).to.equal('sent a response that is not text in UTF-8');
    }
    expect(await read('application/json; charset=klingon', latin1)).to.equal(
      'sent its response in a character set that is not known here',
    );
  });
});
