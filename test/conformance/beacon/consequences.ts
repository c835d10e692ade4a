/** What beacon-consequences@1 promises. */
import assert from 'node:assert/strict';
import {
  type Allele,
  type AnnotatedAllele,
  type AnnotationSource,
  alleleKey,
  beaconConsequences,
  byAllele,
  type ConsequenceRepository,
  type GeneConsequence,
  type TranscriptConsequence,
} from '../../../plugins/beacon/contract.js';
import { at, type Case, cases, faults, lookalikes, reopening, same, undone } from '../core.js';
import { breakend, small, structural } from './build.js';

const older: AnnotationSource = {
  annotator: 'VEP',
  version: 'v110',
  databases: { ClinVar: '202301', assembly: 'GRCh38.p14' },
};
const newer: AnnotationSource = { annotator: 'VEP', version: 'v112', databases: { ClinVar: '202404' } };
const snpEff: AnnotationSource = { annotator: 'SnpEff', version: '5.1d (build 2022-04-19 15:49)', databases: {} };

function transcript(more: Partial<TranscriptConsequence> = {}): TranscriptConsequence {
  return { choice: 'canonical', transcript: 'ENST00000376590.9', terms: ['intron_variant'], ...more };
}

function gene(
  hgnc: number | undefined,
  symbol: string | undefined,
  ...transcripts: TranscriptConsequence[]
): GeneConsequence {
  const name = { ...(hgnc !== undefined && { hgnc }), ...(symbol !== undefined && { symbol }) };
  return { ...name, transcripts: transcripts.length > 0 ? transcripts : [transcript()] };
}

const annotated = (allele: Allele, ...genes: GeneConsequence[]): AnnotatedAllele => ({ allele, genes, source: older });

const missense: AnnotatedAllele = {
  allele: small('1', 11_796_320, 'G', 'A'),
  genes: [
    gene(
      7436,
      'MTHFR',
      {
        choice: 'mane-select',
        transcript: 'ENST00000376590.9',
        mane: 'NM_005957.5',
        terms: ['missense_variant', 'splice_region_variant'],
        coding: 'c.665C>T',
        protein: 'p.Ala222Val',
      },
      {
        choice: 'mane-plus-clinical',
        transcript: 'ENST00000376592',
        terms: ['missense_variant'],
        protein: 'p.Ala222=',
      },
      {
        choice: 'worst',
        transcript: 'NM_001330358.2',
        terms: ['stop_gained'],
        coding: 'c.788G>A',
        protein: 'p.Arg97Ter',
      },
    ),
    gene(undefined, 'CLCN6', transcript({ terms: ['downstream_gene_variant'] })),
  ],
  frequency: { value: 0.3041, field: 'gnomADe_AF' },
  clinVar: ['benign', 'drug_response'],
  source: older,
};
/** Alleles of every kind. */
const various: AnnotatedAllele[] = [
  missense,
  annotated(
    small('1', 11_796_320, 'G', 'C'),
    gene(7436, 'MTHFR', transcript({ coding: 'c.665C>G', protein: 'p.Ala222Gly' })),
  ),
  annotated(
    small('1', 11_796_320, 'GA', 'G'),
    gene(7436, undefined, transcript({ coding: 'c.664del', protein: 'p.Ala222fs' })),
  ),
  annotated(small('2', 5, 'A', 'ATT'), gene(undefined, 'é ü', transcript({ coding: 'n.12_13insTT' }))),
  { ...annotated(structural('X', 100, 20_000, 'DEL'), gene(1, 'Y')), source: snpEff },
  annotated(breakend('2', 321_680, 'G]17:198982]', '17', 198_981), gene(2, 'Z')),
  annotated(small('MT', 3242, 'A', 'G'), { transcripts: [{ choice: 'worst', terms: ['intergenic_variant'] }] }),
  {
    ...annotated(small('22', 0, 'N', 'T'), gene(3, 'W')),
    frequency: { value: 6.57e-7, field: 'MAX_AF' },
    source: newer,
  },
];

