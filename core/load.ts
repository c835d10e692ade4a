/**
 * Loads the plugin or adapter that the configuration names. Built-in ones follow a folder convention, so that none is
 * named here: `<name>` is `plugins/<name>/plugin.ts`, or `adapters/<name>/adapter.ts`. Anything with `/`, `.` or `@` is a
 * path or an npm package, resolved from the configuration file's folder, then the working folder, then our own.
 */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Command, CommandGroup, Tool } from './commands.js';
import type { Faults, Path, ValueOrigin } from './config/layer.js';
import { hint } from './config/suggest.js';
import { Fault, isFault } from './fault.js';
import { codeFolder, packagePath } from './package.js';
import type { Plugin } from './plugin.js';
import type { Adapter, AdapterEnvironment, MakeHome } from './storage.js';

export type ModuleKind = 'plugin' | 'adapter';

/** Where a name was written, for messages and for relative paths. */
export interface Reference {
  name: string;
  path: Path;
  origin: ValueOrigin | undefined;
  /** Folders from which paths and packages are resolved, in order. */
  from: readonly string[];
}

const folders: Record<ModuleKind, URL> = {
  plugin: new URL('plugins/', codeFolder),
  adapter: new URL('adapters/', codeFolder),
};

/** The names of the built-in plugins or adapters, in alphabetical order. */
export function builtIn(kind: ModuleKind): string[] {
  return readdirSync(folders[kind], { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && moduleExists(new URL(`${entry.name}/${kind}.js`, folders[kind])))
    .map((entry) => entry.name)
    .sort();
}

/** A module with commands of a built-in plugin. */
export interface CommandModule {
  plugin: string;
  url: URL;
}

/** The tools, or the groups of commands, of built-in plugins, by the word that calls each; loads none. */
export function builtInWords(kind: 'tools' | 'groups'): Map<string, CommandModule> {
  const found = new Map<string, CommandModule>();
  for (const { name: plugin } of readdirSync(folders.plugin, { withFileTypes: true })) {
    const folder = new URL(`${plugin}/${kind}/`, folders.plugin);
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder)) {
      const [, word] = /^([a-z][a-z0-9-]*)\.(?:ts|js)$/.exec(file) ?? [];
      if (word !== undefined) found.set(word, { plugin, url: new URL(`${word}.js`, folder) });
    }
  }
  return new Map([...found].sort());
}

/** The commands of a plugin. Throws an `invalid` fault if what its function returns is no list of commands. */
export async function commandsOfPlugin({ name, commands = [] }: Plugin): Promise<readonly Command[]> {
  const list: unknown = typeof commands === 'function' ? await commands() : commands;
  if (isList(list, isCommand)) return list as readonly Command[];
  throw new Fault('invalid', `The plugin "${name}" is not usable: its commands must be a list of commands`);
}

export async function loadTool({ url }: CommandModule): Promise<Tool> {
  return ((await import(url.href)) as { default: Tool }).default;
}

export async function loadGroup({ url }: CommandModule): Promise<CommandGroup> {
  return ((await import(url.href)) as { default: CommandGroup }).default;
}

/** The environment variables of built-in adapters, by the adapter's name; loads no engine. */
export async function builtInEnvironments(): Promise<Map<string, AdapterEnvironment>> {
  const found = new Map<string, AdapterEnvironment>();
  for (const name of builtIn('adapter')) {
    const url = new URL(`${name}/environment.js`, folders.adapter);
    if (!moduleExists(url)) continue;
    found.set(name, ((await import(url.href)) as { environment: AdapterEnvironment }).environment);
  }
  return found;
}

/** Returns the function that makes a place for the data of a test, of a built-in adapter that must exist. */
export async function loadTestHome(adapter: string): Promise<MakeHome> {
  const url = new URL(`${adapter}/testing.js`, folders.adapter);
  return ((await import(url.href)) as { home: MakeHome }).home;
}

export async function loadPlugin(reference: Reference, faults: Faults): Promise<Plugin | undefined> {
  const plugin = await load('plugin', reference, faults);
  const mistake = plugin === undefined ? undefined : (pluginMistake(plugin) ?? builtInMistake(plugin, reference));
  if (mistake !== undefined)
    faults.add(reference.path, `"${reference.name}" is not a usable plugin: ${mistake}`, reference.origin);
  return mistake === undefined ? (plugin as Plugin | undefined) : undefined;
}

export async function loadAdapter(reference: Reference, faults: Faults): Promise<Adapter | undefined> {
  const adapter = await load('adapter', reference, faults);
  const mistake = adapter === undefined ? undefined : (adapterMistake(adapter) ?? builtInMistake(adapter, reference));
  if (mistake !== undefined)
    faults.add(reference.path, `"${reference.name}" is not a usable adapter: ${mistake}`, reference.origin);
  return mistake === undefined ? (adapter as Adapter | undefined) : undefined;
}

