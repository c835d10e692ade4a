/** Beacon repositories that observe alleles wrongly. */
import {
  type BeaconRepository,
  farthest,
  type Observation,
  type ObservedQuestion,
} from '../../../../plugins/beacon/contract.js';
import type { Wrong } from '../wrap.js';
import { wrong } from './damage.js';

/** Changes every observation. */
export function byObservation(
  does: string,
  fails: string,
  change: (
    observation: Observation,
    question: ObservedQuestion,
    right: BeaconRepository,
  ) => Observation | Promise<Observation>,
): Wrong {
  return wrong(does, fails, () => (right) => ({
    observe: async (assembly, questions, ids, options) => {
      const found = await right.observe(assembly, questions, ids, options);
      return Promise.all(
        found.map((observations, n) =>
          Promise.all(observations.map((observation) => change(observation, questions[n] as ObservedQuestion, right))),
        ),
      );
    },
  }));
}

/** Changes questions before they are asked. */
export function byQuestion(
  does: string,
  fails: string,
  change: (question: ObservedQuestion) => ObservedQuestion,
): Wrong {
  return wrong(does, fails, () => (right) => ({
    observe: (assembly, questions, ids, options) => right.observe(assembly, questions.map(change), ids, options),
  }));
}

const counted = 'an allele is counted by cases, carriers, homozygotes and copies';
const places = 'copies on X, Y and MT are counted by sex and place';
const named = 'cases are named newest first, as many as are asked for';
const ordered = 'questions are answered in their order, by the datasets of the assembly';

const notCalled = 'a sample that was not called is not among those that could show the allele';

