/** Documents as `mongoexport` writes them: one JSON object a line, in MongoDB's Extended JSON (relaxed or canonical). */

export type MongoDocument = Record<string, unknown>;

/** A document, or undefined where the line is none. Object ids become their hexadecimal text, dates become Dates. */
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

/** What a wrapper such as `{"$oid": "…"}` stands for; anything else as it is. */
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
      // The canonical form holds milliseconds as {"$numberLong": "…"}, which are a number by now.
      const date = typeof inner === 'string' || typeof inner === 'number' ? new Date(inner) : undefined;
      return date === undefined || Number.isNaN(date.getTime()) ? value : date;
    }
    default:
      return value;
  }
}
