/** Records searches of this node, with what was seen and the mails about it. */
import { gather } from '../../../core/plugin.js';
import type { Trace, Trail } from '../audit/trail.js';
import { matchmakerMatches, type NewMatch, type NewNotice, type Sighting } from '../contract.js';
import { queueNotices } from '../mail/notices.js';
import type { Outbox } from '../mail/outbox.js';
import { noteSightings } from '../triage/sightings.js';

export interface Recording {
  match: NewMatch;
  /** Who received which patients. */
  traces: readonly Trace[];
  notices: readonly NewNotice[];
  sightings: readonly Sighting[];
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
      const isTold = await trail.transaction(async (scope) => {
        await scope.repository(matchmakerMatches).add(...recordings.map(({ match }) => match));
        await scope.trace(recordings.flatMap(({ traces }) => traces));
        const notices = recordings.flatMap((one) => one.notices);
        const isQueued = await queueNotices(scope, notices);
        const sightings = recordings.flatMap((one) => one.sightings);
        await noteSightings(scope, sightings);
        return isQueued;
      });
      if (isTold) mail.wake();
      return recordings.map(() => undefined);
    },
    most: recordedAtOnce,
    // A second transaction would only wait for the first: all write to the same tables, on one disk.
    groups: 1,
  });
}
