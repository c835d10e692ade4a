/** Answers requests for entries: one envelope for all entry types. */
import type { RequestHead } from '../../../../../core/plugin.js';
import { type Disclosed, type Granularity, least } from '../../../disclosure.js';
import { refuseUnknown, withoutRight } from '../../../domain/access.js';
import type { BeaconRequest, SchemaReference } from '../request/request.js';
import { absent } from './absent.js';
import type {
  Asked,
  CollectionEntryType,
  EntryRecord,
  EntrySchema,
  EntryType,
  Matches,
  Place,
  SetEntryType,
} from './entry-type.js';
import { baseOf, type Face, schemaUrl } from './face.js';
import { answerLevel, type Queried, takesPartialSets } from './level.js';
import { responseMeta } from './meta.js';
import { paged } from './paging.js';
import { viewOf } from './view.js';

export type AskingHead = RequestHead & { signal: AbortSignal };

export async function answer(face: Face, entry: EntryType, place: Place, request: BeaconRequest, head: AskingHead) {
  const asked = await askedOf(face, place, request, head);
  const { id } = face.services.settings;
  return entry.collectionOf ? collections(id, entry, asked) : resultSets(id, entry, asked);
}

async function askedOf(face: Face, place: Place, request: BeaconRequest, head: AskingHead): Promise<Asked> {
  const { services, testView } = face;
  const caller = await services.readAccess.callerOf(head);
  const view = request.testMode ? testView : await viewOf(services, caller);
  const known = [...view.open.map(({ dataset }) => dataset), ...view.listed];
  const asked = { request, place, caller, view, datasets: view.open, base: baseOf(face, head), signal: head.signal };
  if (place.kind === 'below' && place.type === 'dataset') {
    const datasets = view.open.filter(({ dataset }) => dataset.id === place.id);
    if (datasets.length === 0)
      throw view.listed.some(({ id }) => id === place.id) ? withoutRight(caller) : absent('dataset');
    refuseUnknown(request.datasets, known);
    return { ...asked, place: { kind: 'all' }, datasets: named(datasets, request.datasets) };
  }
  if (request.datasets.length === 0) return asked;
  refuseUnknown(request.datasets, known);
  const datasets = named(view.open, request.datasets);
  if (datasets.length === 0) throw withoutRight(caller);
  return { ...asked, datasets };
}

function named(datasets: readonly Disclosed[], ids: readonly string[]): readonly Disclosed[] {
  const wanted = new Set(ids);
  return ids.length === 0 ? datasets : datasets.filter(({ dataset }) => wanted.has(dataset.id));
}

async function collections(beaconId: string, entry: CollectionEntryType, asked: Asked) {
  const { request, place, base } = asked;
  const all = await entry.list(asked);
  if (place.kind === 'entry' && all.length === 0) throw absent(entry.id);
  const { skip, limit } = request.pagination;
  const granularity = request.include === 'NONE' ? least(request.granularity, 'count') : request.granularity;
  const isRecord = granularity === 'record';
  const schemas = isRecord ? [schemaOf(base, entry, entry.schema)] : [];
  return {
    meta: responseMeta(beaconId, request, { schemas, granularity }),
    responseSummary: summary(granularity, all.length),
    ...(isRecord && { response: { collections: all.slice(skip * limit, (skip + 1) * limit) } }),
    ...infoOf(request),
  };
}

async function resultSets(beaconId: string, entry: SetEntryType, asked: Asked) {
  const { request, place, base, datasets } = asked;
  const matches = await entry.find(asked);
  const byId = new Map(datasets.map((one) => [one.dataset.id, one]));
  const requested = request.include === 'NONE' ? least(request.granularity, 'count') : request.granularity;
  const levels = new Map(
    datasets.map((one) => [one.dataset.id, least(requested, entry.levelOf?.(one) ?? one.granularity)]),
  );
  if (levels.size > 0 && [...levels.values()].every((level) => level === 'boolean')) {
    const exists = await matches.exists();
    if (!exists && place.kind === 'entry') throw absent(entry.id);
    const meta = responseMeta(beaconId, request, { schemas: [], granularity: 'boolean' });
    return { meta, responseSummary: { exists }, ...infoOf(request, matches) };
  }
  const counts = levels.size > 0 ? await matches.counts() : new Map<string, number>();
  const queried: Queried[] = [...levels].map(([id, level]) => ({ id, level, count: counts.get(id) ?? 0 }));
  if (place.kind === 'entry' && counts.size === 0) throw absent(entry.id);
  const partial = takesPartialSets(request.apiVersion);
  const granularity = answerLevel(requested, queried, partial);
  const total = queried.reduce((sum, { level, count }) => (level === 'boolean' ? sum : sum + count), 0);
  const responseSummary = { ...summary(granularity, total), exists: counts.size > 0 };
  const note = granularity === requested ? undefined : reducedNote(requested, granularity);
  if (granularity !== 'record') {
    const meta = responseMeta(beaconId, request, { schemas: [], granularity });
    return { meta, responseSummary, ...infoOf(request, matches, note) };
  }
  const sets = shown(queried, request);
  const open = sets.filter(({ level, count }) => count > 0 && level === 'record');
  const isOpen = queried.every(({ level, count }) => count === 0 || level === 'record');
  const { records, schema, next } = await paged(matches, open, request.pagination);
  const told = sets.filter(({ level }) => level !== 'boolean').map(({ id }) => id);
  const setInfo = await matches.setInfo?.(told);
  return {
    meta: responseMeta(beaconId, request, {
      schemas: [schemaOf(base, entry, schema ?? entry.schema)],
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
function infoOf({ warnings }: BeaconRequest, matches?: Matches, more?: Readonly<Record<string, unknown>>) {
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

function shown(queried: readonly Queried[], { include }: BeaconRequest): readonly Queried[] {
  return include === 'ALL' ? queried : queried.filter(({ count }) => count > 0 === (include === 'HIT'));
}

/** Datasets that tell less than the answer have fewer members, which only clients of version 2.2 get to see. */
function resultSet(
  { id, level, count }: Queried,
  results: readonly EntryRecord[],
  partial: boolean,
  more?: Readonly<Record<string, unknown>>,
) {
  const set = { id, setType: 'dataset', exists: count > 0 };
  if (partial && level === 'boolean') return { ...set, info: { granularity: level } };
  const info = { ...(partial && level !== 'record' && { granularity: level }), ...more };
  const isTold = Object.keys(info).length > 0;
  return { ...set, resultsCount: count, countPrecision: 'exact', results, ...(isTold && { info }) };
}

function handoversOf(
  { level }: Queried,
  dataset: Disclosed | undefined,
  entry: SetEntryType,
  { request, base }: Asked,
) {
  if (!dataset || level !== 'record' || request.testMode) return undefined;
  const resultsHandovers = entry.handovers?.(dataset, base) ?? [];
  return resultsHandovers.length > 0 ? { resultsHandovers } : undefined;
}

function reducedNote(requested: Granularity, granularity: Granularity) {
  return { note: `Granularity ${requested} was requested; the queried datasets allow ${granularity}` };
}

function schemaOf(base: string, { id }: EntryType, schema: EntrySchema): SchemaReference {
  return { entityType: id, schema: schemaUrl(base, schema) };
}
