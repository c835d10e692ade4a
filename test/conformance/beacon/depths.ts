/** What beacon-depths@1 promises. */
import assert from 'node:assert/strict';
import {
  beaconDepths,
  chosenDepths,
  contigs,
  type DepthRepository,
  mostDepths,
} from '../../../plugins/beacon/contract.js';
import type { CalledDepth } from '../../../plugins/services/beacon.js';
import { type Case, cases, lookalikes, oddText, reopening, same, undone } from '../core.js';

const one: CalledDepth = { chromosome: '1', start: 0, depth: 2_000_000 };
const two: CalledDepth = { chromosome: '22', start: 248_956_421, depth: 1 };

/** As many places, each with the depth. */
function many(count: number, depth: number): CalledDepth[] {
  return Array.from({ length: count }, (_, i) => {
    return { chromosome: contigs[i % 22] as CalledDepth['chromosome'], start: i * 977, depth };
  });
}

const sorted = (depths: readonly CalledDepth[] = []) =>
  depths.map(({ chromosome, start, depth }) => `${chromosome}:${start} ${depth}`).sort();

const adding = 'add: adds depths to those that are known, of which a depth at the same place is replaced';

export const depthCases: readonly Case<DepthRepository>[] = [
  ...cases<DepthRepository>({
    [adding]: {
      async 'depths are returned unchanged, by sample and dataset'({ repository }) {
        await repository.add(
          'd',
          'GRCh38',
          new Map([
            [oddText, [one, two]],
            ['s', [two]],
          ]),
        );
        await repository.add('e', 'GRCh38', new Map([['s', [one]]]));
        const found = await repository.find('d', 'GRCh38', ['s', oddText, 'nobody']);
        same([...found.keys()].sort(), [oddText, 's'].sort());
        same(sorted(found.get(oddText)), sorted([one, two]));
        same([...(await repository.find('e', 'GRCh38', ['s', oddText]))], [['s', [one]]]);
        same((await repository.find('d', 'GRCh38', [])).size, 0);
        await repository.add('d', 'GRCh38', new Map());
        await repository.add('d', 'GRCh38', new Map([['s', [{ ...two, depth: 9 }, one]]]));
        same(sorted((await repository.find('d', 'GRCh38', ['s'])).get('s')), sorted([one, { ...two, depth: 9 }]));
        same(sorted((await repository.find('d', 'GRCh38', [oddText])).get(oddText)), sorted([one, two]));
      },
      async 'names that look alike are those of different samples'({ repository }) {
        const ids = lookalikes.filter((id) => id !== '');
        for (const [i, id] of ids.entries())
          await repository.add('d', 'GRCh38', new Map([[id, [{ ...one, depth: i + 1 }]]]));
        for (const [i, id] of ids.entries())
          same([...(await repository.find('d', 'GRCh38', [id]))], [[id, [{ ...one, depth: i + 1 }]]]);
      },
      async 'known ones of another assembly are replaced'({ repository }) {
        await repository.add('d', 'GRCh37', new Map([['s', [one]]]));
        await repository.add('d', 'GRCh38', new Map([['s', [two]]]));
        same([(await repository.find('d', 'GRCh37', ['s'])).size], [0]);
        same([...(await repository.find('d', 'GRCh38', ['s']))], [['s', [two]]]);
      },
      async 'of many places those are kept that are chosen, whatever the order and the depth'({ repository }) {
        const all = many(3 * mostDepths, 30);
        const deep = many(3 * mostDepths, 900);
        for (let from = 0; from < all.length; from += 250)
          await repository.add('d', 'GRCh38', new Map([['s', all.slice(from, from + 250)]]));
        await repository.add('d', 'GRCh38', new Map([['t', [...deep].reverse()]]));
        const found = await repository.find('d', 'GRCh38', ['s', 't']);
        same(sorted(found.get('s')), sorted(chosenDepths(all)));
        same(found.get('t')?.length, mostDepths);
        same(sorted(found.get('t')), sorted(chosenDepths(deep)));
      },
      async 'of concurrent loads of one sample none is lost, and of 1,200 samples each is kept'({ repository }) {
        const all = many(60, 30);
        await repository.add('d', 'GRCh38', new Map([['s', [one]]]));
        await Promise.all(
          Array.from({ length: 6 }, (_, i) =>
            repository.add('d', 'GRCh38', new Map([['s', all.slice(i * 10, i * 10 + 10)]])),
          ),
        );
        same(sorted((await repository.find('d', 'GRCh38', ['s'])).get('s')), sorted(chosenDepths([one, ...all])));
        const names = Array.from({ length: 1200 }, (_, i) => `s${i}`);
        await repository.add('e', 'GRCh38', new Map(names.map((name) => [name, [two]])));
        same((await repository.find('e', 'GRCh38', names)).size, 1200);
      },
      async 'a transaction that fails adds and removes nothing'({ repository, storage }) {
        await repository.add('d', 'GRCh38', new Map([['s', [one]]]));
        await undone(storage, async (scope) => {
          const inside = scope.repository(beaconDepths);
          await inside.add('d', 'GRCh38', new Map([['t', [two]]]));
          await inside.remove('d', ['s']);
        });
        same([...(await repository.find('d', 'GRCh38', ['s', 't']))], [['s', [one]]]);
      },
    },
    'remove: those of these samples, of all if omitted; retain: those of all but these': {
      async 'depths leave with their samples and datasets, and others stay'({ repository }) {
        const names = async (dataset: string) =>
          [...(await repository.find(dataset, 'GRCh38', ['a', 'b', 'c', 'A'])).keys()].sort().join('');
        for (const dataset of ['d', 'e'])
          await repository.add(dataset, 'GRCh38', new Map(['a', 'b', 'c', 'A'].map((name) => [name, [one]])));
        await repository.remove('d', ['a', 'nobody']);
        same([await names('d'), await names('e')], ['Abc', 'Aabc']);
        await repository.remove('d', []);
        await repository.retain('d', ['A', 'b', 'nobody']);
        same([await names('d'), await names('e')], ['Ab', 'Aabc']);
        await repository.remove('d');
        same([await names('d'), await names('e')], ['', 'Aabc']);
        await repository.retain('e', []);
        assert.equal(await names('e'), '');
      },
    },
  }),
  reopening(
    'depths are there after closing and opening again',
    adding,
    beaconDepths,
    (repository) => repository.add('d', 'GRCh38', new Map([['s', [one, two]]])),
    async (repository) => sorted((await repository.find('d', 'GRCh38', ['s'])).get('s')),
  ),
];
