/**
 * Random alleles with random annotations, asked over HTTP by change, effect and gene: every answer is that of the naive filter. On
 * each engine, and on the reference repository (memory).
 */
import { expect } from 'chai';
import {
  type Allele,
  type AnnotatedAllele,
  alleleKey,
  byAllele,
  type CalledAllele,
} from '../../../../plugins/beacon/contract.js';
import { effectNamed } from '../../../../plugins/beacon/faces/query/naming.js';
import { worstRank } from '../../../../plugins/beacon/vcf/consequences/terms.js';
import { small } from '../../../conformance/beacon/build.js';
import { Random } from '../../../conformance/core.js';
import { request } from '../../../support/http.js';
import { sampled } from '../../../support/sample.js';
import { engines } from '../support/engines.js';
import { add, january, tokenWith } from '../support/observed.js';
import { type Beacon, dataset, type Json, serveBeacon } from '../support/serve.js';
import { annotate, annotated, atGene } from './support.js';

const seeds = Array.from({ length: 3 * Number(process.env.TEST_HISTORIES ?? 1) }, (_, i) => i + 1);

/** Alleles of at most two bases start at every fourth base: each is within a gene or outside of it. */
const genes = [
  { hgnc: 11, symbol: 'ONE', contig: '1', start: 1003, end: 1043 },
  { hgnc: 22, symbol: 'TWO', contig: '1', start: 1031, end: 1083 },
  { hgnc: 33, symbol: 'THREE', contig: 'X', start: 5_000_003, end: 5_000_063 },
] as const;
const transcripts = ['NM_000011.1', 'NM_000022.2', 'NM_000033.3'];
const terms = [
  'stop_gained',
  'missense_variant',
  'inframe_deletion',
  'synonymous_variant',
  'intron_variant',
  'splice_region_variant',
];
const proteins = ['p.Ala1Val', 'p.Ala1=', 'p.Lys2del', 'p.Arg3ProfsTer5'];
const codings = ['c.1A>G', 'c.2del', 'c.3+1G>T'];
const effects = [...terms, 'high', 'moderate', 'low', 'modifier', 'SO:0001992', 'SO:0001576'];

interface Model {
  id: string;
  sexes: ('male' | 'female' | 'unknown')[];
  carried: CalledAllele[];
  annotations: AnnotatedAllele[];
}

const some = <Item>(random: Random, all: readonly Item[], share: number) => all.filter(() => random.chance(share));

function randomAlleles(random: Random): Allele[] {
  const found = new Map<string, Allele>();
  for (let i = 0; i < 30; i++) {
    const { contig, start, end } = random.pick(genes);
    const [reference, alternate] = random.pick([
      ['A', 'C'],
      ['A', 'G'],
      ['AT', 'A'],
      ['A', 'AG'],
      ['AT', 'GC'],
    ] as const);
    const allele = small(contig, start + 1 + 4 * random.int(0, (end - start) / 4 - 1), reference, alternate);
    found.set(alleleKey(allele), allele);
  }
  return [...found.values()];
}

function randomAnnotation(random: Random, allele: Allele): AnnotatedAllele {
  const own = some(random, genes, 0.7).map((gene) => {
    const { hgnc, symbol } = gene;
    const mane = transcripts[genes.indexOf(gene)] as string;
    const more = {
      mane,
      ...(random.chance(0.7) && { protein: random.pick(proteins) }),
      coding: random.pick(codings),
    };
    return atGene({ hgnc, symbol }, [...new Set([random.pick(terms), random.pick(terms)])], more);
  });
  const frequency = { value: random.pick([0, 0.001, 0.2]), field: 'AF' };
  return annotated(allele, own.length > 0 ? own : [atGene({}, ['intergenic_variant'])], {
    ...(random.chance(0.6) && { frequency }),
  });
}

