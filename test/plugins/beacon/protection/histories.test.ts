/** Random loads, replacements, removals, erasures and publications of a protected dataset, beside a naive model. */
import { Readable } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { sourceOf } from '../../../../core/files.js';
import type { Storage } from '../../../../core/storage.js';
import {
  type BeaconRepository,
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconProtection,
  type Dataset,
  type ProtectionRepository,
} from '../../../../plugins/beacon/contract.js';
import { beaconEraser } from '../../../../plugins/beacon/eraser.js';
import { loadVariants } from '../../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../../plugins/beacon/loading/permit.js';
import type { Generations } from '../../../../plugins/beacon/protection/generations.js';
import { protectionSettings } from '../../../../plugins/beacon/protection/profiles.js';
import { dealt } from '../../../support/dealt.js';
import { engines } from '../support/engines.js';
import { generationsOn } from '../support/generations.js';
import { dataset } from '../support/serve.js';
import { vcf } from '../support/vcf.js';

const names = ['a', 'b', 'c', 'e', 'f'];
/** Positions of small variants, and of deletions. */
const [small, structural] = [
  [10, 20, 30],
  [1000, 2000],
] as const;
const batch = 3;
const settings = protectionSettings.parse({ datasets: { d: { batch } } });

type Calls = Readonly<Record<'small' | 'structural', readonly number[]>>;
type People = ReadonlyMap<string, Calls>;

/** What a dataset has, what answers show of it, and what waits. */
class Model {
  stored = new Map<string, Calls>();
  shown: People = new Map();
  readonly replaced: [string, Partial<Calls>][] = [];
  readonly leaving = new Set<string>();

  /** Returns whether the load is refused. */
  load(calls: ReadonlyMap<string, Partial<Calls>>, replace: boolean): boolean {
    const all = [...calls.keys()];
    const waits = (name: string) => this.replaced.some(([one]) => one === name);
    const isShown = all.some((name) => this.shown.has(name) || waits(name));
    if (all.some((name) => this.leaving.has(name))) return true;
    if (replace && isShown && all.some((name) => !this.stored.has(name))) return true;
    if (!replace && all.some(waits)) return true;
    for (const [name, own] of calls) {
      if (replace && isShown) this.replaced.push([name, own]);
      else if (replace) this.#put(name, own);
      else this.#add(name, own);
    }
    this.settle();
    return false;
  }

  remove(name: string): void {
    this.#forget(name);
    if (this.shown.has(name)) this.leaving.add(name);
    else this.stored.delete(name);
    this.settle();
  }

  #forget(name: string): void {
    for (let i = this.replaced.length - 1; i >= 0; i--) if (this.replaced[i]?.[0] === name) this.replaced.splice(i, 1);
  }

  erase(name: string): void {
    this.#forget(name);
    this.stored.delete(name);
    this.leaving.delete(name);
    this.shown = new Map([...this.shown].filter(([one]) => one !== name));
  }

  changes(): number {
    const fresh = [...this.stored.keys()].filter((name) => !this.shown.has(name));
    const others = this.replaced.map(([name]) => name).filter((name) => this.shown.has(name));
    return fresh.length + this.leaving.size + new Set(others).size;
  }

  settle(): void {
    if (this.changes() >= batch) this.publish();
  }

  publish(): void {
    for (const [name, own] of this.replaced.splice(0)) this.#put(name, own);
    for (const name of this.leaving) this.stored.delete(name);
    this.leaving.clear();
    this.shown = new Map(this.stored);
  }

  #put(name: string, own: Partial<Calls>): void {
    this.stored.set(name, { small: [], structural: [], ...this.stored.get(name), ...own });
  }

  /** Calls that are added to those of a sample show at once. */
  #add(name: string, own: Partial<Calls>): void {
    const known = this.stored.get(name) ?? { small: [], structural: [] };
    const added = (kind: keyof Calls) => [...new Set([...known[kind], ...(own[kind] ?? [])])];
    const both = { small: added('small'), structural: added('structural') };
    this.stored.set(name, both);
    if (this.shown.has(name)) this.shown = new Map([...this.shown, [name, both]]);
  }
}

const name = fc.constantFrom(...names);
const places = (all: readonly number[]) => fc.subarray([...all], { minLength: 1 });
const calls = fc.oneof(
  fc.record({ small: places(small) }),
  fc.record({ structural: places(structural) }),
  fc.record({ small: places(small), structural: places(structural) }),
);
const acts = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ names: fc.subarray(names, { minLength: 1, maxLength: 2 }), calls, replace: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ remove: name }) },
    { weight: 1, arbitrary: fc.record({ erase: name }) },
    { weight: 1, arbitrary: fc.constant({ publish: true }) },
  ),
  { minLength: 4, maxLength: 14 },
);

