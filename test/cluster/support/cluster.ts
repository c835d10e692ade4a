/**
 * Three machines with etcd, Patroni and PostgreSQL and a proxy before them, as `config/deploy/cluster` describes them, as
 * processes on loopback addresses.
 */
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postgresTools, postgresUser } from '../../support/cluster.js';
import { deployed, makeNetwork, type Network, type NodeName, names, variablesFor } from './environment.js';
import { childrenOf, Program, signal } from './programs.js';
import { Relay } from './relay.js';

/** As Patroni lists it. */
interface Member {
  name: NodeName;
  role: string;
  state: string;
  timeline?: number;
}

export interface Machine {
  name: NodeName;
  address: string;
  /** The folder that has the data of PostgreSQL. */
  disk: string;
  /** The way of the other machines to its PostgreSQL. */
  relay: Relay;
  etcd: Program;
  patroni: Program;
}

const ports = { postgres: 5432, relayed: 6432, patroni: 8008, etcd: 2379, primary: 5433, replicas: 5434 };

export class Cluster {
  readonly machines: readonly Machine[];
  readonly #folder: string;
  readonly #network: Network;
  readonly #proxy: Program;

  private constructor(folder: string, network: Network, machines: readonly Machine[], proxy: Program) {
    this.#folder = folder;
    this.#network = network;
    this.machines = machines;
    this.#proxy = proxy;
  }

  /** `disk` prepares the folder of a machine's data, for example on a file system of its own. */
  static async start(disk: (folder: string) => void = () => undefined): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-cluster-'));
    chmodSync(folder, 0o711);
    const network = makeNetwork();
    const machines: Machine[] = [];
    for (const name of names) {
      const own = join(folder, name);
      for (const part of [own, join(own, 'disk')]) mkdirSync(part);
      disk(join(own, 'disk'));
      for (const part of [own, join(own, 'disk')]) chownSync(part, postgresUser.uid, postgresUser.gid);
      const address = network.of(name);
      const relay = await Relay.listen(address, ports.relayed, { host: address, port: ports.postgres });
      const etcd = startEtcd(network, name, own);
      machines.push({ name, address, disk: join(own, 'disk'), relay, etcd, patroni: startPatroni(network, name, own) });
    }
    const proxy = new Program('haproxy', ['-db', '-f', deployed('haproxy.cfg')], {
      logFile: join(folder, 'haproxy.log'),
      env: { ...variablesFor('haproxy.env', network, 'one'), HAPROXY_ADDRESS: network.proxy },
      cwd: folder,
    });
    const cluster = new Cluster(folder, network, machines, proxy);
    try {
      await cluster.settled();
      const [leader] = cluster.machines.filter(({ name }) => name === cluster.#leader);
      await cluster.sql(`create user trefoil password 'trefoil'`, leader);
      await cluster.sql('create database trefoil owner trefoil', leader);
      await cluster.#answers();
      return cluster;
    } catch (error) {
      const logs = cluster.machines.map(({ patroni }) => patroni.log().slice(-3000)).join('\n---\n');
      await cluster.stop();
      throw new Error(`The cluster did not start: ${error instanceof Error ? error.message : ''}\n${logs}`);
    }
  }

  /** What Trefoil connects to. */
  get environment(): Record<string, string> {
    const at = (port: number) => `postgres://trefoil:trefoil@${this.#network.proxy}:${port}/trefoil`;
    return { DATABASE_URL: at(ports.primary), DATABASE_REPLICA_URL: at(ports.replicas) };
  }

  #leader: NodeName | undefined;

