/** Statements that are stopped in the engine when their result is no longer needed. */

/**
 * Runs a statement until the signal is aborted: `stop` then makes the engine end it, and the signal's reason is thrown
 * once it has ended. `stop` is called again every `pause` milliseconds, since a statement that has not begun cannot be
 * stopped.
 */
export async function stoppable<Result>(
  signal: AbortSignal,
  run: () => Promise<Result>,
  stop: () => void,
  pause: number,
): Promise<Result> {
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    stop();
    timer = setInterval(stop, pause);
  };
  signal.addEventListener('abort', begin, { once: true });
  try {
    return await run();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', begin);
    clearInterval(timer);
  }
}
