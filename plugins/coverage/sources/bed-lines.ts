/** The BED file of a request: uploaded with it, or named by its path. */
import { type OpenFile, readOpen } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import type { List } from '../domain/list.js';
import type { MeasuringServices } from '../services.js';
import { type BedLine, readBed } from './bed.js';

function pathFault(message: string): Fault {
  return new Fault('unprocessable', `intervals_bed_path: ${message}`, {
    fields: [{ path: 'intervals_bed_path', message }],
  });
}

/** The lines of the uploaded file, or of the file at the path. Neither or both is an `unprocessable` fault. */
export async function bedLines(
  { settings, sources }: Pick<MeasuringServices, 'settings' | 'sources'>,
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
    // Checked while reading, since the file may grow.
    if (length > most) throw new Fault('too-large', `A BED file may have ${most} bytes at most`);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}
