/** Deletes records of matches, and entries of the audit trail, at the end of their retention. */
import { type PluginContext, recurring } from '../../../core/plugin.js';
import type { AuditRepository, MatchRepository, TriageRepository } from '../contract.js';

const everyMs = 60 * 60 * 1000;
const day = 24 * 60 * 60 * 1000;
/** Earlier than any record. */
const never = new Date('0001-01-01T00:00:00Z');

export interface Kept {
  what: string;
  repository: Pick<MatchRepository | AuditRepository | TriageRepository, 'expire'>;
  /** 0 keeps all; what no record needs any more is deleted even then. */
  days: number;
}

export function keepExpired(
  context: Pick<PluginContext<unknown>, 'now' | 'log' | 'onReady' | 'onClose'>,
  { what, repository, days }: Kept,
): void {
  recurring(context, {
    what: `deleting old ${what}`,
    everyMs,
    async work() {
      const before = days === 0 ? never : new Date(context.now().getTime() - days * day);
      const count = await repository.expire(before);
      if (count > 0) context.log.info({ count }, `old ${what} deleted`);
    },
  });
}
