/** What coverage-regions@1 promises. */
import {
  type Build,
  type Chromosome,
  coverageRegions,
  farthestRegion,
  type Place,
  type RegionRepository,
  type RegionSet,
  type RegionSetRecord,
} from '../../../plugins/coverage/contract.js';
import {
  type Case,
  type CaseContext,
  cases,
  faults,
  giveUp,
  givingUp,
  lookalikes,
  meet,
  oddText,
  property,
  type Random,
  type StorageScope,
  same,
  undone,
} from '../core.js';
import { at } from './build.js';
import { historyOf } from './staged.js';

type Context = Pick<CaseContext<RegionRepository>, 'repository'>;

const record: RegionSetRecord = {
  release: oddText,
  source: 'segdups.bed.gz',
  checksum: `sha256:${'0a'.repeat(32)}`,
  skipped: { [oddText]: 2 },
};

const place = (start: number, end: number, chromosome: Chromosome = '1'): Place => ({ chromosome, start, end });
const everywhere = ['1', '2', 'X', 'MT'].map((name) => place(0, farthestRegion, name as Chromosome));

async function* batches(...all: (readonly Place[])[]): AsyncGenerator<readonly Place[]> {
  yield* all;
}

function load(
  { repository }: Context,
  regions: readonly Place[],
  { name = 'segmental duplications', build = 'GRCh38' as Build, when = at(0) } = {},
): Promise<RegionSet> {
  const request = { name, build, kind: 'caution' as const, regions: batches(regions), accept: () => record };
  return repository.load(request, when);
}

/** `1:5-7`, by set: regions that were found. */
async function found(
  { repository }: Context,
  places: Iterable<Place> = everywhere,
  build: Build = 'GRCh38',
): Promise<Record<string, string[]>> {
  const all = await repository.find(build, { kind: 'caution', places });
  return Object.fromEntries(
    all.map(({ set, bounds }) => {
      same(
        [...bounds.values()].filter((own) => own.length === 0),
        [],
        'a chromosome without regions is absent',
      );
      const regions = [...bounds].flatMap(([chromosome, own]) =>
        Array.from({ length: own.length / 2 }, (_, i) => `${chromosome}:${own[2 * i]}-${own[2 * i + 1]}`),
      );
      return [set.name, regions];
    }),
  );
}

const one = async (context: Context, places?: Iterable<Place>) => Object.values(await found(context, places))[0];

/** The bases of regions, one by one. */
function basesOf(places: readonly Place[]): Set<string> {
  return new Set(
    places.flatMap(({ chromosome, start, end }) =>
      Array.from({ length: end - start }, (_, i) => `${chromosome} ${start + i}`),
    ),
  );
}

/** Runs of bases, without joining regions: what `find` promises, base by base. */
function naive(regions: readonly Place[], wanted: readonly Place[]): string[] {
  const [bases, asked] = [basesOf(regions), basesOf(wanted)];
  const runs: string[] = [];
  for (const chromosome of ['1', '2', 'X']) {
    for (let base = 0; base < 700; base++) {
      if (!bases.has(`${chromosome} ${base}`)) continue;
      const start = base;
      let isMet = false;
      for (; bases.has(`${chromosome} ${base}`); base++) isMet ||= asked.has(`${chromosome} ${base}`);
      if (isMet) runs.push(`${chromosome}:${start}-${base}`);
    }
  }
  return runs;
}

function somePlaces(random: Random): Place[] {
  return random.list(0, 12, () => {
    const start = random.int(0, 600);
    return place(start, start + random.pick([1, 1, 2, 10, 60, 128]), random.pick(['1', '2', 'X'] as const));
  });
}

