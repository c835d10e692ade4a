/** Deletes records of matches, and entries of the audit trail, at the end of their retention. */
import { type PluginContext, recurring } from '../../../core/plugin.js';
import type { AuditRepository, MatchRepository } from '../contract.js';

const everyMs = 60 * 60 * 1000;
const day = 24 * 60 * 60 * 1000;

export interface Kept {
  what: string;
  repository: Pick<MatchRepository, 'expire'> | Pick<AuditRepository, 'expire'>;
  /** 0 keeps all. */
  days: number;
}

export function keepExpired(
  context: Pick<PluginContext<unknown>, 'now' | 'log' | 'onReady' | 'onClose'>,
  { what, repository, days }: Kept,
): void {
  if (days === 0) return;
  recurring(context, {
    what: `deleting old ${what}`,
    everyMs,
    async work() {
      const count = await repository.expire(new Date(context.now().getTime() - days * day));
      if (count > 0) context.log.info({ count }, `old ${what} deleted`);
    },
  });
}
