/**
 * What clients ask about one stored patient: `GET /matches/<id>`, the searches with it and those that found it, and `POST
 * /match/external/<id>`, which queries other nodes with it.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { type MatchCursor, type MatchPage, type MatchRecord, type StoredPatient, thisNode } from '../contract.js';
import {
  alsoSharingAnswer,
  idInAddress,
  lastNumber,
  messageAnswer,
  patientAnswer,
  patientParams,
  protectedAnswers,
  refusalAnswer,
  statements,
  statementsAnswer,
  unlessEmpty,
} from '../exchange/protocol.js';
import { recordPages } from '../matches/contract.js';
import { withoutNulls } from '../patients/reading.js';
import type { MatchmakerServices } from '../services.js';
import { ownersIn } from './access.js';

const nodeName = z.strictObject({ id: z.string(), label: z.string() });

/** What each node found. */
const resultAnswers = z.array(
  z.strictObject({
    node: nodeName,
    patients: z.array(z.strictObject({ patient: patientAnswer, score: z.looseObject({ patient: z.number() }) })),
  }),
);

const record = z.strictObject({
  _id: z.strictObject({ $oid: z.string() }),
  created: z.strictObject({ $date: z.iso.datetime() }),
  data: z.strictObject({ patient: patientAnswer }),
  has_matches: z.literal(true),
  match_type: z.enum(['internal', 'external']),
  direction: z
    .enum(['incoming', 'outgoing'])
    .describe('`incoming`: a client queried this node; `outgoing`: this node queried another.'),
  results: resultAnswers,
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
          'application/json': z.union([
            z.strictObject({ ...statementsAnswer, matches: z.array(record), next }),
            messageAnswer,
          ]),
        },
      },
      ...protectedAnswers,
      400: refusalAnswer('A parameter is not valid.'),
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
      const reading: MatchRecordsReader = {
        isShown: (record) => own === undefined || concerns(record, own),
        trace: (records) => services.trail.add([{ by, action: 'read', patients: seenPatients(services, records, id) }]),
      };
      const body = await (limit === undefined ? allRecords(services, page, reading) : onePage(services, page, reading));
      return body === undefined ? none : { body };
    },
  });
}

/** How the records of one patient are read. */
interface MatchRecordsReader {
  isShown(record: MatchRecord): boolean;
  /** Called before the records are sent. */
  trace(records: readonly MatchRecord[]): Promise<void>;
}

/**
 * Whom a reader of these records sees. The matchmaker's own trail has the patient that was asked for; the audit has every
 * patient of this node.
 */
function seenPatients(
  { trail }: Pick<MatchmakerServices, 'trail'>,
  records: readonly MatchRecord[],
  id: string,
): string[] {
  if (!trail.joined) return [id];
  return [...new Set(records.flatMap(oursIn))];
}

function oursIn({ patient, number, direction, results }: MatchRecord): string[] {
  const queries = number !== undefined || direction === 'outgoing' ? [patient.id] : [];
  const found = results.filter(({ node }) => node.id === thisNode.id).flatMap(({ patients }) => patients);
  return [...queries, ...found.map((one) => one.patient.id)];
}

function recordAnswer({ id, created, type, direction, patient, results, errors, alsoSharing }: MatchRecord) {
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
async function allRecords(
  { matches, settings, trail }: Pick<MatchmakerServices, 'matches' | 'settings' | 'trail'>,
  first: MatchPage,
  { isShown, trace }: MatchRecordsReader,
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
      yield found.map(recordAnswer);
    }
  }
  async function* rest(one: ReturnType<typeof recordAnswer>[]) {
    yield one;
    yield* batches;
  }
}

