/** BED files of a request: named by their path, or uploaded with it as a multipart form. */
import { multipartType, type OpenFile, readOpen, type SmallForm } from '../../../core/files.js';
import { Fault, type RouteRequest } from '../../../core/plugin.js';
import type { List } from '../domain/list.js';
import type { CoverageServices } from '../services.js';
import { type BedLine, readBed } from '../sources/bed.js';

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
): Promise<List<BedLine>> {
  const { intervals, upload: bytes } = settings.limits;
  if (uploaded !== undefined) {
    if (path !== undefined && path !== null)
      throw pathFault('intervals_bed_path and a file in the form exclude each other');
    return readBed(uploaded, { intervals, bytes });
  }
  if (path === undefined || path === null) {
    throw pathFault('A BED file is needed: its path, or a file in a form');
  }
  return readBed(await wholeOf(await sources.bedFile(path), bytes), { intervals, bytes });
}

async function wholeOf(file: OpenFile, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of readOpen(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    length += part.length;
    // While it is read, since it may grow meanwhile.
    if (length > most) throw new Fault('too-large', `A BED file may have ${most} bytes at most`);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}
