/** Requests whose BED file may come with them, as a multipart form. */
import { multipartType, type SmallForm } from '../../../core/files.js';
import type { RouteRequest } from '../../../core/plugin.js';

/** Bytes of a form around its file. */
export const formBytes = 2 * 2 ** 20;

export const bedDescription = 'The BED file, plain or gzip; instead of intervals_bed_path.';

export interface Sent {
  /** Fields as the endpoint's schema reads them. */
  fields: unknown;
  bed?: Buffer;
}

/** The fields of a JSON body, or of a form: there lists and objects are JSON texts. */
export function sentBy(request: Pick<RouteRequest<unknown, unknown, unknown>, 'body' | 'bodyType'>): Sent {
  if (request.bodyType !== multipartType) return { fields: request.body };
  const { fields, file } = request.body as SmallForm;
  const read = Object.entries(fields).map(([name, value]): [string, unknown] => {
    return [name, parsed(typeof value === 'string' ? value : (value.at(-1) ?? ''))];
  });
  return { fields: Object.fromEntries(read), ...(file === undefined ? {} : { bed: file }) };
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text; // said to be wrong where the field is checked
  }
}
