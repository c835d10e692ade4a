import { expect } from 'chai';
import fc from 'fast-check';
import { Fault, isFault } from '../../../../core/plugin.js';
import {
  type AuthorizedPerson,
  asker,
  createDecisions,
  type DecisionOptions,
  type Resource,
} from '../../../../plugins/coverage/http/access/decisions.js';
import { useOnce } from '../../../support/use.js';
import { CaseSystem, troubles } from './case-system.js';

const log = { warn: () => undefined };
const ada: AuthorizedPerson = { id: 'ada', issuer: 'https://login.test' };
const sample = (id: string): Resource => ({ type: 'sample', id });

function decisions(options: Partial<DecisionOptions> & Pick<DecisionOptions, 'ask'>) {
  return createDecisions({ timeout: 5, cache: 30, log, now: () => new Date(0), ...options });
}

/** `true`, `false` or the code of the fault. */
async function outcome(decision: Promise<boolean>): Promise<boolean | string> {
  return decision.catch((error: unknown) => {
    if (isFault(error)) return error.code;
    throw error;
  });
}

describe('decisions of the case system', () => {
  it('are never older than the cache allows, never those of others, and no failure is kept (property)', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('ask' as const), who: fc.nat(2), what: fc.nat(3) }),
      fc.record({ kind: fc.constant('change' as const), who: fc.nat(2), what: fc.nat(3) }),
      fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: -5, max: 20 }) }),
      fc.record({ kind: fc.constant('trouble' as const), isDown: fc.boolean() }),
    );
    const runs = Number(process.env.TEST_HISTORIES ?? 40);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, 10, 60), async (steps, cache) => {
        const people: AuthorizedPerson[] = [
          ada,
          { id: 'ada', issuer: 'https://other.test' },
          { id: 'bob', issuer: undefined },
        ];
        const truth = new Map<string, boolean>();
        const key = (person: AuthorizedPerson, id: string) => JSON.stringify([person, id]);
        /** What was true, and when it was asked for. */
        const heard = new Map<string, { at: number; allowed: boolean }>();
        let [time, isDown] = [1_000_000, false];
        const decide = decisions({
          cache,
          now: () => new Date(time),
          async ask(person, resources) {
            if (isDown) throw new Fault('unavailable', 'is down');
            return resources.map(({ id }) => {
              const allowed = truth.get(key(person, id)) ?? false;
              heard.set(key(person, id), { at: time, allowed });
              return allowed;
            });
          },
        });
        for (const one of steps) {
          if (one.kind === 'wait') time += one.seconds * 1000;
          else if (one.kind === 'trouble') isDown = one.isDown;
          else {
            const person = people[one.who] as AuthorizedPerson;
            const id = `s${one.what}`;
            if (one.kind === 'change') truth.set(key(person, id), !truth.get(key(person, id)));
            else {
              const last = heard.get(key(person, id));
              const age = last === undefined ? Number.NaN : time - last.at;
              const expected =
                last !== undefined && age >= 0 && age < cache * 1000
                  ? last.allowed
                  : isDown
                    ? 'unavailable'
                    : (truth.get(key(person, id)) ?? false);
              expect(await outcome(decide(person, sample(id)))).to.equal(expected);
            }
          }
        }
      }),
      { numRuns: runs },
    );
  });

  it('are asked for together, at most 100 in one question and 8 questions at a time', async () => {
    const sizes: number[] = [];
    let [running, most] = [0, 0];
    const decide = decisions({
      async ask(_person, resources) {
        sizes.push(resources.length);
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return resources.map(({ id }) => Number(id) % 3 === 0);
      },
    });
    const ids = Array.from({ length: 1050 }, (_, i) => String(i));
    const answers = await Promise.all(ids.map((id) => decide(ada, sample(id))));
    expect(answers).to.deep.equal(ids.map((id) => Number(id) % 3 === 0));
    expect(sizes).to.deep.equal([...new Array(10).fill(100), 50]);
    expect(most).to.equal(8);
    // Now they are known.
    await Promise.all(ids.map((id) => decide(ada, sample(id))));
    expect(sizes).to.have.lengthOf(11);
  });

  it('are shared by requests at the same time, except for lists, which always ask', async () => {
    let asked = 0;
    const decide = decisions({
      async ask(_person, resources) {
        asked += resources.length;
        return resources.map(() => true);
      },
    });
    expect(await Promise.all([1, 2, 3].map(() => decide(ada, sample('s'))))).to.deep.equal([true, true, true]);
    expect(asked).to.equal(1);
    const list: Resource = { type: 'registry', id: 'samples' };
    await decide(ada, list);
    await decide(ada, list);
    expect(asked).to.equal(3);
    // The same id as a file, or with another case, is another thing.
    await decide(ada, { type: 'file', id: 's' });
    await decide(ada, { type: 'sample', id: 's', case: 'c' });
    expect(asked).to.equal(5);
  });

  it('are no for people without a name, about whom nothing is asked', async () => {
    const decide = decisions({ ask: () => Promise.reject(new Error('asked')) });
    expect(await decide({ id: '', issuer: 'https://login.test' }, sample('s'))).to.equal(false);
  });

  it('fail with one sentence and a time to try again when their turn does not come', async () => {
    const begun: (() => void)[] = [];
    const decide = decisions({
      timeout: 0.02,
      cache: 0,
      ask: (_person, resources) => new Promise((resolve) => begun.push(() => resolve(resources.map(() => true)))),
    });
    const people = Array.from({ length: 9 }, (_, i): AuthorizedPerson => ({ id: `p${i}`, issuer: undefined }));
    const all = people.map((person) => decide(person, sample('s')));
    const late = await (all[8] as Promise<boolean>).catch((error: Fault) => error);
    expect(late).to.be.instanceOf(Fault);
    expect((late as Fault).headers).to.deep.equal({ 'Retry-After': '5' });
    expect((late as Fault).public).to.match(/^The system that decides who may see which sample cannot be asked/);
    for (const end of begun) end();
    expect(await Promise.all(all.slice(0, 8))).to.deep.equal(new Array(8).fill(true));
    // Turns were given back.
    const next = decide(ada, sample('s'));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    begun.at(-1)?.();
    expect(await next).to.equal(true);
  });
});

describe('questions to the case system', () => {
  const cases = useOnce(() => CaseSystem.start());

  for (const name of ['hangs', 'never ends'] as const) {
    it(`end in time if it ${name}`, async () => {
      cases.trouble = troubles[name];
      const error = await asker(cases)(ada, [sample('s')], 50).catch((thrown: unknown) => thrown);
      expect(isFault(error) && [error.code, error.message]).to.deep.equal([
        'unavailable',
        'did not respond within 0.05 s',
      ]);
    });
  }
});
