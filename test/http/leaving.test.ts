/** Clients that leave early: each request ends once, and the orderly stop goes on knowing what is under way. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { z } from 'zod';
import { get, type Served, serve, until } from './support.js';

describe('clients that leave early', () => {
  /** Requests to `/slow` that are under way, and what lets their handlers return. */
  let waiting: (() => void)[];
  let received: number;

  let server: Served;

  beforeEach(async () => {
    waiting = [];
    received = 0;
    server = await serve((host) => {
      host.route(
        get('/slow', async () => {
          await new Promise<void>((resolve) => waiting.push(resolve));
          return { body: 'done' };
        }),
      );
      host.route(
        get(
          '/upload',
          async ({ body }) => {
            let size = 0;
            for await (const chunk of body as AsyncIterable<Buffer>) {
              if (size === 0) received += 1;
              size += chunk.length;
            }
            return { body: size };
          },
          { method: 'POST', body: { types: ['text/plain'], schema: z.any(), streamLimit: 1000 } },
        ),
      );
    });
  });
  afterEach(() => server.close());

  /** What an operator sees; the scrape itself is one request. */
  async function inFlight(): Promise<number> {
    const text = await (await fetch(`${server.url}/-/metrics`)).text();
    return Number(/^trefoil_http_requests_in_flight (\S+)$/m.exec(text)?.[1]) - 1;
  }

  async function open(head: string): Promise<Socket> {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(head);
    return socket;
  }

  async function leave(sockets: readonly Socket[]): Promise<void> {
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
  }

  const upload = 'POST /upload HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\nhalf';

  it('are counted once, whatever they left unfinished', async () => {
    const ways = {
      'before the answer': 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n',
      'with more requests behind on the line': 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3),
      'in the middle of a body': upload,
    };
    for (const [way, head] of Object.entries(ways)) {
      const sockets = await Promise.all(Array.from({ length: 20 }, () => open(head)));
      const requests = 20 * (head.split('HTTP/1.1').length - 1);
      await until(() => waiting.length + received === requests);
      expect(await inFlight(), way).to.equal(requests);
      await leave(sockets);
      while ((await inFlight()) > 0);
      expect(await inFlight(), way).to.equal(0);
      for (const finish of waiting.splice(0)) finish();
      received = 0;
      expect(await inFlight(), `${way}, once the handlers have ended`).to.equal(0);
    }
  });

  it('do not cut others off when the server stops', async () => {
    const broken = await Promise.all(Array.from({ length: 6 }, () => open(upload)));
    await until(() => received === 6);
    await leave(broken);
    while ((await inFlight()) > 0);

    const late = await Promise.all(Array.from({ length: 6 }, () => open(upload)));
    await until(() => received === 12);
    const answers = late.map(async (socket) => {
      let text = '';
      for await (const data of socket) text += String(data);
      return text;
    });
    const drained = server.app.drain(10_000);
    for (const [i, socket] of late.entries()) {
      socket.write('half');
      expect(await answers[i]).to.match(/^HTTP\/1.1 200 OK[\s\S]*\r\n\r\n8$/);
      // Longer than idle lines are kept open while the server stops.
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    await drained;
  });
});
