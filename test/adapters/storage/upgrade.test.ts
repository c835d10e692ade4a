/** Databases that earlier releases made: those of 0.2 are taken over as they are and given back, those of 0.1 are refused. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { audit } from '../../../core/audit/contract.js';
import { sessions, tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import type { Contract, Migration } from '../../../core/storage.js';
import {
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconGenes,
  beaconProtection,
} from '../../../plugins/beacon/contract.js';
import {
  coverage,
  coverageCohorts,
  coverageRegions,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
} from '../../../plugins/coverage/contract.js';
import {
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerResources,
  matchmakerTriage,
} from '../../../plugins/matchmaker/contract.js';
import { panels } from '../../../plugins/panels/contract.js';
import { reviews } from '../../../plugins/reviews/contract.js';
import { command } from '../../support/command.js';
import { faultOf } from '../../support/fault.js';
import { useFolder } from '../../support/folder.js';
import { runSql, selectRows } from '../../support/sql.js';
import { type Home, storages } from '../../support/storages.js';
import { useHome } from './support/home.js';

const everything: readonly Contract[] = [
  ...[erasures, jobs, tokens, sessions, audit, beacon, beaconGenes, beaconDepths, beaconConsequences, beaconProtection],
  ...[coverage, coverageSamples, coverageTracks, coverageCohorts, coverageSites, coverageRegions, coverageReports],
  ...[matchmaker, matchmakerMatches, matchmakerResources, matchmakerNodes, matchmakerMail, matchmakerAudit],
  ...[matchmakerTriage, panels, reviews],
];

/** What is new since 0.2. */
const later = [
  'erasures@1/001-known',
  'jobs@1/003-whole-indexes',
  'audit@1/003-numbers-of-chains',
  'beacon@1/010-shared-batches',
  'beacon@1/011-uncalled',
  'beacon@1/012-forms',
  'beacon@1/013-fractions',
  'beacon-genes@1/003-folded-symbols',
  'beacon-depths@1/001-depths',
  'beacon-depths@1/002-phases',
  'beacon-consequences@1/001-consequences',
  'beacon-protection@1/003-waiting-loads',
  'coverage-samples@1/003-places',
  'coverage-samples@1/004-unique-files',
  'coverage-samples@1/005-findings',
  'coverage-regions@1/001-sets-and-blocks',
  'coverage-reports@1/002-files',
  'matchmaker-matches@1/004-latest-queries',
  'reviews@1/001-statements-and-findings',
];

type Rows = Record<string, string[]>;

/** The rows of every table, with the columns of each by name. */
async function rowsIn({ section }: Home): Promise<Rows> {
  const tables = await selectRows<{ name: string }>(
    section,
    section.adapter === 'sqlite'
      ? "select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by 1"
      : 'select table_name as name from information_schema.tables where table_schema = current_schema() ' +
          "and table_name !~ '_grch\\d\\d_' and table_name <> 'trefoil_lineage' order by 1",
  );
  const found: Rows = {};
  for (const { name } of tables) {
    const rows = await selectRows(section, `select * from ${name}`);
    found[name] = rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();
  }
  return found;
}

