/** BED files of a request: named by their path, or uploaded with it as a multipart form. */
import { readFile, stat } from 'node:fs/promises';
import { Fault, multipartType, type RouteRequest, type SmallForm } from '../../../core/plugin.js';
import type { CoverageServices } from '../services.js';
import { type BedLine, readBed } from '../sources/bed.js';
import { bedFileSentence } from '../sources/sources.js';

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

function pathFault(message: string): Fault {
  return new Fault('unprocessable', `intervals_bed_path: ${message}`, {
    fields: [{ path: 'intervals_bed_path', message }],
  });
}

/** The lines of the uploaded file or else of the one at the path. Neither or both of them is an `unprocessable` fault. */
export async function bedLines(
  { settings, sources }: Pick<CoverageServices, 'settings' | 'sources'>,
  uploaded: Buffer | undefined,
  path: string | null | undefined,
): Promise<BedLine[]> {
  const { intervals, upload: bytes } = settings.limits;
  if (uploaded !== undefined) {
    if (path !== undefined && path !== null)
      throw pathFault('intervals_bed_path and a file in the form exclude each other');
    return readBed(uploaded, { intervals, bytes });
  }
  if (path === undefined || path === null) {
    throw pathFault('A BED file is needed: its path, or a file in a form');
  }
  const file = await sources.bedFile(path);
  try {
    if ((await stat(file)).size > bytes) throw new Fault('too-large', `A BED file may have ${bytes} bytes at most`);
    return await readBed(await readFile(file), { intervals, bytes });
  } catch (error) {
    // It vanished since it was found.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Fault('unprocessable', bedFileSentence);
    throw error;
  }
}
