/** The audit of a command, on the storage of its session. */
import { type CommandAudit, noAudit } from '../audit/audit.js';
import type { Configuration } from '../config.js';
import type { Session } from './session.js';

/** Loads the audit only if it is configured, and opens the storage at the first entry. */
export async function commandAuditOf(
  session: Session,
  { core }: Pick<Configuration, 'core'>,
  now: () => Date,
): Promise<CommandAudit> {
  if (core.audit === undefined) return noAudit;
  const { commandAudit } = await import('../audit/attach.js');
  return commandAudit(() => session.storage(), { settings: core.audit, now });
}
