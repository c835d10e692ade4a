/** What is known of samples is read anew after a time, and when it turned out to be replaced. */
import { expect } from 'chai';
import { TimedValue } from '../../../../plugins/coverage/samples/callability/callability.js';

describe('a kept value', () => {
  function counting(time: number) {
    let reads = 0;
    return new TimedValue(async () => ++reads, time);
  }

  it('is read once for its time, and again on request', async () => {
    const kept = counting(Number.POSITIVE_INFINITY);
    expect([await kept.current(), await kept.current()]).to.deep.equal([1, 1]);
    expect([await kept.renewed(), await kept.current()]).to.deep.equal([2, 2]);
  });

  it('is read each time if it is not to be kept at all', async () => {
    const kept = counting(0);
    expect([await kept.current(), await kept.current()]).to.deep.equal([1, 2]);
  });

  it('is read again after it could not be read', async () => {
    const results = [Promise.reject(new Error('no storage')), Promise.resolve('read')];
    const kept = new TimedValue(() => results.shift() as Promise<string>, Number.POSITIVE_INFINITY);
    let failure: unknown;
    await kept.current().catch((error: unknown) => {
      failure = error;
    });
    expect(failure).to.be.an('error');
    expect(await kept.current()).to.equal('read');
  });
});
