/** Ids of panels: they are parts of addresses and of `ID@VERSION`. */

const form = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** Words that addresses have in the place of an id. */
const taken = new Set(['versions', 'holding', 'new']);

export function isPanelId(id: string): boolean {
  return form.test(id);
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
