/** `GET /matches/<id>`: the searches with a patient as the query, and those that found it. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { type MatchCursor, type MatchPage, type MatchRecord, type StoredPatient, thisNode } from '../contract.js';
import { ownersIn } from '../http/access.js';
import {
  alsoSharingAnswer,
  messageAnswer,
  patientAnswer,
  protectedAnswers,
  refusal,
  stated,
  statements,
} from '../http/answers.js';
import { lastNumber, patientParams } from '../http/input.js';
import { recordPages } from '../matches/pages.js';
import { withoutNulls } from '../patient/schema.js';
import type { MatchmakerServices } from '../services.js';

const nodeName = z.strictObject({ id: z.string(), label: z.string() });

const record = z.strictObject({
  _id: z.strictObject({ $oid: z.string() }),
  created: z.strictObject({ $date: z.iso.datetime() }),
  data: z.strictObject({ patient: patientAnswer }),
  has_matches: z.literal(true),
  match_type: z.enum(['internal', 'external']),
  direction: z
    .enum(['incoming', 'outgoing'])
    .describe('`incoming`: a client queried this node; `outgoing`: this node queried another.'),
  results: z.array(
    z.strictObject({
      node: nodeName,
      patients: z.array(z.strictObject({ patient: patientAnswer, score: z.looseObject({ patient: z.number() }) })),
    }),
  ),
  errors: z.array(z.strictObject({ node: nodeName, error: z.string() })).optional(),
  _alsoSharing: alsoSharingAnswer,
});

/** Records read at a time for the complete list. */
const batch = 100;

/** Time in milliseconds and number, so that no patient's id appears in an address. */
const cursor = z
  .string()
  .regex(/^-?\d{1,13}\.\d{1,10}$/, 'must be the `next` of a page')
  .transform((text): MatchCursor => {
    const [time, number] = text.split('.').map(Number);
    return { created: new Date(time ?? 0), number: number ?? 0 };
  })
  .refine(({ number }) => number <= lastNumber, 'must be the `next` of a page');

function cursorText({ created, number }: MatchCursor): string {
  return `${created.getTime()}.${number}`;
}

const next = z.string().optional().describe('`after` for the next page; absent on the last page.');

export function matchesRoute(services: MatchmakerServices): RouteDeclaration {
  const { access, patients } = services;
  return route({
    method: 'GET',
    path: '/matches/:id',
    operation: 'listMatches',
    summary: 'List the match results of a patient',
    description:
      'For a patient of your own: your searches with it, and searches of others that found it. For any other id: only ' +
      'your own searches.',
    access: access.matches.access,
    params: patientParams,
    query: z.object({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe('Maximum number of entries on a page; if omitted, all entries.'),
      after: cursor.optional().describe('`next` of the previous page.'),
    }),
    answers: {
      200: {
        description: 'Searches with at least one match, newest first; a message if there are none.',
        content: {
          'application/json': z.union([z.strictObject({ ...stated, matches: z.array(record), next }), messageAnswer]),
        },
      },
      ...protectedAnswers,
      400: refusal('A parameter is not valid.'),
    },
    async handle(request) {
      const { id } = request.params;
      const { limit, after } = request.input;
      const reach = await access.matches.reachOf(request);
      const { by, owner, all } = reach;
      const own = all ? undefined : await patients.patient(id, ownersIn(reach));
      const none = { body: { message: `Could not find any matches in database for patient ID ${id}` } };
      // Only clients have searches of their own, with patients that are not stored here.
      if (!all && !own && !reach.isClient) return none;
      const page = {
        patient: id,
        limit: limit ?? batch,
        signal: request.signal,
        asker: all || own ? undefined : owner,
        after,
      };
      const reading: Reading = {
        isShown: (record) => own === undefined || concerns(record, own),
        trace: (records) => services.trail.add([{ by, action: 'read', patients: seen(services, records, id) }]),
      };
      const body = await (limit === undefined ? whole(services, page, reading) : onePage(services, page, reading));
      return body === undefined ? none : { body };
    },
  });
}