const textOf = (samples: readonly string[], own: Partial<Calls>) => {
  const genotypes = samples.map(() => '0/1').join(' ');
  const records = [
    ...(own.small ?? []).map((position) => `1 ${position} . A C . . . GT ${genotypes}`),
    ...(own.structural ?? []).map((at) => `1 ${at} . N <DEL> . . SVTYPE=DEL;END=${at + 100} GT ${genotypes}`),
  ];
  return vcf({ samples: [...samples], records });
};

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: histories of a protected dataset (${engine.name})`, function () {
    this.timeout(240_000);

    it('show what the last publication had, and hold what loads say', async () => {
      const { storage, discard } = await engine.open([...[beacon, beaconConsequences, beaconDepths, beaconProtection]]);
      const [repository, protection] = [storage.repository(beacon), storage.repository(beaconProtection)];
      try {
        await fc.assert(
          fc.asyncProperty(acts, async (history) => {
            await repository.removeDataset('d');
            await protection.drop('d');
            await repository.addDataset(dataset('d'), new Date());
            await expectModel({ storage, repository, protection }, history);
          }),
          { numRuns: 20 },
        );
      } finally {
        await storage.close();
        await discard?.();
      }
    });
  });
}

interface Stored {
  storage: Storage;
  repository: BeaconRepository;
  protection: ProtectionRepository;
}

type Act =
  | { names: string[]; calls: Partial<Calls>; replace: boolean }
  | { remove: string }
  | { erase: string }
  | object;

async function expectModel(stored: Stored, history: readonly Act[]): Promise<void> {
  const { repository } = stored;
  // Two imports of one moment would be one.
  let moment = Date.now();
  const now = () => new Date(moment++);
  const made = generationsOn(stored.storage, { settings, now });
  const found = async () => (await repository.dataset('d')) as Dataset;
  const model = new Model();
  for (const act of history) {
    if ('names' in act) {
      const text = Buffer.from(textOf(act.names, act.calls));
      const source = sourceOf('new.vcf', text.length, () => Readable.from([text], { objectMode: false }));
      const replace = act.replace ? { force: true } : undefined;
      const request = {
        repository,
        generations: made,
        dataset: await found(),
        sources: [source],
        samples: [],
      } as const;
      const [outcome] = await Promise.allSettled([
        loadVariants({ ...request, permit: permitAll, replace, now: now() }),
      ]);
      const isRefused = model.load(new Map(act.names.map((one) => [one, act.calls])), act.replace);
      expect(outcome?.status, JSON.stringify(act)).to.equal(isRefused ? 'rejected' : 'fulfilled');
    } else if ('remove' in act) {
      await made.remove(await found(), [act.remove]);
      model.remove(act.remove);
    } else if ('erase' in act) {
      await erase(stored, made, act.erase, now);
      model.erase(act.erase);
    } else {
      await made.publish(await found());
      model.publish();
    }
    await expectCarriers(stored, model);
  }
}

async function erase({ storage, repository }: Stored, made: Generations, id: string, now: () => Date): Promise<void> {
  const [depths, consequences] = [storage.repository(beaconDepths), storage.repository(beaconConsequences)];
  const eraser = beaconEraser({ repository, generations: made, depths, consequences, now });
  await eraser.erase([{ id, holder: 'own', scope: 'all' }]);
}

async function expectCarriers({ repository, protection }: Stored, { stored, shown }: Model): Promise<void> {
  const published = new Set((await protection.published('d'))?.samples);
  expect([...published].sort()).to.deep.equal([...shown.keys()].sort());
  const query = { assembly: 'GRCh37', contig: '1', start: { min: 0, max: 9999 } } as const;
  const [found] = await repository.found(query, ['d'], { limit: 10_000, carriers: true });
  const carriersOf = (people: People) =>
    [...people].flatMap(([one, own]) => [...own.small, ...own.structural].map((at) => `${at} ${one}`)).sort();
  const there = (found?.alleles ?? []).flatMap(({ start, named = [] }) =>
    named.map(([one]) => [start + 1, one] as const),
  );
  expect(there.map(([at, one]) => `${at} ${one}`).sort()).to.deep.equal(carriersOf(stored));
  const answered = there.filter(([, one]) => published.has(one)).map(([at, one]) => `${at} ${one}`);
  expect(answered.sort()).to.deep.equal(carriersOf(shown));
}
