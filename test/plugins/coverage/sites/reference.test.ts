/** coverage-sites@1 and coverage-regions@1 above tables: what happens between two of their operations, and to damaged rows. */
import { expect } from 'chai';
import {
  coverageRegions,
  type Place,
  type RegionRepository,
  type Site,
  type SiteSet,
} from '../../../../plugins/coverage/contract.js';
import { store as regionStore } from '../../../../plugins/coverage/sites/regions/store.js';
import { store } from '../../../../plugins/coverage/sites/store.js';
import { at } from '../../../conformance/coverage/build.js';
import { faultOf } from '../../../support/fault.js';
import { runSql } from '../../../support/sql.js';
import { sqlite } from '../../../support/storages.js';
import { type Gated, openGated, turns } from '../support/gated.js';

describe('Known sites above tables', () => {
  let gated: Gated<ReturnType<typeof store.repository>>;
  const record = { release: '1', source: 'file', checksum: 'sha256:0', skipped: {} };
  const replaced: (SiteSet | undefined)[] = [];
  const load = (second: number, ...starts: number[]) => {
    const sites = starts.map((start): Site => {
      return {
        chromosome: '1' as Site['chromosome'],
        start,
        end: start + 1,
        reference: 'A',
        alternate: 'C',
        genes: ['G'],
      };
    });
    const accept = (_: number, replaces: SiteSet | undefined) => {
      replaced.push(replaces);
      return record;
    };
    const batches = (async function* () {
      yield sites;
    })();
    return gated.repository.load({ name: 'ClinVar', build: 'GRCh38', sites: batches, accept }, at(second));
  };

  beforeEach(async () => {
    gated = await openGated(store);
    replaced.length = 0;
  });
  afterEach(() => gated.close());

  it('are found in one state while their set is replaced', async () => {
    const { repository } = gated;
    await load(0, 1);
    const find = async () => {
      const { sets, sites } = await repository.find('GRCh38', { places: [], genes: ['G'] });
      return [sets.map(({ loaded }) => loaded), sites.map(({ start }) => start)];
    };
    gated.before('find coverage_sites_genes', () => load(1, 2, 3));
    expect(await find()).to.deep.equal([[at(0)], [1]]);
    expect(await find()).to.deep.equal([[at(1)], [2, 3]]);
  });

  it('are removed with the set that is returned, while another one is loaded', async () => {
    const { repository } = gated;
    await load(0, 1);
    let loading: Promise<SiteSet> | undefined;
    gated.before('change coverage_sites_sets', async () => {
      loading = load(1, 2);
      await turns(100);
    });
    const removed = await repository.remove('ClinVar', 'GRCh38');
    const loaded = await loading;
    // Either came first.
    const left = await repository.sets();
    if (left.length > 0) expect([left, removed?.loaded, replaced.at(-1)]).to.deep.equal([[loaded], at(0), undefined]);
    else expect(removed).to.deep.equal(loaded);
  });

  it('are those of one load, and replace what accept was shown', async () => {
    await load(0, 1);
    let other: Promise<SiteSet> | undefined;
    const publishing = async () => {
      other = load(2, 2);
      await turns(100);
    };
    gated.before('change coverage_sites_sets', publishing, 2);
    await load(1, 1, 3);
    await other;
    expect(replaced.map((set) => set?.loaded)).to.deep.equal([undefined, at(0), at(1)]);
  });
});

describe('Regions above tables', () => {
  const place = (start: number): Place => ({ chromosome: '1', start, end: start + 1 });
  const load = (repository: RegionRepository, second: number, ...starts: number[]) => {
    const regions = (async function* () {
      yield starts.map(place);
    })();
    const accept = () => ({ source: 'file', checksum: 'sha256:0', skipped: {} });
    return repository.load({ name: 'low', build: 'GRCh38', kind: 'caution', regions, accept }, at(second));
  };
  const find = async (repository: RegionRepository) => {
    const places: Place[] = [{ chromosome: '1', start: 0, end: 100_000 }];
    const found = await repository.find('GRCh38', { kind: 'caution', places });
    return found.map(({ set: { loaded }, bounds }) => [loaded, ...(bounds.get('1') ?? [])]);
  };

  it('are found in one state while their set is replaced', async () => {
    const { repository, before: gate, close } = await openGated(regionStore);
    await load(repository, 0, 1);
    gate('find coverage_regions_blocks', () => load(repository, 1, 5, 9), 2);
    expect(await find(repository)).to.deep.equal([[at(0), 1, 2]]);
    expect(await find(repository)).to.deep.equal([[at(1), 5, 6, 9, 10]]);
    await close();
  });

  it('are an error, and no smaller share, if a block is damaged or gone', async () => {
    for (const statement of [
      "update coverage_regions_blocks set content = x'0102' where place = 1",
      'delete from coverage_regions_blocks where place = 1',
    ]) {
      const home = await sqlite.home([coverageRegions]);
      const storage = await home.open([coverageRegions]);
      const repository = storage.repository(coverageRegions);
      await load(repository, 0, ...Array.from({ length: 3000 }, (_, i) => 2 * i));
      expect((await find(repository))[0]).to.have.lengthOf(6001);
      await runSql(home.section, [statement]);
      expect((await faultOf(find(repository))).message).to.equal(
        'The stored regions "low" are damaged: load them again',
      );
      await storage.close();
      await home.discard();
    }
  });
});
