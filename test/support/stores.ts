/** The stores of our plugins, for tests that open a storage without a server. */
import type { Plugin } from '../../core/plugin.js';
import { broughtBy } from '../../core/plugin-context.js';
import type { StoreLoaders } from '../../core/storage.js';
import beacon from '../../plugins/beacon/plugin.js';
import coverage from '../../plugins/coverage/plugin.js';
import matchmaker from '../../plugins/matchmaker/plugin.js';
import panels from '../../plugins/panels/plugin.js';
import reviews from '../../plugins/reviews/plugin.js';
import { probe, probeStore } from '../conformance/core/tables/probe.js';

const plugins = [beacon, coverage, matchmaker, panels, reviews] as readonly Plugin[];

/** The cases of tables have tables of their own. */
export const stores: StoreLoaders = new Map([
  ...broughtBy(plugins, undefined).stores,
  [probe.id, async () => probeStore],
]);
