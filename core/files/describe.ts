/** Describes bodies with files in the API description. */
import { type ZodType, z } from 'zod';

type Schema = { type?: unknown; description?: string } & Record<string, unknown>;

/** How a field may name something: the path of a file of the server, a URL, an object in S3. */
export type NameKind = 'path' | 'url' | 'object';

/**
 * Metadata of a field with which a caller names what the server then opens, by `Places` alone: `x-names` in the API description.
 * A test asks for another tenant's things by every such field.
 */
export function naming(kinds: readonly NameKind[], description: string): Record<string, unknown> {
  return { description, 'x-names': kinds };
}

/** A body that is a file. */
export function fileBody(description: string): ZodType<unknown> {
  return z.unknown().meta(file(description));
}

/**
 * A multipart form with the fields of an object and a file. Fields are text there: lists and objects are JSON, as their
 * descriptions say.
 */
export function fileForm(fields: ZodType, description: string): ZodType<unknown> {
  const described = z.toJSONSchema(fields, { io: 'input', unrepresentable: 'any' }) as Schema;
  const properties = Object.entries((described.properties ?? {}) as Record<string, Schema>);
  return z.unknown().meta({
    type: 'object',
    properties: {
      ...Object.fromEntries(properties.map(([name, own]) => [name, asText(own)])),
      file: file(description),
    },
    ...(described.required === undefined ? {} : { required: described.required }),
  });
}

function file(description: string): Schema {
  return { type: 'string', format: 'binary', description };
}

function asText(schema: Schema): Schema {
  if (schema.type !== 'array' && schema.type !== 'object') return schema;
  const description = [schema.description, 'As JSON text.'].filter(Boolean).join(' ');
  return { type: 'string', contentMediaType: 'application/json', contentSchema: schema, description };
}
