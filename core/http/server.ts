/** The listening side: node's HTTP server with its limits, and its orderly end. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault } from '../fault.js';
import type { HttpSettings } from './settings.js';

/** Starts listening and answers the server with its port. Throws an `unavailable` fault where the address cannot be had. */
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
  // A client that takes none of its answer for that long is cut off.
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

/**
 * Accepts no more connections and waits until those there are have ended, at most for the limit; then cuts them.
 * `idle` resolves when no request is under way.
 */
export async function stopServer(server: Server, timeoutMs: number, idle: () => Promise<void>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  const quiet = idle().then(() => {
    server.closeIdleConnections();
    return closed;
  });
  await Promise.race([quiet, limit]);
  clearTimeout(timer);
  server.closeAllConnections();
  await closed;
}
