/** The matchmaker: stores patients, and finds similar ones here and on other nodes. */
import { definePlugin } from '../../core/plugin.js';
import {
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerResources,
  matchmakerTriage,
} from './contract.js';
import { rights } from './rights.js';
import { environment, type MatchmakerSettings, matchmakerSettings } from './settings.js';

export default definePlugin<MatchmakerSettings>({
  name: 'matchmaker',
  api: 1,
  summary: 'Finds patients with similar phenotypes and genotypes, on this server and on connected nodes',
  settings: matchmakerSettings,
  environment,
  contracts: [matchmaker, matchmakerMatches, matchmakerResources, matchmakerNodes, matchmakerMail, matchmakerAudit],
  stores: {
    'matchmaker@1': () => import('./store.js'),
    'matchmaker-matches@1': () => import('./matches/store.js'),
    'matchmaker-triage@1': () => import('./triage/store.js'),
    'matchmaker-nodes@1': () => import('./exchange/store.js'),
    'matchmaker-resources@1': () => import('./resources/store.js'),
    'matchmaker-mail@1': () => import('./mail/store.js'),
    'matchmaker-audit@1': () => import('./audit/store.js'),
  },
  contractsFor: ({ triage }) => (triage === undefined ? [] : [matchmakerTriage]),
  recorded: ({ triage }) => [
    'patients, matches and searches of the exchange, and its counters if a patient changed last',
    ...(triage === undefined ? [] : ['the pages of matches']),
  ],
  commands: async () => (await import('./commands.js')).commands,
  listens: ['reviews/demo@1'],
  rights,
  register: async (context) => (await import('./register.js')).register(context),
});
