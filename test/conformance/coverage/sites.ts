/** What coverage-sites@1 promises. */
import {
  type Build,
  coverageSites,
  type FoundSite,
  longestSite,
  type Place,
  type Site,
  type SiteRepository,
  type SiteSet,
  type SiteSetRecord,
} from '../../../plugins/coverage/contract.js';
import {
  type Case,
  cases,
  daysLater,
  faults,
  gate,
  giveUp,
  givingUp,
  imitations,
  lookalikes,
  meet,
  oddText,
  originals,
  reopening,
  type StorageScope,
  same,
  undone,
} from '../core.js';
import { at } from './build.js';
import { historyOf } from './staged.js';

const record: SiteSetRecord = {
  release: oddText,
  source: 'clinvar.vcf.gz',
  checksum: `sha256:${'0a'.repeat(32)}`,
  skipped: { 'other sequence': 2 },
};

function site(start: number, fields: Partial<Site> = {}): Site {
  return { chromosome: '1', start, end: start + 1, reference: 'A', alternate: 'C', genes: [], ...fields };
}

/** Every field, with characters that stores and queries must not confuse. */
const whole: Site = {
  ...site(100, { end: 103, reference: oddText, alternate: `A,<DEL>${oddText}` }),
  id: oddText,
  hgvs: `NC_000001.11:g.101_103del${oddText}`,
  significance: oddText,
  stars: 0,
  genes: ['ØRSTED "\' % _', 'TWO'],
};

async function* batches(...all: (readonly Site[])[]): AsyncGenerator<readonly Site[]> {
  yield* all;
}

function load(
  repository: SiteRepository,
  sites: readonly Site[],
  { name = 'ClinVar', build = 'GRCh38' as Build, when = at(0) } = {},
): Promise<SiteSet> {
  return repository.load({ name, build, sites: batches(sites), accept: () => record }, when);
}

const everywhere: Place[] = ['1', '2', 'X', 'MT'].map((chromosome) => {
  return { chromosome: chromosome as Place['chromosome'], start: 0, end: 300_000_000 };
});

async function all(repository: SiteRepository, build: Build = 'GRCh38'): Promise<FoundSite[]> {
  return (await repository.find(build, { places: everywhere, genes: [] })).sites;
}

async function found(repository: SiteRepository, places: Place[], genes: string[] = []): Promise<number[]> {
  return (await repository.find('GRCh38', { places, genes })).sites.map(({ start }) => start);
}

const within = (start: number, end: number, chromosome: Place['chromosome'] = '1'): Place => ({
  chromosome,
  start,
  end,
});

