/** Lets a producer work on the next value while the consumer is busy with the current one. */

/** Yields the same values; each is requested before its predecessor is yielded. */
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
    // If the consumer stops early, wait for the pending value, so that nothing is read after the end.
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}

function pending<Value>(iterator: AsyncIterator<Value>): Promise<IteratorResult<Value>> {
  const result = iterator.next();
  // A failure is thrown when the result is awaited, which may be later: until then it must not count as unhandled.
  result.catch(() => undefined);
  return result;
}