/** Whether a name is a path or a package rather than a built-in name. */
export function isExternal(name: string): boolean {
  return /[/.@\\]/.test(name);
}

async function load(kind: ModuleKind, reference: Reference, faults: Faults): Promise<unknown> {
  const { name, path, origin } = reference;
  const refuse = (message: string): undefined => void faults.add(path, message, origin);
  let url: URL;
  if (isExternal(name)) {
    const found = resolveExternal(name, reference.from);
    if (typeof found === 'string') return refuse(`the ${kind} "${name}" ${found}`);
    url = found;
  } else {
    const known = builtIn(kind);
    if (!known.includes(name)) {
      return refuse(
        `there is no ${kind} "${name}"${hint(name, known)} (a path or package name contains "/", "." or "@")`,
      );
    }
    url = new URL(`${name}/${kind}.js`, folders[kind]);
  }
  try {
    const module = (await import(url.href)) as { default?: unknown };
    if (module.default !== undefined) return module.default;
    return refuse(`the ${kind} "${name}" has no default export`);
  } catch (error) {
    return refuse(`the ${kind} "${name}" could not be loaded: ${firstLine(error)}`);
  }
}

/** Returns the module's URL, or the end of a sentence that says why there is none. */
function resolveExternal(name: string, from: readonly string[]): URL | string {
  let reason = 'was not found';
  for (const folder of [...from, packagePath('.')]) {
    try {
      return pathToFileURL(createRequire(join(folder, 'configuration.js')).resolve(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
        reason =
          'is a package without an export that can be loaded: its "exports" need a plain string or a "default" condition';
      }
    }
  }
  return reason === 'was not found' ? `was not found from ${from.join(', ')}` : reason;
}

/** Built-in modules are TypeScript in a clone and JavaScript in the build; both are imported as `.js`. */
function moduleExists(url: URL): boolean {
  const path = fileURLToPath(url);
  return existsSync(path) || existsSync(path.replace(/\.js$/, '.ts'));
}

function firstLine(error: unknown): string {
  if (isFault(error) || error instanceof Error) return error.message.split('\n', 1)[0] ?? error.name;
  return 'it threw a value that is not an Error';
}

function builtInMistake(loaded: unknown, reference: Reference): string | undefined {
  const { name } = loaded as { name: string };
  if (isExternal(reference.name) || name === reference.name) return undefined;
  return `its name is "${name}"`;
}

function pluginMistake(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'its default export is not an object';
  const plugin = value as Partial<Record<keyof Plugin, unknown>>;
  if (plugin.api !== 1)
    return `it was written for version ${JSON.stringify(plugin.api)} of the plugin interface; version 1 is supported`;
  if (typeof plugin.name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(plugin.name)) {
    return 'its name must be lower-case letters, digits and dashes';
  }
  if (typeof plugin.summary !== 'string') return 'it has no summary';
  if (!isSchema(plugin.settings)) return 'its settings are not a Standard Schema';
  if (!isList(plugin.contracts, (contract) => typeof (contract as { id?: unknown })?.id === 'string')) {
    return 'its contracts must be a list of contracts';
  }
  const { commands } = plugin;
  if (commands !== undefined && typeof commands !== 'function' && !isList(commands, isCommand)) {
    return 'its commands must be a list of commands, or a function that returns one';
  }
  if (typeof plugin.register !== 'function') return 'it has no register function';
  return undefined;
}

function adapterMistake(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'its default export is not an object';
  const adapter = value as Partial<Record<keyof Adapter, unknown>>;
  if (typeof adapter.name !== 'string' || adapter.name === '') return 'it has no name';
  if (!isSchema(adapter.settings)) return 'its settings are not a Standard Schema';
  if (typeof adapter.capabilities !== 'object' || adapter.capabilities === null) return 'it states no capabilities';
  if (typeof adapter.migratesItself !== 'boolean') return 'it does not say whether it migrates itself';
  if (typeof adapter.describe !== 'function') return 'it has no describe function';
  if (typeof adapter.open !== 'function') return 'it has no open function';
  return undefined;
}

function isSchema(value: unknown): boolean {
  const standard = (value as { '~standard'?: { version?: unknown; validate?: unknown } } | null | undefined)?.[
    '~standard'
  ];
  return standard?.version === 1 && typeof standard.validate === 'function';
}

function isList(value: unknown, holds: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(holds);
}

function isCommand(value: unknown): boolean {
  const command = value as { name?: unknown; summary?: unknown; run?: unknown } | null;
  return typeof command?.name === 'string' && typeof command.summary === 'string' && typeof command.run === 'function';
}
