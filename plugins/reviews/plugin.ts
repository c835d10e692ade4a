/** Reviews: what was concluded about reported cases, and which of them should be looked at again. */
import { definePlugin } from '../../core/plugin.js';
import { reviews } from './contract.js';
import { rights } from './rights.js';
import { type ReviewSettings, reviewSettings } from './settings.js';

export default definePlugin<ReviewSettings>({
  name: 'reviews',
  api: 1,
  summary: 'Says which reported cases should be looked at again',
  settings: reviewSettings,
  contracts: [reviews],
  stores: { 'reviews@1': () => import('./store.js') },
  commands: async () => (await import('./commands.js')).commands,
  listens: [
    'beacon/calls-changed@1',
    'coverage/intervals-replaced@1',
    'coverage/samples-changed@1',
    'coverage/sites-replaced@1',
    'matchmaker/matched@1',
    'panels/names-replaced@1',
    'panels/signed@1',
  ],
  rights,
  register: async (context) => (await import('./register.js')).register(context),
});
