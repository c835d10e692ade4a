/** All rights that callers may hold: those of the core, and of the enabled plugins. */
import { auditRight } from '../audit/right.js';
import { operate } from '../auth/operator.js';
import type { CoreSettings } from '../config/settings.js';
import type { Plugin } from '../plugin/context.js';
import type { Right } from '../policy/right.js';

export function rightsIn({
  core,
  plugins,
}: {
  core: { audit?: CoreSettings['audit'] };
  plugins: readonly { plugin: Pick<Plugin, 'rights'> }[];
}): Right[] {
  return [
    operate,
    ...(core.audit === undefined ? [] : [auditRight]),
    ...plugins.flatMap(({ plugin }) => plugin.rights ?? []),
  ];
}
