/** The feed of changes and the counts, under concurrent writers. */
import assert from 'node:assert/strict';
import {
  type MatchmakerRepository,
  matchmaker,
  type Patient,
  type StoredPatient,
} from '../../../plugins/matchmaker/contract.js';
import {
  atMost,
  type Case,
  type CaseContext,
  cases,
  faults,
  gate,
  lookalikes,
  property,
  type Random,
  reopening,
  same,
} from '../core.js';
import { ada, changes, counted, patient, saveMany, saveOne } from './build.js';

const feed =
  'what was committed before the call is included, and nothing ever appears at or below a revision that was returned';

/** A reader that follows the feed, as an index does. */
class Follower {
  revision = 0;
  readonly patients = new Map<number, StoredPatient>();
  readonly #repository: MatchmakerRepository;

  constructor(repository: MatchmakerRepository) {
    this.#repository = repository;
  }

  async catchUp(): Promise<void> {
    for await (const { revision, saved, removed } of this.#repository.changesSince(this.revision)) {
      assert.ok(revision > this.revision, 'revisions ascend');
      assert.ok(saved.length + removed.length <= 1000, 'a batch has at most a thousand changes');
      for (const stored of saved) this.patients.set(stored.number, stored);
      for (const number of removed) this.patients.delete(number);
      this.revision = revision;
    }
  }

  /** Asserts that exactly these patients are known. */
  knows(expected: Iterable<Patient>): void {
    const byId = (one: Patient, other: Patient) => (one.id < other.id ? -1 : 1);
    const known = [...this.patients.values()].map((stored) => stored.patient);
    same(known.sort(byId), [...expected].sort(byId));
  }
}

interface Step {
  id: string;
  /** Undefined removes. */
  patient?: Patient;
  look: boolean;
}

function anyStep(random: Random): Step {
  const id = `P${random.int(1, 6)}`;
  const look = random.chance(0.4);
  if (random.chance(0.3)) return { id, look };
  const some = (most: number, make: (i: number) => string) =>
    Array.from({ length: random.int(0, most) }, () => make(random.int(1, 4)));
  const one = patient(id, {
    contact: { name: 'x', href: `mailto:${random.int(1, 3)}@x.org` },
    features: some(4, (i) => `HP:000000${i}`).map((term) => ({ id: term })),
    genomicFeatures: some(3, () => random.pick(lookalikes)).map((gene, i) => ({
      gene: { id: gene },
      ...(i % 2 === 0 ? {} : { variant: { assembly: 'GRCh37', referenceName: '1', start: random.int(1, 3) } }),
    })),
    ...(random.chance(0.5) ? { disorders: [{ id: 'MIM:1' }] } : {}),
  });
  return { id, patient: one, look };
}

/** A transaction commits after one that began later, while a reader follows beside the other writer. */
async function commitLate(storage: CaseContext<unknown>['storage'], other: MatchmakerRepository) {
  const follower = new Follower(other);
  const [begun, finish] = [gate(), gate()];
  const late = storage.transaction(async (scope) => {
    await saveOne(scope.repository(matchmaker), patient('late'), 1);
    begun.open();
    await finish.passed;
  });
  await begun.passed;
  // On an engine with one writer the second waits for the first to commit.
  const read = saveOne(other, patient('early'), 2).then(() => follower.catchUp());
  await atMost(300, read);
  finish.open();
  await Promise.all([late, read]);
  await follower.catchUp();
  follower.knows([patient('early'), patient('late')]);
  same(await other.counts(), await other.recount());
  assert.equal((await other.counts()).cases, 2);
}

