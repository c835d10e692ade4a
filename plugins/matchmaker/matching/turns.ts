/** Long work in slices, so that other requests are answered in between. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds after which others get a turn. */
const slice = 10;

/** Called between steps: lets others have a turn once a slice is used up. */
export function slices(): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < slice) return undefined;
    return setImmediate().then(() => {
      begun = performance.now();
    });
  };
}
