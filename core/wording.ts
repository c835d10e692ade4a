/** The sentences for input and settings that a schema refuses without a message of its own. They do not repeat the value, which may be patient data or secret. */
import type { z } from 'zod';

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

/** For `safeParse`. Each sentence goes on after the name of a field: `must be text`. */
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
