/** Opens the configured storage and brings it up to date. */
import { audit } from '../audit/contract.js';
import { tokens } from '../auth/contract.js';
import { sessions } from '../auth/sessions/contract.js';
import type { Configuration } from '../config.js';
import { listFileOf } from '../erasures/configured.js';
import { erasures } from '../erasures/contract.js';
import { Fault } from '../fault.js';
import { jobs } from '../jobs/contract.js';
import type { ChildLog } from '../lazy-log.js';
import { broughtBy, contractsOf } from '../plugin/context.js';
import type { Contract, Migration, OpenRequest, Storage } from '../storage.js';

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
  return [...own, ...plugins.flatMap(contractsOf)];
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
