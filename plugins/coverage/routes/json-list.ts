/** Long lists as response bodies. */
import { Readable } from 'node:stream';

/** Rows that are written at once. */
const portion = 1000;

/**
 * A list of rows: up to a thousand as an array, more as a stream of JSON. The whole text could be longer than the longest
 * string of JavaScript.
 */
export function jsonList<Row>(count: number, rowAt: (i: number) => Row): Row[] | Readable {
  const rows = (from: number) => Array.from({ length: Math.min(portion, count - from) }, (_, i) => rowAt(from + i));
  if (count <= portion) return rows(0);
  return Readable.from(texts(), { objectMode: false });

  function* texts(): Generator<string> {
    for (let from = 0; from < count; from += portion) {
      yield `${from === 0 ? '[' : ','}${rows(from)
        .map((row) => JSON.stringify(row))
        .join(',')}`;
    }
    yield ']';
  }
}
