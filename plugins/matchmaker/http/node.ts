/** What every route of the node works with. */
import type { PluginContext } from '../../../core/plugin.js';
import type { AuditRepository, MatchmakerRepository, MatchRepository, NodeRepository, Patient } from '../contract.js';
import type { Exchange } from '../exchange/exchange.js';
import type { WriteNotices } from '../mail/notices.js';
import type { SearchMail } from '../mail/outbox.js';
import type { Found, SearchRequest } from '../matches/search.js';
import type { AfterSave } from '../patient/saving.js';
import type { Resources } from '../resources/resources.js';
import type { MatchmakerSettings } from '../settings.js';
import type { Accesses } from './access.js';

export interface Node extends Pick<PluginContext<unknown>, 'transaction' | 'now' | 'version'> {
  settings: MatchmakerSettings;
  patients: MatchmakerRepository;
  matches: MatchRepository;
  /** Searches the index, brought up to the state of the store; the asker's own patient of the query's id is left out. */
  search(query: Patient, request: SearchRequest): Promise<Found>;
  /** Those in use at the moment. */
  resources(): Resources;
  access: Accesses;
  afterSave: readonly AfterSave[];
  audit: AuditRepository;
  nodes: NodeRepository;
  exchange: Exchange;
  notices: WriteNotices;
  mail: SearchMail;
  /** Whether the server says of itself that it is in production. */
  production: boolean;
}
