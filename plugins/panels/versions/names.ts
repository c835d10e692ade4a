/** Ids of panels, and names of their versions. */

const idForm = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** Words that addresses have in the place of an id. */
const taken = new Set(['versions', 'holding', 'new']);

export function isPanelId(id: string): boolean {
  return idForm.test(id);
}

/** Explains why a new panel cannot have the id; undefined if it can. */
export function panelIdFault(id: string): string | undefined {
  if (!isPanelId(id)) return `"${id}" is not an id: expected up to 100 of a-z, 0-9, ".", "-" and "_"`;
  return taken.has(id) ? `"${id}" is a word in addresses: expected another id` : undefined;
}

/** The id nearest to one that another system uses: `iem` for `IEM`; undefined if none is near. */
export function panelIdNear(id: string): string | undefined {
  const near = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 100);
  return panelIdFault(near) === undefined ? near : undefined;
}

// Names of a panel's versions: dotted whole numbers, compared number by number, so that 1.10 is after 1.9.

/** Up to six numbers without leading zeros: one version has one name. */
const nameForm = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){0,5}$/;

export const versionNameForm = 'dotted whole numbers, such as 3 or 1.10';

export function isVersionName(name: string): boolean {
  return nameForm.test(name);
}

/** Negative if `one` is before `two`; 0 only if they are the same name. Of 2 and 2.0, the shorter name is first. */
export function compareVersionNames(one: string, two: string): number {
  const [these, those] = [one, two].map((name) => name.split('.').map(Number)) as [number[], number[]];
  for (const [place, number] of these.entries()) {
    const difference = number - (those[place] ?? -1);
    if (difference !== 0) return difference;
  }
  return these.length - those.length;
}

/** The name after this one: its last number and one more. */
export function nextVersionName(name: string): string {
  const numbers = name.split('.');
  const last = Number(numbers.pop());
  return [...numbers, last + 1].join('.');
}
