/** What beacon-depths@1 promises. */
import assert from 'node:assert/strict';
import {
  beaconDepths,
  chosenDepths,
  contigs,
  type DepthRepository,
  mostDepths,
  type Phase,
  type PhasesOfSamples,
  pairNumber,
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

/** The pair of a C there, and a G one base after it. */
const pair = (chromosome: CalledDepth['chromosome'], start: number) =>
  pairNumber(chromosome, { start, alternate: 'C' }, { start: start + 1, alternate: 'G' }) as number;
/** In three stretches, of which two follow each other. */
const pairs = [pair('1', 2 ** 20 - 1), pair('1', 2 ** 20), pair('MT', 2 ** 28 - 2)] as const;
const phased = (...phases: [sample: string, ...(readonly [number, Phase])[]][]): PhasesOfSamples =>
  new Map(phases.map(([sample, ...own]) => [sample, new Map(own)]));
const listed = (phases: PhasesOfSamples) =>
  [...phases].map(([sample, own]) => [sample, ...[...own].sort(([one], [other]) => one - other)]).sort();

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
    'addPhases: adds phases to those that are known; findPhases: those of these pairs in these samples': {
      async 'phases are returned unchanged, by sample and dataset, and others are left out'({ repository }) {
        const [one, two, three] = pairs;
        const own = phased([oddText, [one, 'cis'], [two, 'trans'], [three, 'unclear']], ['s', [three, 'cis']]);
        await repository.addPhases('d', own);
        await repository.addPhases('e', phased(['s', [one, 'trans']]));
        const asked = ['s', oddText, 'nobody'];
        same(listed(await repository.findPhases('d', pairs, asked)), listed(own));
        same(listed(await repository.findPhases('d', [two], asked)), [[oddText, [two, 'trans']]]);
        same(listed(await repository.findPhases('d', [three, one + 1], ['s'])), [['s', [three, 'cis']]]);
        same(listed(await repository.findPhases('e', pairs, asked)), [['s', [one, 'trans']]]);
        for (const none of [await repository.findPhases('d', [], asked), await repository.findPhases('d', pairs, [])])
          same(none.size, 0);
        await repository.addPhases('d', new Map());
        same((await repository.find('d', 'GRCh38', asked)).size, 0);
      },
      async 'a pair of which another phase is known becomes unclear, and stays so'({ repository }) {
        const [one, two] = pairs;
        const phases = async () => listed(await repository.findPhases('d', pairs, ['s']));
        await repository.addPhases('d', phased(['s', [one, 'cis'], [one + 1, 'cis'], [two, 'trans']]));
        await repository.addPhases('d', phased(['s', [one, 'trans'], [two, 'trans']]));
        same(await phases(), [['s', [one, 'unclear'], [two, 'trans']]]);
        await repository.addPhases('d', phased(['s', [one, 'trans']], ['t', [two, 'cis']]));
        same(await phases(), [['s', [one, 'unclear'], [two, 'trans']]]);
        same(listed(await repository.findPhases('d', [one + 1], ['s'])), [['s', [one + 1, 'cis']]]);
      },
      async 'phases of names that look alike are those of different samples'({ repository }) {
        const ids = lookalikes.filter((id) => id !== '');
        for (const [i, id] of ids.entries()) await repository.addPhases('d', phased([id, [i, 'cis']]));
        for (const [i, id] of ids.entries())
          same(listed(await repository.findPhases('d', [...ids.keys()], [id])), [[id, [i, 'cis']]]);
      },
      async 'of concurrent loads of phases of one sample none is lost, and of 1,200 samples each is kept'({
        repository,
      }) {
        const [first] = pairs;
        const numbers = Array.from({ length: 6 }, (_, i) => first + i);
        await Promise.all(numbers.map((number) => repository.addPhases('d', phased(['s', [number, 'cis']]))));
        same((await repository.findPhases('d', numbers, ['s'])).get('s')?.size, 6);
        const names = Array.from({ length: 1200 }, (_, i) => `s${i}`);
        for (const phase of ['cis', 'trans'] as const)
          await repository.addPhases(
            'e',
            phased(...names.map((name) => [name, [first, phase]] as [string, [number, Phase]])),
          );
        const found = await repository.findPhases('e', pairs, names);
        same([found.size, new Set([...found.values()].map((own) => own.get(first)))], [1200, new Set(['unclear'])]);
      },
      async 'a transaction that fails adds and removes no phases'({ repository, storage }) {
        const [one, two] = pairs;
        await repository.addPhases('d', phased(['s', [one, 'cis']]));
        await undone(storage, async (scope) => {
          const inside = scope.repository(beaconDepths);
          await inside.addPhases('d', phased(['t', [two, 'cis']], ['s', [one, 'trans']]));
          await inside.remove('d', ['s']);
        });
        same(listed(await repository.findPhases('d', pairs, ['s', 't'])), [['s', [one, 'cis']]]);
      },
      async 'phases leave with their samples and datasets, and others stay'({ repository }) {
        const names = ['a', 'b', 'c', 'A'];
        const left = async (dataset: string) =>
          [...(await repository.findPhases(dataset, pairs, names)).keys()].sort().join('');
        const own = phased(
          ...names.map(
            (name) => [name, [pairs[0], 'cis'], [pairs[2], 'cis']] as [string, [number, Phase], [number, Phase]],
          ),
        );
        for (const dataset of ['d', 'e']) await repository.addPhases(dataset, own);
        await repository.remove('d', ['a', 'nobody']);
        await repository.remove('d', []);
        same([await left('d'), await left('e')], ['Abc', 'Aabc']);
        await repository.remove('d');
        same([await left('d'), await left('e')], ['', 'Aabc']);
      },
    },
    'remove: one of the two alone if stated': {
      async 'depths leave without phases, and phases without depths'({ repository }) {
        const left = async (dataset: string) => [
          [...(await repository.find(dataset, 'GRCh38', ['s', 't'])).keys()].join(''),
          [...(await repository.findPhases(dataset, pairs, ['s', 't'])).keys()].sort().join(''),
        ];
        for (const dataset of ['d', 'e', 'f']) {
          await repository.add(dataset, 'GRCh38', new Map([['s', [one]]]));
          await repository.addPhases(dataset, phased(['s', [pairs[0], 'cis']], ['t', [pairs[0], 'cis']]));
        }
        await repository.remove('d', ['s'], 'depths');
        await repository.remove('e', ['s'], 'phases');
        await repository.remove('f', undefined, 'phases');
        same(
          [await left('d'), await left('e'), await left('f')],
          [
            ['', 'st'],
            ['s', 't'],
            ['s', ''],
          ],
        );
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
