/** W3C trace context: accepted headers, and where the trace id is logged. Expectations follow the recommendation. */
import { expect } from 'chai';
import { traceIdOf } from '../../../core/work.js';
import { get, serve } from './support.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';

describe('traceparent', () => {
  const valid = [
    `00-${trace}-${parent}-01`,
    `00-${trace}-${parent}-00`,
    `cc-${trace}-${parent}-01-what-the-future-adds`,
  ];
  for (const header of valid) {
    it(`is accepted: ${header}`, () => expect(traceIdOf(header)).to.equal(trace));
  }
  const invalid = [
    undefined,
    '',
    trace,
    `ff-${trace}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${trace}-${parent}-01-more`,
    `00-${trace}-${parent}`,
    `00-${trace}-${parent}-0x`,
    ` 00-${trace}-${parent}-01`,
    `00-${trace}-${parent}-01\n`,
    `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`,
    `cc-${trace}-${parent}-01-${'x'.repeat(600)}`,
    `00-patient12345678901234567890123456-${parent}-01`,
  ];
  for (const header of invalid) {
    it(`is ignored: ${JSON.stringify(header)}`, () => expect(traceIdOf(header)).to.equal(undefined));
  }

  it('gives its id to every log line of its request, and to no other', async () => {
    const server = await serve((host) =>
      host.route(
        get('/broken', () => {
          throw new Error('on purpose');
        }),
      ),
    );
    await fetch(`${server.url}/broken`, { headers: { traceparent: valid[0] ?? '' } });
    await fetch(`${server.url}/broken`, { headers: { traceparent: 'patient-7' } });
    await server.close();
    const lines = server.log.filter(({ msg }) => msg === 'request' || msg === 'request failed');
    expect(lines.map(({ msg, traceId }) => [msg, traceId])).to.deep.equal([
      ['request failed', trace],
      ['request', trace],
      ['request failed', undefined],
      ['request', undefined],
    ]);
    expect(JSON.stringify(server.log)).to.not.include('patient-7');
  });
});