function randomModels(random: Random): Model[] {
  const alleles = randomAlleles(random);
  return ['first', 'second', 'third'].map((id, i) => {
    const sexes = Array.from({ length: 5 }, () => random.pick(['male', 'female', 'unknown'] as const));
    const carried = some(random, alleles, 0.6).map((allele) => ({
      ...allele,
      carriers: [0, 1, 2, 3, 4]
        .filter((n) => n === 0 || random.chance(0.3))
        .map((n) => [n, 1 + random.int(0, 1)] as const),
    }));
    const known = i === 2 ? [] : some(random, alleles, 0.8);
    return { id, sexes, carried, annotations: known.map((allele) => randomAnnotation(random, allele)) };
  });
}

async function fill({ repository, consequences, genes: places }: Beacon, models: readonly Model[]): Promise<void> {
  for (const { id, sexes, carried, annotations } of models) {
    await repository.addDataset(dataset(id), january);
    await add(repository, id, Object.fromEntries(sexes.map((sex, i) => [`${id}${i}`, { sex }])), carried, january);
    if (annotations.length > 0) await annotate(consequences, id, annotations);
  }
  await places.replaceGenes(
    'GRCh37',
    genes.map((gene, i) => ({ ...gene, ensembl: `ENSG0000000000${i}` })),
    january,
  );
}

const key = (allele: Allele) => alleleKey(small(allele.contig, allele.start, allele.reference, allele.alternate));

/** By dataset with any, how many of its alleles are among these. */
function counted(
  models: readonly Model[],
  keys: ReadonlySet<string>,
  isThere: (allele: Allele) => boolean = () => true,
) {
  const found = models.map(({ id, carried }) => [
    id,
    carried.filter((one) => keys.has(key(one)) && isThere(one)).length,
  ]);
  return Object.fromEntries(found.filter(([, count]) => count !== 0));
}

type NaiveGene = AnnotatedAllele['genes'][number];

/** The keys of alleles that any dataset annotates so at a gene. */
function annotatedSo(models: readonly Model[], isSo: (gene: NaiveGene) => boolean): Set<string> {
  const all = models.flatMap(({ annotations }) => annotations);
  return new Set(all.filter((one) => one.genes.some(isSo)).map(({ allele }) => key(allele)));
}

const hasTerm = ({ transcripts: own }: NaiveGene, wanted: ReadonlySet<string>) =>
  own.some((one) => one.terms.some((term) => wanted.has(term)));

/** Chromosome X outside of the pseudo-autosomal regions, and autosomes. */
function copiesOf(contig: string, sex: string): number {
  return contig === 'X' && sex === 'male' ? 1 : 2;
}

function frequencyIn({ sexes, carried }: Model, wanted: Allele): number {
  const found = carried.find((one) => key(one) === key(wanted));
  const copies = (found?.carriers ?? []).map(([n, called]) =>
    Math.min(called, copiesOf(wanted.contig, sexes[n] ?? '')),
  );
  // Coverage is unknown of all of them: each counts with two copies.
  return copies.reduce((sum, one) => sum + one, 0) / (2 * sexes.length);
}

interface GeneAsked {
  symbol: string;
  effect: string | undefined;
  maxFrequency: number;
  maxPopulationFrequency: number;
}

function naiveGene(
  models: readonly Model[],
  { symbol, effect, maxFrequency, maxPopulationFrequency }: GeneAsked,
): string[] {
  const wanted = effect === undefined ? undefined : effectNamed(effect);
  const ranks = new Map<string, { allele: Allele; rank: number }>();
  for (const { allele, genes: own, frequency } of models.flatMap(({ annotations }) => annotations)) {
    const gene = own.find((one) => one.symbol === symbol);
    if (!gene || (wanted && !hasTerm(gene, wanted)) || (frequency?.value ?? 0) > maxPopulationFrequency) continue;
    const rank = worstRank(gene.transcripts.flatMap((one) => one.terms));
    ranks.set(key(allele), { allele, rank: Math.min(rank, ranks.get(key(allele))?.rank ?? 99) });
  }
  const seen = new Set(models.flatMap(({ carried }) => carried.map(key)));
  return [...ranks.values()]
    .filter(({ allele }) => seen.has(key(allele)))
    .filter(({ allele }) => models.every((model) => frequencyIn(model, allele) <= maxFrequency))
    .sort((one, other) => one.rank - other.rank || byAllele(one.allele, other.allele))
    .map(({ allele: { contig, start, reference, alternate } }) => `${contig}-${start + 1}-${reference}-${alternate}`);
}

