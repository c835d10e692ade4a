/** JSON text of an object whose long lists are generators, in pieces, with pauses for other requests. */
import { Pace } from '../report/pace.js';

/** Least length of one piece, in characters. */
const pieceLength = 32_768;

export async function* jsonText(data: Readonly<Record<string, unknown>>): AsyncGenerator<string> {
  const pace = new Pace();
  let text = '{';
  for (const [i, [key, value]] of Object.entries(data).entries()) {
    text += `${i === 0 ? '' : ','}${JSON.stringify(key)}:`;
    if (!isGenerator(value)) {
      text += JSON.stringify(value);
      continue;
    }
    let separator = '[';
    for (const one of value) {
      text += separator + JSON.stringify(one);
      separator = ',';
      if (text.length < pieceLength) continue;
      yield text;
      text = '';
      await pace.turn();
    }
    text += separator === '[' ? '[]' : ']';
  }
  yield `${text}}`;
}

function isGenerator(value: unknown): value is Generator<unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Symbol.iterator in value;
}
