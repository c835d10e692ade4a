/** The rights that the core declares, for operators and readers of the audit, and all rights that callers may hold. */
import type { TokenAccesses } from './auth/access.js';
import { browserAccess } from './auth/browser.js';
import type { CoreSettings } from './config/settings.js';
import type { Plugin } from './plugin-context.js';
import { type Access, defineRight, type Right } from './policy/policy.js';

export const auditRight = defineRight({
  scope: 'server:audit',
  summary: 'See in the audit who asked for whose data',
  part: 'admin',
});

// Access to endpoints for operators.

/** The core's right for operators; that of the audit is `server:audit`. */
export const operate = defineRight({
  scope: 'server:read',
  summary: 'See metrics, documentation and pages that are restricted to operators',
  part: 'admin',
});

export function operatorAccess(accesses: TokenAccesses): Access {
  return browserAccess(accesses, operate, 'operator');
}

// All rights that callers may hold: those of the core, and of the enabled plugins.

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
