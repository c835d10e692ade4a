/** Work that is done in groups. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Fault } from '../../core/fault.js';
import { gather } from '../../core/gather.js';

describe('gathering', () => {
  it('runs a single item at once, and groups the items that arrive meanwhile, in order', async () => {
    const groups: number[][] = [];
    const double = gather<number, number>({
      async together(items) {
        groups.push([...items]);
        await sleep(5);
        return items.map((item) => item * 2);
      },
      most: 3,
      groups: 1,
    });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(double));
    expect(answers).to.eql([2, 4, 6, 8, 10]);
    expect(groups).to.eql([[1], [2, 3, 4], [5]]);
    expect(await double(6)).to.equal(12);
    expect(groups.at(-1)).to.eql([6]);
  });

  it('never runs two items of one key at once, and keeps their order', async () => {
    const groups: string[][] = [];
    const add = gather<string, string>({
      async together(items) {
        groups.push([...items]);
        await setImmediate();
        return items;
      },
      key: (item) => item.charAt(0),
      most: 10,
      groups: 1,
    });
    await Promise.all(['a1', 'a2', 'b1', 'a3', 'b2', 'c1'].map(add));
    expect(groups).to.eql([['a1'], ['a2', 'b1', 'c1'], ['a3', 'b2']]);
  });

  it('runs further groups while one waits, but no item of a key that is running', async () => {
    const groups: string[][] = [];
    let release = () => {};
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    const add = gather<string, string>({
      async together(items) {
        groups.push([...items]);
        await (items.includes('a1') ? stuck : setImmediate());
        return items;
      },
      key: (item) => item.charAt(0),
      most: 10,
      groups: 2,
    });
    const [first, ...others] = ['a1', 'b1', 'a2', 'c1', 'b2'].map(add);
    expect(await Promise.all([others[0], others[2], others[3]])).to.eql(['b1', 'c1', 'b2']);
    expect(groups).to.eql([['a1'], ['b1'], ['c1', 'b2']]);
    expect(await add('d1')).to.equal('d1');
    release();
    expect(await Promise.all([first, others[1]])).to.eql(['a1', 'a2']);
    expect(groups).to.eql([['a1'], ['b1'], ['c1', 'b2'], ['d1'], ['a2']]);
  });

  it('retries the items of a failed group one by one, so that only the wrong one is refused', async () => {
    const groups: number[][] = [];
    const keep = gather<number, number>({
      async together(items) {
        groups.push([...items]);
        await setImmediate();
        if (items.includes(3)) throw new Fault('conflict', 'Three is not wanted');
        return items;
      },
      most: 10,
      groups: 1,
    });
    const ends = await Promise.allSettled([1, 2, 3, 4].map(keep));
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason.message))).to.eql([
      1,
      2,
      'Three is not wanted',
      4,
    ]);
    expect(groups).to.eql([[1], [2, 3, 4], [2], [3], [4]]);
    expect(await keep(5), 'and goes on').to.equal(5);
  });

  it('does not retry during an outage, which affects every item', async () => {
    let calls = 0;
    const read = gather<number, number>({
      async together() {
        calls += 1;
        await setImmediate();
        throw new Fault('unavailable', 'Away');
      },
      most: 10,
      groups: 1,
    });
    const ends = await Promise.allSettled([1, 2, 3].map(read));
    expect(ends.map(({ status }) => status)).to.eql(['rejected', 'rejected', 'rejected']);
    expect(calls).to.equal(2);
  });

  it('lets the next group begin once one takes long, and counts it no more when it ends', async () => {
    const groups: number[][] = [];
    const held = promised<void>();
    const read = gather<number, number>({
      async together(items) {
        groups.push([...items]);
        if (items.includes(1)) await held.promise;
        return items;
      },
      most: 10,
      groups: 1,
      slow: 20,
    });
    const slow = read(1);
    expect(await Promise.all([2, 3].map(read))).to.eql([2, 3]);
    held.resolve();
    expect(await slow).to.equal(1);
    expect(await Promise.all([4, 5, 6].map(read))).to.eql([4, 5, 6]);
    expect(groups).to.eql([[1], [2, 3], [4], [5, 6]]);
  });

  it('reports an error if the work returns too few results', async () => {
    const odd = gather<number, number>({ together: async () => [], most: 10, groups: 1 });
    const [end] = await Promise.allSettled([odd(1)]);
    expect(end?.status === 'rejected' && end.reason.message).to.match(/answers for each item/);
  });

  it('waits for promised items, but not for more than fit in a group, nor for long', async () => {
    const groups: number[][] = [];
    const add = gather<number, number>({
      together: async (items) => {
        groups.push([...items]);
        return items;
      },
      most: 3,
      groups: 1,
    });
    await add(1);
    const later = promised<number>();
    const some = [add(later.promise), add(2)];
    await setImmediate();
    later.resolve(3);
    expect(await Promise.all(some)).to.eql([3, 2]);

    const never = promised<number>();
    const refused = add(never.promise);
    // Three do not wait for more, and one not for ever.
    await Promise.all([4, 5, 6].map(add));
    await add(7);
    expect(groups).to.eql([[1], [2, 3], [4, 5, 6], [7]]);

    const left = add(8);
    never.reject(new Error('Lost'));
    expect(await left).to.equal(8);
    expect((await Promise.allSettled([refused]))[0]).to.deep.include({ status: 'rejected' });
  });
});

/** A promise that is settled from outside. */
function promised<Value>() {
  let resolve: (value: Value) => void = () => {};
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<Value>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve, reject };
}
