import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Serves one file of any size by ranges on this machine, and counts the bytes that it sends. */
export async function serveFile(
  path: string,
): Promise<{ url: string; requests(): number; sent(): number; close(): Promise<void> }> {
  const { size } = statSync(path);
  let requests = 0;
  let sent = 0;
  const server = createServer(async (request, response) => {
    requests++;
    const ranges = [...(request.headers.range ?? '').matchAll(/(\d+)-(\d+)/g)].map(([, from, to]) => ({
      start: Number(from),
      end: Math.min(Number(to), size - 1),
    }));
    for (const { start, end } of ranges) sent += end - start + 1;
    const [first] = ranges;
    if (!first) {
      response.writeHead(400).end();
      return;
    }
    const heads = ranges.map(({ start, end }) => `bytes ${start}-${end}/${size}`);
    if (ranges.length === 1) {
      response.writeHead(206, {
        'Content-Range': heads[0],
        'Content-Length': first.end - first.start + 1,
        ETag: '"bench"',
      });
      await pipeline(createReadStream(path, first), response);
      return;
    }
    response.writeHead(206, { 'Content-Type': 'multipart/byteranges; boundary=PART', ETag: '"bench"' });
    for (const [i, range] of ranges.entries()) {
      response.write(`\r\n--PART\r\nContent-Range: ${heads[i]}\r\n\r\n`);
      for await (const chunk of createReadStream(path, range)) response.write(chunk);
    }
    response.end('\r\n--PART--\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sample.d4`,
    requests: () => requests,
    sent: () => sent,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
