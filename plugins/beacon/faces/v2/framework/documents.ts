/**
 * The documents that describe the beacon (info, service info, configuration, map, entry types, filtering terms, schemas of
 * entries), and their routes.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type AnswerDeclaration, Fault, type RouteDeclaration, route } from '../../../../../core/plugin.js';
import type { Dataset } from '../../../contract.js';
import { configured } from '../../../services.js';
import {
  addressOfFace,
  type DatasetView,
  type EntrySchema,
  type EntryType,
  endpointSets,
  type Face,
  type FilteringTermList,
  root,
  schemaUrl,
  specification,
  viewOfCaller,
} from './entry-type.js';
import { failures, informationalMeta } from './envelope.js';
import { beaconRequestOf, bodyDeclaration, queryDeclaration } from './read-request.js';
import { apiVersion, type BeaconRequest } from './request.js';

/** What a document is made of. */
interface DocumentInput {
  face: Face;
  view: DatasetView;
  base: string;
  request: BeaconRequest;
}

interface DocumentDeclaration {
  path: string;
  operation: string;
  summary: string;
  body(telling: DocumentInput): unknown;
}

const accepted = {
  framework: ['requestedSchema', 'skip', 'limit', 'testMode'],
  parameters: {},
  granularity: 'record',
} as const;

const anyDocument = z.looseObject({});

export function documentRoutes(face: Face): RouteDeclaration[] {
  const wrapped = (document: DocumentDeclaration): DocumentDeclaration => ({
    ...document,
    body: async (telling) => ({
      meta: informationalMeta(face.services.settings.id),
      response: await document.body(telling),
    }),
  });
  const about = async ({ face, view, base }: DocumentInput) => info(face, view, await face.terms(view), base);
  const documents: DocumentDeclaration[] = [
    wrapped({ path: '', operation: 'beaconV2', summary: 'Describe the beacon', body: about }),
    wrapped({ path: '/info', operation: 'beaconV2Info', summary: 'Describe the beacon', body: about }),
    {
      path: '/service-info',
      operation: 'beaconV2ServiceInfo',
      summary: 'Describe the beacon as GA4GH service info',
      body: async ({ face, view, base }) => serviceInfo(face, view, await face.terms(view), base),
    },
    wrapped({
      path: '/configuration',
      operation: 'beaconV2Configuration',
      summary: 'The configuration of the beacon, with its entry types',
      body: ({ face, view, base }) => configuration(face, view, base),
    }),
    wrapped({
      path: '/entry_types',
      operation: 'beaconV2EntryTypes',
      summary: 'The entry types of the beacon',
      body: ({ face, base }) => entryTypes(face, base),
    }),
    wrapped({
      path: '/map',
      operation: 'beaconV2Map',
      summary: 'The endpoints of the beacon',
      body: ({ face, base }) => map(face, base),
    }),
    wrapped({
      path: '/filtering_terms',
      operation: 'beaconV2FilteringTerms',
      summary: 'The filters that work, as far as they occur in datasets that the caller may query',
      body: ({ face, view, request }) => pageOfTerms(face, view, request),
    }),
  ];
  return documents.map((document) => documentRoute(face, document));
}

async function pageOfTerms({ terms }: Face, view: DatasetView, { pagination: { skip, limit } }: BeaconRequest) {
  const { resources, filteringTerms } = await terms(view);
  return { resources, filteringTerms: filteringTerms.slice(skip * limit, (skip + 1) * limit) };
}

function documentRoute(face: Face, { path, operation, summary, body }: DocumentDeclaration): RouteDeclaration {
  const { readAccess } = face.services;
  return route({
    method: ['GET', 'POST'],
    path: root + path,
    operation,
    summary,
    query: queryDeclaration(accepted),
    body: bodyDeclaration,
    optionalAccess: readAccess,
    anyOrigin: true,
    answers: {
      200: { description: 'The document.', content: { 'application/json': anyDocument } },
      ...failures,
    },
    async handle(head) {
      const request = beaconRequestOf(head, accepted);
      const view = request.testMode
        ? face.testView
        : await viewOfCaller(face.services, await readAccess.callerOf(head));
      return { body: await body({ face, view, base: addressOfFace(face, head), request }) };
    },
  });
}

