/** Pages over the result sets of an answer: the limit is that of the whole answer. */

import { largestLimit, type Pagination } from '../request/request.js';
import { invalid } from '../request/values.js';
import type { EntryRecord, Matches, Page, PageStart } from './entry-type.js';

/** Records that may be skipped by number. Beyond, pages follow each other by `nextPage`, which costs the same at any depth. */
export const deepest = 100 * largestLimit;

export interface Paged {
  /** The records of the page by dataset. */
  records: ReadonlyMap<string, readonly EntryRecord[]>;
  schema: Page['schema'];
  /** Token of the next page. */
  next: string | undefined;
}

/** `sets` have matches, and are in the order of the answer. */
export async function paged(
  matches: Matches,
  sets: readonly { id: string; count: number }[],
  { skip, limit, page }: Pagination,
): Promise<Paged> {
  const records = new Map<string, readonly EntryRecord[]>();
  let schema: Page['schema'];
  let left = limit;
  const { at, from } = page === undefined ? skipped(sets, skip * limit) : continued(sets, page);
  let start: PageStart = from;
  for (let i = at; i < sets.length; i++) {
    const { id } = sets[i] as { id: string };
    const found = await matches.page(id, start, left);
    records.set(id, found.records);
    schema ??= found.schema;
    left -= found.records.length;
    if (found.next !== undefined) return { records, schema, next: tokenOf(id, found.next) };
    start = { skip: 0 };
    const following = sets[i + 1];
    if (left <= 0 && following) return { records, schema, next: tokenOf(following.id) };
  }
  return { records, schema, next: undefined };
}

function skipped(sets: readonly { count: number }[], records: number): { at: number; from: PageStart } {
  if (records > deepest) throw invalid(`skip may pass over ${deepest} records; continue with nextPage as currentPage`);
  let left = records;
  const at = sets.findIndex(({ count }) => {
    if (left < count) return true;
    left -= count;
    return false;
  });
  return { at: at < 0 ? sets.length : at, from: { skip: left } };
}

function continued(sets: readonly { id: string }[], token: string): { at: number; from: PageStart } {
  const { dataset, cursor } = readToken(token);
  const at = sets.findIndex(({ id }) => id >= dataset);
  const found = sets[at];
  if (!found) return { at: sets.length, from: { skip: 0 } };
  return { at, from: found.id === dataset && cursor !== '' ? { cursor } : { skip: 0 } };
}

function tokenOf(dataset: string, cursor = ''): string {
  return Buffer.from(JSON.stringify([dataset, cursor])).toString('base64url');
}

function readToken(token: string): { dataset: string; cursor: string } {
  try {
    const [dataset, cursor, ...more]: unknown[] = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (typeof dataset === 'string' && typeof cursor === 'string' && more.length === 0) return { dataset, cursor };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw notAPage();
}

/** For entries whose cursor is not valid, too. */
export function notAPage() {
  return invalid('currentPage must be the nextPage of an earlier response');
}
