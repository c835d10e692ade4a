/**
 * Announces the steps of a change. Tests end a process, or fail a statement, between two of them; without a subscriber
 * an announcement does nothing. It carries a name and no data.
 */
import { channel } from 'node:diagnostics_channel';

const steps = channel('trefoil:step');

/** Announces that the work reached a step, named by plugin, change and step, as in `beacon.load.opened`. */
export function step(name: string): void {
  if (steps.hasSubscribers) steps.publish(name);
}
