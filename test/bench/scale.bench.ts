/**
 * Size and speed of a large store: sizes of tables and indexes per allele, latency in process, and
 * the engine's own plan for each kind of query. Options: `--alleles=1000000`, `--engines=sqlite,postgres`, `--plans`.
 */
import { join } from 'node:path';
import pg from 'pg';
import sqlite3 from 'sqlite3';
import { columnsFor, SampleNames } from '../../adapters/knex/beacon/hits.js';
import { AlleleSearch } from '../../adapters/knex/beacon/search.js';
import type { Database, Scalar } from '../../adapters/knex/binding.js';
import { postgresEngine } from '../../adapters/postgres/engine.js';
import { sqliteEngine } from '../../adapters/sqlite/engine.js';
import { openSource } from '../../core/files.js';
import { type AlleleQuery, beacon, type Contig } from '../../plugins/beacon/contract.js';
import { loadVariants } from '../../plugins/beacon/loading/load.js';
import { permitAll } from '../../plugins/beacon/loading/permit.js';
import type { Print } from './run.js';
import { chosenStorages } from './support/engines.js';
import { grouped, seconds, withFolder } from './support/machine.js';
import { type Site, writeVcf } from './support/vcf.js';

type Row = Record<string, unknown>;
/** Runs SQL on the engine directly, bypassing our code. */
type Ask = (sql: string, bindings?: readonly Scalar[]) => Promise<Row[]>;

/** The kinds of query, around one site. */
const questions: Record<string, (place: Pick<AlleleQuery, 'assembly' | 'contig'>, site: Site) => AlleleQuery> = {
  point: (place, { start, reference, alternate }) => ({
    ...place,
    start: { min: start, max: start },
    reference,
    alternate,
  }),
  'bracket, 40 kb': (place, { start }) => ({ ...place, start: { min: start, max: start + 40_000 } }),
  'end only': (place, { start, reference }) => {
    const end = start + reference.length;
    return { ...place, end: { min: end, max: end } };
  },
  'overlap, 1 kb': (place, { start }) => ({ ...place, overlaps: { start, end: start + 1000 } }),
  'N in both, 40 kb': (place, { start }) => ({
    ...place,
    start: { min: start, max: start + 40_000 },
    reference: 'N',
    alternate: 'NN',
  }),
};

export default async function scale(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const alleles = Number(options.alleles ?? 1_000_000);
  await withFolder(async (folder) => {
    const file = join(folder, 'scale.vcf.gz');
    const sites = await writeVcf(file, { alleles, samples: 1 });
    for (const engine of chosenStorages(options)) {
      const home = await engine.home();
      const storage = await home.open([beacon]);
      try {
        await storage.migrate();
        const repository = storage.repository(beacon);
        const now = new Date();
        const description = { id: 'bench', name: 'Bench', assembly: 'GRCh37', access: 'PUBLIC', version: 1 } as const;
        await repository.addDataset(description, now);
        const dataset = await repository.dataset('bench');
        if (!dataset) throw new Error('The dataset is gone');
        const taken = await seconds(async () =>
          loadVariants({ permit: permitAll, repository, dataset, sources: [await openSource(file)], samples: [], now }),
        );
        print(`${engine.name}, ${grouped(alleles)} alleles, loaded at ${grouped(alleles / taken)} alleles/s`);
        await directly(home.section, async (ask) => {
          if (engine.adapter === 'postgres') await ask('vacuum analyze');
          await sizes(print, engine.adapter, ask, alleles);
          for (const [name, question] of Object.entries(questions)) {
            const asked = sites.map((site) => question({ assembly: 'GRCh37', contig: site.contig as Contig }, site));
            await latency(print, name, (query) => repository.search(query, ['bench']), asked);
            if (options.plans && asked[0]) await plan(print, engine.adapter, ask, asked[0]);
          }
        });
      } finally {
        await storage.close();
        await home.discard();
      }
    }
  });
}

