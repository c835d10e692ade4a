/** matchmaker-audit@1 on SQL. */
import { type AuditAction, type AuditRepository, matchmakerAudit } from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding, type SchemaStep } from '../binding.js';
import { refuseUnstorable } from '../values.js';

const table = 'matchmaker_audit_entries';

interface EntryRow {
  number: number;
  at: unknown;
  actor: string;
  action: AuditAction;
  patient: string;
  query: string | null;
  purpose: string | null;
}

/** The table as release 0.2 has it. */
const entries: SchemaStep = {
  replaces: ['001-entries'],
  async up(schema, { columns }) {
    await schema.schema.createTable(table, (definition) => {
      definition.increments('number');
      columns.time(definition, 'at').notNullable().index();
      columns.text(definition, 'actor').notNullable();
      columns.text(definition, 'action').notNullable();
      columns.text(definition, 'patient').notNullable().index();
      columns.text(definition, 'query').index();
      columns.text(definition, 'purpose');
    });
  },
  async down(schema) {
    await schema.schema.dropTable(table);
  },
};

function repository(database: Database): AuditRepository {
  const { values, bound } = database.engine;
  const columns = 'at, actor, action, patient, query, purpose';
  const rows = bound({ at: 'time', actor: 'text', action: 'text', patient: 'text', query: 'text', purpose: 'text' });
  const insertion = `insert into ${table} (${columns}) select ${columns} from ${rows} q`;
  return {
    async add(all) {
      if (all.length === 0) return;
      const rows = all.map(({ at, actor, action, patient, query, purpose }) => [
        values.time(at) as string | number,
        actor,
        action,
        patient,
        query ?? null,
        purpose ?? null,
      ]);
      refuseUnstorable(rows);
      await database.later(insertion, [values.json(rows) as string]);
    },

    async entries({ patient, actor, since, after, limit }) {
      const rows: EntryRow[] = await database.run(({ read }) => {
        const query = read(table)
          .select('number', 'at', 'actor', 'action', 'patient', 'query', 'purpose')
          .orderBy('number');
        if (patient !== undefined) query.where((either) => either.where({ patient }).orWhere({ query: patient }));
        if (actor !== undefined) query.where({ actor });
        if (since !== undefined) query.where('at', '>=', values.time(since) as string | number);
        if (after !== undefined) query.where('number', '>', after);
        return query.limit(limit);
      });
      return rows.map(({ number, at, actor, action, patient, query, purpose }) => ({
        number,
        at: values.parseTime(at),
        actor,
        action,
        patient,
        ...(query === null ? {} : { query }),
        ...(purpose === null ? {} : { purpose }),
      }));
    },

    rename: (patient, name, of) =>
      database.transaction(async ({ write }) => {
        const seen = write(table).where({ patient });
        const asked = write(table).where({ query: patient });
        if (of?.own) {
          seen.whereNot({ action: 'receive' });
          asked.where((either) => either.whereNot({ action: 'match' }).orWhere({ actor: of.owner ?? null }));
        } else if (of) {
          seen.where({ action: 'receive', actor: `node:${of.name}` });
          asked.where({ action: 'match', actor: of.name });
        }
        const renamed: number = await seen.update({ patient: name });
        return renamed + (await asked.update({ query: name }));
      }),

    expire: (before) =>
      database.run(({ write }) =>
        write(table)
          .where('at', '<', values.time(before) as string | number)
          .delete(),
      ),
  };
}

export default defineBinding({
  contract: matchmakerAudit,
  migrations: { '002-purposes': entries },
  repository,
});
