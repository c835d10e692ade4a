/** Which samples carry what in genes, against a reading of everything that was loaded, allele by allele. */
import { expect } from 'chai';
import { tokenHolder } from '../../../core/policy/policy.js';
import { serveForTest, type TestServer } from '../../../core/testing/server.js';
import {
  type Allele,
  alleleKey,
  type BeaconRepository,
  beacon,
  beaconConsequences,
  beaconDepths,
  byAllele,
  type CalledAllele,
  type Contig,
  type GeneConsequence,
  type Phase,
  pairNumber,
  type SampleChange,
} from '../../../plugins/beacon/contract.js';
import type { CarriedAnswer, CarriedQuestion, KnowledgeReader } from '../../../plugins/services/services.js';
import { Random } from '../../conformance/core.js';
import { finder, service } from '../../support/finder.js';
import { useOnce } from '../../support/use.js';
import { annotate, annotated, atGene } from './consequences/support.js';
import { engines } from './support/engines.js';
import { add } from './support/observed.js';
import { dataset } from './support/serve.js';

const seed = Number(process.env.TEST_SEED ?? 1);
const { signal } = new AbortController();
const assembly = 'GRCh37';

interface Person {
  name: string;
  id: string;
  facts: SampleChange;
  searched: { small: boolean; structural: boolean };
}

interface Loaded {
  dataset: string;
  people: readonly Person[];
  alleles: readonly CalledAllele[];
  /** By `alleleKey`. */
  annotations: ReadonlyMap<string, { genes: readonly GeneConsequence[]; frequency: number | undefined }>;
}

const genes = [
  { hgnc: 1, symbol: 'ONE', contig: '1', start: 1000 },
  { hgnc: 2, symbol: 'TWO', contig: '2', start: 1500 },
  { hgnc: 3, symbol: 'THREE', contig: 'X', start: 31_000_000 },
] as const satisfies readonly { hgnc: number; symbol: string; contig: Contig; start: number }[];
const terms = ['stop_gained', 'missense_variant', 'synonymous_variant', 'intron_variant'] as const;
const effects = {
  stop_gained: 'high',
  missense_variant: 'moderate',
  synonymous_variant: 'low',
  intron_variant: 'modifier',
} as const;

function peopleOf(prefix: string, random: Random, count: number): Person[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `${prefix}${i}`,
    // The first ones are in all datasets.
    id: i < 3 ? `shared${i}` : `cov-${prefix}${i}`,
    facts: {
      sex: random.pick(['female', 'male', 'unknown'] as const),
      coverageId: i < 3 ? `shared${i}` : `cov-${prefix}${i}`,
      ...(random.chance(0.6) && { affected: random.chance(0.5) }),
      phenotypes: random.chance(0.5) ? [{ id: 'HP:0001250' }] : [],
    },
    searched: { small: random.chance(0.9), structural: random.chance(0.7) },
  }));
}

const rank = ({ genes: [gene] }: { genes: readonly GeneConsequence[] }) =>
  terms.indexOf(gene?.transcripts[0]?.terms[0] as (typeof terms)[number]);

const bases = ['A', 'C', 'G', 'T'] as const;

