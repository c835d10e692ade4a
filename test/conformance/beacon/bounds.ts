/** Bounds of numbers, the same on every engine. */
import { type BeaconRepository, type CalledAllele, farthest } from '../../../plugins/beacon/contract.js';
import { cases, faults, same } from '../core.js';
import { answers, at, breakend, called, filled, load, small, stateOf, structural, totals } from './build.js';

const beyond =
  'an import of positions or copies beyond their bounds is an invalid fault, and leaves everything as it was';

const snv = small('1', 100, 'A', 'T');

/** Imports of the samples s and t that must be refused, by what is wrong with them. */
const refused: Readonly<Record<string, readonly CalledAllele[]>> = {
  'an end beyond': [called(structural('1', 100, farthest + 1, 'DEL'), [0, 1])],
  'an end far beyond': [called(structural('1', 100, 99_999_999_999, 'DEL'), [0, 1])],
  'a start beyond': [called(structural('1', farthest + 1, farthest + 2, 'INS'), [0, 1])],
  'a mate beyond': [called(breakend('1', 100, 'G[2:2147483649[', '2', farthest + 1), [0, 1])],
  'a negative start': [called(structural('1', -1, 100, 'DEL'), [0, 1])],
  'half a position': [called(structural('1', 100, 200.5, 'DEL'), [0, 1])],
  'no number': [called(structural('1', 100, Number.NaN, 'DEL'), [0, 1])],
  'a range beyond': [called({ ...structural('1', 1, 9, 'DEL'), endRange: { min: 9, max: farthest + 1 } }, [0, 1])],
  'copies beyond': [called(snv, [0, farthest + 1])],
  'copies beyond in all': [called(snv, [0, farthest], [1, 1])],
  'copies beyond in all, of an allele that comes twice': [called(snv, [0, farthest]), called(snv, [1, 1])],
  'copies beyond in all, of one that comes again far away': [
    called(snv, [0, farthest]),
    called(small('1', 100_000_000, 'A', 'T'), [0, 1]),
    called(small('2', 100, 'A', 'T'), [0, 1]),
    called(snv, [1, 1]),
  ],
  'no copies': [called(snv, [0, 0])],
  'half a copy': [called(snv, [0, 1.5])],
};

export const boundCases = cases<BeaconRepository>({
  'positions and copies are whole numbers up to farthest; totals are exact far beyond': {
    async 'positions, copies and totals may be as large as the bounds allow'({ repository }) {
      const long = structural('1', 0, farthest, 'DEL');
      const far = breakend('2', 5, 'G[3:2147483648[', '3', farthest);
      const deletion = called({ ...long, endRange: { min: 0, max: farthest } }, [0, farthest]);
      const added = await filled(repository, ['s'], [deletion, called(far, [0, 300])]);
      same(added, { alleles: 2, calls: farthest + 300, samples: 1 });
      await load(repository, 'ds', ['t', 'u'], [called(long, [0, farthest - 1], [1, 1])]);
      await load(repository, 'ds', ['v'], [called(long, [0, farthest])]);
      await totals(repository, 'ds', { alleles: 2, calls: 3 * farthest + 300, samples: 4 });
      const reaching = { assembly: 'GRCh37', contig: '1', end: { min: farthest, max: farthest } } as const;
      await answers(repository, reaching, ['ds'], [{ dataset: 'ds', alleles: 1, calls: 3 * farthest, samples: 4 }]);
      const mate = { assembly: 'GRCh37', contig: '3', start: { min: farthest, max: farthest } } as const;
      await answers(repository, mate, ['ds'], [{ dataset: 'ds', alleles: 1, calls: 300, samples: 1 }]);
      same(await repository.removeSamples('ds', ['t'], at(2)), { alleles: 0, calls: farthest - 1, samples: 1 });
      await totals(repository, 'ds', { alleles: 2, calls: 2 * farthest + 301, samples: 3 });
    },
  },
  [beyond]: {
    async 'values beyond the bounds are refused, and nothing of the import stays'({ repository, given }) {
      await filled(repository, ['r'], [called(snv, [0, 1])]);
      const before = await stateOf(repository, 'ds');
      for (const [what, alleles] of Object.entries(refused)) {
        given('the import', what);
        await faults('invalid', load(repository, 'ds', ['s', 't'], alleles, { size: 1, now: at(2) }));
        same(await stateOf(repository, 'ds'), before);
      }
      same(await load(repository, 'ds', ['s'], [called(snv, [0, 1])]), { alleles: 0, calls: 1, samples: 1 });
    },
  },
});
