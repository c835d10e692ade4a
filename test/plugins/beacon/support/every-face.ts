/** One question through every face that can ask it, over HTTP. */

import { issueToken } from '../../../../core/auth/access.js';
import { request } from '../../../support/http.js';
import { type Asked, overHttp } from './model.js';
import type { Parameters } from './random-vcf.js';
import type { Beacon, Json } from './serve.js';

/** How many questions each face was asked. */
export type Questions = Record<'v1' | 'v1.1' | 'v2' | 'observations', number>;

export interface EveryFace extends Asked {
  questions: Questions;
}

/** What a face says of a dataset: whether it has the allele, and in how many samples. */
interface Told {
  exists: boolean;
  samples: number;
}

interface Left {
  of: { notCalled: number; samples: number };
}

/** Undefined if the face cannot ask the question. */
type Face = (dataset: string, parameters: Parameters) => Promise<Told | undefined>;

/** Answers with what v1 says, or with a sentence if another face says something else. */
export async function throughEveryFace(beacon: Beacon): Promise<EveryFace> {
  const scopes = ['beacon:read', 'beacon:observe', 'beacon:cases'];
  const { token } = await issueToken(beacon.tokens, { owner: 'Lab', scopes }, new Date());
  const get = (path: string, query: Record<string, string>) => request(beacon.url + path, { query, token });
  const v1 = overHttp(beacon);
  const observed = observations(get);
  const others = { 'v1.1': v11(get), v2: v2(get), observations: observed };
  const questions: Questions = { v1: 0, 'v1.1': 0, v2: 0, observations: 0 };
  return {
    ...v1,
    questions,
    uncalled: async (id, parameters) => (await observed(id, parameters))?.of,
    async ask(id, parameters) {
      const answer = await v1.ask(id, parameters);
      questions.v1++;
      const samples = typeof answer === 'object' ? (answer as Told).samples : 0;
      for (const [name, face] of Object.entries(others) as [keyof typeof others, Face][]) {
        const told = await face(id, parameters);
        if (!told) continue;
        questions[name]++;
        if (told.exists !== samples > 0 || told.samples !== samples)
          return `${name} says ${JSON.stringify(told)}, and v1 ${JSON.stringify(answer)}`;
      }
      return answer;
    },
  };
}

type Get = (path: string, fields: Record<string, string>) => Promise<{ status: number; body: Json }>;

/** Strict: it refuses bases in lower case and combinations of parameters that v1 accepts. */
function v11(get: Get): Face {
  return async (id, parameters) => {
    const { status, body } = await get('/beacon/v1/query', {
      ...texts(parameters),
      datasetIds: id,
      includeDatasetResponses: 'ALL',
    });
    if (status === 400) return undefined;
    const [found] = body.datasetAlleleResponses as Json[];
    return { exists: found?.exists === true, samples: Number(found?.sampleCount ?? 0) };
  };
}

/**
 * Alleles by their bases; and brackets of single and multiple bases, since the stretch that these replace is the one that v1 asks
 * for. Of other kinds v2 leaves out the base before the event.
 */
function v2(get: Get): Face {
  return async (id, parameters) => {
    const { assemblyId, referenceName, start, end, referenceBases, alternateBases, variantType, mateName } = parameters;
    const { startMin, startMax, endMin, endMax } = parameters;
    const place = { assemblyId: String(assemblyId), referenceName: String(referenceName) };
    const isBracket = [startMin, startMax, endMin, endMax].every((bound) => bound !== undefined);
    let asked: Record<string, string>;
    if (start !== undefined && end === undefined && mateName === undefined && variantType === undefined) {
      const bases = { referenceBases: String(referenceBases), alternateBases: String(alternateBases) };
      if (!Object.values(bases).every((text) => /^[ACGT]+$/i.test(text))) return undefined;
      asked = { ...place, start: String(start), ...bases };
    } else if (isBracket && (variantType === 'SNV' || variantType === 'MNP') && alternateBases === undefined) {
      if (referenceBases !== 'N') return undefined;
      const between = (min: unknown, max: unknown) => `${min},${Number(max) + 1}`;
      const bounds = { start: between(startMin, startMax), end: between(endMin, endMax) };
      asked = { ...place, ...bounds, variantType: String(variantType) };
    } else return undefined;
    const { status, body } = await get('/beacon/v2/g_variants', {
      ...asked,
      datasetIds: id,
      requestedGranularity: 'record',
      limit: '1000',
    });
    if (status !== 200)
      throw new Error(`v2 answers ${status} ${JSON.stringify(body.error)} to ${JSON.stringify(asked)}`);
    const { resultSets } = body.response as { resultSets: { results: { caseLevelData?: Json[] }[] }[] };
    const cases = resultSets.flatMap(({ results }) => results.flatMap(({ caseLevelData = [] }) => caseLevelData));
    const { exists } = body.responseSummary as { exists: boolean };
    return { exists, samples: new Set(cases.map(({ biosampleId }) => biosampleId)).size };
  };
}

/** Alleles of plain bases. */
function observations(get: Get): (dataset: string, parameters: Parameters) => Promise<(Told & Left) | undefined> {
  return async (id, { assemblyId, referenceName, start, end, referenceBases, alternateBases, ...others }) => {
    const isOne = start !== undefined && end === undefined && Object.keys(others).length === 0;
    const bases = [String(referenceBases), String(alternateBases)];
    if (!isOne || !bases.every((text) => /^[ACGT]+$/i.test(text))) return undefined;
    const allele = [referenceName, Number(start) + 1, ...bases].join('-');
    const { status, body } = await get('/observations', { assembly: String(assemblyId), allele, dataset: id });
    if (status === 400) return undefined; // beyond the end of the chromosome
    if (status !== 200) throw new Error(`observations answers ${status} to ${allele}`);
    const [found] = body.observations as { carriers: number; notCalled: number; of: { samples: number } }[];
    const carriers = Number(found?.carriers);
    const of = { notCalled: Number(found?.notCalled), samples: Number(found?.of.samples) };
    return { exists: carriers > 0, samples: carriers, of };
  };
}

function texts(parameters: Parameters): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
}
