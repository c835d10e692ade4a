/** Queries that clients wait for: who gets what, when searches end, and what happens to the rest. */
import { expect } from 'chai';
import { WaitingQueries } from '../../../../plugins/matchmaker/exchange/health.js';
import { faultOf } from '../../../support/fault.js';

interface Gate {
  done: Promise<string>;
  open(result: string): void;
  fail(reason: string): void;
}

function gate(): Gate {
  let [open, fail]: [Gate['open'], Gate['fail']] = [() => undefined, () => undefined];
  const done = new Promise<string>((resolve, reject) => {
    open = resolve;
    fail = (reason) => reject(new Error(reason));
  });
  return { done, open, fail };
}

describe('matchmaker: queries that clients wait for', () => {
  const logged: string[] = [];
  const ignore = () => undefined;
  const log = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (_: unknown, text: string) => void logged.push(text),
  };
  let waiting: WaitingQueries<string>;
  let ends: number;
  beforeEach(() => {
    logged.length = 0;
    ends = 0;
    waiting = new WaitingQueries({ most: 2, log: log as never });
  });
  const client = (waitMs: number, signal = new AbortController().signal) => ({
    waitMs,
    signal,
    ended: async () => {
      ends += 1;
    },
  });
  const hour = 3_600_000;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const run = (key: string, one: Gate): Promise<string> => {
    expect(waiting.enter('node', key)).to.equal(undefined);
    return waiting.run('node', key, () => one.done);
  };

  it('returns as soon as all have come, and ends the search once', async () => {
    const [a, b] = [gate(), gate()];
    const came = waiting.within([run('a', a), run('b', b)], client(hour));
    b.open('B');
    a.open('A');
    expect(await came).to.deep.equal(['A', 'B']);
    await turn();
    expect(ends).to.equal(1);
  });

  it('returns what came in time, and ends the search again when the rest has come', async () => {
    const [a, b] = [gate(), gate()];
    const queries = [run('a', a), run('b', b)];
    a.open('A');
    await turn();
    expect(await waiting.within(queries, client(0))).to.deep.equal(['A', undefined]);
    expect(ends).to.equal(1);
    b.open('B');
    await turn();
    expect(ends).to.equal(2);
    // Nothing is left to wait for.
    await waiting.close();
  });

  it('gives each node two places, which the end of a query frees, however it ends', async () => {
    const [a, b, again] = [gate(), gate(), gate()];
    const queries = [run('a', a), run('b', b)];
    const came = waiting.within(queries, client(hour)).then(
      () => 'came',
      ({ message }: Error) => message,
    );
    expect(waiting.enter('node', 'c')).to.equal('was not queried yet, since 2 earlier queries wait for it');
    expect(waiting.enter('other', 'c')).to.equal(undefined);
    // The same query needs no place, and is not sent twice.
    expect(waiting.enter('node', 'a')).to.equal(undefined);
    expect(waiting.run('node', 'a', () => again.done)).to.equal(queries[0]);
    a.fail('broken');
    await turn();
    expect(waiting.has('a')).to.equal(false);
    expect(waiting.enter('node', 'c')).to.equal(undefined);
    expect(waiting.enter('node', 'd')).to.match(/^was not queried yet/);
    b.open('B');
    expect(await came, 'an error before the end is the client’s').to.equal('broken');
    expect(logged).to.deep.equal([]);
  });

  it('a late error is logged, and rejects nothing', async () => {
    const a = gate();
    expect(await waiting.within([run('a', a)], client(0))).to.deep.equal([undefined]);
    a.fail('late');
    await turn();
    expect(logged).to.deep.equal(['a late response was not recorded; its query is repeated']);
    expect(ends).to.equal(2);
  });

  it('a client that is gone ends its waiting, not the query', async () => {
    const [a, gone] = [gate(), new AbortController()];
    const came = waiting.within([run('a', a)], client(hour, gone.signal)).catch((error: unknown) => error);
    gone.abort('gone');
    expect(await came).to.equal('gone');
    expect(waiting.has('a')).to.equal(true);
    a.open('A');
    await turn();
    expect([waiting.has('a'), ends]).to.deep.equal([false, 2]);
  });

  it('closing aborts what is under way, and waits for its end', async () => {
    const a = gate();
    waiting.signal.addEventListener('abort', () => a.fail('aborted'));
    expect(await waiting.within([run('a', a)], client(0))).to.deep.equal([undefined]);
    await waiting.close();
    expect([ends, waiting.has('a'), logged.length]).to.deep.equal([2, false, 0]);
    expect((await faultOf(Promise.reject(waiting.signal.reason), 'unavailable')).message).to.equal('The server stops');
  });
});
