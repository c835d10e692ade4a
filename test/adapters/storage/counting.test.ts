/** What a load reads to count its new alleles: it must not grow with the loads before. */
import { expect } from 'chai';
import pg from 'pg';
import binding from '../../../adapters/knex/beacon/binding.js';
import { migrations } from '../../../adapters/knex/beacon/migrations.js';
import type { Storage } from '../../../core/storage.js';
import type { CalledAllele } from '../../../plugins/beacon/contract.js';
import { runSql } from '../../support/sql.js';
import { type Home, postgres } from '../../support/storages.js';
import { earlier, openAt } from './support/alleles.js';
import { overheard, type Statement } from './support/overheard.js';

/** Enough for the planner to read the segments anew for each allele, if it may choose. */
const loads = 40;
const each = 25;
const called = Array.from(
  { length: each },
  (_, i): CalledAllele => ({
    ...{
      contig: '7',
      start: 100 * i,
      end: 100 * i + 1,
      reference: 'A',
      alternate: 'C',
      kind: 'SNP',
      structural: false,
    },
    carriers: [[0, 1]],
  }),
);

interface Plan {
  'Node Type': string;
  Alias?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  'Actual Loops': number;
  Plans?: Plan[];
}

/** Rows that the parts of a plan read by this alias. */
function rowsOf(plan: Plan, alias: string): number {
  const own =
    plan.Alias === alias ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part, alias), own);
}

describe('Counting of new alleles on PostgreSQL', function () {
  this.timeout(120_000);
  let home: Home;
  let storage: Storage;

  before(async () => {
    home = await postgres.home();
    storage = await home.open([earlier], openAt(...(Object.keys(migrations) as (keyof typeof migrations)[])));
    await storage.migrate();
  });

  after(async () => {
    await storage.close();
    await home.discard();
  });

  it('reads a known allele in one earlier segment, however many have it', async () => {
    const heard: Statement[] = [];
    const repository = binding.repository(overheard(storage.repository(earlier), heard));
    const now = new Date();
    await repository.addDataset({ id: 'ds', name: 'ds', assembly: 'GRCh37', access: 'PUBLIC', version: 1 }, now);
    const load = (sample: string) => {
      const alleles = (async function* () {
        yield called;
      })();
      return repository.importAlleles({ dataset: 'ds', samples: [sample], alleles }, now);
    };
    for (let n = 0; n < loads; n++) await load(`s${n}`);
    await runSql(home.section, ['vacuum analyze']);
    heard.length = 0;
    expect(await load('last')).to.deep.equal({ alleles: 0, calls: each, samples: 1 });
    const counting = heard.filter(({ sql }) => sql.startsWith('select count(*) as alleles from beacon_alleles'));
    expect(counting.length).to.equal(1);
    const client = new pg.Client({ connectionString: String(home.section.url) });
    await client.connect();
    try {
      for (const { sql, bindings } of counting) {
        let n = 0;
        const text = `explain (analyze, format json) ${sql.replaceAll('?', () => `$${++n}`)}`;
        const { rows } = await client.query({ text, values: [...bindings] });
        const { Plan: plan } = rows[0]['QUERY PLAN'][0] as { Plan: Plan };
        // The new row itself may come first.
        expect(rowsOf(plan, 'o')).to.be.within(each, 2 * each);
      }
    } finally {
      await client.end();
    }
  });
});
