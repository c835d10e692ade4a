/** An answer about an allele that was paid for costs nothing more once its dataset is left-aligned. */
import { expect } from 'chai';
import { anonymous, createPolicy } from '../../../../core/policy/policy.js';
import { type Allele, beacon, beaconProtection } from '../../../../plugins/beacon/contract.js';
import { referenceForm } from '../../../../plugins/beacon/domain/dataset-forms.js';
import { protectingGuard } from '../../../../plugins/beacon/protection/guard.js';
import { protectionSettings } from '../../../../plugins/beacon/protection/profiles.js';
import { recent } from '../../../../plugins/beacon/rights.js';
import { once } from '../../../adapters/storage/support/alleles.js';
import { exactly } from '../../../conformance/beacon/build.js';
import { memorySubject } from '../../../kit/memory.js';
import { alleleAt, referenceOf } from '../support/reference.js';
import { dataset } from '../support/serve.js';

const now = () => new Date('2026-03-01T08:00:00Z');

describe('beacon: questions about protected datasets that are left-aligned', () => {
  it('cost nothing if the allele was found in another spelling, in the same carriers', async () => {
    const { storage } = await memorySubject.open([beacon, beaconProtection]);
    const repository = storage.repository(beacon);
    const protection = storage.repository(beaconProtection);
    const form = referenceForm(referenceOf({ 1: 'GCACACAT' }));
    const samples = Array.from({ length: 10 }, (_, i) => `s${i}`);
    // Two spellings of one change, and its neighbour.
    const [one, other] = [alleleAt('1', 4, 'ACA', 'A'), alleleAt('1', 1, 'CAC', 'C')];
    const carriers = [0, 1, 2, 3, 4].map((sample) => [sample, 1] as const);
    const settings = protectionSettings.parse({ default: { anonymous: { budget: 0.1, least: 1 }, minimumSize: 1 } });
    const asks = (id: string, formOf?: () => typeof form) => {
      const datasets = recent(() => repository.datasets());
      const policy = createPolicy();
      const reads = protectingGuard({ repository, protection, datasets, policy, settings, formOf, now }).reads(
        anonymous,
      );
      return async (allele: Allele) => (await reads.present(exactly(allele), [id])).length > 0;
    };
    for (const id of ['d', 'e']) {
      await repository.addDataset(dataset(id), now());
      const alleles = once([one, other].map((allele) => ({ ...allele, carriers })));
      await repository.importAlleles({ dataset: id, samples, alleles }, now());
      const totals = { alleles: 2, calls: 10, samples: 10 };
      await protection.publish({ dataset: id, created: now(), samples, totals }, now());
      expect(await asks(id)(one), id).to.equal(true);
      await repository.rewriteAlleles(id, form, now());
    }
    const paid = await protection.spending('d');
    expect(paid.map(({ people }) => people)).to.deep.equal([5]);
    const again = asks('d', () => form);
    expect([await again(form.aligned(one)), await again(form.aligned(other))]).to.deep.equal([true, true]);
    expect(await protection.spending('d')).to.deep.equal(paid);
    // Without the reference nobody knows that it is the same, and those who paid do not count again.
    expect(await asks('e')(form.aligned(one))).to.equal(false);
    await storage.close();
  });
});
