/** Checks input against the schemas of a route and reports all wrong fields at once. */
import type { ZodType } from 'zod';
import { Fault, type FieldFault } from '../fault.js';
import { queryWording, wording } from '../wording.js';

export interface Input {
  params: unknown;
  query: unknown;
  body: unknown;
}

type Schemas = { [Part in keyof Input]: ZodType | undefined };

const most = 100;

/** Returns the output of the schemas; throws one `invalid` fault with every wrong field, up to 100. */
export function validate(schemas: Schemas, sent: Input): Input {
  const fields: FieldFault[] = [];
  const check = (schema: ZodType, value: unknown, error = wording): unknown => {
    const result = schema.safeParse(value, { error });
    if (result.success) return result.data;
    // One by one: a list may have more faults than a call takes arguments.
    for (const [i, { code, path: parts, message }] of result.error.issues.entries()) {
      const path = parts.map(String).join('.');
      // Of two limits of a number the second is the narrower one: the first is what a number can hold.
      const last = fields.at(-1);
      if (i > 0 && last?.path === path && result.error.issues[i - 1]?.code === code) fields.pop();
      const isWhole = path === '' && (code === 'invalid_type' || code === 'invalid_union');
      fields.push({ path, message: isWhole ? `The body ${message}` : message });
    }
    return undefined;
  };
  const made: Input = {
    params: schemas.params === undefined ? sent.params : check(schemas.params, sent.params),
    query: schemas.query === undefined ? undefined : check(schemas.query, sent.query, queryWording),
    body: undefined,
  };
  if (schemas.body !== undefined) {
    const absent = sent.body === undefined && !schemas.body.safeParse(undefined).success;
    if (absent) fields.push({ path: '', message: 'A request body is needed' });
    else made.body = check(schemas.body, sent.body);
  }
  if (fields.length > 0) throw inputFault(fields);
  return made;
}

function inputFault(all: FieldFault[]): Fault {
  const fields = all.slice(0, most);
  const named = fields.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = all.length - named.length;
  return new Fault('invalid', named.join('; ') + (more > 0 ? `; and ${more} more` : ''), { fields });
}
