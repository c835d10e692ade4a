/**
 * The face at /observations: how often, in whom and out of how many samples one allele or many were seen; as JSON or as a page.
 */
import { z } from 'zod';
import {
  Fault,
  type FieldFault,
  isFault,
  negotiated,
  type PluginContext,
  type Principal,
  type RouteDeclaration,
  route,
  wording,
} from '../../../../core/plugin.js';
import { type Assembly, isInsertion, type ObservedQuestion, windowOf } from '../../contract.js';
import { type Decomposed, decomposedOf } from '../../counts/decomposed.js';
import { sequenceQuestionOf, writtenQuestion } from '../../domain/written-question.js';
import { type BeaconServices, pathBefore } from '../../services.js';
import { observationsPath, outcomeOf } from '../pages.js';
import {
  batchBody,
  casesNamed,
  detailedAnswer,
  jsonType,
  observationAnswer,
  type PageOfCases,
  singleBody,
  windowOfDataset,
} from './answers.js';
import { datasetsRoute, describeSamplesRoute, samplesRoute } from './datasets.js';
import { geneRoute } from './genes.js';
import {
  assemblyAsked,
  describedThreshold,
  describedWords,
  lookUp,
  type ObservedDatasets,
  questionOfWords,
  wordsInJson,
} from './look-up.js';
import { type ObservationsPage, observationPage } from './page.js';

export function registerObservations(
  context: Pick<PluginContext<unknown>, 'route' | 'link'>,
  services: BeaconServices,
): void {
  const declare = [singleRoute, batchRoute, geneRoute, datasetsRoute, samplesRoute, describeSamplesRoute];
  for (const routeOf of declare) context.route(routeOf(services));
  context.link(observationsPath, 'Local observations');
}

// `GET /observations`: how often, in whom and out of how many one allele was seen; as JSON or as a page.

const pageType = 'text/html';

const text = (description: string) => z.string().trim().max(100_000).optional().meta({ description });
const whole = (description: string) => z.string().trim().max(20).optional().meta({ type: 'integer', description });

const observationQuery = z.strictObject({
  assembly: text(
    'GRCh37 or GRCh38; hg19, hg38 and the like are accepted too. Required unless datasets of one assembly are named.',
  ),
  dataset: z
    .union([z.string(), z.array(z.string()).max(1000)])
    .optional()
    .describe('Datasets to look in, repeated; all that the caller may observe if omitted.'),
  allele: text(describedWords.allele),
  chromosome: text(describedWords.chromosome),
  position: whole(describedWords.position),
  reference: text(describedWords.reference),
  alternate: text(describedWords.alternate),
  type: text(describedWords.type),
  end: whole(describedWords.end),
  mateChromosome: text(describedWords.mateChromosome),
  length: whole(describedWords.length),
  threshold: whole(describedThreshold),
  decompose: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'In JSON, `true` also counts, apart, samples that carry the single bases of a substitution of several, or a substitution that has the single base asked for.',
    ),
  limit: z.coerce.number().int().min(0).max(1000).default(50).describe('Maximum number of cases in `seenIn`.'),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0).describe('Cases to skip in `seenIn`.'),
});

function singleRoute(services: BeaconServices): RouteDeclaration {
  const { settings, baseUrl } = services;
  const base = pathBefore(baseUrl);
  return route({
    method: 'GET',
    path: observationsPath,
    operation: 'observe',
    summary: 'Look up how often an allele or a structural variant was seen',
    description:
      'Positions are one-based, as in VCF files. A structural variant counts by the rule that the answer states, whatever ' +
      'the order of loads. Datasets that the caller may not observe are as if absent. The ids of cases need the scope ' +
      '`beacon:cases`, too. Browsers get a page, which explains what is wrong with an invalid request, with status 200.',
    access: services.observeAccess,
    query: observationQuery,
    answers: {
      200: {
        description: 'What was seen in each dataset.',
        content: { [jsonType]: singleBody, [pageType]: z.string() },
      },
    },
    async handle(request) {
      const headers = { Vary: 'Accept' };
      const { assembly, dataset, threshold, decompose, limit, offset, ...allele } = request.input;
      const asked = {
        assembly,
        datasets: [dataset ?? []].flat().filter((id) => id !== ''),
        allele,
        threshold,
      };
      const find = async () => {
        const found = await lookUp(services, request.principal, asked, request.signal);
        await recorded(services, request, found, { limit, offset });
        return found;
      };
      if (negotiated(request.headers, [jsonType, pageType]) === jsonType) {
        const { heteroplasmy } = settings.observations;
        const found = await find();
        const decomposed =
          decompose === 'true' ? await decomposedOf(services, found, request.signal) : new Map<string, never>();
        return { headers, body: jsonAnswer(found, { limit, offset }, heteroplasmy, decomposed) };
      }
      const isAsked = Object.values(allele).some((word) => word !== undefined && word !== '');
      const body = observationPage({
        beacon: settings.name,
        cases: { limit, offset },
        caseUrl: settings.observations.caseUrl,
        levels: settings.observations.heteroplasmy,
        datasets: (await services.observing.all(request.principal)).map(({ dataset }) => dataset),
        sent: request.query,
        outcome: isAsked
          ? await outcomeOf(['invalid', 'unprocessable'], async () =>
              withNeighbours(services, await find(), request.signal),
            )
          : undefined,
        base,
        nonce: request.nonce,
      });
      return { type: pageType, headers, body };
    },
  });
}

