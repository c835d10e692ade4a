import { expect } from 'chai';
import fc from 'fast-check';
import type { Changes, Patient } from '../../plugins/matchmaker/contract.js';
import { Follower } from '../../plugins/matchmaker/matching/follower.js';
import type { Profile } from '../../plugins/matchmaker/matching/profile.js';
import { bruteForce, featuresOf, patientOf, patientParts, smallWorld } from './support/toy.js';

const stored = (number: number, patient: Patient) => ({
  number,
  version: 1,
  owner: 'tester',
  created: new Date(0),
  updated: new Date(0),
  patient,
});

describe('matchmaker: following changes', () => {
  it('compacts once much is dead, and answers right before, during and after', async () => {
    const resources = await smallWorld();
    const parts = fc.sample(patientParts, { numRuns: 1700, seed: 3 });
    const patient = (number: number, drawn: number) => patientOf(`P${number}`, parts[drawn] ?? {});
    const first = Array.from({ length: 1200 }, (_, i) => stored(i + 1, patient(i + 1, i)));
    const second = Array.from({ length: 500 }, (_, i) => stored(2 * i + 1, patient(2 * i + 1, 1200 + i)));
    const log: Changes[] = [
      { revision: 1, saved: first, removed: [] },
      { revision: 2, saved: second, removed: [2, 4, 6] },
    ];
    let known = 1;
    const follower = new Follower(
      {
        async *changesSince(revision) {
          yield* log.slice(revision, known);
        },
      },
      resources,
      new AbortController().signal,
    );
    const options = { weights: { genotype: 0.75, phenotype: 0.25 }, limit: 10, threshold: 0 };
    const query = follower.profiler.profile(
      patientOf('q', { features: featuresOf(220, 231), genomicFeatures: [{ gene: { id: 'GENA' } }] }),
    );
    const model = new Map<number, Profile>();
    const take = ({ saved, removed }: Changes) => {
      for (const { number, patient } of saved) model.set(number, follower.profiler.profile(patient));
      for (const number of removed) model.delete(number);
    };
    const expected = () => bruteForce(query, model, follower.profiler, options);

    await follower.catchUp();
    take(log[0] as Changes);
    expect(await follower.search(query, options)).to.eql(expected());
    expect(follower.index.slots).to.equal(1200);

    known = 2;
    const caught = follower.catchUp();
    const before = expected();
    take(log[1] as Changes);
    const asked = Promise.all(
      Array.from({ length: 20 }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return follower.search(query, options);
      }),
    );
    await caught;
    expect(await follower.search(query, options)).to.eql(expected());
    expect(follower.index.size).to.equal(1197);
    expect(follower.index.slots).to.equal(1197);
    expect(follower.revision).to.equal(2);
    expect(follower.usable).to.equal(true);
    // Asked meanwhile: of the state before, or on the way, never of a half compacted index.
    for (const hits of await asked) expect(hits).to.have.length(before.length);
  });
});
