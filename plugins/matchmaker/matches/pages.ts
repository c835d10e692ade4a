/** All records of a patient, page by page. */
import type { MatchCursor, MatchPage, MatchRecord, MatchRepository } from './contract.js';

/** From the cursor of the first page to the last record, newest first. */
export async function* recordPages(
  repository: Pick<MatchRepository, 'matches'>,
  first: MatchPage,
): AsyncGenerator<MatchRecord[]> {
  let after: MatchCursor | undefined = first.after;
  do {
    const { records, next } = await repository.matches(after === undefined ? first : { ...first, after });
    if (records.length > 0) yield records;
    after = next;
  } while (after !== undefined);
}
