/** The OpenAPI 3.1 document, made from the declarations of all routes. */
import { isDeepStrictEqual } from 'node:util';
import { type ZodType, z } from 'zod';
import { Fault } from '../fault.js';
import { type Right, type SecurityScheme, scopesFor } from '../policy/policy.js';
import { problem, problemType } from './answer.js';
import { inputsOfMethod } from './dispatch.js';
import {
  type AnswerDeclaration,
  type Method,
  nameOfOwner,
  type OwnedRoute,
  type RouteDeclaration,
  theCore,
} from './route.js';

/** A JSON Schema, or any other object of the document. */
type SchemaNode = Record<string, unknown>;

export interface OpenApiOptions {
  version: string;
  baseUrl: string | undefined;
  /** The plugins in their order, for the tags. */
  plugins: readonly { name: string; summary: string }[];
  routes: readonly OwnedRoute[];
  /** The rights that API tokens may hold. */
  rights: readonly Right[];
  /** Whether a plugin shapes the errors under the path. */
  ownErrors(path: string): boolean;
}

/** Throws an `invalid` fault that names the route whose schemas cannot be described. */
export function openApi(options: OpenApiOptions): Record<string, unknown> {
  const components = createComponents();
  const paths: Record<string, SchemaNode> = {};
  const pathOf = ({ declaration }: OwnedRoute) => declaration.path.replace(/:(\w+)/g, '{$1}');
  const sorted = [...options.routes].sort((a, b) => compare(pathOf(a), pathOf(b)));
  for (const route of sorted) {
    const path = pathOf(route);
    const item = paths[path] ?? {};
    paths[path] = item;
    for (const method of route.methods) {
      try {
        item[method.toLowerCase()] = operation(route, method, components, options);
      } catch (error) {
        throw undescribed(route, method, error);
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trefoil',
      version: options.version,
      description: `Clinical genomics services in one server.\n\n${listOf(options.rights)}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.baseUrl?.replace(/\/+$/, '') ?? '/' }],
    tags: [
      ...options.plugins.map(({ name, summary }) => ({ name, description: summary })),
      { name: 'server', description: 'The server itself: health, metrics, background work and this description.' },
    ],
    paths,
    components: components.document(),
  };
}

/** The scopes of API tokens, for people who issue and use them. */
function listOf(rights: readonly Right[]): string {
  const lines = rights.map((right) => `- ${scopesFor(right)}: ${right.summary}`);
  return `Scopes of API tokens:\n\n${lines.join('\n')}`;
}

/** Returns a fault that names the owner of a route and says why the route cannot be described. */
function undescribed({ owner, path, declaration }: OwnedRoute, method: Method, cause: unknown): Fault {
  const { params, query, body, answers } = declaration;
  const schemas = [params, query, body?.schema, ...Object.values(body?.looks ?? {})];
  for (const { content } of Object.values(answers)) schemas.push(...Object.values(content ?? {}));
  const foreign = schemas.some((schema) => schema !== undefined && !('_zod' in schema));
  const reason = foreign ? 'it has a schema that is not of zod 4' : (cause as Error).message;
  return new Fault(
    'invalid',
    `${nameOfOwner(owner)}: ${method} ${path} cannot be described in /openapi.json: ${reason}`,
    {
      cause,
    },
  );
}

function operation(route: OwnedRoute, method: Method, components: Components, options: OpenApiOptions): SchemaNode {
  const { declaration } = route;
  const { body } = declaration;
  const credentials = credentialsOf(declaration);
  const tag = route.owner === theCore ? 'server' : route.owner;
  const suffix = method === route.methods[0] ? '' : `_${method.toLowerCase()}`;
  const takes = inputsOfMethod(route, method);
  for (const { name, definition } of credentials.schemes) components.security(name, definition);
  return {
    operationId: `${tag}_${declaration.operation}${suffix}`,
    tags: [tag],
    summary: declaration.summary,
    ...describedBy([declaration.description, credentials.sentence]),
    ...(credentials.security.length === 0 ? {} : { security: credentials.security }),
    parameters: [
      ...pathParameters(route, components),
      ...(declaration.query === undefined || !takes.query ? [] : parameters('query', declaration.query, components)),
    ],
    ...(body !== undefined && takes.body
      ? {
          requestBody: {
            required: !body.schema.safeParse(undefined).success,
            content: contentOf(
              Object.fromEntries(body.types.map((type) => [type, body.looks?.[type] ?? body.schema])),
              'input',
              components,
            ),
          },
        }
      : {}),
    responses: responses(declaration.answers, options.ownErrors(route.path), components),
  };
}

function describedBy(sentences: readonly (string | undefined)[]): SchemaNode {
  const description = sentences.filter((sentence) => sentence !== undefined).join('\n\n');
  return description === '' ? {} : { description };
}

interface Credentials {
  schemes: readonly SecurityScheme[];
  /** Alternatives; an empty one is a request without credentials. */
  security: readonly SchemaNode[];
  sentence?: string;
}

function credentialsOf({ access, optionalAccess }: RouteDeclaration): Credentials {
  if (access !== undefined) {
    const { scheme, right } = access;
    return {
      schemes: [scheme],
      security: [{ [scheme.name]: [] }],
      ...(right && { sentence: `Requires the scope ${scopesFor(right)}.` }),
    };
  }
  if (optionalAccess === undefined) return { schemes: [], security: [] };
  const { schemes, right } = optionalAccess;
  return {
    schemes,
    security: [{}, ...schemes.map(({ name }) => ({ [name]: [] }))],
    sentence: `An API token is optional. With the scope ${scopesFor(right)} it allows: ${right.summary}.`,
  };
}

function responses(answers: Record<number, AnswerDeclaration>, ownErrors: boolean, components: Components): SchemaNode {
  const declared = Object.entries(answers).map(([status, { description, content }]) => [
    status,
    { description, ...(content === undefined ? {} : { content: contentOf(content, 'output', components) }) },
  ]);
  const otherwise = ownErrors
    ? { description: 'An error, in the shape that this interface prescribes.' }
    : { description: 'An error.', content: contentOf({ [problemType]: problem }, 'output', components) };
  return { ...Object.fromEntries(declared), default: otherwise };
}

function contentOf(content: Record<string, ZodType>, io: 'input' | 'output', components: Components): SchemaNode {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [type, { schema: components.schema(schema, io) }]),
  );
}

/** Every parameter of the path, those without a schema as strings. */
function pathParameters({ path, declaration }: OwnedRoute, components: Components): SchemaNode[] {
  const described = declaration.params === undefined ? [] : parameters('path', declaration.params, components);
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    ...(described.find((one) => one.name === name) ?? { name, in: 'path', schema: { type: 'string' } }),
    required: true,
  }));
}

function parameters(place: 'path' | 'query', schema: ZodType, components: Components): SchemaNode[] {
  const found = new Map<string, { schema: SchemaNode; required: boolean }>();
  collectProperties(components.inline(schema), true, found);
  return [...found].map(([name, { schema: own, required }]) => {
    const { description, ...rest } = own;
    return {
      name,
      in: place,
      ...(description === undefined ? {} : { description }),
      required,
      schema: rest,
    };
  });
}

/** Collects the members of an object schema and of its compositions; members of alternatives are optional. */
function collectProperties(
  schema: SchemaNode,
  whole: boolean,
  into: Map<string, { schema: SchemaNode; required: boolean }>,
): void {
  const required = (schema.required ?? []) as string[];
  for (const [name, own] of Object.entries((schema.properties ?? {}) as Record<string, SchemaNode>)) {
    if (!into.has(name)) into.set(name, { schema: own, required: whole && required.includes(name) });
  }
  for (const part of (schema.allOf ?? []) as SchemaNode[]) collectProperties(part, whole, into);
  for (const part of [...((schema.anyOf ?? []) as SchemaNode[]), ...((schema.oneOf ?? []) as SchemaNode[])]) {
    collectProperties(part, false, into);
  }
}

interface Components {
  /** Returns the schema, with references to the schemas that have a name (`.meta({ id })`). */
  schema(schema: ZodType, io: 'input' | 'output'): SchemaNode;
  /** Returns the schema of an input object itself, never a reference. */
  inline(schema: ZodType): SchemaNode;
  security(name: string, definition: SchemaNode): void;
  document(): SchemaNode;
}

/** A schema as JSON Schema. */
interface ConvertedSchema {
  root: SchemaNode;
  /** Each named schema in it, by the pointer to it. */
  definitions: readonly (readonly [pointer: string, definition: SchemaNode])[];
  /** With references to components, by the names that the definitions have there. */
  written: Map<string, { root: SchemaNode; definitions: readonly SchemaNode[] }>;
}

/** Converted schemas: routes share many, such as that of errors, and a schema never changes. */
const converted = { input: new WeakMap<ZodType, ConvertedSchema>(), output: new WeakMap<ZodType, ConvertedSchema>() };

/** Callers must not change the result. */
function jsonSchema(schema: ZodType, io: 'input' | 'output'): ConvertedSchema {
  const known = converted[io].get(schema);
  if (known !== undefined) return known;
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as SchemaNode;
  const definitions: [string, SchemaNode][] = Object.entries($defs as Record<string, SchemaNode>).map(
    ([name, definition]) => [`#/$defs/${name}`, definition],
  );
  // An unnamed recursive schema refers to the root of its document.
  if (JSON.stringify([root, $defs]).includes('"$ref":"#"')) definitions.push(['#', root]);
  const made = { root, definitions, written: new Map() };
  converted[io].set(schema, made);
  return made;
}

/** Copies a schema, with references to components: `names` has their names by the pointers to replace. */
function rewrite(node: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(node)) return node.map((one) => rewrite(one, names));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      const name = key === '$ref' && typeof value === 'string' ? names.get(value) : undefined;
      return [key, name === undefined ? rewrite(value, names) : `#/components/schemas/${name}`];
    }),
  );
}