for (const engine of engines) {
  describe(`beacon: random annotations (${engine.name})`, () => {
    for (const seed of sampled(seeds, 3)) {
      it(`are asked as the naive filter answers, seed ${seed}`, async () => {
        const random = new Random(seed);
        const models = randomModels(random);
        const server = await serveBeacon(engine);
        try {
          await fill(server, models);
          const token = await tokenWith(server, 'beacon:observe');
          const get = async (path: string, query: Record<string, string>) => {
            const headers = { 'X-Auth-Token': token };
            const { status, body, text } = await request(`${server.url}${path}`, { query, headers });
            expect(status, text).to.equal(200);
            return body;
          };
          const variants = async (query: Record<string, string>) => {
            const body = await get('/beacon/v2/g_variants', { assemblyId: 'GRCh37', ...query });
            const sets = ((body.response as Json | undefined)?.resultSets ?? []) as Json[];
            return Object.fromEntries(sets.map(({ id, resultsCount }) => [id, resultsCount]));
          };
          for (const protein of proteins) {
            const keys = annotatedSo(models, (gene) => gene.transcripts.some((one) => one.protein === protein));
            expect(await variants({ aminoacidChange: protein }), protein).to.deep.equal(counted(models, keys));
          }
          for (const [i, { symbol, contig, start, end }] of genes.entries()) {
            const isHere = (gene: NaiveGene) => gene.symbol === symbol;
            for (const protein of proteins) {
              const keys = annotatedSo(
                models,
                (gene) => isHere(gene) && gene.transcripts.some((one) => one.protein === protein),
              );
              expect(
                await variants({ geneId: symbol, aminoacidChange: protein }),
                `${symbol} ${protein}`,
              ).to.deep.equal(counted(models, keys));
            }
            for (const coding of codings) {
              const keys = annotatedSo(
                models,
                (gene) => isHere(gene) && gene.transcripts.some((one) => one.coding === coding),
              );
              const genomicAlleleShortForm = `${transcripts[i]}:${coding}`;
              expect(await variants({ genomicAlleleShortForm }), genomicAlleleShortForm).to.deep.equal(
                counted(models, keys),
              );
            }
            const effect = random.pick(effects);
            const wanted = effectNamed(effect) as ReadonlySet<string>;
            const ofGene = annotatedSo(models, (gene) => isHere(gene) && hasTerm(gene, wanted));
            const inGene = (allele: Allele) => allele.contig === contig && allele.start < end && allele.end > start;
            const filters = `molecularEffects=${effect}`;
            expect(await variants({ geneId: symbol, filters }), `${symbol} ${effect}`).to.deep.equal(
              counted(models, ofGene, inGene),
            );
            const anywhere = annotatedSo(models, (gene) => hasTerm(gene, wanted));
            expect(await variants({ filters }), effect).to.deep.equal(counted(models, anywhere));
          }
          for (let n = 0; n < 12; n++) {
            const asked: GeneAsked = {
              symbol: random.pick(genes).symbol,
              effect: random.chance(0.7) ? random.pick(effects) : undefined,
              maxFrequency: random.pick([0.1, 0.2, 0.3, 1]),
              maxPopulationFrequency: random.pick([0, 0.001, 1]),
            };
            const { symbol, effect, maxFrequency, maxPopulationFrequency } = asked;
            const listed: string[] = [];
            for (let cursor: string | undefined = ''; cursor !== undefined; ) {
              const body = await get(`/observations/genes/${symbol}`, {
                ...{ assembly: 'GRCh37', limit: '3', maxFrequency: String(maxFrequency) },
                maxPopulationFrequency: String(maxPopulationFrequency),
                ...(effect !== undefined && { effect }),
                ...(cursor !== '' && { cursor }),
              });
              for (const { allele } of body.alleles as Json[]) listed.push(Object.values(allele as Json).join('-'));
              cursor = body.next as string | undefined;
            }
            expect(listed, JSON.stringify(asked)).to.deep.equal(naiveGene(models, asked));
          }
        } finally {
          await server.close();
        }
      });
    }
  });
}
