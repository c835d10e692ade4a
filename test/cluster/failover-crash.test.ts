/**
 * Three failures of a cluster under load: a crash of the primary's PostgreSQL, of etcd's leader, and a machine that
 * freezes and comes back. `npm run bench -- failover` does this many times, with all kinds.
 */
import { expect } from 'chai';
import { kinds } from './support/faults.js';
import { lacking } from './support/programs.js';
import { Rehearsal } from './support/rehearsal.js';

describe('cluster: failover without a hand', function () {
  this.timeout(300_000); // nine processes that wait for each other
  let rehearsal: Rehearsal;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    // A small load: it need not be fast to be broken in the middle.
    rehearsal = await Rehearsal.start({ pace: 4 });
  });
  after(() => rehearsal?.stop());

  for (const kind of kinds.filter(({ name }) => /^(postgres|etcd|freeze)$/.test(name))) {
    it(`loses and doubles nothing that was acknowledged: ${kind.what}`, async () => {
      const { from, to, acknowledged, requests, ...round } = await rehearsal.run(kind);
      const { lost, doubled, errors, wrong, unfenced } = round;
      expect({ lost, doubled, errors, wrong, unfenced }).to.deep.equal({
        lost: [],
        doubled: [],
        errors: [],
        wrong: [],
        unfenced: [],
      });
      // The load has begun writing before the failure, and went on after it.
      expect(acknowledged).to.be.above(0);
      expect(requests).to.be.above(0);
      if (kind.moves) expect(to).to.not.equal(from);
    });
  }
});
