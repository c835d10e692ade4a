/** Where in a JSON text its values are, for messages. */

/** Strings, brackets, separators, and everything else between them. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|\n|[^\s{}[\]:,"]+/g;

interface Level {
  /** The path of the object or list itself. */
  path: string;
  /** The name of the next member, or the number of the next item. */
  at: string | number;
  /** Whether the next string names a member. */
  named: boolean;
}

/** The 1-based line on which each value of a valid JSON text begins, by its path as in messages (`pathText`). */
export function linesOf(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  const levels: Level[] = [];
  let line = 1;
  for (const [token] of text.matchAll(tokens)) {
    const level = levels.at(-1);
    if (token === '\n') line++;
    else if (token === ',' && level) {
      if (typeof level.at === 'number') level.at++;
      else level.named = true;
    } else if (token === '}' || token === ']') levels.pop();
    else if (level?.named) {
      level.at = JSON.parse(token) as string;
      level.named = false;
    } else if (token !== ':') {
      const path = level ? `${level.path}${pathText([level.at])}` : '';
      lines.set(path, line);
      if (token === '{') levels.push({ path, at: '', named: true });
      else if (token === '[') levels.push({ path, at: 0, named: false });
    }
  }
  return lines;
}

/** The line of a value, or of the innermost one around it if it is missing. */
export function lineOf(lines: ReadonlyMap<string, number>, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth >= 0; depth--) {
    const line = lines.get(pathText(path.slice(0, depth)));
    if (line !== undefined) return line;
  }
  return 1;
}

/** `[2].subject.id`, with a point before the first member too. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
}