const inOrder = (all: readonly AnnotatedAllele[]) => [...all].sort((one, other) => byAllele(one.allele, other.allele));
const places = (all: readonly AnnotatedAllele[]) => all.map(({ allele }) => alleleKey(allele));

/** What `prune` is told of alleles that a dataset has in no form. */
const absent = (keys: readonly string[]) => new Map(keys.map((key) => [key, undefined]));

/** Loads and publishes. */
async function published(
  repository: ConsequenceRepository,
  alleles: readonly AnnotatedAllele[],
  { dataset = 'd', day = 1 } = {},
): Promise<void> {
  const load = await repository.begin(dataset, [], at(day));
  await repository.stage(load, alleles, at(day));
  await repository.complete(load);
  await repository.publish(dataset, [load], at(day));
}

/** Alleles of one gene at each of these places, of a missense and an intron variant in turn. */
function many(count: number, step = 100): AnnotatedAllele[] {
  return Array.from({ length: count }, (_, i) =>
    annotated(
      small('7', 1000 + i * step, 'A', 'G'),
      gene(
        1884,
        'CFTR',
        transcript({ terms: [i % 2 === 0 ? 'missense_variant' : 'intron_variant'], coding: `c.${i + 1}A>G` }),
      ),
    ),
  );
}

const storing = 'publish: what loads say of an allele replaces what was known of it';

