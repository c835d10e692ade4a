/** Rows of loads are apart from merged ones in SQLite's index by place: what a load writes does not grow with the store. */
import { stat } from 'node:fs/promises';
import { expect } from 'chai';
import type { Storage } from '../../../core/storage.js';
import { type BeaconRepository, beacon, type CalledAllele } from '../../../plugins/beacon/contract.js';
import { runSql, selectNumber } from '../../support/sql.js';
import { type Home, sqlite } from '../../support/storages.js';
import { once } from './support/alleles.js';

const now = new Date('2026-01-16T08:00:00.000Z');
/** More samples than a segment has that is merged with others. */
const many = Array.from({ length: 126 }, (_, n) => `m${n}`);
/** Bytes of a page in the write-ahead log. */
const frame = 4096 + 24;

/** Alleles at equal distances on a chromosome. */
function called(number: number, distance: number): CalledAllele[] {
  return Array.from({ length: number }, (_, i) => ({
    ...{ contig: '7', start: distance * i, end: distance * i + 1, reference: 'A', alternate: 'C' },
    ...{ kind: 'SNP', structural: false, carriers: [[0, 1]] },
  }));
}

describe('Fresh rows on SQLite', function () {
  this.timeout(60_000);
  let home: Home;
  let storage: Storage;
  let repository: BeaconRepository;

  beforeEach(async () => {
    home = await sqlite.home();
    storage = await home.open([beacon]);
    await storage.migrate();
    repository = storage.repository(beacon);
    await repository.addDataset({ id: 'ds', name: 'DS', assembly: 'GRCh37', access: 'PUBLIC', version: 1 }, now);
  });

  afterEach(async () => {
    await storage.close();
    await home.discard();
  });

  const load = (samples: string[], alleles: CalledAllele[]) =>
    repository.importAlleles({ dataset: 'ds', samples, alleles: once(alleles) }, now);

  /** Pages that work writes to the log. */
  async function pagesOf(work: () => Promise<unknown>): Promise<number> {
    await runSql(home.section, ['pragma wal_checkpoint(truncate)']);
    await work();
    return Math.floor((await stat(`${home.section.file}-wal`)).size / frame);
  }

  const fresh = () =>
    selectNumber(home.section, 'select count(*) as number from beacon_alleles where (id & 2147483648) <> 0');

  it('are written to few pages, however many rows are stored between them', async () => {
    const sample = () => called(400, 10_000);
    const first = await pagesOf(() => load(['a'], sample()));
    // 100 pages of the index by place.
    await load(many, called(20_000, 200));
    expect(await pagesOf(() => load(['b'], sample()))).to.be.at.most(first + 5);
    expect(first).to.be.at.most(50);
  });

  it('are no longer fresh once they are merged, and are found before and after', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    for (const name of names) await load([name], called(20, 1000));
    const query = { assembly: 'GRCh37', contig: '7', start: { min: 0, max: 5000 } } as const;
    const before = await repository.search(query, ['ds']);
    expect(before.map(({ alleles, calls, samples }) => [alleles, calls, samples])).to.deep.equal([[6, 48, 8]]);
    expect(await fresh()).to.equal(160);
    while ((await repository.compact('ds', async () => {})) > 0);
    expect(await fresh()).to.equal(0);
    expect(await repository.search(query, ['ds'])).to.deep.equal(before);
    await load(['i'], called(20, 1000));
    expect(await fresh()).to.equal(20);
    expect((await repository.search(query, ['ds']))[0]?.calls).to.equal(54);
  });
});
