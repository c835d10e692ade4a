/** The datasets that a beacon lists, and its own dates. */
import type { Dataset } from '../contract.js';

/** The datasets as a caller sees them; `open` has those that the caller may query, by id, as the caller sees them. */
export function listedDatasets(
  all: readonly Dataset[],
  open: ReadonlyMap<string, Dataset>,
  { listProtected }: { listProtected: boolean },
): Dataset[] {
  return all.filter(({ id }) => listProtected || open.has(id)).map((one) => open.get(one.id) ?? withheld(one));
}

/** A dataset as shown to clients that may not query it: counts that grow with each load would reveal new patients. */
function withheld(one: Dataset): Dataset {
  return { ...one, updated: one.created, alleleCount: 0, callCount: 0, sampleCount: 0 };
}

/** When the beacon was created, by its settings, its oldest dataset or the start of the server; and when it last changed. */
export function datesOf(
  listed: readonly Pick<Dataset, 'created' | 'updated'>[],
  settings: { createDateTime?: Date | undefined },
  started: Date,
): { created: Date; updated: Date } {
  const created = settings.createDateTime ?? first(listed.map((one) => one.created)) ?? started;
  return {
    created,
    updated:
      first(
        listed.map((one) => one.updated),
        -1,
      ) ?? created,
  };
}

/** The earliest of dates, or with a sign of -1 the latest. */
function first(dates: readonly Date[], sign = 1): Date | undefined {
  return [...dates].sort((one, other) => sign * (one.getTime() - other.getTime()))[0];
}
