/** Deletes kept reports when their time is over. */
import { type PluginContext, recurring } from '../../../core/plugin.js';
import type { ReportRepository } from './contract.js';

const day = 24 * 60 * 60 * 1000;

export function expireReports(
  context: Pick<PluginContext<unknown>, 'now' | 'log' | 'onReady' | 'onClose'>,
  repository: Pick<ReportRepository, 'expire'>,
  { days }: { days: number },
): void {
  recurring(context, {
    what: 'deleting kept reports whose time is over',
    everyMs: 60 * 60 * 1000,
    async work() {
      const deleted = await repository.expire(new Date(context.now().getTime() - days * day));
      if (deleted > 0) context.log.info({ reports: deleted }, 'kept reports deleted, whose time was over');
    },
  });
}
