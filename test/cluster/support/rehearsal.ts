/** A cluster, a server of Trefoil on it and a load: failures are inflicted one after another, and what happens is noted. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from '../../support/command.js';
import { type Started, started } from '../../support/started.js';
import { Client } from './client.js';
import { Cluster, type Machine } from './cluster.js';
import { type Kind, smallDisk } from './faults.js';
import { Load } from './load.js';
import { compare } from './records.js';
import { missing } from './witness.js';

/** One failure, and everything until the cluster was whole again. */
export interface Round {
  kind: Kind;
  from: string;
  to: string;
  /** Milliseconds without an acknowledged write or a read, at most. */
  writes: number;
  reads: number;
  slowest: number;
  requests: number;
  unavailable: number;
  /** Acknowledged writes so far, and what is wrong with them. */
  acknowledged: number;
  lost: string[];
  doubled: string[];
  /** Statuses that must not occur. */
  errors: string[];
  wrong: string[];
  /** What a former primary acknowledged and the cluster does not have. */
  unfenced: string[];
}

const configuration = `http: { port: 0 }
migrate: auto
demo: false
storage:
  adapter: postgres
  replica: { maxStaleness: 30000 }
jobs: { pollSeconds: 0.2, leaseSeconds: 10, renewSeconds: 2, retrySeconds: 1 }
`;

/** Milliseconds after which a failure counts as not survived. */
const patience = 300_000;

export class Rehearsal {
  readonly cluster: Cluster;
  readonly load: Load;
  readonly #folder: string;
  readonly #server: Started;
  readonly #client: Client;
  readonly #unmount: ((folder: string) => void) | undefined;

  private constructor(parts: {
    cluster: Cluster;
    load: Load;
    folder: string;
    server: Started;
    client: Client;
    unmount: ((folder: string) => void) | undefined;
  }) {
    this.cluster = parts.cluster;
    this.load = parts.load;
    this.#folder = parts.folder;
    this.#server = parts.server;
    this.#client = parts.client;
    this.#unmount = parts.unmount;
  }

  /** `smallDisks` gives each machine a disk that can be filled; `pace` is that of the load. */
  static async start({ smallDisks = false, pace = 1 } = {}): Promise<Rehearsal> {
    const unmount = smallDisks ? smallDisk.unmount : undefined;
    const cluster = await Cluster.start(smallDisks ? smallDisk.mount : undefined);
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-rehearsal-'));
    try {
      return new Rehearsal({ cluster, folder, unmount, ...(await serveOn(cluster, folder, pace)) });
    } catch (error) {
      await cluster.stop(unmount);
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Inflicts one failure under load, mends it, and compares everything with what was acknowledged. */
  async run(kind: Kind): Promise<Round> {
    const late = new AbortController();
    const limit = sleep(patience, undefined, { signal: late.signal }).then(() => {
      throw new Error(`The cluster was not whole ${patience / 1000} s after a failure: ${kind.what}`);
    });
    limit.catch(() => undefined);
    try {
      return await Promise.race([this.#run(kind), limit]);
    } finally {
      late.abort();
    }
  }

  async #run(kind: Kind): Promise<Round> {
    const { cluster, load } = this;
    const roles = await cluster.settled();
    load.start();
    await sleep(2000);
    while (load.loaded.size === 0) await sleep(100);
    this.#client.read();
    const began = performance.now();
    const inflicted = await kind.inflict(cluster, roles);
    if (kind.moves) await this.#moved(roles.leader);
    // A mended machine must not disturb the rest, least of all while the rest finds itself.
    const mending = inflicted.mend();
    while (!load.resumedSince(began + 1000)) await sleep(100);
    const acknowledged = await mending;
    await sleep(1000);
    const { writes, reads } = load.pausesSince(began);
    await load.stop();
    const { leader } = await cluster.settled();
    await load.verify();
    const { lost, doubled } = await compare(cluster, leader, load);
    const unfenced = await missing(acknowledged, cluster, leader);
    const { requests, unavailable, slowest, errors, wrong } = this.#client.read();
    return {
      kind,
      from: roles.leader.name,
      to: leader.name,
      writes,
      reads,
      slowest,
      requests,
      unavailable,
      acknowledged: load.acknowledged,
      lost,
      doubled,
      errors: [...errors].map(([what, times]) => `${times} × ${what}`),
      wrong,
      unfenced,
    };
  }

  /** What the server logged. */
  log(): string {
    return this.#server.log();
  }

  async stop(): Promise<void> {
    await Promise.race([this.load.stop(), sleep(10_000, undefined, { ref: false })]);
    await this.#server.stop();
    await this.cluster.stop(this.#unmount);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #moved(from: Machine): Promise<void> {
    for (;;) {
      const members = await this.cluster.members();
      if (members.some(({ name, role }) => role === 'leader' && name !== from.name)) return;
      await sleep(200);
    }
  }
}

const scopes = ['beacon:write', 'matchmaker:query', 'matchmaker:submit'];

/** Starts a server on the cluster, which migrates the database, and a load on it. */
async function serveOn(
  cluster: Cluster,
  folder: string,
  pace: number,
): Promise<{ server: Started; client: Client; load: Load }> {
  const file = join(folder, 'lab.yaml');
  await writeFile(file, `${configuration}plugins: { beacon: { roots: ['${folder}'] }, matchmaker: {} }\n`);
  const { environment } = cluster;
  const server = await started(file, environment);
  try {
    const words = ['token', 'add', '--owner', 'Lab', '--json', ...scopes.flatMap((scope) => ['--scope', scope])];
    const issued = await command(words, { cwd: folder, env: { TREFOIL_CONFIG: file, ...environment } });
    if (issued.code !== 0) throw new Error(`trefoil ${words.join(' ')}: ${issued.stderr}`);
    const client = new Client(server.url);
    const load = new Load({ client, folder, token: JSON.parse(issued.stdout).token as string, pace });
    await load.prepare();
    return { server, client, load };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
