/** `/cases`: how many there are, and one of them; with a token, loading and deleting one. */
import { z } from 'zod';
import { naming, type Source } from '../../../../core/files.js';
import { Fault, type Holding, isFault, type RouteDeclaration, route } from '../../../../core/plugin.js';
import { quoted } from '../../domain/written-question.js';
import { createRunInOrder } from '../../loading/jobs.js';
import { permitting } from '../../loading/permit.js';
import { mustWrite } from '../../rights.js';
import type { BeaconServices } from '../../services.js';
import { missingRule, missingWords, recordFilterOf } from '../../vcf/rules.js';
import { caseDocument, countCases, countsDocument, documentOfCase, samplesOfCase } from '../documents.js';
import { type LoadedCase, loadCase, matchText, profileMatches } from '../load.js';
import { commonErrors, declaredError, jsonType, type LoqusdbFace, parameters } from './face.js';

const oneCase = z.object({ id: z.string().describe('Id of the case.') });

const vcfFile = (description: string) =>
  z
    .string()
    .min(1)
    .optional()
    .meta(naming(['path', 'object'], description));

const loadParameters = parameters({
  snv_file: vcfFile('VCF file with small variants, below one of the configured roots.'),
  sv_file: vcfFile('VCF file with structural variants.'),
  missing_gt: z
    .enum(missingWords)
    .optional()
    .describe('Genotypes that were not called: unknown (default) or carrier; only in files of one sample.'),
  missing_gq: z.enum(missingWords).optional().describe('Genotypes without GQ: unknown (default) or carrier.'),
  profile_file: vcfFile(
    'VCF file of the individuals. If one of them is similar to one of the database (95 % of the genotypes), nothing is loaded.',
  ),
});

/** The smallest similarity of two people who are taken for one, as in loqusdb. */
const sameProfile = 0.95;

/** A text as JSON: loqusdb sends some errors without `detail`. */
const sentence = (description: string) => ({ description, content: { [jsonType]: z.string() } });

const tokenErrors = {
  401: declaredError('The token is missing or not valid.'),
};

/** Names stay out of headers. */
function warningOf({ comparison }: LoadedCase): { headers?: Record<string, string> } {
  const kinds = comparison?.findings.map(({ kind }) => kind.replaceAll('-', ' ')) ?? [];
  if (kinds.length === 0) return {};
  const warning = `Comparisons with other samples that do not fit: ${kinds.length} (${[...new Set(kinds)].join(', ')})`;
  return { headers: { Warning: `299 - "${warning}"` } };
}

