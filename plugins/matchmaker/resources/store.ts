/** matchmaker-resources@1 above tables. */
import {
  bytes,
  defineStore,
  defineTable,
  Fault,
  integer,
  optional,
  type RowOf,
  small,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
import {
  matchmakerResources,
  type ResourceKind,
  type ResourceRelease,
  type ResourceRepository,
  resourceKinds,
} from './contract.js';

/** A single row, present from the start: concurrent replacements wait on it. */
const state = defineTable({
  name: 'matchmaker_resources_state',
  columns: { id: small(), revision: integer() },
  key: ['id'],
  first: { id: 1, revision: 0 },
});

const parts = defineTable({
  name: 'matchmaker_resources_parts',
  columns: {
    kind: text(),
    version: optional(text()),
    source: text(),
    entries: small(),
    loaded: time(),
    content: bytes(),
  },
  key: ['kind'],
});

type PartRow = RowOf<typeof parts.columns>;

const releaseOf = ({ kind, ...row }: Omit<PartRow, 'content'>): ResourceRelease => ({
  kind: kind as ResourceKind,
  ...row,
});

const byKind = (left: Pick<ResourceRelease, 'kind'>, right: Pick<ResourceRelease, 'kind'>) =>
  resourceKinds.indexOf(left.kind) - resourceKinds.indexOf(right.kind);

async function revisionIn(tables: Tables): Promise<number> {
  return (await tables.table(state).one({ id: 1 }))?.revision ?? 0;
}

export const store = defineStore<ResourceRepository>({
  contract: matchmakerResources,
  tables: [state, parts],
  steps: { '001-resources': { tables: [state, parts] } },
  repository: (tables) => ({
    revision: () => revisionIn(tables),

    releases: () =>
      tables.snapshot(async (moment) => {
        const rows = await moment.table(parts).find({ without: ['content'] });
        return { revision: await revisionIn(moment), releases: rows.map(releaseOf).sort(byKind) };
      }),

    load: () =>
      tables.snapshot(async (moment) => {
        const rows = await moment.table(parts).find();
        const resources = rows.map(({ content, ...row }) => ({ ...releaseOf(row), content }));
        return { revision: await revisionIn(moment), resources: resources.sort(byKind) };
      }),

    async replace(fresh) {
      const kinds = fresh.map(({ kind }) => kind);
      if (kinds.length === 0 || new Set(kinds).size < kinds.length) {
        throw new Fault('invalid', 'A replacement needs at least one resource, and at most one of each kind');
      }
      return tables.transaction(async (inside) => {
        // The row of the revision first, so that of two concurrent replacements one waits here.
        await inside.table(state).change({ id: 1 }, { revision: { plus: 1 } });
        await inside.table(parts).remove({ kind: { among: kinds } });
        await inside.table(parts).append(fresh);
        return revisionIn(inside);
      });
    },
  }),
});
