/** Rows of kept reports. */
import { builds, type KeptFacts, type KeptReport } from '../../../plugins/coverage/contract.js';
import { intact, type StoredRows } from '../rows.js';
import { reports } from './migrations.js';

export interface ReportRow {
  number: number;
  id: string;
  made: unknown;
  facts: unknown;
}

/** A damaged report is left out: it counts as absent. */
export const reportRows: StoredRows<ReportRow, KeptReport> = {
  table: reports,
  key: 'number',
  columns: ['number', 'id', 'made', 'facts'],
  read(values, { id, made, facts: stored }) {
    const facts = values.parseJson(stored) as KeptFacts;
    intact(builds.includes(facts.build) && Array.isArray(facts.samples) && typeof facts.software === 'string');
    return { id, made: values.parseTime(made), facts };
  },
};
