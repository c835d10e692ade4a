/** Long lists as response bodies. */
import { Readable } from 'node:stream';
import { listOf } from '../domain/list.js';
import { listText } from '../exports/json-text.js';

/** Rows that are sent as a stream if there are more. */
const most = 1000;

/**
 * A list of rows: up to a thousand as an array, more as a stream of JSON. The whole text could be longer than the longest
 * string of JavaScript.
 */
export function jsonList<Row>(count: number, rowAt: (i: number) => Row): Row[] | Readable {
  const rows = listOf(count, rowAt);
  return count <= most ? [...rows] : Readable.from(listText(rows), { objectMode: false });
}