/** Substitutions, deletions and symbolic deletions in and beside the genes; some are never annotated. */
function loadedIn(id: string, random: Random): Loaded {
  const people = peopleOf(id, random, 12);
  const annotations = new Map<string, { genes: readonly GeneConsequence[]; frequency: number | undefined }>();
  const alleles = new Map<string, CalledAllele>();
  for (const gene of genes) {
    for (let n = 0; n < 14; n++) {
      const start = gene.start + random.int(0, 60);
      const [reference, alternate] = random.shuffled(bases).slice(0, 2) as [string, string];
      const form = random.int(0, 5);
      const allele: Allele =
        form === 0
          ? {
              contig: gene.contig,
              start,
              end: start + 200,
              reference: 'N',
              alternate: '<DEL>',
              kind: 'DEL',
              structural: true,
            }
          : form === 1
            ? {
                contig: gene.contig,
                start,
                end: start + 2,
                reference: `${reference}${alternate}`,
                alternate: reference,
                kind: 'DEL',
                structural: false,
              }
            : { contig: gene.contig, start, end: start + 1, reference, alternate, kind: 'SNP', structural: false };
      const kind = allele.structural ? 'structural' : 'small';
      const carriers: [number, number][] = [];
      const uncalled: number[] = [];
      for (const [i, person] of people.entries()) {
        if (!person.searched[kind]) continue;
        if (random.chance(0.25)) carriers.push([i, random.int(1, 2)]);
        else if (random.chance(0.1)) uncalled.push(i);
      }
      if (carriers.length === 0) continue;
      alleles.set(alleleKey(allele), { ...allele, carriers, uncalled });
      if (random.chance(0.25)) continue;
      const frequency = random.chance(0.25) ? undefined : random.pick([0, 0.001, 0.2]);
      const named = random.chance(0.3) ? { symbol: gene.symbol } : { hgnc: gene.hgnc, symbol: gene.symbol };
      annotations.set(alleleKey(allele), {
        genes: [atGene(named, [random.pick(terms)], { coding: 'c.1A>C' })],
        frequency,
      });
    }
  }
  return { dataset: id, people, alleles: [...alleles.values()].sort(byAllele), annotations };
}

async function addLoaded(server: TestServer, { dataset: id, people, alleles, annotations }: Loaded): Promise<void> {
  const repository: BeaconRepository = server.repository(beacon);
  await repository.addDataset(dataset(id, { assembly, access: 'CONTROLLED' }), new Date());
  // Each sample is loaded by itself, as its file shows what was searched in it.
  for (const [i, { name, facts, searched }] of people.entries()) {
    const own = alleles.flatMap(({ carriers, uncalled = [], ...allele }) => {
      const copies = carriers.filter(([sample]) => sample === i).map(([, count]) => [0, count] as const);
      const isUncalled = uncalled.includes(i);
      return copies.length > 0 || isUncalled ? [{ ...allele, carriers: copies, uncalled: isUncalled ? [0] : [] }] : [];
    });
    await add(repository, id, { [name]: facts }, own, new Date(), searched);
  }
  const said = alleles.flatMap(({ carriers: _, uncalled: __, ...allele }) => {
    const own = annotations.get(alleleKey(allele));
    if (own === undefined) return [];
    const frequency = own.frequency === undefined ? {} : { frequency: { value: own.frequency, field: 'gnomADe_AF' } };
    return [annotated(allele, own.genes, frequency)];
  });
  await annotate(server.repository(beaconConsequences), id, said);
}

