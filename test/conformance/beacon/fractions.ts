/** Allele fractions of carriers: heteroplasmy on MT, mosaics elsewhere. */
import type {
  BeaconRepository,
  CalledAllele,
  CarrierFraction,
  ReplaceRules,
} from '../../../plugins/beacon/contract.js';
import { cases, faults, same } from '../core.js';
import { at, batches, called, dataset, exactly, facts, filled, load, small, structural } from './build.js';
import { observed, sequence } from './observations.js';

const melas = small('MT', 3242, 'A', 'G');
const other = small('MT', 8992, 'T', 'G');
const snv = small('1', 100, 'A', 'T');
const common = structural('MT', 8482, 13_460, 'DEL');

/** Carriers have one copy each. */
function withFractions(allele: Parameters<typeof called>[0], ...fractions: (CarrierFraction | number)[]): CalledAllele {
  const carriers = fractions.map((one) => [typeof one === 'number' ? one : one[0], 1] as const);
  return { ...called(allele, ...carriers), fractions: fractions.filter((one) => typeof one !== 'number') };
}

async function fractionsOf(repository: BeaconRepository, allele = melas, id = 'ds') {
  const [found] = await repository.fractions(id, [allele]);
  return [...(found ?? [])].map(([name, percent]) => `${name}:${percent}`).sort();
}

const counts =
  'observe: on MT, calls with an allele fraction below the `minimumHeteroplasmy` of the dataset do not count';
const first = 'importAlleles: of several fractions of a carrier the first; those of carriers that are there stay';

