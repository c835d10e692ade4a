/**
 * Groups of research infrastructures as URNs (AARC-G002, AARC-G069):
 * `urn:<id>:<namespace>[:…]:group:<group>[:<subgroup>…][:role=<role>]#<authority>`.
 */

interface GroupUrn {
  /** Lower case as far as it is not case-sensitive. */
  namespace: string;
  /** The group and its subgroups. */
  groups: readonly string[];
  role: string | undefined;
  authority: string | undefined;
}

/**
 * Whether a held group satisfies the required one: it is that group or one below it, of the same namespace and authority.
 * A required role must be held in exactly the required group. Texts that are not such URNs satisfy nothing.
 */
export function satisfiesGroup(held: string, required: string): boolean {
  const [has, needs] = [parse(held), parse(required)];
  if (has === undefined || needs === undefined) return false;
  if (has.namespace !== needs.namespace || has.authority !== needs.authority) return false;
  if (!needs.groups.every((name, i) => has.groups[i] === name)) return false;
  return needs.role === undefined || (has.role === needs.role && has.groups.length === needs.groups.length);
}

function parse(text: string): GroupUrn | undefined {
  const [name = '', authority, ...more] = text.split('#');
  const [scheme = '', id = '', delegated = '', ...rest] = name.split(':');
  const at = rest.indexOf('group');
  if (scheme.toLowerCase() !== 'urn' || at < 0 || more.length > 0 || authority === '') return undefined;
  const subspaces = rest.slice(0, at);
  const groups = rest.slice(at + 1).map(normalized);
  const role = groups.at(-1)?.startsWith('role=') ? groups.pop()?.slice('role='.length) : undefined;
  const parts = [id, delegated, ...subspaces, ...groups];
  if (groups.length === 0 || role === '' || parts.includes('') || groups.some((one) => one.startsWith('role='))) {
    return undefined;
  }
  const space = [id.toLowerCase(), delegated.toLowerCase(), ...subspaces];
  return { namespace: space.map(normalized).join(':'), groups, role, authority };
}

/** Percent-encoded characters may be written in either case. */
function normalized(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}
