/** Out of how many samples alleles were seen: sample by sample against the counts of the beacon, and by hand. */
import { expect } from 'chai';
import { Fault } from '../../../core/fault.js';
import {
  type BeaconRepository,
  beacon,
  type Contig,
  type Observation,
  type ObservedQuestion,
  type Sex,
} from '../../../plugins/beacon/contract.js';
import {
  type DatasetDenominator,
  datasetDenominator,
  denominatorWords,
  frequencyOfAlleles,
  percent,
  upperBoundOf,
} from '../../../plugins/beacon/counts/denominator.js';
import { Denominators } from '../../../plugins/beacon/counts/denominators.js';
import { placesOfQuestion } from '../../../plugins/beacon/counts/population.js';
import { questionOfAllele, structuralQuestion } from '../../../plugins/beacon/domain/written-question.js';
import { languages } from '../../../plugins/beacon/faces/search/page.js';
import { Random } from '../../conformance/core.js';
import { dealt } from '../../support/dealt.js';
import { allele, carriersOf, fill, hashed, naive, people, registrations, sites } from './support/denominators.js';
import { countingBases, countingNumbers, type DepthAt } from './support/depths.js';
import { engines } from './support/engines.js';

const now = new Date('2026-05-05T05:05:05.000Z');
const { signal } = new AbortController();
/** The denominator of no sample. */
const uncovered = {
  threshold: 10,
  total: 0,
  covered: 0,
  notCovered: 0,
  unknown: 0,
  unknownSex: 0,
  notCalled: 0,
  alleles: undefined,
};

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: denominators (${engine.name})`, function () {
    this.timeout(120_000);

    it('are those of looking at every base of every sample', async () => {
      const rounds = Number(process.env.TEST_HISTORIES ?? 3);
      for (let round = 0; round < rounds; round++) {
        const random = new Random(round + 1);
        const assembly = random.pick(['GRCh37', 'GRCh38'] as const);
        const all = people(random);
        const asked = sites(assembly);
        const { called, carried } = carriersOf(asked, all, random, 0.2);
        const opened = await engine.open([beacon]);
        try {
          const repository = opened.storage.repository(beacon);
          await fill(repository, assembly, all, called);
          const questions = asked.map((site) => questionOfAllele(site) as ObservedQuestion);
          const seen = (await repository.observe(assembly, questions, ['ds'])).map(([one]) => one as Observation);
          const options = { carriers: true };
          const named = (await repository.observe(assembly, questions, ['ds'], options)).map(
            ([one]) => one as Observation,
          );
          const unread = {
            sampleFacts: (id: string) => repository.sampleFacts(id),
            observe: () => Promise.reject(new Error('carriers that are named were read again')),
          };
          const service = countingBases({ sexes: registrations(all), depthAt: hashed });
          for (const threshold of [10, 11]) {
            const denominators = new Denominators({ repository, service }, { id: 'ds', assembly }, threshold);
            const judged = await denominators.of(questions, seen, signal);
            for (const [i, site] of asked.entries()) {
              const { reasons: _, ...counts } = judged[i] as DatasetDenominator;
              const expected = naive(site, assembly, all, carried[i] as Map<string, number>, threshold);
              expect(counts, `round ${round}: ${JSON.stringify(site)} ${JSON.stringify(all)}`).to.deep.equal(expected);
              expect(expected.alleles?.alleleCount).to.be.at.most(expected.alleles?.alleleNumber as number);
            }
            expect(
              denominators.namesCarriers,
              'most of these are carried, in part by samples of unknown depth',
            ).to.equal(true);
            const again = new Denominators({ repository: unread, service }, { id: 'ds', assembly }, threshold);
            expect(await again.of(questions, named, signal), 'with carriers named').to.deep.equal(judged);
            const byNumber = { ...service, numbered: countingNumbers({ sexes: registrations(all), depthAt: hashed }) };
            const numbered = new Denominators({ repository, service: byNumber }, { id: 'ds', assembly }, threshold);
            expect(await numbered.of(questions, seen, signal), 'asked by number').to.deep.equal(judged);
          }
        } finally {
          await opened.storage.close();
          await opened.discard?.();
        }
      }
    });
  });
}

describe('beacon: denominators', () => {
  const sample = (name: string, sex: Sex = 'female') => ({
    ...{ name, case: name, sex, affected: undefined, labels: {}, coverageId: name, added: now },
    ...{ phenotypes: [], diseases: [] },
    searched: { small: true, structural: true },
  });

  const place = (question: ObservedQuestion) =>
    placesOfQuestion(question, 'GRCh37').map(({ chromosome, intervals }) => [
      chromosome,
      ...intervals.map(({ start, end }) => `${start}-${end}`),
    ]);

  it('need each base of the reference, of insertions and deletions one more on each side, within the chromosome', () => {
    const at = (...words: Parameters<typeof allele>) => place(questionOfAllele(allele(...words)) as ObservedQuestion);
    expect(at('1', 100, 'A', 'C')).to.deep.equal([['1', '99-100']]);
    expect(at('1', 100, 'AC', 'GT')).to.deep.equal([['1', '99-101']]);
    expect(at('1', 100, 'ACT', 'A')).to.deep.equal([['1', '98-103']]);
    expect(at('1', 100, 'A', 'AC')).to.deep.equal([['1', '98-101']]);
    expect(at('1', 1, 'AC', 'A')).to.deep.equal([['1', '0-3']]);
    expect(at('MT', 16568, 'AG', 'A')).to.deep.equal([['MT', '16566-16569']]);
  });

  it('of structural variants need both ends', () => {
    const at = (kind: string, position: number, end?: number, mate?: Contig) =>
      place(structuralQuestion({ contig: '2', position, kind, end, mate }, 'GRCh37'));
    expect(at('DEL', 100, 500)).to.deep.equal([['2', '99-100', '499-500']]);
    expect(at('DUP', 100, 101)).to.deep.equal([['2', '99-101']]);
    expect(at('INS', 100)).to.deep.equal([['2', '99-101']]);
    expect(at('BND', 100)).to.deep.equal([['2', '99-100']]);
    expect(at('BND', 100, 50)).to.deep.equal([['2', '49-50', '99-100']]);
    expect(at('BND', 100, 70, '17')).to.deep.equal([
      ['2', '99-100'],
      ['17', '69-70'],
    ]);
  });

  /** Ten women, of whom the first three are not covered on chromosome 1, the third and fourth not on 2. */
  const women = Array.from({ length: 10 }, (_, i) => sample(`w${i}`));
  const few: DepthAt = (name, contig) => {
    if (contig === '1') return ['w0', 'w1', 'w2'].includes(name) ? 9 : 30;
    return contig === '2' && ['w2', 'w3'].includes(name) ? 0 : 10;
  };
  const sexes = new Map(women.map(({ name }) => [name, 'unknown' as const]));
  const none = { carriers: 0, homozygotes: 0, alleleCount: 0, notCalled: 0 };

  /** With one carrier of each allele that was observed. */
  function toolsOf(carrier?: string) {
    const service = countingBases({ sexes, depthAt: few });
    const observe: BeaconRepository['observe'] = async (_, questions) =>
      questions.map(() => [
        {
          ...{ dataset: 'ds', cases: 1, carriers: 1, homozygotes: 0, hemizygotes: 0, alleleCount: 1 },
          of: { cases: 10, samples: 10 },
          notCalled: 0,
          ...(carrier && { named: { names: [carrier], numbers: [0], copies: [1], uncalled: [] } }),
        },
      ]);
    return { service, repository: { observe, sampleFacts: async () => women } };
  }

  const snv = questionOfAllele(allele('1', 100, 'A', 'C')) as ObservedQuestion;

  it('state a bound if nobody carries the allele, and no frequency of structural variants', async () => {
    const denominators = new Denominators(toolsOf(), { id: 'ds', assembly: 'GRCh37' });
    const translocation = structuralQuestion({ contig: '1', position: 9, kind: 'BND', end: 9, mate: '2' }, 'GRCh37');
    const [small, both] = (await denominators.of([snv, translocation], [none, none], signal)) as [
      DatasetDenominator,
      DatasetDenominator,
    ];
    expect(small).to.deep.include({ threshold: 10, total: 10, covered: 7, notCovered: 3, unknown: 0, unknownSex: 0 });
    expect(small.alleles).to.deep.include({ alleleNumber: 14, alleleCount: 0 });
    expect(frequencyOfAlleles(small)).to.equal(0);
    // 0.05^(1/7) = 0.6518
    expect(upperBoundOf(small, 0)).to.be.closeTo(0.3482, 0.0001);
    expect(denominatorWords(small, 0)).to.equal(
      '0 carriers among 7 covered (of 10; 3 not covered at ≥ 10x); at most 35 % carry it (95 % confidence)',
    );
    // w0, w1 and w2 on 1, w2 and w3 on 2.
    expect(both).to.deep.include({ covered: 6, notCovered: 4, alleles: undefined });
    expect([frequencyOfAlleles(both), upperBoundOf(both, 0)]).to.deep.equal([undefined, undefined]);
    expect(denominatorWords(both, 0)).to.equal('6 samples covered at both ends (of 10; 4 not covered at ≥ 10x)');
  });

  it('count a carrier below the threshold in the allele number, since it was called', async () => {
    const one = { carriers: 1, homozygotes: 0, alleleCount: 1, notCalled: 0 };
    for (const [carrier, alleleNumber, below] of [
      ['w5', 14, 0],
      ['w0', 16, 1],
    ] as const) {
      const denominators = new Denominators(toolsOf(carrier), { id: 'ds', assembly: 'GRCh37' });
      const [judged] = (await denominators.of([snv], [one], signal)) as [DatasetDenominator];
      expect(judged.alleles, carrier).to.deep.include({
        carriers: 1,
        alleleCount: 1,
        alleleNumber,
        carriersBelowThreshold: below,
      });
      expect(frequencyOfAlleles(judged)).to.equal(1 / alleleNumber);
      const seen = below === 0 ? '1 carrier' : '1 carrier, 0 of them';
      expect(denominatorWords(judged, 1)).to.equal(`${seen} among 7 covered (of 10; 3 not covered at ≥ 10x)`);
    }
  });

  it('say in words that carriers of unknown coverage or sex are not counted', () => {
    const none = { carriers: 0, homozygotes: 0, alleleCount: 0, alleleNumber: 14, carriersBelowThreshold: 0 };
    const counted = { threshold: 10, total: 10, covered: 7, notCovered: 0, unknown: 3, unknownSex: 0, notCalled: 0 };
    const words = (carriersUnknown: number) =>
      denominatorWords({ ...counted, alleles: { ...none, carriersUnknown } }, carriersUnknown);
    const before = '0 carriers among 7 covered (of 10; 0 not covered at ≥ 10x, 3 of unknown coverage)';
    expect(words(1)).to.equal(`${before}; 1 carrier of unknown coverage or sex is not counted here`);
    expect(words(2)).to.equal(`${before}; 2 carriers of unknown coverage or sex are not counted here`);
    const masked = { ...counted, total: 0, covered: 0, unknown: 0, alleles: { ...none, carriersUnknown: 0 } };
    expect(denominatorWords(masked, 0)).to.equal('No sample of the dataset could show it');
    expect(denominatorWords(masked, 1)).to.equal(
      'No sample of the dataset is expected to show it; 1 carrier is not counted here',
    );
  });

  it('say whether coverage or sex is unknown of all samples', () => {
    const words = [
      { unknown: 5 },
      // On X, where the number of copies depends on the sex.
      { unknownSex: 5 },
      { unknown: 2, unknownSex: 3 },
    ].map((unknown) => denominatorWords({ ...uncovered, total: 5, ...unknown }, 1));
    expect(words).to.deep.equal([
      'Coverage unknown (5 samples)',
      'Sex unknown (5 samples)',
      'Coverage or sex unknown (5 samples)',
    ]);
  });

  it('say why coverage is unknown only if that of someone who counts is', () => {
    const counted = { ...uncovered, total: 3, covered: 3 };
    expect(datasetDenominator(counted, undefined, ['unregistered']).reasons).to.deep.equal([]);
    const partly = { ...counted, covered: 2, unknown: 1 };
    expect(datasetDenominator(partly, undefined, ['unregistered']).reasons).to.deep.equal(['unregistered']);
  });

  it('have shares that are 100 % of all only', () => {
    expect([0, 1 / 3000, 0.5, 0.994, 0.999, 1].map((share) => percent(share))).to.deep.equal([
      '0 %',
      '0.033 %',
      '50 %',
      '99 %',
      '> 99 %',
      '100 %',
    ]);
    expect([0.999, 0.9996, 1].map((share) => percent(share, 3))).to.deep.equal(['99.9 %', '> 99.9 %', '100 %']);
    const { en, sv } = languages;
    expect([0.999, 1, 1 / 400_000].map(en.percent)).to.deep.equal(['> 99 %', '100 %', '0.00025 %']);
    expect([0.999, 1, 1 / 400_000].map(sv.percent)).to.deep.equal(['> 99 %', '100 %', '0,00025 %']);
  });

  it('are unknown without a service, or while it does not answer', async () => {
    const one = { carriers: 1, homozygotes: 0, alleleCount: 1, notCalled: 0 };
    const { repository, service } = toolsOf();
    const broken = { ...service, covered: () => Promise.reject(new Fault('unavailable', 'try again')) };
    const reported: string[] = [];
    const onUnavailable = ({ message }: Fault) => void reported.push(message);
    for (const [tools, reason] of [
      [{ repository, service: undefined }, 'no-service'],
      [{ repository, service: broken, onUnavailable }, 'unavailable'],
    ] as const) {
      const [judged] = (await new Denominators(tools, { id: 'ds', assembly: 'GRCh37' }).of([snv], [one], signal)) as [
        DatasetDenominator,
      ];
      expect(judged).to.deep.include({ total: 10, covered: 0, notCovered: 0, unknown: 10, reasons: [reason] });
      expect(judged.alleles).to.deep.include({ carriers: 0, alleleNumber: 0, carriersUnknown: 1 });
      expect(frequencyOfAlleles(judged)).to.equal(undefined);
      expect(denominatorWords(judged, 1)).to.equal('Coverage unknown (10 samples)');
    }
    expect(reported).to.deep.equal(['try again']);
    const [outcome] = await Promise.allSettled([
      new Denominators({ repository, service: broken }, { id: 'ds', assembly: 'GRCh37' }).of([snv], [one], signal),
    ]);
    expect(outcome.status).to.equal('rejected');
  });

  it('name no more samples in one question than the service takes', async () => {
    const crowd = Array.from({ length: 30_000 }, (_, i) => sample(`p${i}`));
    const known = new Map(crowd.map(({ name }) => [name, 'unknown' as const]));
    const service = countingBases({ sexes: known, depthAt: () => 10 });
    const { observe } = toolsOf().repository;
    const tools = { service, repository: { observe, sampleFacts: async () => crowd } };
    const junction = (at: number) =>
      structuralQuestion({ contig: '1', position: at, kind: 'BND', end: 9, mate: '2' }, 'GRCh37');
    const questions = [junction(1), junction(2), junction(3)];
    const judged = await new Denominators(tools, { id: 'ds', assembly: 'GRCh37' }).of(
      questions,
      [none, none, none],
      signal,
    );
    expect(judged.map(({ covered }) => covered)).to.deep.equal([30_000, 30_000, 30_000]);
    expect(service.questions.map(({ places }) => places.length)).to.deep.equal([2, 2, 2]);
  });

  it('ask in the order of the genome, each place once, and of no more places than the service takes', async () => {
    const { repository, service } = toolsOf('w5');
    const at = (contig: Contig, position: number, alternate: string) =>
      questionOfAllele(allele(contig, position, 'A', alternate)) as ObservedQuestion;
    const many = Array.from({ length: 5001 }, (_, i) => at('3', 10_001 - i, 'C'));
    const questions = [at('X', 5, 'C'), ...many, at('1', 7, 'C'), at('1', 7, 'G'), at('1', 3, 'C')];
    const all = questions.map(() => none);
    await new Denominators({ repository, service }, { id: 'ds', assembly: 'GRCh37' }).of(questions, all, signal);
    expect(service.questions.map(({ places }) => places.length)).to.deep.equal([4999, 5]);
    const asked = service.questions.flatMap(({ places }) => places);
    expect(asked.slice(0, 3).map(({ chromosome, intervals }) => [chromosome, intervals[0]?.start])).to.deep.equal([
      ['1', 2],
      ['1', 6],
      ['3', 5000],
    ]);
    expect(asked.at(-1)?.chromosome).to.equal('X');
  });
});
