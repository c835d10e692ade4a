/** `POST /match`: searches the stored patients for those similar to the query. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type FieldFault, JsonText, jsonOf, type RouteDeclaration, route } from '../../../core/plugin.js';
import type { Acting } from '../audit/trail.js';
import { type MatchedPatient, type Patient, type StoredPatient, thisNode } from '../contract.js';
import { lastOutgoing } from '../exchange/outgoing.js';
import type { GeneTable } from '../genes/gene-table.js';
import { mediaFirst } from '../http/access.js';
import { documented, patientAnswer, warnings as remarked, stated, statements, unlessEmpty } from '../http/answers.js';
import { bodyAnswers } from '../http/errors.js';
import { requiredBody } from '../http/input.js';
import { answerType, bodyTypes, json, vendorTypes } from '../http/media.js';
import type { PatientMatches } from '../mail/notices.js';
import type { Found } from '../matches/search.js';
import { purposeOf } from '../patient/extensions.js';
import { presented, warningsOf } from '../patient/present.js';
import { readQuery } from '../patient/query.js';
import { submissionSchema } from '../patient/schema.js';
import type { MatchmakerServices } from '../services.js';
import { type Recording, recorder } from './recording.js';

const answer = z.strictObject({
  ...stated,
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
          .array(
            z.object({
              query: z.string(),
              patient: z.string(),
              counts: z.union([z.literal(1), z.literal(0.5)]).describe('0.5 if one disease is a step broader.'),
              way: z
                .array(
                  z.object({
                    id: z.string(),
                    relation: z
                      .enum(['exact', 'broader', 'narrower'])
                      .optional()
                      .describe('Of this id to the one before: the same disease, or a broader or narrower one.'),
                  }),
                )
                .describe("The ids from the query's to the patient's, as MONDO maps them."),
            }),
          )
          .optional()
          .describe('Disorders of which query and patient state different ids.'),
      }),
      patient: patientAnswer,
    }),
  ),
  _warnings: remarked.optional(),
});

export function matchRoute({
  settings,
  access,
  resources,
  search,
  stored: storedPatient,
  notices: write,
  mail,
  trail,
  triage,
  now,
}: MatchmakerServices): RouteDeclaration {
  const record = recorder(trail, mail);
  const shown = lastOutgoing();

  /** What is recorded, with the patients that are answered. */
  async function recordingOf(
    answered: Answered,
    by: Acting,
    genes: GeneTable,
  ): Promise<Recording & { results: MatchedPatient[] }> {
    const { patient, own, asker, matches } = answered;
    const results = matches.map((match) => ({ score: match.score, patient: shown(match.patient, genes) }));
    const patients = results.map((result) => result.patient.id);
    const query = { id: patient.id, isStored: own !== undefined };
    return {
      results,
      match: {
        id: randomUUID(),
        created: now(),
        type: 'internal',
        direction: 'incoming',
        asker,
        number: own?.number,
        patient: presented(patient, genes),
        results: results.length === 0 ? [] : [{ node: thisNode, patients: results }],
        errors: [],
        matchedGenes: answered.genes,
      },
      traces: patients.length === 0 ? [] : [{ by, action: 'match', patients, query, purpose: purposeOf(patient) }],
      notices: await write(findingsOf(answered)),
      sightings: triage?.sightings.here(answered) ?? [],
    };
  }

  return route({
    method: 'POST',
    path: '/match',
    operation: 'match',
    summary: 'Search stored patients for those similar to the query',
    description:
      'Returns at most MAX_RESULTS patients with a score of at least SCORE_THRESHOLD and above 0, best first, ties by id. ' +
      'The query is kept in the record of its matches only. An empty `contact.name`, an empty `gene.id` and empty ' +
      'optional members, which other servers send, are accepted and reported in `_warnings`.',
    access: mediaFirst(access.query.access),
    body: { types: bodyTypes, schema: documented(submissionSchema) },
    answers: {
      200: {
        description: 'Matching patients with their scores.',
        content: Object.fromEntries([...vendorTypes, json].map((type) => [type, answer])),
      },
      ...bodyAnswers,
    },
    async handle(request) {
      const { patient, warnings, asSent } = readQuery(requiredBody(request.body));
      const inUse = resources();
      const { by, owner, all } = await access.query.reachOf(request);
      const searching = (async () => {
        const [found, stored] = await Promise.all([
          search(patient, { asker: owner, signal: request.signal }),
          storedPatient(patient.id, request.signal),
        ]);
        // A patient of another owner with this id is a different patient.
        const own = stored && (all || stored.owner === owner) ? stored : undefined;
        return recordingOf({ patient, own, asker: owner, ...found }, by, inUse.genes);
      })();
      // Told before it ends: others wait for it a little, to share its transaction.
      await record(searching);
      const { results } = await searching;
      const remarks = [...warnings, ...warningsOf(patient, inUse).map(asSent)];
      return {
        type: answerType(request),
        headers: { Vary: 'Accept, Content-Type' },
        body: answerText(statements(settings), results, unlessEmpty(remarks)),
      };
    },
  });
}

/** The text of each score and patient is made once for the answer and the record, that of a patient for many answers. */
function answerText(
  stated: ReturnType<typeof statements>,
  results: readonly MatchedPatient[],
  warnings: readonly FieldFault[] | undefined,
): JsonText {
  const found = results.map(({ score, patient }) => `{"score":${jsonOf(score)},"patient":${jsonOf(patient)}}`);
  const members = [
    JSON.stringify(stated).slice(1, -1),
    `"results":[${found.join(',')}]`,
    warnings === undefined ? '' : `"_warnings":${JSON.stringify(warnings)}`,
  ];
  return new JsonText(`{${members.filter((member) => member !== '').join(',')}}`);
}

interface Answered extends Found {
  /** The query. */
  patient: Patient;
  /** The stored patient of this id, if it belongs to the caller. */
  own: StoredPatient | undefined;
  asker: string;
}

/** Matches to report to the submitters of the patients that were found and, if the query is stored here, to its own. */
function findingsOf({ patient, own, asker, matches }: Answered): PatientMatches[] {
  if (patient.test === true) return [];
  // A stored patient has the same name whether it was the query or was found: each pair is reported once.
  const node = own ? thisNode : { id: asker, label: asker };
  const others = matches.filter(({ number }) => number !== own?.number);
  const findings: PatientMatches[] = others.map(({ patient: found, score }) => ({
    patient: found,
    matches: [{ node, found: { patient, score } }],
  }));
  if (own) findings.push({ patient: own.patient, matches: others.map((found) => ({ node: thisNode, found })) });
  return findings;
}
