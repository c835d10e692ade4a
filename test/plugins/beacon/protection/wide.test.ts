/** Questions about so much of a genome that they find everyone. */
import { expect } from 'chai';
import { anonymous, createPolicy } from '../../../../core/policy/policy.js';
import { beacon, beaconProtection, type CalledAllele } from '../../../../plugins/beacon/contract.js';
import { protectingGuard } from '../../../../plugins/beacon/protection/guard.js';
import { protectionSettings } from '../../../../plugins/beacon/protection/profiles.js';
import { recent } from '../../../../plugins/beacon/rights.js';
import { memorySubject } from '../../../kit/memory.js';
import { dataset } from '../support/serve.js';

const now = () => new Date('2026-03-01T08:00:00Z');

describe('beacon: wide questions about protected datasets', () => {
  it('are answered about everyone, and narrow ones about their carriers', async () => {
    const { storage } = await memorySubject.open([beacon, beaconProtection]);
    const repository = storage.repository(beacon);
    const protection = storage.repository(beaconProtection);
    await repository.addDataset(dataset('d'), now());
    const samples = Array.from({ length: 10 }, (_, i) => `s${i}`);
    const alleles = Array.from({ length: 5001 }, (_, start): CalledAllele => {
      const bases = { reference: 'A', alternate: 'C', kind: 'SNP', structural: false };
      return { contig: '1', start, end: start + 1, ...bases, carriers: [[0, 1], [1, 1]] }; // biome-ignore format: one line
    });
    async function* batches() {
      yield alleles;
    }
    await repository.importAlleles({ dataset: 'd', samples, alleles: batches() }, now());
    const totals = { alleles: 5001, calls: 10_002, samples: 10 };
    await protection.publish({ dataset: 'd', created: now(), samples, totals }, now());
    const least = { budget: 0.5, least: 1 };
    const settings = protectionSettings.parse({ default: { anonymous: least, minimumSize: 1 } });
    const datasets = recent(() => repository.datasets());
    const guard = protectingGuard({ repository, protection, datasets, policy: createPolicy(), settings, now });
    const reads = guard.reads(anonymous);
    const has = (end: number) => reads.present({ assembly: 'GRCh37', contig: '1', overlaps: { start: 0, end } }, ['d']);
    // Two carriers of ten: a yes would cost more than the budget.
    expect(await has(1000)).to.deep.equal([]);
    // Nine of nine others carry something there: lower bound 0.7688, and 1 − 0.2312¹⁰ costs nothing.
    expect(await has(6000)).to.deep.equal(['d']);
    expect(await protection.spending('d')).to.deep.equal([]);
    expect(await reads.present({ assembly: 'GRCh38', contig: '1' }, ['d'])).to.deep.equal([]);
    expect(await reads.found({ assembly: 'GRCh37', contig: '1' }, ['d'], { limit: 1 })).to.have.length(1);
    expect(await reads.present({ assembly: 'GRCh37', contig: '1' }, ['nowhere'])).to.deep.equal([]);
    await storage.close();
  });
});
