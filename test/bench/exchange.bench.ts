/**
 * Adding patients while two nodes are connected, on PostgreSQL as it is installed (fsync on): 200 adds at a time, to one
 * server whose searches run in the same process. Against the same adds where no node is connected. Options:
 * `--adds=2000`, `--concurrent=200`, `--slow=0` (milliseconds that the nodes take to answer).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type LabNode, makeNode } from '../matchmaker-exchange/support/lab.js';
import { found, servePeer } from '../matchmaker-exchange/support/peer.js';
import { engines } from '../support/engines.js';
import type { Print } from './run.js';

export default async function exchange(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const adds = Number(options.adds ?? 2000);
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
      try {
        await node.start();
        const token = await node.client('bench');
        if (connected) for (const [i, { url }] of peers.entries()) await node.connect(`n${i}`, url);
        if (connected)
          print(`PostgreSQL with fsync ${await fsync(node)}; ${concurrent} adds at a time, ${adds} in all`);
        await measure(node, token, 'warm', concurrent, concurrent);
        const began = performance.now();
        const times = await measure(node, token, 'add', adds, concurrent);
        const rate = adds / ((performance.now() - began) / 1000);
        print(
          `${connected ? 'two nodes connected' : 'no node connected'}: p50 ${at(times, 0.5)} ms, p95 ${at(times, 0.95)} ms, ` +
            `p99 ${at(times, 0.99)} ms, ${Math.round(rate)} adds/s`,
        );
        if (connected) {
          const waited = performance.now();
          while (peers.some(({ asked }) => asked.length < adds + concurrent)) await sleep(200);
          print(`searches done ${((performance.now() - waited) / 1000).toFixed(1)} s after the last add`);
        }
      } finally {
        await node.discard();
      }
    }
  } finally {
    for (const peer of peers) await peer.close();
  }
}

const at = (times: readonly number[], share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);

/** Milliseconds of each add, ascending. */
async function measure(
  node: LabNode,
  token: string,
  name: string,
  adds: number,
  concurrent: number,
): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const headers = { 'x-auth-token': token, 'content-type': 'application/json' };
  const client = async () => {
    for (let i = next++; i < adds; i = next++) {
      const patient = {
        id: `${name}-${i}`,
        contact: { name: 'Bench', href: 'mailto:bench@example.org' },
        features: [{ id: 'HP:0001250' }, { id: 'HP:0000252' }],
        genomicFeatures: [{ gene: { id: 'SCN1A' } }],
      };
      const began = performance.now();
      const response = await fetch(`${node.url}/patient/add`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ patient }),
      });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`The add was answered with ${response.status}`);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, client));
  return times.sort((a, b) => a - b);
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
