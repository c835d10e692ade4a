/** matchmaker-resources@1 on SQL. */
import { Fault } from '../../../core/storage.js';
import {
  matchmakerResources,
  type ResourceKind,
  type ResourceRelease,
  type ResourceRepository,
  resourceKinds,
  type StoredResource,
} from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding, type SchemaStep } from '../binding.js';

const state = 'matchmaker_resources_state';
const parts = 'matchmaker_resources_parts';

interface PartRow {
  kind: ResourceKind;
  version: string | null;
  source: string;
  entries: number;
  loaded: unknown;
}

const resources: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(state, (table) => {
      // A single row, present from the start: concurrent replacements wait on it.
      table.integer('id').primary();
      column.big(table, 'revision').notNullable();
    });
    await schema(state).insert({ id: 1, revision: 0 });
    await schema.schema.createTable(parts, (table) => {
      column.text(table, 'kind').primary();
      column.text(table, 'version');
      column.text(table, 'source').notNullable();
      table.integer('entries').notNullable();
      column.time(table, 'loaded').notNullable();
      table.binary('content').notNullable();
    });
  },
  async down(schema) {
    await schema.schema.dropTable(parts);
    await schema.schema.dropTable(state);
  },
};

function repository(database: Database): ResourceRepository {
  const { values } = database.engine;

  async function revision(on: Database): Promise<number> {
    const [row] = await on.query<{ revision: unknown }>(`select revision from ${state} where id = 1`, []);
    return values.parseBig(row?.revision);
  }

  const release = ({ kind, version, source, entries, loaded }: PartRow): ResourceRelease => ({
    kind,
    ...(version !== null && { version }),
    source,
    entries,
    loaded: values.parseTime(loaded),
  });

  return {
    revision: () => revision(database),

    releases: () =>
      database.snapshot(async (moment) => {
        const sql = `select kind, version, source, entries, loaded from ${parts}`;
        const rows = await moment.query<PartRow>(sql, []);
        return { revision: await revision(moment), releases: rows.map(release).sort(byKind) };
      }),

    load: () =>
      database.snapshot(async (moment) => {
        const sql = `select kind, version, source, entries, loaded, content from ${parts}`;
        const rows = await moment.query<PartRow & { content: Uint8Array }>(sql, []);
        const found = rows.map((row): StoredResource => ({ ...release(row), content: new Uint8Array(row.content) }));
        return { revision: await revision(moment), resources: found.sort(byKind) };
      }),

    async replace(fresh) {
      const kinds = fresh.map(({ kind }) => kind);
      if (kinds.length === 0 || new Set(kinds).size < kinds.length) {
        throw new Fault('invalid', 'A replacement needs at least one resource, and at most one of each kind');
      }
      return database.transaction(async (scope) => {
        // The row of the revision first, so that of two concurrent replacements one waits here.
        await scope.write(state).where({ id: 1 }).increment('revision', 1);
        await scope.engine.whereIn(scope.write(parts), 'kind', kinds).delete();
        for (const { kind, version = null, source, entries, loaded, content } of fresh) {
          const time = values.time(loaded);
          const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
          await scope.write(parts).insert({ kind, version, source, entries, loaded: time, content: bytes });
        }
        return revision(scope);
      });
    },
  };
}

function byKind(left: ResourceRelease, right: ResourceRelease): number {
  return resourceKinds.indexOf(left.kind) - resourceKinds.indexOf(right.kind);
}

export default defineBinding({
  contract: matchmakerResources,
  migrations: { '001-resources': resources },
  repository,
});
