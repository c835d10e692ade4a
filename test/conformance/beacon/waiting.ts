/** What beacon-protection@1 promises of loads that wait for a publication. */
import type {
  AnnotatedCall,
  LoadToWait,
  Phase,
  ProtectionRepository,
  Search,
} from '../../../plugins/beacon/contract.js';
import { type Case, cases, faults, oddText, same } from '../core.js';
import { at, called, small, structural } from './build.js';

const [d, e] = ['E\u0301 d ', 'E\u0301 e '];
const [a, b] = ['A\u030a ', oddText];

const snv = small('1', 100, 'A', 'C');
const indel = small('X', 7, 'AT', 'A');
const deletion = { ...structural('2', 10, 50, 'DEL'), startRange: { min: 8, max: 12 }, length: 40 };
const both: readonly AnnotatedCall[] = [called(snv, [0, 1], [1, 2]), { ...called(indel, [1, 1]), uncalled: [0] }];
const one: readonly AnnotatedCall[] = [called(deletion, [0, 2])];
const noted: readonly AnnotatedCall[] = both.map((call) => ({
  ...call,
  annotation: {
    genes: [{ symbol: oddText, transcripts: [{ choice: 'worst', terms: ['stop_gained'], protein: 'p.Arg1Ter' }] }],
    frequency: { value: 6.57e-7, field: 'MAX_AF' },
    source: { annotator: 'VEP', version: 'v110', databases: { ClinVar: '202301' } },
  },
}));
/** More than one piece has. */
const many = Array.from({ length: 70_000 }, (_, i): [number, Phase] => [2 ** 39 + i, i % 2 === 0 ? 'cis' : 'trans']);
const phasesOf = (all: readonly (readonly [string, readonly (readonly [number, Phase])[]])[]) =>
  new Map(all.map(([name, pairs]) => [name, new Map(pairs)]));
const search: Search = { small: true, structural: false, read: { small: ['1', 'X'] }, skipped: { small: ['2'] } };

const ofD: LoadToWait = { dataset: d, created: at(1), samples: [a, b] };

async function waits(
  repository: ProtectionRepository,
  load: LoadToWait = ofD,
  batches: readonly (readonly AnnotatedCall[])[] = [both, one],
  now = at(10),
): Promise<number> {
  const number = await repository.beginLoad(load, now);
  for (const batch of batches) await repository.addToLoad(number, batch);
  await repository.endLoad(number, search);
  return number;
}

async function allelesOf(repository: ProtectionRepository, number: number): Promise<AnnotatedCall[]> {
  const found: AnnotatedCall[] = [];
  for await (const batch of repository.allelesOfLoad(number)) found.push(...batch);
  return found;
}

const totals = { alleles: 1, calls: 1, samples: 1 };

