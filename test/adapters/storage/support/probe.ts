/** A contract of the tests, whose repository is the database itself: it shows what bindings receive. */
import { type Binding, type Database, defineBinding, type SchemaStep } from '../../../../adapters/knex/binding.js';
import { audit } from '../../../../core/audit/contract.js';
import { sessions, tokens } from '../../../../core/auth/contract.js';
import { erasures } from '../../../../core/erasures/contract.js';
import { jobs } from '../../../../core/jobs/contract.js';
import { type Contract, defineContract } from '../../../../core/storage.js';
import { beacon, beaconProtection } from '../../../../plugins/beacon/contract.js';
import {
  coverageCohorts,
  coverageRegions,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
} from '../../../../plugins/coverage/contract.js';
import { matchmakerTriage } from '../../../../plugins/matchmaker/contract.js';
import type { OpenOptions } from '../../../support/storages.js';

export const probe: Contract<Database> = defineContract<Database>('probe@1');

/** What the tests of migrations migrate, in one process and in several. */
export const migrated: readonly Contract[] = [
  ...[erasures, jobs, tokens, sessions, audit, beacon, beaconProtection],
  ...[coverageSamples, coverageTracks, coverageCohorts, coverageSites, coverageRegions, coverageReports],
  ...[matchmakerTriage, probe],
];

/** A column of each kind. */
const values: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.createTable('probe_values', (table) => {
      columns.big(table, 'id').primary();
      columns.text(table, 'name').unique();
      table.boolean('flag');
      table.double('ratio');
      columns.time(table, 'at');
      columns.json(table, 'doc');
    });
  },
  async down(schema) {
    await schema.schema.dropTable('probe_values');
  },
};

/** Depends on the first step. */
const children: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.createTable('probe_children', (table) => {
      table.increments('id');
      columns.big(table, 'parent').notNullable().references('id').inTable('probe_values');
    });
  },
  async down(schema) {
    await schema.schema.dropTable('probe_children');
  },
};

export const steps: Record<string, SchemaStep> = { '001-values': values, '002-children': children };

export function probeWith(migrations: Record<string, SchemaStep>): OpenOptions {
  const binding: Binding<Database> = defineBinding({
    contract: probe,
    migrations,
    repository: (database) => database,
  });
  return { bindings: new Map([[probe.id, async () => ({ default: binding })]]) };
}

export const probeOptions: OpenOptions = probeWith(steps);
