/** Statements that are stopped in the engine when nobody waits for their answer any more. */

/**
 * Runs a statement until the signal is aborted; `stop` then has the engine end it, and the signal's reason is thrown once
 * it has. `stop` is called again after every `pause` (milliseconds): what has not begun yet cannot be stopped.
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
