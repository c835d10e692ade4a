import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RangeServer {
  url: string;
  /** The Range header of every request so far. */
  requests: string[];
  /** Bytes sent so far. */
  sent: number;
  bytes: Uint8Array;
  etag: string | undefined;
  /** Whether several ranges get one multipart response, the whole file, or the first range alone. */
  several: 'multipart' | 'whole' | 'first';
  /** Further headers of every response. */
  headers: Record<string, string>;
  /** Responses sent instead of bytes, one per request, before normal behaviour. */
  faults: ('500' | '404' | '416' | '429' | 'drop' | 'short' | 'cut' | 'no-ranges')[];
  /** Called at each request: one for which it returns true is never answered. */
  holds: () => boolean;
  close(): Promise<void>;
}

/** Serves one file by ranges, on a real socket. */
export async function serveRanges(bytes: Uint8Array): Promise<RangeServer> {
  const server: Server = createServer((request, response) => answer(state, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state: RangeServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sample.d4`,
    requests: [],
    sent: 0,
    bytes,
    etag: '"one"',
    several: 'multipart',
    headers: {},
    faults: [],
    holds: () => false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return state;
}

function answer(state: RangeServer, request: IncomingMessage, response: ServerResponse): void {
  const { bytes, etag } = state;
  const header = request.headers.range ?? '';
  state.requests.push(request.method === 'GET' ? header : String(request.method));
  for (const [name, value] of Object.entries(state.headers)) response.setHeader(name, value);
  if (state.holds()) return;
  if (request.method !== 'GET') {
    response.writeHead(405).end();
    return;
  }
  const fault = state.faults.shift();
  if (fault === '416') response.setHeader('Content-Range', `bytes */${bytes.length}`);
  if (fault === '500' || fault === '404' || fault === '416' || fault === '429') {
    response.writeHead(Number(fault)).end('no');
    return;
  }
  if (fault === 'drop') {
    request.socket.destroy();
    return;
  }
  if (etag) response.setHeader('ETag', etag);
  const condition = request.headers['if-match'];
  if (condition && condition !== etag) {
    response.writeHead(412).end();
    return;
  }
  const ranges = [...header.matchAll(/(\d+)-(\d+)/g)].map(([, from, to]) => ({
    from: Number(from),
    to: Math.min(Number(to), bytes.length - 1),
  }));
  const first = ranges[0];
  if (!first || fault === 'no-ranges' || (ranges.length > 1 && state.several === 'whole')) {
    response.writeHead(200, { 'Content-Length': bytes.length }).end(bytes);
    return;
  }
  if (first.from >= bytes.length) {
    response.writeHead(416, { 'Content-Range': `bytes */${bytes.length}` }).end();
    return;
  }
  const contentRange = ({ from, to }: { from: number; to: number }) => `bytes ${from}-${to}/${bytes.length}`;
  if (ranges.length === 1 || state.several === 'first') {
    const body = bytes.subarray(first.from, first.to + 1);
    if (fault === 'cut') {
      response.writeHead(206, { 'Content-Range': contentRange(first), 'Content-Length': body.length });
      response.write(body.subarray(0, body.length >> 1), () => request.socket.destroy());
      return;
    }
    const short = fault === 'short' ? body.subarray(0, body.length >> 1) : body;
    state.sent += short.length;
    response.writeHead(206, { 'Content-Range': contentRange(first), 'Content-Length': short.length }).end(short);
    return;
  }
  const parts = ranges.flatMap((range) => {
    const head = `\r\n--CUT\r\nContent-Type: application/octet-stream\r\nContent-Range: ${contentRange(range)}\r\n\r\n`;
    return [Buffer.from(head), bytes.subarray(range.from, range.to + 1)];
  });
  const body = Buffer.concat([...parts, Buffer.from('\r\n--CUT--\r\n')]);
  state.sent += body.length;
  response.writeHead(206, { 'Content-Type': 'multipart/byteranges; boundary=CUT', 'Content-Length': body.length });
  response.end(body);
}
