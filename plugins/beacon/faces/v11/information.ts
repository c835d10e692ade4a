/**
 * `GET /beacon/v1/` and `/beacon/v1/service-info`: the beacon and its datasets in the form of Beacon 1.1.0, and GA4GH service
 * info.
 */
import { z } from 'zod';
import { anonymous, type Caller, type RouteDeclaration, route } from '../../../../core/plugin.js';
import { type Allele, type Assembly, accessTypes, assemblies, type Dataset } from '../../contract.js';
import { disclosedDatasets } from '../../disclosure.js';
import { datesOfBeacon, listedDatasets } from '../../rights.js';
import { addressOfServer, type BeaconServices, configured } from '../../services.js';
import { type AlleleRequest, alleleRequest, apiVersion, root, variantTypes } from './request.js';

export function infoRoutes(services: BeaconServices): RouteDeclaration[] {
  const { readAccess, baseUrl } = services;
  return [
    route({
      method: 'GET',
      path: root,
      operation: 'beaconV11',
      summary: 'Describe the beacon and its datasets (Beacon 1.1.0)',
      optionalAccess: readAccess,
      anyOrigin: true,
      answers: {
        200: {
          description: 'The beacon, its datasets, and example requests that have a hit.',
          content: { 'application/json': beaconResponse },
        },
      },
      handle: async (request) => ({ body: await beaconInformation(services, await readAccess.callerOf(request)) }),
    }),
    route({
      method: 'GET',
      path: `${root}/service-info`,
      operation: 'beaconV11Service',
      summary: 'Describe the service (GA4GH service info)',
      optionalAccess: readAccess,
      anyOrigin: true,
      answers: {
        200: { description: 'The service.', content: { 'application/json': serviceInfoResponse } },
      },
      handle: async (request) => ({
        body: await serviceInfoOf(
          services,
          await readAccess.callerOf(request),
          addressOfServer(baseUrl, request.headers.host),
        ),
      }),
    }),
  ];
}

const count = z.int().min(0).optional();

const dataset = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    assemblyId: z.enum(assemblies),
    createDateTime: z.iso.datetime(),
    updateDateTime: z.iso.datetime(),
    version: z.string(),
    variantCount: count.describe('Distinct alleles; left out, as the other counts, for callers who may not know it.'),
    callCount: count.describe('Copies of alleles, over all samples.'),
    sampleCount: count,
    externalUrl: z.string().optional(),
    info: z.strictObject({ accessType: z.enum(accessTypes) }),
  })
  .meta({ id: 'BeaconDatasetV11' });

const beaconResponse = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    apiVersion: z.literal(apiVersion),
    organization: z.strictObject({
      id: z.string(),
      name: z.string(),
      description: z.string().optional(),
      address: z.string().optional(),
      welcomeUrl: z.string().optional(),
      contactUrl: z.string().optional(),
      logoUrl: z.string().optional(),
      info: z.record(z.string(), z.string()).optional(),
    }),
    description: z.string(),
    version: z.string(),
    welcomeUrl: z.string().optional(),
    alternativeUrl: z.string().optional(),
    createDateTime: z.iso.datetime(),
    updateDateTime: z.iso.datetime(),
    datasets: z.array(dataset),
    sampleAlleleRequests: z.array(alleleRequest).optional(),
  })
  .meta({ id: 'BeaconV11' });

