/** What tenants share with each other: the settings, whom they open it to, and which samples count. */
import { expect } from 'chai';
import fc from 'fast-check';
import { tenantsIn } from '../../../core/auth/claims/tenants.js';
import { authSettings } from '../../../core/auth/settings.js';
import { anonymous, subjectWith, tokenHolder } from '../../../core/policy/caller.js';
import { createPolicy } from '../../../core/policy/policy.js';
import { released } from '../../../core/policy/release.js';
import { defineRight } from '../../../core/policy/right.js';
import { createTenants, ofTenant, type Tenant } from '../../../core/policy/tenants.js';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';

const right = defineRight<Pick<Tenant, 'name'>>({ scope: 'box:shared', summary: 'Count', part: 'read', of: ofTenant });

const lab = (shared: object, others: object = {}) => ({
  tenants: { cardio: { datasets: ['hearts'] }, neuro: { datasets: ['brains', 'nerves'], ...shared }, ...others },
});
const parsed = (auth: object) => authSettings.parse(auth);
const faults = (shared: unknown) => {
  const { error } = authSettings.safeParse(lab({ shared }));
  return (error?.issues ?? []).map(({ path, message }) => `${path.slice(1).join('.')}: ${message}`);
};

describe('what tenants share', () => {
  it('is nothing unless a dataset is listed, and then only of their own datasets, with other tenants', () => {
    expect(tenantsIn(parsed(lab({}))).map(({ shared }) => shared)).to.deep.equal([[], []]);
    const [, neuro] = tenantsIn(parsed(lab({ shared: [{ dataset: 'brains' }] })));
    expect(neuro?.shared).to.deep.equal([{ dataset: 'brains', minimum: 50, batch: 10 }]);
    expect(faults([{ dataset: 'hearts' }])).to.deep.equal([
      'neuro.shared.0.dataset: must be one of the datasets of this tenant',
    ]);
    expect(faults([{ dataset: 'brains' }, { dataset: 'brains' }])).to.deep.equal([
      'neuro.shared.1.dataset: is shared twice',
    ]);
    for (const name of ['neuro', 'renal', 'constructor']) {
      expect(faults([{ dataset: 'brains', with: ['cardio', name] }]), name).to.deep.equal([
        'neuro.shared.0.with.1: must be the name of another tenant',
      ]);
    }
    for (const wrong of [{ minimum: 19 }, { batch: 4 }, { with: [] }, { minimum: 20.5 }, { everyone: true }]) {
      expect(faults([{ dataset: 'brains', ...wrong }]), JSON.stringify(wrong)).to.have.lengthOf(1);
    }
  });

  it('is open to those who may read in another tenant that it is shared with, and to nobody else', async () => {
    const auth = lab({ shared: [{ dataset: 'brains', with: ['cardio'] }, { dataset: 'nerves' }] }, { renal: {} });
    const tenants = createTenants(tenantsIn(parsed(auth)), createPolicy());
    const open = async (...scopes: string[]) =>
      (await tenants.sharedWith(tokenHolder('t', scopes), right)).map(
        ({ tenant, dataset }) => `${dataset} of ${tenant.name}`,
      );
    expect(await open('box:shared:cardio')).to.deep.equal(['brains of neuro', 'nerves of neuro']);
    expect(await open('box:shared:renal')).to.deep.equal(['nerves of neuro']);
    expect(await open('box:shared:neuro')).to.deep.equal([]);
    expect(await open('box:shared:neuro', 'box:shared:renal')).to.deep.equal(['nerves of neuro']);
    expect(await open('box:report:cardio', 'box:shared:elsewhere')).to.deep.equal([]);
    expect(await tenants.sharedWith(anonymous, right)).to.deep.equal([]);
    expect(await tenants.sharedWith(subjectWith({ owner: 'p', tenants: ['cardio'] }, []), right)).to.deep.equal([]);
  });

  it('counts in whole batches of the oldest samples, and not below the minimum', () => {
    const samples = Array.from({ length: 67 }, (_, i) => i);
    expect(released(samples, { minimum: 50, batch: 10 })).to.deep.equal(samples.slice(0, 60));
    expect(released(samples.slice(0, 59), { minimum: 50, batch: 10 })).to.deep.equal(samples.slice(0, 50));
    expect(released(samples.slice(0, 49), { minimum: 50, batch: 10 })).to.deep.equal([]);
    // The first release may need more than the minimum.
    expect(released(samples.slice(0, 59), { minimum: 50, batch: 20 })).to.deep.equal([]);
    const rule = fc.record({ minimum: fc.integer({ min: 1, max: 40 }), batch: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(rule, fc.nat(60), (release, count) => {
        const [before, after] = [samples.slice(0, count), samples.slice(0, count + 1)].map((all) =>
          released(all, release),
        );
        const grown = (after?.length ?? 0) - (before?.length ?? 0);
        // A new sample changes nothing, or comes with others.
        expect(grown === 0 || grown >= Math.min(release.batch, after?.length ?? 0)).to.equal(true);
        expect((before?.length ?? 0) === 0 || (before?.length ?? 0) >= release.minimum).to.equal(true);
        expect(before).to.deep.equal(after?.slice(0, before?.length));
      }),
    );
  });

  const folder = useFolder();
  it('is listed by `trefoil check`', async () => {
    const shared = '[{ dataset: brains, with: [cardio] }, { dataset: nerves, minimum: 100, batch: 20 }]';
    await folder.write(
      'lab.yaml',
      `storage: { adapter: memory }\nplugins: { beacon: {} }\nauth: { tenants: { cardio: {}, renal: {}, neuro: { datasets: [brains, nerves], shared: ${shared} } } }\n`,
    );
    const options = { cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml' } };
    const { stdout, code } = await command(['check'], options);
    expect(code).to.equal(0);
    expect(stdout)
      .to.include('Shared      brains of neuro with cardio: from 50 samples on, 10 new ones at a time\n')
      .and.include('            nerves of neuro with cardio, renal: from 100 samples on, 20 new ones at a time\n');
    const found = JSON.parse((await command(['check', '--json'], options)).stdout).shared;
    expect(found[1]).to.deep.equal({
      dataset: 'nerves',
      tenant: 'neuro',
      with: ['cardio', 'renal'],
      minimum: 100,
      batch: 20,
    });
  });
});
