/** Samples whose genotype was not called at an allele: neither carriers nor among those out of which it is counted. */
import type { BeaconRepository, CalledAllele, Observation } from '../../../plugins/beacon/contract.js';
import { cases, same } from '../core.js';
import {
  answers,
  at,
  breakend,
  called,
  contentOf,
  dataset,
  exactly,
  facts,
  filled,
  listed,
  load,
  small,
  structural,
} from './build.js';
import { observed, sequence } from './observations.js';

const chromosomes =
  'Search: chromosomes of which all genotypes were skipped were not searched, unless another import read some';

const snv = small('1', 100, 'A', 'T');
const deletion = structural('3', 10_000, 11_001, 'DEL');
const question = { type: 'structural', contig: '3', start: 10_000, end: 11_001, kind: 'DEL' } as const;

function uncalled(allele: Parameters<typeof called>[0], ...samples: number[]): CalledAllele {
  return { ...allele, carriers: [], uncalled: samples };
}

/** `carriers/notCalled of samples/cases` */
function numbersOf(one: Observation | undefined): string {
  return one ? `${one.carriers}/${one.notCalled} of ${one.of.samples}/${one.of.cases}` : 'none';
}

export const uncalledCases = cases<BeaconRepository>({
  'observe: uncalled samples of an allele are left out of those out of which it is counted': {
    async 'a sample that was not called is not among those that could show the allele'({ repository }) {
      const allele = { ...called(snv, [0, 1]), uncalled: [1] };
      await filled(repository, ['s', 't', 'u'], [allele, uncalled(deletion, 1, 2)]);
      same(numbersOf(await observed(repository, sequence(snv))), '1/1 of 2/2');
      const named = (await observed(repository, sequence(snv), { carriers: true, cases: 5 }))?.named;
      same(
        named?.uncalled.map((number) => named.names[number]),
        ['t'],
      );
      same(numbersOf(await observed(repository, question)), '0/2 of 1/1');
      same(numbersOf(await observed(repository, { ...question, start: 10_200, end: 10_801 })), '0/2 of 1/1');
      same(numbersOf(await observed(repository, { ...question, kind: 'CNV' })), '0/2 of 1/1');
      same(numbersOf(await observed(repository, { ...question, kind: 'DUP' })), '0/0 of 3/3');
      same(numbersOf(await observed(repository, sequence(small('1', 100, 'A', 'C')))), '0/0 of 3/3');
      const both = await repository.observe('GRCh37', [sequence(snv), question, sequence(snv)], ['ds']);
      same.each(both, ([one]) => numbersOf(one), ['1/1 of 2/2', '0/2 of 1/1', '1/1 of 2/2']);
    },
    async 'a case counts if one of its samples was called'({ repository }) {
      const family = facts({ child: { case: 'f' }, mother: { case: 'f' } });
      await filled(repository, ['child', 'mother', 'other'], [uncalled(snv, 0, 2)], { facts: family });
      same(numbersOf(await observed(repository, sequence(snv))), '0/2 of 1/1');
      await load(repository, 'ds', ['mother'], [uncalled(snv, 0)]);
      same(numbersOf(await observed(repository, sequence(snv))), '0/3 of 0/0');
    },
    async 'a sample that carries the allele by another record is a carrier'({ repository }) {
      await filled(repository, ['s', 't'], [uncalled(snv, 0), called(snv, [0, 1]), uncalled(snv, 0, 1)]);
      same(numbersOf(await observed(repository, sequence(snv))), '1/1 of 1/1');
      await load(repository, 'ds', ['t'], [called(snv, [0, 2])]);
      same(numbersOf(await observed(repository, sequence(snv))), '2/0 of 2/2');
      await load(repository, 'ds', ['s'], [uncalled(snv, 0)]);
      same(numbersOf(await observed(repository, sequence(snv))), '2/0 of 2/2');
    },
    async 'junctions, and deletions of plain bases in another spelling, are not called either'({ repository }) {
      const spelled = { ...small('2', 100, 'ACTG', 'ACG'), structural: true };
      const junction = breakend('5', 100_000, 'G]9:700001]', '9', 700_000);
      await filled(repository, ['s', 't'], [uncalled(spelled, 0), uncalled(junction, 1)]);
      same(numbersOf(await observed(repository, sequence(small('2', 101, 'CT', 'C')))), '0/1 of 1/1');
      const asked = { type: 'structural', contig: '9', start: 700_000, end: 100_000, kind: 'BND', mate: '5' } as const;
      same(numbersOf(await observed(repository, asked)), '0/1 of 1/1');
    },
  },
  'importAlleles: what it says of uncalled samples changes what observe returns and `later`, and nothing else': {
    async 'samples that were not called are no part of what is found, counted or exported'({ repository }) {
      await filled(repository, ['s', 't'], [called(deletion, [0, 1])]);
      const content = async () => {
        const { facts: known, ...rest } = await contentOf(repository, 'ds');
        return { ...rest, facts: known.map(({ later: _, ...sample }) => sample) };
      };
      const before = await content();
      same(await load(repository, 'ds', ['s', 't'], [uncalled(snv, 0, 1), uncalled(deletion, 1)]), {
        ...{ alleles: 0, calls: 0, samples: 0 },
      });
      same(await content(), before);
      await answers(repository, exactly(snv), ['ds'], []);
      same(await listed(repository, 'ds'), [{ ...deletion, calls: 1 }]);
      same(numbersOf(await observed(repository, question)), '1/1 of 1/1');
    },
    async 'a record of an import in which nobody was called widens no allele of another'({ repository }) {
      const insertion = structural('3', 500, 501, 'INS');
      const long = uncalled({ ...insertion, length: 300, startRange: { min: 490, max: 510 } }, 1);
      const short = called({ ...insertion, length: 100 }, [0, 1]);
      await filled(repository, ['s', 't'], [long, short, long]);
      const stated = await listed(repository, 'ds');
      same.each(stated, ({ length, startRange }) => [length, startRange], [[100, undefined]]);
    },
    async 'what an import says again of samples that were not called changes nothing'({ repository }) {
      const load1 = [uncalled(snv, 0), uncalled(deletion, 0)];
      await filled(repository, ['s'], load1, { now: at(1) });
      await load(repository, 'ds', ['s'], load1, { now: at(2) });
      same((await repository.dataset('ds'))?.updated, at(1));
      await load(repository, 'ds', ['s'], [...load1, uncalled(small('1', 100, 'A', 'G'), 0)], { now: at(3) });
      same((await repository.dataset('ds'))?.updated, at(3));
      same(numbersOf(await observed(repository, sequence(small('1', 100, 'A', 'G')))), '0/1 of 0/0');
    },
    async 'what is said of samples that were not called leaves with them'({ repository }) {
      await filled(repository, ['s', 't'], [uncalled(snv, 0, 1), called(deletion, [0, 1], [1, 1])]);
      await repository.removeSamples('ds', ['s'], at(2));
      same(numbersOf(await observed(repository, sequence(snv))), '0/1 of 0/0');
      await load(repository, 'ds', ['s'], []);
      same(numbersOf(await observed(repository, sequence(snv))), '0/1 of 1/1');
      await repository.removeDataset('ds');
      await filled(repository, ['s', 't'], []);
      same(numbersOf(await observed(repository, sequence(snv))), '0/0 of 2/2');
    },
    async 'merges keep what is said of samples that were not called'({ repository }) {
      await repository.addDataset(dataset('ds'), at(0));
      const names = Array.from({ length: 20 }, (_, i) => `s${i}`);
      for (const [i, name] of names.entries()) {
        await load(repository, 'ds', [name], [i % 2 === 0 ? uncalled(snv, 0) : called(snv, [0, 1])]);
      }
      same(numbersOf(await observed(repository, sequence(snv))), '10/10 of 10/10');
      while ((await repository.compact('ds', async () => undefined)) > 0);
      same(numbersOf(await observed(repository, sequence(snv))), '10/10 of 10/10');
      await repository.removeSamples('ds', names.slice(0, 4), at(30));
      same(numbersOf(await observed(repository, sequence(snv))), '8/8 of 8/8');
    },
  },
  [chromosomes]: {
    async 'a chromosome of which all genotypes were skipped was not searched'({ repository }) {
      const searched = () =>
        ({ small: true, structural: true, skipped: { small: ['MT'], structural: ['1'] } }) as const;
      await filled(repository, ['s'], [], { searched });
      await load(repository, 'ds', ['t'], []);
      const mt = sequence(small('MT', 3242, 'A', 'G'));
      same(numbersOf(await observed(repository, mt)), '0/1 of 1/1');
      same(numbersOf(await observed(repository, sequence(snv))), '0/0 of 2/2');
      same(numbersOf(await observed(repository, { ...question, contig: '1' })), '0/1 of 1/1');
      same.each(await repository.sampleFacts('ds'), ({ unsearched }) => unsearched, [
        { small: ['MT'], structural: ['1'] },
        undefined,
      ]);
      // An import without records of it says nothing, one that read some of its genotypes does.
      await load(repository, 'ds', ['s'], [], { searched: () => ({ small: true, structural: false }) });
      same(numbersOf(await observed(repository, mt)), '0/1 of 1/1');
      const read = () => ({ small: true, structural: false, read: { small: ['MT'] } }) as const;
      await load(repository, 'ds', ['s'], [], { searched: read });
      same(numbersOf(await observed(repository, mt)), '0/0 of 2/2');
      await repository.describeSamples('ds', facts({ s: { sex: 'male' } }), at(5));
      same(numbersOf(await observed(repository, { ...question, contig: '1' })), '0/1 of 1/1');
    },
  },
});
