/** Patients that are kept after a search are never older than the changes that were read, however reads overlap. */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Changes, StoredPatient } from '../../../plugins/matchmaker/contract.js';
import { recentPatients } from '../../../plugins/matchmaker/matching/follower.js';
import { Random } from '../../conformance/core/random.js';

const now = new Date(0);

function stored(number: number, version: number, label = ''): StoredPatient {
  const patient = { id: `P${number}`, label, contact: { name: 'A', href: 'mailto:a@example.org' } };
  return { number, version, owner: 'lab', created: now, updated: now, patient };
}

/** A store of which each read sees the state of its beginning, and ends some turns later. */
class Store {
  readonly #random: Random;
  readonly patients = new Map<number, StoredPatient>();
  readonly #log: number[] = [];
  reads = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  change(number: number, one: StoredPatient | undefined): void {
    if (one) this.patients.set(number, one);
    else this.patients.delete(number);
    this.#log.push(number);
  }

  async *changesSince(revision: number): AsyncGenerator<Changes> {
    const numbers = [...new Set(this.#log.slice(revision))];
    const there = numbers.flatMap((number) => this.patients.get(number) ?? []);
    const changes = { revision: this.#log.length, saved: there, removed: numbers.filter((n) => !this.patients.has(n)) };
    await this.#turns();
    if (numbers.length > 0) yield changes;
  }

  async patientsByNumber(numbers: readonly number[]): Promise<StoredPatient[]> {
    this.reads += 1;
    const found = numbers.flatMap((number) => this.patients.get(number) ?? []);
    await this.#turns();
    return found;
  }

  async #turns(): Promise<void> {
    for (let left = this.#random.int(0, 5); left > 0; left--) await setImmediate();
  }
}

describe('matchmaker: patients that were found lately', () => {
  it('are at least as new as the changes that were read before', async () => {
    const random = new Random(7);
    const store = new Store(random);
    const recent = recentPatients(store);
    const all = Array.from({ length: 6 }, (_, i) => i + 1);
    let version = 0;
    let revision = 0;
    /** The least version by number, as of the last change that was read: one that was removed comes back as a later one. */
    let known = new Map<number, number>();
    for (const number of all) store.change(number, stored(number, ++version));
    const reader = async () => {
      for (let turn = 0; turn < 400; turn++) {
        const least = new Map(known);
        for (const { number, version } of await recent.patientsByNumber(all)) {
          expect(version, `of ${number}`).to.be.at.least(least.get(number) ?? 0);
        }
        await setImmediate();
      }
    };
    const follower = async () => {
      for (let turn = 0; turn < 400; turn++) {
        for await (const changes of recent.changesSince(revision)) {
          revision = changes.revision;
          known = new Map(known);
          for (const one of changes.saved) known.set(one.number, one.version);
          for (const number of changes.removed) known.set(number, (known.get(number) ?? 0) + 1);
        }
        await setImmediate();
      }
    };
    const writer = async () => {
      for (let turn = 0; turn < 300; turn++) {
        const number = random.pick(all);
        store.change(number, random.chance(0.2) ? undefined : stored(number, ++version));
        await setImmediate();
      }
    };
    await follower();
    await Promise.all([reader(), reader(), follower(), writer()]);
    await follower();
    const states = (list: readonly StoredPatient[]) => list.map((one) => `${one.number}.${one.version}`).sort();
    expect(states(await recent.patientsByNumber(all))).to.deep.equal(states([...store.patients.values()]));
  });

  it('are not read again, unless they are very long or too many', async () => {
    const store = new Store(new Random(1));
    const recent = recentPatients(store);
    store.change(1, stored(1, 1));
    store.change(2, stored(2, 1, 'x'.repeat(70_000)));
    const [first] = await recent.patientsByNumber([1]);
    expect((await recent.patientsByNumber([1]))[0]).to.equal(first);
    expect(store.reads).to.equal(1);
    for (let i = 0; i < 2; i++) await recent.patientsByNumber([2]);
    expect(store.reads).to.equal(3);
    // 200 patients of 50 000 characters: more than are kept, and 1 was found longest ago.
    for (let number = 10; number < 210; number++) {
      store.change(number, stored(number, 1, 'x'.repeat(50_000)));
      await recent.patientsByNumber([number]);
    }
    const before = store.reads;
    await recent.patientsByNumber([209]);
    expect(store.reads).to.equal(before);
    await recent.patientsByNumber([1]);
    expect(store.reads).to.equal(before + 1);
  });
});
