/** Long lists in pages. Cursors are numbers of ours: no id of a patient gets into an address by them. */
import { z } from 'zod';

/** The greatest number that a row can have. */
export const lastNumber = 2 ** 31 - 1;

export function paging(usual: number) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(1000).default(usual).describe('Entries on a page, at most.'),
    after: z.coerce.number().int().min(0).max(lastNumber).optional().describe('The `next` of the page before.'),
  });
}

export const next = z.int().optional().describe('There are more: the `after` of the next page.');
