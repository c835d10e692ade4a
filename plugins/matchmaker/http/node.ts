/** What every route of the node works with. */
import type { PluginContext } from '../../../core/plugin.js';
import type { MatchmakerRepository, MatchRepository } from '../contract.js';
import type { AfterSave } from '../patient/saving.js';
import type { Resources } from '../resources/contract.js';
import type { MatchmakerSettings } from '../settings.js';
import type { Accesses } from './access.js';

export interface Node extends Pick<PluginContext<unknown>, 'transaction' | 'now' | 'version'> {
  settings: MatchmakerSettings;
  patients: MatchmakerRepository;
  matches: MatchRepository;
  /** Those in use at the moment. */
  resources(): Resources;
  access: Accesses;
  afterSave: readonly AfterSave[];
  /** Whether the server says of itself that it is in production. */
  production: boolean;
}
