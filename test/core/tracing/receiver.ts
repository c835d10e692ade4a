/** Receives traces by OTLP over HTTP, as JSON. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 2: server, 3: client, 5: consumer. */
  kind: number;
  attributes: Record<string, unknown>;
  links: { traceId: string }[];
  /** 2: an error. */
  status: number;
  /** Of the process. */
  resource: Record<string, unknown>;
}

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
type Pairs = { key: string; value: Value }[];

interface Sent {
  resourceSpans: {
    resource: { attributes: Pairs };
    scopeSpans: {
      spans: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        kind: number;
        attributes?: Pairs;
        links?: { traceId: string }[];
        status?: { code?: number };
      }[];
    }[];
  }[];
}

function valuesOf(pairs: Pairs = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}

export interface Receiver {
  url: string;
  spans: ReceivedSpan[];
  /** Everything as it was received. */
  texts: string[];
  /** The credential of each request. */
  tokens: (string | undefined)[];
  close(): Promise<void>;
}

export async function receiveTraces(): Promise<Receiver> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const tokens: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    texts.push(text);
    tokens.push(request.headers.authorization);
    for (const { resource, scopeSpans } of (JSON.parse(text) as Sent).resourceSpans) {
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        const { attributes, links = [], status, ...rest } = span;
        spans.push({
          ...rest,
          attributes: valuesOf(attributes),
          links,
          status: status?.code ?? 0,
          resource: valuesOf(resource.attributes),
        });
      }
    }
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    texts,
    tokens,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