/** The answer by names, read from what was loaded. */
function naive(all: readonly Loaded[], question: CarriedQuestion) {
  const found: Record<
    string,
    { effects: string[]; carriers: Record<string, number>; uncalled: string[]; counts: number[] }
  > = {};
  const byKey = new Map<string, Allele>();
  for (const { alleles } of all)
    for (const { carriers: _, uncalled: __, ...allele } of alleles) byKey.set(alleleKey(allele), allele);
  const everyone = new Map<string, Person[]>();
  for (const { people } of all)
    for (const person of people) everyone.set(person.id, [...(everyone.get(person.id) ?? []), person]);
  for (const [key, allele] of [...byKey].sort(([, one], [, other]) => byAllele(one, other))) {
    const annotations = all.flatMap((one) => one.annotations.get(key) ?? []);
    const isOfGene = annotations.some(({ genes: own }) =>
      own.some(({ hgnc, symbol, transcripts }) => {
        const isAsked = question.genes?.of.some((one) =>
          hgnc !== undefined && one.hgnc !== undefined ? hgnc === one.hgnc : symbol === one.symbol,
        );
        const worst = transcripts[0]?.terms[0] as (typeof terms)[number];
        const isBad =
          worst === 'stop_gained' || (worst === 'missense_variant' && question.genes?.effect === 'moderate');
        return isAsked && isBad;
      }),
    );
    const isPlace = question.places?.some(
      ({ chromosome, start, end }) => chromosome === allele.contig && allele.start < end && allele.end > start,
    );
    const isNamed =
      !allele.structural &&
      question.alleles?.some(
        (one) =>
          one.chromosome === allele.contig &&
          one.start === allele.start &&
          one.reference === allele.reference &&
          one.alternate === allele.alternate,
      );
    const limit = question.genes?.frequency ?? 1;
    const isRare = annotations.every(({ frequency = 0 }) => frequency <= limit);
    if (!(isOfGene && isRare) && !isNamed && !(isPlace && annotations.length === 0)) continue;
    const kind = allele.structural ? 'structural' : 'small';
    // All deletions of a gene are similar to each other: they count together, and each names its own carriers.
    const isCounted = (one: Allele) =>
      allele.structural ? one.structural && one.contig === allele.contig : alleleKey(one) === key;
    const carriers: Record<string, number> = {};
    const counted: Record<string, number> = {};
    const uncalled = new Set<string>();
    for (const { people, alleles } of all) {
      for (const one of alleles.filter(isCounted)) {
        for (const [i, copies] of one.carriers) {
          const { id } = people[i] as Person;
          counted[id] = Math.max(counted[id] ?? 0, copies);
          if (alleleKey(one) === key) carriers[id] = Math.max(carriers[id] ?? 0, copies);
        }
        for (const i of one.uncalled ?? []) uncalled.add((people[i] as Person).id);
      }
    }
    for (const id of Object.keys(counted)) uncalled.delete(id);
    if (question.carriers && !question.carriers.some((id) => id in carriers)) continue;
    const searched = [...everyone.values()].filter((own) => own.some((person) => person.searched[kind])).length;
    const samples = searched - uncalled.size;
    const count = Object.keys(counted).length;
    const { common } = question;
    if (common && !isNamed && count > common.carriers && count > common.share * samples) continue;
    const copies = Object.entries(counted).map(([id, called]) => {
      const sexes = new Set(
        (everyone.get(id) ?? []).flatMap(({ facts }) => (facts.sex === 'unknown' ? [] : [facts.sex])),
      );
      const isMale = sexes.size === 1 && sexes.has('male');
      return Math.min(called, allele.contig === 'X' && isMale ? 1 : 2);
    });
    const [own] = annotations.sort((one, other) => rank(one) - rank(other));
    found[alleleKey(allele)] = {
      effects:
        own?.genes.map(
          ({ symbol, transcripts }) => `${symbol} ${effects[transcripts[0]?.terms[0] as (typeof terms)[number]]}`,
        ) ?? [],
      carriers,
      uncalled: [...uncalled].sort(),
      counts: [count, samples, copies.reduce((sum, one) => sum + one, 0)],
    };
  }
  return found;
}

function named({ alleles, samples }: CarriedAnswer): ReturnType<typeof naive> {
  const found: ReturnType<typeof naive> = {};
  for (const one of alleles) {
    const { chromosome: contig, start, end, reference, alternate, local } = one;
    const key = alleleKey({ contig, start, end, reference, alternate, kind: '', structural: false });
    found[key] = {
      effects: one.genes.map(({ symbol, effect }) => `${symbol} ${effect}`),
      carriers: Object.fromEntries(one.carriers.map(({ sample, copies }) => [samples[sample], copies])),
      uncalled: one.uncalled.map((sample) => samples[sample] as string).sort(),
      counts: [local.carriers, local.samples, local.alleleCount],
    };
  }
  return found;
}

