/** `POST /observations/batch`: how often each of many alleles was seen. */
import { z } from 'zod';
import { Fault, type FieldFault, isFault, type RouteDeclaration, route, wording } from '../../../../../core/plugin.js';
import type { Assembly, ObservedQuestion } from '../../../contract.js';
import { sequenceQuestionOf } from '../../../domain/question.js';
import type { BeaconServices } from '../../../services.js';
import { batchBody, jsonType, observationAnswer } from '../answers.js';
import { assemblyAsked } from '../look-up.js';
import { describedThreshold, describedWords, questionOf, wordsInJson } from '../words.js';

const mostAlleles = 10_000;
/** Bytes: 10,000 alleles as objects, with room for long insertions. */
const limit = 8 * 1024 ** 2;

/** Checked one by one, so that an error names the place of its allele in the list. */
const item = z.unknown().meta({
  anyOf: [{ type: 'string', description: describedWords.allele }, z.toJSONSchema(wordsInJson, { io: 'input' })],
});

const body = z.strictObject({
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
    .array(item)
    .max(mostAlleles, `must have no more than ${mostAlleles} alleles`)
    .describe('Alleles and structural variants, each as one word or as an object.'),
});

export function batchRoute(services: BeaconServices): RouteDeclaration {
  const { observing, observeAccess, recording } = services;
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
    body: { types: [jsonType], schema: body, limit },
    answers: {
      200: { description: 'What was seen, in the order of the request.', content: { [jsonType]: batchBody } },
    },
    async handle({ body: asked, principal, id, signal }) {
      const assembly = await assemblyAsked(services, principal, asked);
      const questions = questionsOf(asked.alleles, assembly);
      const open = await observing.named(principal, assembly, asked.datasets);
      const found = await observing.count(open, assembly, questions, { threshold: asked.threshold, signal });
      const observations = found.map((all, i) =>
        all.map((counted) => observationAnswer(counted, questions[i] as ObservedQuestion)),
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
      questions.push(questionIn(allele, assembly));
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

function questionIn(allele: unknown, assembly: Assembly): ObservedQuestion {
  if (typeof allele === 'string') return sequenceQuestionOf(allele, assembly);
  const words = wordsInJson.safeParse(allele, { error: wording });
  if (words.success) return questionOf(words.data, assembly);
  const [issue] = words.error.issues;
  if (issue === undefined || issue.path.length === 0) {
    throw new Fault('invalid', issue?.code === 'unrecognized_keys' ? issue.message : 'must be text or an object');
  }
  throw new Fault('invalid', `${issue.path.map(String).join('.')}: ${issue.message}`);
}
