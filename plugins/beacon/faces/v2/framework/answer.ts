/**
 * A request for entries, stage by stage: one route for each endpoint of the map, what the caller may see of it, the matches of
 * its entry type, and one envelope for all entry types.
 */
import { z } from 'zod';
import { type RequestHead, type RouteDeclaration, route } from '../../../../../core/plugin.js';
import { coveredDatasets, includedResponses } from '../../../ask.js';
import { type DisclosedDataset, type Granularity, least, most } from '../../../disclosure.js';
import { refuseUnknown, withoutRight } from '../../../rights.js';
import {
  addressOfFace,
  type CollectionEntryType,
  type Endpoint,
  type EntryMatches,
  type EntryRecord,
  type EntryRequest,
  type EntrySchema,
  type EntrySelection,
  type EntryType,
  endpointSets,
  entryAbsent,
  type Face,
  root,
  type SetEntryType,
  schemaUrl,
  viewOfCaller,
} from './entry-type.js';
import { failures, pageOfMatches, responseMeta } from './envelope.js';
import { beaconRequestOf, bodyDeclaration, framework, queryDeclaration } from './read-request.js';
import type { BeaconRequest, SchemaReference } from './request.js';

const answered = z
  .looseObject({
    meta: z.looseObject({}),
    responseSummary: z.looseObject({ exists: z.boolean() }),
    response: z.looseObject({}).optional().describe('Result sets or collections; absent unless records are returned.'),
  })
  .meta({ id: 'BeaconV2Answer' });

const params = z.object({ id: z.string().optional() });

export function entryRoutes(face: Face): RouteDeclaration[] {
  return endpointSets(face.entryTypes).flatMap(({ all, single, related }) =>
    [all, single, ...related.values()].map((endpoint) => entryRoute(face, endpoint)),
  );
}

function entryRoute(face: Face, { path, returns, place }: Endpoint): RouteDeclaration {
  const { granularity } = face.services.settings.disclosure;
  const accepted = { framework, parameters: returns.parameters, granularity };
  return route({
    method: ['GET', 'POST'],
    path: root + path.replace('{id}', ':id'),
    operation: operationOf(path),
    summary: `${returns.name}: ${path}`,
    description: returns.description,
    params,
    query: queryDeclaration(accepted),
    body: bodyDeclaration,
    optionalAccess: face.services.readAccess,
    anyOrigin: true,
    answers: {
      200: {
        description: 'Whether there are entries, how many, or which.',
        content: { 'application/json': answered },
      },
      ...failures,
    },
    async handle(head) {
      const request = beaconRequestOf(head, accepted);
      return { body: await answerEntries(face, returns, place(head.params.id ?? ''), request, head) };
    },
  });
}

