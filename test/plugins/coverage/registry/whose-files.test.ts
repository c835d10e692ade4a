/**
 * How often simulated calls are told from those of another sample, and parts of files from files of other people. The shares that
 * the guide states are printed here; `SEED=7` chooses other people. The whole suite takes a quarter of the people.
 */
import { expect } from 'chai';
import { callsFit } from '../../../../plugins/coverage/samples/calls-fit.js';
import { isWithin, scatterOf } from '../../../../plugins/coverage/samples/nested-files.js';
import { fewer } from '../../../support/sample.js';
import { type Assay, assayOf, type Chance, calledOf, chanceOf, partOf, personOf } from '../support/assays.js';

const seed = Number(process.env.SEED ?? 1);

/** Places, spread, and the rest; by name. */
const assays: Readonly<Record<string, (chance: Chance) => Assay>> = {
  'a 30x genome': (chance) => assayOf(200, 0.05, { depth: 30, own: 0.05, called: 0.95 }, chance),
  'a 30x genome of which the caller leaves out a third': (chance) =>
    assayOf(200, 0.05, { depth: 30, own: 0.05, called: 0.67 }, chance),
  'a 100x exome': (chance) => assayOf(200, 0.5, { depth: 100, own: 0.1, called: 0.95 }, chance),
  'a 100x exome with 60 variants': (chance) => assayOf(60, 0.5, { depth: 100, own: 0.1, called: 0.9 }, chance),
  'a 500x panel': (chance) => assayOf(80, 0.6, { depth: 500, own: 0.1, called: 0.9 }, chance),
  '2,000x amplicons': (chance) => assayOf(100, 1, { depth: 2000, own: 0.3, called: 0.95 }, chance),
};

describe(`calls and coverage files of simulated assays, seed ${seed}`, () => {
  const people = fewer(40, 4);
  for (const [name, make] of Object.entries(assays)) {
    for (const others of [1, 20]) {
      it(`belong together or not in ${name}, beside ${others}`, () => {
        const chance = chanceOf(seed);
        const counts = { found: 0, accused: 0, untold: 0, accusedAbsent: 0 };
        for (let i = 0; i < people; i++) {
          const assay = make(chance);
          const [own, ...rest] = Array.from({ length: 1 + others }, () => personOf(assay, chance));
          if (own === undefined || rest[0] === undefined) throw new Error('there are two people');
          const right = callsFit(calledOf(assay, own, chance), own, rest);
          if (right.outcome === 'elsewhere') counts.accused++;
          if (right.outcome === 'untold') counts.untold++;
          const swapped = callsFit(calledOf(assay, rest[0], chance), own, rest);
          if (swapped.outcome === 'elsewhere' && swapped.best?.place === 0) counts.found++;
          // The calls of somebody whose file is not there: nobody is to be named.
          const absent = callsFit(calledOf(assay, personOf(assay, chance), chance), own, rest);
          if (absent.outcome === 'elsewhere') counts.accusedAbsent++;
        }
        console.log(`      of ${people}: ${JSON.stringify(counts)}`);
        expect(counts).to.deep.include({ found: people, accused: 0, untold: 0, accusedAbsent: 0 });
      });
    }
  }

  it('are said to be untold, with the reason, if they cannot be told', () => {
    const chance = chanceOf(seed);
    const assay = assayOf(200, 0.5, { depth: 300, own: 0.1, called: 0.95 }, chance);
    const [own, other] = [personOf(assay, chance), personOf(assay, chance)];
    const called = calledOf(assay, own, chance);
    const reasonOf = (...asked: Parameters<typeof callsFit>) => callsFit(...asked).reason;
    expect(reasonOf(called.slice(0, 59), own.slice(0, 59), [other.slice(0, 59)])).to.equal('few');
    expect(reasonOf(called, own, [])).to.equal('alone');
    expect(reasonOf(calledOf({ ...assay, cap: 150 }, own, chance), own, [other])).to.equal('uniform');
    expect(
      reasonOf(
        called,
        own.map((depth) => Math.min(depth, 150)),
        [other],
      ),
    ).to.equal('uniform');
    expect(reasonOf(calledOf(assay, personOf(assay, chance), chance), own, [other, personOf(assay, chance)])).to.equal(
      'none',
    );
    expect(callsFit(called, own, [own, other]).outcome, 'two copies of one file').to.equal('elsewhere');
  });
});

