/** What the commands of the audit work with. */

import type { AuditEvent } from '../../audit/audit.js';
import { type AuditRepository, audit } from '../../audit/contract.js';
import { AuditKeys } from '../../audit/keys.js';
import { operator } from '../../audit/operator.js';
import { createRecorder } from '../../audit/recorder.js';
import { Fault } from '../../fault.js';
import { configureCore } from '../configured.js';
import type { CoreContext } from '../core-command.js';
import { createSession } from '../session.js';

export interface AuditSession {
  repository: AuditRepository;
  keys: AuditKeys;
  /** The number of events that wait for their chain and cannot be read. */
  unreadable: number;
  /** Records what the operator does with the audit. */
  record(event: Omit<AuditEvent, 'because'>): Promise<void>;
}

/** Opens the storage. Throws an `invalid` fault if no audit is configured, `unprocessable` if its key is another one. */
export async function withAudit<Result>(
  { configuration, log, now }: CoreContext,
  work: (session: AuditSession) => Promise<Result>,
): Promise<Result> {
  const configured = await configureCore(configuration);
  const settings = configured.core.audit;
  if (settings === undefined) {
    throw new Fault('invalid', 'No audit is configured: the configuration needs the section audit, with audit.key');
  }
  const session = createSession(configured, log());
  try {
    const repository = (await session.storage()).repository(audit);
    const keys = new AuditKeys(settings.key);
    const { record, settle } = createRecorder({ repository, keys, now });
    // Servers that were killed may have left events that are in no chain yet.
    const unreadable = await settle();
    return await work({
      repository,
      keys,
      unreadable,
      record: (event) => record(operator(), { ...event, because: 'command line' }),
    });
  } finally {
    await session.close();
  }
}
