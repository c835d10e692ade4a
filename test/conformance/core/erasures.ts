/** What erasures@1 promises (core/erasures/contract.ts). */
import { type ErasureMemory, erasures } from '../../../core/erasures/contract.js';
import { cases } from './case.js';
import { same, undone } from './expect.js';

const noted = 'known returns the end with the highest number that was noted; undefined if none was';

export const erasureCases = cases<ErasureMemory>({
  [noted]: {
    async 'nothing is known until an end is noted'({ repository }) {
      same(await repository.known(), undefined);
      await repository.note({ number: 3, code: '0af3' });
      same(await repository.known(), { number: 3, code: '0af3' });
    },
    async 'of ends that are noted at the same time the highest is kept'({ repository }) {
      const numbers = [4, 8, 1, 7, 2, 6, 3, 5];
      await Promise.all(numbers.map((number) => repository.note({ number, code: `code ${number}` })));
      same(await repository.known(), { number: 8, code: 'code 8' });
    },
  },
  'note does nothing if the same or a higher number is noted': {
    async 'a lower or equal number changes nothing'({ repository }) {
      for (const [number, code] of [
        [9, 'a'],
        [10, 'b'],
        [9, 'c'],
        [10, 'd'],
      ] as const) {
        await repository.note({ number, code });
      }
      same(await repository.known(), { number: 10, code: 'b' });
    },
  },
  'ends join the transaction in which they are noted': {
    async 'an end of a transaction that was rolled back is not known'({ storage, repository }) {
      await undone(storage, (scope) => scope.repository(erasures).note({ number: 1, code: 'a' }));
      same(await repository.known(), undefined);
    },
  },
});
