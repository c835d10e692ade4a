/** How late the event loop is: the time from when a timer is due until it runs, which every callback before it adds to. */

export interface Lateness {
  /** Milliseconds: of the last turn of the loop, or of the present one if that is longer. 0 while nothing is watched. */
  now(): number;
  /** Begins to measure; it goes on for as long as it is wanted. */
  watch(): void;
}

const periodMs = 10;

/**
 * It measures only while `wanted` says so, so that an idle process sleeps. `onTurn` is called after each measurement.
 */
export function createLateness(wanted: () => boolean, onTurn: () => void): Lateness {
  let last = 0;
  let due: number | undefined;

  const begin = () => {
    due = performance.now() + periodMs;
    setTimeout(tick, periodMs).unref();
  };
  const tick = () => {
    last = Math.max(0, performance.now() - (due ?? 0));
    due = undefined;
    onTurn();
    if (due !== undefined) return;
    if (wanted()) begin();
    else last = 0;
  };
  return {
    now: () => (due === undefined ? last : Math.max(last, performance.now() - due)),
    watch() {
      if (due === undefined) begin();
    },
  };
}