/** Records the look-up with the cases that its answer names. */
async function recorded(
  { recording }: BeaconServices,
  request: { principal: Principal; id: string },
  { found }: ObservedDatasets,
  page: PageOfCases,
): Promise<void> {
  const named = found.filter(({ withCases }) => withCases);
  const cases = new Set(named.flatMap(({ observation }) => casesNamed(observation, page)));
  await recording.observed(request, { datasets: found, cases: [...cases], alleles: 1 });
}

function jsonAnswer(
  { assembly, question, found }: ObservedDatasets,
  page: PageOfCases,
  levels: readonly number[],
  decomposed: ReadonlyMap<string, Decomposed | string>,
) {
  const observations = found.map((counted) =>
    detailedAnswer(counted, question, counted.withCases ? page : undefined, levels, decomposed.get(counted.dataset.id)),
  );
  return { assembly, allele: writtenQuestion(question), observations };
}

/** Variants drawn around a structural one. */
const mostNeighbours = 10;
/** Bases around a structural variant, at least. */
const leastReach = 1000;

/** Adds what the page draws: structural variants up to five windows away. Breakends and insertions have no extent to draw. */
async function withNeighbours(
  { repository }: BeaconServices,
  lookedUp: ObservedDatasets,
  signal: AbortSignal,
): Promise<ObservationsPage> {
  const { question, found } = lookedUp;
  if (question.type === 'sequence' || question.mate !== undefined || isInsertion(question.kind)) {
    return { ...lookedUp, neighbours: [] };
  }
  const neighbours = [];
  for (const { dataset, shared } of found) {
    // Others share only counts of the requested variants.
    if (shared) {
      neighbours.push([]);
      continue;
    }
    const reach = Math.max(5 * windowOf(question, windowOfDataset(dataset)), leastReach);
    neighbours.push(await repository.nearby(dataset.id, question, { reach, limit: mostNeighbours, signal }));
  }
  return { ...lookedUp, neighbours };
}

// `POST /observations/batch`: how often each of many alleles was seen.

const mostAlleles = 10_000;
/** Bytes: 10,000 alleles as objects, with room for long insertions. */
const limit = 8 * 1024 ** 2;

/** Checked one by one, so that an error names the place of its allele in the list. */
const batchItem = z.unknown().meta({
  anyOf: [{ type: 'string', description: describedWords.allele }, z.toJSONSchema(wordsInJson, { io: 'input' })],
});

const batchRequest = z.strictObject({
  assembly: z
    .string()
    .max(50)
    .optional()
    .describe('As in `GET /observations`: may be omitted if datasets of one assembly are named.'),
  datasets: z
    .array(z.string().max(200))
    .max(1000)
    .default([])
    .describe('Datasets to look in; all that the caller may observe if omitted or empty.'),
  threshold: z.int().min(1).max(10_000).optional().describe(describedThreshold),
  alleles: z
    .array(batchItem)
    .max(mostAlleles, `must have no more than ${mostAlleles} alleles`)
    .describe('Alleles and structural variants, each as one word or as an object.'),
});

function batchRoute(services: BeaconServices): RouteDeclaration {
  const { observing, observeAccess, recording } = services;
  const { heteroplasmy } = services.settings.observations;
  return route({
    method: 'POST',
    path: '/observations/batch',
    operation: 'observeBatch',
    class: 'report',
    summary: 'Look up how often each of up to 10,000 alleles was seen',
    description:
      'As `GET /observations`, for many alleles at once and without the cases. All counts are as of one moment, except those ' +
      'of datasets that other tenants share. If any allele is not valid nothing is looked up, and the error names its place in the list, counted from 0.',
    access: observeAccess,
    query: z.strictObject({}),
    body: { types: [jsonType], schema: batchRequest, limit },
    answers: {
      200: { description: 'What was seen, in the order of the request.', content: { [jsonType]: batchBody } },
    },
    async handle({ body: asked, principal, id, signal }) {
      const assembly = await assemblyAsked(services, principal, asked);
      const questions = questionsOf(asked.alleles, assembly);
      const open = await observing.named(principal, assembly, asked.datasets);
      const found = await observing.count(open, assembly, questions, { threshold: asked.threshold, signal });
      const observations = found.map((all, i) =>
        all.map((counted) => observationAnswer(counted, questions[i] as ObservedQuestion, heteroplasmy)),
      );
      await recording.observed({ principal, id }, { datasets: open, cases: [], alleles: questions.length });
      return { body: { assembly, observations } };
    },
  });
}

const mostFields = 100;

function questionsOf(alleles: readonly unknown[], assembly: Assembly): ObservedQuestion[] {
  const fields: FieldFault[] = [];
  const questions: ObservedQuestion[] = [];
  for (const [i, allele] of alleles.entries()) {
    try {
      questions.push(questionOfItem(allele, assembly));
    } catch (error) {
      if (!isFault(error)) throw error;
      fields.push({ path: `alleles.${i}`, message: error.message });
      if (fields.length === mostFields) break;
    }
  }
  const [first, ...others] = fields;
  if (first === undefined) return questions;
  const more = others.length === 0 ? '' : `; and ${others.length} more`;
  throw new Fault('invalid', `${first.path}: ${first.message}${more}`, { fields });
}

function questionOfItem(allele: unknown, assembly: Assembly): ObservedQuestion {
  if (typeof allele === 'string') return sequenceQuestionOf(allele, assembly);
  const words = wordsInJson.safeParse(allele, { error: wording });
  if (words.success) return questionOfWords(words.data, assembly);
  const [issue] = words.error.issues;
  if (issue === undefined || issue.path.length === 0) {
    throw new Fault('invalid', issue?.code === 'unrecognized_keys' ? issue.message : 'must be text or an object');
  }
  throw new Fault('invalid', `${issue.path.map(String).join('.')}: ${issue.message}`);
}
