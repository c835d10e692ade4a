/** Validates a section with its schema, and reports faults that an operator can act on. */
import { explainedIssue, type StandardIssue, type StandardSchema, wording } from '../schema.js';
import { type Faults, isSection, type Layer, type Path, type SettingsSection } from './layer.js';
import { hint } from './suggest.js';

/**
 * Returns the section at `path` (an empty one if there is none) as the schema parses it. Text from the environment is
 * read as a number, a boolean or a list if the schema does not accept it as text. Returns undefined if something is
 * wrong; every mistake is then in `faults`.
 */
export async function validate<Output>(
  schema: StandardSchema<Output>,
  layer: Layer,
  path: Path,
  faults: Faults,
  options: { without?: readonly string[] } = {},
): Promise<Output | undefined> {
  const given = layer.get(path) ?? {};
  if (!isSection(given)) {
    faults.add(path, 'expected a section with settings', layer.origin(path));
    return undefined;
  }
  const section = structuredClone(given);
  for (const key of options.without ?? []) delete section[key];
  const texts = [...layer.paths(path)].filter(([, origin]) => origin.text).map(([full]) => full.slice(path.length));

  const strict = withoutExtras(schema);
  let best = section;
  let result = await strict['~standard'].validate(best);
  for (const reading of [asScalar, asList]) {
    if (!result.issues) break;
    const { issues } = result;
    const trial = structuredClone(best);
    const wrong = new Set(issues.map((issue) => JSON.stringify(issuePath(issue))));
    const stubborn = texts.filter((text) => wrong.has(JSON.stringify(text)));
    if (stubborn.filter((text) => reread(trial, text, reading)).length === 0) continue;
    const outcome = await strict['~standard'].validate(trial);
    // A number is kept even if it is out of range, a list only if it has fewer issues than the text.
    const better = (outcome.issues?.length ?? 0) - issues.length;
    if (better > 0 || (better === 0 && reading === asList)) continue;
    best = trial;
    result = outcome;
  }
  if (!result.issues) return result.value;

  for (const issue of result.issues.flatMap(explainedIssue)) {
    const at = [...path, ...issuePath(issue)];
    const unknown = unknownKeys(issue);
    const known = unknown && knownKeys(schema, issuePath(issue));
    for (const key of unknown ?? []) {
      faults.add([...at, key], `unknown key${hint(key, known ?? [])}`, layer.origin([...at, key]));
    }
    if (!unknown) faults.add(at, lowerFirst(sentenceOf(issue, best)), layer.origin(at));
  }
  return undefined;
}

/** Messages of zod; those that a schema states say more. */
const unworded = /^(invalid |too big|too small)/i;

/** What is wrong; of a required setting without a value, that it is missing and what is expected. */
function sentenceOf(issue: StandardIssue, section: SettingsSection): string {
  const { message } = issue;
  const value = issuePath(issue).reduce<unknown>(
    (outer, key) => (outer as SettingsSection | undefined)?.[key],
    section,
  );
  if (!unworded.test(message)) return message;
  if (value !== undefined) return wording({ ...issue, input: value } as Parameters<typeof wording>[0]) ?? message;
  if (!/^invalid (input|option)\b/i.test(message)) return message;
  const expected = message.replace(/invalid (input|option)(: )?/gi, '').replaceAll(', received undefined', '');
  return expected === '' ? 'is missing' : `is missing; ${expected}`;
}

function issuePath(issue: StandardIssue): string[] {
  return (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
}

/** Replaces a text by its value as `reading` parses it; returns false if it cannot. */
function reread(section: SettingsSection, path: Path, reading: (text: string) => unknown): boolean {
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((value, key) => (value as SettingsSection | undefined)?.[key], section);
  const key = path.at(-1);
  if (key === undefined || typeof parent !== 'object' || parent === null) return false;
  const text = (parent as SettingsSection)[key];
  if (typeof text !== 'string') return false;
  const value = reading(text);
  if (value === undefined) return false;
  (parent as SettingsSection)[key] = value;
  return true;
}

function asScalar(text: string): unknown {
  if (/^(true|false)$/i.test(text.trim())) return text.trim().toLowerCase() === 'true';
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text.trim()) ? Number(text) : undefined;
}

function asList(text: string): unknown {
  return text.split(',').map((item) => item.trim());
}

/** Refuses unknown keys even if the schema's author left that open: zod's plain objects have a strict variant. */
function withoutExtras<Output>(schema: StandardSchema<Output>): StandardSchema<Output> {
  const object = schema as { def?: { type?: unknown; catchall?: unknown }; strict?: () => StandardSchema<Output> };
  const open = object.def?.type === 'object' && object.def.catchall === undefined;
  return open && typeof object.strict === 'function' ? object.strict() : schema;
}

/** The unknown keys that an issue of zod lists; undefined for any other issue. */
function unknownKeys(issue: StandardIssue): readonly string[] | undefined {
  const { code, keys } = issue as StandardIssue & { code?: unknown; keys?: unknown };
  return code === 'unrecognized_keys' && Array.isArray(keys) ? keys.map(String) : undefined;
}

/** A piece of JSON Schema, with the keywords that we read. */
export interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  [keyword: string]: unknown;
}

/** The JSON Schema of the accepted input; undefined if the schema cannot convert itself (zod 4.2 and later can). */
export function jsonSchema(schema: StandardSchema): JsonSchema | undefined {
  const standard = schema['~standard'] as {
    jsonSchema?: { input(options: { target: string; libraryOptions?: Record<string, unknown> }): JsonSchema };
  };
  return standard.jsonSchema?.input({ target: 'draft-2020-12', libraryOptions: { unrepresentable: 'any' } });
}

function knownKeys(schema: StandardSchema, path: Path): string[] {
  let level = [jsonSchema(schema)].filter((piece) => piece !== undefined);
  const widened = (pieces: JsonSchema[]): JsonSchema[] =>
    pieces.flatMap((piece) => [
      piece,
      ...widened([...(piece.anyOf ?? []), ...(piece.oneOf ?? []), ...(piece.allOf ?? [])]),
    ]);
  for (const key of path) {
    level = widened(level).flatMap((piece) => {
      const rest = typeof piece.additionalProperties === 'object' ? piece.additionalProperties : undefined;
      const inner = piece.properties?.[key] ?? (/^\d+$/.test(key) ? piece.items : undefined) ?? rest;
      return inner ? [inner] : [];
    });
  }
  return [...new Set(widened(level).flatMap((piece) => Object.keys(piece.properties ?? {})))];
}

function lowerFirst(message: string): string {
  return /^[A-Z][a-z]/.test(message) ? message.charAt(0).toLowerCase() + message.slice(1) : message;
}