export const regionCases: readonly Case<RegionRepository>[] = [
  ...cases<RegionRepository>({
    'sets are returned as they were loaded; a missing release is missing, never null': {
      async 'a set and its regions are returned'(context) {
        const set = await load(context, [place(7, 9, 'X'), place(5, 7)], { name: oddText, when: at(2.345) });
        const own = { name: oddText, build: 'GRCh38', kind: 'caution', loaded: at(2.345), regions: 2, bases: 4 };
        same(set, { ...record, ...own });
        same(await context.repository.sets(), [set]);
        const { release: _, ...unreleased } = record;
        const regions = batches([place(0, farthestRegion, 'MT')]);
        const request = { name: 'b', build: 'GRCh37' as const, kind: 'caution' as const, regions };
        const other = await context.repository.load({ ...request, accept: () => unreleased }, at(3));
        same(Object.hasOwn(other, 'release'), false);
        same([other.regions, other.bases], [1, farthestRegion]);
        same(await found(context), { [oddText]: ['1:5-7', 'X:7-9'] });
        same(await found(context, everywhere, 'GRCh37'), { b: [`MT:0-${farthestRegion}`] });
      },
    },
    'what does not exist is undefined or empty: never null, never an exception': {
      async 'without a set nothing is found, and places are not read'({ repository }) {
        same(await repository.sets(), []);
        let reads = 0;
        const places = {
          *[Symbol.iterator]() {
            reads += 1;
            yield* everywhere;
          },
        };
        same(await repository.find('GRCh38', { kind: 'caution', places }), []);
        same([reads, await repository.remove('b', 'GRCh38')], [0, undefined]);
        await load({ repository }, []);
        same(await found({ repository }, []), { 'segmental duplications': [] });
      },
    },
    'find returns the regions that share a base with a place; those that overlapped or touched are joined': {
      async 'regions are those of a model of single bases'(context) {
        await property<{ isWanted: boolean; at: Place }>(context, {
          runs: 30,
          generate: (random) => [
            ...somePlaces(random).map((each) => ({ isWanted: false, at: each })),
            ...somePlaces(random).map((each) => ({ isWanted: true, at: each })),
          ],
          async check(steps) {
            const [regions, wanted] = [false, true].map((is) =>
              steps.filter(({ isWanted }) => isWanted === is).map((step) => step.at),
            ) as [Place[], Place[]];
            const set = await load(context, regions);
            same([set.bases, set.regions], [basesOf(regions).size, naive(regions, regions).length]);
            same(await one(context, wanted), naive(regions, wanted));
          },
        });
      },
      async 'of very many regions those at places are found, whole, at the ends of any part'(context) {
        const regions = Array.from({ length: 9000 }, (_, i) => place(i * 1000, i * 1000 + 10, i < 4500 ? '1' : 'X'));
        const long = place(4_498_010, 200_000_000);
        const set = await load(context, [...regions.toReversed(), long]);
        same([set.regions, set.bases], [8999, 8998 * 10 + 200_000_000 - 4_498_000]);
        const all = (await one(context)) ?? [];
        same(
          [all.length, all[4498], all[4499], all[8998]],
          [8999, '1:4498000-200000000', 'X:4500000-4500010', 'X:8999000-8999010'],
        );
        for (const i of [0, 1, 1998, 1999, 2000, 2001, 3999, 4000, 4400]) {
          same(await one(context, [place(i * 1000 + 9, (i + 1) * 1000)]), [`1:${i * 1000}-${i * 1000 + 10}`]);
          same(await one(context, [place(i * 1000 + 10, (i + 1) * 1000)]), []);
        }
        same(await one(context, [place(199_999_999, 200_000_000)]), ['1:4498000-200000000']);
        const many = Array.from({ length: 3000 }, (_, i) => place(i * 3000 + 9, i * 3000 + 10, i < 1500 ? '1' : 'X'));
        same((await one(context, many.toReversed()))?.length, 3000);
      },
    },
    'load replaces the set of this name and build: all of it becomes visible at once, or nothing does': {
      async 'a load replaces the set of its name and build, and no other'(context) {
        for (const [i, name] of lookalikes.entries()) await load(context, [place(i, i + 1)], { name });
        await load(context, [place(1, 2)], { name: 'a', build: 'GRCh37' });
        const before = await context.repository.sets();
        const seen: unknown[] = [];
        const accept = (...given: unknown[]) => {
          seen.push(given);
          return { ...record, release: 'next' };
        };
        const request = { name: 'a', build: 'GRCh38' as const, kind: 'caution' as const, accept };
        await context.repository.load({ ...request, regions: batches([place(4, 6)], [], [place(5, 9)]) }, at(9));
        const replaced = before.find(({ name, build }) => name === 'a' && build === 'GRCh38');
        same(seen, [[{ regions: 1, bases: 5 }, replaced]]);
        const now = await found(context);
        for (const [i, name] of lookalikes.entries()) same(now[name], name === 'a' ? ['1:4-9'] : [`1:${i}-${i + 1}`]);
        same(await found(context, everywhere, 'GRCh37'), { a: ['1:1-2'] });
      },
      async 'a load that fails leaves the old set'(context) {
        const { repository, storage } = context;
        await load(context, [place(1, 2)]);
        const before = [await repository.sets(), await found(context)];
        const thrown = new Error('thrown by the caller');
        const attempt = async (regions: AsyncIterable<Place[]>, accept = () => record, signal?: AbortSignal) => {
          const set = { name: 'segmental duplications', build: 'GRCh38' as const, kind: 'caution' as const };
          const loading = repository.load({ ...set, regions, accept, ...(signal && { signal }) }, at(1));
          const [outcome] = await Promise.allSettled([loading]);
          same(outcome?.status === 'rejected' && outcome.reason, thrown);
          same([await repository.sets(), await found(context)], before);
        };
        const stop = new AbortController();
        async function* ending(end: () => void): AsyncGenerator<Place[]> {
          yield [place(2, 3)];
          end();
          yield [place(3, 4)];
        }
        const fail = () => {
          throw thrown;
        };
        await attempt(ending(fail));
        await attempt(
          ending(() => undefined),
          fail,
        );
        await attempt(
          ending(() => stop.abort(thrown)),
          () => record,
          stop.signal,
        );
        await undone(storage, (scope) => load({ repository: scope.repository(coverageRegions) }, [place(2, 3)]));
        const odd = [place(5, 5), place(5, 4), place(-1, 1), place(0.5, 1.5), place(0, farthestRegion + 1)];
        odd.push(place(1, 2, 'chr1' as Chromosome));
        for (const region of odd) await faults('invalid', load(context, [place(2, 3), region]));
        same([await repository.sets(), await found(context)], before);
      },
    },
    'concurrent calls see the old set until the new one is complete': {
      async 'the old set is found while another is loaded'(context) {
        await load(context, [place(1, 2)]);
        const seen: unknown[] = [];
        const regions = (async function* () {
          yield Array.from({ length: 12_000 }, (_, i) => place(2 * i, 2 * i + 1));
          seen.push(await one(context));
          same(await context.repository.sweep(new Date(Date.now() - 60_000)), 0, 'it is not idle');
          yield [place(50_000, 50_001)];
        })();
        const set = { name: 'segmental duplications', build: 'GRCh38' as const, kind: 'caution' as const };
        await context.repository.load({ ...set, regions, accept: () => record }, at(1));
        same([seen, (await one(context))?.length], [[['1:1-2']], 12_001]);
      },
    },
    'of two concurrent loads of one set the one that ends later wins, as a whole': {
      async 'of concurrent loads of one set, one remains as a whole'(context) {
        await load(context, [place(7, 8)]);
        const scoped = (scope: StorageScope) => ({ repository: scope.repository(coverageRegions) });
        const set = await meet(
          context.storage,
          (scope) => load(scoped(scope), [place(1, 2)], { when: at(1) }),
          () => load(context, [place(5, 9)], { when: at(2) }),
        );
        same(await context.repository.sets(), [set]);
        same([set.loaded, await one(context)], [at(2), ['1:5-9']]);
      },
    },
    'remove returns the set that was removed': {
      async 'a removed set is gone, and no other'(context) {
        const set = await load(context, [place(1, 2)]);
        await load(context, [place(3, 4)], { name: 'B' });
        await load(context, [place(5, 6)], { build: 'GRCh37' });
        same(await context.repository.remove(set.name, 'GRCh38'), set);
        same(await context.repository.remove(set.name, 'GRCh38'), undefined);
        same(await found(context), { B: ['1:3-4'] });
        same(await found(context, everywhere, 'GRCh37'), { [set.name]: ['1:5-6'] });
      },
    },
    [givingUp]: {
      async 'an aborted read throws the reason'(context) {
        await load(context, [place(1, 2)]);
        const { repository } = context;
        await giveUp((signal) => repository.sets({ signal }));
        await giveUp((signal) => repository.find('GRCh38', { kind: 'caution', places: everywhere }, { signal }));
      },
    },
  }),
  historyOf<RegionRepository>({
    contract: coverageRegions,
    slots: ['A', 'a', 'a '].flatMap((name) => [[name, 'GRCh37'] as const, [name, 'GRCh38'] as const]),
    load(repository, [name, build], rows, loaded, halfway) {
      const regions = (async function* () {
        yield Array.from({ length: rows }, (_, i) => place(2 * i, 2 * i + 1));
        await halfway();
      })();
      return repository.load({ name, build, kind: 'caution', regions, accept: () => record }, loaded);
    },
    remove: (repository, slot) => repository.remove(...slot),
    async sets(repository) {
      const all = { GRCh37: await found({ repository }, everywhere, 'GRCh37'), GRCh38: await found({ repository }) };
      return (await repository.sets()).map(({ name, build, regions, loaded }) => {
        return [name, build, regions, all[build][name]?.length ?? 0, loaded];
      });
    },
  }),
  {
    name: 'sets outlive the storage',
    promise: 'what was acknowledged survives',
    needs: 'durable',
    async run(context) {
      await load(context, [place(1, 2), place(9, 12, 'X')]);
      const before = [await context.repository.sets(), await found(context)];
      await context.storage.close();
      const again = { repository: (await context.again()).repository(coverageRegions) };
      same([await again.repository.sets(), await found(again)], before);
    },
  },
];
