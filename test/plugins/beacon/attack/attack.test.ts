/**
 * An attacker who knows the genome of his target and the frequency of every allele: how often he finds members at 5 % false
 * positives. The table of all rows for any seed: `npm run bench -- attack --seed 7`.
 */
import { expect } from 'chai';
import { aloneInRegion, betweenPrices, draining, linkedPairs, repeating, twoDays } from './support/adaptive.js';
import { type Attacker, attacked, type Groups, randomOrder, rarestFirst, stops } from './support/attack.js';
import { budgeted, type Defence, flipped, open, yesFrom } from './support/defences.js';
import { powerOf, standing } from './support/power.js';
import { bar, fewRegions, inPairs, keptBy, measured, profiles } from './support/rows.js';
import { makeWorld, type World } from './support/world.js';

/** `TEST_HISTORIES` multiplies the people, and divides the standard error by its root. */
const runs = Number(process.env.TEST_HISTORIES ?? 0.5);
const groups = (members: number, outsiders: number): Groups => ({
  members: Math.min(1000, Math.round(members * runs)),
  outsiders: Math.round(outsiders * runs),
});

describe('attack on membership', function () {
  this.timeout(600_000);
  let world: World;
  before(() => {
    world = makeWorld({ seed: 20, members: 1000, loci: 100_000 });
  });

  /** The attacker stops at his best number of questions. */
  const best = (defence: Defence, attacker: Attacker, some: Groups, where = world) => {
    const { powers } = attacked(where, defence, attacker, some);
    return powers.reduce((one, other) => (other.power > one.power ? other : one));
  };

  const expectFound = (defence: Defence, attacker: Attacker, some: Groups, where = world) => {
    const { power } = best(defence, attacker, some, where);
    expect(power, `${defence.name}, ${attacker.name}`).to.be.above(1.5 * bar);
  };

  /** Within twice the sampling error of this number of people. */
  const expectBound = (defence: Defence, attacker: Attacker, some: Groups, where = world) => {
    const { power, error, falsePositives } = best(defence, attacker, some, where);
    const told = `${defence.name}, ${attacker.name}: ${power.toFixed(3)} ± ${error.toFixed(3)}`;
    expect(standing({ power, error }, bar), told).to.not.equal('above');
    expect(falsePositives, told).to.be.at.most(0.05 + 4 * Math.sqrt((0.05 * 0.95) / some.outsiders));
  };

  it('sees what is known of unprotected answers: five questions of the rarest alleles, thousands at random', () => {
    const rare = attacked(world, open, rarestFirst, { members: 150, outsiders: 300 }).powers;
    // Published figures for this world: 11, 29, 58 and 100 % after 1, 2, 3 and 5 questions, with an error of 2.5 %.
    [0.11, 0.29, 0.58, 1].forEach((known, stop) => {
      const { power = 0, error = 1 } = rare[stop] ?? {};
      expect(power, `${stops[stop]} questions`).to.be.closeTo(known, 3 * Math.hypot(error, 0.025));
    });
    const { powers } = attacked(world, open, randomOrder, { members: 20, outsiders: 40 });
    expect(powers.at(-1)?.power).to.be.above(0.95);
    expect(powers[3]?.power).to.be.below(0.3);
  });

  it('finds members despite two carriers, hidden alleles or a large budget', () => {
    expectFound(yesFrom('yes from 2 carriers', 2), rarestFirst, groups(40, 80));
    expectFound(flipped('15 % of unique alleles hidden', 0.15), rarestFirst, groups(40, 80));
    expectFound(
      budgeted({ name: 'budget 0.05', budget: 0.05, least: 1, share: measured }),
      rarestFirst,
      groups(60, 120),
    );
  });

  for (const [name, defence] of Object.entries(profiles)) {
    it(`finds no more members of a protected dataset than the profile allows: ${name}`, () => {
      expectBound(defence, rarestFirst, groups(80, 200));
      expectBound(defence, twoDays(20), groups(60, 120));
    });
  }

  it('asks again, spends the budgets of others and compares two days, and each rule against it is needed', () => {
    const careful = { budget: 0.5, least: 1, share: measured };
    const few = groups(40, 80);
    const again = budgeted({ ...careful, name: 'repeats charged again', forgets: true, ignoresRegions: true });
    expectBound(profiles.named, repeating, groups(80, 160));
    expectBound(profiles.named, draining(3000), few);
    expectFound(again, repeating, few);
    expectFound(budgeted({ ...careful, name: 'crowd not counted', ignoresCrowd: true }), draining(3000), few);
    expectFound(budgeted({ ...careful, name: 'newcomers not counted', ignoresDays: true }), twoDays(20), few);
  });

  it('asks for one of two linked alleles after the other, or empties a region, and each rule against it is needed', () => {
    const careful = { budget: 0.5, least: 1, share: measured };
    const size = { seed: 20, members: 1000, loci: 50_000 };
    const pairs = makeWorld({ ...size, ...inPairs });
    const again = budgeted({ ...careful, name: 'a person counts again in a region', ignoresRegions: true });
    const onlyYes = budgeted({ ...careful, name: 'only a yes consults people', consultsForYes: true });
    const crowd = budgeted({ ...careful, name: 'consulted stay in the crowd', keepsConsulted: true });
    const few = groups(120, 240);
    for (const attacker of [linkedPairs, betweenPrices]) expectBound(profiles.named, attacker, few, pairs);
    expectBound(profiles.anonymous, linkedPairs, groups(80, 160), pairs);
    for (const defence of [again, onlyYes]) expectFound(defence, betweenPrices, few, pairs);
    const emptied = makeWorld({ ...size, ...fewRegions });
    expectBound(profiles.named, aloneInRegion, groups(40, 80), emptied);
    expectFound(crowd, aloneInRegion, groups(40, 80), emptied);
    expect(keptBy(profiles.named, pairs).all).to.be.at.least(0.95);
    expect(keptBy(profiles.anonymous, pairs).all).to.be.at.least(0.75);
  });

  it('leaves enough true answers: 95 % for named callers, 75 % for anonymous ones', () => {
    expect(keptBy(profiles.named, world).all).to.be.at.least(0.95);
    expect(keptBy(profiles.anonymous, world).all).to.be.at.least(0.75);
    expect(keptBy(open, world).all).to.equal(1);
  });
});

describe('power of a test', () => {
  it('is taken at exactly 5 % false positives, with those at the threshold by lot', () => {
    const outsiders = Float64Array.from({ length: 100 }, (_, i) => (i < 10 ? 1 : 0));
    // Half of those with a score of 1 make 5 %.
    const { power, falsePositives } = powerOf(Float64Array.of(1, 1, 0, 0), outsiders, Float64Array.of(1, 0, 0, 2));
    expect(power).to.be.closeTo(0.25, 1e-12);
    expect(falsePositives).to.be.closeTo((0.5 + 1) / 4, 1e-12);
  });

  it('is above a bar only by more than twice its error', () => {
    expect(standing({ power: 0.12, error: 0.001 }, 0.12)).to.equal('within');
    expect(standing({ power: 0.15, error: 0.016 }, 0.12)).to.equal('unclear');
    expect(standing({ power: 0.15, error: 0.014 }, 0.12)).to.equal('above');
  });

  it('is 5 % if the scores tell nothing', () => {
    const same = new Float64Array(400);
    const { power, falsePositives } = powerOf(same, same, same);
    expect(power).to.be.closeTo(0.05, 1e-12);
    expect(falsePositives).to.be.closeTo(0.05, 1e-12);
  });
});
