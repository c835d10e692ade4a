/** `trefoil audit …`: who asked for whose data. */
import { exportAudit } from './audit/export.js';
import { forget } from './audit/forget.js';
import { list } from './audit/list.js';
import { verify } from './audit/verify.js';
import type { CoreCommand } from './core-command.js';

export const auditCommands: readonly CoreCommand[] = [verify, list, exportAudit, forget];