const schemas = 'https://raw.githubusercontent.com/ga4gh-beacon/beacon-v2/main/framework/json/configuration';

/** beaconInfoResults.json. Optional members are left out if they are not configured. */
function info({ services, ...face }: Face, view: DatasetView, terms: FilteringTermList, base: string) {
  const { settings, version } = services;
  const { organisation } = settings;
  const { info: more, ...organization } = organisation;
  const created = createdOf({ services }, view);
  return {
    id: settings.id,
    name: settings.name,
    apiVersion,
    environment: settings.environment,
    organization: {
      ...configured(organization),
      id: organisation.id,
      name: organisation.name,
      ...(more.length > 0 && { info: Object.fromEntries(more.map(({ key, value }) => [key, value])) }),
    },
    description: settings.description,
    version,
    ...configured({ welcomeUrl: settings.welcomeUrl, alternativeUrl: settings.alternativeUrl }),
    createDateTime: created.toISOString(),
    updateDateTime: updatedOf(view, created, [settings, version, entryTypes(face, base), terms]).toISOString(),
  };
}

/** GA4GH service info 1.0.0. */
function serviceInfo(face: Face, view: DatasetView, terms: FilteringTermList, base: string) {
  const { settings, version, docs } = face.services;
  const { id, name, description, organisation } = settings;
  const { environment, createDateTime, updateDateTime } = info(face, view, terms, base);
  const url = organisation.welcomeUrl || settings.welcomeUrl || base;
  return {
    id,
    name,
    type: { group: 'org.ga4gh', artifact: 'beacon', version: apiVersion.slice(1) },
    description,
    organization: { name: organisation.name, url },
    ...configured({ contactUrl: organisation.contactUrl }),
    ...(docs !== undefined && { documentationUrl: new URL(docs, base).href }),
    createdAt: createDateTime,
    updatedAt: updateDateTime,
    environment,
    version,
  };
}

const maturity = { prod: 'PROD', test: 'TEST', staging: 'TEST', dev: 'DEV' } as const;

/** beaconConfigurationSchema.json */
function configuration(face: Face, view: DatasetView, base: string) {
  const { environment, disclosure } = face.services.settings;
  const levels = new Set([...view.open.map(({ dataset }) => dataset), ...view.listed].map(({ access }) => access));
  return {
    $schema: `${schemas}/beaconConfigurationSchema.json`,
    maturityAttributes: { productionStatus: maturity[environment] },
    securityAttributes: {
      defaultGranularity: disclosure.granularity,
      securityLevels: levels.size > 0 ? [...levels].sort() : ['PUBLIC'],
    },
    ...entryTypes(face, base),
  };
}

/** entryTypesSchema.json */
function entryTypes({ entryTypes: types }: Pick<Face, 'entryTypes'>, base: string) {
  return { entryTypes: Object.fromEntries(types.map((type) => [type.id, entryType(type, types, base)])) };
}

/** entryTypeDefinition.json */
function entryType(type: EntryType, types: readonly EntryType[], base: string) {
  const reference = (schema: EntrySchema) => ({
    id: schema.id,
    name: schema.name,
    referenceToSchemaDefinition: schemaUrl(base, schema),
    schemaVersion: schema.version,
  });
  const members = types.filter(({ id }) => type.collectionOf?.includes(id));
  return {
    id: type.id,
    name: type.name,
    description: type.description,
    ontologyTermForThisType: type.term,
    partOfSpecification: specification,
    defaultSchema: reference(type.schema),
    additionallySupportedSchemas: (type.furtherSchemas ?? []).map(reference),
    ...(type.collectionOf && { aCollectionOf: members.map(({ id, name }) => ({ id, name })) }),
    nonFilteredQueriesAllowed: true,
  };
}

