/** The JSON Schema of a configuration file, for editors: the core's sections with every built-in adapter and plugin. */
import { builtIn, loadAdapter, loadPlugin } from '../load.js';
import type { Plugin } from '../plugin.js';
import type { Adapter } from '../storage.js';
import { Faults } from './layer.js';
import { coreSettings } from './settings.js';
import { type JsonSchema, jsonSchema } from './validate.js';

const external = '[/.@\\\\]';

/** Throws a fault if a built-in adapter or plugin cannot be loaded. */
export async function configurationSchema(): Promise<JsonSchema> {
  const faults = new Faults();
  const named = (name: string) => ({ name, path: [name], origin: undefined, from: [] });
  const adapters = await Promise.all(builtIn('adapter').map((name) => loadAdapter(named(name), faults)));
  const plugins = await Promise.all(builtIn('plugin').map((name) => loadPlugin(named(name), faults)));
  faults.throwIfAny();

  const core = schemaOfAdapter(coreSettings);
  const properties = core.properties ?? {};
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Trefoil configuration',
    type: 'object',
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(Object.entries(properties).map(([key, piece]) => [key, orNothing(piece)])),
      storage: storageSchema(
        properties.storage,
        adapters.filter((adapter) => adapter !== undefined),
      ),
      plugins: pluginsSchema(
        properties.plugins,
        plugins.filter((plugin) => plugin !== undefined),
      ),
    },
  };
}

function storageSchema(core: JsonSchema | undefined, adapters: readonly Adapter[]): JsonSchema {
  const name = core?.properties?.adapter ?? {};
  return {
    description: core?.description,
    type: 'object',
    properties: {
      adapter: { ...name, anyOf: [{ enum: adapters.map((adapter) => adapter.name) }, { pattern: external }] },
    },
    allOf: adapters.map((adapter) => ({
      if: { properties: { adapter: { const: adapter.name } }, required: ['adapter'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: settingsOf(adapter.settings, { adapter: true }),
    })),
  };
}

function pluginsSchema(core: JsonSchema | undefined, plugins: readonly Plugin[]): JsonSchema {
  return {
    description: core?.description,
    type: ['object', 'null'],
    additionalProperties: false,
    properties: Object.fromEntries(
      plugins.map(({ name, summary, settings }) => [
        name,
        orNothing({ description: summary, ...settingsOf(settings) }),
      ]),
    ),
    patternProperties: { [external]: { type: ['object', 'null'] } },
  };
}

/** A section's schema without required keys: files are merged, so one file need not have every key. */
function settingsOf(settings: Adapter['settings'], more: Record<string, unknown> = {}): JsonSchema {
  const { required: _, $schema: __, ...schema } = schemaOfAdapter(settings);
  return { ...schema, properties: { ...schema.properties, ...(more as Record<string, JsonSchema>) } };
}

function schemaOfAdapter(settings: Adapter['settings']): JsonSchema {
  return fillable(jsonSchema(settings) ?? { type: 'object' });
}

function orNothing(piece: JsonSchema): JsonSchema {
  return piece.type === 'object' ? { ...piece, type: ['object', 'null'] } : piece;
}

/** Allows `${NAME}` wherever a number, a boolean or a text of a certain form is expected. */
function fillable(piece: JsonSchema): JsonSchema {
  const { properties, additionalProperties, items, anyOf, oneOf, allOf } = piece;
  const inner: JsonSchema = { ...piece };
  delete inner.required;
  if (properties) inner.properties = Object.fromEntries(Object.entries(properties).map(([k, p]) => [k, fillable(p)]));
  if (typeof additionalProperties === 'object') inner.additionalProperties = fillable(additionalProperties);
  if (items) inner.items = fillable(items);
  if (anyOf) inner.anyOf = anyOf.map(fillable);
  if (oneOf) inner.oneOf = oneOf.map(fillable);
  if (allOf) inner.allOf = allOf.map(fillable);
  const formed = ['number', 'integer', 'boolean'].includes(String(piece.type)) || 'enum' in piece || 'const' in piece;
  if (!formed && !('pattern' in piece) && !('format' in piece)) return inner;
  const { description, default: preset, ...rule } = inner;
  return {
    ...(description === undefined ? {} : { description }),
    ...(preset === undefined ? {} : { default: preset }),
    anyOf: [rule, { type: 'string', pattern: '\\$\\{' }],
  };
}
