/** Answers at the expense of their carriers, each person with a budget for each account. */
import { expect } from 'chai';
import fc from 'fast-check';
import {
  answerBySpending,
  budgetOfRules,
  decayedSpending,
  free,
  newcomersOfPublications,
  type SpendingRules,
  type SpentBy,
} from '../../../../plugins/beacon/protection/spend.js';

const half: SpendingRules = { budget: 0.5, least: 1 };

/** Everyone in a dataset of this size who has spent something, and the carriers of one question. */
function asked(people: number, share: number, carriers: Record<string, number>, others: readonly SpentBy[] = []) {
  const spent = Object.values(carriers)
    .filter((one) => one > 0)
    .map((one) => ({ spent: one, people: 1 }));
  return { people, share, carriers: new Map(Object.entries(carriers)), spent: [...others, ...spent] };
}

/** "No", after these were consulted. */
const saysNo = (...consults: string[]) => ({ exists: false, charges: new Map(), consults });

describe('answers at the expense of their carriers', () => {
  it('costs every carrier the price of the answer', () => {
    // −log(1 − 0.998^1000) = 0.1451
    const { exists, charges } = answerBySpending(asked(1000, 0.002, { ann: 0, bo: 0.3 }), half);
    expect(exists).to.equal(true);
    expect(charges.get('ann')).to.be.closeTo(0.1451, 1e-4);
    expect(charges.get('bo')).to.be.closeTo(0.4451, 1e-4);
  });

  it('leaves out those who cannot pay, without a sign', () => {
    expect(answerBySpending(asked(1000, 0.002, { ann: 0.6 }), half)).to.deep.equal(saysNo('ann'));
    const { exists, charges } = answerBySpending(asked(1000, 0.002, { ann: 0.6, bo: 0 }), half);
    expect([exists, [...charges.keys()]]).to.deep.equal([true, ['bo']]);
  });

  it('refuses what costs more than a whole budget, and what nobody else is known to carry', () => {
    expect(answerBySpending(asked(1000, 1 / 2000, { ann: 0 }), half).exists).to.equal(false);
    expect(answerBySpending(asked(1000, 0, { ann: 0, bo: 0, cy: 0 }), half).exists).to.equal(false);
  });

  it('charges nothing for common alleles, whatever was spent before', () => {
    const all = { ann: 0.69, bo: 0.69 };
    expect(answerBySpending(asked(1000, 0.05, all, [{ spent: 0.69, people: 998 }]), half)).to.deep.equal({
      exists: true,
      charges: new Map(),
      consults: [],
    });
  });

  it('counts carriers who can pay towards the least number, and charges nobody for "no"', () => {
    const rule = { budget: 0.5, least: 3 };
    expect(answerBySpending(asked(1000, 0.004, { ann: 0, bo: 0, cy: 0.69 }), rule)).to.deep.equal(
      saysNo('ann', 'bo', 'cy'),
    );
    expect(answerBySpending(asked(1000, 0.004, { ann: 0, bo: 0, cy: 0 }), rule).charges.size).to.equal(3);
  });

  it('costs more once others have spent their budgets: the rest are a smaller crowd to hide in', () => {
    const fresh = answerBySpending(asked(1000, 0.002, { ann: 0 }), half);
    expect(fresh.charges.get('ann')).to.be.closeTo(-Math.log(1 - 0.998 ** 1000), 1e-9);
    const crowd = answerBySpending(asked(1000, 0.002, { ann: 0 }, [{ spent: 0.6, people: 600 }]), half);
    expect(crowd.charges.get('ann')).to.be.closeTo(-Math.log(1 - 0.998 ** 400), 1e-9);
    expect(answerBySpending(asked(1000, 0.002, { ann: 0 }, [{ spent: 0.6, people: 900 }]), half).exists).to.equal(
      false,
    );
    // Those who can still pay the price of the larger crowd belong to it.
    const able = answerBySpending(asked(1000, 0.004, { ann: 0 }, [{ spent: 0.6, people: 900 }]), half);
    expect(able.charges.get('ann')).to.be.closeTo(-Math.log(1 - 0.996 ** 1000), 1e-9);
  });

  it('counts nobody who was consulted about the region before, and leaves them out of its crowd', () => {
    const consulted = new Set(['ann', 'cy']);
    const question = { ...asked(1000, 0.002, { ann: 0, bo: 0 }), consulted };
    const { exists, charges, consults } = answerBySpending(question, half);
    expect([exists, [...charges.keys()], consults]).to.deep.equal([true, ['bo'], ['bo']]);
    expect(charges.get('bo')).to.be.closeTo(-Math.log(1 - 0.998 ** 998), 1e-9);
    expect(answerBySpending({ ...asked(1000, 0.002, { ann: 0 }), consulted }, half)).to.deep.equal(saysNo());
    // Common alleles tell nothing of anyone.
    expect(answerBySpending({ ...asked(1000, 0.05, { ann: 0 }), consulted }, half).exists).to.equal(true);
    // An older carrier who was consulted does not count: it depends on the newcomers.
    const newcomers = [{ people: 100, older: ['ann'] }];
    const late = answerBySpending(
      { ...asked(1000, 0.01, { ann: 0, bo: 0 }), newcomers, consulted: new Set(['ann']) },
      half,
    );
    expect(late.charges.get('bo')).to.be.closeTo(-Math.log(1 - 0.99 ** 99), 1e-9);
  });

  it('consults the carriers whatever the answer is, unless it is "no" whoever carries the allele', () => {
    expect(answerBySpending(asked(1000, 0.002, { ann: 0.6, bo: 0 }), half).consults).to.deep.equal(['ann', 'bo']);
    expect(answerBySpending(asked(1000, 0.001, { ann: 0 }), { budget: 0.5, least: 2 }).consults).to.deep.equal([]);
    expect(answerBySpending(asked(1000, 0.004, { ann: 0 }), { budget: 0.5, least: 2 }).consults).to.deep.equal(['ann']);
    expect(answerBySpending(asked(1000, 1 / 2000, { ann: 0 }), half).consults).to.deep.equal([]);
  });

  it('is priced by newcomers where it depends on them: who asked before knows that it was no', () => {
    // 1 − 0.99^100 = 0.634 of the newcomers alone, and nearly 1 of all thousand: 0.456 instead of 0.
    const question = asked(1000, 0.01, { ann: 0, bo: 0 });
    const newcomers = [{ people: 100, older: [] }];
    expect(answerBySpending({ ...question, newcomers }, half).charges.get('ann')).to.be.closeTo(
      -Math.log(1 - 0.99 ** 100),
      1e-9,
    );
    expect(answerBySpending({ ...question, newcomers: [{ people: 20, older: [] }] }, half).exists).to.equal(false);
    // With an older carrier it does not depend on them, unless he cannot pay.
    expect(answerBySpending({ ...question, newcomers: [{ people: 20, older: ['bo'] }] }, half).exists).to.equal(true);
    const spent = asked(1000, 0.002, { ann: 0, bo: 0.69 });
    expect(answerBySpending({ ...spent, newcomers: [{ people: 20, older: ['bo'] }] }, half).exists).to.equal(false);
  });

  it('is priced by whichever publication makes it cost most, of any number', () => {
    const person = fc.record({ since: fc.integer({ min: 1, max: 6 }), spent: fc.constantFrom(0, 0.1, 0.4, 0.68) });
    const rule = fc.record({ budget: fc.constantFrom(0.2, 0.5), least: fc.integer({ min: 1, max: 4 }) });
    const share = fc.constantFrom(0.005, 0.02, 0.05);
    // Each publication brings 100 people.
    const others = Array.from({ length: 600 }, (_, i): [string, number] => [`o${i}`, 1 + Math.floor(i / 100)]);
    const property = fc.property(fc.array(person, { maxLength: 8 }), rule, share, (carrying, allowed, share) => {
      const carriers = carrying.map((one, i) => ({ ...one, name: `c${i}` }));
      const published = new Map([...others, ...carriers.map(({ name, since }): [string, number] => [name, since])]);
      const spent = [{ spent: 0.3, people: 50 }];
      const budget = budgetOfRules(allowed);
      /** What the answer costs if only as many people, and as few carriers, matter. */
      const priceFor = (people: number, least: number) => {
        const fresh = new Map(Array.from({ length: least }, (_, i) => [`f${i}`, 0]));
        const { exists, charges } = answerBySpending({ carriers: fresh, people, spent, share }, { ...allowed, least });
        return exists ? (charges.get('f0') ?? 0) : Number.POSITIVE_INFINITY;
      };
      let price = priceFor(published.size, allowed.least);
      for (let before = -1; before < price && price <= budget; ) {
        before = price;
        for (const publication of [2, 3, 4, 5, 6]) {
          const late = [...published.values()].filter((since) => since >= publication).length;
          const paying = carriers.filter((one) => one.since < publication && one.spent + before <= budget).length;
          if (paying < allowed.least) price = Math.max(price, priceFor(late, allowed.least - paying));
        }
      }
      const names = carriers.map(({ name }) => name);
      const asking = { carriers: new Map(carriers.map(({ name, spent }) => [name, spent])), share, spent };
      const { charges } = answerBySpending(
        { ...asking, people: published.size, newcomers: newcomersOfPublications(published, names) },
        allowed,
      );
      const paid = carriers.filter((one) => price > 0 && one.spent + price <= budget);
      const expected = paid.length < allowed.least ? [] : paid.map((one) => [one.name, one.spent + price]);
      expect([...charges].map(([name]) => name)).to.deep.equal(expected.map(([name]) => name));
      for (const [name, now] of expected) expect(charges.get(name as string)).to.be.closeTo(now as number, 1e-12);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('never lets anyone spend more than the budget, in any order of questions', () => {
    const question = fc.record({
      carriers: fc.uniqueArray(fc.integer({ min: 0, max: 29 }), { minLength: 1, maxLength: 12 }),
      share: fc.double({ min: 1e-4, max: 0.3, noNaN: true }),
    });
    const rule = fc.record({ budget: fc.constantFrom(0.2, 0.5, 0.9), least: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(fc.array(question, { maxLength: 60 }), rule, (questions, allowed) => {
        const spent = new Map<string, number>();
        for (const { carriers, share } of questions) {
          const named = new Map(carriers.map((one) => [`p${one}`, spent.get(`p${one}`) ?? 0]));
          const levels = [...spent.values()].map((one) => ({ spent: one, people: 1 }));
          const first = answerBySpending({ carriers: named, people: 30, spent: levels, share }, allowed);
          expect(answerBySpending({ carriers: named, people: 30, spent: levels, share }, allowed)).to.deep.equal(first);
          if (first.exists) expect(named.size).to.be.at.least(allowed.least);
          else expect(first.charges.size).to.equal(0);
          for (const [name, now] of first.charges) {
            expect(now).to.be.within((spent.get(name) ?? 0) + free, budgetOfRules(allowed) + 1e-12);
            spent.set(name, now);
          }
        }
      }),
    );
  });

  it('gives back half of what was spent in each half-life', () => {
    expect(decayedSpending(0.4, 0, 90)).to.equal(0.4);
    expect(decayedSpending(0.4, 90, 90)).to.be.closeTo(0.2, 1e-12);
    expect(decayedSpending(0.4, 270, 90)).to.be.closeTo(0.05, 1e-12);
    expect(decayedSpending(0.4, -1, 90)).to.equal(0.4);
  });
});
