/** Admission by itself, with a lateness of the event loop that the test states. */
import { expect } from 'chai';
import fc from 'fast-check';
import { isFault } from '../../../../core/fault.js';
import { type Admission, type AdmissionPlace, createAdmission } from '../../../../core/http/admission.js';
import type { LimitedClass } from '../../../../core/http/route.js';
import { overloadSettings } from '../../../../core/http/settings.js';

const hour = 3600;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

function admissionOf(limits: object, of: LimitedClass = 'query') {
  const late = { ms: 0, turn: () => {}, clock: 0 };
  const settings = overloadSettings.parse({ lateMs: 100, [of]: limits });
  const admission = createAdmission({
    settings,
    log: quiet,
    now: () => late.clock,
    lateness: (_, onTurn) => {
      late.turn = onTurn;
      return { now: () => late.ms, watch: () => {} };
    },
  });
  return { admission, late };
}

/** A request, and what has become of it. */
function request(admission: Admission, of: LimitedClass = 'query') {
  const controller = new AbortController();
  const place: AdmissionPlace = admission.place(of, () => controller.signal);
  const one = { state: 'waiting', place, controller };
  const entered = place.enter().then(
    () => {
      one.state = 'handled';
    },
    (error: unknown) => {
      one.state = isFault(error) ? error.code : 'left';
    },
  );
  return Object.assign(one, { entered });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('admission', () => {
  it('lets more in while the event loop is on time, a few at each turn, and fewer once it is late', async () => {
    const { admission, late } = admissionOf({ always: 4, most: 6, waiting: 100, seconds: hour });
    const requests = Array.from({ length: 10 }, () => request(admission));
    const handled = async () => {
      await settled();
      return requests.filter(({ state }) => state === 'handled').length;
    };
    expect(await handled()).to.equal(4);
    late.turn();
    expect(await handled()).to.equal(5);
    late.turn();
    expect(await handled()).to.equal(6);
    late.turn();
    expect(await handled(), 'no more than `most`').to.equal(6);
    late.ms = 100;
    late.turn();
    requests[0]?.place.leave();
    requests[1]?.place.leave();
    expect(admission.crowd('query')).to.deep.equal({ handled: 4, waiting: 4 });
    requests[2]?.place.leave();
    expect(admission.crowd('query'), 'one for one from `always` on').to.deep.equal({ handled: 4, waiting: 3 });
    late.ms = 99;
    late.turn();
    expect(admission.crowd('query')).to.deep.equal({ handled: 5, waiting: 2 });
  });

  it('lets the newest in first once the oldest has waited for a fifth of the time', async () => {
    const { admission, late } = admissionOf({ always: 1, most: 1, waiting: 100, seconds: hour });
    const requests = Array.from({ length: 6 }, (_, i) => {
      late.clock = i * 100_000;
      return request(admission);
    });
    const handled = async () => {
      await settled();
      return requests.findIndex(({ state, place }) => state === 'handled' && !left.has(place));
    };
    const left = new Set<AdmissionPlace>();
    const leave = (i: number) => {
      const place = requests[i]?.place as AdmissionPlace;
      left.add(place);
      place.leave();
    };
    // They came at 0, 100, … 500 seconds; a fifth of an hour is 720 seconds.
    late.clock = 800_000;
    expect(await handled()).to.equal(0);
    leave(0);
    expect(await handled(), 'the oldest, after 700 seconds').to.equal(1);
    late.clock = 1_000_000;
    leave(1);
    expect(await handled(), 'the newest, as the oldest has waited for 800 seconds').to.equal(5);
    requests[4]?.controller.abort(new Error('left'));
    leave(5);
    expect(await handled(), 'the newest that is still there').to.equal(3);
    requests[2]?.controller.abort(new Error('left'));
    await settled();
    expect(admission.crowd('query')).to.deep.equal({ handled: 1, waiting: 0 });
  });

  it('makes reports and background requests give way earlier than queries', async () => {
    const { admission, late } = admissionOf({});
    const room = async (of: LimitedClass, ms: number) => {
      late.ms = ms;
      for (let i = 0; i < 10; i++) void request(admission, of);
      await settled();
      for (let i = 0; i < 10; i++) late.turn();
      return admission.crowd(of).handled;
    };
    // By default reports are handled two at a time however late it is, and background requests one at a time.
    expect(await room('background', 20)).to.equal(1);
    expect(await room('background', 19)).to.be.greaterThan(1);
    expect(await room('report', 50)).to.equal(2);
    expect(await room('report', 49)).to.be.greaterThan(2);
  });

  it('is calm once no request waits and the loop is on time', async () => {
    const { admission, late } = admissionOf({ always: 1, most: 1, waiting: 1, seconds: hour });
    const [first, second] = [request(admission), request(admission)];
    let calm = false;
    const waited = admission.calm(hour * 1000).then(() => {
      calm = true;
    });
    await settled();
    expect(calm).to.equal(false);
    late.ms = 20;
    first.place.leave();
    await second.entered;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calm, 'late').to.equal(false);
    late.ms = 0;
    await waited;
    expect(second.state).to.equal('handled');
    late.ms = 20;
    await admission.calm(1);
  });

  it('does what a list does that is written down step by step', async () => {
    const steps = fc.array(
      fc.oneof(
        { arbitrary: fc.constant({ what: 'enter' as const }), weight: 3 },
        { arbitrary: fc.record({ what: fc.constant('leave' as const), which: fc.nat(50) }), weight: 2 },
        { arbitrary: fc.record({ what: fc.constant('abort' as const), which: fc.nat(50) }), weight: 1 },
      ),
      { maxLength: 60 },
    );
    const limits = fc.record({ always: fc.integer({ min: 1, max: 4 }), waiting: fc.integer({ min: 0, max: 4 }) });
    await fc.assert(
      fc.asyncProperty(limits, steps, async ({ always, waiting }, list) => {
        const { admission } = admissionOf({ always, most: always, waiting, seconds: hour });
        const requests: ReturnType<typeof request>[] = [];
        const expected: string[] = [];
        const count = (state: string) => expected.filter((one) => one === state).length;
        for (const step of list) {
          if (step.what === 'enter') {
            requests.push(request(admission));
            const isFree = count('handled') < always && count('waiting') === 0;
            expected.push(isFree ? 'handled' : count('waiting') < waiting ? 'waiting' : 'overloaded');
          } else {
            const at = step.which % Math.max(1, requests.length);
            if (requests[at] === undefined) continue;
            if (step.what === 'abort') {
              requests[at].controller.abort(new Error('left'));
              if (expected[at] === 'waiting') expected[at] = 'left';
            } else {
              requests[at].place.leave();
              if (expected[at] === 'handled') {
                expected[at] = 'over';
                const next = expected.indexOf('waiting');
                if (next >= 0) expected[next] = 'handled';
              }
            }
          }
          await settled();
          const got = requests.map(({ state }, i) => (state === 'handled' && expected[i] === 'over' ? 'over' : state));
          expect(got).to.deep.equal(expected);
          expect(admission.crowd('query')).to.deep.equal({ handled: count('handled'), waiting: count('waiting') });
        }
        for (const { place, controller } of requests) {
          controller.abort(new Error('left'));
          place.leave();
        }
      }),
      { numRuns: 100 },
    );
  });
});
