/** matchmaker-audit@1 above tables. */
import {
  type Conditions,
  defineStore,
  defineTable,
  firstRows,
  generated,
  optional,
  person,
  type RowOf,
  text,
  time,
  user,
} from '../../../core/storage.js';
import { type AuditAction, type AuditRepository, matchmakerAudit } from './contract.js';

const entries = defineTable({
  name: 'matchmaker_audit_entries',
  columns: {
    number: generated(),
    at: time(),
    actor: user(text(), 'to tell who saw which patients'),
    action: text(),
    patient: person(text()),
    query: person(optional(text())),
    purpose: optional(text()),
  },
  key: ['number'],
  indexes: [['at'], ['patient'], ['query']],
});

type TrailRow = RowOf<typeof entries.columns>;
type TrailConditions = Conditions<TrailRow>;

/** Entries with another action, also with one that only a later version knows. */
const anyBut = (action: AuditAction): TrailConditions[] => [
  { action: { below: action } },
  { action: { above: action } },
];

const both = (all: TrailConditions, each: readonly TrailConditions[]): TrailConditions[] =>
  each.map((one) => ({ ...all, ...one }));

export const store = defineStore<AuditRepository>({
  contract: matchmakerAudit,
  tables: [entries],
  steps: { '002-purposes': { replaces: ['001-entries'], tables: [entries] } },
  repository(tables) {
    const table = tables.table(entries);
    return {
      async add(all) {
        if (all.length > 0) await tables.later((inside) => inside.table(entries).append(all));
      },

      async entries({ patient, actor, since, after, limit }) {
        const all = { ...(actor !== undefined && { actor }), ...(since !== undefined && { at: { atLeast: since } }) };
        const where = patient === undefined ? all : both(all, [{ patient }, { query: patient }]);
        const from = after === undefined ? undefined : { number: after };
        const found = await firstRows(table, { where, order: ['number'], limit, after: from });
        return found.map((row) => ({ ...row, action: row.action as AuditAction }));
      },

      rename: (patient, name, of) =>
        tables.transaction(async (inside) => {
          let seen: TrailConditions[] = [{}];
          let asked: TrailConditions[] = [{}];
          if (of?.own) {
            seen = anyBut('receive');
            asked = [...anyBut('match'), ...(of.owner === undefined ? [] : [{ actor: of.owner }])];
          } else if (of) {
            seen = [{ action: 'receive', actor: `node:${of.name}` }];
            asked = [{ action: 'match', actor: of.name }];
          }
          const [seenOf, askedOf] = [both({ patient }, seen), both({ query: patient }, asked)];
          const held = inside.table(entries);
          // All of them in one order, so that patients which matched each other can be renamed at once.
          await held.lock([...seenOf, ...askedOf], {
            without: ['at', 'actor', 'action', 'patient', 'query', 'purpose'],
          });
          const renamed = await held.change(seenOf, { patient: name });
          return renamed + (await held.change(askedOf, { query: name }));
        }),

      expire: (before) => table.remove({ at: { below: before } }),
    };
  },
});
