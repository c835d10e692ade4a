/** The kinds of failure of a cluster, and how each is repaired. */
import { execFileSync, spawnSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresUser } from '../../support/cluster.js';
import type { Cluster, Machine } from './cluster.js';
import { childrenOf, signal } from './programs.js';
import { Witness } from './witness.js';

export interface Inflicted {
  /** Repairs what the failure broke; returns the ids of a witness's writes that the former primary acknowledged. */
  mend(): Promise<string[]>;
}

export interface Kind {
  name: string;
  what: string;
  /** Seconds in which writes must be acknowledged again. */
  limit: number;
  /** Whether another machine must lead afterwards. */
  moves: boolean;
  inflict(cluster: Cluster, roles: { leader: Machine; standby: Machine }): Promise<Inflicted>;
}

const nothing = async () => [];

/** Is repaired after so many seconds, whichever machine leads by then. No writes of a former primary are compared. */
const repairedAfter = (seconds: number, repair: () => void | Promise<void>): Inflicted => ({
  async mend() {
    await sleep(seconds * 1000);
    await repair();
    return [];
  },
});

const postgres: Kind = {
  name: 'postgres',
  what: "kill -9 of the primary's PostgreSQL",
  limit: 30,
  moves: true,
  async inflict(cluster, { leader }) {
    for (const pid of cluster.postgres(leader)) signal(pid, 'SIGKILL');
    return { mend: nothing };
  },
};

const patroni: Kind = {
  name: 'patroni',
  what: "kill -9 of the primary's Patroni, not started again until another leads",
  limit: 30,
  moves: true,
  async inflict(cluster, { leader }) {
    const witness = await Witness.of(cluster, leader);
    signal(leader.patroni.pid, 'SIGKILL');
    await leader.patroni.ended;
    return {
      async mend() {
        // Its PostgreSQL still acts as the primary.
        const acknowledged = await witness.write();
        cluster.restartPatroni(leader);
        return acknowledged;
      },
    };
  },
};

const etcd: Kind = {
  name: 'etcd',
  what: "kill -9 of etcd's leader, started again after 10 s",
  limit: 30,
  moves: false,
  async inflict(cluster) {
    const machine = await cluster.etcdLeader();
    signal(machine.etcd.pid, 'SIGKILL');
    await machine.etcd.ended;
    return repairedAfter(10, () => cluster.restartEtcd(machine));
  },
};

const freeze: Kind = {
  name: 'freeze',
  what: "SIGSTOP of the primary's machine (PostgreSQL, Patroni, etcd), SIGCONT once another leads",
  limit: 45,
  moves: true,
  async inflict(cluster, { leader }) {
    const witness = await Witness.of(cluster, leader);
    const stop = (pid: number) => signal(pid, 'SIGSTOP');
    // First the processes that would start others.
    for (const { pid } of [leader.patroni, leader.etcd]) stop(pid);
    const [postmaster = 0] = cluster.postgres(leader);
    stop(postmaster);
    for (const pid of childrenOf(postmaster)) stop(pid);
    return {
      async mend() {
        const all = [postmaster, ...childrenOf(postmaster), leader.patroni.pid, leader.etcd.pid];
        // PostgreSQL runs again first, so that it can write for as long as possible before its Patroni notices.
        for (const pid of all) signal(pid, 'SIGCONT');
        return witness.write();
      },
    };
  },
};

const link: Kind = {
  name: 'link',
  what: 'the link between the primary and the machine that its commits wait for is cut for 20 s',
  limit: 45,
  moves: false,
  async inflict(_, { leader, standby }) {
    leader.relay.cut(standby.name);
    return repairedAfter(20, () => leader.relay.mend());
  },
};

const disk: Kind = {
  name: 'disk',
  what: "the primary's disk is full for 20 s",
  limit: 45,
  moves: false,
  async inflict(_, { leader }) {
    const file = join(leader.disk, 'filling');
    await writeFile(file, '');
    // PostgreSQL may take some of the free space between the two calls.
    let full = false;
    while (!full) {
      const { bavail, bsize } = statfsSync(leader.disk);
      full = bavail === 0 || spawnSync('fallocate', ['-l', String(bavail * bsize), file]).status === 0;
    }
    return repairedAfter(20, () => rm(file));
  },
};

export const kinds: readonly Kind[] = [postgres, patroni, etcd, freeze, link, disk];

/**
 * A disk for each machine that is small enough to be filled, and has room for the log of a hundred failures: PostgreSQL
 * keeps up to `max_wal_size` and `wal_keep_size` of it, 1.3 GB. Only root may mount it.
 */
export const smallDisk = {
  mount(folder: string): void {
    execFileSync('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=2g,mode=0700,uid=${postgresUser.uid},gid=${postgresUser.gid}`,
      'tmpfs',
      folder,
    ]);
  },
  unmount(folder: string): void {
    execFileSync('umount', ['--lazy', folder]);
  },
};
