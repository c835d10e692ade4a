/** Uploads in a bucket, which servers share as they would a folder: `<prefix><job id>.<ending>`. */
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { isFault } from '../../fault.js';
import {
  type Arriving,
  jobId,
  missingUpload,
  type Uploads,
  unstoredUpload,
  uploadFolder,
} from '../../files/uploads.js';
import type { Objects } from './objects.js';
import { type S3, uncoveredPrefix } from './s3.js';
import { isS3 } from './settings.js';

/**
 * The place that a setting names. `ending` is the extension of complete uploads, letters only; other objects and files are left
 * alone. Throws an `invalid` fault if the place is in a bucket that is not configured.
 */
export function uploadsIn(place: string, ending: string, s3: S3 | undefined): Uploads {
  if (!isS3(place)) return uploadFolder(place, ending);
  if (s3 === undefined) throw uncoveredPrefix(place);
  return uploadBucket(place, ending, s3);
}

/** Bytes of a part, of which one is in memory for each upload. S3 takes 10,000 parts. */
const partBytes = 8 * 1024 * 1024;
/**
 * How long an upload may have no job: many times what it takes to queue one, and more than the clocks of server and storage may
 * differ, which is 15 minutes.
 */
const jobMs = 3_600_000;
/** How long an upload may take. */
const uploadMs = 24 * 3_600_000;

function uploadBucket(prefix: string, ending: string, s3: S3): Uploads {
  const objects = s3.objects(prefix);
  const ours = new RegExp(`^(${jobId})\\.${ending}$`);
  const nameOf = (id: string) => `${id}.${ending}`;
  return {
    open: async (id) => arriving(objects, nameOf(id)),
    stored: (id) =>
      s3.stored(prefix + nameOf(id)).catch((cause) => {
        throw isFault(cause) && cause.code === 'unavailable' ? cause : missingUpload(cause);
      }),
    remove: (id) => objects.remove(nameOf(id)),
    async sweep(fate) {
      for await (const { name, written } of objects.list()) {
        const [, id] = ours.exec(name) ?? [];
        if (id === undefined) continue;
        const known = await fate(id);
        if (known === 'ended' || (known === undefined && isOlder(written, jobMs))) await objects.remove(name);
      }
      for await (const { name, upload, begun } of objects.unfinished()) {
        if (ours.test(name) && isOlder(begun, uploadMs)) await objects.abandon(name, upload);
      }
    },
  };
}

function isOlder(than: Date, ms: number): boolean {
  return Date.now() - than.getTime() > ms;
}

/** A small file is stored whole with its last byte, a larger one in parts, which become an object at the end. */
function arriving(objects: Objects, name: string): Arriving {
  const tags: string[] = [];
  let upload: string | undefined;
  let chunks: Buffer[] = [];
  let size = 0;
  const send = async () => {
    upload ??= await objects.begin(name);
    tags.push(await objects.part(name, upload, tags.length + 1, taken()));
  };
  const taken = () => {
    const bytes = Buffer.concat(chunks);
    chunks = [];
    size = 0;
    return bytes;
  };

  const stream = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        size += chunk.length;
        stream.bytesWritten += chunk.length;
        if (size < partBytes) return done();
        send().then(
          () => done(),
          (cause) => done(unstoredUpload(cause)),
        );
      },
    }),
    { bytesWritten: 0 },
  );
  // `keep` reports it.
  stream.on('error', () => undefined);

  return {
    stream,
    async keep() {
      if (!stream.writableEnded) stream.end();
      await finished(stream);
      try {
        if (upload === undefined) return await objects.put(name, taken());
        if (size > 0) await send();
        await objects.complete(name, upload, tags);
      } catch (cause) {
        throw unstoredUpload(cause);
      }
    },
    async discard() {
      stream.destroy();
      if (upload !== undefined) await objects.abandon(name, upload);
    },
  };
}