async function latency(
  print: Print,
  name: string,
  search: (query: AlleleQuery) => Promise<readonly { alleles: number }[]>,
  queries: readonly AlleleQuery[],
): Promise<void> {
  const times: number[] = [];
  let hits = 0;
  for (let round = 0; round < 6; round++) {
    for (const query of queries) {
      const begin = performance.now();
      const found = await search(query);
      if (round === 0) hits += found[0]?.alleles ?? 0;
      else times.push(performance.now() - begin);
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  const mean = grouped(hits / queries.length);
  print(`  ${name.padEnd(17)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${mean} alleles found on average`);
}

async function sizes(print: Print, adapter: string, ask: Ask, alleles: number): Promise<void> {
  const rows =
    adapter === 'postgres'
      ? await ask(
          // Partitions and their indexes, by the name of the whole.
          'select coalesce(whole.relname, part.relname) as name, sum(pg_relation_size(part.oid)) as bytes ' +
            'from pg_class part left join pg_inherits on inhrelid = part.oid left join pg_class whole on whole.oid = inhparent ' +
            "where part.relname like 'beacon_alleles%' group by 1 order by 1",
        )
      : await ask(
          "select name, sum(pgsize) as bytes from dbstat where name like 'beacon_alleles%' group by name order by name",
        );
  let all = 0;
  for (const { name, bytes } of rows) {
    all += Number(bytes);
    if (Number(bytes) / alleles < 0.5) continue;
    print(`  ${String(name).padEnd(26)} ${(Number(bytes) / alleles).toFixed(1).padStart(6)} bytes/allele`);
  }
  const each = all / alleles;
  print(
    `  ${'all'.padEnd(26)} ${each.toFixed(1).padStart(6)} bytes/allele; 10^8 alleles: ${(each / 10).toFixed(1)} GB`,
  );
}

/** The engine's plan for the statement that our search sends. */
async function plan(print: Print, adapter: string, ask: Ask, query: AlleleQuery): Promise<void> {
  const sent: { sql: string; bindings: readonly Scalar[] }[] = [];
  const listening = {
    engine:
      adapter === 'postgres' ? postgresEngine((error) => error as Error) : sqliteEngine((error) => error as Error),
    query: async (sql: string, bindings: readonly Scalar[]) => {
      sent.push({ sql, bindings });
      return [{ lists: JSON.stringify(columnsFor('carriers').map(() => [])) }];
    },
    until() {
      return this;
    },
  } as unknown as Database;
  await new AlleleSearch(listening, new SampleNames()).search(query, ['bench']);
  const [statement] = sent;
  if (!statement) return;
  const { sql, bindings } = statement;
  const rows =
    adapter === 'postgres'
      ? await ask(`explain (costs off) ${inlined(sql, bindings)}`)
      : await ask(`explain query plan ${sql}`, bindings);
  for (const row of rows) print(`      ${row.detail ?? row['QUERY PLAN']}`);
}

/** The statement with its values as text: EXPLAIN takes no parameters. */
function inlined(sql: string, bindings: readonly Scalar[]): string {
  const values = bindings.values();
  return sql.replace(/\?/g, () => {
    const value = values.next().value ?? null;
    return typeof value === 'string' ? pg.escapeLiteral(value) : String(value);
  });
}

async function directly(section: Record<string, unknown>, work: (ask: Ask) => Promise<void>): Promise<void> {
  if (typeof section.url === 'string') {
    const client = new pg.Client({ connectionString: section.url });
    await client.connect();
    try {
      await work(async (sql) => (await client.query<Row>(sql)).rows);
    } finally {
      await client.end();
    }
    return;
  }
  const database = new sqlite3.Database(String(section.file), sqlite3.OPEN_READONLY);
  try {
    await work(
      (sql, bindings = []) =>
        new Promise((resolve, reject) =>
          database.all<Row>(sql, bindings, (error, rows) => (error ? reject(error) : resolve(rows))),
        ),
    );
  } finally {
    await new Promise((resolve) => database.close(resolve));
  }
}
