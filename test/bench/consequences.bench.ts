/**
 * What it costs to keep consequences: the space of a dataset and the time of its loads, for exomes that are loaded one by one, with
 * and without what VEP wrote; as ratios in the same run. Options: `--exomes=1,10`, `--names=real,random`, `--genes=19000`,
 * `--engines=sqlite,postgres`, `--tables` for the space of each table. Needs ../shared/data/matchmaker for real names of genes.
 */
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import { openSource } from '../../core/files.js';
import type { Storage } from '../../core/storage.js';
import { beacon, beaconConsequences, beaconGenes } from '../../plugins/beacon/contract.js';
import { loadVariants } from '../../plugins/beacon/loading/load.js';
import { permitAll } from '../../plugins/beacon/loading/permit.js';
import type { ConsequenceTools } from '../../plugins/beacon/vcf/consequences/staging.js';
import type { Home, StorageEngine } from '../support/storages.js';
import type { BenchOptions, Print } from './run.js';
import { chosenStorages } from './support/engines.js';
import { Exomes } from './support/exomes.js';
import { grouped, processorSeconds, seconds, withFolder } from './support/machine.js';

interface ExomeFile {
  bare: string;
  annotated: string;
}

/** What the loads of some files cost. */
interface Cost {
  /** By table, with indexes and what is stored out of line. */
  bytes: Record<string, number>;
  total: number;
  seconds: number;
  processor: number;
}

const contracts = [beacon, beaconConsequences, beaconGenes] as const;

export default async function consequences(print: Print, options: BenchOptions): Promise<void> {
  const counts = (options.exomes ?? '1,10').split(',').map(Number);
  const genes = Number(options.genes ?? 19_000);
  for (const names of (options.names ?? 'real,random').split(',')) {
    await withFolder(async (folder) => {
      const exomes = new Exomes({ genes, randomNames: names === 'random' });
      const files: ExomeFile[] = [];
      let alleles = 0;
      for (let person = 0; person < Math.max(...counts); person++) {
        const file = { bare: join(folder, `${person}.vcf.gz`), annotated: join(folder, `${person}.vep.vcf.gz`) };
        alleles += await exomes.write(person, file);
        files.push(file);
      }
      print(`${names} names of ${grouped(genes)} genes; ${grouped(alleles / files.length)} alleles an exome`);
      for (const engine of chosenStorages(options)) {
        // What is done first is not compiled yet.
        await loaded(engine, files.slice(0, 1), 'annotated');
        for (const count of counts) {
          const own = files.slice(0, count);
          const bare = await loaded(engine, own, 'bare');
          const full = await loaded(engine, own, 'annotated');
          print(
            `  ${engine.name.padEnd(10)} ${String(count).padStart(2)} exomes: ${(full.total / bare.total).toFixed(2)} of the space ` +
              `without (${grouped(full.total / 1e3)} kB, ${grouped(bare.total / 1e3)}), ${(full.seconds / bare.seconds).toFixed(1)} of the ` +
              `time (${full.seconds.toFixed(2)} s, ${bare.seconds.toFixed(2)}), ` +
              `${(full.processor / bare.processor).toFixed(1)} of the processor's (${full.processor.toFixed(2)} s, ${bare.processor.toFixed(2)})`,
          );
          if (options.tables === undefined) continue;
          for (const [name, bytes] of Object.entries(full.bytes).sort(([, one], [, other]) => other - one))
            if (bytes > 100_000) print(`    ${name.padEnd(44)} ${grouped(bytes / 1e3).padStart(8)} kB`);
        }
      }
    });
  }
}

async function loaded(engine: StorageEngine, files: readonly ExomeFile[], which: keyof ExomeFile): Promise<Cost> {
  const home = await engine.home(contracts);
  try {
    const before = await spaceOf(home);
    const storage = await home.open(contracts);
    let taken = 0;
    let processor = 0;
    try {
      await storage
        .repository(beacon)
        .addDataset({ id: 'bench', name: 'Bench', assembly: 'GRCh37', access: 'PUBLIC', version: 1 }, new Date());
      processor = await processorSeconds(async () => {
        taken = await seconds(async () => {
          for (const file of files) await load(storage, file[which]);
        });
      });
    } finally {
      await storage.close();
    }
    const after = await spaceOf(home);
    const bytes = Object.fromEntries(Object.entries(after).map(([name, own]) => [name, own - (before[name] ?? 0)]));
    const total = Object.values(bytes).reduce((sum, own) => sum + own, 0);
    return { bytes, total, seconds: taken, processor };
  } finally {
    await home.discard();
  }
}

async function load(storage: Storage, path: string): Promise<void> {
  const repository = storage.repository(beacon);
  const dataset = await repository.dataset('bench');
  if (!dataset) throw new Error('The dataset is gone');
  const tools: ConsequenceTools = {
    repository,
    consequences: storage.repository(beaconConsequences),
    genes: storage.repository(beaconGenes),
    published: async () => undefined,
  };
  const sources = [await openSource(path)] as const;
  const request = { repository, dataset, sources, samples: [], consequences: tools, now: new Date() };
  await loadVariants({ ...request, permit: permitAll });
}

/** Bytes of each table and index, without pages that wait to be used again; a vacuum has run, as it does by itself on PostgreSQL. */
async function spaceOf({ section }: Home): Promise<Record<string, number>> {
  const rows =
    section.adapter === 'sqlite' ? await pagesOf(String(section.file)) : await relationsOf(String(section.url));
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

interface Space {
  name: string;
  bytes: number | string;
}

async function relationsOf(url: string): Promise<Space[]> {
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('vacuum');
    const { rows } = await client.query<Space>(
      "select relname as name, pg_total_relation_size(oid) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    return rows;
  } finally {
    await client.end();
  }
}

async function pagesOf(file: string): Promise<Space[]> {
  const database = new sqlite3.Database(file);
  const all = <Row>(statement: string) =>
    new Promise<Row[]>((resolve, reject) => {
      database.all<Row>(statement, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  try {
    return await all<Space>('select name, sum(pgsize) as bytes from dbstat group by name').catch(() =>
      all<Space>(
        "select 'all' as name, (page_count - freelist_count) * page_size as bytes from pragma_page_count, pragma_freelist_count, pragma_page_size",
      ),
    );
  } finally {
    await new Promise((resolve) => database.close(resolve));
  }
}
