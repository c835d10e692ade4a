/** Catalogs and plans of the engines: each chromosome has a partition, and no statement scans it whole. */
import { expect } from 'chai';
import pg from 'pg';
import binding from '../../../adapters/knex/beacon/binding.js';
import { migrations } from '../../../adapters/knex/beacon/migrations.js';
import type { Database, Scalar } from '../../../adapters/knex/binding.js';
import type { Storage } from '../../../core/storage.js';
import { assemblies, type CalledAllele, contigs, type ObservedQuestion } from '../../../plugins/beacon/contract.js';
import { type Home, storages } from '../../support/storages.js';
import { alleles, earlier, importInto, openAt } from './support/alleles.js';
import { overheard, type Statement } from './support/overheard.js';

async function* oneByOne(called: readonly CalledAllele[]): AsyncGenerator<readonly CalledAllele[]> {
  for (const allele of called) yield [allele];
}

/** Every query and change of a beacon on one of several chromosomes; returns the statements on alleles. */
async function everything(database: Database): Promise<Statement[]> {
  const heard: Statement[] = [];
  const repository = binding.repository(overheard(database, heard));
  const now = new Date();
  const place = { assembly: 'GRCh37', contig: '7' } as const;
  await repository.addDataset({ id: 'seven', name: 'Seven', assembly: 'GRCh37', access: 'PUBLIC', version: 1 }, now);
  const called = (alternate: string): CalledAllele[] =>
    Array.from({ length: 30 }, (_, i) => ({
      contig: '7',
      // Far apart and out of order, each allele twice, so that rows have to be merged.
      start: (i % 15) * 50_000,
      end: (i % 15) * 50_000 + 1,
      reference: 'A',
      alternate,
      kind: 'SNP',
      structural: false,
      carriers: [[i % 2, 1]],
    }));
  const load = (alleles: readonly CalledAllele[]) =>
    repository.importAlleles({ dataset: 'seven', samples: ['a', 'b'], alleles: oneByOne(alleles) }, now);
  expect(await load(called('C'))).to.deep.equal({ alleles: 15, calls: 30, samples: 2 });
  // Again, with a new allele: existing ones are looked up, and the new one is copied.
  expect(await load([...called('C'), ...called('G')])).to.deep.equal({ alleles: 15, calls: 30, samples: 0 });
  const datasets = ['one', 'seven'];
  await repository.search({ ...place, start: { min: 50_000, max: 50_000 }, reference: 'A', alternate: 'C' }, datasets);
  await repository.search({ ...place, start: { min: 0, max: 60_000 } }, datasets);
  await repository.search({ ...place, end: { min: 5500, max: 5500 } }, datasets);
  await repository.search({ ...place, overlaps: { start: 1000, end: 60_000 } }, datasets);
  await repository.search({ ...place, mate: '8', kinds: [{ kind: 'BND' }] }, datasets);
  await repository.present({ ...place, start: { min: 2000, max: 3000 } }, datasets);
  for (const carriers of [false, true]) {
    await repository.found({ ...place, overlaps: { start: 1000, end: 60_000 } }, datasets, { limit: 100, carriers });
  }
  const questions: ObservedQuestion[] = [
    { type: 'sequence', contig: '7', start: 50_000, reference: 'A', alternate: 'C' },
    { type: 'structural', contig: '7', start: 3000, end: 9000, kind: 'DEL' },
    { type: 'structural', contig: '7', start: 3000, end: 9000, kind: 'BND', mate: '7' },
  ];
  for (const many of [1, 20]) {
    const asked = questions.flatMap((question) => Array.from({ length: many }, () => question));
    const [first] = await repository.observe('GRCh37', asked, datasets);
    expect(first?.map(({ carriers }) => carriers)).to.deep.equal([0, 2]);
  }
  // Far apart, with more rows in between than are read as a whole.
  const apart = [0, 700_000].map((start) => ({ contig: '7', start, reference: 'A', alternate: 'C' }) as const);
  const [observed] = await repository.observe(
    'GRCh37',
    apart.map((site) => ({ type: 'sequence', ...site }) as const),
    datasets,
  );
  expect(observed?.map(({ carriers }) => carriers)).to.deep.equal([0, 2]);
  const genotypes = await repository.genotypes('seven', apart);
  expect(genotypes?.samples.map(({ name }) => name).sort()).to.deep.equal(['a', 'b']);
  await repository.examples('seven', false, 3);
  expect(await repository.recount('seven')).to.deep.equal({ alleles: 30, calls: 60, samples: 2 });
  await repository.removeSamples('seven', ['a'], now);
  await repository.eachAllele('seven', async () => {});
  await repository.removeDataset('seven');
  const reading = heard.filter(({ sql }) => /beacon_alleles/.test(sql) && !/^(copy|insert)/.test(sql));
  expect(new Set(reading.map(({ sql }) => sql.split(' ', 1)[0]))).to.deep.equal(
    new Set(['select', 'update', 'delete']),
  );
  expect(reading.length).to.be.greaterThan(40);
  return reading;
}

