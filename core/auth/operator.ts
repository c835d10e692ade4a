/** Access to endpoints for operators. */
import { defineRight } from '../policy/right.js';
import type { TokenAccesses } from './access.js';
import { browserAccess } from './browser.js';
import type { Access } from './guard.js';

/** The core's right for operators; that of the audit is `server:audit`. */
export const operate = defineRight({
  scope: 'server:read',
  summary: 'See metrics, documentation and pages that are restricted to operators',
  part: 'admin',
});

export function operatorAccess(accesses: TokenAccesses): Access {
  return browserAccess(accesses, operate, 'operator');
}
