/** Warnings about settings that are valid but probably not intended: `trefoil check` prints them, a start logs them. */
import type { Configuration } from '../config.js';

export async function adviceOn({ core, storage, plugins }: Configuration): Promise<string[]> {
  const about = { demo: core.demo };
  const own =
    plugins.length === 0
      ? ['plugins: none is enabled, so nothing is served; list at least one, such as `beacon: {}`']
      : [];
  const listless =
    core.erasures?.file === undefined && storage.adapter.file === undefined && storage.adapter.capabilities.durable
      ? [
          'erasures.file: is not set, so that `trefoil erase` refuses to run: a restored backup would bring erased data back',
        ]
      : [];
  const stored = (await storage.adapter.advice?.(storage.settings)) ?? [];
  const others = await Promise.all(
    plugins.map(async ({ key, plugin, settings }) =>
      ((await plugin.advice?.(settings, about)) ?? []).map((sentence) => `plugins.${key}.${sentence}`),
    ),
  );
  return [...own, ...listless, ...stored.map((sentence) => `storage.${sentence}`), ...others.flat()];
}
