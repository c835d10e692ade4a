/** Keys: strings whose order is the order of reading. */

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
 * A key of several parts; shorter keys come before those that begin with them. Numbers are ordered as numbers; those
 * beyond 10^15 all come last. A text with arbitrary characters is the last part, or is quoted (`JSON.stringify`).
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
