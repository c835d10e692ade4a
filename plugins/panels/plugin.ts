/** Gene panels: versions that people sign, from PanelApp, from files, or by hand. */
import { definePlugin } from '../../core/plugin.js';
import { panels } from './contract.js';
import { rights } from './rights.js';
import { type PanelSettings, panelSettings } from './settings.js';

export default definePlugin<PanelSettings>({
  name: 'panels',
  api: 1,
  summary: 'Keeps versions of gene panels that people sign',
  settings: panelSettings,
  contracts: [panels],
  stores: { 'panels@1': () => import('./store.js') },
  commands: async () => (await import('./commands.js')).commands,
  listens: ['coverage/intervals-replaced@1', 'reviews/demo@1'],
  rights,
  advice: ({ signatures, signers }, { people }) => {
    if (signers === 'people' && !people)
      return ['signers: nothing recognises people (auth.issuers, auth.signIn), so that nobody can sign'];
    return signers === 'anyone' && signatures > 1 && people
      ? [
          'signers: a person who also has an API token under another name can give both signatures; `people` prevents it',
        ]
      : [];
  },
  register: async (context) => (await import('./register.js')).register(context),
});
