/** The target of a migration: a storage, the real commands on it, and a real server. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pino } from 'pino';
import { tokens } from '../../../../core/auth/contract.js';
import { runPluginCommand } from '../../../../core/cli/plugin-command.js';
import type { Terminal } from '../../../../core/commands.js';
import { type ConfigureOptions, configure } from '../../../../core/config.js';
import { erasures } from '../../../../core/erasures/contract.js';
import { jobs } from '../../../../core/jobs/contract.js';
import { commandsOfPlugin } from '../../../../core/load.js';
import type { Storage } from '../../../../core/storage.js';
import { serveOn } from '../../../../core/testing/server.js';
import type { StorageEngine } from '../../../support/storages.js';

// biome-ignore lint/suspicious/noExplicitAny: reports and responses of many shapes, compared unchanged
export type Json = any;

/** The result of a command. */
export interface Told {
  lines: string[];
  data: Json;
}

export interface Site {
  storage: Storage;
  /** Runs a command, which must exit with 0. */
  run(command: string, options?: Record<string, unknown>): Promise<Told>;
  /** The message with which a command fails. */
  refused(command: string, options: Record<string, unknown>): Promise<string>;
  url: string;
  close(): Promise<void>;
}

const folder = fileURLToPath(new URL('../../../../../shared/data/', import.meta.url));

/** A real file of ../shared/data. */
export function shared(name: string): string {
  return folder + name;
}

/** `describe`, or a visible skip if the folder is missing. */
export function describeWithShared(title: string, body: () => void): void {
  if (existsSync(folder)) describe(title, body);
  else describe.skip(`${title} (../shared/data is absent)`, body);
}

/** A new and empty site with one plugin. */
export async function openSite(engine: StorageEngine, plugin: string, settings: Json = {}): Promise<Site> {
  const home = await engine.home();
  const { url, file } = home.section;
  const options: ConfigureOptions = {
    environment: {
      ...(typeof url === 'string' && { DATABASE_URL: url }),
      ...(typeof file === 'string' && { TREFOIL_SQLITE_FILE: file }),
    },
    only: plugin,
    overrides: [
      { path: ['demo'], value: false, source: 'test' },
      { path: ['plugins'], value: { [plugin]: settings }, source: 'test' },
    ],
  };
  const configuration = await configure(options);
  const [enabled] = configuration.plugins;
  if (!enabled) throw new Error(`the plugin ${plugin} is enabled by default`);
  const storage = await home.open([erasures, jobs, tokens, ...enabled.plugin.contracts]);
  await storage.migrate();
  const server = await serveOn({ configuration, storage, jobs: false });
  const site: Site = {
    storage,
    url: server.url,
    async run(name, given = {}) {
      const command = (await commandsOfPlugin(enabled.plugin)).find((each) => each.name === name);
      if (!command) throw new Error(`there is no command ${name}`);
      const told: Told = { lines: [], data: undefined };
      const code = await runPluginCommand(command, { options: given, arguments: [] }, enabled, configuration, {
        configuration: options,
        terminal: listening(told),
        interruption: { signal: new AbortController().signal, code: undefined, release: () => undefined },
        log: () => pino({ level: 'silent' }),
        now: () => new Date(),
      });
      expect(code, name).to.equal(0);
      return { ...told, data: JSON.parse(JSON.stringify(told.data ?? null)) };
    },
    refused: (name, given) =>
      site.run(name, given).then(
        () => {
          throw new Error('it was to be refused');
        },
        (error: Error) => error.message,
      ),
    async close() {
      await server.close();
      await storage.close();
      await home.discard();
    },
  };
  return site;
}

function listening(told: Told): Terminal {
  return {
    json: false,
    print: (line) => void told.lines.push(line),
    data: (value) => {
      told.data = value;
    },
    note: () => undefined,
    progress: () => ({ update: () => undefined, stop: () => undefined }),
    confirm: async () => false,
  };
}

/** Documents as mongoexport writes them. */
export function lines(documents: readonly unknown[]): string {
  return documents.map((document) => `${JSON.stringify(document)}\n`).join('');
}

/** Reasons and counts of a report's findings. */
export function reasons(findings: readonly { reason: string; count: number }[]): Record<string, number> {
  return Object.fromEntries(findings.map(({ reason, count }) => [reason, count]));
}
