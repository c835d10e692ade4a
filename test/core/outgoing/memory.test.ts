/** Responses of other servers that arrive at the same time share a limited memory. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ByteBudget, send } from '../../../core/outgoing.js';
import { faultOf } from '../../support/fault.js';

describe('requests to other servers', () => {
  it('fail if their responses exceed a shared memory, which is free again afterwards', async () => {
    const open: ServerResponse[] = [];
    let arrived: () => void = () => undefined;
    const server = createServer((request, response) => {
      response.writeHead(200);
      response.write(Buffer.alloc(600, 'x'));
      if (request.url === '/end') response.end();
      else {
        open.push(response);
        arrived();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      // Thousand bytes for all; each response has six hundred.
      let taken: () => void = () => undefined;
      const isTaken = new Promise<void>((resolve) => {
        taken = resolve;
      });
      class Watched extends ByteBudget {
        override take(bytes: number): boolean {
          taken();
          return super.take(bytes);
        }
      }
      const memory = new Watched(1000);
      const ask = (path: string) =>
        send({
          method: 'GET',
          url: new URL(`http://127.0.0.1:${port}${path}`),
          timeoutMs: 60_000,
          maxBytes: 900,
          memory,
        });
      const isOpen = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const first = ask('/held');
      await Promise.all([isOpen, isTaken]);
      expect((await faultOf(ask('/end'), 'unavailable')).message).to.equal(
        'sent its response while too many large ones arrived from others',
      );
      open[0]?.end();
      expect((await first).body).to.have.length(600);
      expect((await ask('/end')).body).to.have.length(600);
      expect(memory.take(1000), 'all of it is free').to.equal(true);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