export function caseRoutes({ path, dataset, recording }: LoqusdbFace, services: BeaconServices): RouteDeclaration[] {
  const { settings, named, repository, erasures, generations, depthTools, references, policy, writeAccess, now } =
    services;
  // Two concurrent requests for one case: each finds that the other has not loaded it yet.
  const inOrder = createRunInOrder();

  async function opened(path: string, dataset: string, holding: Holding): Promise<Source> {
    return named.open(path, dataset, holding).catch((cause) => {
      throw new Fault('not-acceptable', 'Input file path does not exist', { cause });
    });
  }

  return [
    route({
      method: 'GET',
      path: path('/cases'),
      operation: 'loqusdbCases',
      summary: 'The number of cases',
      query: parameters({}),
      answers: {
        ...commonErrors,
        200: { description: 'Cases with either kind of variants.', content: { [jsonType]: countsDocument } },
        404: declaredError('The requested database is not configured.'),
      },
      async handle(request) {
        const { snv, sv } = await countCases(repository, (await dataset(request)).id);
        return { body: { nr_cases_snvs: snv, nr_cases_svs: sv } };
      },
    }),
    route({
      method: 'GET',
      path: path('/cases/:id'),
      operation: 'loqusdbCase',
      summary: 'One case with its individuals',
      params: oneCase,
      query: parameters({}),
      answers: {
        ...commonErrors,
        200: { description: 'The case.', content: { [jsonType]: caseDocument } },
        404: declaredError('The case does not exist.'),
      },
      async handle(request) {
        const { id } = request.params;
        const from = await dataset(request);
        const samples = await samplesOfCase(repository, from.id, id);
        const about = { case: samples.map((sample) => sample.case), sample: samples.map(({ name }) => name) };
        await recording.loqusdb(request, from, about);
        if (samples.length > 0) return { body: documentOfCase(id, samples) };
        throw new Fault('not-found', `Case ${id.slice(0, 300)} not found`);
      },
    }),
    route({
      method: 'POST',
      path: path('/cases/:id'),
      operation: 'loqusdbLoadCase',
      summary: 'Load the VCF files of a case',
      description:
        'All of it becomes visible at once, or nothing does. The files must be loaded within http.requestTimeout; ' +
        '`trefoil loqusdb load` has no such limit.',
      access: writeAccess,
      params: oneCase,
      query: loadParameters,
      answers: {
        ...commonErrors,
        ...tokenErrors,
        200: { description: 'The case.', content: { [jsonType]: caseDocument } },
        400: declaredError('A parameter is missing, a file cannot be loaded, or an individual is already there.'),
        403: declaredError('The address or the token does not allow it.'),
        404: declaredError('The requested database is not configured.'),
        406: declaredError('A file does not exist below the configured roots.'),
        409: sentence('The case exists.'),
        504: declaredError('The files could not be loaded in time. Nothing was loaded.'),
      },
      async handle(request) {
        const { id } = request.params;
        const { snv_file: snv, sv_file: sv, profile_file: profile, missing_gt, missing_gq } = request.input;
        const into = await dataset(request);
        await mustWrite(policy, request.principal, into.id);
        // A misspelt word would load a case by other rules.
        const unknown = Object.keys(request.query).find((one) => !Object.hasOwn(loadParameters.shape, one));
        if (unknown !== undefined) throw new Fault('invalid', `${quoted(unknown)} is not a parameter of this request`);
        if (snv === undefined && sv === undefined) throw new Fault('invalid', 'Give snv_file or sv_file');
        return inOrder(into.id, request.signal, async () => {
          if ((await samplesOfCase(repository, into.id, id)).length > 0) {
            return { status: 409, body: `Case ${id} already exists` };
          }
          const files: Source[] = [];
          const holding = await named.holding(request.principal, into.id);
          const open = async (path: string | undefined) => {
            if (path === undefined) return undefined;
            const source = await opened(path, into.id, holding);
            files.push(source);
            return source;
          };
          try {
            const { signal } = request;
            const mostSamples = settings.loads.samples;
            const compared = await open(profile);
            const about = { repository, dataset: into, threshold: sameProfile, mostSamples, signal };
            const [match] = compared ? await profileMatches({ ...about, source: compared }) : [];
            if (match) throw new Fault('invalid', `Profile error: ${matchText(match)}`);
            const loaded = await loadCase({
              repository,
              generations,
              depths: depthTools,
              references,
              dataset: into,
              id,
              small: await open(snv),
              structural: await open(sv),
              permit: permitting(erasures),
              filter: recordFilterOf(settings.filter),
              missing: missingRule({ genotype: missing_gt, quality: missing_gq }),
              mostSamples,
              compare: { thresholds: settings.comparison },
              now: now(),
              signal: request.signal,
            });
            const samples = await samplesOfCase(repository, into.id, id);
            if (samples.length === 0) {
              throw new Fault(
                'invalid',
                'No individual of the case may be loaded: they object to sharing, or were erased',
              );
            }
            const paths = { profile_path: profile ?? null, vcf_path: snv ?? null, vcf_sv_path: sv ?? null };
            const numbers = {
              nr_variants: loaded.records.small ?? null,
              nr_sv_variants: loaded.records.structural ?? null,
            };
            return {
              body: documentOfCase(id, samples, { ...paths, ...numbers }),
              ...warningOf(loaded),
            };
          } catch (cause) {
            if (!isFault(cause) || cause.code !== 'unprocessable') throw cause;
            throw new Fault('invalid', cause.public, { cause });
          } finally {
            for (const file of files) file.close();
          }
        });
      },
    }),
    route({
      method: 'DELETE',
      path: path('/cases/:id'),
      operation: 'loqusdbDeleteCase',
      summary: 'Delete a case, as if it had never been loaded',
      access: writeAccess,
      params: oneCase,
      query: parameters({}),
      answers: {
        ...commonErrors,
        ...tokenErrors,
        200: sentence('The case was deleted.'),
        403: declaredError('The address or the token does not allow it.'),
        404: {
          description: 'The case does not exist.',
          content: { [jsonType]: z.union([z.string(), z.object({ detail: z.string() })]) },
        },
      },
      async handle(request) {
        const { id } = request.params;
        const from = await dataset(request);
        await mustWrite(policy, request.principal, from.id);
        return inOrder(from.id, request.signal, async () => {
          const samples = await samplesOfCase(repository, from.id, id);
          if (samples.length === 0) return { status: 404, body: `Case ${id} does not exist` };
          const names = samples.map(({ name }) => name);
          await generations.remove(from, names);
          // In the words of loqusdb.
          return { body: `Case ${id} had been deleted` };
        });
      },
    }),
  ];
}
