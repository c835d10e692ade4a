/** A foreign node that records its requests and responds as configured. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { command } from '../../../../support/command.js';
import type { RunOptions } from '../../../../support/trefoil.js';
import type { Json } from '../../support/serve.js';

export interface Asked {
  headers: IncomingMessage['headers'];
  body: Json;
}

export type Behaviour = (response: ServerResponse, asked: Asked) => void | Promise<void>;

export interface Peer {
  /** The URL of its /match. */
  url: string;
  /** The requests so far. */
  asked: Asked[];
  /** Sets the response from now on. */
  behave(behaviour: Behaviour): void;
  /** Resolves with the request of this number, counted from 1. */
  question(number: number): Promise<Asked>;
  close(): Promise<void>;
}

export const answering =
  (status: number, body: string, headers: Record<string, string> = { 'Content-Type': 'application/json' }): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

export const found = (...patients: Json[]): Behaviour =>
  answering(200, JSON.stringify({ results: patients.map((patient) => ({ score: { patient: 0.5 }, patient })) }));

export async function servePeer(): Promise<Peer> {
  const asked: Asked[] = [];
  let waiting: (() => void)[] = [];
  let behaviour: Behaviour = found();
  const server = createServer(async (request, response) => {
    let text = '';
    try {
      for await (const chunk of request) text += chunk;
    } catch {
      return; // the client is gone
    }
    const one = { headers: request.headers, body: JSON.parse(text) };
    asked.push(one);
    for (const wake of waiting.splice(0)) wake();
    response.on('error', () => undefined);
    await behaviour(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/match`,
    asked,
    behave: (next) => {
      behaviour = next;
    },
    async question(number) {
      while (asked.length < number) await new Promise<void>((resolve) => waiting.push(resolve));
      return asked[number - 1] as Asked;
    },
    async close() {
      waiting = [];
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Adds the peer as a node and a clinic as a client, by commands; returns the token of the clinic. */
export async function introduce(peer: Peer, options: RunOptions): Promise<string> {
  const matchmaker = async (...words: string[]) => {
    const { code, stdout, stderr } = await command(['matchmaker', ...words, '--json'], options);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as { token: string };
  };
  const node = ['--id', 'partner', '--label', 'Partner', '--token', 'theirs', '--matching_url', peer.url];
  await matchmaker('add', 'node', ...node);
  const { token } = await matchmaker('add', 'client', '--id', 'clinic', '--url', 'https://clinic.example.org');
  return token;
}
