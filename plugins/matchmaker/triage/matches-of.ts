/** The service `matchmaker/matches@1`: the counterparts of submissions, by the ids that submitters gave them. */
import { isFault, type PluginContext } from '../../../core/plugin.js';
import type { KnowledgeReader } from '../../services/beacon.js';
import type { MatchesService, PatientMatch } from '../../services/matchmaker.js';
import { type TriageRow, thisNode } from '../contract.js';
import { type CallerReach, ownersIn } from '../http/access.js';
import type { MatchmakerServices, Triage } from '../services.js';
import { rowPath } from './desk.js';

export function matchesService(
  { patients, access, trail }: Pick<MatchmakerServices, 'patients' | 'access' | 'trail'>,
  { repository }: Pick<Triage, 'repository'>,
  tenants: PluginContext<unknown>['tenants'],
): MatchesService {
  /** Undefined if the reader may see no patient. */
  async function reachOf(
    reader: KnowledgeReader,
  ): Promise<(Pick<CallerReach, 'all' | 'owners'> & Partial<CallerReach>) | undefined> {
    if (reader === 'operator') return { all: true, owners: [] };
    if ('tenant' in reader) {
      return { all: false, owners: tenants?.all.find(({ name }) => name === reader.tenant)?.clients ?? [] };
    }
    return access.pages.read.reachOf(reader).catch((error: unknown) => {
      if (!isFault(error) || error.code !== 'forbidden') throw error;
      return undefined;
    });
  }

  return {
    async matchesOf(reader, ids) {
      const found = new Map<string, readonly PatientMatch[]>();
      const reach = await reachOf(reader);
      if (reach === undefined) return found;
      const seen: string[] = [];
      for (const id of new Set(ids)) {
        const stored = await patients.patient(id, ownersIn(reach));
        if (stored === undefined) continue;
        const rows = await repository.rows(stored.number);
        found.set(id, rows.map(matchOf));
        seen.push(id, ...rows.filter(({ node }) => node === thisNode.id).map(({ patient }) => patient));
      }
      if (reach.by && seen.length > 0) await trail.add([{ by: reach.by, action: 'read', patients: seen }]);
      return found;
    },
  };
}

function matchOf(row: TriageRow): PatientMatch {
  const { id, genes, work, label, firstSeen, lastSeen } = row;
  return { id, genes, status: work.status, node: label, firstSeen, lastSeen, path: rowPath(row) };
}
