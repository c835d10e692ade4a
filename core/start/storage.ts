/**
 * Opens what the configuration names: the storage, which is brought up to date and then tested for whether it accepts writes,
 * and the buckets.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { audit } from '../audit/contract.js';
import { sessions, tokens } from '../auth/contract.js';
import type { Configuration } from '../config.js';
import { listFileOf } from '../erasures/configured.js';
import { erasures } from '../erasures/contract.js';
import { Fault, isFault } from '../fault.js';
import { jobs } from '../jobs/contract.js';
import type { ChildLog } from '../lazy-log.js';
import type { S3 } from '../outgoing/s3/s3.js';
import type { S3Store } from '../outgoing/s3/settings.js';
import { broughtBy, contractsOfPlugin } from '../plugin-context.js';
import type { Contract, Migration, OpenRequest, Storage, StorageLog } from '../storage.js';

/** The contracts of the core that the configuration asks for, and those of the enabled plugins. */
export function contractsIn(configuration: Configuration): Contract[] {
  const { core, plugins } = configuration;
  const own = [
    jobs,
    tokens,
    ...(core.auth?.signIn === undefined ? [] : [sessions]),
    ...(core.audit === undefined ? [] : [audit]),
    ...(listFileOf(configuration) === undefined ? [] : [erasures]),
  ];
  return [...own, ...plugins.flatMap(contractsOfPlugin)];
}

/** What is kept, and what plugins bring to keep it in the chosen adapter. */
export function keptIn(configuration: Configuration): Pick<OpenRequest<unknown>, 'contracts' | 'bindings' | 'stores'> {
  const plugins = configuration.plugins.map(({ plugin }) => plugin);
  return { contracts: contractsIn(configuration), ...broughtBy(plugins, configuration.storage.adapter.family) };
}

export async function openStorage(configuration: Configuration, log: ChildLog): Promise<Storage> {
  const { adapter, settings } = configuration.storage;
  return adapter.open({ settings, ...keptIn(configuration), log: log.child({ part: 'storage' }) });
}

/** Migrates if the configuration allows it; otherwise throws an `unavailable` fault that lists what is pending. */
export async function bringUpToDate(storage: Storage, configuration: Configuration, log: ChildLog): Promise<void> {
  const pending = await storage.pending();
  if (pending.length === 0) return;
  if (configuration.migrate === 'manual') {
    const file = configuration.files[1];
    const command = `trefoil migrate${file === undefined ? '' : ` --config ${file}`}`;
    throw new Fault(
      'unavailable',
      `The storage is not up to date. Pending: ${pending.map(migrationName).join(', ')}. Run: ${command}`,
    );
  }
  const ran = await storage.migrate();
  log.info({ migrations: ran.map(migrationName) }, 'storage migrated');
}

/** What of the stored data this configuration leaves alone, in a sentence; undefined if there is none. */
export async function unclaimedIn(storage: Storage): Promise<string | undefined> {
  const contracts = (await storage.unclaimed?.()) ?? [];
  if (contracts.length === 0) return undefined;
  return `the storage has data of ${contracts.join(', ')}, which this configuration does not use: they are not served, expired or erased`;
}

export function migrationName({ contract, name }: Migration): string {
  return `${contract}/${name}`;
}

// Tests in the background whether the storage accepts writes, so that no probe has to wait for a disk.

/** Milliseconds for which a result holds: shorter after a failure, so that a recovery is noticed sooner. */
const holds = { yes: 30_000, no: 5000 };
/** Milliseconds that the first caller waits; a writer may hold the lock for longer. */
const patience = 1000;

/** Makes a function that returns whether the last trial write succeeded; undefined if there was none. */
export function writeTrials(
  storage: Pick<Storage, 'tryWrite'>,
  log: StorageLog,
  now: () => number = () => performance.now(),
): () => Promise<boolean | undefined> {
  let last: { writable: boolean; at: number } | undefined;
  let running: Promise<void> | undefined;

  async function attempt(): Promise<void> {
    let reason: string | undefined;
    try {
      await storage.tryWrite?.();
    } catch (error) {
      reason = isFault(error) ? error.message : 'an unexpected error';
    }
    const before = last?.writable ?? true;
    last = { writable: reason === undefined, at: now() };
    if (before && reason !== undefined) log.error({ reason }, 'the storage takes no writes');
    if (!before && reason === undefined) log.info({}, 'the storage takes writes again');
  }

  return async () => {
    if (storage.tryWrite === undefined) return undefined;
    const due = last === undefined || now() - last.at >= (last.writable ? holds.yes : holds.no);
    if (due) {
      running ??= attempt().finally(() => {
        running = undefined;
      });
    }
    if (last === undefined) await Promise.race([running, sleep(patience, undefined, { ref: false })]);
    return last?.writable;
  };
}

// The buckets of the configuration. Nothing is loaded if it has none.

export async function s3Of(stores: readonly S3Store[], log?: Pick<StorageLog, 'warn'>): Promise<S3 | undefined> {
  if (stores.length === 0) return undefined;
  const { createS3 } = await import('../outgoing/s3/s3.js');
  return createS3({ stores, log });
}