for (const engine of storages) {
  describe(`Partitions of alleles on ${engine.name}`, function () {
    this.timeout(120_000);
    let home: Home;
    let storage: Storage;
    let database: Database;

    before(async () => {
      home = await engine.home();
      storage = await home.open([earlier], openAt(...(Object.keys(migrations) as (keyof typeof migrations)[])));
      await storage.migrate();
      database = storage.repository(earlier);
      await importInto(binding.repository(database));
    });

    after(async () => {
      await storage.close();
      await home.discard();
    });

    if (engine.adapter === 'postgres') {
      it('exist for every assembly and chromosome, with the rows of that chromosome', async () => {
        const rows = await database.query(
          'select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits ' +
            "join pg_class c on c.oid = inhrelid where inhparent = 'beacon_alleles'::regclass order by c.oid",
          [],
        );
        const expected = assemblies.flatMap((assembly, a) =>
          contigs.map((contig, c) => ({
            name: `beacon_alleles_${assembly.toLowerCase()}_${contig.toLowerCase()}`,
            bound: `FOR VALUES IN ('${100 * (a + 1) + c + 1}')`,
          })),
        );
        expect(rows).to.deep.equal(expected);
        const counts = await database.query<{ name: string; rows: number }>(
          'select tableoid::regclass::text as name, count(*)::int as rows from beacon_alleles group by 1',
          [],
        );
        expect(counts.length).to.equal(50);
        // Of the four alleles of each chromosome, those in each segment of the dataset.
        expect(counts.find(({ name }) => name === 'beacon_alleles_grch37_x')?.rows).to.equal(
          4 + alleles.filter(({ contig }, n) => contig === 'X' && n % 3 > 0).length,
        );
      });

      it('are read one at a time, by every query and change', async () => {
        const client = new pg.Client({ connectionString: String(home.section.url) });
        await client.connect();
        try {
          for (const { sql, bindings } of await everything(database)) {
            let n = 0;
            const text = `explain (format json) ${sql.replaceAll('?', () => `$${++n}`)}`;
            const { rows } = await client.query({ text, values: [...bindings] });
            const touched = new Set(JSON.stringify(rows).match(/beacon_alleles_grch\d\d_[0-9a-z]+(?=")/g));
            // An export reads the chromosomes one after the other.
            if (/order by a.start/.test(sql)) expect(touched.size, sql).to.equal(1);
            else expect([...touched], sql).to.deep.equal(['beacon_alleles_grch37_7']);
          }
        } finally {
          await client.end();
        }
      });
    } else {
      it('are read by ids or positions, and never scanned as a whole', async () => {
        for (const { sql, bindings } of await everything(database)) {
          const plan = await database.query<{ detail: string }>(
            `explain query plan ${sql}`,
            bindings as readonly Scalar[],
          );
          const steps = plan.map(({ detail }) => detail);
          expect(
            steps.filter((detail) => /^(SEARCH|SCAN) (a|s|o|beacon_alleles)\b/.test(detail)).length,
            sql,
          ).to.be.above(0);
          // Only an export reads all of a chromosome, in order.
          const byContig = /beacon_alleles_place\w* \(contig=\?\)/;
          if (!/order by a.start/.test(sql))
            expect(
              steps.filter((detail) => byContig.test(detail)),
              sql,
            ).to.deep.equal([]);
          for (const detail of steps) {
            expect(detail, sql).to.not.match(/^SCAN (a|s|o|beacon_alleles)\b|^MATERIALIZE|AUTOMATIC|contig>/);
          }
        }
      });
    }
  });
}
