import { expect } from 'chai';
import { Clock } from '../../../../plugins/coverage/d4/clock.js';

/** Blocks the thread for longer than a slice. */
function work(): void {
  const since = performance.now();
  while (performance.now() - since < 6);
}

describe('d4: clock', () => {
  it('resumes one task in each turn of the event loop, and all of them in order', async () => {
    let turn = 0;
    let counting: NodeJS.Immediate;
    const count = () => {
      turn++;
      counting = setImmediate(count);
    };
    counting = setImmediate(count);
    const resumed: { name: string; turn: number }[] = [];
    await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const clock = new Clock();
        for (let step = 0; step < 3; step++) {
          work();
          const pause = clock.tick();
          expect(pause).to.be.instanceOf(Promise);
          await pause;
          resumed.push({ name, turn });
        }
      }),
    );
    clearImmediate(counting);
    expect(resumed.map(({ name }) => name).join('')).to.equal('abcabcabc');
    expect(new Set(resumed.map((one) => one.turn)).size).to.equal(resumed.length);
  });

  it('ends cancelled work, also while it waits', async () => {
    const controller = new AbortController();
    const clock = new Clock(controller.signal);
    work();
    const pause = clock.tick();
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await Promise.resolve(pause).catch((error: unknown) => error)).to.equal(reason);
    expect(() => clock.tick()).to.throw(reason);
    const flagged = new Clock(undefined, () => true);
    expect(() => flagged.tick()).to.throw('cancelled');
  });
});