describe(`parts of files of simulated assays, seed ${seed}`, () => {
  const rounds = fewer(10, 4);
  const made: Readonly<Record<string, (chance: Chance) => Assay>> = {
    'a 30x genome': (chance) => assayOf(8000, 0.05, { depth: 30, own: 0.02, called: 1 }, chance),
    'a 100x exome': (chance) => assayOf(8000, 0.5, { depth: 100, own: 0.1, called: 1 }, chance),
    'a 100x exome without any depth of one’s own': (chance) =>
      assayOf(8000, 0.5, { depth: 100, own: 0, called: 1 }, chance),
    'a 500x panel': (chance) => assayOf(500, 0.6, { depth: 500, own: 0.05, called: 1 }, chance),
    '2,000x amplicons': (chance) => assayOf(400, 1, { depth: 2000, own: 0.2, called: 1 }, chance),
  };
  for (const [name, make] of Object.entries(made)) {
    it(`are told from files of others in ${name}`, () => {
      const chance = chanceOf(seed);
      const found: Record<string, number> = {};
      for (const share of [1, 0.9, 0.5, 0.25, 0.1]) {
        for (let i = 0; i < rounds; i++) {
          const assay = make(chance);
          const whole = personOf(assay, chance, 1);
          if (scatterOf(whole, partOf(whole, share, chance), 10)) found[share] = (found[share] ?? 0) + 1;
          expect(scatterOf(whole, personOf(assay, chance, share), 10), `${share} of the depth`).to.equal(undefined);
          // Places in runs of the inner file, with the depth that a run at 10x needs.
          const other = personOf(assay, chance, share).map((depth) => (depth < 10 ? 0 : depth));
          expect(scatterOf(whole, other, 20), `${share} of the depth, in runs`).to.equal(undefined);
        }
      }
      console.log(`      found of ${rounds}, by share of the reads: ${JSON.stringify(found)}`);
      expect([found[1], found[0.9], found[0.5]]).to.deep.equal([rounds, rounds, rounds]);
    });
  }

  it('are not told by runs: those of a deep sample hold those of a shallow one', () => {
    const chance = chanceOf(seed);
    const assay = assayOf(2000, 0.5, { depth: 30, own: 0.1, called: 1 }, chance);
    const runsOf = (depths: Float64Array) =>
      Uint32Array.from([...depths].flatMap((depth, i) => (depth >= 10 ? [100 * i, 100 * i + 50] : [])));
    const [shallow, alike, deep] = [1, 1, 10].map((deeper) => runsOf(personOf(assay, chance, deeper)));
    if (!shallow || !alike || !deep) throw new Error('there are three people');
    expect([isWithin(shallow, deep), isWithin(shallow, alike), isWithin(deep, shallow)]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('are not told from depths that are capped', () => {
    const chance = chanceOf(seed);
    const assay = assayOf(2000, 0.5, { depth: 500, own: 0.1, called: 1 }, chance);
    const capped = () => personOf(assay, chance, 1).map((depth) => Math.min(depth, 250));
    expect(scatterOf(capped().fill(250), capped().fill(250), 10)).to.equal(undefined);
    expect(scatterOf(capped(), capped(), 10)).to.equal(undefined);
  });

  it('finds runs in runs as a plain search does', () => {
    const chance = chanceOf(seed);
    const random = (count: number) =>
      Uint32Array.from(
        [...new Set(Array.from({ length: 2 * count }, () => Math.floor(60 * chance())))].sort((a, b) => a - b),
      );
    for (let i = 0; i < 2000; i++) {
      const [inner, outer] = [random(3), random(6)].map((runs) => runs.subarray(0, runs.length & ~1));
      if (inner === undefined || outer === undefined) throw new Error('there are two lists');
      const covered = (runs: Uint32Array, base: number) =>
        runs.some((_, at) => at % 2 === 0 && (runs[at] as number) <= base && base < (runs[at + 1] as number));
      // A run may join two of the other, which leave a gap.
      const plain = Array.from({ length: 60 }, (_, base) => base).every(
        (base) => !covered(inner, base) || covered(outer, base),
      );
      expect(isWithin(inner, outer), `${inner} in ${outer}`).to.equal(plain);
    }
  });
});
