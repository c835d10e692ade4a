/** Lets a producer work on the next value while the consumer is busy with the last. */

/** The same values, each asked for before the one before it is handed on. */
export async function* ahead<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value, void, undefined> {
  const iterator = values[Symbol.asyncIterator]();
  let next = pending(iterator);
  try {
    for (;;) {
      const result = await next;
      if (result.done) return;
      next = pending(iterator);
      yield result.value;
    }
  } finally {
    // Where the consumer stops early, the value under way is waited for, so that nothing is read after the end.
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}

function pending<Value>(iterator: AsyncIterator<Value>): Promise<IteratorResult<Value>> {
  const result = iterator.next();
  // Its failure is thrown when it is awaited, which may be later: it must not count as unhandled until then.
  result.catch(() => undefined);
  return result;
}
