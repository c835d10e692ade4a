/**
 * `POST /match`, stage by stage: the query is read and mended; whose patients the client may see; the most similar stored
 * patients; the record of the search, with mails to submitters and sightings for triage; and the response.
 */
import { z } from 'zod';
import { sendsMail } from '../../../core/outgoing.js';
import { type FieldFault, JsonText, jsonOf, type RouteDeclaration, route } from '../../../core/plugin.js';
import type { MatchedPatient } from '../contract.js';
import {
  alsoSharingAnswer,
  answerType,
  bodyAnswers,
  bodyTypes,
  documentedSchema,
  json,
  patientAnswer,
  warningsAnswer as remarked,
  requiredBody,
  statements,
  statementsAnswer,
  unlessEmpty,
  vendorTypes,
} from '../exchange/protocol.js';
import { recorder, recordingOfSearch } from '../exchange/searches.js';
import { searchFindings } from '../mail/notices.js';
import { lastOutgoing, warningsOfPatient } from '../patients/presentation.js';
import { readQuery, submissionSchema } from '../patients/reading.js';
import type { MatchmakerServices } from '../services.js';
import { mediaFirst } from './access.js';

const wayStep = z
  .object({ id: z.string(), relation: z.enum(['exact', 'broader', 'narrower']).optional() })
  .describe(
    'The next id in the mappings of MONDO: of the same disease as the one before, or of a broader or narrower one.',
  );

const matchAnswer = z.strictObject({
  ...statementsAnswer,
  results: z.array(
    z.strictObject({
      score: z.looseObject({
        patient: z.number().min(0).max(1),
        _genotype: z.number().min(0).max(1),
        _phenotype: z.number().min(0).max(1),
        _reading: z
          .object({ higherThan: z.number(), pairs: z.number(), patients: z.number() })
          .optional()
          .describe(
            '`higherThan` percent of `pairs` random pairs of the `patients` of this node have a lower score. Absent ' +
              'with fewer than 50 patients.',
          ),
        _relatedDisorders: z
          .array(z.object({ query: z.string(), patient: z.string(), counts: z.number(), way: z.array(wayStep) }))
          .optional()
          .describe('Disorders for which the patients state different ids; `counts` is 0.5 if one is a step broader.'),
        _geneFirst: z
          .literal(true)
          .optional()
          .describe(
            'The patient shares a gene and would not be among the results by `_genotype` and `_phenotype` alone: its ' +
              'score is raised to that of the best patient left out.',
          ),
      }),
      patient: patientAnswer,
    }),
  ),
  _alsoSharing: alsoSharingAnswer,
  _alsoSharingPatients: z
    .array(z.string())
    .optional()
    .describe(
      'The ids of those that the caller may see, its own apart from tests, or all; without those whose genes more than ' +
        '1 % of the patients list, and lists of more than ten genes.',
    ),
  _warnings: remarked.optional(),
});

export function matchRoute({
  settings,
  access,
  resources,
  search,
  leftOut,
  stored: storedPatient,
  notices: write,
  mail,
  trail,
  triage,
  now,
}: MatchmakerServices): RouteDeclaration {
  const record = recorder(trail, mail);
  const shown = lastOutgoing();

  return route({
    method: 'POST',
    path: '/match',
    operation: 'match',
    summary: 'Search stored patients for those similar to the query',
    description:
      'Returns at most MAX_RESULTS patients with a score of at least SCORE_THRESHOLD and above 0, best first, ties by id. ' +
      'If the query has genes, ⌊MAX_RESULTS × `plugins.matchmaker.geneShare`⌋ of the places (2 of 5 by default) go first ' +
      'to the best patients that share one. A patient that is among the results for that reason only has `_geneFirst`, ' +
      'and the score of the best patient left out. ' +
      'The query is kept in the record of its matches only. An empty `contact.name`, an empty `gene.id` and empty ' +
      'optional members, which other servers send, are accepted and reported in `_warnings`.',
    access: mediaFirst(access.query.access),
    body: { types: bodyTypes, schema: documentedSchema(submissionSchema) },
    answers: {
      200: {
        description: 'Matching patients with their scores.',
        content: Object.fromEntries([...vendorTypes, json].map((type) => [type, matchAnswer])),
      },
      ...bodyAnswers,
    },
    async handle(request) {
      const { patient, warnings, asSent } = readQuery(requiredBody(request.body));
      const inUse = resources();
      const { by, owner, all } = await access.query.reachOf(request);
      const searching = (async () => {
        // Patients of other owners matter only to mails to their submitters, and to a caller that may see all.
        const tells = sendsMail(settings.mail) && patient.test !== true;
        const isNamed = (one: string | undefined) => tells || all || one === owner;
        const asked = { asker: owner, signal: request.signal, isNamed };
        const [found, stored] = await Promise.all([search(patient, asked), storedPatient(patient.id, request.signal)]);
        // A patient of another owner with this id is a different patient.
        const own = stored && (all || stored.owner === owner) ? stored : undefined;
        const { genes } = inUse;
        const results = found.matches.map((match) => ({ score: match.score, patient: shown(match.patient, genes) }));
        const answered = { ...found, patient, own, asker: owner };
        const told = tells ? await leftOut(patient, found, asked) : [];
        return {
          ...recordingOfSearch(answered, results, { by, genes, created: now(), matchedGenes: found.genes }),
          notices: await write(searchFindings(answered, told)),
          sightings: triage?.sightings.here(answered) ?? [],
          ...{ found, results },
        };
      })();
      // Announced before it ends: other searches wait for it a little, to share its transaction.
      await record(searching);
      const { results, found } = await searching;
      // The index has no owner of tests.
      const seen = found.leftOut.filter((one) => all || one.owner === owner);
      const further = { alsoSharing: found.alsoSharing, seen: seen.map(({ id }) => id) };
      const remarks = [...warnings, ...warningsOfPatient(patient, inUse).map(asSent)];
      return {
        type: answerType(request),
        headers: { Vary: 'Accept, Content-Type' },
        body: answerText(statements(settings), results, further, unlessEmpty(remarks)),
      };
    },
  });
}

/** The text of each score and patient is made once for the answer and the record, that of a patient for many answers. */
function answerText(
  stated: ReturnType<typeof statements>,
  results: readonly MatchedPatient[],
  { alsoSharing, seen }: { alsoSharing: number; seen: readonly string[] },
  warnings: readonly FieldFault[] | undefined,
): JsonText {
  const found = results.map(({ score, patient }) => `{"score":${jsonOf(score)},"patient":${jsonOf(patient)}}`);
  const members = [
    JSON.stringify(stated).slice(1, -1),
    `"results":[${found.join(',')}]`,
    alsoSharing === 0 ? '' : `"_alsoSharing":${alsoSharing}`,
    seen.length === 0 ? '' : `"_alsoSharingPatients":${JSON.stringify(seen)}`,
    warnings === undefined ? '' : `"_warnings":${JSON.stringify(warnings)}`,
  ];
  return new JsonText(inAscii(`{${members.filter((member) => member !== '').join(',')}}`));
}

/** Other letters as `\u00e5`: PhenomeCentral and matchbox decode bytes of the exchange's media type, but not as UTF-8. */
function inAscii(text: string): string {
  if (Buffer.byteLength(text) === text.length) return text;
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