/** Columns with their types and defaults, and indexes, whatever the quotes and the order of columns in SQLite's texts. */
async function schemaIn({ section }: Home): Promise<string[]> {
  const rows = await selectRows<{ line: string }>(
    section,
    section.adapter === 'sqlite'
      ? "select m.name || '.' || c.name || ' ' || c.type || ' ' || c.[notnull] || ' ' || coalesce(c.dflt_value, '') || ' ' || c.pk as line " +
          "from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' union all " +
          "select sql from sqlite_master where type = 'index' and sql is not null"
      : "select concat_ws(' ', table_name, ordinal_position, column_name, data_type, collation_name, is_nullable, column_default) as line " +
          'from information_schema.columns where table_schema = current_schema() union all ' +
          'select indexdef from pg_indexes where schemaname = current_schema() union all ' +
          "select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint where contype <> 'n' and connamespace = current_schema()::regnamespace",
  );
  return rows
    .map(({ line }) => line.replaceAll(/[`"']/g, '').replace(/^create (unique )?index/i, 'index $1'.toLowerCase()))
    .filter((line) => !line.includes('trefoil_lineage'))
    .sort();
}

const without = (all: readonly string[], others: readonly string[]) => all.filter((one) => !others.includes(one));

for (const engine of storages) {
  describe(`Databases of earlier releases on ${engine.name}`, function () {
    this.timeout(120_000);
    const folder = useFolder();
    const { home, open } = useHome(engine);

    async function restored(release: '0.1' | '0.2'): Promise<void> {
      const file = fileURLToPath(new URL(`./databases/${release}-${engine.adapter}.sql`, import.meta.url));
      await runSql(home().section, [await readFile(file, 'utf8')]);
    }
    const names = (steps: readonly Migration[]) => steps.map(({ contract, name }) => `${contract}/${name}`);
    const ledger = (rows: Rows) => (rows.trefoil_migrations ?? []).map((row) => JSON.parse(row).name as string).sort();

    /** What every start and every migration says, changing nothing. */
    async function refused(contracts: readonly Contract[], ...commands: string[][]): Promise<string> {
      const before = await rowsIn(home());
      const storage = await open(contracts);
      const messages: string[] = [];
      for (const attempt of ['pending', 'migrate'] as const) {
        messages.push((await faultOf(storage[attempt](), 'unavailable')).message);
      }
      expect(messages[1]).to.equal(messages[0]);
      await folder.write('trefoil.yaml', JSON.stringify({ storage: home().section, plugins: { beacon: {} } }));
      for (const words of commands) {
        const { code, stderr } = await command([...words, '--config', 'trefoil.yaml'], { cwd: folder.path() });
        expect(code, words.join(' ')).to.equal(1);
        expect(stderr).to.include(messages[0]);
      }
      expect(await rowsIn(home())).to.deep.equal(before);
      return messages[0] ?? '';
    }

    it('of 0.1 are refused, with what to do', async () => {
      await restored('0.1');
      expect(await refused([jobs, tokens, beacon], ['migrate'], ['check']))
        .to.include('of a release before 0.2')
        .and.include('it lacks jobs@1/002-crashes, beacon@1/004-alleles-as-written')
        .and.include('Install Trefoil 0.2 first');
    });

    it('of 0.2 are refused while a segment waits to be rewritten, with what to do', async () => {
      await restored('0.2');
      // As 0.2 marks what 0.1 had loaded; the other segment is rewritten already, and one is no longer published.
      await runSql(home().section, [
        'update beacon_segments set as_written = 1 where id = 1',
        "insert into beacon_segments (id, dataset, state, last_heartbeat, as_written) values (9, 'gone', 'dropped', 1, 1)",
      ]);
      expect(await refused([jobs, tokens, beacon], ['serve', '--port', '0'])).to.equal(
        'Alleles of dataset "ds" are still as release 0.1 stored them, which this version cannot read. ' +
          'Run "beacon verify --mend" of Trefoil 0.2 on this database, then start this version',
      );
      await runSql(home().section, ['update beacon_segments set as_written = null where id = 1']);
      const storage = await open([jobs, tokens, beacon]);
      const steps = [
        'jobs@1/003-whole-indexes',
        ...['010-shared-batches', '011-uncalled', '012-forms', '013-fractions'].map((name) => `beacon@1/${name}`),
      ];
      expect(names(await storage.migrate())).to.deep.equal(steps);
      // With rows of 0.1 put back by hand it is refused again, and still has its way back to 0.2.
      await runSql(home().section, ['update beacon_segments set as_written = 1 where id = 1']);
      await faultOf(storage.pending(), 'unavailable');
      const back = await storage.downgrade?.('0.2.0', { trial: false });
      expect(names(back?.undone ?? [])).to.deep.equal(steps.toReversed());
    });

    it('of 0.2 in which several jobs ended under one key are taken over', async () => {
      await restored('0.2');
      const columns = (await selectRows(home().section, 'select * from jobs_queue limit 1')).flatMap(Object.keys);
      const own = { seq: '?', id: '?', state: "'done'", live_key: "'reload'" } as Record<string, string>;
      const copyAs = (n: number) =>
        `insert into jobs_queue (${columns.join(', ')}) select ` +
        columns
          .map((name) => own[name]?.replace('?', name === 'id' ? `'ended${n}'` : `${1000 + n}`) ?? name)
          .join(', ') +
        ' from jobs_queue where seq = (select min(seq) from jobs_queue)';
      await runSql(home().section, [copyAs(1), copyAs(2)]);
      const storage = await open([jobs, tokens]);
      await storage.migrate();
      const ended = await Promise.all(['ended1', 'ended2'].map((id) => storage.repository(jobs).find(id)));
      expect(ended.map((job) => job?.state)).to.deep.equal(['done', 'done']);
    });

    it('of 0.2 are refused if one of their steps was undone, whichever it was', async () => {
      await restored('0.2');
      const storage = await open(everything);
      const rows = await selectRows<{ contract: string; name: string }>(
        home().section,
        'select contract, name from trefoil_migrations order by contract, name',
      );
      let tried = 0;
      for (const { contract, name } of rows) {
        if (rows.filter((row) => row.contract === contract).length === 1) continue;
        tried += 1;
        const where = `where contract = '${contract}' and name = '${name}'`;
        await runSql(home().section, [`update trefoil_migrations set contract = 'away' ${where}`]);
        const { message } = await faultOf(storage.pending(), 'unavailable');
        expect(message).to.include(`it lacks ${contract}/${name})`);
        await runSql(home().section, [
          `update trefoil_migrations set contract = '${contract}' ${where.replace(`'${contract}'`, "'away'")}`,
        ]);
      }
      // Nine contracts have two steps, one has three, and the beacon nine.
      expect(tried).to.equal(30);
      expect(names(await storage.pending())).to.deep.equal(later);
    });

    it('of 0.2 are taken over without moving a row, by several servers at once, and given back', async () => {
      await restored('0.2');
      const [rows, schema] = [await rowsIn(home()), await schemaIn(home())];
      const [storage, other] = [await open(everything), await open(everything)];
      const ran = await Promise.all([storage.migrate(), other.migrate()]);
      expect(names(ran.flat()).sort()).to.deep.equal([...later].sort());
      expect(await storage.pending()).to.deep.equal([]);

      const after = await rowsIn(home());
      const added = Object.keys(after).filter((table) => !(table in rows));
      const regions = ['coverage_regions_blocks', 'coverage_regions_sets'];
      const waiting = ['holds', 'loads', 'pieces'].map((name) => `beacon_protection_${name}`);
      const consequences = ['blocks', 'datasets', 'loads', 'sources', 'staged'];
      const beacons = [
        'beacon_batches',
        ...consequences.map((name) => `beacon_consequences_${name}`),
        ...['beacon_depths_called', 'beacon_depths_phases', 'beacon_fractions', ...waiting, 'beacon_uncalled'],
      ];
      const kept = ['cases', 'findings', 'former', 'groups', 'held', 'words'].map((name) => `reviews_${name}`);
      expect(added).to.deep.equal([...beacons, ...regions, 'coverage_samples_findings', 'erasures_known', ...kept]);
      for (const [table, before] of Object.entries(rows)) {
        expect(before.length, `rows of ${table}`).to.be.greaterThan(0);
        // The columns of before: one has another name since.
        const kept = (after[table] ?? []).map((text) => {
          const { last_beat, ...row } = JSON.parse(text);
          const known = last_beat === undefined ? row : { ...row, last_heartbeat: last_beat };
          return JSON.stringify(known, Object.keys(JSON.parse(before[0] ?? '{}')));
        });
        const own = ['trefoil_migrations', 'coverage_reports_words'];
        if (own.includes(table)) expect(kept, table).to.include.members(before);
        else expect(kept, table).to.deep.equal(before);
      }
      // A word for the one file of the kept report.
      expect(after.coverage_reports_words?.length).to.equal((rows.coverage_reports_words?.length ?? 0) + 1);
      expect(await storage.damaged?.()).to.deep.equal([]);
      const { alleleCount, callCount, sampleCount } = (await storage.repository(beacon).dataset('ds')) ?? {};
      expect([alleleCount, callCount, sampleCount]).to.deep.equal([6, 10, 3]);
      expect(await storage.repository(beacon).recount('ds')).to.deep.equal({ alleles: 6, calls: 10, samples: 3 });

      expect(names((await storage.downgrade?.('0.2.0', { trial: false }))?.undone ?? []).sort()).to.deep.equal(
        [...later].sort(),
      );
      expect(await rowsIn(home())).to.deep.equal(rows);
      const back = await schemaIn(home());
      expect([without(schema, back), without(back, schema)]).to.deep.equal([[], []]);
      expect(names(await storage.migrate())).to.deep.equal(later);
      expect(await rowsIn(home())).to.have.all.keys(Object.keys(after));
    });

    it('of this version go back to 0.2 as that release would have made them', async () => {
      const storage = await open(everything);
      await storage.migrate();
      await storage.downgrade?.('0.2.0', { trial: false });
      const [rows, schema] = [await rowsIn(home()), await schemaIn(home())];
      const second = await engine.home();
      try {
        const file = fileURLToPath(new URL(`./databases/0.2-${engine.adapter}.sql`, import.meta.url));
        await runSql(second.section, [await readFile(file, 'utf8')]);
        const expected = await schemaIn(second);
        expect([without(expected, schema), without(schema, expected)]).to.deep.equal([[], []]);
        expect(schema.length).to.equal(expected.length);
        expect(ledger(rows)).to.deep.equal(ledger(await rowsIn(second)));
      } finally {
        await second.discard();
      }
    });
  });
}
