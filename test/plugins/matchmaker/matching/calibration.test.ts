import { expect } from 'chai';
import fc from 'fast-check';
import { jsonOf } from '../../../../core/plugin.js';
import type { Patient, StoredPatient } from '../../../../plugins/matchmaker/contract.js';
import { readingText } from '../../../../plugins/matchmaker/matching/calibration.js';
import { explain } from '../../../../plugins/matchmaker/matching/explanation.js';
import { Profiler } from '../../../../plugins/matchmaker/matching/profile.js';
import { compareProfiles } from '../../../../plugins/matchmaker/matching/score.js';
import { MatchService } from '../../../../plugins/matchmaker/matching/service.js';
import type { Resources } from '../../../../plugins/matchmaker/resources/resources.js';
import { quiet } from '../../../support/storages.js';
import { featuresOf, patientOf, patientParts, smallWorld, worldOfDiseases } from './support/toy.js';

const weights = { genotype: 0.75, phenotype: 0.25 };

/** A store in memory, whose patients can be replaced. */
function storeOf(patients: readonly Patient[]) {
  const saved = patients.map(
    (patient, i): StoredPatient => ({
      number: i + 1,
      version: 1,
      owner: 'tester',
      created: new Date(0),
      updated: new Date(0),
      patient,
    }),
  );
  let reads = 0;
  return {
    get reads() {
      return reads;
    },
    add(patient: Patient) {
      saved.push({ ...(saved[0] as StoredPatient), number: saved.length + 1, patient });
    },
    async *changesSince(revision: number) {
      const unseen = saved.slice(revision);
      if (unseen.length > 0) yield { revision: saved.length, saved: unseen, removed: [] };
    },
    async patientsByNumber(numbers: readonly number[]) {
      reads++;
      return saved.filter(({ number }) => numbers.includes(number));
    },
  };
}

describe('matchmaker: readings of scores', () => {
  let resources: Resources;
  let drawn: Patient[];
  before(async () => {
    resources = await smallWorld();
    drawn = fc
      .sample(patientParts, { numRuns: 70, seed: 3 })
      .map((parts, i) => patientOf(`P${i}`, { ...parts, features: [...(parts.features ?? []), ...featuresOf(220)] }));
  });

  const served = async (patients: readonly Patient[]) => {
    const store = storeOf(patients);
    const service = new MatchService({ patients: store, resources: () => resources, log: quiet, weights });
    await service.ready();
    await service.calibrated();
    return { store, service };
  };
  const asked = { weights, limit: 5, threshold: 0, places: 2 };

  it('are the share of pairs of the stored patients with a lower score', async () => {
    const { service } = await served(drawn);
    try {
      const profiler = new Profiler(resources);
      const profiles = drawn.map((patient) => profiler.profile(patient));
      const all = profiles.flatMap((one, i) =>
        profiles
          .filter((_, j) => i !== j)
          .map((other) => compareProfiles(one, other, profiler.information, weights).total),
      );
      for (const score of [0, 0.05, 0.2, 0.3, 0.5, 1.01]) {
        const reading = service.reading(score);
        expect(reading).to.include({ patients: 70, pairs: (70 * 69) / 2 });
        const below = (100 * all.filter((other) => other < score).length) / all.length;
        // 2,415 pairs drawn out of these: four standard deviations are at most 4 · 50 / √2415 = 4.07 percent.
        expect(reading?.higherThan).to.be.within(below - 4.08, below + 4.08);
      }
      expect(service.reading(0)?.higherThan).to.equal(0);
      expect(service.reading(1.01)?.higherThan).to.equal(100);
      const { matches } = await service.match(patientOf('q', { features: featuresOf(220) }), asked);
      const [match] = matches;
      expect(match?.reading).to.eql(service.reading(match?.score.total ?? 0));
    } finally {
      await service.close();
    }
  });

  it('are the same for the same patients, are kept between requests, and follow a change of a fifth', async () => {
    const [one, two] = [await served(drawn), await served(drawn)];
    try {
      for (let score = 0; score <= 1; score += 0.01) {
        expect(one.service.reading(score)).to.eql(two.service.reading(score));
      }
      const before = one.store.reads;
      const query = patientOf('q', { features: featuresOf(220) });
      for (let i = 0; i < 3; i++) await one.service.match(query, asked);
      await one.service.calibrated();
      expect(one.store.reads - before, 'reads of three requests, and none of a sample').to.equal(3);
      const patients = () => one.service.reading(0.1)?.patients;
      for (let i = 0; i < 13; i++) one.store.add(patientOf(`N${i}`, { features: featuresOf(204) }));
      await one.service.match(query, asked);
      await one.service.calibrated();
      expect(patients(), '13 of 70 are less than a fifth').to.equal(70);
      one.store.add(patientOf('N13', { features: featuresOf(204) }));
      await one.service.match(query, asked);
      await one.service.calibrated();
      expect(patients(), '14 are a fifth').to.equal(84);
    } finally {
      await one.service.close();
      await two.service.close();
    }
  });

  it('are not given for fewer than 50 patients', async () => {
    const { service } = await served(drawn.slice(0, 49));
    try {
      expect(service.reading(0.5)).to.equal(undefined);
    } finally {
      await service.close();
    }
  });

  it('are put in words', () => {
    expect(readingText({ higherThan: 99.7, pairs: 50_000 })).to.equal(
      'higher than 99.7 % of 50,000 random pairs of patients in this node',
    );
    expect(readingText({ higherThan: 100, pairs: 1225 }, 'the node that found it')).to.equal(
      'higher than all 1,225 random pairs of patients in the node that found it',
    );
  });
});

describe('matchmaker: what entries of an explanation add', () => {
  it('is the score, all together', async () => {
    const profiler = new Profiler(await worldOfDiseases());
    fc.assert(
      fc.property(patientParts, patientParts, (mine, theirs) => {
        const [query, found] = [mine, theirs].map((parts, i) => {
          const patient = patientOf(`${i}`, parts);
          return { patient, profile: profiler.profile(patient) };
        }) as [Parameters<typeof explain>[0], Parameters<typeof explain>[0]];
        const score = compareProfiles(query.profile, found.profile, profiler.information, weights);
        const { _matchedGenes, _matchedVariants, _matchedFeatures, _disordersAdd } = explain(query, found, profiler, {
          score,
        });
        expect(jsonOf(_matchedFeatures ?? {})).to.equal(JSON.stringify(_matchedFeatures ?? {}));
        const sum = (entries: readonly { adds?: number }[] = []) =>
          entries.reduce((total, { adds = 0 }) => total + adds, 0);
        const entries =
          1 +
          [_matchedGenes, _matchedVariants, _matchedFeatures].reduce((count, list) => count + (list?.length ?? 0), 0);
        // Each entry is rounded to 0.0001.
        const most = entries * 0.00005 + 1e-9;
        expect(sum(_matchedFeatures) + (_disordersAdd ?? 0)).to.be.closeTo(score.phenotype, most);
        expect(sum(_matchedGenes) + sum(_matchedVariants)).to.be.closeTo(score.genotype, most);
      }),
    );
  });
});
