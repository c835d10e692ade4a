/** `POST /apiv1.0/add`: loads the variants of a VCF file that is on the server or is uploaded. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import {
  type Arriving,
  type FormFields,
  fileBody,
  fileForm,
  multipartType,
  naming,
  receiveFile,
  receiveForm,
  type Source,
} from '../../../../core/files.js';
import {
  type Answer,
  Fault,
  isFault,
  ownerOf,
  type Principal,
  type RouteDeclaration,
  route,
  step,
} from '../../../../core/plugin.js';
import { OtherAssembly } from '../../../../core/vcf.js';
import { assemblies, type Dataset, type GeneRepository, geneIdTypes, sexes } from '../../contract.js';
import { type FactField, factFields, factWords } from '../../domain/facts.js';
import { type AddVariants, addVariants, factsOfJob, openUpload } from '../../loading/jobs.js';
import { casesRight, mustWrite } from '../../rights.js';
import type { BeaconServices } from '../../services.js';
import { genePanel } from '../../vcf/panel.js';
import { openVcf, TooManySamples, UnknownSamples } from '../../vcf/reader.js';
import { missingRule, missingWords } from '../../vcf/rules.js';
import {
  acceptedAnswer,
  checkedText,
  choice,
  documentedSchema,
  jobAnswers,
  list,
  listOfItems,
  object,
  quotedAsPython,
  text,
  texts,
  truth,
} from './answers.js';

const label = (field: FactField) =>
  text()
    .optional()
    .describe(factWords[field].description ?? '');

/** What is known of a sample. */
const facts = {
  ...(Object.fromEntries(factFields.map((field) => [field, label(field)])) as Record<
    FactField,
    ReturnType<typeof label>
  >),
  case_id: text().optional().describe('The case (family) of the samples; the sample itself if it was never given.'),
  sex: choice(sexes).optional().describe('The sex of the person.'),
  affected: choice(['yes', 'no', 'unknown']).optional().describe('Whether the person has the disease of the case.'),
};

const addBody = object({
  dataset_id: text().describe('The dataset to add to.'),
  vcf_path: text().meta(
    naming(
      ['path', 'object'],
      'Path of the VCF file on the server, or its name in a configured bucket; omitted if the file itself is sent.',
    ),
  ),
  assemblyId: choice(assemblies).describe("The dataset's genome build."),
  samples: texts().optional().describe('Samples to add; all samples of the file if omitted.'),
  genes: object({
    ids: list().optional(),
    id_type: choice(geneIdTypes).optional(),
  })
    .optional()
    .describe('Only variants in these genes.'),
  ...facts,
  samples_info: listOfItems(object({ sample: text(), ...facts }))
    .optional()
    .describe(
      'The same of single samples; it precedes what is said of all. sex, affected, coverage_id, ' +
        'phenotypes and diseases of several are given here.',
    ),
  snv_gq_only: truth()
    .optional()
    .describe('Whether to load structural variants whatever their GQ: many of their callers write none.'),
  missing_gt: choice(missingWords)
    .optional()
    .describe('Genotypes that were not called (./.): unknown (default) or carrier; only in files of one sample.'),
  missing_gq: choice(missingWords).optional().describe('Genotypes without GQ: unknown (default) or carrier.'),
  searched: choice(['structural'])
    .optional()
    .describe('structural: the file was searched for structural variants, also if it has none.'),
  replace: truth()
    .optional()
    .describe(
      'Whether to replace what the dataset has of the samples, of the kinds of variants in the file (small, structural), ' +
        'instead of adding to it.',
    ),
  force: truth()
    .optional()
    .describe(
      'With replace: also if a sample keeps less than half of its alleles, loses some to genes, or is another person.',
    ),
  strict: truth()
    .optional()
    .describe(
      'Whether to add nothing if a sample is already there under another name, or does not fit its case; it is a ' +
        'warning in the result of the job otherwise.',
    ),
});

const uploadBody = addBody.omit({ vcf_path: true });

type UploadFields = z.output<typeof uploadBody>;

