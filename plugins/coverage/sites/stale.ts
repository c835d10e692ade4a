/** Which sets of known sites are no longer used. */
import type { SweepRules } from '../../../core/plugin.js';

/** What interrupted loads left, and replaced sets. */
export const staleSites: SweepRules = {
  unit: 'sets',
  what: 'replaced and interrupted sets of known sites',
  idleMs: 10 * 60 * 1000,
};
