/** Imports: what they add, and that adding again adds nothing. */
import { type Allele, type BeaconRepository, type CalledAllele, contigs } from '../../../plugins/beacon/contract.js';
import { cases, same } from '../core.js';
import {
  answers,
  at,
  batches,
  called,
  dataset,
  exactly,
  filled,
  load,
  noChange,
  small,
  stateOf,
  structural,
  throws,
  totals,
} from './build.js';

const a = small('1', 100, 'A', 'T');
const b = small('1', 200, 'C', 'CAG');
const c = structural('2', 300, 9000, 'DEL');

const adds = 'importAlleles adds alleles and their carriers to a dataset, and returns what changed in its totals';

export const importCases = cases<BeaconRepository>({
  [adds]: {
    async 'an import adds to the totals and returns what it added'({ repository }) {
      const change = await filled(repository, ['s', 't'], [called(a, [0, 2], [1, 1]), called(b, [1, 1])], {
        now: at(3.003),
      });
      same(change, { alleles: 2, calls: 4, samples: 2 });
      await totals(repository, 'ds', { alleles: 2, calls: 4, samples: 2 });
      same((await repository.dataset('ds'))?.updated, at(3.003));
      same((await repository.dataset('ds'))?.created, at(0));
      same(await repository.samples('ds'), ['s', 't']);
      await answers(repository, exactly(a), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 3, samples: 2 }]);
      await answers(repository, exactly(b), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 1, samples: 1 }]);
    },
    async 'an allele is returned with every field as it was imported'({ repository }) {
      const alleles: Allele[] = [
        small('1', 0, 'A', 'T'),
        small('22', 248_956_421, 'ACGTN', 'A'),
        small('MT', 16_568, 'G', 'GA'),
        structural('X', 1, 155_270_560, 'DUP:TANDEM'),
        structural('Y', 5, 6, 'INS', `<INS:ME:ALU>`),
        { ...small('3', 9, 'ACG', 'A'), structural: true, kind: 'DEL' },
        { ...structural('4', 99, 1_000, 'BND', 'N[12:1001['), mate: '12' },
        { ...structural('5', 7, 8, 'BND', 'N.') },
      ];
      for (const allele of alleles) {
        const id = `ds-${allele.contig}`;
        await repository.addDataset(dataset(id), at(0));
        await load(repository, id, ['s'], [called(allele, [0, 1])]);
        same(await repository.examples(id, allele.structural, 5), [allele]);
        same(await repository.examples(id, !allele.structural, 5), []);
      }
    },
    async 'alleles of different contigs are distinct'({ repository }) {
      const alleles = contigs.map((contig, i) => called(small(contig, 100, 'A', 'T'), [0, i + 1]));
      await filled(repository, ['s'], alleles);
      for (const [i, contig] of contigs.entries()) {
        const expected = [{ dataset: 'ds', alleles: 1, calls: i + 1, samples: 1 }];
        await answers(repository, { assembly: 'GRCh37', contig }, ['ds'], expected);
      }
    },
    async 'an empty import changes nothing'({ repository }) {
      await filled(repository, ['s'], [called(a, [0, 1])]);
      const before = await stateOf(repository, 'ds');
      same(await load(repository, 'ds', [], [], { now: at(5) }), noChange);
      const empty = (async function* () {
        yield* [[], []];
      })();
      same(await repository.importAlleles({ dataset: 'ds', samples: [], alleles: empty }, at(5)), noChange);
      same(await stateOf(repository, 'ds'), before);
    },
  },
  'sampleCount: distinct samples, those without any allele included': {
    async 'samples without any allele are counted'({ repository }) {
      same(await filled(repository, ['s', 't', 'u'], [called(a, [1, 1])]), { alleles: 1, calls: 1, samples: 3 });
      same(await load(repository, 'ds', ['v', 's'], []), { alleles: 0, calls: 0, samples: 1 });
      await totals(repository, 'ds', { alleles: 1, calls: 1, samples: 4 });
      same(await repository.samples('ds'), ['s', 't', 'u', 'v']);
    },
  },
  'importing the same again changes nothing': {
    async 'importing the same again changes nothing'({ repository }) {
      const alleles = [called(a, [0, 2], [1, 1]), called(b, [1, 1]), called(c, [0, 1])];
      await filled(repository, ['s', 't'], alleles, { now: at(1) });
      const before = await stateOf(repository, 'ds');
      same(await load(repository, 'ds', ['s', 't'], alleles, { now: at(2) }), noChange);
      same(await stateOf(repository, 'ds'), before);
      const renumbered = [called(a, [1, 2], [0, 1]), called(b, [0, 1]), called(c, [1, 1])];
      same(await load(repository, 'ds', ['t', 's'], renumbered, { now: at(3) }), noChange);
      same(await stateOf(repository, 'ds'), before, 'nor does importing it with the samples in another order');
    },
  },
  'a sample that has an allele already keeps its first number of copies': {
    async 'a sample keeps its first number of copies'({ repository }) {
      await filled(repository, ['s', 't'], [called(a, [0, 1])]);
      const change = await load(repository, 'ds', ['u', 's'], [called(a, [0, 2], [1, 2]), called(b, [1, 1])]);
      same(change, { alleles: 1, calls: 3, samples: 1 });
      await totals(repository, 'ds', { alleles: 2, calls: 4, samples: 3 });
      await answers(repository, exactly(a), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 3, samples: 2 }]);
      same(await load(repository, 'ds', ['t'], [called(a, [0, 2])]), { alleles: 0, calls: 2, samples: 0 });
      await answers(repository, exactly(a), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 5, samples: 3 }]);
    },
  },
  'batches come in any order of alleles; one allele may come more than once': {
    async 'an allele that occurs twice in one import is one allele'({ repository, given }) {
      const repeats = [called(a, [0, 1], [1, 2]), called(b, [0, 1]), called(a, [0, 2], [2, 1]), called(b, [0, 2])];
      for (const size of [1, 2, 100]) {
        given('batch size', size);
        const id = `ds-${size}`;
        await repository.addDataset(dataset(id), at(0));
        same(await load(repository, id, ['s', 't', 'u'], repeats, { size }), { alleles: 2, calls: 5, samples: 3 });
        await totals(repository, id, { alleles: 2, calls: 5, samples: 3 });
        await answers(repository, exactly(a), [id], [{ dataset: id, alleles: 1, calls: 4, samples: 3 }]);
      }
    },
    async 'alleles may come unsorted'({ repository }) {
      const make = (contig: Allele['contig'], start: number, copies: number): CalledAllele =>
        called(small(contig, start, 'A', 'T'), [0, copies]);
      // Contigs and positions go back and forth, further than any window can bridge; some alleles come again.
      const loaded = [2, 900_000, 5, 100_000_000, 7].flatMap((start) => [
        make('2', start, 1),
        make('1', start, 1),
        make('X', start, 1),
      ]);
      const again = [make('X', 2, 2), make('1', 100_000_000, 2), make('2', 5, 2)];
      const change = await filled(repository, ['s'], [...loaded, ...again], { size: 4 });
      same(change, { alleles: 15, calls: 15, samples: 1 }, 'repeated alleles are not counted again');
      await totals(repository, 'ds', { alleles: 15, calls: 15, samples: 1 });
      for (const { carriers, ...allele } of loaded) {
        await answers(repository, exactly(allele), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 1, samples: 1 }]);
      }
    },
  },
  'two alleles are the same if contig, start, end, mate, reference and alternate are': {
    async 'alleles differ by every part of their identity'({ repository }) {
      const alleles = [
        structural('1', 100, 200, 'DEL'),
        structural('1', 100, 201, 'DEL'),
        structural('1', 101, 200, 'DEL'),
        structural('1', 100, 200, 'DUP'),
        structural('2', 100, 200, 'DEL'),
        { ...structural('1', 100, 200, 'DEL'), reference: 'A' },
        { ...structural('1', 100, 200, 'BND', 'N[2:201['), mate: '2' as const },
        { ...structural('1', 100, 200, 'BND', 'N[2:201['), mate: '3' as const },
        structural('1', 100, 200, 'BND', 'N[2:201['),
      ];
      const loaded = alleles.map((allele) => called(allele, [0, 1]));
      same(await filled(repository, ['s'], loaded), { alleles: 9, calls: 9, samples: 1 });
      same(await load(repository, 'ds', ['t'], loaded), { alleles: 0, calls: 9, samples: 1 });
      await totals(repository, 'ds', { alleles: 9, calls: 18, samples: 2 });
    },
  },
  'importAlleles with replaces takes out what its samples carry of the kinds that it searched for': {
    async 'an import that brings nothing still takes out, and one that is refused does not'({ repository }) {
      await filled(repository, ['s', 't'], [called(a, [0, 1], [1, 1]), called(c, [0, 1])]);
      const searched = () => ({ small: true, structural: false });
      const anew = { dataset: 'ds', samples: ['s'], searched };
      const before = await stateOf(repository, 'ds');
      const refusal = new RangeError('too little is left');
      const judge = () => {
        throw refusal;
      };
      const refused = repository.importAlleles({ ...anew, alleles: batches([]), replaces: { judge } }, at(8));
      await throws(refusal, refused);
      same(await stateOf(repository, 'ds'), before);
      const replaced = { alleles: 0, calls: 1, samples: 1 };
      const change = await repository.importAlleles({ ...anew, alleles: batches([]), replaces: {} }, at(9));
      same(change, { ...noChange, replaced });
      await totals(repository, 'ds', { alleles: 2, calls: 2, samples: 2 });
      same((await repository.dataset('ds'))?.updated, at(9));
      const [{ later } = {}] = await repository.sampleFacts('ds');
      same(later, { small: 1, structural: 0 }, 'who knew the alleles of the sample looks again');
    },
  },
  'several datasets may contain one allele; each has its own counts': {
    async 'datasets that share an allele count it separately'({ repository }) {
      for (const id of ['ds-1', 'ds-2', 'ds-3']) await repository.addDataset(dataset(id), at(0));
      await load(repository, 'ds-1', ['s', 't'], [called(a, [0, 1], [1, 1]), called(b, [0, 1])]);
      same(await load(repository, 'ds-2', ['s'], [called(a, [0, 2])]), { alleles: 1, calls: 2, samples: 1 });
      await totals(repository, 'ds-1', { alleles: 2, calls: 3, samples: 2 });
      await totals(repository, 'ds-2', { alleles: 1, calls: 2, samples: 1 });
      await totals(repository, 'ds-3', noChange);
      const [first, second] = [
        { dataset: 'ds-1', alleles: 1, calls: 2, samples: 2 },
        { dataset: 'ds-2', alleles: 1, calls: 2, samples: 1 },
      ];
      await answers(repository, exactly(a), ['ds-1', 'ds-2', 'ds-3'], [first, second]);
      await answers(repository, exactly(a), ['ds-2'], [second], 'only the requested datasets');
      await answers(repository, exactly(b), ['ds-2', 'ds-3'], []);
    },
  },
  'calls: alternate alleles called over all samples; samples: distinct ones with a matching allele': {
    async 'copies are added up, and a sample is counted once'({ repository }) {
      const near = [small('1', 10, 'A', 'T'), small('1', 11, 'A', 'T'), small('1', 12, 'A', 'T')] as const;
      await filled(repository, ['s', 't', 'u'], [called(near[0], [0, 2], [1, 1]), called(near[1], [0, 1])]);
      await load(repository, 'ds', ['v', 's'], [called(near[1], [0, 2]), called(near[2], [1, 2])]);
      // near[0]: s 2, t 1; near[1]: s 1, v 2; near[2]: s 2.
      const within = (min: number, max: number) => ({ assembly: 'GRCh37', contig: '1', start: { min, max } }) as const;
      await answers(repository, within(10, 12), ['ds'], [{ dataset: 'ds', alleles: 3, calls: 8, samples: 3 }]);
      await answers(repository, within(11, 12), ['ds'], [{ dataset: 'ds', alleles: 2, calls: 5, samples: 2 }]);
      await answers(repository, within(10, 10), ['ds'], [{ dataset: 'ds', alleles: 1, calls: 3, samples: 2 }]);
    },
  },
});