/** The caller, and the id that the job and its upload will have. */
interface LoadCaller {
  id: string;
  /** Id of the request. */
  request: string;
  principal: Principal;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** Types of a body that is the file itself; its parameters are in the query string. */
const fileTypes = [
  'application/octet-stream',
  'application/gzip',
  'application/x-gzip',
  'text/vcf',
  'text/x-vcf',
  'application/vcf',
];

const vcfDescription = 'The VCF file, uncompressed or gzipped.';

export function addRoute({
  settings,
  named,
  repository,
  genes,
  writeAccess,
  policy,
  recording,
  jobs,
  uploads,
  now,
}: BeaconServices): RouteDeclaration {
  /** Throws the fault for a dataset that the caller may not change, that does not exist or that has another assembly. */
  async function datasetFor(wanted: UploadFields, principal: Principal): Promise<Dataset> {
    await mustWrite(policy, principal, wanted.dataset_id);
    const dataset = await repository.dataset(wanted.dataset_id);
    if (!dataset) throw new Fault('unprocessable', 'Invalid request. Please specify a valid dataset ID');
    if (dataset.assembly !== wanted.assemblyId) {
      throw new Fault(
        'unprocessable',
        `Requested genome assembly is in conflict with the assembly of the dataset, ${dataset.assembly}`,
      );
    }
    return dataset;
  }

  /** Checks the request in the order that the contract prescribes, and queues the job. */
  async function accept(
    wanted: UploadFields,
    { id, request, principal, signal }: LoadCaller,
    vcf: AddVariants['vcf'],
  ): Promise<Answer> {
    const dataset = await datasetFor(wanted, principal);
    const [replaces, force] = [String(wanted.replace) === 'true', String(wanted.force) === 'true'];
    if (force && !replaces) throw new Fault('unprocessable', "'force' needs 'replace'");
    const holding = await named.holding(principal, dataset.id);
    const source = 'path' in vcf ? await named.open(vcf.path, dataset.id, holding) : await openUpload(uploads, id);
    let names: readonly string[];
    try {
      names = await checkSamples(
        source,
        dataset,
        { samples: wanted.samples, mostSamples: settings.loads.samples },
        signal,
      );
    } finally {
      source.close();
    }
    const panel = await geneList(genes, dataset, wanted.genes);
    const stated = factsInBody(wanted);
    if (stated) factsOfJob(stated, names);
    const payload: AddVariants = {
      dataset: dataset.id,
      assembly: dataset.assembly,
      vcf,
      holding,
      samples: wanted.samples ?? null,
      genes: panel,
      requested: now().toISOString(),
      ...(stated && { facts: stated }),
      comparison: {
        strict: String(wanted.strict) === 'true',
        withNames: await policy.may(principal, casesRight, dataset),
      },
      ...(String(wanted.snv_gq_only) === 'true' && { smallQualityOnly: true }),
      ...((wanted.missing_gt || wanted.missing_gq) && {
        missing: missingRule({ genotype: wanted.missing_gt, quality: wanted.missing_gq }),
      }),
      ...(wanted.searched && { searchedStructural: true }),
      ...(replaces && { replace: { force } }),
    };
    if (replaces) await recording.replaced({ principal, id: request }, dataset, names);
    step('beacon.add.received');
    const job = await jobs.enqueue(addVariants, payload, { owner: ownerOf(principal), id });
    step('beacon.add.queued');
    return acceptedAnswer('Saving variants to Beacon', job, jobs);
  }

  /** Opens a new upload, and removes it if the work with it fails. */
  async function withRoom(id: string, work: (file: Arriving) => Promise<Answer>): Promise<Answer> {
    const file = await uploads.open(id);
    try {
      return await work(file);
    } catch (error) {
      await file.discard();
      await uploads.remove(id);
      throw error;
    }
  }

  return route({
    method: 'POST',
    path: '/apiv1.0/add',
    operation: 'addVariants',
    summary: 'Add the variants of a VCF file to a dataset',
    description:
      'The file is on the server, in one of the configured directories, or is uploaded: in a form whose fields are the ' +
      'parameters, or as the request body with the parameters in the query string. All variants become visible at ' +
      'once. Adding the same variants again changes nothing.',
    access: writeAccess,
    query: documentedSchema(uploadBody.partial()),
    body: {
      types: ['application/json', multipartType, ...fileTypes],
      schema: documentedSchema(addBody),
      looks: {
        [multipartType]: fileForm(addBody.partial({ vcf_path: true }), vcfDescription),
        ...Object.fromEntries(
          fileTypes.map((type) => [type, fileBody(`${vcfDescription} The parameters are in the query string.`)]),
        ),
      },
      streamLimit: settings.uploads.limit,
    },
    answers: jobAnswers,
    async handle(request) {
      const { body, headers, query } = request;
      const { principal, signal, id } = request;
      const asking: LoadCaller = { id: randomUUID(), request: id, principal, signal };
      const byPath = (sent: unknown) => {
        const { vcf_path, ...wanted } = checkedText(addBody, sent);
        return accept(wanted, asking, { path: vcf_path });
      };
      if (!(body instanceof Readable)) return byPath(body ?? {});
      if (request.bodyType === multipartType) {
        return withRoom(asking.id, async (file) => {
          const { fields, withFile } = await receiveForm(body, headers, file);
          const sent = fieldsOfText(fields);
          if (withFile) return accept(readUpload(sent), asking, { upload: true });
          await file.discard();
          return byPath(sent);
        });
      }
      const wanted = readUpload(fieldsOfText(query));
      await datasetFor(wanted, asking.principal);
      return withRoom(asking.id, async (file) => {
        await receiveFile(body, headers, file);
        return accept(wanted, asking, { upload: true });
      });
    },
  });
}

/** The facts that the request states of its samples; undefined if it states none. */
function factsInBody({ samples_info: each = [], ...body }: UploadFields): AddVariants['facts'] {
  const given = factFields.filter((field) => body[field] !== undefined);
  if (given.length === 0 && each.length === 0) return undefined;
  return { all: Object.fromEntries(given.map((field) => [field, body[field]])), each };
}

function readUpload(sent: Record<string, unknown>): UploadFields {
  if (sent.vcf_path !== undefined) {
    throw new Fault('unprocessable', "Please provide either 'vcf_path' or the VCF file itself, not both");
  }
  return checkedText(uploadBody, sent);
}

/** Builds a JSON body from the fields of a form or a query string: lists are repeated fields, genes and samples_info are JSON. */
function fieldsOfText(
  fields: FormFields | Readonly<Record<string, string | string[] | undefined>>,
): Record<string, unknown> {
  const members = Object.entries(fields).map(([name, value]) => {
    const values = typeof value === 'string' ? [value] : (value ?? []);
    if (name === 'samples') return [name, values];
    const only = values.length === 1 ? values[0] : values;
    return [name, isJson(name) && typeof only === 'string' ? fieldsOfJson(only) : only];
  });
  return Object.fromEntries(members);
}

function isJson(name: string): boolean {
  return name === 'genes' || name === 'samples_info';
}

function fieldsOfJson(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

/** Reads the header of the file, until the client goes away; returns the samples to load. */
async function checkSamples(
  source: Source,
  { assembly }: Dataset,
  { samples, mostSamples }: Pick<UploadFields, 'samples'> & { mostSamples: number },
  signal: AbortSignal,
): Promise<readonly string[]> {
  // An empty list must not mean all samples.
  if (samples?.length === 0) throw new Fault('unprocessable', 'Please provide a valid list of samples');
  signal.throwIfAborted();
  const stop = () => source.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const file = await openVcf({ source, assembly, samples: samples ?? [], mostSamples });
    await file.close();
    return file.samples;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnknownSamples) {
      throw new Fault(
        'unprocessable',
        `One or more provided samples were not found in VCF. VCF samples:${quotedAsPython(error.there)}`,
      );
    }
    if (error instanceof OtherAssembly || error instanceof TooManySamples || !isFault(error)) throw error;
    throw new Fault('unprocessable', 'Samples [] were not found in VCF files', { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The genes for the job; an `unprocessable` fault if none of them is known. */
async function geneList(
  repository: GeneRepository,
  { assembly }: Dataset,
  genes: UploadFields['genes'],
): Promise<AddVariants['genes']> {
  if (genes === undefined) return null;
  const { ids = [], id_type } = genes;
  if (id_type === undefined) {
    throw new Fault('unprocessable', 'Please provide id_type (HGNC or Ensembl) for the given list of genes');
  }
  const list = { ids: ids.filter((id) => typeof id === 'string' || typeof id === 'number'), id_type };
  await genePanel(repository, assembly, list);
  return list;
}
