/** coverage-cohorts@1 above tables: what happens between two of its operations. */
import { expect } from 'chai';
import { store } from '../../../../plugins/coverage/cohorts/store.js';
import type { CohortLayout } from '../../../../plugins/coverage/contract.js';
import { type Gated, openGated, turns } from '../support/gated.js';

describe('Cohorts above tables', () => {
  let gated: Gated<ReturnType<typeof store.repository>>;
  const one: CohortLayout = { id: 'one', build: 'GRCh38', thresholds: [10], sets: 'exons' };
  const pieces = [Uint8Array.of(1)];
  const everything = { parts: [-1, 0], planes: [0] };
  const add = (sample: string) => {
    const entry = { sample, source: sample, denominator: 1, beyond: [], bytes: 1 };
    return gated.repository.add('one', entry, [{ part: -1, plane: 0, content: Uint8Array.of(1) }]);
  };

  beforeEach(async () => {
    gated = await openGated(store);
    await gated.repository.use(one, pieces);
    await add('a');
  });
  afterEach(() => gated.close());

  it('are read as of one moment', async () => {
    const { repository } = gated;
    gated.before('find coverage_cohorts_columns', () => add('b'));
    const state = await repository.state('GRCh38');
    expect([state?.columns, state?.members.length]).to.deep.equal([1, 1]);

    gated.before('find coverage_cohorts_blocks', () => repository.remove(['a']));
    const found = await repository.read('one', everything);
    expect([found?.state?.members.length, found?.blocks.length]).to.deep.equal([2, 2]);

    gated.before('find coverage_cohorts_regions', () => repository.clear('GRCh38'));
    expect(await repository.regions('one')).to.deep.equal(pieces);
    expect(await repository.regions('one')).to.equal(undefined);
  });

  it('note a column that is removed while it is arranged', async () => {
    const { repository } = gated;
    await add('b');
    const { version = 0 } = (await repository.state('GRCh38')) ?? {};
    let arranging: Promise<boolean> | undefined;
    gated.before('find coverage_cohorts_columns', async () => {
      arranging = repository.arrange('one', version, { parts: [-1, 0], from: 0, to: 2 }, []);
      await turns(100);
    });
    await repository.remove(['a']);
    const isArranged = await arranging;
    expect((await repository.state('GRCh38'))?.left).to.deep.equal(isArranged ? [0] : []);
  });
});
