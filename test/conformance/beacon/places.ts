/** Queries by position: exact, bracket, range and overlap. */
import type { Allele, AlleleQuery, BeaconRepository, Bounds } from '../../../plugins/beacon/contract.js';
import { type Case, cases, property, type Random, same } from '../core.js';
import { answers, at, called, carried, dataset, filled, finding, load, small, stock, structural } from './build.js';

const far = Number.MAX_SAFE_INTEGER;

const startBounds = 'start: bounds on the zero-based start, inclusive on both sides';
const endBounds = 'end: bounds on the exclusive end, inclusive on both sides';
const overlap = 'overlaps: any allele that shares a base with this half-open interval';
const open = 'an omitted field of a query does not narrow it';
const among = 'search returns datasets among the requested ones, by id ascending';

export const placeCases: readonly Case<BeaconRepository>[] = [
  ...cases<BeaconRepository>({
    'bounds are whole numbers up to 2^53 - 1': {
      async 'bounds may lie beyond any position'({ repository }) {
        const finds = await stock(repository, {
          snv: small('1', 100, 'A', 'T'),
          event: structural('1', 100, 200_000_000, 'DEL'),
          junction: { ...structural('1', 100, 50, 'BND', 'N[2:51['), mate: '2' },
        });
        const all = ['snv', 'event', 'junction'] as const;
        for (const beyond of [2 ** 31 - 1, 2 ** 31, 2 ** 32, far]) {
          await finds({ contig: '1', start: { min: 100, max: beyond } }, all);
          await finds({ contig: '1', start: { min: beyond, max: beyond } }, []);
          await finds({ contig: '1', end: { min: 0, max: beyond } }, all);
          await finds({ contig: '1', end: { min: beyond, max: beyond } }, []);
          await finds({ contig: '1', overlaps: { start: 100, end: beyond } }, all);
          await finds({ contig: '1', overlaps: { start: beyond - 1, end: beyond } }, []);
          await finds({ contig: '2', start: { min: 0, max: beyond }, end: { min: 0, max: beyond } }, ['junction']);
        }
      },
    },
    [overlap]: {
      async 'an overlap finds structural variants of any length'({ repository }) {
        const finds = await stock(repository, {
          hundred: structural('1', 10_000_000, 110_000_000, 'DEL'),
          twoHundred: structural('1', 5, 200_000_005, 'DUP'),
          ten: structural('1', 100_000_000, 110_000_000, 'INV'),
          kilo: structural('1', 109_999_000, 110_000_000, 'DEL'),
          point: small('1', 109_999_999, 'A', 'T'),
          otherContig: structural('2', 10_000_000, 110_000_000, 'DEL'),
        });
        const within = { overlaps: { start: 109_999_999, end: 110_000_000 }, contig: '1' } as const;
        await finds(within, ['hundred', 'twoHundred', 'ten', 'kilo', 'point']);
        await finds({ ...within, kinds: [{ kind: 'DEL' }] }, ['hundred', 'kilo']);
        await finds({ contig: '1', overlaps: { start: 110_000_000, end: 110_000_001 } }, ['twoHundred']);
        await finds({ contig: '1', overlaps: { start: 10_000_000, end: 10_000_001 } }, ['hundred', 'twoHundred']);
        await finds({ contig: '1', overlaps: { start: 9_999_999, end: 10_000_000 } }, ['twoHundred']);
        await finds({ contig: '1', overlaps: { start: 200_000_005, end: far } }, []);
        await finds({ contig: '1', start: { min: 6, max: far }, end: { min: 110_000_000, max: far } }, [
          'hundred',
          'ten',
          'kilo',
          'point',
        ]);
      },
    },
    [among]: {
      async 'only the requested datasets are returned, by id ascending'({ repository }) {
        const allele = small('1', 100, 'A', 'T');
        for (const id of ['c', 'a', 'b']) {
          await repository.addDataset(dataset(id), at(0));
          if (id !== 'b') await load(repository, id, ['s'], [called(allele, [0, 1])]);
        }
        const hit = (id: string) => ({ dataset: id, alleles: 1, calls: 1, samples: 1 });
        const query = { assembly: 'GRCh37', contig: '1' } as const;
        await answers(repository, query, ['c', 'b', 'a'], [hit('a'), hit('c')]);
        await answers(repository, query, ['c'], [hit('c')]);
        await answers(repository, query, ['b'], []);
        await answers(repository, query, [], []);
        await answers(repository, query, ['nowhere', 'c', 'c', 'C', '%'], [hit('c')], 'a repeated name counts once');
      },
    },
  }),
  finding('a start is found at its exact position', startBounds, [
    {
      before: small('1', 99, 'A', 'T'),
      snv: small('1', 100, 'A', 'T'),
      insertion: small('1', 100, 'A', 'AT'),
      deletion: small('1', 100, 'ACGT', 'A'),
      after: small('1', 101, 'A', 'T'),
      elsewhere: small('10', 100, 'A', 'T'),
      first: small('1', 0, 'A', 'T'),
    },
    [{ contig: '1', start: { min: 100, max: 100 } }, ['snv', 'insertion', 'deletion']],
    [{ contig: '1', start: { min: 0, max: 0 } }, ['first']],
    [{ contig: '1', start: { min: 1, max: 98 } }, []],
    [{ contig: '10', start: { min: 100, max: 100 } }, ['elsewhere']],
    [{ contig: '11', start: { min: 100, max: 100 } }, []],
  ]),
  finding('bounds on the start are inclusive on both sides', startBounds, [
    { a: small('1', 100, 'A', 'T'), b: small('1', 101, 'A', 'T'), c: small('1', 105, 'A', 'T') },
    [{ contig: '1', start: { min: 100, max: 105 } }, ['a', 'b', 'c']],
    [{ contig: '1', start: { min: 101, max: 104 } }, ['b']],
    [{ contig: '1', start: { min: 100, max: 101 } }, ['a', 'b']],
    [{ contig: '1', start: { min: 102, max: 104 } }, []],
    [{ contig: '1', start: { min: 105, max: 100 } }, []],
  ]),
  finding('bounds on the end are inclusive on both sides', endBounds, [
    {
      snv: small('1', 104, 'A', 'T'),
      deletion: small('1', 100, 'ACGTA', 'A'),
      longer: small('1', 100, 'ACGTAC', 'A'),
      large: structural('1', 5, 105, 'CNV'),
      event: structural('1', 10, 5_000_000, 'DEL'),
    },
    [{ contig: '1', end: { min: 105, max: 105 } }, ['snv', 'deletion', 'large']],
    [{ contig: '1', end: { min: 105, max: 106 } }, ['snv', 'deletion', 'longer', 'large']],
    [{ contig: '1', end: { min: 106, max: 106 } }, ['longer']],
    [{ contig: '1', end: { min: 107, max: 4_999_999 } }, []],
    [{ contig: '1', end: { min: 5_000_000, max: 5_000_000 } }, ['event']],
    [{ contig: '1', start: { min: 100, max: 100 }, end: { min: 106, max: 106 } }, ['longer']],
  ]),
  {
    name: 'brackets narrow start and end by any of the four bounds',
    promise: `${startBounds}; ${endBounds}`,
    async run({ repository }) {
      const finds = await stock(repository, {
        inner: structural('1', 1_000, 5_000, 'DEL'),
        early: structural('1', 900, 5_000, 'DEL'),
        late: structural('1', 1_100, 5_100, 'DEL'),
        long: structural('1', 1_000, 900_000, 'DEL'),
        huge: structural('1', 1_000, 90_000_000, 'DEL'),
      });
      const contig = '1';
      const all = ['inner', 'early', 'late', 'long', 'huge'] as const;
      await finds({ contig, start: { min: 950, max: 1_050 }, end: { min: 4_900, max: 5_100 } }, ['inner']);
      await finds({ contig, start: { min: 900, max: 1_100 }, end: { min: 5_000, max: 5_100 } }, [
        'inner',
        'early',
        'late',
      ]);
      await finds({ contig, start: { min: 950, max: far } }, ['inner', 'late', 'long', 'huge']);
      await finds({ contig, start: { min: 0, max: 950 } }, ['early']);
      await finds({ contig, end: { min: 5_001, max: far } }, ['late', 'long', 'huge']);
      await finds({ contig, end: { min: 0, max: 5_000 } }, ['inner', 'early']);
      await finds({ contig, start: { min: 950, max: far }, end: { min: 100_000, max: far } }, ['long', 'huge']);
      await finds({ contig, start: { min: 0, max: far }, end: { min: 0, max: 1_000_000 } }, [
        'inner',
        'early',
        'late',
        'long',
      ]);
      await finds({ contig, start: { min: 0, max: far }, end: { min: 0, max: far } }, all);
    },
  },
  finding('a query without a position finds every allele of its contig', open, [
    {
      snv: small('X', 5, 'A', 'T'),
      event: structural('X', 5, 100_000_000, 'INV'),
      other: small('Y', 5, 'A', 'T'),
      mitochondrial: small('MT', 5, 'A', 'T'),
    },
    [{ contig: 'X' }, ['snv', 'event']],
    [{ contig: 'MT' }, ['mitochondrial']],
    [{ contig: '2' }, []],
  ]),
  finding('an overlap shares at least one base', overlap, [
    {
      endsBefore: small('1', 90, 'ACGTACGTAC', 'A'),
      reaches: small('1', 90, 'ACGTACGTACG', 'A'),
      inside: small('1', 100, 'A', 'T'),
      around: structural('1', 50, 200, 'DEL'),
      last: small('1', 109, 'A', 'T'),
      next: small('1', 110, 'A', 'T'),
    },
    [{ contig: '1', overlaps: { start: 100, end: 110 } }, ['reaches', 'inside', 'around', 'last']],
    [{ contig: '1', overlaps: { start: 100, end: 101 } }, ['reaches', 'inside', 'around']],
    [{ contig: '1', overlaps: { start: 101, end: 109 } }, ['around']],
    [{ contig: '1', overlaps: { start: 99, end: 100 } }, ['endsBefore', 'reaches', 'around']],
    [{ contig: '1', overlaps: { start: 110, end: 111 } }, ['next', 'around']],
    [{ contig: '1', overlaps: { start: 0, end: 50 } }, []],
    [{ contig: '1', overlaps: { start: 199, end: far } }, ['around']],
    [{ contig: '1', overlaps: { start: 200, end: far } }, []],
  ]),
  {
    name: 'lengths at which an index may change its strategy make no difference',
    promise: `${overlap}; ${endBounds}`,
    async run({ repository }) {
      const lengths = Array.from({ length: 27 }, (_, i) => 2 ** i).flatMap((length) => [length, length + 1]);
      const end = 150_000_000;
      const alleles: Allele[] = lengths.map((length) => structural('1', end - length, end, 'DEL'));
      await filled(repository, ['s'], carried(alleles, [0, 1]));
      // Lengths 1, 2 and 2, 3 overlap in one: 2 is there twice.
      const distinct = new Set(lengths);
      const hit = (count: number) => (count ? [{ dataset: 'ds', alleles: count, calls: count, samples: 1 }] : []);
      const query = { assembly: 'GRCh37', contig: '1' } as const;
      await answers(repository, { ...query, overlaps: { start: end - 1, end } }, ['ds'], hit(distinct.size));
      await answers(repository, { ...query, end: { min: end, max: end } }, ['ds'], hit(distinct.size));
      await answers(repository, { ...query, overlaps: { start: end, end: end + 1 } }, ['ds'], []);
      for (const length of distinct) {
        const longer = [...distinct].filter((other) => other >= length).length;
        const base = { start: end - length, end: end - length + 1 };
        await answers(repository, { ...query, overlaps: base }, ['ds'], hit(longer), `length ${length}`);
      }
    },
  },
  {
    name: 'any combination of bounds finds the alleles within all of them',
    promise: `${startBounds}; ${endBounds}; ${overlap}`,
    async run(context) {
      const { repository } = context;
      const alleles = new Map<number, Allele>();
      const starts = [1, 2, 60, 65, 1_000, 20_000, 300_000, 5_000_000, 70_000_000];
      for (const start of starts)
        for (const stop of starts) if (stop > start) alleles.set(alleles.size, structural('1', start, stop, 'DEL'));
      await filled(repository, ['s'], carried([...alleles.values()], [0, 1]));
      const around = (random: Random) => Math.max(0, random.pick(starts) + random.int(-1, 1));
      const bounds = (random: Random): Bounds => {
        const [one, two] = [around(random), random.chance(0.2) ? far : around(random)];
        return { min: Math.min(one, two), max: Math.max(one, two) };
      };
      await property<AlleleQuery>(context, {
        runs: 60,
        generate(random) {
          const query: AlleleQuery = { assembly: 'GRCh37', contig: '1' };
          if (random.chance(0.6)) query.start = bounds(random);
          if (random.chance(0.6)) query.end = bounds(random);
          if (random.chance(0.4)) {
            const { min, max } = bounds(random);
            query.overlaps = { start: min, end: Math.min(max + 1, far) };
          }
          return [query];
        },
        async check([query]) {
          if (!query) return;
          const { start, end, overlaps } = query;
          const expected = [...alleles.values()].filter(
            (allele) =>
              (!start || (allele.start >= start.min && allele.start <= start.max)) &&
              (!end || (allele.end >= end.min && allele.end <= end.max)) &&
              (!overlaps || (allele.start < overlaps.end && allele.end > overlaps.start)),
          ).length;
          const [hit] = await repository.search(query, ['ds']);
          same(hit?.alleles ?? 0, expected, 'the number of alleles');
          same(await repository.present(query, ['ds']), expected > 0 ? ['ds'] : []);
        },
      });
    },
  },
];
