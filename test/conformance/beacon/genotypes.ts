/** Genotypes of all samples at some sites, by which new samples are compared with stored ones. */
import assert from 'node:assert/strict';
import {
  type BeaconRepository,
  type CalledAllele,
  contigs,
  type Site,
  siteOf,
} from '../../../plugins/beacon/contract.js';
import { type Case, cases, same } from '../core.js';
import { at, called, dataset, facts, filled, givingUp, load, small, structural } from './build.js';

const [first, second, third] = [small('1', 100, 'A', 'C'), small('1', 100, 'A', 'G'), small('22', 7, 'T', 'A')];

/** Each sample's genotypes by site: alternate alleles, `.` if unknown. */
async function answer(repository: BeaconRepository, id: string, sites: readonly Site[]) {
  const found = await repository.genotypes(id, sites);
  assert.ok(found, `dataset ${id} exists`);
  const { samples, genotypes } = found;
  const known = samples.map(({ name }, sample) => [
    name,
    sites.map((_, site) => genotypes.at(sample, site) ?? '.').join(''),
  ]);
  return Object.fromEntries(known);
}

export const genotypeCases: readonly Case<BeaconRepository>[] = [
  ...cases<BeaconRepository>({
    'genotypes returns what is stored of all samples at some sites': {
      async 'genotypes are those that are stored, over all imports, before and after merging'({ repository }) {
        for (const id of ['ds', 'other']) await repository.addDataset(dataset(id), at(0));
        const alleles = [called(first, [0, 1], [1, 2]), called(second, [2, 1]), called(third, [0, 3])];
        await load(repository, 'ds', ['c', 'a', 'b'], alleles, { facts: facts({ a: { case: 'F1', sex: 'male' } }) });
        // A sample that has an allele keeps its first number of copies.
        await load(repository, 'ds', ['d', 'a'], [called(first, [0, 1], [1, 1]), called(third, [1, 1])]);
        await load(repository, 'other', ['z'], [called(first, [0, 2])]);
        const none = small('2', 5, 'A', 'C');
        const others = [
          { ...first, contig: '2' as const },
          { ...first, reference: 'G' },
          { ...first, start: 101 },
        ];
        const sites = [third, ...others, second, none, first].map(siteOf);
        const expected = { a: '1.....2', b: '....1..', c: '2.....1', d: '......1' };
        same(await answer(repository, 'ds', sites), expected);
        same((await repository.genotypes('ds', sites))?.samples, await repository.sampleFacts('ds'), 'their facts');
        for (let n = 0; n < 6; n++) await load(repository, 'ds', [`e${n}`], [called(second, [0, 1 + (n % 2)])]);
        const more = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`e${n}`, `....${1 + (n % 2)}..`]));
        same(await answer(repository, 'ds', sites), { ...expected, ...more });
        while ((await repository.compact('ds', async () => {})) > 0);
        same(await answer(repository, 'ds', sites), { ...expected, ...more }, 'after merging');
        await repository.removeSamples('ds', ['a', 'b', ...Object.keys(more)], at(2));
        same(await answer(repository, 'ds', sites), { c: '2.....1', d: '......1' }, 'after samples were removed');
        same(await answer(repository, 'ds', []), { c: '', d: '' }, 'without sites');
        same(await repository.genotypes('nowhere', sites), undefined);
      },
      async 'genotypes at thousands of sites on all chromosomes'({ repository }) {
        const alleles = Array.from({ length: 3000 }, (_, n) =>
          called(small(contigs[n % 22] ?? '1', n, 'C', 'T'), [n % 3, 1 + (n % 2)]),
        );
        await filled(repository, ['a', 'b', 'c'], alleles);
        const sites = alleles.map(siteOf);
        const found = await repository.genotypes('ds', sites);
        const wrong = sites.findIndex((_, n) =>
          [0, 1, 2].some((sample) => found?.genotypes.at(sample, n) !== (sample === n % 3 ? 1 + (n % 2) : undefined)),
        );
        same(wrong, -1, 'the first site with another genotype');
      },
    },
    'commonSites returns single-base alleles of autosomes, which many samples carry': {
      async 'common sites are single bases of autosomes, each once and by place'({ repository }) {
        for (const id of ['ds', 'empty']) await repository.addDataset(dataset(id), at(0));
        const others = [
          small('X', 5, 'A', 'C'),
          small('Y', 5, 'A', 'C'),
          small('MT', 5, 'A', 'C'),
          small('1', 200, 'AT', 'GC'),
          small('1', 300, 'A', 'AC'),
          small('1', 400, 'AC', 'A'),
          small('1', 500, 'N', 'C'),
          structural('1', 600, 700, 'DEL'),
          { ...small('1', 800, 'A', 'C'), structural: true, kind: 'DUP' },
        ];
        const all: CalledAllele[] = [third, ...others, second, first].map((allele) => called(allele, [0, 1]));
        await load(repository, 'ds', ['a'], all);
        same(await repository.commonSites('ds', 100), [first, second, third].map(siteOf));
        same((await repository.commonSites('ds', 2)).length, 2, 'at most two');
        same(await repository.commonSites('empty', 9), []);
        same(await repository.commonSites('nowhere', 9), []);
        await load(repository, 'ds', ['b'], [called(second, [0, 1]), called(first, [0, 1])]);
        const found = await repository.commonSites('ds', 100);
        same(new Set(found.map((site) => JSON.stringify(site))).size, found.length, 'each once');
        await repository.removeSamples('ds', ['a', 'b'], at(2));
        same(await repository.commonSites('ds', 100), [], 'after samples were removed');
      },
      async 'common sites are those that many samples carry'({ repository }) {
        const samples = Array.from({ length: 20 }, (_, n) => `s${n}`);
        const rare = Array.from({ length: 60 }, (_, n) => called(small('3', 2 * n, 'G', 'A'), [n % 20, 1]));
        const common = Array.from({ length: 12 }, (_, n) =>
          called(small('4', n, 'G', 'A'), ...samples.map((_, sample) => [sample, 1] as const)),
        );
        await filled(repository, samples, [...rare, ...common]);
        same(
          await repository.commonSites('ds', 20).then((found) => found.filter(({ contig }) => contig === '4').length),
          12,
        );
      },
    },
  }),
  givingUp(
    'reading genotypes that is given up throws the reason',
    'genotypes: aborting throws the signal’s reason',
    (repository, signal) => repository.genotypes('ds', [siteOf(first)], { signal }),
  ),
];
