/** Parts of kept reports: compressed texts in pieces. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { Fault } from '../../../core/plugin.js';

/** Bytes of a piece, and of all pieces of a part. */
const pieceLength = 256 * 1024;
const mostBytes = 64 * 2 ** 20;

export interface Part {
  pieces: Uint8Array[];
  /** Of the text. */
  bytes: number;
  checksum: string;
}

/** Throws `too-large` if the text takes too much space. */
export async function partOf(text: AsyncIterable<string> | Iterable<string>): Promise<Part> {
  const digest = createHash('sha256');
  let bytes = 0;
  const counted = async function* () {
    for await (const chunk of text) {
      const buffer = Buffer.from(chunk);
      digest.update(buffer);
      bytes += buffer.length;
      yield buffer;
    }
  };
  const source = Readable.from(counted(), { objectMode: false });
  const gzip = createGzip();
  // `pipe` does not pass errors on.
  source.on('error', (error) => gzip.destroy(error));
  const pieces: Uint8Array[] = [];
  let [waiting, length, all]: [Buffer[], number, number] = [[], 0, 0];
  const flush = (): void => {
    if (length === 0) return;
    pieces.push(new Uint8Array(Buffer.concat(waiting)));
    [waiting, length] = [[], 0];
  };
  for await (const chunk of source.pipe(gzip) as AsyncIterable<Buffer>) {
    for (let from = 0; from < chunk.length; ) {
      const taken = chunk.subarray(from, from + pieceLength - length);
      waiting.push(taken);
      length += taken.length;
      from += taken.length;
      if (length === pieceLength) flush();
    }
    all += chunk.length;
    if (all > mostBytes) {
      source.destroy();
      throw new Fault('too-large', 'The report is too large to be kept: ask for fewer genes, intervals or samples');
    }
  }
  flush();
  return { pieces, bytes, checksum: `sha256:${digest.digest('hex')}` };
}

/** The text of pieces, as bytes. */
function textStream(pieces: readonly Uint8Array[]): Readable {
  const source = Readable.from(pieces.map((piece) => Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)));
  const text = source.pipe(createGunzip());
  // `pipe` does not pass errors on.
  source.on('error', (error) => text.destroy(error));
  return text;
}

/** The text, of which little is in memory at a time. Throws before the first byte if it is not the one that was kept. */
export async function streamOf({ pieces, bytes, checksum }: Part): Promise<Readable> {
  const digest = createHash('sha256');
  let found = 0;
  try {
    for await (const chunk of textStream(pieces) as AsyncIterable<Buffer>) {
      digest.update(chunk);
      found += chunk.length;
    }
  } catch (cause) {
    throw damaged(cause);
  }
  if (found !== bytes || checksum !== `sha256:${digest.digest('hex')}`) throw damaged();
  return textStream(pieces);
}

/** The whole text. Throws if it is not the one that was kept. */
export async function textOf(part: Part): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await streamOf(part)) as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function damaged(cause?: unknown): Fault {
  return new Fault('unavailable', 'The kept report is damaged in the database: restore it from a backup', { cause });
}