export const fractionCases = cases<BeaconRepository>({
  'fractions: for each of these alleles, the known allele fractions by the names of its carriers': {
    async 'fractions are returned by allele and carrier, as they were given'({ repository }) {
      const names = ['s', 't', 'u', 'v'];
      await filled(repository, names, [
        withFractions(melas, [0, 100], 1, [2, 0], [3, 1]),
        withFractions(other, [1, 47]),
        withFractions(snv, [3, 24]),
        withFractions(common, [0, 60], 2),
      ]);
      const asked = [snv, melas, small('MT', 3242, 'A', 'C'), common, other, small('1', 100, 'A', 'G')];
      const found = await repository.fractions('ds', asked);
      same(
        found.map((one) => Object.fromEntries(one)),
        [{ v: 24 }, { s: 100, u: 0, v: 1 }, {}, { s: 60 }, { t: 47 }, {}],
      );
      same(await repository.fractions('nowhere', [melas]), [new Map()]);
      same(await repository.fractions('ds', []), []);
      await repository.addDataset(dataset('other', { assembly: 'GRCh38' }), at(0));
      await load(repository, 'other', ['s'], [withFractions(melas, [0, 3])]);
      same(
        [await fractionsOf(repository), await fractionsOf(repository, melas, 'other')],
        [['s:100', 'u:0', 'v:1'], ['s:3']],
      );
    },
    async 'fractions of samples that do not carry the allele do not matter'({ repository }) {
      await filled(
        repository,
        ['s', 't'],
        [
          {
            ...called(melas, [0, 1]),
            fractions: [
              [1, 50],
              [0, 12],
            ],
            uncalled: [1],
          },
        ],
      );
      same(await fractionsOf(repository), ['s:12']);
    },
    async 'an import with a fraction that is not a whole percent is refused'({ repository }) {
      await repository.addDataset(dataset('ds'), at(0));
      for (const percent of [-1, 101, 4.5, Number.NaN]) {
        await faults('invalid', load(repository, 'ds', ['s'], [withFractions(melas, [0, percent])]));
      }
      same(await repository.samples('ds'), []);
    },
  },
  [first]: {
    async 'a carrier keeps the fraction that came with it'({ repository }) {
      const again = [withFractions(melas, [0, 30]), withFractions(other, [0, 5]), withFractions(melas, [0, 70])];
      await filled(repository, ['s'], again);
      same(await fractionsOf(repository), ['s:30']);
      await load(repository, 'ds', ['s', 't'], [withFractions(melas, [0, 90], [1, 80]), withFractions(snv, [0, 9])]);
      same(await fractionsOf(repository), ['s:30', 't:80']);
      await load(repository, 'ds', ['u'], [withFractions(melas, 0)]);
      await load(repository, 'ds', ['u'], [withFractions(melas, [0, 40])]);
      same(await fractionsOf(repository), ['s:30', 't:80']);
    },
    async 'records of an allele that are far apart are one'({ repository }) {
      const records = [
        withFractions(melas, [0, 30], 1),
        withFractions(snv, [0, 3]),
        withFractions(melas, [0, 60], [1, 70]),
      ];
      await filled(repository, ['s', 't'], records);
      same([await fractionsOf(repository), await fractionsOf(repository, snv)], [['s:30', 't:70'], ['s:3']]);
    },
    async 'fractions leave with what is replaced or removed, and others stay'({ repository }) {
      await filled(repository, ['s', 't'], [withFractions(melas, [0, 30], [1, 40]), withFractions(common, [0, 50])]);
      const replacing = (samples: string[], alleles: CalledAllele[], searched = { small: true, structural: false }) => {
        const replaces: ReplaceRules = {};
        const request = { dataset: 'ds', samples, alleles: batches(alleles), replaces, searched: () => searched };
        return repository.importAlleles(request, at(2));
      };
      await replacing(['s'], [withFractions(melas, [0, 31])]);
      same([await fractionsOf(repository), await fractionsOf(repository, common)], [['s:31', 't:40'], ['s:50']]);
      await replacing(['s', 't'], [withFractions(melas, 0, [1, 41])]);
      same([await fractionsOf(repository), await fractionsOf(repository, common)], [['t:41'], ['s:50']]);
      await repository.removeSamples('ds', ['s'], at(3));
      same([await fractionsOf(repository), await fractionsOf(repository, common)], [['t:41'], []]);
      await repository.removeDataset('ds');
      await filled(repository, ['s', 't'], [withFractions(melas, 0, 1)]);
      same(await fractionsOf(repository), []);
    },
    async 'merges keep fractions'({ repository }) {
      await repository.addDataset(dataset('ds'), at(0));
      const names = Array.from({ length: 20 }, (_, i) => `s${i}`);
      for (const [i, name] of names.entries()) {
        await load(repository, 'ds', [name], [i % 3 === 0 ? withFractions(melas, 0) : withFractions(melas, [0, i])]);
      }
      const known = names.flatMap((name, i) => (i % 3 === 0 ? [] : [`${name}:${i}`]));
      same(await fractionsOf(repository), [...known].sort());
      while ((await repository.compact('ds', async () => undefined)) > 0);
      same(await fractionsOf(repository), [...known].sort());
      await repository.removeSamples('ds', names.slice(0, 5), at(30));
      const left = known.filter((one) => !/^s[0-4]:/.test(one));
      same(await fractionsOf(repository), [...left].sort());
    },
  },
  [counts]: {
    async 'carriers are counted by their fractions'({ repository }) {
      const names = ['a', 'b', 'c', 'd', 'e'];
      await filled(repository, names, [
        withFractions(melas, [0, 97], [1, 12], 2, [3, 12], [4, 3]),
        withFractions(snv, [0, 20], 1),
      ]);
      const levels = [[3, 1], [12, 2], [97, 1]]; // biome-ignore format: one line
      const one = await observed(repository, sequence(melas));
      same([one?.carriers, one?.fractions], [5, { levels, unknown: 1, below: 0 }]);
      same((await observed(repository, sequence(other)))?.fractions, undefined);
      // Elsewhere only if they are asked for.
      same((await observed(repository, sequence(snv), { cases: 9 }))?.fractions, undefined);
      const asked = { cases: 9, fractions: true };
      same((await observed(repository, sequence(snv), asked))?.fractions, { levels: [[20, 1]], unknown: 1, below: 0 });
      same((await observed(repository, sequence(snv), { fractions: true }))?.fractions?.unknown, 1);
    },
    async 'calls below the minimum are found, and not counted'({ repository }) {
      const counting = { passOnly: false, window: 2000, minimumHeteroplasmy: 10 };
      await repository.addDataset(dataset('ds', { counting }), at(0));
      const family = facts({ a: { case: 'f' }, b: { case: 'f' } });
      const calls = [withFractions(melas, [0, 10], [1, 9], 2, [3, 0]), withFractions(common, [0, 5], [1, 90])];
      await load(repository, 'ds', ['a', 'b', 'c', 'd'], [...calls, withFractions(snv, [0, 5])], { facts: family });
      const one = await observed(repository, sequence(melas), { cases: 9, carriers: true });
      same([one?.carriers, one?.cases, one?.alleleCount, one?.of.samples], [2, 2, 2, 4]);
      same(one?.fractions, { levels: [[10, 1]], unknown: 1, below: 2 });
      same.each(one?.detail?.carrying ?? [], ({ case: family, percent }) => [family, percent], [['c', undefined], ['f', 10]]); // biome-ignore format: one line
      same(one?.named?.numbers.map((number) => one.named?.names[number]).sort(), ['a', 'c']);
      const question = { type: 'structural', contig: 'MT', start: 8482, end: 13_460, kind: 'DEL' } as const;
      const deletion = await observed(repository, question);
      same([deletion?.carriers, deletion?.fractions], [1, { levels: [[90, 1]], unknown: 0, below: 1 }]);
      same((await observed(repository, sequence(snv)))?.carriers, 1);
      same((await repository.search(exactly(melas), ['ds']))[0]?.samples, 4);
      // Of a sample that carries it by another record, too, that counts.
      const spelled = { ...small('MT', 3241, 'CA', 'CG'), structural: true };
      await load(repository, 'ds', ['b', 'd'], [withFractions(spelled, 0, [1, 2])]);
      const both = await observed(repository, sequence(melas));
      same([both?.carriers, both?.fractions], [3, { levels: [[10, 1]], unknown: 2, below: 1 }]);
      // The rule applies to all calls, at once.
      const description = dataset('ds', { counting: { ...counting, minimumHeteroplasmy: 0 } });
      await repository.updateDataset(description, at(9));
      same((await observed(repository, sequence(melas)))?.carriers, 4);
    },
  },
});
