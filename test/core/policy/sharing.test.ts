/** What tenants share with each other: the settings, whom they open it to, and which samples count. */
import { expect } from 'chai';
import fc from 'fast-check';
import { tenantsIn } from '../../../core/auth/claims.js';
import { authSettings } from '../../../core/auth/settings.js';
import { anonymous, createPolicy, defineRight, subjectWith, tokenHolder } from '../../../core/policy/policy.js';
import {
  type Batch,
  type Candidate,
  createTenants,
  ofTenant,
  type SettledRelease,
  settled,
  type Tenant,
} from '../../../core/policy/tenants.js';
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

  const named = (count: number, from = 0): Candidate[] =>
    Array.from({ length: count }, (_, i) => ({ id: `s${from + i}`, version: 'v' }));
  const idsOf = ({ counting }: SettledRelease) => [...counting.keys()];
  const ids = (count: number) => named(count).map(({ id }) => id);

  it('counts in whole batches of the oldest samples, and not below the minimum', () => {
    const rule = { minimum: 50, batch: 10 };
    expect(idsOf(settled([], named(67), rule))).to.deep.equal(ids(60));
    expect(idsOf(settled([], named(59), rule))).to.deep.equal(ids(50));
    expect(settled([], named(49), rule)).to.deep.equal({ counting: new Map(), added: [] });
    // The first release may need more than the minimum.
    expect(settled([], named(59), { minimum: 50, batch: 20 })).to.deep.equal({ counting: new Map(), added: [] });
  });

  it('counts no batch again that lacks one of its samples, and lets none of the others count in another one', () => {
    const rule = { minimum: 20, batch: 5 };
    const { added: stored } = settled([], named(25), rule);
    const left = named(25).filter(({ id }) => id !== 's7');
    const without = settled(stored, left, rule);
    expect(idsOf(without)).to.deep.equal(ids(25).filter((_, i) => i < 5 || i >= 10));
    // Nine more, of which five fill a batch; the four who were beside the removed one stay away.
    const grown = settled(stored, [...left, ...named(9, 25)], rule);
    expect(idsOf(grown)).to.deep.equal([...idsOf(without), 's25', 's26', 's27', 's28', 's29']);
    // The removed sample is added again: it is another one.
    const again = [...left, ...named(4, 25), { id: 's7-again', version: 'v' }];
    expect(idsOf(settled(stored, again, rule)).slice(20)).to.deep.equal(['s25', 's26', 's27', 's28', 's7-again']);
    // Below the minimum nothing counts, and nothing is formed.
    const few = settled(stored, left.slice(5), rule);
    expect([few.counting.size, few.added]).to.deep.equal([0, []]);
  });

  it('counts those beside a changed sample again with as many new ones as fill a batch', () => {
    const rule = { minimum: 20, batch: 5 };
    const { added: stored } = settled([], named(25), rule);
    const changed = named(25).map((one) => (one.id === 's7' ? { ...one, version: 'w' } : one));
    expect(idsOf(settled(stored, [...changed, ...named(4, 25)], rule))).to.have.lengthOf(20);
    const { added, ...after } = settled(stored, [...changed, ...named(5, 25)], rule);
    expect(added).to.deep.equal([
      ['s5 v', 's6 v', 's7 w', 's8 v', 's9 v', 's25 v', 's26 v', 's27 v', 's28 v', 's29 v'],
    ]);
    expect(after.counting.size).to.equal(30);
    // Changed back, the old batch stays dissolved.
    expect(idsOf(settled([...stored, ...added], [...named(25), ...named(5, 25)], rule))).to.have.lengthOf(20);
    // Figures that come late stay unknown; those that were known may come back.
    const late = (known: string | undefined) =>
      settled(
        [],
        named(20).map((one) => ({ ...one, late: known })),
        rule,
      );
    const known = named(20).map((one) => ({ ...one, late: 'x' }));
    expect([...settled(late(undefined).added, known, rule).counting.values()].some((one) => one.late)).to.equal(false);
    expect(settled(late('x').added, known, rule).counting.get('s3')).to.deep.equal({ late: true });
    expect(idsOf(settled(late('x').added, [...named(20), ...named(5, 20)], rule))).to.have.lengthOf(0);
    expect(idsOf(settled(late('y').added, [...known, ...named(20, 20)], rule))).to.have.lengthOf(40);
  });

  /** A sample in a state of its own: what an answer is computed from. */
  const stateOf = ({ id, version }: Candidate) => `${id} ${version}`;

  it('never differs between two answers of a history by less than a batch, whatever happens to samples', () => {
    const rule = fc.record({ minimum: fc.integer({ min: 1, max: 20 }), batch: fc.integer({ min: 2, max: 6 }) });
    const event = fc.oneof(
      { weight: 6, arbitrary: fc.record({ what: fc.constant('add' as const), at: fc.nat(9) }) },
      {
        weight: 2,
        arbitrary: fc.record({ what: fc.constantFrom('remove' as const, 'change' as const), at: fc.nat() }),
      },
    );
    fc.assert(
      fc.property(rule, fc.array(event, { maxLength: 40 }), (release, events) => {
        let batches: readonly Batch[] = [];
        let samples: Candidate[] = [];
        let next = 0;
        const answers: ReadonlySet<string>[] = [new Set()];
        for (const { what, at } of events) {
          next += 10;
          if (what === 'add') samples = [...samples, ...named(at, next)];
          const one = samples[at % Math.max(1, samples.length)];
          if (what === 'remove') samples = samples.filter((sample) => sample !== one);
          if (what === 'change') {
            samples = samples.map((sample) => (sample === one ? { ...one, version: `v${next}` } : sample));
          }
          const { counting, added } = settled(batches, samples, release);
          batches = [...batches, ...added];
          const answer = new Set(samples.filter(({ id }) => counting.has(id)).map(stateOf));
          expect(answer.size).to.equal(counting.size);
          if (answer.size > 0) expect(answer.size).to.be.at.least(release.minimum);
          for (const before of answers) {
            const came = [...answer].filter((state) => !before.has(state));
            const left = [...before].filter((state) => !answer.has(state));
            if (came.length > 0) expect(came.length).to.be.at.least(release.batch);
            if (left.length > 0 && came.length === 0) expect(left.length).to.be.at.least(release.batch);
            // A removed sample is never told apart from the others of its batch: they have left as well.
            for (const state of left.filter((one) => !samples.some((sample) => stateOf(sample) === one))) {
              const id = state.split(' ')[0];
              if (samples.some((sample) => sample.id === id)) continue;
              expect(left.length).to.be.at.least(release.batch);
            }
          }
          answers.push(answer);
        }
      }),
      { numRuns: 300 },
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
