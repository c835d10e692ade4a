/** The price of an answer, against sums of binomial terms in whole numbers. */
import { expect } from 'chai';
import fc from 'fast-check';
import { carrierShare, knownShare, lowerShare, priceOfQuestion } from '../../../../plugins/beacon/protection/spend.js';

/** P(Bin(people, of hundred %) ≥ least) by whole numbers, to 30 decimals. */
function naive(people: number, hundredths: number, least: number): number {
  const [yes, no] = [BigInt(hundredths), BigInt(100 - hundredths)];
  let row = [1n];
  for (let n = 1; n <= people; n++) row = Array.from({ length: n + 1 }, (_, i) => (row[i - 1] ?? 0n) + (row[i] ?? 0n));
  const tail = row.reduce(
    (sum, ways, i) => (i < least ? sum : sum + ways * yes ** BigInt(i) * no ** BigInt(people - i)),
    0n,
  );
  return Number((tail * 10n ** 30n) / 100n ** BigInt(people)) / 1e30;
}

describe('price of an answer', () => {
  it('is −log of the chance that as many people at random give the same answer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 99 }),
        fc.integer({ min: 1, max: 5 }),
        (people, hundredths, least) => {
          fc.pre(least <= people);
          const chance = naive(people, hundredths, least);
          fc.pre(chance > 1e-20);
          const price = priceOfQuestion({ people, share: hundredths / 100, least });
          expect(Math.exp(-price)).to.be.closeTo(chance, 1e-12 + 1e-9 * chance);
        },
      ),
    );
  });

  it('knows the published cases by hand', () => {
    // 1 − (1 − 1/2000)^1000, and 1 − (1 − q)^1000 − 1000 q (1 − q)^999
    expect(priceOfQuestion({ people: 1000, share: 1 / 2000, least: 1 })).to.be.closeTo(0.9325, 5e-4);
    const second = 1 - 0.9995 ** 1000 - 1000 * 0.0005 * 0.9995 ** 999;
    expect(priceOfQuestion({ people: 1000, share: 1 / 2000, least: 2 })).to.be.closeTo(-Math.log(second), 1e-9);
    expect(priceOfQuestion({ people: 1000, share: 0.03, least: 1 })).to.be.closeTo(0.97 ** 1000, 1e-20);
    expect(priceOfQuestion({ people: 10, share: 1e-9, least: 3 })).to.be.closeTo(
      -Math.log(120) - 3 * Math.log(1e-9),
      1e-6,
    );
  });

  it('is nothing for what is certain and infinite for what is impossible', () => {
    expect(priceOfQuestion({ people: 10, share: 0.5, least: 0 })).to.equal(0);
    expect(priceOfQuestion({ people: 10, share: 1, least: 10 })).to.equal(0);
    expect(priceOfQuestion({ people: 10, share: 0.5, least: 11 })).to.equal(Number.POSITIVE_INFINITY);
    expect(priceOfQuestion({ people: 10, share: 0, least: 1 })).to.equal(Number.POSITIVE_INFINITY);
    expect(priceOfQuestion({ people: 0, share: 0.5, least: 1 })).to.equal(Number.POSITIVE_INFINITY);
  });

  it('rises as alleles get rarer, carriers are asked for in larger numbers, and people get fewer', () => {
    const size = fc.integer({ min: 1, max: 100_000 });
    const share = fc.double({ min: 1e-7, max: 0.9, noNaN: true });
    fc.assert(
      fc.property(size, share, fc.integer({ min: 1, max: 12 }), (people, q, least) => {
        const price = priceOfQuestion({ people, share: q, least });
        const enough = Math.min(price, Number.MAX_VALUE) * (1 - 1e-9) - 1e-9;
        expect(price).to.be.at.least(0);
        expect(priceOfQuestion({ people, share: q / 2, least })).to.be.at.least(enough);
        expect(priceOfQuestion({ people, share: q, least: least + 1 })).to.be.at.least(enough);
        expect(priceOfQuestion({ people: Math.floor(people / 2), share: q, least })).to.be.at.least(enough);
      }),
    );
  });
});

describe('frequencies that prices rest on', () => {
  it('are the lower bound of what was counted', () => {
    // Wilson's interval with z = 1.645: 10 of 100 has 0.0607 as its lower end, 1 of 1,000 0.000223.
    expect(lowerShare({ seen: 10, of: 100 })).to.be.closeTo(0.0607, 1e-4);
    expect(lowerShare({ seen: 1, of: 1000 })).to.be.closeTo(0.000223, 1e-6);
    expect(lowerShare({ seen: 0, of: 1000 })).to.equal(0);
    expect(lowerShare({ seen: 0, of: 0 })).to.equal(0);
  });

  it('are never above the count, and approach it with many', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 1000 }), (seen, more) => {
        const of = seen + more;
        const small = lowerShare({ seen, of });
        expect(small).to.be.within(0, seen / of);
        expect(lowerShare({ seen: seen * 1e4, of: of * 1e4 })).to.be.within(small, seen / of);
      }),
    );
  });

  it('come from a reference if there is one, else from the carriers but one', () => {
    const reference = { seen: 350, of: 700_000 };
    expect(knownShare({ people: 1000, carriers: 1, reference })).to.equal(carrierShare(lowerShare(reference)));
    expect(knownShare({ people: 1000, carriers: 9, reference: { seen: 0, of: 700_000 } })).to.equal(0);
    expect(knownShare({ people: 1000, carriers: 1 })).to.equal(0);
    expect(knownShare({ people: 1000, carriers: 11 })).to.equal(lowerShare({ seen: 10, of: 999 }));
  });

  it('count a carrier for either of two copies', () => {
    expect(carrierShare(0.1)).to.be.closeTo(1 - 0.9 ** 2, 1e-12);
    expect(carrierShare(1)).to.equal(1);
  });
});
