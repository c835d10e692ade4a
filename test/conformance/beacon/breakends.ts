/** Breakends: found from both of their ends, counted once. */
import type { AlleleQuery, BeaconRepository } from '../../../plugins/beacon/contract.js';
import { type Case, cases, same } from '../core.js';
import { answers, at, breakend, called, dataset, filled, finding, load, small, stock, structural } from './build.js';

// The pair of VCF 4.3 §5.4: bnd_W 2:321681 G]17:198982] and bnd_Y 17:198982 A]2:321681], here zero-based.
const w = breakend('2', 321_680, 'G]17:198982]', '17', 198_981, 'G');
const y = breakend('17', 198_981, 'A]2:321681]', '2', 321_680, 'A');

const bothEnds = 'a breakend is found from both of its ends';
const near =
  'the reference base of a record does not apply to its other end: only a query without a reference finds that end';
const once = "the two records of one breakend junction count once; a sample's largest count is taken";
const mates = 'mate: only breakends whose other end is on this contig';
const position = 'overlaps: a breakend at its own position';

const point = (start: number) => ({ min: start, max: start });

export const breakendCases: readonly Case<BeaconRepository>[] = [
  ...cases<BeaconRepository>({
    [once]: {
      async 'both records of a junction count once'({ repository }) {
        // s has one copy by one record and two by the other; t only one record; u both.
        const pair = [called(w, [0, 1], [1, 1], [2, 1]), called(y, [0, 2], [2, 1])];
        same(await filled(repository, ['s', 't', 'u'], pair), { alleles: 2, calls: 6, samples: 3 });
        const hit = [{ dataset: 'ds', alleles: 1, calls: 4, samples: 3 }];
        const query = { assembly: 'GRCh37', kinds: [{ kind: 'BND' }] } as const;
        await answers(repository, { ...query, contig: '2' }, ['ds'], hit);
        await answers(repository, { ...query, contig: '17' }, ['ds'], hit);
        await answers(repository, { ...query, contig: '2', mate: '17', start: point(321_680) }, ['ds'], hit);
        const own = [{ dataset: 'ds', alleles: 1, calls: 3, samples: 2 }];
        await answers(repository, { ...query, contig: '17', reference: 'A' }, ['ds'], own, 'only that record');
      },
      async 'both records of a junction count once even if they come from different imports'({ repository }) {
        await filled(repository, ['s'], [called(w, [0, 1])]);
        await load(repository, 'ds', ['t', 's'], [called(y, [0, 1], [1, 2]), called(w, [0, 1])]);
        const hit = [{ dataset: 'ds', alleles: 1, calls: 3, samples: 2 }];
        await answers(repository, { assembly: 'GRCh37', contig: '2' }, ['ds'], hit);
        await repository.removeSamples('ds', ['s'], at(2));
        const rest = [{ dataset: 'ds', alleles: 1, calls: 1, samples: 1 }];
        await answers(repository, { assembly: 'GRCh37', contig: '17' }, ['ds'], rest);
      },
      async 'a junction within one contig counts once, from either end'({ repository }) {
        const low = breakend('5', 1_000, 'G[5:9001[', '5', 9_000);
        const high = breakend('5', 9_000, ']5:1001]G', '5', 1_000);
        await repository.addDataset(dataset('one'), at(0));
        await repository.addDataset(dataset('both'), at(0));
        await load(repository, 'one', ['s'], [called(low, [0, 1])]);
        await load(repository, 'both', ['s'], [called(low, [0, 1]), called(high, [0, 1])]);
        const hits = ['both', 'one'].map((id) => ({ dataset: id, alleles: 1, calls: 1, samples: 1 }));
        const query = { assembly: 'GRCh37', contig: '5' } as const;
        await answers(repository, query, ['one', 'both'], hits);
        await answers(repository, { ...query, start: point(1_000) }, ['one', 'both'], hits);
        await answers(repository, { ...query, start: point(9_000) }, ['one', 'both'], hits);
        await answers(repository, { ...query, start: { min: 0, max: 10_000 }, mate: '5' }, ['one', 'both'], hits);
      },
    },
    'a junction is two positions, each with the side of it that is kept': {
      async 'junctions that keep different sides are different'({ repository }) {
        const sides = ['G]17:198982]', 'G[17:198982[', ']17:198982]G', '[17:198982[G'];
        const alleles = sides.map((alternate) => called(breakend('2', 321_680, alternate, '17', 198_981), [0, 1]));
        await filled(repository, ['s'], alleles);
        const hit = [{ dataset: 'ds', alleles: 4, calls: 4, samples: 1 }];
        await answers(repository, { assembly: 'GRCh37', contig: '2' }, ['ds'], hit);
        await answers(repository, { assembly: 'GRCh37', contig: '17' }, ['ds'], hit);
      },
    },
    [position]: {
      async 'a breakend overlaps at its own position, not between its ends'({ repository }) {
        const finds = await stock(repository, {
          within: breakend('5', 1_000, 'G[5:9001[', '5', 9_000),
          across: breakend('5', 2_000, 'G[6:9000001[', '6', 9_000_000),
          backwards: breakend('5', 8_000, 'G[6:11[', '6', 10),
        });
        const overlaps = (start: number, end = start + 1) => ({ overlaps: { start, end } });
        await finds({ contig: '5', ...overlaps(1_000) }, ['within']);
        await finds({ contig: '5', ...overlaps(9_000) }, ['within']);
        await finds({ contig: '5', ...overlaps(1_001, 2_000) }, []);
        await finds({ contig: '5', ...overlaps(2_000) }, ['across']);
        await finds({ contig: '5', ...overlaps(2_001, 8_000) }, []);
        await finds({ contig: '5', ...overlaps(8_000, 9_000) }, ['backwards']);
        await finds({ contig: '5', ...overlaps(8_999, 9_001) }, ['within']);
        await finds({ contig: '6', ...overlaps(10) }, ['backwards']);
        await finds({ contig: '6', ...overlaps(9_000_000) }, ['across']);
        await finds({ contig: '6', ...overlaps(11, 9_000_000) }, []);
      },
    },
    [bothEnds]: {
      async 'a breakend with a kind, within one chromosome, counts once although both of its ends match'(context) {
        const inverted = { ...breakend('1', 100, 'G]1:501]', '1', 500), kind: 'INV' };
        await filled(context.repository, ['s'], [called(inverted, [0, 2])]);
        await load(context.repository, 'ds', ['t', 'u'], [called(inverted, [0, 1], [1, 1])]);
        const query: AlleleQuery = { assembly: 'GRCh37', contig: '1', start: { min: 0, max: 1_000 } };
        await answers(context.repository, query, ['ds'], [{ dataset: 'ds', alleles: 1, calls: 4, samples: 3 }]);
      },
    },
  }),
  finding('a breakend is found from both of its ends', bothEnds, [
    { w, plain: small('17', 198_981, 'A', 'T') },
    [{ contig: '2', start: point(321_680) }, ['w']],
    [{ contig: '17', start: point(198_981), kinds: [{ kind: 'BND' }] }, ['w']],
    [{ contig: '17', start: point(198_981) }, ['w', 'plain']],
    [{ contig: '17', start: point(321_680) }, []],
    [{ contig: '2', start: point(198_981) }, []],
    [{ contig: '17', kinds: [{ kind: 'BND' }] }, ['w']],
  ]),
  finding(
    'bounds on the end of a breakend apply to its other end',
    "end: for a breakend, bounds on its mate's zero-based position",
    [
      { w },
      [{ contig: '2', end: point(198_981) }, ['w']],
      [{ contig: '2', start: point(321_680), end: { min: 198_900, max: 199_000 } }, ['w']],
      [{ contig: '17', start: point(198_981), end: point(321_680) }, ['w']],
      [{ contig: '17', start: point(198_981), end: point(198_981) }, []],
      [{ contig: '2', end: point(321_681) }, []],
    ],
  ),
  finding('the reference base belongs to the end that is queried', near, [
    { w },
    [{ contig: '2', start: point(321_680), reference: 'G' }, ['w']],
    [{ contig: '2', start: point(321_680), reference: 'A' }, []],
    [{ contig: '17', start: point(198_981), reference: 'G' }, []],
    [{ contig: '17', start: point(198_981), reference: 'A' }, []],
    [{ contig: '17', start: point(198_981), reference: 'N' }, ['w']],
    [{ contig: '17', start: point(198_981), alternate: 'N' }, ['w']],
    [{ contig: '17', start: point(198_981), alternate: 'T' }, []],
  ]),
  finding('a mate narrows to breakends that end there', mates, [
    {
      w,
      within: breakend('2', 500, 'G[2:9001[', '2', 9_000),
      elsewhere: breakend('2', 600, 'G[3:9001[', '3', 9_000),
      plain: small('2', 321_680, 'G', 'T'),
      event: structural('2', 100, 900, 'DEL'),
      single: structural('2', 700, 701, 'BND', 'G.'),
    },
    [{ contig: '2', mate: '17' }, ['w']],
    [{ contig: '17', mate: '2' }, ['w']],
    [{ contig: '2', mate: '2' }, ['within']],
    [{ contig: '2', mate: '3' }, ['elsewhere']],
    [{ contig: '17', mate: '17' }, []],
    [{ contig: '2', mate: 'X' }, []],
  ]),
  finding('a single breakend has one end', bothEnds, [
    { forward: structural('1', 100, 101, 'BND', 'G.'), backward: structural('1', 100, 101, 'BND', '.G') },
    [{ contig: '1', start: point(100), kinds: [{ kind: 'BND' }] }, ['forward', 'backward']],
    [{ contig: '1', overlaps: { start: 100, end: 101 } }, ['forward', 'backward']],
    [{ contig: '1', start: point(101) }, []],
  ]),
];