export const changeCases: readonly Case<MatchmakerRepository>[] = [
  ...cases<MatchmakerRepository>({
    'changesSince yields no batch if nothing changed': {
      async 'without changes there is no batch'({ repository }) {
        same(await changes(repository, 0), { revision: 0, saved: [], removed: [] });
        await saveOne(repository, patient('P'), 1);
        const { revision, saved } = await changes(repository, 0);
        assert.equal(saved.length, 1);
        same(await changes(repository, revision), { revision, saved: [], removed: [] });
      },
    },
    'added or changed, as they are now; numbers of removed patients': {
      async 'a changed patient appears in its last state, a removed one by its number'({ repository }) {
        const { stored: first } = await saveOne(repository, patient('P'), 1);
        const before = await changes(repository, 0);
        same(before.saved, [first]);
        await saveOne(repository, patient('P', { label: 'a' }), 2);
        const { stored: last } = await saveOne(repository, patient('P', { label: 'b' }), 3);
        same((await changes(repository, before.revision)).saved, [last]);
        await repository.removePatient('P', ada);
        const after = await changes(repository, before.revision);
        same({ saved: after.saved, removed: after.removed }, { saved: [], removed: [first.number] });
        same(await changes(repository, after.revision), { revision: after.revision, saved: [], removed: [] });
      },
    },
    'changesSince throws conflict if the store has not reached the revision': {
      async 'a revision that the store has not reached is refused'({ repository }) {
        await saveOne(repository, patient('P'), 1);
        const { revision } = await changes(repository, 0);
        await faults('conflict', changes(repository, revision + 1));
        same((await changes(repository, 0)).saved.length, 1);
      },
    },
    'in batches of at most a thousand': {
      async 'more than a thousand changes are returned in several batches'({ repository }) {
        await saveMany(repository, 2100);
        const follower = new Follower(repository);
        await follower.catchUp();
        assert.equal(follower.patients.size, 2100);
        assert.equal((await changes(repository, 0)).saved.length, 2100, 'each once');
        assert.equal((await repository.counts()).cases, 2100);
      },
    },
    'counts are exact': {
      async 'changes and counts equal those of a naive model'(context) {
        let run = 0;
        await property<Step>(context, {
          runs: 6,
          generate: (random) => Array.from({ length: random.int(1, 25) }, () => anyStep(random)),
          async check(steps) {
            run += 1;
            const repository = (await context.open([matchmaker])).repository(matchmaker);
            const model = new Map<string, Patient>();
            const follower = new Follower(repository);
            for (const step of steps) {
              if (step.patient) {
                model.set(step.id, step.patient);
                await saveOne(repository, step.patient, run);
              } else {
                model.delete(step.id);
                await repository.removePatient(step.id, ada);
              }
              if (!step.look) continue;
              await follower.catchUp();
              follower.knows(model.values());
              same(await repository.counts(), counted([...model.values()]));
            }
            same(await repository.counts(), counted([...model.values()]));
            same(await repository.recount(), counted([...model.values()]));
          },
        });
      },
    },
    [feed]: {
      'a change that is committed after a later one is not missed': ({ storage, repository }) =>
        commitLate(storage, repository),
    },
  }),
  {
    name: 'a reader does not miss a transaction that commits after its last read',
    promise: feed,
    needs: 'concurrentWriters',
    run: async ({ storage, again }) => commitLate(storage, (await again()).repository(matchmaker)),
  },
  {
    name: 'two concurrent writers and two readers agree in the end',
    promise: feed,
    needs: 'concurrentWriters',
    async run({ repository, again }) {
      const other = (await again()).repository(matchmaker);
      const followers = [new Follower(repository), new Follower(other)];
      const write = async (store: MatchmakerRepository, who: number) => {
        for (let i = 0; i < 30; i++) {
          const id = `P${i % 10}`;
          if (i % 7 === who) await store.removePatient(id, ada);
          else await saveOne(store, patient(id, { label: `${who}-${i}` }), i);
        }
      };
      const read = async (follower: Follower) => {
        for (let i = 0; i < 15; i++) await follower.catchUp();
      };
      await Promise.all([write(repository, 0), write(other, 1), ...followers.map(read)]);
      const there = (await repository.patients({ limit: 100 })).map((stored) => stored.patient);
      for (const follower of followers) {
        await follower.catchUp();
        follower.knows(there);
      }
      same(await other.counts(), counted(there));
    },
  },
  reopening(
    'saved patients survive the process',
    'acknowledged writes survive',
    matchmaker,
    (repository) => saveOne(repository, patient('P'), 1),
    async (repository) => [await changes(repository, 0), await repository.counts()],
  ),
];
