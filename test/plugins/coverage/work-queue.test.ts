import { setMaxListeners } from 'node:events';
import { expect } from 'chai';
import { WorkQueue } from '../../../plugins/coverage/measure/work-queue.js';

/** Work that ends on demand, and the order in which it began. */
function bench(queue: WorkQueue) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  const add = (name: string, size: number, signal = never) =>
    queue.run(
      size,
      () =>
        new Promise<string>((end) => {
          began.push(name);
          ends.set(name, () => end(name));
        }),
      signal,
    );
  const settle = () => new Promise((next) => setImmediate(next));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { began, add, end };
}

describe('coverage: the work queue', () => {
  it('runs the smallest first, and never more at once than allowed', async () => {
    const { began, add, end } = bench(new WorkQueue({ heavy: 2 }));
    const all = [add('a', 900), add('b', 800), add('c', 700), add('d', 50), add('e', 300)];
    expect(began).to.deep.equal(['a', 'b']);
    for (const name of ['b', 'd', 'a', 'e', 'c']) await end(name);
    expect(began).to.deep.equal(['a', 'b', 'd', 'e', 'c']);
    expect(await Promise.all(all)).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
  });

  it('lets light work overtake waiting work', async () => {
    const { began, add, end } = bench(new WorkQueue({ heavy: 1, light: 1 }));
    const all = Array.from({ length: 100 }, (_, i) => add(`heavy ${i}`, 1000));
    const light = [add('light 1', 1), add('light 2', 1)];
    expect(began).to.deep.equal(['heavy 0', 'light 1']);
    await end('light 1');
    await end('light 2');
    expect(await Promise.all(light)).to.deep.equal(['light 1', 'light 2']);
    for (let i = 0; i < 100; i += 1) await end(`heavy ${i}`);
    expect(await Promise.all(all)).to.have.length(100);
  });

  it('runs work first that has waited long enough', async () => {
    let now = 0;
    const { began, add, end } = bench(new WorkQueue({ heavy: 1, patience: 1000, now: () => now }));
    const all = [add('first', 100), add('large', 900), add('small', 20)];
    now = 1000;
    await end('first');
    expect(began).to.deep.equal(['first', 'large']);
    await end('large');
    await end('small');
    await Promise.all(all);
  });

  it('drops work that no caller waits for, and continues after work that fails', async () => {
    const queue = new WorkQueue({ heavy: 1 });
    const { began, add, end } = bench(queue);
    const first = add('first', 100);
    const controller = new AbortController();
    const left = add('left', 50, controller.signal).catch((error: Error) => error.message);
    const last = add('last', 200);
    controller.abort(new Error('gone'));
    expect(await left).to.equal('gone');
    await end('first');
    await first;
    await end('last');
    await last;
    expect(began).to.deep.equal(['first', 'last']);
    const { signal } = new AbortController();
    const failure = await queue
      .run(20, () => Promise.reject(new Error('broken')), signal)
      .catch((error: Error) => error);
    expect((failure as Error).message).to.equal('broken');
    expect(await queue.run(20, async () => 'fine', signal)).to.equal('fine');
  });
});
