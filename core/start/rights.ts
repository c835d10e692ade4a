/** All rights that callers may hold: those of the core, and of the enabled plugins. */
import { auditRight } from '../audit/right.js';
import { operate } from '../auth/operator.js';
import type { Configuration } from '../config.js';
import type { Right } from '../policy/right.js';

export function rightsIn({ core, plugins }: Pick<Configuration, 'core' | 'plugins'>): Right[] {
  return [
    operate,
    ...(core.audit === undefined ? [] : [auditRight]),
    ...plugins.flatMap(({ plugin }) => plugin.rights ?? []),
  ];
}
