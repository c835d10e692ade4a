/** The audit of a server or of a command, on its storage. Loaded only if the configuration has the section `audit`. */
import type { AuditSettings } from '../config/settings.js';
import type { Eraser } from '../erasures/erasure.js';
import type { Storage } from '../storage.js';
import { type Audit, type CommandAudit, operator } from './audit.js';
import { AuditKeys } from './chain.js';
import { type AuditRepository, audit } from './contract.js';
import { auditEraser, type ExpiryOptions, expireOld, knownToAudit } from './eraser.js';
import { type AuditRecorder, type ChainStanding, createRecorder } from './recorder.js';

export interface AttachedAudit {
  audit: Audit;
  /** Before the server accepts requests: throws an `unprocessable` fault if the storage was audited with another key. */
  checkKey(): Promise<void>;
  /** See `AuditRecorder.settle`. */
  settle: AuditRecorder['settle'];
  /** Its part in the erasure of a person. */
  eraser: Eraser;
  /** The number of the last line of the list of erasures that an entry names. */
  knownLine(): Promise<number>;
  /** What the audit is read from. */
  source: { repository: AuditRepository; keys: AuditKeys };
  /** Deletes entries whose time is over, if the settings limit it. */
  expire(): Promise<number>;
}

interface AttachOptions {
  storage: Pick<Storage, 'repository'>;
  settings: AuditSettings;
  now(): Date;
  standing?: ChainStanding;
  /** See `auditEraser`; commands without erasure omit it. */
  lastLine?(): Promise<number>;
}

export function attachAudit({
  storage,
  settings,
  now,
  standing,
  lastLine = async () => 0,
}: AttachOptions): AttachedAudit {
  const repository = storage.repository(audit);
  const keys = new AuditKeys(settings.key);
  const { record, within, checkKey, settle } = createRecorder({ repository, keys, now, ...(standing && { standing }) });
  const options: ExpiryOptions = { repository, keys, now, days: settings.keepDays };
  const own: Audit = { enabled: true, record, within, digest: (text) => keys.questionDigest(text) };
  return {
    audit: own,
    checkKey,
    settle,
    eraser: auditEraser({ repository, keys, record, settle, lastLine }),
    knownLine: () => knownToAudit(repository),
    source: { repository, keys },
    expire: () => expireOld(options),
  };
}

/** For commands, whose caller is named by the account of the operating system. The storage is opened at the first entry. */
export function commandAudit(
  open: () => Promise<Pick<Storage, 'repository'>>,
  { settings, now }: Pick<AttachOptions, 'settings' | 'now'>,
): CommandAudit {
  let attached: Promise<AttachedAudit> | undefined;
  const opened = async (): Promise<Audit> => {
    attached ??= open().then((storage) => attachAudit({ storage, settings, now }));
    return (await attached).audit;
  };
  return {
    enabled: true,
    record: async (event, by = operator()) => (await opened()).record(by, event),
    within: async (transaction, work) =>
      (await opened()).within(transaction, (scope, record) =>
        work(scope, (by = operator(), event) => record(by, event)),
      ),
  };
}
