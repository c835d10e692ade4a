/** `GET /observations`: how often, in whom and out of how many one allele was seen; as JSON or as a page. */
import { z } from 'zod';
import { isFault, negotiated, type Principal, type RouteDeclaration, route } from '../../../../../core/plugin.js';
import { isInsertion, windowOf } from '../../../contract.js';
import { observationsPath } from '../../../pages/observation-link.js';
import { pathBefore } from '../../../server-address.js';
import type { BeaconServices } from '../../../services.js';
import { casesNamed, detailedAnswer, jsonType, type PageOfCases, singleAnswer, singleBody } from '../answers.js';
import { type LookedUp, lookUp } from '../look-up.js';
import type { Outcome, Shown } from '../page/result.js';
import { observationPage } from '../page/view.js';
import { mostOf } from '../rule.js';
import { describedThreshold, describedWords } from '../words.js';

const pageType = 'text/html';

const text = (description: string) => z.string().trim().max(100_000).optional().meta({ description });
const whole = (description: string) => z.string().trim().max(20).optional().meta({ type: 'integer', description });

const query = z.strictObject({
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
  limit: z.coerce.number().int().min(0).max(1000).default(50).describe('Maximum number of cases in `seenIn`.'),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0).describe('Cases to skip in `seenIn`.'),
});

export function singleRoute(services: BeaconServices): RouteDeclaration {
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
    query,
    answers: {
      200: {
        description: 'What was seen in each dataset.',
        content: { [jsonType]: singleBody, [pageType]: z.string() },
      },
    },
    async handle(request) {
      const headers = { Vary: 'Accept' };
      const { assembly, dataset, threshold, limit, offset, ...allele } = request.input;
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
        return { headers, body: jsonAnswer(await find(), { limit, offset }) };
      }
      const isAsked = Object.values(allele).some((word) => word !== undefined && word !== '');
      const body = observationPage({
        beacon: settings.name,
        cases: { limit, offset },
        caseUrl: settings.observations.caseUrl,
        datasets: (await services.observing.all(request.principal)).map(({ dataset }) => dataset),
        sent: request.query,
        outcome: isAsked
          ? await outcomeOf(async () => withNeighbours(services, await find(), request.signal))
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
  { found }: LookedUp,
  page: PageOfCases,
): Promise<void> {
  const named = found.filter(({ withCases }) => withCases);
  const cases = new Set(named.flatMap(({ observation }) => casesNamed(observation, page)));
  await recording.observed(request, { datasets: found, cases: [...cases], alleles: 1 });
}

function jsonAnswer({ assembly, question, found }: LookedUp, page: PageOfCases) {
  const observations = found.map((counted) => detailedAnswer(counted, question, counted.withCases ? page : undefined));
  return singleAnswer(assembly, question, observations);
}

/** Variants drawn around a structural one. */
const mostNeighbours = 10;
/** Bases around a structural variant, at least. */
const leastReach = 1000;

/** Adds what the page draws: structural variants up to five windows away. Breakends and insertions have no extent to draw. */
async function withNeighbours({ repository }: BeaconServices, lookedUp: LookedUp, signal: AbortSignal): Promise<Shown> {
  const { question, found } = lookedUp;
  if (question.type === 'sequence' || question.mate !== undefined || isInsertion(question.kind)) {
    return { ...lookedUp, neighbours: [] };
  }
  const neighbours = [];
  for (const { dataset, shared } of found) {
    // What others share are counts of what is asked for.
    if (shared) {
      neighbours.push([]);
      continue;
    }
    const reach = Math.max(5 * windowOf(question, mostOf(dataset)), leastReach);
    neighbours.push(await repository.nearby(dataset.id, question, { reach, limit: mostNeighbours, signal }));
  }
  return { ...lookedUp, neighbours };
}

/** An invalid request is an outcome, which the page shows; any other failure is thrown. */
async function outcomeOf(find: () => Promise<Shown>): Promise<Outcome> {
  try {
    return await find();
  } catch (error) {
    if (isFault(error) && (error.code === 'invalid' || error.code === 'unprocessable')) return { error: error.message };
    throw error;
  }
}
