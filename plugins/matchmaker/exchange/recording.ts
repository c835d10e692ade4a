/** Records searches of this node, with what was seen and the mails about it. */
import { randomUUID } from 'node:crypto';
import { gather } from '../../../core/plugin.js';
import type { Acting, Trace, TracedScope, Trail } from '../audit/trail.js';
import {
  type MatchedPatient,
  matchmakerMatches,
  type NewMatch,
  type NewNotice,
  type Sighting,
  thisNode,
} from '../contract.js';
import type { GeneTable } from '../genes/gene-table.js';
import { type LocalSearch, queueNotices } from '../mail/notices.js';
import type { Outbox } from '../mail/outbox.js';
import type { Found } from '../matches/search.js';
import { purposeOf } from '../patient/extensions.js';
import { presented } from '../patient/present.js';
import { noteSightings } from '../triage/sightings.js';

export interface Recording {
  matches: readonly NewMatch[];
  /** Who received which patients. */
  traces: readonly Trace[];
  notices: readonly NewNotice[];
  sightings: readonly Sighting[];
}

/** A record of patients stored here that were found, as the client receives them. */
export function internalMatch(
  about: Pick<NewMatch, 'created' | 'asker' | 'patient'> & Partial<NewMatch>,
  patients: MatchedPatient[],
): NewMatch {
  const results = patients.length === 0 ? [] : [{ node: thisNode, patients }];
  const own = { id: randomUUID(), type: 'internal', direction: 'incoming', results } as const;
  return { ...own, errors: [], matchedGenes: [], ...about };
}

/** What is recorded of a search among the patients stored here, apart from mails and rows. */
export function recordingOf(
  { patient, own, asker, alsoSharing }: LocalSearch & Pick<Found, 'alsoSharing'>,
  patients: MatchedPatient[],
  { by, genes, ...more }: { by: Acting; genes: GeneTable; created: Date } & Partial<NewMatch>,
): Pick<Recording, 'matches' | 'traces'> {
  const shown = { asker, number: own?.number, patient: presented(patient, genes) };
  const match = internalMatch({ ...shown, ...(alsoSharing > 0 && { alsoSharing }), ...more }, patients);
  const ids = patients.map((found) => found.patient.id);
  const query = { id: patient.id, isStored: own !== undefined };
  const traces: Trace[] = [{ by, action: 'match', patients: ids, query, purpose: purposeOf(patient) }];
  return { matches: [match], traces: ids.length === 0 ? [] : traces };
}

/** Records in a transaction, which it must end; returns whether there are mails to send. */
export async function record(scope: TracedScope, ...recordings: readonly Recording[]): Promise<boolean> {
  await scope.repository(matchmakerMatches).add(...recordings.flatMap(({ matches }) => matches));
  await scope.trace(recordings.flatMap(({ traces }) => traces));
  const notices = recordings.flatMap((one) => one.notices);
  const isTold = await queueNotices(scope, notices);
  const sightings = recordings.flatMap((one) => one.sightings);
  await noteSightings(scope, sightings);
  return isTold;
}

/** Recorded in one transaction, which is then still short. */
const recordedAtOnce = 100;

/**
 * Returns a function that records a search, or one that is under way, and resolves once it is committed. Searches at the same
 * time share a transaction: what it does is in the order in which they end, and all of it is done or nothing.
 */
export function recorder(
  trail: Pick<Trail, 'transaction'>,
  mail: Pick<Outbox, 'wake'>,
): (search: Promise<Recording>) => Promise<undefined> {
  return gather<Recording, undefined>({
    async together(recordings) {
      if (await trail.transaction((scope) => record(scope, ...recordings))) mail.wake();
      return recordings.map(() => undefined);
    },
    most: recordedAtOnce,
    // A second transaction would only wait for the first: all write to the same tables, on one disk.
    groups: 1,
  });
}
