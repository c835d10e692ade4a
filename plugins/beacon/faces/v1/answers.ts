/** The shapes of /apiv1.0, key by key as the contract spells them, in alphabetical order. */
import { z } from 'zod';
import { accessTypes, assemblies, type BeaconRepository, type Dataset, type DatasetHit } from '../../contract.js';
import { anonymousRights, type Rights } from '../../domain/access.js';
import type { BeaconSettings } from '../../settings.js';
import type { Echo } from './parameters.js';
import { type Include, includes, queryFor } from './query.js';

/** In query answers; the information says the same with a `v` before it. */
export const apiVersion = '1.0.0';

const httpDate = z.string().regex(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
const accessInfo = z.strictObject({ accessType: z.enum(accessTypes) });
const count = z.int().min(0);

/** As it was sent: text, or a whole number of any size. */
const coordinate = z.union([z.string(), z.number().refine(Number.isInteger).meta({ type: 'integer' })]).optional();

const alleleRequest = z
  .strictObject({
    alternateBases: z.string().optional(),
    assemblyId: z.string(),
    datasetIds: z.array(z.string()),
    end: coordinate,
    endMax: coordinate,
    endMin: coordinate,
    includeDatasetResponses: z.enum(includes),
    mateName: z.string().optional(),
    referenceBases: z.string().optional(),
    referenceName: z.string(),
    start: coordinate,
    startMax: coordinate,
    startMin: coordinate,
    variantType: z.string().optional(),
  })
  .meta({ id: 'AlleleRequest' });

const datasetAlleleResponse = z
  .strictObject({
    callCount: count.describe('Alternate alleles called that match'),
    datasetId: z.string(),
    exists: z.boolean(),
    info: accessInfo,
    sampleCount: count.describe('Distinct samples that carry a matching allele'),
    variantCount: count.describe('Distinct alleles that match'),
  })
  .meta({ id: 'DatasetAlleleResponse' });

export const queryResponse = z
  .strictObject({
    allelRequest: alleleRequest,
    apiVersion: z.literal(apiVersion),
    beaconId: z.string(),
    datasetAlleleResponses: z.array(datasetAlleleResponse),
    error: z.null(),
    exists: z.boolean(),
  })
  .meta({ id: 'BeaconQueryResponse' });

export const errorResponse = z
  .strictObject({
    allelRequest: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
    apiVersion: z.literal(apiVersion),
    beaconId: z.string(),
    datasetAlleleResponses: z.array(datasetAlleleResponse).max(0),
    error: z.strictObject({ errorCode: z.int(), errorMessage: z.string() }),
    exists: z.null(),
  })
  .meta({ id: 'BeaconErrorResponse' });

const dataset = z
  .strictObject({
    assembly_id: z.enum(assemblies),
    callCount: count,
    created: httpDate,
    id: z.string(),
    info: accessInfo.extend({
      counts: z.literal('withheld').optional().describe('Counts and the last change are not told to this client.'),
    }),
    name: z.string(),
    sampleCount: count,
    updated: httpDate,
    variantCount: count,
    version: z.number(),
  })
  .meta({ id: 'BeaconDataset' });

export const infoResponse = z
  .strictObject({
    alternativeUrl: z.string().nullable(),
    apiVersion: z.literal(`v${apiVersion}`),
    createDateTime: httpDate,
    datasets: z.array(dataset),
    description: z.string(),
    id: z.string(),
    name: z.string(),
    organisation: z.strictObject({
      address: z.string(),
      contactUrl: z.string(),
      description: z.string(),
      id: z.string(),
      info: z.array(z.strictObject({ key: z.string(), value: z.string() })),
      logoUrl: z.string(),
      name: z.string(),
      welcomeUrl: z.string(),
    }),
    sampleAlleleRequests: z.array(alleleRequest),
    updateDateTime: httpDate,
    version: z.string(),
    welcomeUrl: z.string().nullable(),
  })
  .meta({ id: 'Beacon' });

export interface Identity {
  settings: BeaconSettings;
  /** The software's. */
  version: string;
  /** When this server started: the date of a beacon without datasets. */
  started: Date;
}

/** The information about the beacon, its datasets and requests that it answers. */
export async function information(
  { settings, version, started }: Identity,
  repository: BeaconRepository,
  rights: Rights,
): Promise<z.output<typeof infoResponse>> {
  const all = await repository.datasets();
  const listed = all
    .filter((one) => settings.listProtected || rights(one))
    .map((one) => (rights(one) ? one : withheld(one)));
  const created = settings.createDateTime ?? earliest(listed.map((one) => one.created)) ?? started;
  return {
    alternativeUrl: settings.alternativeUrl,
    apiVersion: `v${apiVersion}`,
    createDateTime: created.toUTCString(),
    datasets: listed.map((one) => datasetEntry(one, rights(one))),
    description: settings.description,
    id: settings.id,
    name: settings.name,
    organisation: settings.organisation,
    sampleAlleleRequests: await sampleRequests(all.filter(anonymousRights), repository),
    updateDateTime: (latest(listed.map((one) => one.updated)) ?? created).toUTCString(),
    version: `v${version}`,
    welcomeUrl: settings.welcomeUrl,
  };
}

/** What may be told of a dataset to those who may not query it: counts that grow with each load tell of patients. */
function withheld(one: Dataset): Dataset {
  return { ...one, updated: one.created, alleleCount: 0, callCount: 0, sampleCount: 0 };
}

function datasetEntry(one: Dataset, open: boolean): z.output<typeof dataset> {
  return {
    assembly_id: one.assembly,
    callCount: one.callCount,
    created: one.created.toUTCString(),
    id: one.id,
    info: { accessType: one.access, ...(!open && { counts: 'withheld' }) },
    name: one.name,
    sampleCount: one.sampleCount,
    updated: one.updated.toUTCString(),
    variantCount: one.alleleCount,
    version: one.version,
  };
}

/** Two requests with a hit in the first dataset that has alleles: a small allele, and a structural one where there is one. */
export async function sampleRequests(datasets: Dataset[], repository: BeaconRepository) {
  const filled = datasets.find(({ alleleCount }) => alleleCount > 0);
  if (!filled) return [];
  const small = await repository.examples(filled.id, false, 2);
  const structural = await repository.examples(filled.id, true, 2);
  const chosen = [...small.slice(0, 1), ...structural, ...small.slice(1)].slice(0, 2);
  return chosen.map((allele) => {
    const includeDatasetResponses: Include = allele.structural ? 'ALL' : 'HIT';
    return alleleRequest.parse({
      ...queryFor(allele, filled.assembly),
      datasetIds: [filled.id],
      includeDatasetResponses,
    });
  });
}

function earliest(dates: Date[]): Date | undefined {
  return dates.reduce<Date | undefined>((found, date) => (found && found <= date ? found : date), undefined);
}

function latest(dates: Date[]): Date | undefined {
  return dates.reduce<Date | undefined>((found, date) => (found && found >= date ? found : date), undefined);
}

/** One dataset's answer; without a hit the allele is not there. */
export function datasetAnswer(one: Dataset, hit: DatasetHit | undefined): z.output<typeof datasetAlleleResponse> {
  return {
    callCount: hit?.calls ?? 0,
    datasetId: one.id,
    exists: hit !== undefined,
    info: { accessType: one.access },
    sampleCount: hit?.samples ?? 0,
    variantCount: hit?.alleles ?? 0,
  };
}

export function queryAnswer(
  beaconId: string,
  echo: Echo,
  exists: boolean,
  datasetAlleleResponses: z.output<typeof datasetAlleleResponse>[],
) {
  return { allelRequest: echo, apiVersion, beaconId, datasetAlleleResponses, error: null, exists };
}

export function errorAnswer(beaconId: string, echo: Echo, errorCode: number, errorMessage: string) {
  return {
    allelRequest: echo,
    apiVersion,
    beaconId,
    datasetAlleleResponses: [],
    error: { errorCode, errorMessage },
    exists: null,
  };
}