export const wrongObservations: readonly Wrong[] = [
  byObservation(
    'does not know where a pseudo-autosomal region begins',
    'any history of imports, corrections and removals is observed and found as what remains',
    (observation, { contig, start }) =>
      contig === 'X' && start === 60_000 ? { ...observation, hemizygotes: observation.carriers } : observation,
  ),
  byObservation('counts samples as cases', counted, (observation) => ({ ...observation, cases: observation.carriers })),
  byObservation('counts copies beyond the ploidy', counted, (observation, question) =>
    question.contig === '1' && observation.homozygotes > 0
      ? { ...observation, alleleCount: observation.alleleCount + 1 }
      : observation,
  ),
  byQuestion('asks by the place alone', 'an allele is asked for by its place and bases, all of them', (question) =>
    question.type === 'sequence' && question.alternate === 'GT' ? { ...question, alternate: 'GTT' } : question,
  ),
  byQuestion(
    'asks beyond the last position',
    'an allele is asked for by its place and bases, all of them',
    (question) => (question.start > farthest ? { ...question, start: 500 } : question),
  ),
  wrong('answers in an order of its own', ordered, () => (right) => ({
    observe: async (assembly, questions, ids, options) =>
      await right.observe(
        assembly,
        questions.toSorted((a, b) => a.start - b.start),
        ids,
        options,
      ),
  })),
  wrong('leaves out datasets without carriers', ordered, () => (right) => ({
    observe: async (...asked) =>
      (await right.observe(...asked)).map((observations) => observations.filter(({ carriers }) => carriers > 0)),
  })),
  wrong('answers in the order of the datasets given', ordered, () => (right) => ({
    observe: async (assembly, questions, ids, options) =>
      (await right.observe(assembly, questions, ids, options)).map((observations) =>
        ids.flatMap((id) => observations.filter(({ dataset }) => dataset === id)),
      ),
  })),
  wrong('does not know the pseudo-autosomal regions', places, () => (right) => ({
    observe: async (assembly, questions, ids, options) => {
      const found = await right.observe(assembly, questions, ids, options);
      const elsewhere = await right.observe(
        assembly,
        questions.map((question) => ({ ...question, start: 50_000_000 })),
        ids,
        options,
      );
      return found.map((observations, n) =>
        questions[n]?.contig === 'X' && observations.every(({ carriers }) => carriers > 0)
          ? observations.map((observation, i) => ({ ...observation, hemizygotes: elsewhere[n]?.[i]?.hemizygotes ?? 0 }))
          : observations,
      );
    },
  })),
  byObservation('counts copies as they were called', places, (observation, question) =>
    question.contig === 'MT' ? { ...observation, alleleCount: 3 } : observation,
  ),
  byObservation(
    'counts every sample among those that were searched',
    'samples that were not searched for a kind do not count among those that could show it',
    async (observation, _, right) => {
      const samples = await right.sampleFacts(observation.dataset);
      return { ...observation, of: { cases: new Set(samples.map((each) => each.case)).size, samples: samples.length } };
    },
  ),
  byObservation('names the oldest cases', named, ({ detail, ...observation }) => ({
    ...observation,
    ...(detail && { detail: { ...detail, carrying: detail.carrying.toReversed() } }),
  })),
  wrong('names fifty cases, asked or not', named, () => (right) => ({
    observe: (assembly, questions, ids, options) => right.observe(assembly, questions, ids, { cases: 50, ...options }),
  })),
  byObservation('names one carrier', 'carriers are named on request, each with its most copies', (observation) => ({
    ...observation,
    ...(observation.named && { named: { ...observation.named, numbers: observation.named.numbers.slice(0, 1) } }),
  })),
  wrong('keeps counts until the next import', 'a corrected sample counts as what it is now', () => {
    const kept = new Map<string, readonly (readonly Observation[])[]>();
    return (right) => ({
      importAlleles: (request, now) => {
        kept.clear();
        return right.importAlleles(request, now);
      },
      observe: async (...asked) => {
        const key = JSON.stringify(asked);
        const known = kept.get(key) ?? (await right.observe(...asked));
        kept.set(key, known);
        return known;
      },
    });
  }),
  wrong(
    'keeps facts of a dataset by its id',
    'removed samples are observed no more, and added again they count anew',
    () => {
      const first = new Map<string, Date>();
      return (right) => ({
        observe: async (...asked) =>
          (await right.observe(...asked)).map((observations) =>
            observations.map(({ detail, ...observation }) => {
              if (!detail?.first) return { ...observation, ...(detail && { detail }) };
              const known = first.get(observation.dataset) ?? detail.first;
              first.set(observation.dataset, known);
              return { ...observation, detail: { ...detail, first: known } };
            }),
          ),
      });
    },
  ),
  byQuestion(
    'knows an allele by its stored bases alone',
    'a sample with an allele in two records counts once',
    (question) =>
      question.type === 'sequence' && question.reference === 'CT'
        ? { ...question, start: 1000, reference: 'ACTG', alternate: 'ACG' }
        : question,
  ),
  byObservation(
    'adds up the records of one sample',
    'a sample with an allele in two records counts once',
    (observation) => ({
      ...observation,
      carriers: observation.carriers + 1,
    }),
  ),
  wrong(
    'answers a thousand questions',
    'thousands of questions are answered at once, each for itself',
    () => (right) => ({
      observe: async (assembly, questions, ids, options) => {
        const found = await right.observe(assembly, questions.slice(0, 1000), ids, options);
        return questions.map((_, n) => found[n] ?? []);
      },
    }),
  ),
  wrong(
    'observes one dataset after the other',
    'observations of several datasets and questions show one moment',
    () => (right) => ({
      observe: async (assembly, questions, ids, options) => {
        const all: (readonly (readonly Observation[])[])[] = [];
        for (const id of ids) {
          all.push(await right.observe(assembly, questions, [id], options));
          for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
        }
        return questions.map((_, n) => all.flatMap((found) => found[n] ?? []));
      },
    }),
  ),
  wrong('describes samples before it publishes', 'an import is observed whole or not at all', () => (right) => ({
    importAlleles: async (request, now) => {
      const known = await right.samples(request.dataset);
      const there = new Map([...(request.facts ?? [])].filter(([name]) => known.includes(name)));
      await right.describeSamples(request.dataset, there, now);
      return right.importAlleles(request, now);
    },
  })),
  wrong(
    'observes to the end though the caller has left',
    'observing that is given up throws the reason',
    () => (right) => ({
      observe: (assembly, questions, ids, { signal: _, ...options } = {}) =>
        right.observe(assembly, questions, ids, options),
    }),
  ),
  byObservation('counts samples that were not called among the others', notCalled, (observation) => ({
    ...observation,
    of: { ...observation.of, samples: observation.of.samples + observation.notCalled },
  })),
  wrong('forgets samples that were not called if others carry the allele', notCalled, () => (right) => ({
    importAlleles: (request, now) => {
      const alleles = (async function* () {
        for await (const batch of request.alleles)
          yield batch.map(({ uncalled = [], ...allele }) =>
            allele.carriers.length > 0 ? allele : { ...allele, uncalled },
          );
      })();
      return right.importAlleles({ ...request, alleles }, now);
    },
  })),
  wrong(
    'takes every chromosome for searched',
    'a chromosome of which all genotypes were skipped was not searched',
    () => (right) => ({
      importAlleles: ({ searched, ...request }, now) =>
        right.importAlleles(
          {
            ...request,
            ...(searched && {
              searched: () => ({ small: searched().small, structural: searched().structural }),
            }),
          },
          now,
        ),
    }),
  ),
];
