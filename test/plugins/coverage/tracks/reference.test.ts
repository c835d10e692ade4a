/** coverage-tracks@1 above tables: what happens between two of its operations. */
import { expect } from 'chai';
import { type TrackBlock, trackChecksum } from '../../../../plugins/coverage/contract.js';
import { store } from '../../../../plugins/coverage/samples/tracks/store.js';
import { at } from '../../../conformance/coverage/build.js';
import { type Gated, openGated, turns } from '../support/gated.js';

describe('Callable tracks above tables', () => {
  let gated: Gated<ReturnType<typeof store.repository>>;
  const [place, content] = [{ chromosome: '1' as TrackBlock['chromosome'], start: 0 }, Uint8Array.of(1)];
  const block: TrackBlock = { ...place, content, checksum: trackChecksum({ ...place, content }) };
  const begin = (id: string) =>
    gated.repository.begin({ id, build: 'GRCh38', threshold: 10, members: [{ sample: 's', revision: id }] }, at(0));
  const blocksOf = (...ids: string[]) => gated.repository.blocks(ids, place.chromosome, place.start);

  beforeEach(async () => {
    gated = await openGated(store);
  });
  afterEach(() => gated.close());

  it('do not change once they are published, also if blocks are being added', async () => {
    const { repository } = gated;
    await begin('a');
    let published: unknown;
    let publishing: Promise<unknown> | undefined;
    gated.before('append coverage_tracks_blocks', async () => {
      publishing = repository.publish('a', 1, []).then(async () => {
        published = await blocksOf('a');
      });
      await turns(50);
    });
    expect(await repository.add('a', [block])).to.equal(true);
    await publishing;
    expect(published).to.deep.equal(await blocksOf('a'));
  });

  it('are either published or swept', async () => {
    const { repository } = gated;
    await begin('a');
    let publishing: Promise<boolean> | undefined;
    gated.before('remove coverage_tracks_merged', async () => {
      publishing = repository.publish('a', 1, []);
      await turns(50);
    });
    await repository.sweep(at(1));
    const isPublished = await publishing;
    expect((await repository.published()).length).to.equal(isPublished ? 1 : 0);
  });

  it('show their blocks as of one moment while one takes the place of another', async () => {
    const { repository } = gated;
    for (const id of ['a', 'b']) {
      await begin(id);
      await repository.add(id, [block]);
    }
    await repository.publish('a', 1, []);
    gated.before('find coverage_tracks_blocks', () => repository.publish('b', 1, ['a']));
    expect((await blocksOf('a', 'b')).map(({ track }) => track)).to.deep.equal(['a']);
    expect((await blocksOf('a', 'b')).map(({ track }) => track)).to.deep.equal(['b']);
  });

  it('leave no block behind when they are dropped while blocks are added', async () => {
    const { repository } = gated;
    await begin('a');
    let dropping: Promise<void> | undefined;
    gated.before('append coverage_tracks_blocks', async () => {
      dropping = repository.drop(['a']);
      await turns(50);
    });
    await repository.add('a', [block]);
    await dropping;
    await begin('a');
    await repository.publish('a', 1, []);
    expect(await blocksOf('a')).to.deep.equal([]);
  });
});