/** The first page with a record to show. It may hold fewer than the limit although there is a next page. */
async function onePage(
  { matches, settings }: Pick<MatchmakerServices, 'matches' | 'settings'>,
  first: MatchPage,
  { isShown, trace }: MatchRecordsReader,
) {
  for (let page = first; ; ) {
    const { records, next } = await matches.matches(page);
    const found = records.filter(isShown);
    if (found.length > 0) {
      await trace(found);
      return { ...statements(settings), matches: found.map(recordAnswer), next: next && cursorText(next) };
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

// `POST /match/external/<id>`: queries other nodes with a stored patient.

const externalAnswer = z.strictObject({
  ...statementsAnswer,
  results: resultAnswers.describe('The patients that each responding node found.'),
  errors: z
    .array(z.strictObject({ node: nodeName, error: z.string() }))
    .describe(
      'The error of each node that failed or rests, has not responded yet, or sent a response invalid in part.',
    ),
  _pending: z
    .array(nodeName)
    .optional()
    .describe('Nodes that have not responded in time; what they find is recorded, and listed by /matches.'),
});

/** Seconds: more than any proxy waits. */
const longestWait = 300;

export function externalRoute({
  settings,
  access,
  patients,
  exchange,
  mail,
  trail,
}: MatchmakerServices): RouteDeclaration {
  return route({
    method: 'POST',
    path: '/match/external/:id',
    operation: 'matchExternal',
    summary: 'Search connected nodes for patients similar to a stored patient',
    description:
      'Sends the patient, which must be your own, to all connected nodes or to one of them, and returns what came within ' +
      '`timeout` seconds, or the `wait` of the header `Prefer`, or the configured time. Later responses are recorded: ' +
      '/matches lists them. Nodes that did not respond are queried again. A node that failed rests for a while and is ' +
      'queried before only if `node` names it.',
    access: access.load.access,
    params: patientParams,
    query: z.object({
      node: idInAddress().optional().describe('Query only this node; its id is listed by /nodes.'),
      timeout: z.coerce
        .number('must be a number of seconds')
        .min(0, 'must not be negative')
        .max(longestWait, `must not exceed ${longestWait} seconds`)
        .optional()
        .describe('Seconds to wait for responses.'),
    }),
    answers: {
      200: {
        description: 'The results of the nodes, or a message if none was queried.',
        content: { 'application/json': z.union([externalAnswer, messageAnswer]) },
      },
      ...protectedAnswers,
      400: refusalAnswer('A parameter is not valid.'),
    },
    async handle(request) {
      const {
        params: { id },
        input: { node: only, timeout },
        headers,
        signal,
      } = request;
      const reach = await access.load.reachOf(request);
      // A patient of another owner looks like one that does not exist.
      const stored = await patients.patient(id, ownersIn(reach));
      if (!stored) {
        return { body: { message: `ERROR. Could not find any patient with ID ${id} in database` } };
      }
      const peers = await exchange.peers(signal);
      const asked = only === undefined ? peers : peers.filter((peer) => peer.id === only);
      if (only !== undefined && asked.length === 0) {
        return { body: { message: `ERROR. Could not find any connected node with id ${only} in database` } };
      }
      if (asked.length === 0) {
        return { body: { message: 'Could not find any other node connected to this MatchMaker server' } };
      }
      const [patientIds, nodes] = [[id], asked.map((peer) => peer.id)];
      await trail.further({ by: reach.by, action: 'search', patients: patientIds, nodes });
      const preferred = timeout === undefined ? preferredWait(headers.prefer) : undefined;
      const seconds = timeout ?? preferred ?? settings.exchange.waitSeconds;
      const name = randomUUID();
      const { outcomes, pending } = await exchange.searchFor(stored, asked, {
        name,
        waitMs: seconds * 1000,
        named: only !== undefined,
        signal,
        ended: () => mail.over(name),
      });
      return {
        ...(preferred !== undefined && { headers: { 'Preference-Applied': `wait=${preferred}` } }),
        body: {
          ...statements(settings),
          results: outcomes.flatMap(({ node, patients }) => (patients ? [{ node, patients }] : [])),
          errors: outcomes.flatMap(({ node, error }) => (error === undefined ? [] : [{ node, error }])),
          _pending: unlessEmpty(pending),
        },
      };
    },
  });
}

/** The `wait` of the header `Prefer` (RFC 7240), in whole seconds. A preference that is not valid is ignored. */
function preferredWait(header: string | string[] | undefined): number | undefined {
  for (const preference of [header ?? []].flat().join().split(',')) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), longestWait);
  }
  return undefined;
}
