import { expect } from 'chai';
import fc from 'fast-check';
import type { Changes, Patient } from '../../../../plugins/matchmaker/contract.js';
import { Follower } from '../../../../plugins/matchmaker/matching/follower.js';
import type { Profile } from '../../../../plugins/matchmaker/matching/profile.js';
import { stepsInSlice, Work } from '../../../../plugins/matchmaker/matching/work.js';
import { bruteForce, featuresOf, ofAnySpecies, patientOf, smallWorld, steppedBeside } from './support/toy.js';

const stored = (number: number, patient: Patient) => ({
  number,
  version: 1,
  owner: 'tester',
  created: new Date(0),
  updated: new Date(0),
  patient,
});

const options = { weights: { genotype: 0.75, phenotype: 0.25 }, limit: 10, threshold: 0 };

/** A patient with a hundred features of one gene, at consecutive positions from a start. */
function crowded(id: string, start: number): Patient {
  const genomicFeatures = Array.from({ length: 100 }, (_, i) => ({
    gene: { id: 'GENA' },
    variant: {
      assembly: 'GRCh37',
      referenceName: '1',
      start: start + i * (1 + (start % 3)),
      referenceBases: 'A',
      alternateBases: i % 2 === 0 ? 'C' : 'G',
    },
    zygosity: 1 + ((i * start) % 2),
    type: { id: i % 5 === 0 ? 'SO:0001587' : 'SO:0001583' },
  }));
  return patientOf(id, { genomicFeatures });
}

describe('matchmaker: patients with many features', () => {
  /** Follows a log that tests can append to. */
  async function following(log: Changes[]) {
    const source = {
      async *changesSince(revision: number) {
        yield* log.slice(revision);
      },
    };
    const follower = new Follower(source, await smallWorld(), new AbortController().signal);
    await follower.catchUp();
    return follower;
  }
  const many = 150;
  const first = (): Changes => ({
    revision: 1,
    saved: Array.from({ length: many }, (_, i) => stored(i + 1, crowded(`P${i + 1}`, i))),
    removed: [],
  });
  const modelOf = (follower: Follower, log: readonly Changes[]) => {
    const model = new Map<number, Profile>();
    for (const { saved, removed } of log) {
      for (const { number, patient } of saved) model.set(number, follower.profiler.profile(patient));
      for (const number of removed) model.delete(number);
    }
    return model;
  };

  it('are compared in bounded steps, yielding to other work between them', async () => {
    const log = [first()];
    const follower = await following(log);
    const query = follower.profiler.profile(crowded('q', 40));
    // One patient takes 100 · 100 pairs of features, and an assignment of at most 100 · 100 · 101 / 2 cells.
    const [pairs, cells] = [100 * 100, (100 * 100 * 101) / 2];
    const work = new Work();
    const { result: hits, turns, most } = await steppedBeside(work, follower.search(query, options, work));
    expect(hits).to.eql(bruteForce(query, modelOf(follower, log), follower.profiler, options));
    expect(work.steps).to.be.at.least(many * pairs);
    expect(most, 'steps between two turns').to.be.at.most(stepsInSlice + 50 + pairs + cells);
    expect(turns).to.be.at.least(Math.floor(work.steps / (stepsInSlice + 50 + pairs + cells)));
    // Most assignments are far from the worst case: in all at most eight cells for each pair.
    expect(work.steps).to.be.at.most(many * pairs * 9);
  });

  it('are found in their final state, whatever is added, changed, removed or compacted meanwhile', async () => {
    const log = [first()];
    const follower = await following(log);
    const query = follower.profiler.profile({
      ...crowded('q', 40),
      genomicFeatures: [...(crowded('q', 40).genomicFeatures ?? []), { gene: { id: 'new' } }],
    });
    const searched = follower.search(query, options);
    let isOver = false;
    const found = searched.finally(() => {
      isOver = true;
    });
    const changes: Omit<Changes, 'revision'>[] = [
      // A better match than all others, and one with a gene that no patient had before.
      { saved: [stored(900, crowded('better', 40))], removed: [] },
      { saved: [stored(901, patientOf('new', { genomicFeatures: [{ gene: { id: 'NEW' } }] }))], removed: [41] },
      { saved: [stored(40, patientOf('P40', {}))], removed: [] },
      // Enough dead slots to be compacted.
      { saved: Array.from({ length: 1100 }, (_, i) => stored(2000 + i, patientOf(`D${i}`, {}))), removed: [] },
      { saved: [], removed: Array.from({ length: 900 }, (_, i) => 2000 + i) },
    ];
    let taken = 0;
    for (const change of changes) {
      if (isOver) break;
      log.push({ revision: log.length + 1, ...change });
      await follower.catchUp();
      if (!isOver) taken = log.length;
    }
    const { hits } = await found;
    const { hits: expected } = bruteForce(query, modelOf(follower, log), follower.profiler, options);
    expect(taken, 'all changes came in while it was searched').to.equal(changes.length + 1);
    expect(follower.index.slots).to.equal(follower.index.size);
    expect(hits).to.eql(expected);
    expect(hits[0]?.id).to.equal('better');
  });

  it('are no longer compared once no caller waits', async () => {
    const follower = await following([first()]);
    const closing = new AbortController();
    const work = new Work(closing.signal);
    const searched = follower.search(follower.profiler.profile(crowded('q', 40)), options, work).then(
      () => 'found',
      (error: Error) => error.message,
    );
    closing.abort(new Error('gone'));
    expect(await searched).to.equal('gone');
    expect(work.steps).to.be.below(2 * stepsInSlice + 1_000_000);
  });
});

