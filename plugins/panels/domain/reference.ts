/** `ID@VERSION`, as commands, forms and calls name a version; `ID` alone is the latest that is signed off. */
import { Fault } from '../../../core/plugin.js';
import type { PanelHead, PanelRepository, PanelVersion } from '../contract.js';
import { isPanelId } from './panel-id.js';
import { compareVersionNames, isVersionName } from './version-name.js';

/** Undefined if it is no reference. */
export function parseReference(reference: string): { panel: string; version?: string } | undefined {
  const [panel = '', version, ...more] = reference.split('@');
  if (!isPanelId(panel) || more.length > 0) return undefined;
  if (version === undefined) return { panel };
  return isVersionName(version) ? { panel, version } : undefined;
}

/** Throws `not-found` with a sentence that says what there is. */
export async function versionNamed(repository: PanelRepository, reference: string): Promise<PanelVersion> {
  const named = parseReference(reference);
  if (named === undefined) {
    throw new Fault(
      'invalid',
      `"${reference}" names no version: expected ID@VERSION, or ID for the latest that is signed off`,
    );
  }
  const { panel, version } = named;
  const heads = await repository.list(panel);
  const name = version ?? latestSigned(heads)?.version;
  if (name === undefined) {
    const why =
      heads.length === 0
        ? `There is no panel ${panel}`
        : `No version of ${panel} is signed off: name one, such as ${panel}@${heads.at(-1)?.version}`;
    throw new Fault('not-found', why);
  }
  const found = await repository.find(panel, name);
  if (found) return found;
  const known = heads.map((head) => head.version).join(', ');
  throw new Fault(
    'not-found',
    heads.length === 0 ? `There is no panel ${panel}` : `There is no version ${name} of ${panel}; there are ${known}`,
  );
}

/** The last in the order of version names. */
export function latestSigned(heads: readonly PanelHead[]): PanelHead | undefined {
  return heads
    .filter(({ state }) => state === 'signed off')
    .sort((one, two) => compareVersionNames(one.version, two.version))
    .at(-1);
}
