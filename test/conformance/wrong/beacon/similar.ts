/** Beacon repositories that take other structural variants for similar ones. */
import {
  type Allele,
  type CalledAllele,
  isSimilar,
  Observed,
  type StructuralQuestion,
} from '../../../../plugins/beacon/contract.js';
import type { Wrong } from '../wrap.js';
import { byBatch, gathered, once, wrong } from './damage.js';
import { byObservation, byQuestion } from './observations.js';

/** Observes structural variants by a rule of its own. */
function byLikeness(
  does: string,
  fails: string,
  rule: (allele: Allele, question: StructuralQuestion, most: number) => boolean,
): Wrong {
  return wrong(does, fails, () => {
    const loaded: { dataset: string; samples: readonly string[]; alleles: CalledAllele[] }[] = [];
    return (right) => ({
      importAlleles: async (request, now) => {
        const alleles = await gathered(request.alleles);
        loaded.push({ dataset: request.dataset, samples: request.samples, alleles });
        return right.importAlleles({ ...request, alleles: once(alleles) }, now);
      },
      observe: async (assembly, questions, ids, options = {}) => {
        const found = await right.observe(assembly, questions, ids, options);
        return Promise.all(
          found.map((observations, n) =>
            Promise.all(
              observations.map(async (observation) => {
                const question = questions[n];
                if (question?.type !== 'structural') return observation;
                const samples = new Map(
                  (await right.sampleFacts(observation.dataset)).map((each) => [each.name, each]),
                );
                const most = (await right.dataset(observation.dataset))?.counting?.window ?? 2000;
                const numbers = new Map([...samples.keys()].map((name, number) => [name, number]));
                const seen = new Observed([...samples.values()]);
                for (const { dataset, samples: names, alleles } of loaded) {
                  for (const { carriers, ...allele } of dataset === observation.dataset ? alleles : []) {
                    if (!rule(allele, question, most)) continue;
                    for (const [i, copies] of carriers) seen.add(numbers.get(names[i] ?? '') ?? -1, copies);
                  }
                }
                const { type, contig, start } = question;
                return { dataset: observation.dataset, ...seen.result({ assembly, contig, start, type }, options) };
              }),
            ),
          ),
        );
      },
    });
  });
}

const borders = 'both ends of a structural allele lie within the window of the question';
const growing = 'the window grows with the length of the question, up to that of the dataset';
const inserted = 'insertions are compared by place and length';
const lengths = 'an insertion comes back with its length, the largest that one import states';
const sides = 'a junction is found from both of its sides';

export const wrongSimilar: readonly Wrong[] = [
  byLikeness(
    'leaves out the border of the window',
    borders,
    (allele, question, most) => isSimilar(allele, question, most) && Math.abs(allele.start - question.start) < 200,
  ),
  byLikeness('looks at the start alone', borders, (allele, question, most) =>
    isSimilar({ ...allele, end: question.end }, question, most),
  ),
  byLikeness('takes small alleles for structural ones', borders, (allele, question, most) =>
    isSimilar({ ...allele, structural: true }, question, most),
  ),
  byLikeness(
    'knows no subtypes',
    borders,
    (allele, question, most) => isSimilar(allele, question, most) && allele.kind === question.kind,
  ),
  byLikeness(
    'knows only subtypes that are named after their type',
    'a kind finds those within it, by any of their names, and none that it is part of',
    (allele, question, most) =>
      isSimilar(allele, question, most) &&
      (question.mate !== undefined || allele.kind.split(':')[0] === question.kind.split(':')[0]),
  ),
  byLikeness(
    'takes the window from the length of the allele',
    growing,
    (allele, question, most) =>
      isSimilar(
        { ...allele, start: question.start, end: question.end },
        { ...question, ...allele, type: 'structural' },
        most,
      ) && isSimilar(allele, { ...question, end: question.start + (allele.end - allele.start) }, most),
  ),
  byLikeness('knows one window for all datasets', growing, (allele, question) => isSimilar(allele, question, 2000)),
  byLikeness('takes the widest of the windows', 'each dataset applies its own window', (allele, question) =>
    isSimilar(allele, question, 5000),
  ),
  byLikeness(
    'compares the ends of insertions',
    inserted,
    (allele, question, most) => isSimilar(allele, question, most) && Math.abs(allele.end - question.end) < 300,
  ),
  byLikeness(
    'leaves out insertions of unknown length',
    inserted,
    (allele, question, most) =>
      isSimilar(allele, question, most) && (allele.length !== undefined || !allele.alternate.startsWith('<')),
  ),
  byLikeness('does not compare lengths', inserted, (allele, question, most) => {
    const { length: _, ...unstated } = allele;
    return isSimilar(allele.alternate.startsWith('<') ? unstated : allele, question, most);
  }),
  byBatch('loses lengths', lengths, (batch) => batch.map(({ length: _, ...allele }) => allele)),
  byLikeness(
    'finds a junction from the side that its record begins with',
    sides,
    (allele, question, most) =>
      isSimilar(allele, question, most) && allele.contig === question.contig && allele.start < allele.end,
  ),
  byLikeness(
    'takes a breakend without a mate for a junction',
    sides,
    (allele, question, most) =>
      isSimilar(allele, question, most) ||
      (question.mate !== undefined && allele.kind === 'BND' && allele.mate === undefined && allele.structural),
  ),
  byLikeness(
    'keeps translocations and breakends apart',
    sides,
    (allele, question, most) => isSimilar(allele, question, most) && allele.kind.startsWith(question.kind),
  ),
  byObservation(
    'counts alleles instead of samples',
    'a sample with several similar alleles counts once, with the most copies',
    (observation) => ({
      ...observation,
      alleleCount: observation.alleleCount + 1,
    }),
  ),
  byQuestion(
    'asks for the sex at the end of a variant',
    'a structural variant counts as the sex at its start says',
    (question) =>
      question.type === 'structural' && question.contig === 'X' ? { ...question, start: 100_000 } : question,
  ),
];
