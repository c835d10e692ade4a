/** Error messages for invalid bodies, in the words of Python's jsonschema, which clients of older beacons know. */
import { z } from 'zod';
import { Fault } from '../../../../core/plugin.js';

interface RawIssue {
  path?: readonly PropertyKey[] | undefined;
  input?: unknown;
}

const absence = (name: PropertyKey | undefined) => `'${String(name ?? '')}' is a required property`;

/** The error message of a schema of that JSON type. */
function ofType(type: 'string' | 'array' | 'object' | 'boolean') {
  return ({ path, input }: RawIssue): string =>
    input === undefined ? absence(path?.at(-1)) : `${quoted(input)} is not of type '${type}'`;
}

export const text = () => z.string({ error: ofType('string') });
export const texts = () => listOf(text());
export const list = () => listOf(z.unknown());
export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item, { error: ofType('array') });

export function choice<const Choice extends string>(choices: readonly Choice[]) {
  return z.enum(choices, {
    error: ({ path, input }: RawIssue) =>
      input === undefined ? absence(path?.at(-1)) : `${quoted(input)} is not one of ${quoted(choices)}`,
  });
}

/** A boolean, or its word in a form. */
export const truth = () => z.union([z.boolean(), z.enum(['true', 'false'])], { error: ofType('boolean') });

/** An object; members that the shape does not name are ignored. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape, { error: ofType('object') });
}

/** Parses a value; throws an `unprocessable` fault with the error nearest to the root. */
export function checked<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // A missing member is an error of its object.
  const depth = ({ path, message }: z.core.$ZodIssue) => path.length - (message === absence(path.at(-1)) ? 1 : 0);
  const [worst] = result.error.issues.toSorted((a, b) => depth(a) - depth(b));
  throw new Fault('unprocessable', worst?.message ?? 'The body is not valid');
}

const longest = 200;

/** A JSON value as Python writes it, truncated if it is long. */
export function quoted(value: unknown): string {
  const whole = written(value, 0);
  return whole.length <= longest ? whole : `${[...whole.slice(0, longest)].join('')}…`;
}

function written(value: unknown, depth: number): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') {
    const inner = value.slice(0, longest).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
    return inner.includes("'") && !inner.includes('"') ? `"${inner}"` : `'${inner.replaceAll("'", "\\'")}'`;
  }
  if (typeof value !== 'object') return String(value);
  if (depth > 3) return '…';
  if (Array.isArray(value))
    return `[${value
      .slice(0, longest)
      .map((one) => written(one, depth + 1))
      .join(', ')}]`;
  const members = Object.entries(value).slice(0, longest);
  return `{${members.map(([name, one]) => `${written(name, 0)}: ${written(one, depth + 1)}`).join(', ')}}`;
}
