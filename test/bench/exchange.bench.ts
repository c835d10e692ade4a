/**
 * Adding patients while two nodes are connected, on PostgreSQL with its defaults (fsync on), to one server whose
 * searches run in the same process, against the same additions without a connected node. First bursts: so many adds at
 * once, ten times, each after the searches of the last are done; then as many clients without a pause, while
 * searches run. 4000 uncounted adds come first: a server that has just started is several times slower.
 * Options: `--adds=4000`, `--concurrent=200`, `--slow=0` (milliseconds that the nodes take to respond).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type LabNode, makeNode } from '../plugins/matchmaker/exchange/support/lab.js';
import { found, servePeer } from '../plugins/matchmaker/exchange/support/peer.js';
import { engines } from '../support/engines.js';
import type { Print } from './run.js';
import { Line } from './support/line.js';

const crowds = 10;
/** Adds before the measurement: until then the server's code is still being compiled. */
const warmUp = 4000;

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
      const node = await makeNode(engine, { processes: true });
      let lines: Line[] = [];
      try {
        await node.start();
        const token = await node.client('bench');
        if (connected) for (const [i, { url }] of peers.entries()) await node.connect(`n${i}`, url);
        else print(`PostgreSQL with fsync ${await fsync(node)}; ${concurrent} adds at a time`);
        const where = connected ? 'two nodes connected' : 'no node connected';
        const port = Number(new URL(node.url).port);
        lines = await Promise.all(Array.from({ length: concurrent }, () => Line.open(port)));
        let added = 0;
        const add = async (name: string, patients: number) => {
          added += patients;
          return addAll(lines, token, name, patients);
        };
        const searched = async () => {
          while (connected && peers.some(({ asked }) => asked.length < added)) await sleep(50);
        };
        await add('warm', warmUp);
        const atOnce: number[] = [];
        for (let crowd = 0; crowd < crowds; crowd++) {
          await searched();
          await sleep(500);
          atOnce.push(...(await add(`crowd-${crowd}`, concurrent)).times);
        }
        print(`${where}, crowds: ${summary(atOnce)}`);
        const { times, rate } = await add('add', adds);
        print(`${where}, without a pause: ${summary(times)}, ${Math.round(rate)} adds/s`);
        if (connected) {
          const waited = performance.now();
          await searched();
          print(`all searches done ${((performance.now() - waited) / 1000).toFixed(1)} s after the last add`);
        }
      } finally {
        for (const line of lines) line.close();
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

/** Each connection adds the next patient as soon as its last one is answered; returns milliseconds of each add. */
async function addAll(
  lines: readonly Line[],
  token: string,
  name: string,
  adds: number,
): Promise<{ times: number[]; rate: number }> {
  const headers = { 'x-auth-token': token, 'content-type': 'application/json' };
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  const work = lines.map(async (line) => {
    for (let i = next++; i < adds; i = next++) {
      const patient = {
        id: `${name}-${i}`,
        contact: { name: 'Bench', href: 'mailto:bench@example.org' },
        features: [{ id: 'HP:0001250' }, { id: 'HP:0000252' }],
        genomicFeatures: [{ gene: { id: 'SCN1A' } }],
      };
      const asked = performance.now();
      const status = await line.post('/patient/add', headers, JSON.stringify({ patient }));
      if (status !== 200) throw new Error(`The add was answered with ${status}`);
      times.push(performance.now() - asked);
    }
  });
  await Promise.all(work);
  return { times, rate: adds / ((performance.now() - began) / 1000) };
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