export const waitingCases: readonly Case<ProtectionRepository>[] = cases<ProtectionRepository>({
  'loads are the complete ones that wait in a dataset, by number': {
    async 'a load waits once it is complete, with its alleles as they were added'({ repository }) {
      const number = await repository.beginLoad(ofD, at(10));
      await repository.addToLoad(number, both);
      await repository.addToLoad(number, []);
      await repository.addToLoad(number, one);
      same(await repository.loads(ofD), []);
      await repository.endLoad(number, search);
      const next = await waits(repository, { ...ofD, samples: [b] }, []);
      await waits(repository, { ...ofD, dataset: e });
      // Of a dataset that had the same id before.
      await waits(repository, { ...ofD, created: at(2) });
      same(await repository.loads(ofD), [
        { number, samples: [a, b], search },
        { number: next, samples: [b], search },
      ]);
      same(await allelesOf(repository, number), [...both, ...one]);
      same(await allelesOf(repository, next), []);
    },
    async 'large loads come back in order'({ repository }) {
      const many = Array.from({ length: 4000 }, (_, i) => called(small('1', i, 'A', 'C'.repeat(600)), [0, 1]));
      const number = await waits(repository, ofD, [many, many.slice(0, 3)]);
      const found = await allelesOf(repository, number);
      same([found.length, found.findIndex((allele, i) => allele.start !== i % 4000)], [4003, -1]);
    },
  },
  'a load that is forgotten, or one of whose samples is, cannot be added to or completed': {
    async 'endLoad without a search forgets a load'({ repository, storage }) {
      const rows = await storage.rowCounts?.();
      const number = await repository.beginLoad(ofD, at(10));
      await repository.addToLoad(number, both);
      await repository.endLoad(number, undefined);
      await repository.endLoad(number, undefined);
      await faults('conflict', repository.addToLoad(number, one));
      await faults('conflict', repository.endLoad(number, search));
      same(await storage.rowCounts?.(), rows);
    },
    async 'a load that begins forgets those that are not complete after a day, and no others'({ repository }) {
      const old = await repository.beginLoad(ofD, at(0));
      const kept = await waits(repository, ofD, [one], at(0));
      const day = 86_400;
      const young = await repository.beginLoad(ofD, at(1));
      await repository.beginLoad(ofD, at(day + 1));
      await faults('conflict', repository.addToLoad(old, one));
      await repository.addToLoad(young, one);
      same(await allelesOf(repository, kept), [...one]);
    },
  },
  'a load keeps annotations of its alleles, and phases of its samples': {
    async 'as they were added, whatever the order'({ repository }) {
      const number = await repository.beginLoad(ofD, at(10));
      await repository.addPhasesToLoad(number, phasesOf([[a, [[7, 'cis']]]]));
      await repository.addToLoad(number, noted);
      await repository.addPhasesToLoad(
        number,
        phasesOf([
          [b, many],
          ['another', [[1, 'trans']]],
        ]),
      );
      await repository.endLoad(number, search);
      same(await allelesOf(repository, number), [...noted]);
      same(
        await repository.phasesOfLoad(number),
        phasesOf([
          [a, [[7, 'cis']]],
          [b, many],
        ]),
      );
      same(await repository.phasesOfLoad(number + 1), new Map());
      await faults('conflict', repository.addPhasesToLoad(number + 1, phasesOf([[a, [[7, 'cis']]]])));
    },
    async 'samples that are taken out leave with both'({ repository }) {
      const number = await repository.beginLoad(ofD, at(10));
      await repository.addToLoad(number, noted);
      await repository.addPhasesToLoad(
        number,
        phasesOf([
          [a, [[7, 'unclear']]],
          [b, many],
        ]),
      );
      await repository.endLoad(number, search);
      await repository.dropFromLoads(d, [a]);
      const [first, second] = noted as [AnnotatedCall, AnnotatedCall];
      same(await allelesOf(repository, number), [
        { ...first, carriers: [[0, 2]] },
        { ...second, carriers: [[0, 1]], uncalled: [] },
      ]);
      same(await repository.phasesOfLoad(number), phasesOf([[b, many]]));
      const next = await repository.beginLoad(ofD, at(10));
      await repository.addToLoad(next, noted);
      await repository.addPhasesToLoad(
        next,
        phasesOf([
          [a, [[7, 'unclear']]],
          [b, many],
        ]),
      );
      await repository.endLoad(next, search);
      await repository.forget([b]);
      const { annotation: _, ...bare } = second;
      same(await allelesOf(repository, next), [
        { ...first, carriers: [[0, 1]] },
        // Nobody is left who carries it.
        { ...bare, carriers: [], uncalled: [0] },
      ]);
      same(await repository.phasesOfLoad(next), phasesOf([[a, [[7, 'unclear']]]]));
    },
  },
  'dropFromLoads and forget take samples out of loads': {
    async 'the others keep what is theirs'({ repository, storage }) {
      const rows = await storage.rowCounts?.();
      const number = await waits(repository);
      const other = await waits(repository, { ...ofD, dataset: e });
      const sole = await waits(repository, { ...ofD, samples: [a] }, [one]);
      const open = await repository.beginLoad(ofD, at(10));
      await repository.dropFromLoads(d, [a, 'nobody']);
      same(await repository.loads(ofD), [{ number, samples: [b], search }]);
      same(await allelesOf(repository, number), [called(snv, [0, 2]), { ...called(indel, [0, 1]), uncalled: [] }]);
      await faults('conflict', allelesOf(repository, sole));
      await faults('conflict', repository.addToLoad(open, both));
      same(await allelesOf(repository, other), [...both, ...one]);
      await repository.forget([b]);
      same(await repository.loads(ofD), []);
      same(await repository.loads({ ...ofD, dataset: e }), [{ number: other, samples: [a], search }]);
      same(await allelesOf(repository, other), [
        called(snv, [0, 1]),
        { ...indel, carriers: [], uncalled: [0] },
        ...one,
      ]);
      await repository.forget([a]);
      same(await storage.rowCounts?.(), rows);
    },
    async 'what was read of a load that changes meanwhile is a conflict at its end'({ repository }) {
      const number = await waits(repository);
      const read = async () => {
        for await (const _ of repository.allelesOfLoad(number)) await repository.dropFromLoads(d, [b]);
      };
      await faults('conflict', read());
      await read();
    },
  },
  'publish forgets the loads that it brings, whose samples count as published first, and ends a hold': {
    async 'a publication brings loads, or changes nothing'({ repository, storage }) {
      const publishing = { dataset: d, created: at(1), samples: [a, b, 'c'], totals };
      same(await repository.publish(publishing, at(2)), true);
      const rows = await storage.rowCounts?.();
      await repository.withdraw(d, [b]);
      const [first, second] = [await waits(repository), await waits(repository, { ...ofD, samples: ['c'] })];
      await repository.hold(d);
      await repository.hold(d);
      await repository.hold(e);
      const held = async () => (await repository.publications()).map((one) => one.held);
      same(await held(), [true]);
      same(await repository.publish({ ...publishing, brings: [first] }, at(3), { after: 2 }), false);
      same([await held(), (await repository.loads(ofD)).length], [[true], 2]);
      same(await repository.publish({ ...publishing, brings: [first] }, at(3), { after: 1 }), true);
      same(await held(), [undefined]);
      same(await repository.published(d), { generation: 2, samples: [b, a, 'c'], since: [2, 2, 1] });
      same(await repository.leaving(d), [b]);
      same(await repository.loads(ofD), [{ number: second, samples: ['c'], search }]);
      await repository.drop(d);
      await repository.drop(e);
      await repository.publish(publishing, at(4));
      same([await held(), await repository.loads(ofD)], [[undefined], []]);
      same(await storage.rowCounts?.(), rows);
    },
    async 'nothing of another dataset of the same id waits'({ repository, storage }) {
      const publishing = { dataset: d, created: at(1), samples: [a], totals };
      await repository.publish(publishing, at(2));
      const rows = await storage.rowCounts?.();
      await waits(repository);
      await repository.hold(d);
      await repository.publish({ ...publishing, created: at(9) }, at(10));
      same((await repository.publications())[0]?.held, undefined);
      same(await storage.rowCounts?.(), rows);
    },
  },
});
