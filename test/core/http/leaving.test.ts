/** Clients that disconnect early: each request ends once, and an orderly stop still knows the requests in flight. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { get, type Served, serve, until } from './support.js';

describe('clients that leave early', () => {
  /** Requests to `/slow` in flight, and the functions that let their handlers return. */
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

  /** The metrics that an operator sees; the scrape itself counts as one request. */
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

  /** Log lines of level `warn` and above. */
  const alarms = () =>
    server.log.filter(({ level }) => ['warn', 'error', 'fatal', 40, 50, 60].includes(level as number));

  async function leave(sockets: readonly Socket[]): Promise<void> {
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
  }

  it('cause no warning or error in the log', async () => {
    const ways: Record<string, (signal: AbortSignal) => AsyncGenerator<string>> = {
      async *notices(signal) {
        for (;;) {
          yield 'x'.repeat(100_000);
          signal.throwIfAborted();
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
      async *wraps(signal) {
        for (;;) {
          yield 'x'.repeat(100_000);
          if (signal.aborted) throw new Error('the work was stopped', { cause: signal.reason });
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
      async *waits(signal) {
        yield 'x';
        await sleep(60_000, undefined, { signal });
      },
      async *ignores() {
        for (let i = 0; i < 1000; i++) {
          yield 'x'.repeat(100_000);
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    };
    let [begun, ended] = [0, 0];
    let begunThrows = false;
    await server.close();
    server = await serve((host) => {
      for (const [way, stream] of Object.entries(ways)) {
        host.route(
          get(
            `/${way}`,
            async ({ signal }) => {
              const own = async function* () {
                begun += 1;
                try {
                  yield* stream(signal);
                } finally {
                  ended += 1;
                }
              };
              return { type: 'text/plain', body: Readable.from(own()) };
            },
            { answers: { 200: { description: 'A stream.', content: { 'text/plain': z.string() } } } },
          ),
        );
      }
      host.route(
        get('/throws', ({ signal }) => {
          begunThrows = true;
          return sleep(60_000, { body: '' }, { signal });
        }),
      );
    });
    for (const way of [...Object.keys(ways), 'throws']) {
      const socket = await open(`GET /${way} HTTP/1.1\r\nHost: x\r\n\r\n`);
      if (way !== 'throws') await once(socket, 'data');
      else await until(() => begunThrows);
      await leave([socket]);
    }
    await until(() => begun === 4 && ended === 4);
    await until(() => server.log.filter(({ aborted }) => aborted === true).length === 5);
    expect(alarms()).to.deep.equal([]);
  });

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

  it('do not cause other requests to be aborted when the server stops', async () => {
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
      // Longer than idle connections are kept open while the server stops.
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    await drained;
  });
});
