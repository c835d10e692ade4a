/**
 * Schemas of settings, input and payloads: the Standard Schema interface (version 1, standardschema.dev), sections that may be
 * omitted, and the sentences for values that a schema refuses.
 */
import { z } from 'zod';

/**
 * The Standard Schema interface (version 1, standardschema.dev), as far as we use it: any validator that implements it
 * can describe settings and payloads. Zod 4 does.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

// Sections of the configuration that may be omitted.

/**
 * Returns the schema of a section that may be omitted. `make` returns the schema of its value, and is called only if
 * the section is there (or is described): schemas are a large part of the start of a command.
 */
export function optionalSection<T extends z.ZodType>(make: () => T) {
  const section = z.lazy(make);
  // An object asks each of its keys whether it may be omitted, for which zod would make the schema.
  Object.defineProperty(section._zod, 'optin', { value: undefined });
  return section.optional();
}

// What zod says inside of an issue: why each alternative of a union, or a key of a record, was refused.

type NestedIssue = StandardIssue & { code?: unknown; errors?: unknown; issues?: unknown };

/**
 * The issues behind an issue that only says that its value is not valid. Of a union, those of the one alternative whose form
 * the value has; if it has the form of none or of several, what all of them expect.
 */
export function explainedIssue(issue: StandardIssue): readonly StandardIssue[] {
  const { code, errors, issues } = issue as NestedIssue;
  const path = issue.path ?? [];
  if (code === 'invalid_key' && Array.isArray(issues) && issues.length > 0) {
    return [{ path, message: issues.map(({ message }: StandardIssue) => message).join('; ') }];
  }
  if (code !== 'invalid_union' || !Array.isArray(errors)) return [issue];
  const alternatives = errors.map((found: readonly StandardIssue[]) => found.flatMap(explainedIssue));
  const meant = alternatives.filter((found) => found.length > 0 && found.every((one) => (one.path ?? []).length > 0));
  const [only] = meant;
  if (only !== undefined && meant.length === 1) {
    return only.map((one) => ({ ...one, path: [...path, ...(one.path ?? [])] }));
  }
  const messages = new Set(alternatives.flatMap((found) => found.map(({ message }) => message)));
  return [messages.size === 0 ? issue : { path, message: [...messages].join('; or: ') }];
}

// The sentences for input and settings that a schema refuses without a message of its own. They do not repeat the value, which may be patient data or secret.

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-11-23',
  datetime: 'a time such as 2026-11-23T14:05:00Z',
  email: 'an e-mail address',
  url: 'an address such as https://example.org',
  uuid: 'a UUID',
};

/** For `safeParse`. Each sentence continues after the name of a field: `must be text`. */
export const wording = (issue: z.core.$ZodRawIssue): string | undefined => {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `${issue.keys.map((key) => `"${key}"`).join(', ')} ${issue.keys.length === 1 ? 'is not a known field' : 'are not known fields'}`;
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be ${oneOf(issue.values)}`;
    case 'invalid_format':
      return issue.format === 'regex'
        ? `must match ${issue.pattern}`
        : `must be ${formats[issue.format] ?? `a valid ${issue.format}`}`;
    case 'too_small':
      return limited(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return limited(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return 'has none of the accepted forms';
    default:
      return undefined;
  }
};

/** The same for a query, in which a parameter that is given several times is a list. */
export const queryWording: typeof wording = (issue) => {
  const isRepeated = Array.isArray(issue.input) && issue.code !== 'too_big' && issue.code !== 'too_small';
  return isRepeated ? `is given ${issue.input.length} times` : wording(issue);
};

function oneOf(values: readonly z.core.util.Primitive[]): string {
  const named = values.filter((value) => value !== '').map(String);
  return named.length === 1 ? `${named[0]}` : `one of ${named.join(', ')}`;
}

function limited(origin: string, how: string, limit: number | bigint): string {
  if (origin === 'string') return `must have ${how} ${limit} ${limit === 1 ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set') return `must have ${how} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  return `must be ${how} ${limit}`;
}
