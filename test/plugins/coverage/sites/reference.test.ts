/** coverage-sites@1 above tables: what happens between two of its operations. */
import { expect } from 'chai';
import type { Site, SiteSet } from '../../../../plugins/coverage/contract.js';
import { store } from '../../../../plugins/coverage/sites/store.js';
import { at } from '../../../conformance/coverage/build.js';
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
