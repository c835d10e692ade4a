/** What requests bring: ids in paths, pages of lists, bodies. */
import { z } from 'zod';
import { Fault } from '../../../core/plugin.js';

/** No id of a patient or node is longer. */
export const idInAddress = () => z.string().max(255, 'is longer than 255 characters');

/** Of a route with `/:id`. */
export const patientParams = z.object({ id: idInAddress() });

/** The greatest number that a row can have. */
export const lastNumber = 2 ** 31 - 1;

/** Cursors are row numbers, so that no patient's id appears in an address. */
export function paging(usual: number) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(1000).default(usual).describe('Maximum number of entries on a page.'),
    after: z.coerce.number().int().min(0).max(lastNumber).optional().describe('`next` of the previous page.'),
  });
}

/** Throws `invalid` if there is no body: an empty body is not JSON. */
export function requiredBody(body: unknown): unknown {
  if (body === undefined) throw new Fault('invalid', 'The body is empty');
  return body;
}
