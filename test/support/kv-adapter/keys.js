/** Keys: strings whose order is the order of reading. */

/**
 * LevelDB orders keys by their bytes. As UTF-16 with the high byte first that is the order of `<` on strings; and any string is
 * a key, half surrogate pairs included.
 */
export const keyEncoding = {
  name: 'utf16be',
  format: 'buffer',
  encode: (text) => Buffer.from(text, 'utf16le').swap16(),
  decode: (bytes) => Buffer.from(bytes).swap16().toString('utf16le'),
};

/** Ends each part of a key but the last; a part that another follows does not contain it. */
export const end = '\u0000';
/** Comes after all keys that go on with `end`. */
export const past = '\u0001';

/** A key of several parts; shorter keys come before those that begin with them. */
export const keyOf = (...parts) => parts.join(end);

/** The range of all keys that begin with these parts and have more. */
export const under = (...parts) => startingWith(keyOf(...parts, ''));

/** The range of all keys that begin with this text, which ends with `end`. */
export const startingWith = (begin) => ({ from: begin, before: begin.slice(0, -1) + past });
