/**
 * Reads the configuration: the default, then the chosen file, then environment variables, then options of the command
 * line. Loads the adapter and the plugins, validates everything, and reports all faults together.
 */
import { dirname, resolve } from 'node:path';
import { grantFaults } from './auth/issuers/settings.js';
import { Faults, isSection, Layer, type Path, redactedLayer, showFile, type ValueOrigin } from './config/layer.js';
import { type CoreSettings, coreSettings } from './config/settings.js';
import { nearest } from './config/suggest.js';
import { validate } from './config/validate.js';
import { type Environment, fill, readYaml, variable } from './config/yaml.js';
import { Fault } from './fault.js';
import { builtIn, builtInEnvironments, isExternal, loadAdapter, loadPlugin, type Reference } from './load.js';
import { packagePath } from './package.js';
import type { Plugin } from './plugin.js';
import { rightsIn } from './rights.js';
import type { Adapter, AdapterEnvironment } from './storage.js';

/** A value from the command line; it overrides all others. */
export interface Override {
  path: Path;
  value: unknown;
  /** The option, as in `--port`. */
  source: string;
}

export interface ConfigureOptions {
  /** The chosen file (`--config`); `TREFOIL_CONFIG` if omitted. */
  file?: string | undefined;
  overrides?: readonly Override[];
  /** Keeps only the plugin with this name, which must be enabled. */
  only?: string;
  /** Leaves out all plugins, unread: for commands that work on what the core stores. */
  withoutPlugins?: boolean;
  /** `process.env` if omitted. */
  environment?: Environment;
}

export interface EnabledPlugin {
  /** Its key in the `plugins` section. */
  key: string;
  plugin: Plugin;
  settings: unknown;
}

export interface Configuration {
  core: CoreSettings;
  /** The files that were read, the default first; relative paths for files in the working folder. */
  files: string[];
  storage: {
    adapter: Adapter;
    settings: unknown;
    /** Why this adapter was chosen: what named it. */
    reason: string;
    /** Where the data is, without secrets. */
    description: string;
  };
  /** In the order of the file. */
  plugins: EnabledPlugin[];
  /** Whether the server migrates the storage by itself. */
  migrate: 'auto' | 'manual';
  /** The effective values with secrets masked. */
  printable: Record<string, unknown>;
}

const defaultFile = packagePath('config/default.yaml');

/** Throws one `invalid` fault that lists everything that is wrong. */
export async function configure(options: ConfigureOptions = {}): Promise<Configuration> {
  const environment = options.environment ?? process.env;
  const faults = new Faults();
  const draft = await readSources(options, environment, faults);
  const { layer } = draft;
  // Only without earlier faults: a broken file does not show which plugins it enables.
  if (options.only !== undefined && faults.empty) await keepOnly(options.only, draft, faults);
  if (options.withoutPlugins) removePlugins(layer);

  const adapter = await findAdapter(draft, environment, faults);
  const plugins = await findPlugins(draft, environment, faults);
  refuseDoubles(plugins, layer, faults);
  for (const { path, value, source } of options.overrides ?? []) layer.set(path, value, { source, text: true });

  const core = await withGroups(await validate(coreSettings, layer, [], faults), layer, faults);
  if (core?.auth?.signIn !== undefined && core.http.baseUrl === undefined) {
    faults.add(['http', 'baseUrl'], 'is needed for auth.signIn: the identity provider sends people back to it');
  }
  const storage = adapter && (await validate(adapter.settings, layer, ['storage'], faults, { without: ['adapter'] }));
  const enabled: EnabledPlugin[] = [];
  for (const [key, plugin] of plugins) {
    enabled.push({ key, plugin, settings: await validate(plugin.settings, layer, ['plugins', key], faults) });
  }
  const visaGrants = core?.auth?.visaGrants ?? [];
  const rights = rightsIn({ core: { audit: core?.audit }, plugins: enabled });
  // With a single plugin, for its own commands, or none, the rights of the others are unknown.
  const isWhole = options.only === undefined && !options.withoutPlugins;
  for (const { grant, scope, message } of isWhole ? grantFaults(visaGrants, rights) : []) {
    const path = ['auth', 'visaGrants', String(grant), 'scopes', String(scope)];
    faults.add(path, message, layer.origin(path));
  }
  faults.throwIfAny();
  if (!core || !adapter) throw new Fault('internal', 'The configuration has neither faults nor values');

  const sections = Object.fromEntries(enabled.map(({ key, settings }) => [key, settings]));
  const effective = { ...core, storage: { adapter: core.storage.adapter, ...(storage as object) }, plugins: sections };
  return {
    core,
    files: draft.files.map(showFile),
    storage: { adapter, settings: storage, reason: draft.reason, description: adapter.describe(storage) },
    plugins: enabled,
    migrate: core.migrate ?? (adapter.migratesItself ? 'auto' : 'manual'),
    printable: redactedLayer(new Layer(effective, layer.originMap())),
  };
}