  /** Waits until a machine leads, commits wait for a second one, and the third follows too; returns the first two. */
  async settled(): Promise<{ leader: Machine; standby: Machine }> {
    for (;;) {
      const members = await this.members();
      const is = (role: string) => members.filter((member) => member.role === role);
      const [leader] = is('leader');
      const [standby] = is('sync_standby');
      const following = members.filter(
        ({ state, timeline }) => /^(running|streaming)$/.test(state) && timeline === leader?.timeline,
      );
      if (leader && standby && following.length === names.length && (await this.#etcdAnswers())) {
        this.#leader = leader.name;
        return { leader: this.machine(leader.name), standby: this.machine(standby.name) };
      }
      await sleep(500);
    }
  }

  /** The members that Patroni knows; empty while it does not answer. */
  async members(): Promise<Member[]> {
    for (const { address } of this.machines) {
      const answer = await fetch(`http://${address}:${ports.patroni}/cluster`, { signal: AbortSignal.timeout(2000) })
        .then(async (response) => ((await response.json()) as { members: Member[] }).members)
        .catch(() => undefined);
      if (answer) return answer;
    }
    return [];
  }

  machine(name: NodeName): Machine {
    const found = this.machines.find((machine) => machine.name === name);
    if (!found) throw new Error(`There is no machine ${name}`);
    return found;
  }

  /** Runs a statement as the superuser on a machine, past the proxy. */
  async sql<Row = Record<string, unknown>>(text: string, machine: Machine | undefined, database = 'postgres') {
    const client = this.client(machine ?? this.machine('one'), database);
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  /** A superuser's connection to a machine, past the proxy. */
  client({ address }: Machine, database = 'postgres'): pg.Client {
    return new pg.Client({
      host: address,
      port: ports.postgres,
      user: 'postgres',
      password: variablesFor('patroni.env', this.#network, 'one').PATRONI_SUPERUSER_PASSWORD,
      database,
      connectionTimeoutMillis: 5000,
    });
  }

  /** The processes of a machine's PostgreSQL, the first of them first. */
  postgres({ disk }: Machine): number[] {
    const pid = postmaster(disk);
    return pid === undefined ? [] : [pid, ...childrenOf(pid)];
  }

  async etcdLeader(): Promise<Machine> {
    for (const machine of this.machines) {
      const answer = await status(machine).catch(() => undefined);
      if (answer && answer.header.member_id === answer.leader) return machine;
    }
    throw new Error('etcd has no leader');
  }

  /** The logs of all programs, by names for copies. */
  logs(): [name: string, file: string][] {
    const programs = this.machines.flatMap(({ name, patroni, etcd }): [string, Program][] => [
      [`${name}-patroni.log`, patroni],
      [`${name}-etcd.log`, etcd],
    ]);
    return [['haproxy.log', this.#proxy] as [string, Program], ...programs].map(([name, { logFile }]) => [
      name,
      logFile,
    ]);
  }

  restartPatroni(machine: Machine): void {
    machine.patroni = startPatroni(this.#network, machine.name, join(this.#folder, machine.name));
  }

  restartEtcd(machine: Machine): void {
    machine.etcd = startEtcd(this.#network, machine.name, join(this.#folder, machine.name));
  }

  async stop(unmount: (folder: string) => void = () => undefined): Promise<void> {
    signal(this.#proxy.pid, 'SIGKILL');
    for (const { patroni, etcd } of this.machines) for (const { pid } of [patroni, etcd]) signal(pid, 'SIGKILL');
    await Promise.all(this.machines.flatMap(({ patroni, etcd }) => [patroni.ended, etcd.ended]));
    for (const machine of this.machines) {
      for (const pid of this.postgres(machine)) signal(pid, 'SIGKILL');
      await machine.relay.close();
      unmount(machine.disk);
    }
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  async #etcdAnswers(): Promise<boolean> {
    const answers = await Promise.all(this.machines.map((machine) => status(machine).catch(() => undefined)));
    return answers.every((answer) => answer !== undefined);
  }

  /** Waits until the proxy leads to the primary. */
  async #answers(): Promise<void> {
    for (;;) {
      const client = new pg.Client({ connectionString: this.environment.DATABASE_URL });
      client.on('error', () => undefined);
      const connected = await client.connect().then(
        () => true,
        () => false,
      );
      await client.end().catch(() => undefined);
      if (connected) return;
      await sleep(200);
    }
  }
}

/** The process id in the file of a running server, which is removed when the server stops in good order. */
function postmaster(disk: string): number | undefined {
  const file = join(disk, 'data', 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  const running = pid > 0 && existsSync(`/proc/${pid}/cmdline`);
  // The number may belong to another process by now.
  return running && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(disk) ? pid : undefined;
}

interface EtcdStatus {
  header: { member_id: string };
  leader: string;
}

async function status({ address }: Machine): Promise<EtcdStatus> {
  const response = await fetch(`http://${address}:${ports.etcd}/v3/maintenance/status`, {
    method: 'POST',
    body: '{}',
    signal: AbortSignal.timeout(2000),
  });
  const answer = (await response.json()) as Partial<EtcdStatus>;
  if (!answer.header || !answer.leader) throw new Error('etcd has no leader');
  return answer as EtcdStatus;
}

function startEtcd(network: Network, name: NodeName, folder: string): Program {
  return new Program('etcd', [], {
    logFile: join(folder, 'etcd.log'),
    env: { ...variablesFor('etcd.env', network, name), ETCD_DATA_DIR: join(folder, 'etcd') },
    cwd: folder,
  });
}

function startPatroni(network: Network, name: NodeName, folder: string): Program {
  return new Program('patroni', [deployed('patroni.yml')], {
    logFile: join(folder, 'patroni.log'),
    env: {
      ...variablesFor('patroni.env', network, name),
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${network.of(name)}:${ports.relayed}`,
      PATRONI_POSTGRESQL_DATA_DIR: join(folder, 'disk', 'data'),
      PATRONI_POSTGRESQL_BIN_DIR: postgresTools ?? '',
      PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
    },
    cwd: folder,
  });
}
