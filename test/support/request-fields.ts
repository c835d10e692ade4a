/** The fields of requests that an API description (OpenAPI) declares. */

export type Schema = Record<string, unknown>;
export interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}
export interface Description {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

/** A field of a request. */
export interface Field {
  operation: string;
  method: string;
  path: string;
  /** `query`, `path`, `header`, `cookie` or the type of a body. */
  place: string;
  /** From the body, or from the parameters; `[]` is the first item of a list. */
  steps: readonly string[];
  schema: Schema;
}

/** All fields of requests, also within lists, alternatives and texts that are JSON. */
export function fieldsOf(description: Description): Field[] {
  const found: Field[] = [];
  const resolved = (schema: Schema): Schema => {
    const [, id] = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref ?? '')) ?? [];
    return id === undefined ? schema : (description.components?.schemas?.[id] ?? schema);
  };
  const walk = (schema: Schema, at: Omit<Field, 'schema'>, within: readonly Schema[] = []): void => {
    const here = resolved(schema);
    // Of a schema within itself.
    if (within.includes(here)) return;
    const deeper = [...within, here];
    for (const [name, own] of Object.entries((here.properties ?? {}) as Record<string, Schema>)) {
      const place = { ...at, steps: [...at.steps, name] };
      found.push({ ...place, schema: own });
      walk(own, place, deeper);
    }
    const items = (here.items ?? here.additionalProperties) as Schema | undefined;
    if (typeof items === 'object') walk(items, { ...at, steps: [...at.steps, '[]'] }, deeper);
    for (const one of [here.anyOf, here.oneOf, here.allOf].flatMap((list) => (list ?? []) as Schema[])) {
      walk(one, at, deeper);
    }
    if (typeof here.contentSchema === 'object') walk(here.contentSchema as Schema, at, deeper);
  };
  for (const [path, item] of Object.entries(description.paths)) {
    for (const [method, { operationId: operation, parameters = [], requestBody }] of Object.entries(item)) {
      const at = { operation, method: method.toUpperCase(), path };
      for (const { name, in: place, schema = {} } of parameters) {
        const own = { ...at, place, steps: [name] };
        found.push({ ...own, schema });
        walk(schema, own);
      }
      for (const [type, { schema = {} }] of Object.entries(requestBody?.content ?? {})) {
        found.push({ ...at, place: type, steps: [], schema: resolved(schema) });
        walk(schema, { ...at, place: type, steps: [] });
      }
    }
  }
  return found;
}

export const nameOf = ({ operation, steps }: Pick<Field, 'operation' | 'steps'>) =>
  `${operation} ${steps.join('.').replaceAll('.[]', '[]')}`;

/** The base with the value at the place of a field: `[]` is the first item of a list. */
export function placed(base: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === '[]') return [placed((base as unknown[] | undefined)?.[0], rest, value)];
  const known = (base ?? {}) as Record<string, unknown>;
  return { ...known, [step]: placed(known[step], rest, value) };
}
