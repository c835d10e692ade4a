/** The documents that describe the beacon: info, service info, configuration, map, entry types. */
import { createHash } from 'node:crypto';
import type { Dataset } from '../../../contract.js';
import { apiVersion } from '../request/request.js';
import { endpointSets } from './endpoints.js';
import type { EntrySchema, EntryType } from './entry-type.js';
import { type Face, schemaUrl, specification } from './face.js';
import type { TermList } from './filtering-terms.js';
import type { View } from './view.js';

const schemas = 'https://raw.githubusercontent.com/ga4gh-beacon/beacon-v2/main/framework/json/configuration';

/** beaconInfoResults.json. Optional members are left out if they are not configured. */
export function info({ services, ...face }: Face, view: View, terms: TermList, base: string) {
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
      ...given(organization),
      id: organisation.id,
      name: organisation.name,
      ...(more.length > 0 && { info: Object.fromEntries(more.map(({ key, value }) => [key, value])) }),
    },
    description: settings.description,
    version,
    ...given({ welcomeUrl: settings.welcomeUrl, alternativeUrl: settings.alternativeUrl }),
    createDateTime: created.toISOString(),
    updateDateTime: updatedOf(view, created, [settings, version, entryTypes(face, base), terms]).toISOString(),
  };
}

/** GA4GH service info 1.0.0. */
export function serviceInfo(face: Face, view: View, terms: TermList, base: string) {
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
    ...given({ contactUrl: organisation.contactUrl }),
    ...(docs !== undefined && { documentationUrl: new URL(docs, base).href }),
    createdAt: createDateTime,
    updatedAt: updateDateTime,
    environment,
    version,
  };
}

const maturity = { prod: 'PROD', test: 'TEST', staging: 'TEST', dev: 'DEV' } as const;

/** beaconConfigurationSchema.json */
export function configuration(face: Face, view: View, base: string) {
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
export function entryTypes({ entryTypes: types }: Pick<Face, 'entryTypes'>, base: string) {
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
export function map({ entryTypes: types }: Face, base: string) {
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

function given<Texts extends Record<string, string | null>>(texts: Texts): Partial<Texts> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text)) as Partial<Texts>;
}

/** The same across restarts, unless there is neither a setting nor a dataset. */
function createdOf({ services }: Pick<Face, 'services'>, view: View): Date {
  const { settings, started } = services;
  if (settings.createDateTime) return settings.createDateTime;
  const [first] = datasetsOf(view).sort((one, other) => one.created.getTime() - other.created.getTime());
  return first?.created ?? started;
}

function datasetsOf({ open, listed }: View): Dataset[] {
  return [...open.map(({ dataset }) => dataset), ...listed];
}

/**
 * Registries read a beacon anew when this date changes. The second is that of the last change of a dataset that the caller may
 * query. A dataset that was removed, other settings and other terms have no date: the milliseconds are a digest of all that is
 * described, so that the date changes with them, too, and is the same in every process. Seconds are rounded up: an update does not
 * come before what it is of.
 */
function updatedOf(view: View, created: Date, described: unknown): Date {
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