/** How the records of one patient are read. */
interface Reading {
  isShown(record: MatchRecord): boolean;
  /** Called before the records are sent. */
  trace(records: readonly MatchRecord[]): Promise<void>;
}

/**
 * Whom a reader of these records sees. The matchmaker's own trail has the patient that was asked for; the audit has every
 * patient of this node.
 */
function seen({ trail }: Pick<MatchmakerServices, 'trail'>, records: readonly MatchRecord[], id: string): string[] {
  if (!trail.joined) return [id];
  return [...new Set(records.flatMap(oursIn))];
}

function oursIn({ patient, number, direction, results }: MatchRecord): string[] {
  const queries = number !== undefined || direction === 'outgoing' ? [patient.id] : [];
  const found = results.filter(({ node }) => node.id === thisNode.id).flatMap(({ patients }) => patients);
  return [...queries, ...found.map((one) => one.patient.id)];
}

function shown({ id, created, type, direction, patient, results, errors, alsoSharing }: MatchRecord) {
  return {
    _id: { $oid: id },
    created: { $date: created.toISOString() },
    data: { patient },
    has_matches: true as const,
    match_type: type,
    direction,
    // Other nodes send null for what they do not have; clients go through lists that are there.
    results: withoutNulls(results),
    errors: type === 'external' ? errors : undefined,
    _alsoSharing: alsoSharing,
  };
}

/**
 * Whether a search concerns this stored patient, rather than another one that a client calls by the same id: it was the
 * query of its owner or of an administrator, or it was found. Only searches on this node can find it, and those of other
 * clients only after it was stored.
 */
function concerns({ asker, number, patient, type, created, results }: MatchRecord, own: StoredPatient): boolean {
  const isOwners = asker === own.owner;
  const { id } = own.patient;
  if (patient.id === id && (isOwners || number === own.number)) return true;
  if (type !== 'internal' || (!isOwners && created < own.created)) return false;
  return results.some(({ patients }) => patients.some((found) => found.patient.id === id));
}

/** All records as a stream; undefined if there are none. */
async function whole(
  { matches, settings, trail }: Pick<MatchmakerServices, 'matches' | 'settings' | 'trail'>,
  first: MatchPage,
  { isShown, trace }: Reading,
) {
  const batches = shownPages();
  const begun = await batches.next();
  if (begun.done) return undefined;
  return objectWithList(statements(settings), 'matches', rest(begun.value));

  async function* shownPages() {
    let isTraced = false;
    for await (const records of recordPages(matches, first)) {
      const found = records.filter(isShown);
      if (found.length === 0) continue;
      // The matchmaker's own trail has one entry for the whole list.
      if (trail.joined || !isTraced) await trace(found);
      isTraced = true;
      yield found.map(shown);
    }
  }
  async function* rest(one: ReturnType<typeof shown>[]) {
    yield one;
    yield* batches;
  }
}

/** The first page with a record to show. It may hold fewer than the limit although there is a next page. */
async function onePage(
  { matches, settings }: Pick<MatchmakerServices, 'matches' | 'settings'>,
  first: MatchPage,
  { isShown, trace }: Reading,
) {
  for (let page = first; ; ) {
    const { records, next } = await matches.matches(page);
    const found = records.filter(isShown);
    if (found.length > 0) {
      await trace(found);
      return { ...statements(settings), matches: found.map(shown), next: next && cursorText(next) };
    }
    if (next === undefined) return undefined;
    page = { ...page, after: next };
  }
}

/** A JSON object of the members and, under the name, a list of which one batch at a time is in memory. */
function objectWithList(members: object, name: string, batches: AsyncIterable<readonly unknown[]>): Readable {
  return Readable.from(texts(), { objectMode: false });

  async function* texts(): AsyncGenerator<string> {
    const before = JSON.stringify(members).slice(1, -1);
    yield `{${before}${before === '' ? '' : ','}${JSON.stringify(name)}:[`;
    let isFirst = true;
    for await (const batch of batches) {
      for (const entry of batch) {
        yield `${isFirst ? '' : ','}${JSON.stringify(entry)}`;
        isFirst = false;
      }
    }
    yield ']}';
  }
}
