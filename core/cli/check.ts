/** `trefoil check`: what would run, without starting it. */
import { stringify } from 'yaml';
import { adviceOn } from '../config/advice.js';
import { configure } from '../config.js';
import { isFault } from '../fault.js';
import { contractIds, migrationName } from '../start/storage.js';
import type { CoreCommand } from './core-command.js';
import { createSession } from './session.js';

export const check: CoreCommand = {
  name: 'check',
  summary: 'check the configuration and show what would run',
  description:
    'Shows the effective configuration with secrets masked, the storage chosen and why, the enabled plugins, their ' +
    'contracts and pending migrations, and what of the settings is hardly meant, such as a directory that does not ' +
    'exist. Exit code 1 if the configuration is wrong or the storage does not answer.',
  examples: ['check', 'check --config config/production.yaml --json'],
  async run({ configuration: options, terminal, log }) {
    const configuration = await configure(options);
    const { storage, plugins, files, migrate, printable } = configuration;
    const session = createSession(configuration, log());
    let pending: string[] | undefined;
    let trouble: string | undefined;
    try {
      pending = (await (await session.unchecked()).pending()).map(migrationName);
    } catch (error) {
      if (!isFault(error)) throw error;
      trouble = error.message;
    } finally {
      await session.close();
    }
    const advice = await adviceOn(configuration);
    terminal.data({
      files,
      storage: { adapter: storage.adapter.name, reason: storage.reason, description: storage.description },
      plugins: plugins.map(({ key, plugin }) => ({ name: plugin.name, from: key, summary: plugin.summary })),
      contracts: contractIds(configuration),
      migrate,
      pending: pending ?? null,
      trouble: trouble ?? null,
      advice,
      configuration: printable,
    });
    terminal.print(`Files       ${files.join(', ')}`);
    terminal.print(`Storage     ${storage.description} (adapter ${storage.adapter.name}, ${storage.reason})`);
    terminal.print(`Plugins     ${plugins.map(({ plugin }) => plugin.name).join(', ') || 'none'}`);
    terminal.print(`Contracts   ${contractIds(configuration).join(', ')}`);
    terminal.print(`Migrations  ${pending ? described(pending, migrate) : 'unknown'}`);
    terminal.print(`\n${stringify(printable).trimEnd()}`);
    for (const sentence of advice) terminal.note(`Please look at ${sentence}`);
    if (trouble !== undefined) terminal.note(trouble);
    return trouble === undefined ? 0 : 1;
  },
};

function described(pending: readonly string[], migrate: 'auto' | 'manual'): string {
  if (pending.length === 0) return 'none pending';
  const how = migrate === 'auto' ? 'the server runs them itself' : 'to be run with `trefoil migrate`';
  return `${pending.length} pending, ${how}: ${pending.join(', ')}`;
}
