/** `trefoil check`: what would run, without starting it. */
import { audit } from '../audit/contract.js';
import { tenantsIn } from '../auth/claims.js';
import { adviceOn } from '../config/advice.js';
import type { Configuration } from '../config.js';
import { checkList, erasureListOf } from '../erasures/configured.js';
import { erasures } from '../erasures/contract.js';
import { isFault } from '../fault.js';
import type { Tenant } from '../policy/tenants.js';
import { contractsIn, migrationName, s3Of, unclaimedIn } from '../start/storage.js';
import type { Storage } from '../storage.js';
import { type CoreCommand, configure } from './core-command.js';
import { createSession } from './session.js';

export const check: CoreCommand = {
  name: 'check',
  summary: 'check the configuration and show what would run',
  description:
    'Shows the effective configuration with secrets masked, the chosen storage and why it was chosen, the enabled ' +
    'plugins with their contracts, pending migrations, and what tenants share with each other. Warns about settings ' +
    'that are valid but probably not intended, such as a directory that does not exist. Exit code 1 if the configuration is invalid, the storage ' +
    'cannot be reached, the list of erasures cannot be read or lost lines, or `--deep` finds damage.',
  examples: ['check', 'check --config config/production.yaml --json', 'check --deep'],
  options: [
    {
      flags: '--deep',
      description:
        'also read all stored data and run the check of the database engine: takes minutes on a large storage',
    },
  ],
  async run({ configuration: options, terminal, log }, { options: { deep } }) {
    const configuration = await configure(options);
    const { storage, plugins, files, migrate, printable } = configuration;
    const session = createSession(configuration, log());
    let pending: string[] | undefined;
    let trouble: string | undefined;
    let damage: string[] = [];
    let unclaimed: string | undefined;
    let listed = 0;
    const list = erasureListOf(configuration, async () => (await session.unchecked()).repository(erasures));
    try {
      const opened = await session.unchecked();
      pending = (await opened.pending()).map(migrationName);
      unclaimed = await unclaimedIn(opened);
      if (deep === true) damage = await damageOf(opened, pending.length === 0);
    } catch (error) {
      if (!isFault(error)) throw error;
      trouble = error.message;
    }
    try {
      // Before the migration the storage knows nothing of the list.
      const isUpToDate = pending?.length === 0;
      listed = (await (isUpToDate ? list : erasureListOf(configuration)).records()).length;
      if (isUpToDate) {
        const opened = await session.unchecked();
        await checkList({
          list,
          async knownToAudit() {
            if (configuration.core.audit === undefined) return 0;
            const { knownToAudit } = await import('../audit/eraser.js');
            return knownToAudit(opened.repository(audit));
          },
          unclaimed: async () => (await opened.unclaimed?.()) ?? [],
        });
      }
    } catch (error) {
      if (!isFault(error)) throw error;
      trouble = trouble === undefined ? error.message : `${trouble}\n${error.message}`;
    } finally {
      await session.close();
    }
    const advice = [
      ...(await adviceOn(configuration)),
      ...(unclaimed === undefined ? [] : [unclaimed]),
      ...(await checkpointAdvice(configuration)),
    ];
    const contracts = contractsIn(configuration).map(({ id }) => id);
    const shared = sharedIn(tenantsIn(configuration.core.auth));
    terminal.data({
      files,
      storage: { adapter: storage.adapter.name, reason: storage.reason, description: storage.description },
      plugins: plugins.map(({ key, plugin }) => ({ name: plugin.name, from: key, summary: plugin.summary })),
      contracts,
      migrate,
      pending: pending ?? null,
      erasures: { file: list.file ?? null, listed },
      ...(shared.length > 0 ? { shared } : {}),
      trouble: trouble ?? null,
      ...(deep === true ? { damage } : {}),
      advice,
      configuration: printable,
    });
    terminal.print(`Files       ${files.join(', ')}`);
    terminal.print(`Storage     ${storage.description} (adapter ${storage.adapter.name}, ${storage.reason})`);
    terminal.print(`Plugins     ${plugins.map(({ plugin }) => plugin.name).join(', ') || 'none'}`);
    terminal.print(`Contracts   ${contracts.join(', ')}`);
    terminal.print(`Migrations  ${pending ? migrationsText(pending, migrate) : 'unknown'}`);
    terminal.print(`Erasures    ${list.file === undefined ? noList : `${list.file} (${listed})`}`);
    for (const [i, { dataset, tenant, with: others, minimum, batch }] of shared.entries()) {
      const rule = `from ${minimum} samples on, ${batch} new ones at a time`;
      terminal.print(
        `${i === 0 ? 'Shared' : '      '}      ${dataset} of ${tenant} with ${others.join(', ')}: ${rule}`,
      );
    }
    if (deep === true && trouble === undefined) terminal.print(`Damage      ${damage.length === 0 ? 'none' : ''}`);
    for (const sentence of damage) terminal.print(`            ${sentence}`);
    const { stringify } = await import('yaml');
    terminal.print(`\n${stringify(printable).trimEnd()}`);
    for (const sentence of advice) terminal.note(`Warning: ${sentence}`);
    if (trouble !== undefined) terminal.note(trouble);
    return trouble === undefined && damage.length === 0 ? 0 : 1;
  },
};

/** Whether the destinations of checkpoints take any. */
async function checkpointAdvice({ core: { audit, s3: stores } }: Configuration): Promise<string[]> {
  if (audit?.checkpoints === undefined) return [];
  const { destinationAdvice } = await import('../audit/checkpoint.js');
  const s3 = await s3Of(stores);
  return destinationAdvice(audit.checkpoints.to, s3).finally(() => s3?.close());
}

/** Which datasets tenants share, and with which others. */
function sharedIn(tenants: readonly Tenant[]) {
  return tenants.flatMap(({ name, shared }) => {
    const others = tenants.filter((one) => one.name !== name).map((one) => one.name);
    return shared.map(({ dataset, with: named = others, minimum, batch }) => ({
      dataset,
      tenant: name,
      with: named,
      minimum,
      batch,
    }));
  });
}

/** Of a database server whose configuration names no file. */
const noList = 'no list: `trefoil erase` needs erasures.file, or a restored backup would bring erased data back';

/** Damage that the engine finds, and rows that cannot be read. Rows are checked only if no migration is pending. */
async function damageOf(storage: Storage, upToDate: boolean): Promise<string[]> {
  const engine = (await storage.verify?.()) ?? [];
  const rows = upToDate ? ((await storage.damaged?.()) ?? []) : [];
  return [...engine, ...rows.map(({ table, row }) => `The row ${row} of ${table} is damaged and is skipped`)];
}

function migrationsText(pending: readonly string[], migrate: 'auto' | 'manual'): string {
  if (pending.length === 0) return 'none pending';
  const how = migrate === 'auto' ? 'the server runs them itself' : 'run `trefoil migrate`';
  return `${pending.length} pending, ${how}: ${pending.join(', ')}`;
}
