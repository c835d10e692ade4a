/** Opens a VCF that a request names: a file under a configured directory, or an object in a configured bucket. */
import { openUnder, type Source, sourceOfFile } from '../../../core/files.js';
import { type S3, withinBuckets } from '../../../core/outgoing.js';
import { Fault, isFault } from '../../../core/plugin.js';

/** Where the files may be. */
export interface NamedPlaces {
  roots: readonly string[];
  /** Beginnings of the names of objects in S3. */
  buckets: readonly string[];
  s3: S3 | undefined;
}

/**
 * Any file elsewhere is the same `unprocessable` fault, whether or not it exists or could be read. Throws `unavailable` if an
 * object storage fails.
 */
export async function openNamed({ roots, buckets, s3 }: NamedPlaces, path: string): Promise<Source> {
  if (s3 !== undefined && withinBuckets(buckets, path)) {
    return s3.open(path).catch((cause) => {
      throw isFault(cause) && cause.code === 'unprocessable' ? notFound(path, cause) : cause;
    });
  }
  const file = await openUnder(roots, path);
  if (file !== undefined) return sourceOfFile(file, path);
  throw notFound(path);
}

function notFound(path: string, cause?: unknown): Fault {
  return new Fault('unprocessable', `VCF file was not found at the provided path:${path.slice(0, 300)}`, { cause });
}