describe('matchmaker: searches during changes', () => {
  const parts = fc.sample(ofAnySpecies, { numRuns: 2000, seed: 5 });
  const bearer = (number: number) => stored(number, patientOf(`B${number}`, { features: featuresOf(220, 231, 239) }));

  it('find patients as of one moment, however many turns they take', async () => {
    // At every revision a different patient has exactly the features of the query; others change with it.
    const log: Changes[] = [
      {
        revision: 1,
        saved: [bearer(9000), ...parts.slice(0, 1500).map((drawn, i) => stored(i + 1, patientOf(`P${i + 1}`, drawn)))],
        removed: [],
      },
    ];
    const follower = new Follower(
      {
        async *changesSince(revision) {
          yield* log.slice(revision);
        },
      },
      await smallWorld(),
      new AbortController().signal,
    );
    await follower.catchUp();
    const query = follower.profiler.profile(bearer(0).patient);
    const model = new Map<number, Profile>();
    const take = ({ saved, removed }: Changes) => {
      for (const { number, patient } of saved) model.set(number, follower.profiler.profile(patient));
      for (const number of removed) model.delete(number);
      return bruteForce(query, model, follower.profiler, options);
    };
    let before = take(log[0] as Changes);
    let overtaken = 0;
    for (let round = 1; round <= 60; round++) {
      let isOver = false;
      const early = follower.search(query, options, new Work(undefined, 500)).finally(() => {
        isOver = true;
      });
      for (let turn = 0; turn < round % 12; turn++) await new Promise((resolve) => setImmediate(resolve));
      const others = Array.from({ length: 20 }, (_, i) => 1 + ((round * 37 + i * 71) % 1500));
      const changed = others.map((number, i) =>
        stored(number, patientOf(`P${number}`, parts[(round * 20 + i) % 2000] ?? {})),
      );
      const change = { revision: round + 1, saved: [bearer(9000 + round), ...changed], removed: [8999 + round] };
      log.push(change);
      if (!isOver) overtaken++;
      const caught = follower.catchUp();
      const late = follower.search(query, options, new Work(undefined, 500));
      const after = take(change);
      expect(await early, `round ${round}, begun before the change`).to.eql(before);
      expect([before, after], `round ${round}, begun beside the change`).to.deep.include(await late);
      await caught;
      expect(await follower.search(query, options), `round ${round}, begun after the change`).to.eql(after);
      before = after;
    }
    expect(overtaken, 'searches that were under way when the change came').to.be.above(30);
  });
});

describe('matchmaker: following changes', () => {
  it('compacts once many slots are dead, and finds the right patients before, during and after', async () => {
    const resources = await smallWorld();
    const parts = fc.sample(ofAnySpecies, { numRuns: 1700, seed: 3 });
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
    // Searches meanwhile see the state before or on the way, never a half-compacted index.
    for (const { hits } of await asked) expect(hits).to.have.length(before.hits.length);
  });
});