for (const engine of engines) {
  describe(`beacon: carried alleles on ${engine.name} (TEST_SEED=${seed})`, function () {
    this.timeout(120_000);
    const random = new Random(seed);
    const loaded = [loadedIn('brain', random), loadedIn('heart', random)];
    const server = useOnce(() =>
      serveForTest({
        plugins: { beacon: {}, [finder]: {} },
        settings: { auth: { tenants: { cardio: { datasets: ['heart'] }, neuro: { datasets: ['brain'] }, none: {} } } },
        storage: engine,
      }),
    );
    const carried = (question: CarriedQuestion, reader: KnowledgeReader = 'operator') =>
      service('beacon/carried-alleles@1').carried(reader, question, signal);

    before(async () => {
      for (const one of loaded) await addLoaded(server, one);
    });

    // Two of each gene, between which others have alleles.
    const places = genes.flatMap(({ contig: chromosome, start }) => [
      { chromosome, start: start + 10, end: start + 20 },
      { chromosome, start: start + 30, end: start + 45 },
    ]);

    function someQuestion(): CarriedQuestion {
      const all = loaded.flat();
      const one = random.pick(all.flatMap(({ alleles }) => alleles.filter(({ structural }) => !structural)));
      return {
        assembly,
        ...(random.chance(0.8) && {
          genes: {
            of: random
              .shuffled(genes)
              .slice(0, random.int(1, 3))
              .map(({ hgnc, symbol }) => ({ hgnc, symbol })),
            effect: random.pick(['moderate', 'high'] as const),
            frequency: random.pick([0.0001, 0.01, 1]),
          },
        }),
        ...(random.chance(0.7) && { places: random.shuffled(places).slice(0, random.int(1, 6)) }),
        ...(random.chance(0.5) && {
          alleles: [
            { chromosome: one.contig, start: one.start, reference: one.reference, alternate: one.alternate },
            { chromosome: '1', start: 999_999, reference: 'A', alternate: 'C' },
          ],
        }),
        ...(random.chance(0.5) && {
          carriers: random.shuffled(all.flatMap(({ people }) => people.map(({ id }) => id))).slice(0, 3),
        }),
        ...(random.chance(0.4) && { common: { carriers: random.int(1, 6), share: random.pick([0.1, 0.3]) } }),
      };
    }

    it('are those that a reading of all of them finds', async () => {
      let alleles = 0;
      for (let round = 0; round < 30; round++) {
        const question = someQuestion();
        const answer = named(await carried(question));
        const expected = naive(loaded, question);
        expect(answer, JSON.stringify(question)).to.deep.equal(expected);
        expect(Object.keys(answer)).to.deep.equal(Object.keys(expected));
        alleles += Object.keys(answer).length;
      }
      expect(alleles).to.be.above(100);
    });

    it('are those of the datasets in which the reader may see who carries what', async () => {
      const [brain, heart] = loaded as [Loaded, Loaded];
      const question: CarriedQuestion = {
        assembly,
        genes: { of: genes.map(({ hgnc, symbol }) => ({ hgnc, symbol })), effect: 'moderate', frequency: 1 },
        places,
      };
      const caller = (...scopes: string[]): KnowledgeReader => ({ principal: tokenHolder('lab', scopes), id: 'r1' });
      const ids = [...heart.people, ...brain.people].map(({ id }) => id);
      const readers: [KnowledgeReader, Loaded[]][] = [
        ['operator', loaded],
        [{ tenant: 'cardio' }, [heart]],
        [{ tenant: 'none' }, []],
        [{ tenant: 'unknown' }, []],
        [caller('beacon:observe', 'beacon:cases'), loaded],
        [caller('beacon:observe', 'beacon:cases:brain'), [brain]],
        [caller('beacon:observe:heart'), []],
        [caller('beacon:cases:heart'), []],
        [caller('beacon:read'), []],
      ];
      for (const [reader, own] of readers) {
        const answer = await carried(question, reader);
        expect(answer.datasets, JSON.stringify(reader)).to.have.members(own.map((one) => one.dataset));
        expect(named(answer), JSON.stringify(reader)).to.deep.equal(naive(own, question));
        const known = await service('beacon/carried-alleles@1').samplesOf(reader, assembly, ids);
        expect([...known.keys()]).to.have.members([
          ...new Set(own.flatMap(({ people }) => people.map(({ id }) => id))),
        ]);
        expect((await carried({ ...question, assembly: 'GRCh38' }, reader)).alleles).to.deep.equal([]);
      }
    });

    it('say what was searched, by a stamp that changes with the calls alone', async () => {
      const repository = server.repository(beacon);
      await repository.addDataset(dataset('skin', { assembly }), new Date());
      const allele: Allele = {
        contig: '3',
        start: 10,
        end: 11,
        reference: 'A',
        alternate: 'C',
        kind: 'SNP',
        structural: false,
      };
      const call = { ...allele, carriers: [[0, 1]] as [number, number][] };
      const small = { small: true, structural: false };
      await add(repository, 'skin', { k1: { affected: true }, k2: {} }, [call], new Date(), small);
      const seen = async () => {
        const known = await service('beacon/carried-alleles@1').samplesOf('operator', assembly, ['k1', 'k2', 'k3']);
        return Object.fromEntries(known);
      };
      const first = await seen();
      expect(Object.keys(first)).to.deep.equal(['k1', 'k2']);
      expect(first.k1).to.deep.include({
        searched: small,
        affected: true,
        case: 'k1',
        datasets: ['skin'],
        annotations: [],
      });
      await repository.describeSamples('skin', new Map([['k1', { sex: 'male' as const }]]), new Date());
      await annotate(server.repository(beaconConsequences), 'skin', [
        annotated(allele, [atGene({ hgnc: 9 }, ['stop_gained'])]),
      ]);
      expect(await seen()).to.deep.equal({
        k1: { ...first.k1, sex: 'male', annotations: ['VEP v110'] },
        k2: { ...first.k2, annotations: ['VEP v110'] },
      });
      const second = { ...call, start: 20, end: 21 };
      await add(repository, 'skin', { k1: {} }, [second], new Date(), small);
      const more = await seen();
      expect(more.k1?.stamp).not.to.equal(first.k1?.stamp);
      expect(more.k2?.stamp).to.equal(first.k2?.stamp);
      await add(repository, 'skin', { k2: {} }, [], new Date(), { small: false, structural: true });
      const last = await seen();
      expect(last.k2?.searched).to.deep.equal({ small: true, structural: true });
      expect(last.k2?.stamp).not.to.equal(first.k2?.stamp);
      expect(last.k1).to.deep.equal(more.k1);
    });

    it('say of neighbouring substitutions whether they lie on one copy, as files do', async () => {
      const repository = server.repository(beacon);
      await repository.addDataset(dataset('bone', { assembly }), new Date());
      const allele = (start: number): CalledAllele => ({
        ...{ contig: '4', start, end: start + 1, reference: 'A', alternate: 'C', kind: 'SNP', structural: false },
        carriers: [
          [0, 1],
          [1, 1],
        ],
      });
      const all = [allele(10), allele(14), allele(30)];
      await add(repository, 'bone', { b1: {}, b2: {} }, all, new Date());
      const pair = pairNumber('4', all[0] as CalledAllele, all[1] as CalledAllele) as number;
      await server.repository(beaconDepths).addPhases(
        'bone',
        new Map([
          ['b1', new Map<number, Phase>([[pair, 'trans']])],
          ['b2', new Map<number, Phase>([[pair, 'unclear']])],
        ]),
      );
      const alleles = all.map(({ contig: chromosome, start, reference, alternate }) => ({
        chromosome,
        start,
        reference,
        alternate,
      }));
      const { phases, samples } = await carried({ assembly, alleles, carriers: ['b1'] });
      expect(phases).to.deep.equal([{ sample: samples.indexOf('b1'), one: 0, other: 1, phase: 'trans' }]);
    });

    it('have denominators if the question asks for them: unknown without coverage', async () => {
      const [gene] = genes;
      const question = {
        assembly,
        places: [{ chromosome: gene.contig, start: gene.start, end: gene.start + 60 }],
      } as const;
      const without = await carried(question);
      const { alleles } = await carried({ ...question, denominators: true });
      expect(alleles.length).to.be.above(0);
      for (const [i, { local }] of alleles.entries()) {
        const { covered, ...counts } = local;
        expect(counts).to.deep.equal(without.alleles[i]?.local);
        expect(without.alleles[i]?.local).not.to.have.property('covered');
        expect(covered).to.include({ covered: 0, notCovered: 0, alleleNumber: 0 });
        expect(covered?.unknown).to.be.at.least(local.samples);
      }
    });
  });
}
