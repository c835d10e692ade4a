/**
 * Names for the groups of identity providers that know them by ids: Microsoft Entra sends the object ids of groups, which say
 * nothing to those who read the configuration.
 */
import { readFile } from 'node:fs/promises';
import type { AuthSettings, ClaimRule } from '../auth/settings.js';
import { Mistakes } from '../command-text.js';
import { Fault, isFault } from '../fault.js';
import { utf8Text } from '../text.js';
import type { Path } from './layer.js';
import { nearest } from './suggest.js';
import { why } from './yaml.js';

export interface GroupFile {
  path: string;
  /** As messages name it. */
  shown: string;
}

/**
 * The settings with the id of its group as the `value` of each rule that names one. `refuse` is called with every mistake, in the
 * file or in a rule.
 */
export async function withGroupIds(
  auth: AuthSettings,
  file: GroupFile | undefined,
  refuse: (setting: Path, message: string) => void,
): Promise<AuthSettings> {
  const ids = await idsIn(file, (message) => refuse(['auth', 'groups'], message));
  const resolved = <Rule extends ClaimRule>(rule: Rule, place: Path): Rule => {
    const { group } = rule;
    if (group === undefined || ids === undefined) return rule;
    const value = ids.get(group);
    if (value === undefined) refuse([...place, 'group'], unknownGroup(group, file, [...ids.keys()]));
    return { ...rule, value };
  };
  const roles = auth.roles.map((rule, i) => resolved(rule, ['auth', 'roles', String(i)]));
  const tenants = Object.entries(auth.tenants ?? {}).map(([name, tenant]) => {
    const place = ['auth', 'tenants', name, 'members'];
    return [name, { ...tenant, members: tenant.members.map((one, i) => resolved(one, [...place, String(i)])) }];
  });
  return { ...auth, roles, ...(auth.tenants && { tenants: Object.fromEntries(tenants) as typeof auth.tenants }) };
}

function unknownGroup(group: string, file: GroupFile | undefined, known: readonly string[]): string {
  if (file === undefined) return 'names a group, but no file with the ids of groups is set (auth.groups)';
  const meant = nearest(group, known);
  return `${file.shown} has no group "${group}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
}

/** By name; undefined if the file cannot be used. */
async function idsIn(
  file: GroupFile | undefined,
  refuse: (message: string) => void,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (file === undefined) return new Map();
  try {
    const text = utf8Text(await readFile(file.path));
    if (text === undefined) throw new Fault('unprocessable', `${file.shown} is not UTF-8 text`);
    return parseGroups(text, file.shown);
  } catch (error) {
    refuse(isFault(error) ? error.message : `the file ${file.shown} ${why(error)}`);
    return undefined;
  }
}

/**
 * Lines with an id, a tab and a name; empty lines and lines that begin with # are ignored. Throws an `unprocessable` fault with the
 * lines that are wrong. Two groups of one name are refused: in a directory in which people make groups themselves, anyone could
 * make another group of that name.
 */
function parseGroups(text: string, file: string): Map<string, string> {
  const mistakes = new Mistakes(file);
  const ids = new Map<string, string>();
  const lineOf = new Map<string, number>();
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const place = `line ${i + 1}`;
    const [id = '', name = '', ...more] = line.split('\t').map((cell) => cell.trim());
    if (id === '' || name === '' || more.length > 0) {
      mistakes.add(place, 'expected the id of a group, a tab and its name');
      continue;
    }
    for (const [word, key] of [
      ['id', `id ${id}`],
      ['name', `name ${name}`],
    ] as const) {
      const before = lineOf.get(key);
      if (before === undefined) lineOf.set(key, i + 1);
      else mistakes.add(place, `has the ${word} of line ${before}`);
    }
    ids.set(name, id);
  }
  mistakes.refuse();
  return ids;
}