/** `beaconV2DatasetsIdGVariants` */
function operationOf(path: string): string {
  const words = path.match(/[A-Za-z]+/g) ?? [];
  return `beaconV2${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
}

type EntryRequestHead = RequestHead & { signal: AbortSignal };

async function answerEntries(
  face: Face,
  entry: EntryType,
  place: EntrySelection,
  request: BeaconRequest,
  head: EntryRequestHead,
) {
  const asked = await entryRequestOf(face, place, request, head);
  const { id } = face.services.settings;
  return entry.collectionOf ? collections(id, entry, asked) : resultSets(id, entry, asked);
}

async function entryRequestOf(
  face: Face,
  place: EntrySelection,
  request: BeaconRequest,
  head: EntryRequestHead,
): Promise<EntryRequest> {
  const { services, testView } = face;
  const caller = await services.readAccess.callerOf(head);
  const view = request.testMode ? testView : await viewOfCaller(services, caller);
  const { covered, unknown } = coveredDatasets(request.datasets, view.open, view.listed);
  const asked = { request, place, view, base: addressOfFace(face, head), signal: head.signal };
  if (place.kind === 'below' && place.type === 'dataset') {
    if (view.open.every(({ dataset }) => dataset.id !== place.id))
      throw view.listed.some(({ id }) => id === place.id) ? withoutRight(caller) : entryAbsent('dataset');
    refuseUnknown(unknown);
    return { ...asked, place: { kind: 'all' }, datasets: covered.filter(({ dataset }) => dataset.id === place.id) };
  }
  refuseUnknown(unknown);
  if (request.datasets.length > 0 && covered.length === 0) throw withoutRight(caller);
  return { ...asked, datasets: covered };
}

async function collections(beaconId: string, entry: CollectionEntryType, asked: EntryRequest) {
  const { request, place, base } = asked;
  const listed = await entry.list(asked);
  const all = place.kind === 'entry' ? listed.filter(({ id }) => id === place.id) : listed;
  if (place.kind === 'entry' && all.length === 0) throw entryAbsent(entry.id);
  const { skip, limit } = request.pagination;
  const granularity = request.include === 'NONE' ? least(request.granularity, 'count') : request.granularity;
  const isRecord = granularity === 'record';
  const schemas = isRecord ? [schemaReference(base, entry, entry.schema)] : [];
  return {
    meta: responseMeta(beaconId, request, { schemas, granularity }),
    responseSummary: summary(granularity, all.length),
    ...(isRecord && { response: { collections: all.slice(skip * limit, (skip + 1) * limit) } }),
    ...infoOf(request),
  };
}

async function resultSets(beaconId: string, entry: SetEntryType, asked: EntryRequest) {
  const { request, place, base, datasets } = asked;
  const matches = await entry.find(asked);
  const byId = new Map(datasets.map((one) => [one.dataset.id, one]));
  const requested = request.include === 'NONE' ? least(request.granularity, 'count') : request.granularity;
  const levels = new Map(
    datasets.map((one) => [one.dataset.id, least(requested, entry.levelOf?.(one) ?? one.granularity)]),
  );
  if (levels.size > 0 && [...levels.values()].every((level) => level === 'boolean')) {
    const exists = await matches.exists();
    if (!exists && place.kind === 'entry') throw entryAbsent(entry.id);
    const meta = responseMeta(beaconId, request, { schemas: [], granularity: 'boolean' });
    return { meta, responseSummary: { exists }, ...infoOf(request, matches) };
  }
  const counts = levels.size > 0 ? await matches.counts() : new Map<string, number>();
  const queried = [...levels].map(([id, level]): QueriedDataset => {
    const count = counts.get(id) ?? 0;
    return { id, level, count, exists: count > 0 };
  });
  if (place.kind === 'entry' && counts.size === 0) throw entryAbsent(entry.id);
  const partial = takesPartialSets(request.apiVersion);
  const granularity = answerLevel(requested, queried, partial);
  const total = queried.reduce((sum, { level, count }) => (level === 'boolean' ? sum : sum + count), 0);
  const responseSummary = { ...summary(granularity, total), exists: counts.size > 0 };
  const note = granularity === requested ? undefined : reducedNote(requested, granularity);
  if (granularity !== 'record') {
    const meta = responseMeta(beaconId, request, { schemas: [], granularity });
    return { meta, responseSummary, ...infoOf(request, matches, note) };
  }
  const sets = includedResponses(request.include, queried);
  const open = sets.filter(({ level, exists }) => exists && level === 'record');
  const isOpen = queried.every(({ level, exists }) => !exists || level === 'record');
  const { records, schema, next } = await pageOfMatches(matches, open, request.pagination);
  const told = sets.filter(({ level }) => level !== 'boolean').map(({ id }) => id);
  const setInfo = await matches.setInfo?.(told);
  return {
    meta: responseMeta(beaconId, request, {
      schemas: [schemaReference(base, entry, schema ?? entry.schema)],
      granularity,
      next,
    }),
    responseSummary,
    response: {
      resultSets: sets.map((set) => ({
        beaconId,
        ...resultSet(set, records.get(set.id) ?? [], partial, setInfo?.get(set.id)),
        ...handoversOf(set, byId.get(set.id), entry, asked),
      })),
    },
    ...infoOf(request, matches, isOpen ? matches.recordInfo?.() : undefined),
  };
}

/** Warnings of how the request is written come before those of what it asks for. */
function infoOf({ warnings }: BeaconRequest, matches?: EntryMatches, more?: Readonly<Record<string, unknown>>) {
  const found = matches?.info?.();
  const all = [...warnings, ...((found?.warnings ?? []) as readonly string[])];
  const told = { ...found, ...(all.length > 0 && { warnings: all }), ...more };
  return Object.keys(told).length > 0 && { info: told };
}

/** `responseSummary`: over all queried datasets, whichever result sets are shown. */
function summary(granularity: Granularity, count: number) {
  if (granularity === 'boolean') return { exists: count > 0 };
  return { exists: count > 0, numTotalResults: count, countPrecision: 'exact' };
}

/** Datasets with a coarser granularity than the answer have fewer members, which only clients of version 2.2 get to see. */
function resultSet(
  { id, level, count, exists }: QueriedDataset,
  results: readonly EntryRecord[],
  partial: boolean,
  more?: Readonly<Record<string, unknown>>,
) {
  const set = { id, setType: 'dataset', exists };
  if (partial && level === 'boolean') return { ...set, info: { granularity: level } };
  const info = { ...(partial && level !== 'record' && { granularity: level }), ...more };
  const isTold = Object.keys(info).length > 0;
  return { ...set, resultsCount: count, countPrecision: 'exact', results, ...(isTold && { info }) };
}

function handoversOf(
  { level }: QueriedDataset,
  dataset: DisclosedDataset | undefined,
  entry: SetEntryType,
  { request, base }: EntryRequest,
) {
  if (!dataset || level !== 'record' || request.testMode) return undefined;
  const resultsHandovers = entry.handovers?.(dataset, base) ?? [];
  return resultsHandovers.length > 0 ? { resultsHandovers } : undefined;
}

function reducedNote(requested: Granularity, granularity: Granularity) {
  return { note: `Granularity ${requested} was requested; the queried datasets allow ${granularity}` };
}

function schemaReference(base: string, { id }: EntryType, schema: EntrySchema): SchemaReference {
  return { entityType: id, schema: schemaUrl(base, schema) };
}

// The granularity of an answer whose datasets allow different ones.

/** A queried dataset: its granularity for this request, and how many matches it has. */
interface QueriedDataset {
  id: string;
  level: Granularity;
  count: number;
  exists: boolean;
}

/**
 * The granularity of an answer. Clients of version 2.2 and later accept result sets that differ: they get the finest granularity
 * that any dataset with a match allows. For others every result set has the same one: the coarsest that one of these allows.
 */
function answerLevel(requested: Granularity, queried: readonly QueriedDataset[], perDataset: boolean): Granularity {
  const hits = queried.filter(({ exists }) => exists).map(({ level }) => level);
  const [first, ...more] = hits;
  if (first !== undefined) return perDataset ? most(first, ...more) : least(first, ...more);
  const [one, ...others] = queried.map(({ level }) => level);
  return one === undefined ? requested : most(one, ...others);
}

/** Whether a client of that version accepts result sets without counts or records: from 2.2 on. */
function takesPartialSets(apiVersion: string): boolean {
  const [, major = '0', minor = '0'] = /^v?(\d{1,4})\.(\d{1,4})/.exec(apiVersion) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 2);
}
