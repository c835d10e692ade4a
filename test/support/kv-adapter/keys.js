/** Keys: texts whose order is the order in which things are asked for. */

/**
 * LevelDB orders keys by their bytes. As UTF-16 with the high byte first that is the order of `<` on strings, which is
 * also the code-unit order that contracts promise; and any string is a key, half surrogate pairs included.
 */
export const keyEncoding = {
  name: 'utf16be',
  format: 'buffer',
  encode: (text) => Buffer.from(text, 'utf16le').swap16(),
  decode: (bytes) => Buffer.from(bytes).swap16().toString('utf16le'),
};

const parted = '\u0000';
const limit = 10 ** 15;

/**
 * A key of several parts; shorter keys come before those that begin with them. Numbers order as numbers, and those
 * beyond 10^15 as the furthest ones. A text that may hold anything comes last, or is quoted (`JSON.stringify`).
 */
export function keyOf(...parts) {
  return parts.map((part) => (typeof part === 'number' ? ordered(part) : part)).join(parted);
}

function ordered(number) {
  const within = Math.min(Math.max(number, -limit), limit - 1);
  return String(within + limit).padStart(16, '0');
}

/** The range of all keys that begin with these parts and have more. */
export function under(...parts) {
  return { from: `${keyOf(...parts)}${parted}`, before: `${keyOf(...parts)}\u0001` };
}

/** The range of all keys that begin with these parts and then have a number from `first` to `last`, both included. */
export function between(parts, first, last) {
  return { from: keyOf(...parts, first), before: `${keyOf(...parts, last)}\u0001` };
}