/** beaconMapSchema.json */
function map({ entryTypes: types }: Face, base: string) {
  const sets = endpointSets(types).map(({ of, all, single, related }) => [
    `${of.id}Endpoints`,
    {
      entryType: of.id,
      rootUrl: base + all.path,
      singleEntryUrl: base + single.path,
      endpoints: Object.fromEntries(
        [...related].map(([name, { path, returns }]) => [name, { url: base + path, returnedEntryType: returns.id }]),
      ),
    },
  ]);
  return { $schema: `${schemas}/beaconMapSchema.json`, endpointSets: Object.fromEntries(sets) };
}

/** The same across restarts, unless there is neither a setting nor a dataset. */
function createdOf({ services }: Pick<Face, 'services'>, view: DatasetView): Date {
  const { settings, started } = services;
  if (settings.createDateTime) return settings.createDateTime;
  const [first] = datasetsOfView(view).sort((one, other) => one.created.getTime() - other.created.getTime());
  return first?.created ?? started;
}

function datasetsOfView({ open, listed }: DatasetView): Dataset[] {
  return [...open.map(({ dataset }) => dataset), ...listed];
}

/**
 * Registries read a beacon anew when this date changes. The second is that of the last change of a dataset that the caller may
 * query. A dataset that was removed, other settings and other terms have no date: the milliseconds are a digest of all that is
 * described, so that the date changes with them, too, and is the same in every process. Seconds are rounded up: an update does not
 * come before what it is of.
 */
function updatedOf(view: DatasetView, created: Date, described: unknown): Date {
  const latest = Math.max(created.getTime(), ...view.open.map(({ dataset }) => dataset.updated.getTime()));
  const shown = [
    view.open,
    view.listed.map(({ id, name, access, version, description }) => [id, name, access, version, description]),
  ];
  const digest =
    createHash('sha256')
      .update(JSON.stringify([described, shown]))
      .digest()
      .readUInt32BE() % 1000;
  return new Date(Math.ceil(latest / 1000) * 1000 + digest);
}

// Serves copies of the schemas of entries, so that validators need no other server.

const folderName = z.string().regex(/^[A-Za-z0-9]+$/);
const schemaFile = z.string().regex(/^[A-Za-z0-9]+\.json$/);

/** Public, and the same until an update of the server. */
const headers = { 'Cache-Control': 'public, max-age=3600' };

export function schemaRoute(): RouteDeclaration {
  return route({
    method: 'GET',
    path: `${root}/schemas/:folder/:file`,
    operation: 'beaconV2Schema',
    summary: 'A schema of entries',
    description: 'A copy of the schemas of GA4GH Beacon v2.1.1 and VRS 1.3 (Apache License 2.0).',
    params: z.object({ folder: z.string(), file: z.string() }),
    anyOrigin: true,
    answers: {
      200: { description: 'The schema.', content: { 'application/json': z.looseObject({}) } },
      404: failures[404] as AnswerDeclaration,
    },
    handle: ({ params }) => ({ headers, body: readSchema(params.folder, params.file) }),
  });
}

const schemasRead = new Map<string, unknown>();

function readSchema(folder: string, named: string): unknown {
  if (!folderName.safeParse(folder).success || !schemaFile.safeParse(named).success) throw schemaAbsent();
  const path = `${folder}/${named}`;
  if (!schemasRead.has(path)) schemasRead.set(path, parsedSchema(path));
  return schemasRead.get(path);
}

function parsedSchema(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(fileURLToPath(new URL(`assets/${path}`, import.meta.url)), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw schemaAbsent();
    throw error;
  }
  return JSON.parse(text);
}

function schemaAbsent(): Fault {
  return new Fault('not-found', 'There is no such schema');
}
