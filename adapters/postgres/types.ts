/** How our connections parse values from PostgreSQL. */
import pg from 'pg';

const { builtins, getTypeParser } = pg.types;

/** 64-bit integers as numbers; one beyond 2^53 is an error and never rounded. */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('A whole number beyond 2^53 came out of the database');
  return value;
}

/** JSON stays text until a repository parses it; otherwise a text `null` or `"1"` would be ambiguous. */
const asText = (text: string) => text;

export const types = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (type === builtins.INT8) return wholeNumber;
      if (type === builtins.JSON || type === builtins.JSONB) return asText;
    }
    return getTypeParser(type, format as 'text');
  },
};
