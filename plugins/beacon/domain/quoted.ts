/** A client's text in a message. */
const longest = 40;

/** In quotes, and cut if it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length <= longest ? text : `${text.slice(0, longest)}…`);
}
