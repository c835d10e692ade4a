/** The endpoints of entries, from what the entry types declare. */
import type { EntryType, Place } from './entry-type.js';

export interface Endpoint {
  /** Below the root, with `{id}` for the id of an entry: `/datasets/{id}/g_variants`. */
  path: string;
  /** The type of the entries that it returns. */
  returns: EntryType;
  /** With the id of the path, if it has one. */
  place(id: string): Place;
}

export interface EndpointSet {
  of: EntryType;
  all: Endpoint;
  single: Endpoint;
  /** By the name of the lookup in the map. */
  related: ReadonlyMap<string, Endpoint>;
}

export function endpointSets(types: readonly EntryType[]): EndpointSet[] {
  return types.map((of) => {
    const path = `/${of.path}`;
    const related = types.filter(({ id }) => of.related.includes(id));
    return {
      of,
      all: { path, returns: of, place: () => ({ kind: 'all' }) },
      single: { path: `${path}/{id}`, returns: of, place: (id) => ({ kind: 'entry', id }) },
      related: new Map(
        related.map((returns) => [
          `${returns.id}Lookup`,
          { path: `${path}/{id}/${returns.path}`, returns, place: (id) => ({ kind: 'below', type: of.id, id }) },
        ]),
      ),
    };
  });
}
