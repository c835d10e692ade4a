/** JSON text of long lists, in pieces, with pauses for other requests. */
import { Pace } from '../domain/pace.js';

/** Least length of one piece, in characters. Much longer strings would stay in memory until a full garbage collection. */
const pieceLength = 32_768;

/** An object whose long lists are generators. */
export async function* jsonText(data: Readonly<Record<string, unknown>>): AsyncGenerator<string> {
  let text = '{';
  for (const [i, [key, value]] of Object.entries(data).entries()) {
    text += `${i === 0 ? '' : ','}${JSON.stringify(key)}:`;
    if (isGenerator(value)) {
      yield text;
      yield* listText(value);
      text = '';
    } else text += JSON.stringify(value);
  }
  yield `${text}}`;
}

export async function* listText(values: Iterable<unknown>): AsyncGenerator<string> {
  const pace = new Pace();
  let text = '[';
  let separator = '';
  for (const value of values) {
    text += separator + JSON.stringify(value);
    separator = ',';
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
    await pace.turn();
  }
  yield `${text}]`;
}

function isGenerator(value: unknown): value is Generator<unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Symbol.iterator in value;
}
