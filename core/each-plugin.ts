/** Calls plugins one after the other, in the order of registration: all of them, even if one fails. */
import { Fault, isFault } from './fault.js';

/** Throws an `unavailable` fault that names every plugin that failed, so that a job that calls is retried. */
export async function eachPlugin<Listening extends { readonly plugin: string }>(
  all: readonly Listening[],
  what: string,
  call: (one: Listening) => Promise<void> | void,
): Promise<void> {
  const failures: { plugin: string; error: unknown }[] = [];
  for (const one of all) {
    try {
      await call(one);
    } catch (error) {
      failures.push({ plugin: one.plugin, error });
    }
  }
  if (failures.length > 0) throw incomplete(what, failures);
}

function incomplete(what: string, failures: readonly { plugin: string; error: unknown }[]): Fault {
  const names = failures.map(({ plugin }) => `"${plugin}"`).join(', ');
  const reasons = failures.map(({ plugin, error }) => {
    return `${plugin}: ${isFault(error) ? error.message : 'an unexpected error'}`;
  });
  return new Fault('unavailable', `Some plugins could not act on ${what}: ${reasons.join('; ')}`, {
    public: `Some plugins could not act on ${what}: ${names}. Please try again`,
    cause: new AggregateError(failures.map(({ error }) => error)),
  });
}