export const consequenceCases: readonly Case<ConsequenceRepository>[] = [
  ...cases<ConsequenceRepository>({
    [storing]: {
      async 'alleles of every kind are returned unchanged, of their dataset alone'({ repository }) {
        await published(repository, various);
        const alleles = various.map(({ allele }) => allele);
        same(await repository.find('d', alleles), inOrder(various));
        same(await repository.find('d', [alleles[0] as Allele, small('1', 11_796_320, 'G', 'T')]), [missense]);
        same(await repository.find('e', alleles), []);
        same(await repository.find('d', []), []);
      },
      async 'nothing is seen of a load before it is published'({ repository }) {
        const load = await repository.begin('d', [], at(1));
        await repository.stage(load, [missense], at(1));
        same([await repository.waiting('d'), await repository.find('d', [missense.allele])], [[], []]);
        await repository.publish('d', [load], at(1));
        same(await repository.find('d', [missense.allele]), []);
        await repository.complete(load);
        same([await repository.waiting('d'), await repository.find('d', [missense.allele])], [[load], []]);
        same(await repository.waiting('e'), []);
        await repository.publish('e', [load], at(1));
        await repository.publish('d', [], at(1));
        same(await repository.find('d', [missense.allele]), []);
        await repository.publish('d', [load, load + 1], at(1));
        same([await repository.waiting('d'), await repository.find('d', [missense.allele])], [[], [missense]]);
      },
      async 'a later load replaces alleles, also one that was published first, and leaves the others'({ repository }) {
        const again = { ...missense, genes: [gene(7436, 'MTHFR')], source: newer };
        const [, other] = various as [AnnotatedAllele, AnnotatedAllele];
        const loads = [];
        for (const alleles of [[missense, other], [again]]) {
          const load = await repository.begin('d', [], at(1));
          await repository.stage(load, alleles, at(1));
          await repository.complete(load);
          loads.push(load);
        }
        await repository.publish('d', [...loads].reverse(), at(2));
        same(await repository.find('d', [missense.allele, other.allele]), inOrder([again, other]));
        const sources = await repository.sources('d');
        same(sources, [
          { ...newer, alleles: 1, loaded: at(2) },
          { ...older, alleles: 1, loaded: at(2) },
        ]);
        await published(repository, [{ ...other, source: newer }], { day: 3 });
        same(await repository.sources('d'), [{ ...newer, alleles: 2, loaded: at(3) }]);
        await published(repository, [missense], { day: 4 });
        same(await repository.sources('d'), [
          { ...older, alleles: 1, loaded: at(4) },
          { ...newer, alleles: 1, loaded: at(3) },
        ]);
      },
      async 'alleles of another source keep theirs, beside and among those of the first'({ repository }) {
        const of = (source: AnnotationSource, begin: number) =>
          many(600).map((one) => {
            const start = begin + one.allele.start;
            return { ...one, allele: { ...one.allele, start, end: start + 1 }, source };
          });
        const [first, apart, among] = [of(older, 0), of(newer, 10_000_000), of(snpEff, 10_000_050)];
        for (const [i, alleles] of [first, apart, among].entries())
          await published(repository, alleles, { day: i + 1 });
        const all = [...first, ...apart, ...among];
        same(
          await repository.find(
            'd',
            all.map(({ allele }) => allele),
          ),
          inOrder(all),
        );
        same(
          (await repository.sources('d')).map(({ version, alleles }) => [version, alleles]),
          [snpEff, newer, older].map(({ version }) => [version, 600]),
        );
      },
      async 'of an allele that a load says twice the last stays, in one portion or two'({ repository }) {
        const again = { ...missense, genes: [gene(7436, 'MTHFR')] };
        const third = { ...missense, genes: [gene(1, 'A')] };
        const load = await repository.begin('d', [], at(1));
        await repository.stage(load, [again, missense], at(1));
        await repository.stage(load, [again, third], at(1));
        await repository.complete(load);
        await repository.publish('d', [load], at(1));
        same(await repository.find('d', [missense.allele]), [third]);
        same(
          (await repository.sources('d')).map(({ alleles }) => alleles),
          [1],
        );
      },
      async 'thousands of alleles come and go in any order, those at one base too'({ repository }) {
        const all = many(1500);
        const bases = Array.from({ length: 700 }, (_, i) =>
          annotated(small('7', 60_000, 'A', `A${'ACGT'[i % 4]}${'T'.repeat(Math.floor(i / 4))}`), gene(1884, 'CFTR')),
        );
        await published(
          repository,
          all.filter((_, i) => i % 3 === 1),
        );
        await published(repository, [...all.filter((_, i) => i % 3 !== 1), ...bases].reverse());
        const alleles = [...all, ...bases].map(({ allele }) => allele);
        same(places(await repository.find('d', alleles)), places(inOrder([...all, ...bases])));
        same((await repository.ofGene('d', { hgnc: 1884 })).alleles.length, 2200);
        same(
          (await repository.sources('d')).map((source) => source.alleles),
          [2200],
        );
      },
      async 'of concurrent publications each allele stays'({ repository }) {
        const all = many(120, 7);
        const shares = [0, 1, 2, 3].map((share) => all.filter((_, i) => i % 4 === share));
        await Promise.all(shares.map((share) => published(repository, share)));
        same(
          places(
            await repository.find(
              'd',
              all.map(({ allele }) => allele),
            ),
          ),
          places(all),
        );
        same(
          (await repository.sources('d')).map(({ alleles }) => alleles),
          [120],
        );
      },
      async 'a transaction that fails publishes and removes nothing'({ repository, storage }) {
        await published(repository, [missense]);
        await undone(storage, async (scope) => {
          const inside = scope.repository(beaconConsequences);
          await published(inside, [{ ...missense, source: newer }]);
          await inside.remove('d');
        });
        same(await repository.find('d', [missense.allele]), [missense]);
      },
    },
    'stage, complete: a load that is gone is a conflict; abandon, sweep: loads that are not complete': {
      async 'a load can be given up until it is complete'({ repository }) {
        const [gone, kept] = [await repository.begin('d', [], at(1)), await repository.begin('d', [], at(1))];
        assert(gone < kept);
        for (const load of [gone, kept]) await repository.stage(load, [missense], at(1));
        await repository.complete(kept);
        for (const load of [gone, kept, kept + 1]) await repository.abandon(load);
        await faults('conflict', repository.stage(gone, [missense], at(1)));
        await faults('conflict', repository.complete(gone));
        await faults('conflict', repository.stage(kept, [missense], at(1)));
        same(await repository.waiting('d'), [kept]);
      },
      async 'a sweep gives up those that showed no sign of life, and no others'({ repository }) {
        const [idle, busy, done] = [
          await repository.begin('d', [], at(1)),
          await repository.begin('d', [], at(1)),
          await repository.begin('d', [], at(1)),
        ];
        for (const load of [idle, done]) await repository.stage(load, [missense], at(1));
        await repository.stage(busy, [missense], at(3));
        await repository.complete(done);
        same([await repository.sweep(at(1)), await repository.sweep(at(2)), await repository.sweep(at(2))], [0, 1, 0]);
        await faults('conflict', repository.complete(idle));
        await repository.complete(busy);
        same(
          await repository.waiting('d'),
          [busy, done].sort((one, other) => one - other),
        );
      },
      async 'nothing waits of a load without alleles'({ repository }) {
        const load = await repository.begin('d', [], at(1));
        await repository.complete(load);
        same([await repository.waiting('d'), await repository.unsettled()], [[], []]);
        same(await repository.sources('d'), []);
      },
    },
    'ofGene: the alleles of a gene, worst first, by page': {
      async 'a gene is found by number and by symbol of any case, and has nothing of other genes'({ repository }) {
        await published(repository, various);
        await published(repository, [{ ...missense, genes: [gene(1, 'A')] }], { dataset: 'e' });
        for (const name of [{ hgnc: 7436 }, { hgnc: 7436, symbol: 'mthfr' }]) {
          const { alleles, next } = await repository.ofGene('d', name);
          same(
            alleles.map(({ allele }) => allele.alternate),
            ['A', 'C', 'G'],
          );
          same(alleles[0]?.genes, [missense.genes[0]]);
          same(
            [alleles[0]?.frequency, alleles[0]?.clinVar, alleles[0]?.source, next],
            [missense.frequency, missense.clinVar, older, undefined],
          );
        }
        same((await repository.ofGene('d', { symbol: 'mThFr' })).alleles.length, 2);
        same(places((await repository.ofGene('d', { symbol: 'clcn6' })).alleles), places([missense]));
        same((await repository.ofGene('d', { hgnc: 9, symbol: 'CLCN6' })).alleles.length, 1);
        for (const name of [{ hgnc: 743 }, { symbol: 'MTHF' }, { hgnc: 9, symbol: 'MTHFR' }, {}, { symbol: '' }])
          same((await repository.ofGene('d', name)).alleles, []);
        same((await repository.ofGene('e', { hgnc: 7436 })).alleles, []);
      },
      async 'names that look alike are those of different genes'({ repository }) {
        const symbols = lookalikes.filter((symbol) => symbol !== '' && symbol === symbol.toUpperCase());
        await published(
          repository,
          symbols.map((symbol, i) => annotated(small('3', i, 'A', 'C'), gene(undefined, symbol))),
        );
        for (const [i, symbol] of symbols.entries())
          same(
            (await repository.ofGene('d', { symbol })).alleles.map(({ allele }) => allele.start),
            [i],
          );
      },
      async 'alleles come by rank, then by place, and page by page without any twice'({ repository }) {
        const all = many(60);
        await published(repository, all);
        const order = [...all.filter((_, i) => i % 2 === 0), ...all.filter((_, i) => i % 2 === 1)];
        const seen: string[] = [];
        let pages = 0;
        for (let after: Parameters<ConsequenceRepository['ofGene']>[2] = {}; pages < 20; pages++) {
          const { alleles, next } = await repository.ofGene('d', { hgnc: 1884 }, { ...after, limit: 7 });
          seen.push(...places(alleles));
          if (!next) break;
          after = { after: next };
        }
        same([seen, pages], [places(order), 8]);
        const exact = await repository.ofGene('d', { hgnc: 1884 }, { limit: 60 });
        same([exact.alleles.length, exact.next], [60, undefined]);
      },
      async 'a question narrows them: terms, changes, and what is too frequent'({ repository }) {
        await published(repository, various);
        const found = async (question: Parameters<ConsequenceRepository['ofGene']>[2]) =>
          (await repository.ofGene('d', { hgnc: 7436 }, question)).alleles
            .map(({ allele }) => allele.alternate)
            .join('');
        same(await found({ terms: new Set(['stop_gained']) }), 'A');
        same(await found({ terms: new Set(['splice_region_variant', 'intron_variant']) }), 'ACG');
        same(await found({ terms: new Set(['downstream_gene_variant']) }), '');
        same([await found({ terms: new Set() }), await found({ protein: 'p.Ala222Val' })], ['', 'A']);
        same([await found({ protein: 'p.Ala222' }), await found({ coding: 'c.664del' })], ['', 'G']);
        same(await found({ coding: 'c.664del', protein: 'p.Ala222Val' }), '');
        same([await found({ maxFrequency: 0.3041 }), await found({ maxFrequency: 0.304 })], ['ACG', 'CG']);
      },
      async 'RefSeq transcripts lead to their genes, by id and by MANE'({ repository }) {
        await published(repository, various);
        same(await repository.genesOfTranscript('d', 'NM_005957'), [{ hgnc: 7436 }]);
        same(await repository.genesOfTranscript('d', 'NM_001330358'), [{ hgnc: 7436 }]);
        for (const accession of ['NM_00595', 'NM_005957.5', 'ENST00000376590'])
          same(await repository.genesOfTranscript('d', accession), []);
        same(await repository.genesOfTranscript('e', 'NM_005957'), []);
      },
    },
    'ofGenes: what any of some genes has, by place': {
      async 'each allele comes once, whole, as `ofGene` finds it of its genes'({ repository }) {
        const others = many(40);
        await published(repository, [...various, ...others]);
        await published(repository, [{ ...missense, genes: [gene(1, 'A')] }], { dataset: 'e' });
        const found = async (
          ...asked: Parameters<ConsequenceRepository['ofGenes']> extends [string, ...infer Rest] ? Rest : never
        ) => places(await repository.ofGenes('d', ...asked));
        const stated = (name: { hgnc?: number; symbol?: string }) =>
          repository.ofGene('d', name).then((one) => places(one.alleles));
        for (const names of [
          [{ hgnc: 7436 }],
          [{ symbol: 'clcn6' }, { hgnc: 7436 }],
          [{ hgnc: 1884 }, { hgnc: 7436 }],
        ]) {
          const single = new Set((await Promise.all(names.map(stated))).flat());
          const all = await found(names, {});
          same([all.length, [...all].sort()], [single.size, [...single].sort()]);
        }
        same((await repository.ofGenes('d', [{ symbol: 'clcn6' }], {}))[0], missense);
        for (const names of [[], [{}], [{ symbol: '' }], [{ hgnc: 9, symbol: 'MTHFR' }]])
          same(await found(names, {}), []);
      },
      async 'terms count in the genes alone that are asked for, and frequencies for all'({ repository }) {
        await published(repository, various);
        const found = async (terms: string[], maxFrequency?: number) => {
          const question = { terms: new Set(terms), ...(maxFrequency !== undefined && { maxFrequency }) };
          const alleles = await repository.ofGenes('d', [{ hgnc: 7436 }], question);
          return alleles
            .map(({ allele }) => allele.alternate)
            .sort()
            .join('');
        };
        same([await found(['stop_gained']), await found([])], ['A', '']);
        same(await found(['splice_region_variant', 'intron_variant']), 'ACG');
        same(await found(['downstream_gene_variant']), '');
        const some = ['stop_gained', 'splice_region_variant', 'intron_variant'];
        same([await found(some, 0.3041), await found(some, 0.304)], ['ACG', 'CG']);
      },
    },
    'ofProtein: the alleles of plain bases with a change of a protein, in any gene': {
      async 'each is found by the change of any of its transcripts, in one form, with the genes that have it'({
        repository,
      }) {
        const other = annotated(
          small('2', 700, 'C', 'T'),
          gene(1, 'A', transcript({ protein: 'p.A222V' })),
          gene(2, 'B', transcript({ protein: 'p.Ala222Gly' })),
        );
        const unclear = annotated(small('2', 800, 'N', 'T'), gene(1, 'A', transcript({ protein: 'p.Ala222Val' })));
        await published(repository, [...various, other, unclear]);
        await published(repository, [{ ...missense, genes: [gene(1, 'A')] }], { dataset: 'e' });
        const found = async (change: string, dataset = 'd') => repository.ofProtein(dataset, change, 100);
        same(await found('Ala222Val'), [
          { ...missense, genes: missense.genes.slice(0, 1) },
          { ...other, genes: other.genes.slice(0, 1) },
        ]);
        same(places(await found('Arg97Ter')), places([missense]));
        same(places(await found('Ala222=')), places([missense]));
        for (const change of ['Ala222', 'Ala22Val', 'p.Ala222Val', 'Val222Ala', '']) same(await found(change), []);
        same(await found('Ala222Val', 'e'), []);
        await published(repository, [{ ...missense, genes: [gene(1, 'A')] }]);
        same(places(await found('Ala222Val')), places([other]));
        await repository.copy('d', [[other.allele, small('1', 5, 'C', 'T')]]);
        same((await found('Ala222Val')).length, 2);
        await repository.prune('d', async () => absent(places([other])));
        same(
          (await found('Ala222Val')).map(({ allele }) => allele.start),
          [5],
        );
      },
      async 'of many the first by place are returned, also from several blocks and chromosomes'({ repository }) {
        const all = ['X', '7', '10'].flatMap((contig) =>
          Array.from({ length: 1200 }, (_, i) =>
            annotated(
              small(contig as Allele['contig'], 1000 + i, 'A', 'G'),
              gene(i, undefined, transcript({ protein: i % 100 === 7 ? 'p.Met1?' : `p.Lys${i}Arg` })),
            ),
          ),
        );
        await published(repository, all);
        const wanted = inOrder(all.filter(({ genes }) => genes[0]?.transcripts[0]?.protein === 'p.Met1?'));
        same(places(await repository.ofProtein('d', 'Met1?', 100)), places(wanted));
        for (const limit of [1, 12, 13, 36])
          same(places(await repository.ofProtein('d', 'Met1?', limit)), places(wanted.slice(0, limit)));
        for (const i of [1, 511, 513, 1199]) same((await repository.ofProtein('d', `Lys${i}Arg`, 9)).length, 3);
      },
    },
    'forget: loads of samples that are not complete are given up': {
      async 'in one dataset or in all, with what is staged; complete ones are of them no more'({
        repository,
        storage,
      }) {
        const rows = await storage.rowCounts?.();
        const begun = async (dataset: string, samples: string[]) => {
          const load = await repository.begin(dataset, samples, at(1));
          await repository.stage(load, [missense], at(1));
          return load;
        };
        const [own, others, elsewhere] = [
          await begun('d', ['a', 'b']),
          await begun('d', ['b', 'c']),
          await begun('e', ['a']),
        ];
        const complete = await begun('d', ['a', 'c']);
        await repository.complete(complete);
        await repository.forget(['a', 'nobody'], 'd');
        await faults('conflict', repository.stage(own, [missense], at(1)));
        await repository.stage(others, [], at(1));
        await repository.stage(elsewhere, [], at(1));
        same(
          [await repository.waiting('d', ['a', 'c', 'x']), await repository.waiting('d', ['c'])],
          [[complete], [complete]],
        );
        await repository.forget(['a', 'c']);
        await faults('conflict', repository.complete(others));
        await faults('conflict', repository.complete(elsewhere));
        same([await repository.waiting('d'), await repository.waiting('d', ['a', 'c'])], [[complete], []]);
        await repository.remove('d');
        same(await storage.rowCounts?.(), rows);
      },
      async 'a load waits for the last of its samples'({ repository }) {
        const load = await repository.begin('d', ['a', 'b'], at(1));
        await repository.stage(load, [missense], at(1));
        same(await repository.waiting('d', ['a', 'b']), []);
        await repository.complete(load);
        same([await repository.waiting('d', ['a']), await repository.waiting('d', ['b', 'c', 'a'])], [[], [load]]);
      },
    },
    'prune: alleles that a dataset does not have leave, published or waiting': {
      async 'those that are absent leave with their genes and sources, and no others'({ repository }) {
        await published(repository, various);
        await published(repository, various, { dataset: 'e' });
        const gone = new Set(places([missense, various[4] as AnnotatedAllele]));
        const asked: string[] = [];
        await repository.prune('d', async (alleles) => {
          asked.push(...alleles.map(alleleKey));
          return absent(alleles.map(alleleKey).filter((key) => gone.has(key)));
        });
        same(asked.sort(), places(various).sort());
        const left = various.filter((one) => !gone.has(alleleKey(one.allele)));
        const alleles = various.map(({ allele }) => allele);
        same(await repository.find('d', alleles), inOrder(left));
        same((await repository.find('e', alleles)).length, various.length);
        same((await repository.ofGene('d', { hgnc: 7436 })).alleles.length, 2);
        same(await repository.genesOfTranscript('d', 'NM_005957'), []);
        same(
          (await repository.sources('d')).map(({ annotator }) => annotator),
          ['VEP', 'VEP'],
        );
        await repository.prune('d', async (all) => absent(all.map(alleleKey)));
        same([await repository.find('d', alleles), await repository.sources('d')], [[], []]);
        await repository.prune('none', async () => assert.fail('nothing is known of it'));
      },
      async 'what waits loses them as well'({ repository }) {
        const [, other] = various as [AnnotatedAllele, AnnotatedAllele];
        const [first, second] = [await repository.begin('d', [], at(1)), await repository.begin('d', [], at(1))];
        await repository.stage(first, [missense, other], at(1));
        await repository.stage(second, [missense], at(1));
        for (const load of [first, second]) await repository.complete(load);
        await repository.mark('d');
        await repository.prune('d', async () => absent([alleleKey(missense.allele)]));
        await repository.publish('d', await repository.waiting('d'), at(1));
        same(await repository.find('d', [missense.allele, other.allele]), [other]);
      },
      async 'an allele that the dataset has in another form moves there, unless something is published of that'({
        repository,
      }) {
        const [, other, , insertion] = various as [AnnotatedAllele, AnnotatedAllele, AnnotatedAllele, AnnotatedAllele];
        const to = small('2', 3, 'G', 'GTT');
        const move = (from: AnnotatedAllele) =>
          repository.prune('d', async () => new Map([[alleleKey(from.allele), to]]));
        await published(repository, [insertion, other]);
        const load = await repository.begin('d', ['s'], at(1));
        const more = annotated(insertion.allele, gene(8, 'LATER'));
        await repository.stage(load, [more, other], at(1));
        await repository.complete(load);
        await move(insertion);
        same(
          await repository.find('d', [insertion.allele, to, other.allele]),
          inOrder([{ ...insertion, allele: to }, other]),
        );
        same(places((await repository.ofGene('d', { symbol: 'é ü' })).alleles), [alleleKey(to)]);
        await repository.publish('d', [load], at(1));
        same(await repository.find('d', [insertion.allele, to]), [{ ...more, allele: to }]);
        same((await repository.ofGene('d', { symbol: 'é ü' })).alleles, []);
        await published(repository, [insertion]);
        await move(insertion);
        same(await repository.find('d', [insertion.allele, to]), [{ ...more, allele: to }]);
      },
      async 'an allele that is published meanwhile stays'({ repository }) {
        const [, other] = various as [AnnotatedAllele, AnnotatedAllele];
        await published(repository, [missense]);
        await repository.mark('d');
        let calls = 0;
        await repository.prune('d', async (alleles) => {
          if (calls++ > 0) return absent([]);
          await published(repository, [other]);
          return absent(alleles.map(alleleKey));
        });
        same((await repository.find('d', [missense.allele, other.allele])).length, 2);
        same(calls, 2);
      },
      async 'a dataset is marked until a later prune ends'({ repository }) {
        await repository.mark('d');
        same(await repository.unsettled(), []);
        await published(repository, [missense]);
        await published(repository, [missense], { dataset: 'e' });
        await repository.mark('d');
        same(await repository.unsettled(), [{ dataset: 'd', isMarked: true }]);
        let calls = 0;
        await repository.prune('d', async () => {
          // Of a removal that begins meanwhile.
          if (calls++ === 0) await repository.mark('d');
          return absent([]);
        });
        same([calls, await repository.unsettled()], [2, []]);
        const load = await repository.begin('e', [], at(1));
        await repository.stage(load, [missense], at(1));
        await repository.complete(load);
        same(await repository.unsettled(), [{ dataset: 'e', isMarked: false }]);
      },
    },
    'copy: alleles in another form have what is published of them too': {
      async 'both forms have it, and what the other form has already stays'({ repository }) {
        const [, other, third] = various as [AnnotatedAllele, AnnotatedAllele, AnnotatedAllele];
        await published(repository, [missense, other]);
        const to = small('1', 11_796_300, 'C', 'T');
        const moved = [
          [missense.allele, to],
          [third.allele, small('1', 7, 'A', 'C')],
        ] as const;
        await repository.copy('d', moved);
        await repository.copy('d', moved);
        const alleles = [to, missense.allele, other.allele, small('1', 7, 'A', 'C')];
        same(await repository.find('d', alleles), [{ ...missense, allele: to }, missense, other]);
        same(await repository.unsettled(), [{ dataset: 'd', isMarked: true }]);
        await repository.copy('d', [[other.allele, to]]);
        await repository.copy('e', [[other.allele, to]]);
        same(await repository.find('d', alleles), [{ ...missense, allele: to }, missense, other]);
        same(
          (await repository.sources('d')).map((source) => source.alleles),
          [3],
        );
        same((await repository.ofGene('d', { hgnc: 7436 })).alleles.length, 3);
      },
    },
    'remove: all that is known of a dataset': {
      async 'staged and waiting loads leave too, and other datasets stay'({ repository }) {
        const loads = [];
        for (const dataset of ['d', 'e']) {
          await published(repository, various, { dataset });
          for (const isComplete of [true, false]) {
            const load = await repository.begin(dataset, [], at(1));
            await repository.stage(load, [missense], at(1));
            if (isComplete) await repository.complete(load);
            else loads.push(load);
          }
        }
        await repository.mark('d');
        await repository.remove('d');
        same(
          (await repository.unsettled()).map(({ dataset }) => dataset),
          ['e'],
        );
        same([await repository.sources('d'), await repository.waiting('d')], [[], []]);
        same((await repository.ofGene('d', { hgnc: 7436 })).alleles, []);
        same(await repository.genesOfTranscript('d', 'NM_005957'), []);
        await faults('conflict', repository.complete(loads[0] ?? 0));
        same((await repository.find('e', [missense.allele])).length, 1);
        await repository.complete(loads[1] ?? 0);
        await published(repository, [missense]);
        same(
          await repository.find(
            'd',
            various.map(({ allele }) => allele),
          ),
          [missense],
        );
      },
    },
  }),
  reopening(
    'consequences are there after closing and opening again',
    storing,
    beaconConsequences,
    (repository) => published(repository, various),
    async (repository) =>
      repository.find(
        'd',
        various.map(({ allele }) => allele),
      ),
  ),
];
