import type { Allele, AlleleQuery, BeaconRepository } from '../../../plugins/beacon/contract.js';
import { cases, faults, giveUp, same } from '../core.js';
import { at, breakend, called, carried, dataset, exactly, load, small } from './build.js';

const limit = 'limit bounds the carriers of all matching alleles, one for each allele and sample, however imported';

const here: AlleleQuery = { assembly: 'GRCh37', contig: '1', start: { min: 0, max: 1000 } };

/** Samples of a dataset that each carry all of these alleles: some imported one by one, some together. */
async function crowd(repository: BeaconRepository, id: string, alleles: readonly Allele[], one: number, more: number) {
  await repository.addDataset(dataset(id), at(0));
  for (let i = 0; i < one; i++) {
    await load(repository, id, [`one${i}`], carried(alleles, [0, 1]));
  }
  const names = Array.from({ length: more }, (_, i) => `more${i}`);
  const all = names.map((_, i): [number, number] => [i, 2]);
  await load(repository, id, names, carried(alleles, ...all));
}

export const limitCases = cases<BeaconRepository>({
  [limit]: {
    async 'a search counts the carriers of its alleles against the limit'({ repository, given }) {
      const alleles = [small('1', 100, 'A', 'C'), small('1', 200, 'A', 'C')];
      await crowd(repository, 'a', alleles, 12, 8);
      await crowd(repository, 'b', alleles, 1, 2);
      const hits = (ids: readonly string[]) =>
        ids.map((id) => {
          const [calls, samples] = id === 'a' ? [28, 20] : [5, 3];
          return { dataset: id, alleles: 2, calls: 2 * calls, samples };
        });
      for (const [ids, carriers] of [
        [['a'], 40],
        [['b'], 6],
        [['a', 'b'], 46],
      ] as const) {
        given('datasets', ids);
        same(await repository.search(here, ids, { limit: carriers }), hits(ids), `${carriers} carriers are allowed`);
        await faults('invalid', repository.search(here, ids, { limit: carriers - 1 }));
      }
      same(await repository.present(here, ['a', 'b']), ['a', 'b'], 'present has no such limit');
    },
    async 'a search that matches a single allele ignores the limit'({ repository, given }) {
      const allele = small('1', 100, 'A', 'C');
      const junction = breakend('1', 300, 'G]2:501]', '2', 500);
      for (const id of ['a', 'b']) await crowd(repository, id, [allele, junction], 3, 4);
      const hit = { alleles: 1, calls: 11, samples: 7 };
      const both = ['a', 'b'].map((id) => ({ dataset: id, ...hit }));
      for (const one of [allele, junction]) {
        given('allele', one);
        same(await repository.search(exactly(one), ['a', 'b'], { limit: 1 }), both);
      }
      await faults('invalid', repository.search(here, ['a'], { limit: 13 }));
    },
  },
  "aborting the signal throws the signal's reason, and the storage stops working on the search": {
    async 'an aborted search throws the reason, and leaves nothing behind'({ repository }) {
      const alleles = Array.from({ length: 15_000 }, (_, i) => called(small('1', i, 'A', 'C'), [0, 1]));
      await repository.addDataset(dataset('a'), at(0));
      await load(repository, 'a', ['s'], alleles);
      const everything: AlleleQuery = { assembly: 'GRCh37', contig: '1' };
      const hits = [{ dataset: 'a', alleles: 15_000, calls: 15_000, samples: 1 }];
      await giveUp(async (signal) => {
        const found = await repository.search(everything, ['a'], { signal });
        same(found, hits);
        return found;
      });
      await giveUp((signal) => repository.present({ ...everything, alternate: 'NNNNN' }, ['a'], { signal }));
      same(await repository.search(everything, ['a']), hits, 'aborting after the search has no effect');
    },
  },
});
