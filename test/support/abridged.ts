/**
 * Answers in guides show the lines that matter. `…` stands for what is left out, at least one thing: a line of its own
 * for lines, and at the end of a line for its rest; in JSON the member `"…": "…"` for other members, the last element
 * `"…"` for further elements, and the value `"…"` for any value.
 */

const rest = '…';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What was printed, as a guide would show it: without what the guide leaves out. Compare the result with the guide. */
export function abridgedJson(printed: unknown, shown: unknown): unknown {
  if (shown === rest) return rest;
  if (Array.isArray(printed) && Array.isArray(shown)) {
    const isCut = shown.at(-1) === rest && printed.length >= shown.length;
    const kept = isCut ? printed.slice(0, shown.length - 1) : printed;
    return [...kept.map((one, place) => abridgedJson(one, shown[place])), ...(isCut ? [rest] : [])];
  }
  if (isObject(printed) && isObject(shown)) {
    const members = Object.entries(printed).filter(([key]) => !(rest in shown) || Object.hasOwn(shown, key));
    const isCut = members.length < Object.keys(printed).length;
    return {
      ...Object.fromEntries(members.map(([key, value]) => [key, abridgedJson(value, shown[key])])),
      ...(isCut && { [rest]: rest }),
    };
  }
  return printed;
}

/** As `abridgedJson`, of text: the guide's text if it fits, else what was printed. */
export function abridgedText(printed: string, shown: string): string {
  const escaped = shown.split('\n').map((line) => line.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const lines = escaped.map((line) => (line === rest ? '.*(?:\n.*)*' : line.replace(/…$/, '.+')));
  return new RegExp(`^${lines.join('\n')}$`).test(printed) ? shown : printed;
}
