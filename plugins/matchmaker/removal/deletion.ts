/** Deleting patients, and all that goes with them. */
import { isFault, type StorageScope } from '../../../core/plugin.js';
import {
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  type StoredPatient,
  type Writer,
} from '../contract.js';
import { thisNode } from '../nodes/this-node.js';

export interface DeletionOptions {
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result>;
  now(): Date;
}

export interface Deletion {
  /** Leaves the records in which the patient was the query. */
  leaveMatches?: boolean;
  /** Takes the patient out of the records in which others found it, too. */
  scrub: boolean;
}

export interface Deleted {
  patient: boolean;
  /** Records of matches that were deleted or changed. */
  records: number;
}

/**
 * Deletes a patient and the records of matches in which it was the query: those of its owner, and those of others with
 * the patient that is stored here, but not what somebody else asked of another patient with the same id. An id that is
 * no patient's may still be one that the writer asked about: those records go too.
 */
export function deletePatient(
  { transaction, now }: DeletionOptions,
  id: string,
  writer: Writer,
  { leaveMatches = false, scrub }: Deletion,
): Promise<Deleted> {
  return transaction(async (scope) => {
    const removed = await scope.repository(matchmaker).removePatient(id, writer).catch(noneOfTheirs);
    const matches = scope.repository(matchmakerMatches);
    const asked = writer.all ? undefined : { asker: writer.owner };
    const only = removed ? { asker: removed.owner, number: removed.number } : asked;
    let records = leaveMatches ? 0 : await matches.removeQueries(id, only);
    if (removed) {
      await scope.repository(matchmakerNodes).forget(removed.number);
      await scope.repository(matchmakerMail).forget(id, { own: true, nodes: namesOf(removed) });
      if (scrub) records += await matches.scrub(id, thisNode.id);
      await scope.repository(matchmakerAudit).add([{ at: now(), actor: writer.owner, action: 'delete', patient: id }]);
    }
    return { patient: removed !== undefined, records };
  });
}

/** Another owner's patient is deleted no more than one that does not exist, and not told from it. */
function noneOfTheirs(error: unknown): undefined {
  if (!isFault(error) || error.code !== 'forbidden') throw error;
}

/** The names under which submitters of others hear of a patient that is stored here: where it is kept, or who asked. */
export function namesOf(stored: Pick<StoredPatient, 'owner'> | undefined): string[] {
  return [thisNode.id, ...(stored ? [stored.owner] : [])];
}
