/** JSON objects that name a member twice: parsers disagree on which one counts. */

/** A text, or one of the characters that give JSON its structure. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** Whether an object in the JSON text names a member twice, also by another spelling of it. The text must be valid JSON. */
export function hasRepeatedMember(json: string): boolean {
  /** The members of the objects around; undefined for arrays. */
  const around: (Set<string> | undefined)[] = [];
  let isName = false;
  for (const [token] of json.matchAll(tokens)) {
    if (token === '{') {
      around.push(new Set());
      isName = true;
    } else if (token === '[') {
      around.push(undefined);
      isName = false;
    } else if (token === '}' || token === ']') {
      around.pop();
      isName = false;
    } else if (token === ',') {
      isName = around.at(-1) !== undefined;
    } else if (token !== ':' && isName) {
      const name = JSON.parse(token) as string;
      const members = around.at(-1);
      if (members?.has(name)) return true;
      members?.add(name);
      isName = false;
    }
  }
  return false;
}
