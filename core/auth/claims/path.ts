/** Paths to claims in a token, as the configuration writes them: `groups`, `resource_access."my.client".roles`. */

/** The members of a path, such as `resource_access`, `my.client`, `roles`. */
export type ClaimPath = readonly string[];

/** Returns the path, or a sentence that says why the text is not one. */
export function parseClaimPath(text: string): ClaimPath | string {
  const path: string[] = [];
  const part = /(?:"([^"]+)"|([^."]+))(\.|$)/y;
  while (part.lastIndex < text.length) {
    const at = part.lastIndex;
    const [, quoted, plain, end] = part.exec(text) ?? [];
    const name = quoted ?? plain;
    if (name === undefined || (end === '.' && part.lastIndex === text.length)) {
      return `the path of a claim is names with dots between them, and quotes around a name with dots, such as realm_access.roles or resource_access."my.client".roles; got "${text}", which is wrong from "${text.slice(at)}"`;
    }
    path.push(name);
  }
  return path.length === 0 ? 'the path of a claim is not empty' : path;
}

/** The texts at the path: the members of a list, or one. Values of any other type are no values. */
export function textsAt(claims: Readonly<Record<string, unknown>>, path: ClaimPath): readonly string[] {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return [];
    value = (value as Record<string, unknown>)[name];
  }
  return [value].flat().filter((one) => typeof one === 'string');
}
