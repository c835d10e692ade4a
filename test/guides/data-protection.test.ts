import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { configure } from '../../core/config.js';
import { protectionOfDataset, protectionSettings } from '../../plugins/beacon/protection/profiles.js';
import { blocksOf } from '../support/guide.js';

describe('guides: data protection', () => {
  it('has a configuration that is valid, and the budgets and numbers of carriers that it says', async () => {
    const [block] = blocksOf('config/data-protection.md', 'Settings');
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-protection-guide-'));
    try {
      const file = join(folder, 'protection.yaml');
      await writeFile(file, block?.text ?? '');
      await configure({ file, environment: {} });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    const settings = protectionSettings.parse(parse(block?.text ?? '').plugins.beacon.protection);
    expect(protectionOfDataset(settings, 'any')).to.equal(undefined);
    expect(protectionOfDataset(settings, 'clinic')).to.deep.equal({
      anonymous: { budget: 0.5, least: 3 },
      named: { budget: 0.5, least: 1 },
      minimumSize: 100,
      batch: 20,
    });
    expect(protectionOfDataset(settings, 'rare-diseases')).to.deep.include({
      anonymous: 'none',
      named: { budget: 0.7, least: 3 },
      batch: 50,
    });
  });
});