export const siteCases: readonly Case<SiteRepository>[] = [
  ...cases<SiteRepository>({
    'sites are returned as they were loaded; missing fields are missing, never null': {
      async 'a set and its sites are returned unchanged'({ repository }) {
        const set = await load(repository, [whole, site(7)], { name: oddText, when: at(2.345) });
        same(set, { ...record, name: oddText, build: 'GRCh38', loaded: at(2.345), sites: 2 });
        same(await repository.sets(), [set]);
        same(await repository.find('GRCh38', { places: everywhere, genes: [] }), {
          sets: [set],
          sites: [
            { ...site(7), set: oddText },
            { ...whole, set: oddText },
          ],
        });
      },
    },
    'what does not exist is undefined or empty: never null, never an exception': {
      async 'without a set nothing is found'({ repository }) {
        same(await repository.sets(), []);
        same(await repository.find('GRCh38', { places: everywhere, genes: ['ONE'] }), { sets: [], sites: [] });
        same(await repository.remove('ClinVar', 'GRCh38'), undefined);
      },
    },
    'find returns the sites that share a base with a place or name a gene, each once, in the order of bySite': {
      async 'sites are found at places, by shared bases'({ repository }) {
        const long = site(5000, { end: 5000 + longestSite });
        await load(repository, [site(100), site(200, { end: 210 }), site(300), long, site(100, { chromosome: 'X' })]);
        same(await found(repository, [within(100, 101)]), [100]);
        same(await found(repository, [within(99, 100), within(101, 200)]), []);
        same(await found(repository, [within(209, 210)]), [200]);
        same(await found(repository, [within(210, 300)]), []);
        same(await found(repository, [within(14_999, 15_000)]), [5000], 'the last base of the longest site');
        same(await found(repository, [within(15_000, 15_001)]), []);
        same(await found(repository, [within(0, 101, 'X')]), [100]);
        same(await found(repository, [within(22, 301), within(0, 101, 'X')]), [100, 200, 300, 100], 'X is number 22');
        same(await found(repository, [within(0, 1000, '2'), within(0, 1000, 'MT')]), []);
        same(await found(repository, []), []);
      },
      async 'sites are found by the genes that they name, exactly'({ repository }) {
        await load(repository, [site(1, { genes: ['ONE', 'TWO'] }), site(2, { genes: ['two'] }), site(3), whole]);
        same(await found(repository, [], ['TWO']), [1, 100]);
        same(await found(repository, [], ['ONE', 'TWO', 'ONE', 'THREE']), [1, 100]);
        same(await found(repository, [], ['ØRSTED "\' % _']), [100]);
        same(await found(repository, [], ['ON', 'one', 'ONE ', '%', '']), []);
      },
      async 'a site is found once, however many places and genes have it'({ repository }) {
        await load(repository, [site(12), site(10, { end: 30, genes: ['ONE', 'TWO'] })]);
        const places = [within(0, 15), within(5, 20), within(10, 11), within(25, 26), within(0, 15)];
        same(await found(repository, places, ['ONE', 'TWO']), [10, 12]);
      },
      async 'sites are in one order, whatever the order of the file'({ repository }) {
        const listed = [
          site(5, { chromosome: 'MT' }),
          site(5, { chromosome: 'X' }),
          site(5, { chromosome: '2' }),
          site(9),
          site(5, { end: 7 }),
          site(5, { alternate: 'T' }),
          site(5, { id: 'b' }),
          site(5, { id: 'a' }),
        ];
        await load(repository, listed, { name: 'B' });
        await load(repository, [site(5)], { name: 'A' });
        const order = (await all(repository)).map(({ chromosome, start, end, set, alternate, id = '' }) =>
          [chromosome, start, end, set, alternate, id].join(' '),
        );
        same(order, [
          '1 5 6 A C ',
          '1 5 6 B C a',
          '1 5 6 B C b',
          '1 5 6 B T ',
          '1 5 7 B C ',
          '1 9 10 B C ',
          '2 5 6 B C ',
          'X 5 6 B C ',
          'MT 5 6 B C ',
        ]);
        same.each(await repository.sets(), ({ name }) => name, ['A', 'B']);
      },
    },
    'load replaces the set of this name and build: all of it becomes visible at once, or nothing does': {
      async 'a load replaces the set of its name and build, and no other'({ repository }) {
        await load(repository, [site(1)]);
        await load(repository, [site(2)], { build: 'GRCh37' });
        await load(repository, [site(3)], { name: 'clinvar' });
        const replaced: (SiteSet | undefined)[] = [];
        const before = await repository.sets();
        const accept = (sites: number, replaces: SiteSet | undefined) => {
          same(sites, 2);
          replaced.push(replaces);
          return { ...record, release: 'next' };
        };
        const sites = batches([site(4)], [], [site(5)]);
        await repository.load({ name: 'ClinVar', build: 'GRCh38', sites, accept }, at(9));
        same(replaced, [before.find(({ name, build }) => name === 'ClinVar' && build === 'GRCh38')]);
        same.each(await all(repository), ({ set, start }) => `${set} ${start}`, [
          'clinvar 3',
          'ClinVar 4',
          'ClinVar 5',
        ]);
        same.each(await all(repository, 'GRCh37'), ({ start }) => start, [2]);
        const [grch37, grch38] = (await repository.sets()).filter(({ name }) => name === 'ClinVar');
        same([grch37?.release, grch38?.release], [record.release, 'next']);
      },
      async 'a load that fails leaves the old set'({ repository, storage }) {
        await load(repository, [site(1)]);
        const before = [await repository.sets(), await all(repository)];
        const thrown = new Error('thrown by the caller');
        const attempt = async (sites: AsyncIterable<readonly Site[]>, accept = () => record, signal?: AbortSignal) => {
          const request = { name: 'ClinVar', build: 'GRCh38' as const, sites, accept, ...(signal && { signal }) };
          const [outcome] = await Promise.allSettled([repository.load(request, at(1))]);
          same(outcome?.status === 'rejected' && outcome.reason, thrown);
          same([await repository.sets(), await all(repository)], before);
        };
        const fail = (): never => {
          throw thrown;
        };
        async function* sources(halfway: () => void) {
          yield [site(2)];
          halfway();
          yield [site(3)];
        }
        await attempt(sources(fail));
        await attempt(batches([site(2)]), fail);
        const stop = new AbortController();
        await attempt(
          sources(() => stop.abort(thrown)),
          () => record,
          stop.signal,
        );
        await undone(storage, (scope) => load(scope.repository(coverageSites), [site(2)], { when: at(1) }));
        same([await repository.sets(), await all(repository)], before);
      },
      async 'sets that look alike are different ones, and so are places on other chromosomes'({ repository }) {
        for (const [i, name] of lookalikes.entries()) await load(repository, [site(i, { genes: ['G'] })], { name });
        await load(repository, [site(500)], { name: 'a', build: 'GRCh37' });
        const named = async () => (await repository.find('GRCh38', { places: [], genes: ['G'] })).sites;
        same(
          (await named()).map(({ set, start }) => [start, set]),
          lookalikes.map((name, i) => [i, name]),
        );
        for (const name of imitations) same((await repository.remove(name, 'GRCh38'))?.name, name);
        same((await named()).map(({ set }) => set).sort(), [...originals].sort());
        await load(repository, [site(700), site(900, { chromosome: 'X' })], { name: 'a' });
        same(await found(repository, [within(700, 701, 'X'), within(900, 901)]), []);
        same(await found(repository, [within(700, 701), within(0, 1, 'X'), within(5000, 5001, 'X')]), [700]);
        same((await all(repository, 'GRCh37')).length, 1);
      },
    },
    'concurrent calls see the old set until the new one is complete': {
      async 'the old set is found while another is loaded'({ repository }) {
        await load(repository, [site(1)]);
        const seen: number[][] = [];
        const [begun, nextDay] = [gate(), gate()];
        const sites = (async function* () {
          begun.open();
          await nextDay.passed;
          yield Array.from({ length: 12_000 }, (_, i) => site(i + 10));
          seen.push((await all(repository)).map(({ start }) => start));
          same(await repository.sweep(new Date(Date.now() - 60_000)), 0, 'it is not idle');
          yield [site(5)];
        })();
        const loading = repository.load({ name: 'ClinVar', build: 'GRCh38', sites, accept: () => record }, at(1));
        await begun.passed;
        await daysLater(1, () => {
          nextDay.open();
          return loading;
        });
        same(seen, [[1]]);
        same((await all(repository)).length, 12_001);
      },
    },
    'of two concurrent loads of one set the one that ends later wins, as a whole': {
      async 'of several concurrent loads of one set, one remains as a whole'({ repository, storage }) {
        await load(repository, [site(7)]);
        const of = (size: number) => Array.from({ length: size }, (_, i) => site(i, { id: String(size) }));
        const set = await meet(
          storage,
          (scope) => load(scope.repository(coverageSites), of(100), { when: at(1) }),
          () => load(repository, of(200), { when: at(2) }),
        );
        same(await repository.sets(), [set]);
        same([set.sites, set.loaded], [200, at(2)]);
        const expected = of(200).map((one) => ({ ...one, set: 'ClinVar' }));
        same(await all(repository), expected);
      },
    },
    'remove returns the set that was removed': {
      async 'a removed set is gone, and no other'({ repository }) {
        const set = await load(repository, [whole]);
        await load(repository, [whole], { name: 'HGMD' });
        await load(repository, [whole], { build: 'GRCh37' });
        same(await repository.remove('ClinVar', 'GRCh38'), set);
        same(await repository.remove('ClinVar', 'GRCh38'), undefined);
        same.each(await all(repository), ({ set }) => set, ['HGMD']);
        same.each(await all(repository, 'GRCh37'), ({ set }) => set, ['ClinVar']);
        same(await found(repository, [], ['TWO']), [100]);
      },
      async 'a set that is removed while another takes its place is the one that is returned'({ repository, storage }) {
        await load(repository, [site(1)]);
        let fresh: SiteSet | undefined;
        const loading = async (scope: StorageScope) => {
          fresh = await load(scope.repository(coverageSites), [site(2)], { when: at(1) });
        };
        const removed = await meet(storage, loading, () => repository.remove('ClinVar', 'GRCh38'));
        same([removed, await repository.sets(), await all(repository)], [fresh, [], []]);
      },
    },
    [givingUp]: {
      async 'an aborted read throws the reason'({ repository }) {
        await load(repository, [whole]);
        await giveUp((signal) => repository.sets({ signal }));
        await giveUp((signal) => repository.find('GRCh38', { places: everywhere, genes: ['TWO'] }, { signal }));
      },
    },
    'a site with another number of bases than 1 to `longestSite` is refused': {
      async 'odd sites are refused, and the old set stays'({ repository }) {
        await load(repository, [site(1)]);
        const odd: Partial<Site>[] = [
          { start: 5, end: 5 },
          { start: 5, end: 4 },
          { start: -1, end: 1 },
          { start: 0.5, end: 1.5 },
          { start: 0, end: longestSite + 1 },
          { chromosome: 'chr1' as Site['chromosome'] },
        ];
        for (const fields of odd)
          await faults('invalid', load(repository, [site(2), site(3, fields)], { when: at(1) }));
        same.each(await all(repository), ({ start }) => start, [1]);
      },
    },
    'lists may be of any length': {
      async '33 000 sites, places and genes are stored and found'({ repository }) {
        // More than the values that a statement of SQLite may have.
        const sites = Array.from({ length: 33_000 }, (_, i) => site(i * 10, { genes: [`G${i}`] }));
        await load(repository, sites);
        same((await found(repository, [within(0, 330_000)])).length, sites.length);
        const genes = sites.flatMap((one) => [...one.genes]);
        same((await found(repository, [], genes)).length, sites.length);
        const apart = sites.filter((_, i) => i % 330 === 0).map(({ start }) => within(start, start + 5));
        same((await found(repository, apart, genes.slice(0, 11))).length, 100 + 10);
      },
    },
  }),
  historyOf<SiteRepository>({
    contract: coverageSites,
    slots: ['A', 'a', 'a '].flatMap((name) => [[name, 'GRCh37'] as const, [name, 'GRCh38'] as const]),
    load(repository, [name, build], rows, loaded, halfway) {
      const sites = (async function* () {
        yield Array.from({ length: rows }, (_, i) => site(i, { genes: ['G'] }));
        await halfway();
      })();
      return repository.load({ name, build, sites, accept: () => record }, loaded);
    },
    remove: (repository, slot) => repository.remove(...slot),
    async sets(repository) {
      const found = [
        ...(await all(repository, 'GRCh37')).map((one) => ['GRCh37', one.set]),
        ...(await all(repository)).map((one) => ['GRCh38', one.set]),
      ];
      return (await repository.sets()).map(({ name, build, sites, loaded }) => {
        return [name, build, sites, found.filter(([of, set]) => of === build && set === name).length, loaded];
      });
    },
  }),
  reopening(
    'sets outlive the storage',
    'what was acknowledged survives',
    coverageSites,
    (repository) => load(repository, [whole, site(1)]),
    async (repository) => [await repository.sets(), await all(repository)],
  ),
];
