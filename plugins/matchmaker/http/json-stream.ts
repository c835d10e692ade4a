/** Long JSON answers that are written while they are read from the store. */
import { Readable } from 'node:stream';

/** A JSON object: the members, then a list under the name, of which one batch is held in memory at a time. */
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
