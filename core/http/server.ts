/** Starts Node's HTTP server with its limits, and shuts it down gracefully. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../fault.js';
import type { HttpSettings } from './settings.js';
import type { Work } from './work.js';

/** Returns a listening server and its port. Throws an `unavailable` fault if it cannot listen on the address. */
export async function startServer(
  handler: RequestListener,
  settings: HttpSettings,
  host: string,
  port: number,
): Promise<{ server: Server; port: number }> {
  const server = createServer(
    {
      maxHeaderSize: settings.headerLimit,
      headersTimeout: settings.headerTimeout * 1000,
      requestTimeout: Math.max(settings.requestTimeout, settings.headerTimeout) * 1000,
      keepAliveTimeout: settings.keepAliveTimeout * 1000,
      connectionsCheckingInterval: Math.max(50, Math.min(5000, settings.headerTimeout * 500)),
    },
    handler,
  );
  // Disconnects a client that reads none of its response for that long.
  server.timeout = (settings.requestTimeout + 5) * 1000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Fault('unavailable', `Cannot listen on ${host}:${port}: ${reason(error)}`, { cause: error }));
    });
    server.listen({ host, port }, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

function reason({ code }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'the port is in use';
  if (code === 'EACCES') return 'the port needs more rights';
  if (code === 'EADDRNOTAVAIL') return 'this machine does not have that address';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name is not known';
  return code ?? 'unknown reason';
}

/** Milliseconds for which a connection without a request may stay open once all others have ended. */
const grace = 100;

/** Refuses new connections, waits for running requests up to the limit, then closes the remaining connections. */
export async function stopServer(server: Server, timeoutMs: number, work: Pick<Work, 'idle' | 'busy'>): Promise<void> {
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      isClosed = true;
      resolve();
    });
  });
  const limit = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: limit.signal }).catch(() => undefined);
  const quiet = async () => {
    do {
      await work.idle();
      server.closeIdleConnections();
      // A request whose head is still arriving is not counted yet.
      await Promise.race([closed, sleep(grace)]);
    } while (!isClosed && work.busy());
  };
  await Promise.race([quiet(), late]);
  limit.abort();
  server.closeAllConnections();
  await closed;
}
