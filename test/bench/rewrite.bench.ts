/**
 * Data of release 0.1, rewritten into the present form: the time of `migrate`, of the rewriting, and of point queries
 * meanwhile, by a reader without a pause. One row in 25 changes. Options: `--rows=5000000`,
 * `--engines=sqlite,postgres`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../adapters/knex/binding.js';
import { type BeaconRepository, beacon } from '../../plugins/beacon/contract.js';
import { earlier, openAt } from '../adapters/storage/support/alleles-002.js';
import type { Print } from './run.js';
import { chosenStorages } from './support/engines.js';
import { grouped, seconds } from './support/machine.js';

/** Imports of one sample each, on one chromosome each. */
const segments = 5;
const batch = 50_000;
const columns = [
  'id', 'contig', 'span', 'start', 'stop', 'reference', 'alternate', 'kind', 'structural', 'mate', 'calls', 'carriers', 'ranges',
]; // biome-ignore format: one line a dozen reads better

export default async function rewrite(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const rows = Number(options.rows ?? 5_000_000);
  for (const engine of chosenStorages(options)) {
    const home = await engine.home();
    try {
      const old = await home.open([beacon], openAt('001-datasets-and-alleles', '002-ranges', '003-contigs'));
      await old.migrate();
      await fill(old.repository(earlier), rows);
      await old.close();
      const storage = await home.open([beacon]);
      const migrating = await seconds(() => storage.migrate());
      print(`${engine.name}: ${grouped(rows)} rows, migrate took ${migrating.toFixed(1)} s`);
      const repository = storage.repository(beacon);
      const before = await times(repository, rows, 500);
      let over = false;
      const during = times(repository, rows, () => over);
      const rewriting = await seconds(async () => {
        while ((await repository.rewrite('ds', () => sleep(0))) > 0);
      });
      over = true;
      const perMillion = ((rewriting / rows) * 1e6).toFixed(1);
      print(`  rewriting took ${rewriting.toFixed(1)} s, ${perMillion} s for a million rows`);
      print(`  point queries before: ${before}`);
      print(`  point queries during: ${await during}`);
      await storage.close();
      const again = await home.open([beacon]);
      print(`  point queries after:  ${await times(again.repository(beacon), rows, 500)}`);
      await again.close();
    } finally {
      await home.discard();
    }
  }
}

/** Small alleles every 40 bases; one in 50 as in a record with several alternates, and one beside `<NON_REF>`. */
async function fill(database: Database, rows: number): Promise<void> {
  const { write, engine } = database;
  const time = engine.values.time(new Date());
  const each = Math.ceil(rows / segments);
  await write('beacon_datasets').insert({
    ...{ id: 'ds', name: 'ds', assembly: 'GRCh37', access: 'PUBLIC', version: 1, created: time, updated: time },
    ...{ allele_count: rows, call_count: rows, sample_count: segments, revision: segments },
  });
  for (let n = 0; n < segments; n++) {
    const [row] = await write('beacon_segments')
      .insert({ dataset: 'ds', state: 'published', sole_sample: `s${n}`, heard: Date.now() })
      .returning('id');
    const segment = Number(row?.id);
    await write('beacon_samples').insert({ segment, ordinal: 0, name: `s${n}` });
    const first = segment * 2 ** 32;
    for (let done = 0; done < each; done += batch) {
      const values = Array.from({ length: Math.min(batch, each - done) }, (_, i) => allele(first, n, done + i));
      await database.transaction(({ write }) => engine.append(write, 'beacon_alleles', columns, values));
    }
    const place = { segment, contig: 101 + n, first, last: first + each - 1, structural: 1 };
    await write('beacon_extents').insert(place);
  }
}

function allele(first: number, segment: number, i: number) {
  const start = 40 * i;
  const [long, mistaken] = [i % 50 === 0, i % 50 === 1];
  const [reference, alternate] = long ? ['ACCT', 'GCCT'] : ['A', 'G'];
  const kind = mistaken ? 'BND' : long ? 'MNP' : 'SNP';
  const place = [101 + segment, 0, start, start + reference.length, reference, alternate, kind];
  return [first + i, ...place, mistaken ? 1 : 0, null, 1, null, null];
}

/** Queries existing alleles, a number of times or until stopped, and returns how long that took. */
async function times(repository: BeaconRepository, rows: number, until: number | (() => boolean)): Promise<string> {
  const all: number[] = [];
  const each = Math.ceil(rows / segments);
  while (typeof until === 'number' ? all.length < until : !until()) {
    const i = (all.length * 7919) % each;
    const contig = (['1', '2', '3', '4', '5'] as const)[all.length % segments] ?? '1';
    const at = { min: 40 * i, max: 40 * i };
    const begin = performance.now();
    const found = await repository.search(
      { assembly: 'GRCh37', contig, start: at, reference: 'A', alternate: 'G', kinds: [{ kind: 'SNP' }] },
      ['ds'],
    );
    all.push(performance.now() - begin);
    if (found[0]?.calls !== 1) throw new Error('An allele that is there was not found once');
    await sleep(1);
  }
  all.sort((a, b) => a - b);
  const at = (share: number) =>
    (all[Math.min(Math.floor(all.length * share), all.length - 1)] ?? Number.NaN).toFixed(1);
  return `${grouped(all.length)} asked, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}
