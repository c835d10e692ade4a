/** The right to read the audit. */
import { defineRight } from '../policy/right.js';

export const auditRight = defineRight({
  scope: 'server:audit',
  summary: 'See in the audit who asked for whose data',
  part: 'admin',
});
