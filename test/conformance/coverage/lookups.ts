/** Cases on look-ups: genes are found by any name, with their transcripts and exons. */
import { isDeepStrictEqual } from 'node:util';
import {
  type Gene,
  type GeneNames,
  type IntervalRepository,
  intervalKinds,
  type NameRow,
  resolveGenes,
  symbolKey,
} from '../../../plugins/coverage/contract.js';
import { cases, faults, giveUp, givingUp, Random, same } from '../core.js';
import { at, exon, finds, gene, id, load, names, outcome, transcript } from './build.js';

const order = 'a symbol is matched against the gene set and approved symbols, then previous symbols, then aliases';

const mthfr = gene(177000, { hgnc: 7436, symbol: 'MTHFR' });
const odd = gene(2, { symbol: 'C1orf"\'%_\\Ø' });
const nameless = gene(3, { hgnc: 33 });

export const lookupCases = cases<IntervalRepository>({
  'findGenes looks genes up by HGNC id, Ensembl id or any symbol, and returns one answer per name, in order': {
    async 'a gene is found by any kind of name, in any case'({ repository }) {
      await load(repository, 'GRCh37', { genes: [mthfr, odd, nameless] });
      const found = (by: string, { ensembl }: Gene) => [by, ensembl];
      await finds(repository, 'GRCh37', {
        '7436': found('hgnc', mthfr),
        'hgnc:7436': found('hgnc', mthfr),
        'HGNC:007436': found('hgnc', mthfr),
        ENSG00000177000: found('ensembl', mthfr),
        'ensg00000177000.14': found('ensembl', mthfr),
        ' mthfr ': found('symbol', mthfr),
        'c1ORF"\'%_\\ø': found('symbol', odd),
        'HGNC:33': found('hgnc', nameless),
        'C1orf%': 'unknown',
        'HGNC:34': 'unknown',
        '': 'malformed',
        '  ': 'malformed',
        "x' or '1'='1": 'unknown',
      });
      const { answers } = await repository.findGenes('GRCh37', ['zzz', 'MTHFR', 'zzz', 'mthfr']);
      same(answers.map(outcome), ['unknown', found('symbol', mthfr), 'unknown', found('symbol', mthfr)]);
      same(await repository.findGenes('GRCh37', []).then((each) => each.answers), []);
    },
    async 'a build without genes is reported as such; a gene of the other build is known'({ repository }) {
      await finds(repository, 'GRCh38', { MTHFR: 'no-genes-loaded', '': 'malformed' });
      await load(repository, 'GRCh37', { genes: [mthfr] });
      await finds(repository, 'GRCh38', { MTHFR: 'no-genes-loaded' });
      await load(repository, 'GRCh38', { genes: [odd] });
      await finds(repository, 'GRCh38', { MTHFR: 'not-in-build', '7436': 'not-in-build', zzz: 'unknown' });
      const { genes, names: none } = await repository.findGenes('GRCh38', []);
      same([genes?.build, genes?.rows, none], ['GRCh38', 1, undefined]);
    },
    async 'a symbol of an HGNC gene finds what its HGNC id finds'({ repository }) {
      const [a, b, c] = [1, 2, 3].map((number) => gene(number, { symbol: 'X1', ...(number < 3 && { hgnc: 1 }) }));
      await load(repository, 'GRCh37', { genes: [a, b, c].flatMap((each) => each ?? []) });
      const both = [id('ENSG', 1), id('ENSG', 2)];
      await finds(repository, 'GRCh37', { X1: ['symbol', ...both], 'HGNC:1': ['hgnc', ...both] });
    },
    async 'an Ensembl id finds the gene of RefSeq that HGNC gives it to, and no other gene of Ensembl'({ repository }) {
      const [refseq, other] = [{ ...gene(1, { hgnc: 1 }), ensembl: 'GeneID:4524' }, gene(2, { hgnc: 2 })];
      await load(repository, 'GRCh37', { genes: [refseq, other] });
      await load(repository, 'GRCh37', {
        names: [names(1, 'A', { ensembl: id('ENSG', 8) }), names(2, 'B', { ensembl: id('ENSG', 9) })],
      });
      await finds(repository, 'GRCh37', {
        [id('ENSG', 8)]: ['ensembl', 'GeneID:4524'],
        'GENEID:4524': ['ensembl', 'GeneID:4524'],
        [id('ENSG', 9)]: 'not-in-build',
      });
    },
  },
  [order]: {
    async 'previous symbols and aliases find the gene, previous symbols first'({ repository }) {
      const [a, b, c] = [
        gene(1, { hgnc: 1, symbol: 'A' }),
        gene(2, { hgnc: 2, symbol: 'OLDB' }),
        gene(3, { symbol: 'C' }),
      ];
      await load(repository, 'GRCh37', { genes: [a, b, c] });
      await load(repository, 'GRCh37', {
        names: [
          names(1, 'A', { previous: ['WASA'], aliases: ['shared', 'B'] }),
          names(2, 'B', { previous: ['OLDB'], aliases: ['Shared'] }),
          names(3, 'C', { ensembl: c.ensembl, aliases: ['WASA', 'see'] }),
          names(4, 'D', { ensembl: id('ENSG', 4), previous: ['WASD'], aliases: ['A'] }),
        ],
      });
      await finds(repository, 'GRCh37', {
        a: ['symbol', a.ensembl],
        wasa: ['previous', a.ensembl],
        // Also the approved symbol of a different gene.
        B: ['symbol', b.ensembl],
        OLDB: ['symbol', b.ensembl],
        SHARED: ['ambiguous', 'HGNC:1', 'HGNC:2'],
        See: ['alias', c.ensembl],
        'HGNC:3': ['hgnc', c.ensembl],
        D: 'not-in-build',
        wasd: 'not-in-build',
        '4': 'not-in-build',
        [id('ENSG', 4)]: 'not-in-build',
      });
      const { names: set } = await repository.findGenes('GRCh37', []);
      same(set?.rows, 4);
    },
    async 'a symbol that the set and HGNC give to different genes is ambiguous'({ repository }) {
      const [a, b] = [gene(1, { hgnc: 1, symbol: 'X1' }), gene(2, { hgnc: 2, symbol: 'Y1' })];
      await load(repository, 'GRCh37', { genes: [a, b] });
      await load(repository, 'GRCh37', { names: [names(2, 'X1', { previous: ['Y1'] }), names(1, 'X2')] });
      await finds(repository, 'GRCh37', {
        X1: ['ambiguous', 'HGNC:1', 'HGNC:2'],
        X2: ['symbol', a.ensembl],
        Y1: ['symbol', b.ensembl],
      });
    },
    async 'look-ups follow the rule for any genes and names'({ repository, seed, given }) {
      const random = new Random(seed);
      const symbols = ['A', 'b', 'C', 'd', 'E', 'f'];
      for (let round = 0; round < 15; round++) {
        const genes = random.list(
          1,
          6,
          (): Omit<Gene, 'ensembl'> => ({
            ...gene(random.int(1, 9)),
            ...(random.chance(0.7) && { hgnc: random.int(1, 5) }),
            ...(random.chance(0.7) && { symbol: random.pick(symbols) }),
          }),
        );
        const here = genes.map((each, i): Gene => ({ ...each, ensembl: id('ENSG', i + 1) }));
        const listed = random.some([1, 2, 3, 4, 5]).map((hgnc) =>
          names(hgnc, `${random.pick(symbols)}${random.chance(0.5) ? hgnc : ''}`, {
            previous: [random.pick(symbols)],
            aliases: [random.pick(symbols), random.pick(symbols)],
            ...(random.chance(0.5) && { ensembl: id('ENSG', random.int(1, 6)) }),
          }),
        );
        given('genes', here);
        given('names', listed);
        await load(repository, 'GRCh37', { genes: here });
        await load(repository, 'GRCh37', { names: listed });
        const asked = [...symbols, '1', 'HGNC:2', id('ENSG', 1), id('ENSG', 6), 'a1', 'zz'];
        const { answers } = await repository.findGenes('GRCh37', asked);
        // Resolved with all rows, not only those that the store considered relevant.
        same(answers, resolveGenes(asked, { here, elsewhere: [], names: listed.flatMap(nameRows) }));
      }
    },
  },
  'transcriptsOf returns the transcripts of these genes with their exons': {
    async 'transcripts are returned with their exons, by position and rank, of these genes only'({ repository }) {
      const [a, b] = [gene(1), gene(2)];
      const [t2, t1] = [transcript(2, a), transcript(1, a)];
      const early = transcript(9, a, { start: a.start - 5 });
      const bare = transcript(3, b);
      same(await repository.transcriptsOf('GRCh37', [a.ensembl]), { transcripts: [], sets: {} });
      await load(repository, 'GRCh37', { transcripts: [t2, bare, t1, early] });
      const lone = await repository.transcriptsOf('GRCh37', [b.ensembl, b.ensembl, 'ENSG9', '']);
      same(lone.transcripts, [{ ...bare, exons: [] }]);
      same(lone.sets.exons, undefined);
      const orphan = exon(7, transcript(99, a), 1);
      const tenth = exon(10, t1, 10);
      await load(repository, 'GRCh37', { exons: [tenth, exon(2, t1, 2), exon(1, t1, 1), orphan, exon(4, t2, 1)] });
      same((await repository.transcriptsOf('GRCh37', [a.ensembl])).transcripts, [
        { ...early, exons: [] },
        { ...t1, exons: [exon(1, t1, 1), exon(2, t1, 2), tenth] },
        { ...t2, exons: [exon(4, t2, 1)] },
      ]);
      same((await repository.transcriptsOf('GRCh37', [])).transcripts, []);
      same((await repository.transcriptsOf('GRCh38', [a.ensembl])).transcripts, []);
    },
  },
  'select returns the intervals that the filter selects; an empty filter selects none': {
    async 'intervals are selected by their own ids or by gene, sorted by position'({ repository }) {
      const [a, b] = [gene(5, { chromosome: '10' }), gene(2, { chromosome: '9' })];
      const [t1, t2] = [transcript(1, a), transcript(2, a)];
      const [e1, e2, other] = [exon(1, t1, 1), exon(1, t2, 1), exon(3, t1, 2)];
      await load(repository, 'GRCh38', { genes: [a, b], transcripts: [t2, t1], exons: [e2, other, e1] });
      same(await repository.select('genes', 'GRCh38', { ids: [a.ensembl, b.ensembl, 'ENSG'] }), [b, a]);
      same(await repository.select('genes', 'GRCh38', { genes: [a.ensembl, a.ensembl] }), [a]);
      same(await repository.select('transcripts', 'GRCh38', { ids: [t2.ensembl] }), [t2]);
      same(await repository.select('transcripts', 'GRCh38', { genes: [a.ensembl] }), [t1, t2]);
      same(await repository.select('exons', 'GRCh38', { ids: [e1.ensembl] }), [e1, e2]);
      same(await repository.select('exons', 'GRCh38', { ids: [e1.ensembl.slice(0, -1), 'ENSE', '%', ''] }), []);
      const others = Array.from({ length: 50 }, (_, i) => exon(100 + i, t1, 9).ensembl);
      same(await repository.select('exons', 'GRCh38', { ids: [...others, e1.ensembl, e1.ensembl] }), [e1, e2]);
      same(await repository.select('exons', 'GRCh38', { genes: [a.ensembl, b.ensembl] }), [e1, e2, other]);
      for (const kind of ['genes', 'transcripts', 'exons'] as const) {
        same(await repository.select(kind, 'GRCh38', { ids: [] }), []);
        same(await repository.select(kind, 'GRCh38', { genes: [] }), []);
        same(await repository.select(kind, 'GRCh37', { genes: [a.ensembl] }), []);
        same(await repository.select(kind, 'GRCh37', { ids: [e1.ensembl] }), []);
        if (kind !== 'exons') same(await repository.select(kind, 'GRCh38', { ids: [e1.ensembl] }), []);
      }
    },
  },
  'each passes the intervals of one set to take, in the order in which they were loaded': {
    async 'each passes a set on in the order of loading, up to the limit'({ repository }) {
      const genes = Array.from({ length: 4321 }, (_, i) => gene(5000 - i));
      const exons = genes.flatMap((of, i) => {
        const one = transcript(i, of);
        return [exon(2 * i, one, 1), exon(2 * i + 1, one, 2)];
      });
      await load(repository, 'GRCh37', { genes, exons });
      const read = async (kind: 'genes' | 'exons', limit?: number) => {
        const rows: unknown[] = [];
        await repository.each(kind, 'GRCh37', limit, async (part) => {
          same(part.length > 0 && part.length <= 5000, true, 'portions of a few thousand');
          rows.push(...part);
        });
        return rows;
      };
      same(await read('genes'), genes);
      same(await read('genes', 2500), genes.slice(0, 2500));
      same(await read('exons'), exons);
      same(await read('exons', 3), exons.slice(0, 3));
      same(await read('genes', 0), []);
      let calls = 0;
      const stop = new Error('enough');
      const [result] = await Promise.allSettled([
        repository.each('genes', 'GRCh37', undefined, async () => {
          calls++;
          throw stop;
        }),
      ]);
      same(calls, 1);
      same(result?.status === 'rejected' && result.reason === stop, true, 'throws what take throws');
    },
  },
  'all exons of a transcript are where its first one was loaded': {
    async 'each passes the exons of a transcript together'({ repository }) {
      const of = gene(1);
      const [one, two] = [transcript(1, of), transcript(2, of)];
      const [first, apart, last] = [exon(1, one, 2), exon(2, two, 1), exon(3, one, 1)];
      await load(repository, 'GRCh37', { exons: [first, apart, last] });
      const rows: unknown[] = [];
      await repository.each('exons', 'GRCh37', undefined, async (part) => void rows.push(...part));
      same(rows, [first, last, apart]);
    },
  },
  'all are of one set, even if it is replaced meanwhile; if it is swept, a `conflict` fault': {
    async 'each keeps to its set when another is loaded, and fails if it is swept'({ repository }) {
      const genes = Array.from({ length: 12_000 }, (_, i) => gene(i));
      await load(repository, 'GRCh37', { genes });
      const seen: Gene[] = [];
      await repository.each('genes', 'GRCh37', undefined, async (rows) => {
        if (seen.length === 0) await load(repository, 'GRCh37', { genes: genes.slice(0, 11_000).reverse() }, at(1));
        seen.push(...rows);
      });
      same(seen, genes);
      let first = true;
      const swept = repository.each('genes', 'GRCh37', undefined, async () => {
        if (!first) return;
        first = false;
        await load(repository, 'GRCh37', { genes: [mthfr] }, at(2));
        await repository.sweep(new Date(Date.now() + 60_000));
      });
      await faults('conflict', swept);
    },
  },
  'findGenes, transcriptsOf and select are of one state of the store': {
    async 'look-ups see one state while sets are replaced and swept'({ repository }) {
      const old = gene(1, { hgnc: 1, symbol: 'ONE' });
      const intervals = (of: Gene) => {
        const one = transcript(1, of);
        return { genes: [of], transcripts: [one], exons: [exon(1, one, 1)] };
      };
      const reads = [
        () => repository.findGenes('GRCh37', ['ONE', 'FORMER']).then(({ answers }) => answers.map(outcome)),
        () => repository.transcriptsOf('GRCh37', [old.ensembl]).then(({ transcripts }) => transcripts),
        ...intervalKinds.map((kind) => () => repository.select(kind, 'GRCh37', { genes: [old.ensembl] })),
      ];
      await load(repository, 'GRCh37', { names: [names(1, 'ONE', { previous: ['FORMER'] })] });
      await load(repository, 'GRCh37', intervals(old));
      const states: unknown[][] = [await Promise.all(reads.map((read) => read()))];
      for (let round = 0; round < 20; round++) {
        const replacing = load(repository, 'GRCh37', intervals({ ...old, end: old.end + round + 1 }), at(round)).then(
          () => repository.sweep(new Date(Date.now() + 60_000)),
        );
        for (let turn = 0; turn < round % 20; turn++) await new Promise((resolve) => setImmediate(resolve));
        const seen = await Promise.all(reads.map((read) => read()));
        await replacing;
        states.push(await Promise.all(reads.map((read) => read())));
        for (const [i, one] of seen.entries()) {
          const isOne = states.slice(-2).some((state) => isDeepStrictEqual(state[i], one));
          if (!isOne)
            same(
              [one],
              states.slice(-2).map((state) => state[i]),
              `read ${i} in round ${round}`,
            );
        }
      }
    },
  },
  [givingUp]: {
    async 'an aborted read throws the reason, and leaves nothing behind'({ repository }) {
      const genes = Array.from({ length: 4000 }, (_, i) => gene(i, { symbol: `G${i}` }));
      await load(repository, 'GRCh37', { genes, transcripts: genes.map((of, i) => transcript(i, of)) });
      const symbols = genes.map(({ symbol }) => symbol ?? '');
      const ids = genes.map(({ ensembl }) => ensembl);
      await giveUp((signal) => repository.sets({ signal }));
      await giveUp((signal) => repository.findGenes('GRCh37', symbols, { signal }));
      await giveUp((signal) => repository.transcriptsOf('GRCh37', ids, { signal }));
      await giveUp((signal) => repository.select('genes', 'GRCh37', { ids }, { signal }));
      await giveUp((signal) => repository.each('genes', 'GRCh37', undefined, async () => undefined, { signal }));
      const [stop, reason] = [new AbortController(), new Error('enough')];
      let portions = 0;
      const take = async () => {
        portions++;
        stop.abort(reason);
      };
      const stopped = await Promise.allSettled([repository.each('genes', 'GRCh37', undefined, take, stop)]);
      same([portions, stopped], [1, [{ status: 'rejected', reason }]], 'between two portions');
    },
  },
  'lists may be of any length': {
    async 'thirty thousand genes are looked up in one call'({ repository }) {
      const genes = Array.from({ length: 30_000 }, (_, i) => gene(i, { hgnc: i + 1, symbol: `G${i}` }));
      await load(repository, 'GRCh38', { genes });
      const { answers } = await repository.findGenes(
        'GRCh38',
        genes.map(({ symbol }) => symbol ?? ''),
      );
      same(answers.filter((answer) => 'genes' in answer && answer.genes.length === 1).length, genes.length);
    },
  },
});

function nameRows({ hgnc, symbol, previous, aliases, ensembl }: GeneNames): NameRow[] {
  const row = (kind: NameRow['kind']) => (name: string) => ({
    key: symbolKey(name),
    kind,
    hgnc,
    ...(ensembl !== undefined && { ensembl }),
  });
  return [row('symbol')(symbol), ...previous.map(row('previous')), ...aliases.map(row('alias'))];
}