/** Looks up the groups that rules name; loaded only if some do. */
async function withGroups(
  core: CoreSettings | undefined,
  layer: Layer,
  faults: Faults,
): Promise<CoreSettings | undefined> {
  const { auth } = core ?? {};
  if (core === undefined || auth === undefined) return core;
  const rules = [...auth.roles, ...Object.values(auth.tenants ?? {}).flatMap(({ members }) => members)];
  if (auth.groups === undefined && rules.every(({ group }) => group === undefined)) return core;
  const origin = layer.origin(['auth', 'groups']);
  const path = auth.groups && resolve(origin?.file === undefined ? '.' : dirname(origin.file), auth.groups);
  const file = path === undefined ? undefined : { path, shown: showFile(path) };
  const { withGroupIds } = await import('./config/groups.js');
  const refuse = (setting: Path, message: string) => faults.add(setting, message, layer.origin(setting));
  return { ...core, auth: await withGroupIds(auth, file, refuse) };
}

interface ConfigurationDraft {
  layer: Layer;
  files: string[];
  reason: string;
  environments: Map<string, AdapterEnvironment>;
  from: string[];
}

/** Reads the default, the chosen file and the core's own variables. */
async function readSources(
  options: ConfigureOptions,
  environment: Environment,
  faults: Faults,
): Promise<ConfigurationDraft> {
  const environments = await builtInEnvironments();
  const base = (await readYaml(defaultFile, undefined, faults)) ?? new Layer();
  const named = options.file ?? variable(environment, 'TREFOIL_CONFIG');
  const origin: ValueOrigin = {
    source: options.file === undefined ? 'environment variable TREFOIL_CONFIG' : '--config',
  };
  const file = named === undefined ? undefined : resolve(named);
  const chosen = (file !== undefined && (await readYaml(file, origin, faults))) || new Layer();

  let layer = base.overlaid(chosen, replaced(base, chosen));
  const choice = chooseAdapter(chosen, environments, environment, faults);
  if (choice.layer) layer = layer.overlaid(choice.layer, replaced(layer, choice.layer));
  const level = variable(environment, 'LOG_LEVEL');
  if (level !== undefined) layer.set(['log', 'level'], level, { source: 'environment variable LOG_LEVEL' });
  dropEmptySections(layer);
  fill(layer, environment, faults);
  return {
    layer,
    files: [defaultFile, ...(file === undefined ? [] : [file])],
    reason: choice.reason,
    environments,
    from: [...(file === undefined ? [] : [dirname(file)]), process.cwd()],
  };
}

/** `plugins` replaces the section below it as a whole; so does `storage` if it names another adapter. */
function replaced(under: Layer, over: Layer): (path: Path) => boolean {
  const adapter = over.get(['storage', 'adapter']);
  const other = adapter !== undefined && adapter !== under.get(['storage', 'adapter']);
  return (path) => path.length === 1 && (path[0] === 'plugins' || (path[0] === 'storage' && other));
}

/** `http:` with nothing below it means the same as no `http:`. */
function dropEmptySections(layer: Layer): void {
  for (const [key, value] of Object.entries(layer.values)) {
    if (value !== null) continue;
    if (key === 'plugins') layer.set([key], {}, layer.origin([key]) ?? { source: 'unknown' });
    else layer.remove([key]);
  }
}

function chooseAdapter(
  chosen: Layer,
  environments: Map<string, AdapterEnvironment>,
  environment: Environment,
  faults: Faults,
): { layer?: Layer; reason: string } {
  const pick = (name: string, source: string): Layer => {
    const layer = new Layer();
    layer.set(['storage', 'adapter'], name, { source });
    return layer;
  };
  const named = variable(environment, 'TREFOIL_STORAGE');
  if (named !== undefined) {
    const source = 'environment variable TREFOIL_STORAGE';
    return { layer: pick(named, source), reason: `named by the ${source}` };
  }
  const section = chosen.get(['storage']);
  if (section !== undefined && section !== null) {
    const adapter = ['storage', 'adapter'];
    if (chosen.get(adapter) === undefined) return { reason: 'the default, whose settings the chosen file changes' };
    return { reason: `named in ${chosen.origin(adapter)?.source}` };
  }
  const candidates = [...environments].flatMap(([name, { chosenBy }]) => {
    const by = chosenBy?.find((one) => variable(environment, one) !== undefined);
    return by === undefined ? [] : [{ name, by }];
  });
  const [first, ...others] = candidates;
  if (first === undefined) return { reason: 'the default' };
  if (others.length > 0) {
    const claims = candidates.map(({ name, by }) => `${by} chooses ${name}`).join(', ');
    faults.add(['storage', 'adapter'], `${claims}: name one in TREFOIL_STORAGE`);
  }
  const source = `environment variable ${first.by}`;
  return { layer: pick(first.name, source), reason: `chosen by the ${source}` };
}

