import { expect } from 'chai';
import plugin from '../../../../plugins/beacon/plugin.js';
import { beaconSettings } from '../../../../plugins/beacon/settings.js';

describe('protected datasets: advice', () => {
  const advice = async (protection: Record<string, unknown>) => {
    const settings = beaconSettings.parse({ organisation: { name: 'Lab' }, protection });
    return (await plugin.advice?.(settings, { demo: false, people: false, tenants: [] })) ?? [];
  };

  it('warns if a dataset is protected and no frequencies are known, and of nothing else', async () => {
    const [warning, ...others] = await advice({ datasets: { clinic: 'careful' } });
    expect(warning).to.match(/^protection\.frequencies: names no file/);
    expect(others).to.deep.equal([]);
    expect(await advice({ default: 'strict' })).to.deep.equal([warning]);
    expect(await advice({ datasets: { clinic: 'open' } })).to.deep.equal([]);
    expect(await advice({ default: 'careful', frequencies: { GRCh38: ['/srv/sites.vcf.gz'] } })).to.deep.equal([]);
  });
});
