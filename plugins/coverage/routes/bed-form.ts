/** Requests that may carry their BED file, as a multipart form. */
import { multipartType, type SmallForm } from '../../../core/files.js';
import type { RouteRequest } from '../../../core/plugin.js';

/** Bytes of a form around its file. */
export const formBytes = 2 * 2 ** 20;

export const bedDescription = 'The BED file, plain or gzip; instead of intervals_bed_path.';

export interface SentWithBed {
  /** Fields, to be checked by the endpoint's schema. */
  fields: unknown;
  bed?: Buffer;
}

/** The fields of a JSON body, or of a form, in which lists and objects are JSON text. */
export function sentWithBed(request: Pick<RouteRequest<unknown, unknown, unknown>, 'body' | 'bodyType'>): SentWithBed {
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
    return text; // reported when the field is checked
  }
}
