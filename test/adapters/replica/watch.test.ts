/** When a read may use a replica, decided with servers and a clock of the test's own. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type ReplicaCandidate, ReplicaWatch, type Verdict } from '../../../adapters/postgres/watch.js';
import { quiet } from '../../support/storages.js';

/** Two replicas behind one address, and a primary that may be lost. Positions are counted by the writes. */
class World {
  now = 0;
  /** The writes that the primary has, and each replica. */
  written = 0;
  readonly replayed: Record<string, number> = { a: 0, b: 0 };
  lost = false;
  /** Whether reads that are served go on for ever. */
  reading = false;
  readonly watch: ReplicaWatch;

  constructor(maxStaleness: number) {
    this.watch = new ReplicaWatch({
      position: async () => {
        if (this.lost) throw new Error('lost');
        return String(this.written);
      },
      maxStaleness,
      rest: 5000,
      log: quiet,
      now: () => this.now,
    });
  }

  async judge(server: string, opened = this.now): Promise<Verdict | 'lost'> {
    const candidate: ReplicaCandidate = {
      server,
      openedBefore: (time) => opened < time,
      hasReplayed: async (position) => (this.replayed[server] ?? 0) >= Number(position),
    };
    const verdict = await this.watch.judge(candidate).catch(() => 'lost' as const);
    if (verdict === 'serve' && !this.reading) this.watch.ended();
    return verdict;
  }
}

describe('replica: the decision', () => {
  it('serves for as long as writes of others may be missing after the primary was lost, and no longer', async () => {
    const world = new World(30_000);
    expect(await world.judge('a')).to.equal('serve');
    // The position is asked for again beside the reads, so that the time counts from the loss.
    world.now = 20_000;
    expect(await world.judge('a')).to.equal('serve');
    await Promise.resolve();
    expect(await world.judge('a')).to.equal('serve');
    world.lost = true;
    world.now = 49_999;
    expect(await world.judge('a')).to.equal('serve');
    world.now = 50_001;
    expect(await world.judge('a')).to.equal('lost');
    world.lost = false;
    expect(await world.judge('a')).to.equal('serve');
  });

  it('does not serve before the replica has what this process has seen, even if the primary is lost', async () => {
    const world = new World(30_000);
    expect(await world.judge('a')).to.equal('serve');
    world.written = 1;
    world.watch.touched();
    world.lost = true;
    expect(await world.judge('a')).to.equal('lost');
    world.lost = false;
    expect(await world.judge('a')).to.equal('primary');
    world.replayed.a = 1;
    expect(await world.judge('a')).to.equal('serve');
  });

  it('follows without the primary from a server that lacks a change to one that has it', async () => {
    for (const reading of [false, true]) {
      const world = new World(30_000);
      world.written = 1;
      world.replayed.a = 1;
      world.reading = reading;
      expect(await world.judge('a')).to.equal('serve');
      world.now = 1000;
      world.written = 2;
      world.replayed.b = 2;
      world.watch.touched({ text: '2', at: 1000 });
      world.lost = true;
      expect(await world.judge('a')).to.equal('primary');
      // While a read runs on the first, it may see more than was checked.
      expect(await world.judge('b'), String(reading)).to.equal(reading ? 'lost' : 'serve');
      if (reading) continue;
      expect(await world.judge('b')).to.equal('serve');
      expect(await world.judge('a', 0)).to.equal('close');
      // A new connection to it would have to wait for the primary, and does not keep the other from serving.
      expect(await world.judge('a')).to.be.oneOf(['lost', 'close']);
      expect(await world.judge('b')).to.equal('serve');
      // No longer than writes of others may be missing.
      world.now = 31_001;
      expect(await world.judge('b')).to.equal('lost');
    }
  });

  it('does not follow without the primary once the first server has shown what came later', async () => {
    const world = new World(30_000);
    expect(await world.judge('a')).to.equal('serve');
    world.written = 2;
    world.watch.touched({ text: '1', at: 0 });
    expect(await world.judge('a')).to.equal('primary');
    // It catches up, and beyond: the other has the change, but not what was read since.
    world.replayed.a = 2;
    world.replayed.b = 1;
    expect(await world.judge('a')).to.equal('serve');
    world.lost = true;
    expect(await world.judge('b')).to.be.oneOf(['lost', 'close']);
  });

  it('uses another server behind the address after it has caught up, and leaves connections to the first', async () => {
    const world = new World(30_000);
    world.written = 1;
    world.replayed.a = 1;
    expect(await world.judge('a')).to.equal('serve');
    world.now = 10;
    expect(await world.judge('b')).to.equal('primary');
    expect(await world.judge('a', 0)).to.equal('serve');
    world.replayed.b = 1;
    world.now = 20;
    expect(await world.judge('b')).to.equal('serve');
    expect(await world.judge('a', 0)).to.equal('close');
    expect(await world.judge('b')).to.equal('serve');
  });

  it('never goes back in time, whatever happens in any order', async () => {
    const server = fc.constantFrom('a', 'b');
    const step = fc.oneof(
      fc.record({ what: fc.constant('write' as const), ours: fc.boolean() }),
      fc.record({ what: fc.constant('replay' as const), server }),
      fc.record({ what: fc.constant('read' as const), server }),
      fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 3000 }) }),
      fc.record({ what: fc.constant('lose' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const maxStaleness = 2000;
        const world = new World(maxStaleness);
        /** What this process has seen, and the writes with their times. */
        let seen = 0;
        const times: number[] = [];
        for (const one of steps) {
          if (one.what === 'write' && !world.lost) {
            world.written++;
            times.push(world.now);
            if (one.ours) {
              seen = world.written;
              world.watch.touched();
            }
          } else if (one.what === 'replay') {
            const has = world.replayed[one.server] ?? 0;
            world.replayed[one.server] = Math.min(has + 1, world.written);
          } else if (one.what === 'wait') {
            world.now += one.ms;
          } else if (one.what === 'lose') {
            world.lost = !world.lost;
          } else if (one.what === 'read' && (await world.judge(one.server)) === 'serve') {
            const state = world.replayed[one.server] ?? 0;
            expect(state).to.be.at.least(seen);
            const due = times.filter((time) => time < world.now - maxStaleness).length;
            expect(state).to.be.at.least(due);
            seen = state;
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
