/** Long JSON responses, written while their entries are read from storage. */
import { Readable } from 'node:stream';

/** A JSON object of the members and, under the name, a list of which one batch at a time is in memory. */
export function objectWithList(members: object, name: string, batches: AsyncIterable<readonly unknown[]>): Readable {
  return Readable.from(texts(), { objectMode: false });

  async function* texts(): AsyncGenerator<string> {
    const before = JSON.stringify(members).slice(1, -1);
    yield `{${before}${before === '' ? '' : ','}${JSON.stringify(name)}:[`;
    let isFirst = true;
    for await (const batch of batches) {
      for (const entry of batch) {
        yield `${isFirst ? '' : ','}${JSON.stringify(entry)}`;
        isFirst = false;
      }
    }
    yield ']}';
  }
}