function createComponents(): Components {
  const originals = new Map<string, SchemaNode>();
  const schemas = new Map<string, SchemaNode>();
  const schemes = new Map<string, SchemaNode>();

  /** Returns the name for a definition: its own, with a number if another schema has it already. */
  const nameFor = (name: string, definition: SchemaNode): string => {
    let free = name;
    for (let n = 2; originals.has(free) && !isDeepStrictEqual(originals.get(free), definition); n += 1) {
      free = `${name}${n}`;
    }
    originals.set(free, definition);
    return free;
  };

  const convert = (schema: ZodType, io: 'input' | 'output'): SchemaNode => {
    const { root, definitions, written } = jsonSchema(schema, io);
    const names = new Map(
      definitions.map(([pointer, definition]) => [
        pointer,
        nameFor(pointer === '#' ? 'Recursive' : pointer.slice('#/$defs/'.length), definition),
      ]),
    );
    const key = [...names.values()].join();
    const result = written.get(key) ?? {
      root: rewrite(root, names) as SchemaNode,
      definitions: definitions.map(([, definition]) => rewrite(definition, names) as SchemaNode),
    };
    written.set(key, result);
    for (const [i, name] of [...names.values()].entries()) schemas.set(name, result.definitions[i] as SchemaNode);
    return result.root;
  };

  return {
    schema: convert,
    inline(schema) {
      const node = convert(schema, 'input');
      const name = typeof node.$ref === 'string' ? node.$ref.split('/').at(-1) : undefined;
      return (name === undefined ? undefined : schemas.get(name)) ?? node;
    },
    security(name, definition) {
      schemes.set(name, definition);
    },
    document: () => ({
      schemas: Object.fromEntries([...schemas].sort(byName)),
      ...(schemes.size === 0 ? {} : { securitySchemes: Object.fromEntries([...schemes].sort(byName)) }),
    }),
  };
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return compare(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
