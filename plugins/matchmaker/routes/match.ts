/** `POST /match`: the stored patients that are most like the one sent. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { matchmakerAudit, matchmakerMatches, type Patient, type StoredPatient } from '../contract.js';
import { outgoing } from '../exchange/outgoing.js';
import { mediaFirst } from '../http/access.js';
import { documented, patientAnswer, warnings as remarked, stated, statements } from '../http/answers.js';
import { bodyAnswers } from '../http/errors.js';
import { answerType, bodyTypes, json, vendorTypes } from '../http/media.js';
import type { Node } from '../http/node.js';
import { sentBody } from '../http/sent.js';
import { type Finding, post } from '../mail/notices.js';
import type { Found } from '../matches/search.js';
import { thisNode } from '../nodes/this-node.js';
import { presented, warningsOf } from '../patient/present.js';
import { readQuery } from '../patient/query.js';
import { submissionSchema } from '../patient/schema.js';

const answer = z.strictObject({
  ...stated,
  results: z.array(
    z.strictObject({
      score: z.looseObject({
        patient: z.number().min(0).max(1),
        _genotype: z.number().min(0).max(1),
        _phenotype: z.number().min(0).max(1),
      }),
      patient: patientAnswer,
    }),
  ),
  _warnings: remarked.optional(),
});

export function matchRoute(node: Node): RouteDeclaration {
  return route({
    method: 'POST',
    path: '/match',
    operation: 'match',
    summary: 'The stored patients that are most like the one sent',
    description:
      'At most MAX_RESULTS patients, none that scores below SCORE_THRESHOLD or shares nothing, best first and ties by ' +
      'id. The patient is not stored, but for the record of what was found. An empty `contact.name`, an empty `gene.id` ' +
      'and empty optional members, which other servers send, are accepted and named in `_warnings`.',
    access: mediaFirst(node.access.query),
    body: { types: bodyTypes, schema: documented(submissionSchema) },
    answers: {
      200: {
        description: 'Patients and their scores.',
        content: Object.fromEntries([...vendorTypes, json].map((type) => [type, answer])),
      },
      ...bodyAnswers,
    },
    async handle(request) {
      const { patient, warnings, asSent } = readQuery(sentBody(request.body));
      const resources = node.resources();
      const { genes } = resources;
      const { owner, all } = await node.access.writerOf(request.principal);
      const found = await node.search(patient, { asker: owner, signal: request.signal });
      const results = found.matches.map((match) => ({ score: match.score, patient: outgoing(match.patient, genes) }));
      // Another owner's patient of this id is another patient.
      const stored = await node.patients.patient(patient.id);
      const own = stored && (all || stored.owner === owner) ? stored : undefined;
      const at = node.now();
      const notices = await node.notices(findingsOf({ patient, own, asker: owner, matches: found.matches }));
      const told = await node.transaction(async (scope) => {
        await scope.repository(matchmakerMatches).add({
          id: randomUUID(),
          created: at,
          type: 'internal',
          direction: 'incoming',
          asker: owner,
          ...(own && { number: own.number }),
          patient: presented(patient, genes),
          results: results.length === 0 ? [] : [{ node: thisNode, patients: results }],
          errors: [],
          matchedGenes: found.genes,
        });
        if (results.length === 0) return false;
        const seen = { at, actor: owner, action: 'match' as const, query: patient.id };
        await scope.repository(matchmakerAudit).add(results.map((result) => ({ ...seen, patient: result.patient.id })));
        return post(scope, notices);
      });
      if (told) node.mail.wake();
      const remarks = [...warnings, ...warningsOf(patient, resources).map(asSent)];
      return {
        type: answerType(request),
        headers: { Vary: 'Accept, Content-Type' },
        body: { ...statements(node.settings), results, ...(remarks.length === 0 ? {} : { _warnings: remarks }) },
      };
    },
  });
}

interface Answered {
  /** The query. */
  patient: Patient;
  /** The query as it is stored here, where it is the asker's own. */
  own: StoredPatient | undefined;
  asker: string;
  matches: Found['matches'];
}

/** For those who submitted what was found, and for who submitted the query if it is stored here. */
function findingsOf({ patient, own, asker, matches }: Answered): Finding[] {
  if (patient.test === true) return [];
  // The submitter's, also where an administrator asks: by that name a patient is forgotten when it is deleted.
  const name = own?.owner ?? asker;
  const node = { id: name, label: name };
  const others = matches.filter(({ number }) => number !== own?.number);
  const findings = others.map(({ patient: found, score }): Finding => {
    return { patient: found, matches: [{ node, found: { patient, score } }] };
  });
  if (own) findings.push({ patient: own.patient, matches: others.map((found) => ({ node: thisNode, found })) });
  return findings;
}
