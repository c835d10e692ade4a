/**
 * Adding patients while two nodes are connected, on PostgreSQL as it is installed (fsync on), to one server whose
 * searches run in the same process. Against the same adds where no node is connected. First crowds: so many adds at one
 * moment, ten times over; then as many clients without a pause. Options: `--adds=4000`, `--concurrent=200`, `--slow=0`
 * (milliseconds that the nodes take to answer).
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type LabNode, makeNode } from '../matchmaker-exchange/support/lab.js';
import { found, servePeer } from '../matchmaker-exchange/support/peer.js';
import { engines } from '../support/engines.js';
import type { Print } from './run.js';

const crowds = 10;

export default async function exchange(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const adds = Number(options.adds ?? 4000);
  const concurrent = Number(options.concurrent ?? 200);
  const slow = Number(options.slow ?? 0);
  // Read when the test server starts.
  process.env.TEST_POSTGRES_FSYNC = 'on';
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('There is no PostgreSQL');
  const peers = [await servePeer(), await servePeer()];
  for (const peer of peers) {
    peer.behave(async (response, asked) => {
      await sleep(slow);
      found({ id: `G-${asked.body.patient.id}`, contact: { name: 'G', href: 'mailto:g@example.org' } })(
        response,
        asked,
      );
    });
  }
  try {
    for (const connected of [false, true]) {
      const node = await makeNode(engine);
      const agent = new Agent({ keepAlive: true, maxSockets: concurrent });
      try {
        await node.start();
        const token = await node.client('bench');
        if (connected) for (const [i, { url }] of peers.entries()) await node.connect(`n${i}`, url);
        else print(`PostgreSQL with fsync ${await fsync(node)}; ${concurrent} adds at a time`);
        const where = connected ? 'two nodes connected' : 'no node connected';
        const add = (id: string) => addOne({ node, agent, token }, id);
        await clients(concurrent, concurrent, (i) => add(`warm-${i}`));
        const atOnce: number[] = [];
        for (let crowd = 0; crowd < crowds; crowd++) {
          await sleep(500);
          atOnce.push(...(await clients(concurrent, concurrent, (i) => add(`crowd-${crowd}-${i}`))).times);
        }
        print(`${where}, crowds: ${summary(atOnce)}`);
        const { times, rate } = await clients(concurrent, adds, (i) => add(`add-${i}`));
        print(`${where}, without a pause: ${summary(times)}, ${Math.round(rate)} adds/s`);
        if (connected) {
          const all = adds + concurrent * (crowds + 1);
          const waited = performance.now();
          while (peers.some(({ asked }) => asked.length < all)) await sleep(200);
          print(`all ${all} searches done ${((performance.now() - waited) / 1000).toFixed(1)} s after the last add`);
        }
      } finally {
        agent.destroy();
        await node.discard();
      }
    }
  } finally {
    for (const peer of peers) await peer.close();
  }
}

function summary(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`;
}

/** So many clients, each of which does the next piece of work as soon as its last is done; milliseconds of each piece. */
async function clients(
  many: number,
  pieces: number,
  work: (piece: number) => Promise<void>,
): Promise<{ times: number[]; rate: number }> {
  const times: number[] = [];
  let next = 0;
  const client = async () => {
    for (let i = next++; i < pieces; i = next++) {
      const began = performance.now();
      await work(i);
      times.push(performance.now() - began);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: many }, client));
  return { times, rate: pieces / ((performance.now() - began) / 1000) };
}

interface Target {
  node: LabNode;
  agent: Agent;
  token: string;
}

/** By node's own client: it takes a fraction of the processor that `fetch` does, which the server needs here. */
function addOne({ node, agent, token }: Target, id: string): Promise<void> {
  const patient = {
    id,
    contact: { name: 'Bench', href: 'mailto:bench@example.org' },
    features: [{ id: 'HP:0001250' }, { id: 'HP:0000252' }],
    genomicFeatures: [{ gene: { id: 'SCN1A' } }],
  };
  const headers = { 'x-auth-token': token, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    request(`${node.url}/patient/add`, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The add was answered with ${response.statusCode}`));
      response.resume().once('end', resolve).once('error', reject);
    })
      .once('error', reject)
      .end(JSON.stringify({ patient }));
  });
}

async function fsync({ storage }: LabNode): Promise<string> {
  const client = new pg.Client({ connectionString: storage.env.DATABASE_URL });
  await client.connect();
  try {
    return (await client.query('show fsync')).rows[0].fsync;
  } finally {
    await client.end();
  }
}
