/** What the reviews plugin adds to a server: its routes, the removal of expired statements, and the erasure of people. */
import { type PluginContext, recurring } from '../../core/plugin.js';
import { reviews } from './contract.js';
import { reviewEraser } from './eraser.js';
import type { ReviewSettings } from './settings.js';

export function register(context: PluginContext<ReviewSettings>): void {
  const repository = context.repository(reviews);
  context.onErase(reviewEraser(repository));
  recurring(context, {
    what: 'deleting statements whose time is over',
    everyMs: 60 * 60 * 1000,
    async work() {
      const deleted = await repository.expire(context.now());
      if (deleted > 0) context.log.info({ cases: deleted }, 'statements deleted, whose time was over');
    },
  });
}
