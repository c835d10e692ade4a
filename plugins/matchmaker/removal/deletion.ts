/** Deletes patients, with all that belongs to them. */
import { isFault } from '../../../core/plugin.js';
import type { Trail } from '../audit/trail.js';
import {
  matchmaker,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerTriage,
  type StoredPatient,
  thisNode,
} from '../contract.js';
import type { Submitter } from '../patient/saving.js';

export interface Deletion {
  /** Keeps the records in which the patient was the query. */
  leaveMatches?: boolean;
  /** Also removes the patient from the records in which others found it. */
  scrub: boolean;
  /** Whether people work with matches on this server. */
  triage: boolean;
}

export interface Deleted {
  patient: boolean;
  /** Records of matches that were deleted or changed. */
  records: number;
}

/**
 * Deletes a patient and the records of matches in which it was the query: its owner's, and those of others that asked with
 * this stored patient, but not those that asked about another patient with the same id. If no patient has the id, the
 * records of the writer's own queries with it are deleted. What people noted about it, and about matches with it, goes too.
 */
export function deletePatient(
  trail: Pick<Trail, 'transaction'>,
  id: string,
  { by, owner, all }: Submitter,
  { leaveMatches = false, scrub, triage }: Deletion,
): Promise<Deleted> {
  const writer = { owner, all };
  return trail.transaction(async (scope) => {
    const removed = await scope.repository(matchmaker).removePatient(id, writer).catch(noneOfTheirs);
    const matches = scope.repository(matchmakerMatches);
    const asked = writer.all ? undefined : { asker: writer.owner };
    const only = removed ? { asker: removed.owner, number: removed.number } : asked;
    let records = leaveMatches ? 0 : await matches.removeQueries(id, only);
    if (removed) {
      await scope.repository(matchmakerNodes).forget(removed.number);
      await scope.repository(matchmakerMail).forget(id, { own: true, nodes: namesOf(removed) });
      if (scrub) records += await matches.scrub(id, thisNode.id);
      await scope.trace([{ by, action: 'delete', patients: [id] }]);
    }
    if (triage) {
      const nodes = removed ? namesOf(removed) : only && [only.asker];
      await scope.repository(matchmakerTriage).forget({ submission: removed?.number, patient: id, nodes });
    }
    return { patient: removed !== undefined, records };
  });
}

/** Another owner's patient is treated like one that does not exist. */
function noneOfTheirs(error: unknown): undefined {
  if (!isFault(error) || error.code !== 'forbidden') throw error;
}

/** The node names under which notifications mention a stored patient: this node's, and its owner's if it was the query. */
export function namesOf(stored: Pick<StoredPatient, 'owner'> | undefined): string[] {
  return [thisNode.id, ...(stored ? [stored.owner] : [])];
}
