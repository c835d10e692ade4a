/** Starts Node's HTTP server with its limits, and shuts it down gracefully. */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Fault } from '../fault.js';
import { type ProblemBody, problemType } from './answer.js';
import type { RunningWork } from './exchange.js';
import type { HttpSettings } from './settings.js';

/** Returns a listening server and its port. Throws an `unavailable` fault if it cannot listen on the address. */
export async function startServer(
  handler: RequestListener,
  settings: HttpSettings,
  host: string,
  port: number,
  log: Pick<Logger, 'info'>,
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
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuseUnread(error, socket, settings, log),
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

/** What Node says of a connection on which it waits for, or sends, a response: as its own handler of such errors asks. */
interface AnsweringState {
  _httpMessage?: Pick<ServerResponse, 'headersSent'> | null;
}

/**
 * Answers a request that Node could not read, so that no handler sees it, and closes its connection. Nothing of the request is
 * repeated: it may hold a token.
 */
function refuseUnread(
  error: NodeJS.ErrnoException,
  socket: Socket & AnsweringState,
  settings: HttpSettings,
  log: Pick<Logger, 'info'>,
): void {
  // The client is gone, or has a part of a response already.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const [status, detail] = unread(error.code, settings);
  const requestId = randomUUID();
  log.info({ requestId, status, reason: error.code }, 'request that could not be read');
  const title = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, requestId } satisfies ProblemBody);
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${problemType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

/** The status and the sentence for an error of Node's parser. */
function unread(
  code: string | undefined,
  { headerLimit, headerTimeout, requestTimeout }: HttpSettings,
): [status: number, detail: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [
        431,
        `The first line and the headers of the request are larger than ${headerLimit} bytes together, which is the limit of ` +
          'this server (http.headerLimit)',
      ];
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return [413, 'The extensions of the chunks of the body are too large'];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [
        408,
        `The request did not arrive in time: its head must within ${headerTimeout} s, and all of it within ${requestTimeout} s`,
      ];
    default:
      return [400, 'The request is not valid HTTP/1.1'];
  }
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
export async function stopServer(
  server: Server,
  timeoutMs: number,
  work: Pick<RunningWork, 'idle' | 'busy'>,
): Promise<void> {
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
