/** Cases on loading: sets are replaced as a whole or not at all. */
import assert from 'node:assert/strict';
import {
  type Batch,
  type Build,
  coverage,
  type IntervalRepository,
  type IntervalSet,
} from '../../../plugins/coverage/contract.js';
import { type Case, cases, faults, gate, meet, oddText, reopening, type StorageScope, same, undone } from '../core.js';
import { at, batches, exon, finds, gene, load, names, record, references, stateOf, transcript } from './build.js';
import { historyOf } from './staged.js';

const repeats = 'a transcript may occur more than once: its references are merged; a repeated exon counts once';
const sweeping = 'sweep frees replaced sets and loads without activity; the results of look-ups do not change';

const one = gene(1, { hgnc: 1, symbol: 'ONE', biotype: oddText, strand: -1 });
const two = gene(2, { chromosome: 'MT' });
const first = transcript(1, one, {
  references: references({ refseqMrna: ['NM_1', 'NM_2'], maneSelect: ['NM_1.4'] }),
  isManeSelect: true,
  biotype: 'protein_coding',
  strand: -1,
});
const exons = [
  exon(1, first, 1, { strand: -1, utr5: { start: 1005, end: 1010 }, cds: { start: 1000, end: 1005 }, cdsOpen: 'end' }),
  exon(2, first, 2, { strand: -1, utr3: { start: 1020, end: 1030 } }),
];
const everything: Batch = { genes: [one, two], transcripts: [first], exons };

/** A load that has staged its rows; it ends when what is returned is called. */
async function staged(repository: IntervalRepository, batch: Batch, now: Date): Promise<() => Promise<IntervalSet[]>> {
  const [halfway, goOn] = [gate(), gate()];
  const rows = async function* () {
    yield batch;
    halfway.open();
    await goOn.passed;
  };
  const loading = load(repository, 'GRCh37', batch, now, { rows: rows() });
  await halfway.passed;
  return () => {
    goOn.open();
    return loading;
  };
}

