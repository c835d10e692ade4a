/** Parses the output of `mongoexport`: one JSON object per line, in MongoDB's Extended JSON (relaxed or canonical). */

export type MongoDocument = Record<string, unknown>;

/** Returns the document, or undefined if the line is not one. Object ids become hexadecimal text, dates Dates. */
export function parseDocument(line: string): MongoDocument | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line, (_, member) => plain(member));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
  return isDocument(value) ? value : undefined;
}

export function isDocument(value: unknown): value is MongoDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Unwraps values such as `{"$oid": "…"}`; returns any other value unchanged. */
function plain(value: unknown): unknown {
  if (!isDocument(value)) return value;
  const [[key, inner] = [], ...others] = Object.entries(value);
  if (key === undefined || !key.startsWith('$') || others.length > 0) return value;
  switch (key) {
    case '$oid':
      return inner;
    case '$numberInt':
    case '$numberLong':
    case '$numberDouble':
    case '$numberDecimal':
      return typeof inner === 'string' ? Number(inner) : value;
    case '$date': {
      // The canonical form has milliseconds as {"$numberLong": "…"}, which is already converted to a number.
      const date = typeof inner === 'string' || typeof inner === 'number' ? new Date(inner) : undefined;
      return date === undefined || Number.isNaN(date.getTime()) ? value : date;
    }
    default:
      return value;
  }
}
