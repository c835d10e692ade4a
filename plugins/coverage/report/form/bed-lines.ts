/** The BED file of a request: uploaded with it, or named by its path. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { type Bed, type OpenFile, readBed, readOpen, sourceOf } from '../../../../core/files.js';
import { Fault } from '../../../../core/plugin.js';
import { bedFileSentence } from '../../measure/sources.js';
import type { MeasuringServices } from '../../services.js';
import { fieldFault } from './fields.js';
import type { PageRequest } from './request.js';

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

function linesOfBed({ settings }: Pick<BedServices, 'settings'>, bytes: Buffer): Promise<Bed> {
  const { intervals, upload } = settings.limits;
  const source = sourceOf(bedFileSentence, bytes.length, () => Readable.from([bytes]));
  return readBed(source, { intervals, bytes: upload });
}

/** The file itself, which may be compressed. */
async function bedBytes(
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

/** The BED file of a report. */
export interface BedFile {
  /** If it is one on the server. */
  name?: string;
  /** `sha256:…` of its bytes; of pasted lines as a file has them, each ended by a line feed. */
  checksum: string;
  lines: number;
}

/** Reads the file that a report names. */
export async function requestedBed(
  services: BedServices,
  bed: PageRequest['bed'],
): Promise<{ lines: Bed; file: BedFile }> {
  const bytes = await bedBytes(services, uploadOf(bed), bed !== undefined && 'path' in bed ? bed.path : undefined);
  const lines = await linesOfBed(services, bytes);
  return { lines, file: bedFile(bed, bytes, lines.length) };
}

function uploadOf(bed: PageRequest['bed']): Buffer | undefined {
  if (bed === undefined || 'path' in bed) return undefined;
  return 'text' in bed ? Buffer.from(bed.text) : bed.file;
}

function bedFile(bed: PageRequest['bed'], bytes: Buffer, lines: number): BedFile {
  const hashed = bed !== undefined && 'text' in bed ? `${bed.text.replaceAll('\r\n', '\n')}\n` : bytes;
  return {
    ...(bed !== undefined && 'path' in bed ? { name: basename(bed.path) } : {}),
    checksum: `sha256:${createHash('sha256').update(hashed).digest('hex')}`,
    lines,
  };
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