/** Datasets that the caller may not query have no counts. */
async function beaconInformation(services: BeaconServices, caller: Caller): Promise<z.output<typeof beaconResponse>> {
  const { settings, version, started } = services;
  const all = await services.datasets.current();
  const open = new Map((await disclosedDatasets(services, caller, all)).map((one) => [one.dataset.id, one]));
  const listed = listedDatasets(all, new Map([...open].map(([id, one]) => [id, one.dataset])), settings);
  const { created, updated } = datesOfBeacon(listed, settings, started);
  const { id, name, info, ...organisation } = settings.organisation;
  const requests = await sampleRequests(services, all);
  return {
    id: settings.id,
    name: settings.name,
    apiVersion,
    organization: {
      id,
      name,
      ...configured(organisation),
      ...(info.length > 0 && { info: Object.fromEntries(info.map(({ key, value }) => [key, value])) }),
    },
    description: settings.description,
    version,
    ...configured({ welcomeUrl: settings.welcomeUrl, alternativeUrl: settings.alternativeUrl }),
    createDateTime: created.toISOString(),
    updateDateTime: updated.toISOString(),
    datasets: listed.map((one) => datasetInformation(one, (open.get(one.id)?.granularity ?? 'boolean') !== 'boolean')),
    ...(requests.length > 0 && { sampleAlleleRequests: requests }),
  };
}

function datasetInformation(one: Dataset, isCounted: boolean): z.output<typeof dataset> {
  return {
    id: one.id,
    name: one.name,
    ...(one.description !== undefined && { description: one.description }),
    assemblyId: one.assembly,
    createDateTime: one.created.toISOString(),
    updateDateTime: one.updated.toISOString(),
    version: String(one.version),
    ...(isCounted && { variantCount: one.alleleCount, callCount: one.callCount, sampleCount: one.sampleCount }),
    ...(one.externalUrl !== undefined && { externalUrl: one.externalUrl }),
    info: { accessType: one.access },
  };
}

/** Up to two requests with a hit, for alleles of a dataset whose records every caller may see. */
async function sampleRequests(services: BeaconServices, all: readonly Dataset[]): Promise<AlleleRequest[]> {
  const open = await disclosedDatasets(services, anonymous, all);
  const filled = open.find(({ dataset, granularity }) => granularity === 'record' && dataset.alleleCount > 0)?.dataset;
  if (!filled) return [];
  const { repository } = services;
  const examples = await Promise.all([false, true].map((structural) => repository.examples(filled.id, structural, 2)));
  const requests = examples.flatMap((alleles) =>
    alleles.flatMap((one) => requestFor(one, filled.assembly)).slice(0, 1),
  );
  return requests.map((request) => ({ ...request, datasetIds: [filled.id], includeDatasetResponses: 'HIT' }));
}

/** Bases that a request spells out. */
const longest = 50;

/** The request for an allele, unless it cannot be expressed. */
function requestFor(allele: Allele, assemblyId: Assembly): AlleleRequest[] {
  const { contig: referenceName, start, end, reference, alternate, kind, structural } = allele;
  const place = { assemblyId, referenceName, start, referenceBases: reference.length > longest ? 'N' : reference };
  if (!structural) return alternate.length > longest ? [] : [{ ...place, alternateBases: alternate }];
  const variantType = variantTypes.find((type) => type === kind);
  return variantType ? [{ ...place, end, variantType }] : [];
}

const serviceInfoResponse = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    type: z.strictObject({ group: z.literal('org.ga4gh'), artifact: z.literal('beacon'), version: z.literal('1.1.0') }),
    description: z.string(),
    organization: z.strictObject({ name: z.string(), url: z.string() }),
    contactUrl: z.string().optional(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    environment: z.string(),
    version: z.string(),
  })
  .meta({ id: 'ServiceInfoV11' });

/** GA4GH service info 1.0.0; `base` is the address of the server. */
async function serviceInfoOf(
  services: BeaconServices,
  caller: Caller,
  base: string,
): Promise<z.output<typeof serviceInfoResponse>> {
  const { id, name, description, organization, createDateTime, updateDateTime, version, welcomeUrl } =
    await beaconInformation(services, caller);
  return {
    id,
    name,
    type: { group: 'org.ga4gh', artifact: 'beacon', version: '1.1.0' },
    description,
    organization: { name: organization.name, url: organization.welcomeUrl ?? welcomeUrl ?? base },
    ...(organization.contactUrl !== undefined && { contactUrl: organization.contactUrl }),
    createdAt: createDateTime,
    updatedAt: updateDateTime,
    environment: services.settings.environment,
    version,
  };
}
