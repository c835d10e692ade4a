/** Pieces with content, in rows that belong to the number of an owner. */
import type { Database } from './binding.js';

/** Deletes pieces of which no owner has the number, so many in one statement; returns how many. */
export async function deleteOrphans(
  database: Database,
  { pieces, owner, owners, atOnce }: { pieces: string; owner: string; owners: string; atOnce: number },
): Promise<number> {
  for (let freed = 0; ; ) {
    const portion = await database.transaction(async ({ write }) => {
      const used = write(owners).select('number');
      const numbers = write(pieces).select('number').whereNotIn(owner, used).limit(atOnce);
      return write(pieces).whereIn('number', numbers).delete();
    });
    freed += portion;
    if (portion < atOnce) return freed;
  }
}

/** Inserts pieces with content, so many, and so many bytes, in one statement. */
export async function insertPieces(
  { write }: Database,
  table: string,
  pieces: readonly { readonly content: Uint8Array }[],
  atOnce: { readonly pieces: number; readonly bytes: number },
): Promise<void> {
  for (let from = 0, to = 0; from < pieces.length; from = to) {
    for (let bytes = 0; to < pieces.length && to < from + atOnce.pieces && bytes < atOnce.bytes; to++) {
      bytes += pieces[to]?.content.length ?? 0;
    }
    const rows = pieces.slice(from, to).map(({ content, ...rest }) => ({ ...rest, content: bufferOfBytes(content) }));
    await write(table).insert(rows);
  }
}

export function bufferOfBytes({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
