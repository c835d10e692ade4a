/** The BED file of a request: uploaded with it, or named by its path. */
import { Readable } from 'node:stream';
import { type Bed, type OpenFile, readBed, readOpen, sourceOf } from '../../../../core/files.js';
import { Fault } from '../../../../core/plugin.js';
import { bedFileSentence } from '../../measure/sources.js';
import type { MeasuringServices } from '../../services.js';
import { fieldFault } from './fields.js';

const pathFault = (message: string) => fieldFault('intervals_bed_path', message);

type BedServices = Pick<MeasuringServices, 'settings' | 'sources'>;

/** The lines of the uploaded file, or of the file at the path. Neither or both is an `unprocessable` fault. */
export async function bedLines(
  services: BedServices,
  uploaded: Buffer | undefined,
  path: string | null | undefined,
): Promise<Bed> {
  return linesOfBed(services, await bedBytes(services, uploaded, path));
}

export function linesOfBed({ settings }: Pick<BedServices, 'settings'>, bytes: Buffer): Promise<Bed> {
  const { intervals, upload } = settings.limits;
  const source = sourceOf(bedFileSentence, bytes.length, () => Readable.from([bytes]));
  return readBed(source, { intervals, bytes: upload });
}

/** The file itself, which may be compressed. */
export async function bedBytes(
  { settings, sources }: BedServices,
  uploaded: Buffer | undefined,
  path: string | null | undefined,
): Promise<Buffer> {
  if (uploaded !== undefined) {
    if (path !== undefined && path !== null)
      throw pathFault('intervals_bed_path and a file in the form exclude each other');
    return uploaded;
  }
  if (path === undefined || path === null) {
    throw pathFault('A BED file is needed: its path, or a file in a form');
  }
  return wholeFile(await sources.bedFile(path), settings.limits.upload);
}

/** Throws `too-large` if the file has more bytes than `most`. */
export async function wholeFile(file: OpenFile, most: number): Promise<Buffer> {
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