export const loadCases: readonly Case<IntervalRepository>[] = [
  ...cases<IntervalRepository>({
    'rows and records are returned as they were loaded; omitted fields stay omitted': {
      async 'loaded rows are returned unchanged, with the record of their set'({ repository }) {
        const answered = await load(repository, 'GRCh37', everything, at(1.234));
        const set = { ...record, build: 'GRCh37', loaded: at(1.234) } as const;
        const expected = [
          {
            ...set,
            kind: 'genes',
            rows: 2,
            chromosomes: [
              { chromosome: '1', rows: 1 },
              { chromosome: 'MT', rows: 1 },
            ],
          },
          { ...set, kind: 'transcripts', rows: 1, chromosomes: [{ chromosome: '1', rows: 1 }] },
          { ...set, kind: 'exons', rows: 2, chromosomes: [{ chromosome: '1', rows: 2 }] },
        ];
        same(answered, expected);
        same(await stateOf(repository, 'GRCh37'), { sets: expected, rows: [one, two, first, ...exons] });
        same(await repository.transcriptsOf('GRCh37', [one.ensembl]), {
          transcripts: [{ ...first, exons }],
          sets: { transcripts: expected[1], exons: expected[2] },
        });
      },
    },
    'load replaces sets: all become visible at once or, after any failure, none': {
      async 'a set replaces the one of its kind and build, and no other'({ repository }) {
        await load(repository, 'GRCh37', everything);
        await load(repository, 'GRCh38', { genes: [one] }, at(1));
        const { release: _, ...plain } = record;
        await load(repository, 'GRCh37', { genes: [gene(3)] }, at(2), { accept: () => plain });
        await load(repository, 'GRCh37', { names: [names(5, 'FIVE'), names(6, 'SIX', { aliases: ['VI'] })] }, at(3));
        const sets = await repository.sets();
        same.each(sets, ({ kind, build, rows, loaded, release }) => [kind, build, rows, loaded, release], [
          ['genes', 'GRCh37', 1, at(2), undefined],
          ['transcripts', 'GRCh37', 1, at(0), record.release],
          ['exons', 'GRCh37', 2, at(0), record.release],
          ['genes', 'GRCh38', 1, at(1), record.release],
          ['names', undefined, 2, at(3), record.release],
        ]);
        await load(repository, 'GRCh38', { genes: [one] }, at(4));
        await repository.sweep(new Date(Date.now() + 60_000));
        await finds(repository, 'GRCh37', {
          [one.ensembl]: 'not-in-build',
          [gene(3).ensembl]: ['ensembl', gene(3).ensembl],
        });
        await finds(repository, 'GRCh38', { ONE: ['symbol', one.ensembl] });
      },
      async 'a load whose source fails, or that is aborted, changes nothing'({ repository }) {
        await load(repository, 'GRCh37', everything);
        const before = await stateOf(repository, 'GRCh37');
        const many = Array.from({ length: 25_000 }, (_, i) => gene(i + 10));
        const failing = async function* () {
          yield { genes: many };
          throw new Error('the file ends in the middle of a line');
        };
        await assert.rejects(load(repository, 'GRCh37', { genes: [] }, at(1), { rows: failing() }), /middle of a line/);
        const stop = new AbortController();
        const aborting = async function* () {
          yield { genes: many };
          stop.abort(new Error('the operator aborted the load'));
          yield { genes: [gene(7)] };
        };
        const aborted = load(repository, 'GRCh37', { genes: [] }, at(1), { rows: aborting(), signal: stop.signal });
        await assert.rejects(aborted, /operator aborted the load/);
        same(await stateOf(repository, 'GRCh37'), before);
      },
      async 'a load in a transaction that fails leaves the old sets'({ repository, storage }) {
        await load(repository, 'GRCh37', { genes: [one] });
        const before = await stateOf(repository, 'GRCh37');
        await undone(storage, (scope) => load(scope.repository(coverage), 'GRCh37', { genes: [two] }, at(1)));
        same(await stateOf(repository, 'GRCh37'), before);
      },
      async 'a load that was swept changes nothing, also in a transaction that goes on'({ repository, storage }) {
        await load(repository, 'GRCh37', { genes: [one] });
        const before = await stateOf(repository, 'GRCh37');
        await storage.transaction(async (scope) => {
          const inside = scope.repository(coverage);
          const rows = async function* () {
            yield {};
            await inside.sweep(new Date(Date.now() + 60_000));
          };
          await faults('conflict', load(inside, 'GRCh37', { genes: [] }, at(1), { rows: rows() }));
        });
        same(await stateOf(repository, 'GRCh37'), before);
      },
    },
    'accept is called once with the sets that would be published; if it throws, nothing changes': {
      async 'accept gets the sets to be published and those they replace; if it throws, nothing changes'({
        repository,
      }) {
        await load(repository, 'GRCh38', everything);
        const before = await stateOf(repository, 'GRCh38');
        const [old] = await repository.sets();
        const calls: unknown[] = [];
        const refusing = load(repository, 'GRCh38', { genes: [gene(9, { chromosome: 'X' })] }, at(1), {
          accept: (staged) => {
            calls.push(staged);
            throw new Error('too small');
          },
        });
        await assert.rejects(refusing, /too small/);
        await faults('invalid', load(repository, 'GRCh38', { genes: [one] }, at(1), { accept: () => [] }));
        const staged = { kind: 'genes', build: 'GRCh38', rows: 1, chromosomes: [{ chromosome: 'X', rows: 1 }] };
        same(calls, [[{ ...staged, replaces: old }]]);
        same(await stateOf(repository, 'GRCh38'), before);
      },
    },
    'concurrent calls see the old sets during a load': {
      async 'a caller sees the old sets during a load, and then all new ones'({ repository }) {
        await load(repository, 'GRCh37', everything);
        const before = await stateOf(repository, 'GRCh37');
        const moved = gene(1, { chromosome: 'X' });
        const next = transcript(1, moved);
        const end = await staged(repository, { genes: [moved], transcripts: [next], exons: [exon(1, next, 1)] }, at(1));
        same(await stateOf(repository, 'GRCh37'), before);
        same(await repository.sweep(new Date(Date.now() - 60_000)), 0, 'it is not idle');
        await end();
        const { transcripts } = await repository.transcriptsOf('GRCh37', [one.ensembl]);
        same(transcripts, [{ ...next, exons: [exon(1, next, 1)] }]);
      },
    },
    'of two concurrent loads of one set, the one that ends later wins, as a whole': {
      async 'of several concurrent loads of one set, one wins as a whole'({ repository, storage }) {
        await load(repository, 'GRCh37', { genes: [one] });
        const of = (size: number) => ({ genes: Array.from({ length: size }, (_, i) => gene(i, { hgnc: size })) });
        const loaded = await meet(
          storage,
          (scope) => load(scope.repository(coverage), 'GRCh37', of(100), at(1)),
          await staged(repository, of(200), at(2)),
        );
        same(await stateOf(repository, 'GRCh37'), { sets: loaded, rows: of(200).genes });
        same(loaded[0]?.loaded, at(2));
      },
    },
    [repeats]: {
      async 'repeated transcripts and exons are merged, wherever they occur'({ repository }) {
        const plain = transcript(1, one, { strand: -1 });
        const other = transcript(2, one);
        const withNames = (...refseqMrna: string[]) => ({ ...plain, references: references({ refseqMrna }) });
        const [e1, e2] = [exon(1, plain, 1), exon(2, plain, 2)];
        const rows = batches(
          { transcripts: [withNames('NM_1'), withNames('NM_2')], exons: [e1, e1, e2] },
          { transcripts: [other], exons: [exon(1, other, 1)] },
          { transcripts: [{ ...withNames('NM_1', 'NM_3'), isManePlusClinical: true }], exons: [e2, exon(3, plain, 3)] },
        );
        const sets = await load(repository, 'GRCh38', { transcripts: [], exons: [] }, at(0), { rows });
        same.each(sets, ({ rows }) => rows, [2, 4]);
        same(sets[1]?.chromosomes, [{ chromosome: '1', rows: 4 }]);
        const { transcripts } = await repository.transcriptsOf('GRCh38', [one.ensembl]);
        const joined = { ...withNames('NM_1', 'NM_2', 'NM_3'), isManePlusClinical: true };
        same(transcripts, [
          { ...joined, exons: [e1, e2, exon(3, plain, 3)] },
          { ...other, exons: [exon(1, other, 1)] },
        ]);
      },
    },
    'repeats that contradict each other are an `unprocessable` fault': {
      async 'repeats that contradict each other are refused'({ repository }) {
        const plain = transcript(1, one);
        const moved = { ...plain, end: plain.end + 1 };
        await faults('unprocessable', load(repository, 'GRCh38', { transcripts: [plain, moved] }));
        const apart = { exons: [exon(1, plain, 1), exon(5, transcript(2, one), 1), exon(2, plain, 1)] };
        await faults('unprocessable', load(repository, 'GRCh38', apart));
        await faults('unprocessable', load(repository, 'GRCh38', { exons: [exon(1, plain, 1), exon(2, plain, 1)] }));
        same(await repository.sets(), []);
      },
    },
    'a transcript is stored once for each chromosome that it is on': {
      async 'a transcript may be on two chromosomes'({ repository }) {
        const [onX, onY] = [gene(1, { chromosome: 'X' }), gene(1, { chromosome: 'Y' })];
        const [x, y] = [transcript(1, onX), transcript(1, onY)];
        const [ex, ey] = [exon(1, x, 1), exon(1, y, 1)];
        await load(repository, 'GRCh38', { genes: [onY, onX], transcripts: [x, y], exons: [ey, ex] });
        const { transcripts } = await repository.transcriptsOf('GRCh38', [onX.ensembl]);
        same(transcripts, [
          { ...x, exons: [ex] },
          { ...y, exons: [ey] },
        ]);
        const { answers } = await repository.findGenes('GRCh38', [onX.ensembl]);
        same(answers, [{ asked: onX.ensembl, by: 'ensembl', genes: [onX, onY] }]);
      },
    },
    'a load replaces kinds of one build, or names; no kind twice, at least one': {
      async 'contradictory requests to load are refused'({ repository }) {
        const attempt = (sets: Parameters<typeof repository.load>[0]['sets'], batch: Batch = {}) =>
          repository.load({ sets, rows: batches(batch), accept: () => record }, at(0));
        await faults('invalid', attempt([]));
        await faults('invalid', attempt([{ kind: 'genes' }]));
        await faults('invalid', attempt([{ kind: 'names', build: 'GRCh37' }]));
        const genes = { kind: 'genes', build: 'GRCh37' } as const;
        await faults('invalid', attempt([genes, genes]));
        await faults('invalid', attempt([genes, { kind: 'exons', build: 'GRCh38' }]));
        await faults('invalid', attempt([genes], { transcripts: [first] }));
        same(await repository.sets(), []);
      },
    },
    [sweeping]: {
      async 'a load that meets a sweep fails, or is published whole'({ repository, storage }) {
        await load(repository, 'GRCh37', { genes: [one] });
        const before = await stateOf(repository, 'GRCh37');
        const sweep = (scope: StorageScope) => scope.repository(coverage).sweep(new Date(Date.now() + 60_000));
        await faults('conflict', meet(storage, sweep, await staged(repository, { genes: [two] }, at(1))));
        same(await stateOf(repository, 'GRCh37'), before);
      },
    },
  }),
  historyOf<IntervalRepository>({
    contract: coverage,
    slots: (['GRCh37', 'GRCh38'] as const).flatMap((build) =>
      (['genes', 'transcripts', 'exons'] as const).map((kind) => [kind, build] as const),
    ),
    load(repository, [kind, build], count, loaded, halfway) {
      const genes = Array.from({ length: count }, (_, i) => gene(i));
      const transcripts = genes.map((one, i) => transcript(i, one));
      const all = { genes, transcripts, exons: transcripts.map((one, i) => exon(i, one, 1)) };
      const rows = (async function* () {
        yield { [kind]: all[kind as 'genes'] };
        await halfway();
      })();
      return load(repository, build, { [kind]: [] }, loaded, { rows });
    },
    async sets(repository) {
      const listed: [string, Build, number, number, Date][] = [];
      for (const { kind, build, rows, loaded } of await repository.sets()) {
        const found: unknown[] = [];
        await repository.each(kind as 'genes', build as Build, undefined, async (part) => void found.push(...part));
        listed.push([kind, build as Build, rows, found.length, loaded]);
      }
      return listed;
    },
  }),
  reopening(
    'sets outlive the storage',
    'what was acknowledged survives',
    coverage,
    (repository) => load(repository, 'GRCh37', everything),
    (repository) => stateOf(repository, 'GRCh37'),
  ),
];