async function findAdapter(
  draft: ConfigurationDraft,
  environment: Environment,
  faults: Faults,
): Promise<Adapter | undefined> {
  const path = ['storage', 'adapter'];
  const name = draft.layer.get(path);
  if (typeof name !== 'string' || name === '' || faults.covers(path)) return undefined;
  const meant = likely(name);
  const adapter =
    (await loadAdapter(reference(draft, name, path), faults)) ??
    (meant === undefined ? undefined : await loadAdapter(reference(draft, meant, path), faults));
  const variables = adapter?.environment ?? draft.environments.get(name);
  if (variables) applyVariables(draft.layer, ['storage'], variables.variables, environment);
  return adapter;
}

/** The adapter that a misspelt name probably means, so that faults in its settings are reported too. */
function likely(name: string): string | undefined {
  const names = isExternal(name) ? [] : builtIn('adapter');
  return names.includes(name) ? undefined : nearest(name, names);
}

async function findPlugins(
  draft: ConfigurationDraft,
  environment: Environment,
  faults: Faults,
): Promise<[key: string, plugin: Plugin][]> {
  const section = draft.layer.get(['plugins']);
  const found: [string, Plugin][] = [];
  for (const key of isSection(section) ? Object.keys(section) : []) {
    const plugin = await loadPlugin(reference(draft, key, ['plugins', key]), faults);
    if (!plugin) continue;
    found.push([key, plugin]);
    if (plugin.environment) applyVariables(draft.layer, ['plugins', key], plugin.environment, environment);
  }
  return found;
}

/** Keeps one plugin in the section. External plugins must be loaded to learn their names. */
async function keepOnly(only: string, draft: ConfigurationDraft, faults: Faults): Promise<void> {
  const { layer } = draft;
  const section = layer.get(['plugins']);
  let kept: string | undefined;
  for (const key of isSection(section) ? Object.keys(section) : []) {
    const external = isExternal(key) && (await loadPlugin(reference(draft, key, ['plugins', key]), faults));
    if (kept === undefined && (key === only || (external && external.name === only))) kept = key;
    else layer.remove(['plugins', key]);
  }
  if (kept === undefined) {
    const where = draft.files.at(-1) ?? defaultFile;
    throw new Fault(
      'invalid',
      `The plugin "${only}" is not enabled: ${showFile(where)} does not list it under plugins`,
    );
  }
}

function removePlugins(layer: Layer): void {
  const section = layer.get(['plugins']);
  for (const key of isSection(section) ? Object.keys(section) : []) layer.remove(['plugins', key]);
}

function applyVariables(
  layer: Layer,
  section: Path,
  variables: Readonly<Record<string, string>>,
  environment: Environment,
): void {
  const done = new Set<string>();
  for (const [name, setting] of Object.entries(variables)) {
    const value = variable(environment, name);
    if (value === undefined || done.has(setting)) continue;
    done.add(setting);
    layer.set([...section, ...setting.split('.')], value, { source: `environment variable ${name}`, text: true });
  }
}

/** Refuses two plugins with the same name, which would share commands, or with tables of the same name. */
function refuseDoubles(plugins: readonly [string, Plugin][], layer: Layer, faults: Faults): void {
  const claims = new Map<string, string>([
    ['the tables of "audit"', 'the core'],
    ['the tables of "jobs"', 'the core'],
    ['the tables of "sessions"', 'the core'],
    ['the tables of "tokens"', 'the core'],
  ]);
  for (const [key, plugin] of plugins) {
    const tables = plugin.contracts.map((contract) => `the tables of "${contract.id.split('@', 1)[0]}"`);
    for (const claim of new Set([`the name "${plugin.name}"`, ...tables])) {
      const other = claims.get(claim);
      const path = ['plugins', key];
      if (other !== undefined) faults.add(path, `claims ${claim}, as ${other} does`, layer.origin(path));
      else claims.set(claim, `"${key}"`);
    }
  }
}

function reference(draft: ConfigurationDraft, name: string, path: Path): Reference {
  return { name, path, origin: draft.layer.origin(path), from: draft.from };
}
