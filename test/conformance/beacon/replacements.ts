/** Queries by what alleles replace. */
import type {
  Allele,
  AlleleQuery,
  BeaconRepository,
  Bounds,
  Replacement,
  SequenceChange,
} from '../../../plugins/beacon/contract.js';
import { replacing } from '../../../plugins/beacon/contract.js';
import { type Case, cases, property, same } from '../core.js';
import { answers, breakend, called, filled, finding, load, small, stock, structural } from './build.js';

const between =
  'replaces: stretches in inter-residue coordinates, without the base that a record writes beside an allele';
const overlapping = 'replaces.overlaps: shares a base; an insertion lies within the stretch or at its edges';
const lengths = 'replaces.length: bounds on the bases replaced or put in their place, whichever are more';
const both = 'replaces: a breakend from both of its ends';

const contig = '1';
const exact = (position: number): Bounds => ({ min: position, max: position });
const asked = (replaces: Replacement): Omit<AlleleQuery, 'assembly'> => ({ contig, ...replacing(replaces) });

export const replacementCases: readonly Case<BeaconRepository>[] = [
  ...cases<BeaconRepository>({
    [overlapping]: {
      async 'an insertion overlaps a stretch within it and at both of its edges'({ repository }) {
        const finds = await stock(repository, {
          before: small('1', 98, 'A', 'AT'),
          first: small('1', 99, 'A', 'AT'),
          inside: small('1', 104, 'A', 'AT'),
          last: small('1', 109, 'A', 'AT'),
          after: small('1', 110, 'A', 'AT'),
          touchesFirst: small('1', 98, 'ACG', 'A'),
          endsBefore: small('1', 98, 'AC', 'A'),
          touchesLast: small('1', 108, 'AC', 'A'),
          beginsAfter: small('1', 109, 'AC', 'A'),
          lastBase: small('1', 109, 'A', 'T'),
          nextBase: small('1', 110, 'A', 'T'),
          around: structural('1', 50, 200, 'INV'),
        });
        const within = ['first', 'inside', 'last', 'touchesFirst', 'touchesLast', 'lastBase', 'around'] as const;
        await finds(asked({ overlaps: { start: 100, end: 110 } }), within);
        await finds(asked({ overlaps: { start: 105, end: 105 } }), ['inside', 'around']);
        await finds(asked({ overlaps: { start: 99, end: 100 } }), [
          'before',
          'first',
          'endsBefore',
          'touchesFirst',
          'around',
        ]);
        await finds(asked({ overlaps: { start: 0, end: 50 } }), []);
        await finds(asked({ overlaps: { start: 200, end: 300 } }), []);
      },
    },
    [lengths]: {
      async 'bounds on the length count the bases that differ'({ repository }) {
        const finds = await stock(repository, {
          snv: small('1', 100, 'A', 'T'),
          two: small('1', 110, 'AC', 'TG'),
          insertion: small('1', 120, 'A', 'ATGC'),
          deletion: small('1', 130, 'ACGTA', 'A'),
          replaced: small('1', 140, 'ACG', 'TTTTTT'),
          event: structural('1', 999, 5_000, 'DEL'),
          inserted: { ...structural('1', 2_000, 2_001, 'INS'), length: 300 },
          // A record may state another length than that between its ends.
          stated: { ...structural('1', 6_000, 6_501, 'DEL'), length: 510 },
          unknown: structural('1', 3_000, 3_001, 'INS'),
          shown: { ...small('1', 4_000, 'G', 'GACG'), structural: true },
          junction: breakend('1', 100, 'G[1:4101[', '1', 4_100),
          single: structural('1', 5_000, 5_001, 'BND', 'G.'),
        });
        const length = (min: number, max = Number.MAX_SAFE_INTEGER) => asked({ length: { min, max } });
        await finds(length(1, 1), ['snv']);
        await finds(length(2, 2), ['two']);
        await finds(length(3, 3), ['insertion', 'shown']);
        await finds(length(4, 4), ['deletion']);
        await finds(length(6, 6), ['replaced']);
        await finds(length(300, 300), ['inserted']);
        await finds(length(500, 510), ['stated']);
        await finds(length(500, 509), []);
        await finds(length(4_000, 4_000), ['event']);
        await finds(length(3), ['insertion', 'shown', 'deletion', 'replaced', 'inserted', 'event', 'stated']);
        const all = [
          'snv',
          'two',
          'insertion',
          'deletion',
          'replaced',
          'event',
          'inserted',
          'stated',
          'shown',
        ] as const;
        await finds(length(0), all);
      },
      async 'an insertion has the length that the import of a carrier stated'({ repository }) {
        const insertion = structural('1', 2_000, 2_001, 'INS');
        await filled(repository, ['s'], [called({ ...insertion, length: 300 }, [0, 1])]);
        await load(repository, 'ds', ['t', 'u'], [called({ ...insertion, length: 310 }, [0, 1], [1, 2])]);
        await load(repository, 'ds', ['v'], [called(insertion, [0, 2])]);
        const hit = (calls: number, samples: number) => [{ dataset: 'ds', alleles: 1, calls, samples }];
        const between = (min: number, max: number): AlleleQuery => ({
          assembly: 'GRCh37',
          ...asked({ start: exact(2_001), length: { min, max } }),
        });
        await answers(repository, between(300, 300), ['ds'], hit(1, 1));
        await answers(repository, between(301, 400), ['ds'], hit(3, 2));
        await answers(repository, between(0, 400), ['ds'], hit(4, 3));
        await answers(repository, between(311, 400), ['ds'], []);
        await answers(repository, { assembly: 'GRCh37', contig }, ['ds'], hit(6, 4));
      },
    },
    'replaces.reference and alternate: IUPAC codes, one for each base, empty for none': {
      async 'IUPAC codes stand for one base, and nothing for none'({ repository }) {
        const finds = await stock(repository, {
          toG: small('1', 100, 'A', 'G'),
          toC: small('1', 100, 'A', 'C'),
          unknown: small('1', 100, 'A', 'N'),
          insertion: small('1', 99, 'C', 'CG'),
          deletion: small('1', 99, 'CA', 'C'),
          event: structural('1', 99, 900, 'DEL'),
          junction: breakend('1', 100, 'G[2:9[', '2', 8),
        });
        const start = exact(100);
        await finds(asked({ start, alternate: 'R' }), ['toG', 'insertion']);
        await finds(asked({ start, end: exact(101), alternate: 'R' }), ['toG']);
        await finds(asked({ start, alternate: 'B', reference: 'M' }), ['toG', 'toC']);
        await finds(asked({ start, alternate: 'N', reference: 'A' }), ['toG', 'toC', 'unknown']);
        await finds(asked({ start, alternate: 'Y', reference: 'Y' }), []);
        await finds(asked({ start, alternate: '' }), ['deletion']);
        await finds(asked({ start, reference: '' }), ['insertion']);
        await finds(asked({ start, reference: '', alternate: 'S' }), ['insertion']);
      },
    },
    'replaces.change: all alleles that are one change of the sequence': {
      async 'a change is found however the record writes it'({ repository }) {
        const finds = await stock(repository, {
          insertion: small('1', 100, 'A', 'AT'),
          repeated: small('1', 200, 'A', 'AA'),
          deletion: small('1', 300, 'ACG', 'A'),
          stated: { ...small('1', 400, 'GCCAA', 'GT'), structural: true },
          shifted: small('1', 500, 'CACAC', 'CAC'),
          snv: small('1', 600, 'G', 'T'),
          symbolic: structural('1', 300, 303, 'DEL'),
        });
        const change = (start: number, end: number, alternate: string, reference?: string) =>
          asked({ change: { start, end, alternate, ...(reference !== undefined && { reference }) } });
        await finds(change(101, 101, 'T'), ['insertion']);
        await finds(change(100, 101, 'AT', 'A'), ['insertion']);
        await finds(change(99, 102, 'CATG', 'CAG'), ['insertion']);
        await finds(change(99, 102, 'CATG', 'CCG'), []);
        await finds(change(101, 101, 'K'), ['insertion']);
        await finds(change(100, 100, 'T'), []);
        await finds(change(200, 200, 'A'), ['repeated']);
        await finds(change(201, 201, 'A'), ['repeated']);
        await finds(change(301, 303, ''), ['deletion']);
        await finds(change(301, 303, '', 'CG'), ['deletion']);
        await finds(change(301, 303, '', 'CC'), []);
        await finds(change(301, 304, ''), []);
        await finds(change(401, 405, 'T'), ['stated']);
        await finds(change(400, 405, 'GT', 'GCCAA'), ['stated']);
        for (const start of [500, 501, 502, 503]) await finds(change(start, start + 2, ''), ['shifted']);
        await finds(change(504, 506, ''), []);
        await finds(change(600, 601, 'T', 'R'), ['snv']);
        await finds(change(600, 601, 'T'), ['snv']);
        await finds(change(600, 601, 'A'), []);
      },
      async 'a change is found as a symbolic allele of the same stretch, and where a record shows its bases'(context) {
        const finds = await stock(context.repository, {
          deletion: structural('1', 299, 305, 'DEL'),
          named: { ...structural('1', 299, 305, 'CNV', '<DEL>'), reference: 'A' },
          mobile: structural('1', 299, 305, 'DEL:ME'),
          longer: structural('1', 299, 306, 'DEL'),
          tandem: structural('1', 299, 305, 'DUP:TANDEM'),
          inversion: structural('1', 299, 305, 'INV'),
          shown: small('1', 299, 'G', 'GG'),
          unit: small('1', 299, 'ACG', 'ACGCG'),
          inverted: small('1', 400, 'AAC', 'GTT'),
        });
        const change = (start: number, end: number, alternate: SequenceChange['alternate'], ...symbols: string[]) =>
          asked({ change: { start, end, alternate, symbols } });
        await finds(change(300, 305, '', 'DEL'), ['deletion', 'named', 'mobile']);
        await finds(change(299, 305, '', 'DEL'), ['deletion', 'named', 'mobile']);
        await finds(change(300, 305, ''), []);
        await finds(change(300, 304, '', 'DEL'), []);
        await finds(change(300, 305, { is: 'duplicated' }, 'DUP'), ['tandem']);
        await finds(change(300, 305, { is: 'inverted' }, 'INV'), ['inversion']);
        await finds(change(299, 300, { is: 'duplicated' }), ['shown']);
        await finds(change(300, 302, { is: 'duplicated' }), ['unit']);
        await finds(change(400, 403, { is: 'inverted' }), ['inverted']);
        await finds(change(399, 404, { is: 'inverted' }), []);
      },
    },
  }),
  finding('an insertion replaces nothing, and a deletion no base before it', between, [
    {
      snv: small('1', 100, 'A', 'T'),
      // After base 100, between 101 and 102 of one-based positions.
      insertion: small('1', 100, 'A', 'AT'),
      repeated: small('1', 100, 'A', 'AA'),
      deletion: small('1', 100, 'ACG', 'A'),
      both: small('1', 100, 'AC', 'TGG'),
    },
    [asked({ start: exact(100) }), ['snv', 'both', 'repeated']],
    [asked({ start: exact(101) }), ['insertion', 'deletion']],
    [asked({ start: exact(101), end: exact(101) }), ['insertion']],
    [asked({ end: exact(100) }), ['repeated']],
    [asked({ end: { min: 102, max: 103 } }), ['both', 'deletion']],
    [asked({ start: { min: 101, max: 200 }, end: { min: 102, max: 200 } }), ['deletion']],
  ]),
  finding(
    'a structural allele is found by the stretch that it states, and by that without the base before it',
    between,
    [
      {
        deletion: structural('1', 999, 5_000, 'DEL'),
        insertion: structural('1', 999, 1_000, 'INS'),
        written: { ...small('1', 999, 'GCCAA', 'GT'), end: 1_020, structural: true },
        unanchored: { ...small('1', 999, 'GCCAA', 'TT'), structural: true },
      },
      [asked({ start: exact(999) }), ['deletion', 'insertion', 'written', 'unanchored']],
      [asked({ start: exact(1_000) }), ['deletion', 'insertion', 'written']],
      [asked({ start: exact(1_000), end: exact(5_000) }), ['deletion']],
      [asked({ start: exact(1_000), end: exact(1_000) }), ['insertion']],
      [asked({ start: exact(1_001) }), []],
      [asked({ overlaps: { start: 1_000, end: 1_001 } }), ['deletion', 'insertion', 'written', 'unanchored']],
      [asked({ overlaps: { start: 1_001, end: 1_002 } }), ['deletion', 'written', 'unanchored']],
    ],
  ),
  finding('a breakend replaces its own base, and ends at its mate', both, [
    { within: breakend('1', 1_000, 'G[1:9001[', '1', 9_000), across: breakend('1', 2_000, 'G[6:9001[', '6', 9_000) },
    [asked({ start: exact(1_000) }), ['within']],
    [asked({ start: exact(9_000) }), ['within']],
    [asked({ start: exact(1_000), end: exact(9_000) }), ['within']],
    [asked({ start: exact(9_000), end: exact(1_000) }), ['within']],
    [asked({ start: exact(2_000) }), ['across']],
    [asked({ start: exact(2_000), end: exact(9_000) }), []],
    [{ ...asked({ start: exact(2_000), end: exact(9_000) }), mate: '6' }, ['across']],
    [{ ...asked({ start: exact(9_000) }), contig: '6' }, ['across']],
    [asked({ overlaps: { start: 500, end: 1_500 } }), ['within']],
    [asked({ overlaps: { start: 1_001, end: 2_000 } }), []],
    [asked({ start: exact(1_000), alternate: 'N' }), []],
  ]),
  {
    name: 'any combination of bounds finds what is replaced within all of them',
    promise: `${between}; ${overlapping}; ${lengths}`,
    async run(context) {
      const { repository } = context;
      interface Stocked {
        allele: Allele;
        stretches: [start: number, end: number][];
        length: number;
      }
      const alleles: Stocked[] = [];
      for (const start of [10, 11, 60, 64, 1_000, 40_000]) {
        alleles.push({ allele: small('1', start, 'A', 'C'), stretches: [[start, start + 1]], length: 1 });
        alleles.push({ allele: small('1', start, 'A', 'ACC'), stretches: [[start + 1, start + 1]], length: 2 });
        alleles.push({ allele: small('1', start, 'ACGT', 'A'), stretches: [[start + 1, start + 4]], length: 3 });
        for (const stop of [70, 71, 30_000, 90_000_000]) {
          if (stop <= start) continue;
          const event = structural('1', start, stop, 'DEL');
          const stretches: [number, number][] = [[start, stop], [start + 1, stop]]; // biome-ignore format: a pair
          alleles.push({ allele: event, stretches, length: stop - start - 1 });
        }
      }
      await filled(context.repository, ['s'], alleles.map(({ allele }) => called(allele, [0, 1]))); // biome-ignore format: one
      const edges = [10, 11, 12, 15, 60, 65, 70, 71, 1_000, 1_001, 30_000, 40_004, 90_000_000];
      await property<Replacement>(context, {
        runs: 60,
        generate(random) {
          const bounds = (): Bounds => {
            const [one, two] = [random.pick(edges), random.pick(edges)];
            return { min: Math.min(one, two), max: Math.max(one, two) };
          };
          const replaces: Replacement = {};
          if (random.chance(0.5)) replaces.start = bounds();
          if (random.chance(0.5)) replaces.end = bounds();
          if (random.chance(0.3))
            replaces.length = { min: random.int(0, 3), max: random.pick([2, 3, 60, 100_000_000]) };
          if (random.chance(0.5)) {
            const { min, max } = bounds();
            replaces.overlaps = { start: min, end: max };
          }
          return [replaces];
        },
        async check([replaces]) {
          if (!replaces) return;
          const { start, end, overlaps, length } = replaces;
          const within = (value: number, range: Bounds | undefined) =>
            !range || (value >= range.min && value <= range.max);
          const expected = alleles.filter(
            (one) =>
              within(one.length, length) &&
              one.stretches.some(
                ([from, to]) =>
                  within(from, start) &&
                  within(to, end) &&
                  (!overlaps ||
                    (from === to
                      ? from >= overlaps.start && from <= overlaps.end
                      : from < overlaps.end && to > overlaps.start)),
              ),
          ).length;
          const query: AlleleQuery = { assembly: 'GRCh37', ...asked(replaces) };
          const [hit] = await repository.search(query, ['ds']);
          same(hit?.alleles ?? 0, expected, 'the number of alleles');
          same(await repository.present(query, ['ds']), expected > 0 ? ['ds'] : []);
        },
      });
    },
  },
];
