/** What operators see of the questions about protected datasets. */
import { expect } from 'chai';
import { noAudit } from '../../../../core/audit/audit.js';
import { accountOf } from '../../../../core/plugin.js';
import { anonymous, createPolicy } from '../../../../core/policy/policy.js';
import { auditedGuard } from '../../../../plugins/beacon/audit.js';
import { accountReports } from '../../../../plugins/beacon/commands/protection.js';
import { beacon, beaconProtection, type Dataset } from '../../../../plugins/beacon/contract.js';
import plugin from '../../../../plugins/beacon/plugin.js';
import { protectingGuard, Tallies } from '../../../../plugins/beacon/protection/guard.js';
import {
  protectionOfDataset,
  protectionSettings,
  protectsAny,
} from '../../../../plugins/beacon/protection/profiles.js';
import { recent } from '../../../../plugins/beacon/rights.js';
import { beaconSettings } from '../../../../plugins/beacon/settings.js';
import { memorySubject } from '../../../kit/memory.js';
import { dataset } from '../support/serve.js';

const now = new Date('2026-03-01T08:00:00Z');

describe('beacon: reports on protected datasets', () => {
  it('say which accounts have spent how much, and which ones search with hardly any yes', async () => {
    const { storage } = await memorySubject.open([beacon, beaconProtection]);
    const repository = storage.repository(beaconProtection);
    const careful = protectionOfDataset(protectionSettings.parse({ default: 'careful' }), 'd');
    if (!careful) throw new Error('careful protects');
    const about = { ...dataset('d'), created: now } as Dataset;
    expect(await accountReports(repository, about, careful)).to.deep.equal([]);
    const totals = { alleles: 1, calls: 1, samples: 2 };
    await repository.publish({ dataset: 'd', created: now, samples: ['a', 'b'], totals }, now);
    // Of two people, half of all people carrying it, a yes has 75 %: −log 0.75 of −log 0.5 is 41.5 %.
    const rule = { allowed: { budget: 0.5, least: 1 }, people: 2, share: 0.5 };
    const ask = (contig: '1' | '2', carriers: string[]) => {
      const region = { contig, first: 0, last: 0 };
      return repository.answer({ dataset: 'd', account: 'x', event: contig, carriers, region }, rule, now);
    };
    expect([await ask('1', ['a', 'b']), await ask('2', ['a'])]).to.deep.equal([true, true]);
    await repository.count('d', [
      { account: 'scan', questions: 1001, hits: 9 },
      { account: 'x', questions: 5, hits: 2 },
      { account: 'fine', questions: 1000, hits: 10 },
    ]);
    const reports = await accountReports(repository, about, careful);
    expect(
      reports.map(({ account, questions, hits, people, remark }) => ({ account, questions, hits, people, remark })),
    ).to.deep.equal([
      { account: 'x', questions: 5, hits: 2, people: 2, remark: 'most budgets are spent' },
      { account: 'scan', questions: 1001, hits: 9, people: 0, remark: 'many questions, hardly any yes' },
      { account: 'fine', questions: 1000, hits: 10, people: 0, remark: undefined },
    ]);
    const [first] = reports;
    expect(first?.spent).to.be.closeTo((3 * 0.415) / 2, 0.001);
    expect(first?.most).to.be.closeTo(2 * 0.415, 0.001);
    expect(first?.last).to.deep.equal(now);
    expect(JSON.stringify(reports)).to.not.match(/"[ab]"/);
    await storage.close();
  });

  it('keep what could not be stored for the next time', async () => {
    const stored: unknown[] = [];
    let broken = true;
    const tallies = new Tallies({
      async count(id, counted) {
        if (broken) throw new Error('down');
        stored.push([id, ...counted]);
      },
    });
    tallies.add('d', 'x', true);
    tallies.add('d', 'x', false);
    const [outcome] = await Promise.allSettled([tallies.store()]);
    expect(outcome?.status).to.equal('rejected');
    tallies.add('d', 'x', true);
    broken = false;
    await tallies.store();
    await tallies.store();
    expect(stored).to.deep.equal([['d', { account: 'x', questions: 3, hits: 2 }]]);
  });

  it('count questions also if they are audited', async () => {
    const { storage } = await memorySubject.open([beacon, beaconProtection]);
    const repository = storage.repository(beacon);
    await repository.addDataset(dataset('d'), now);
    const least = { budget: 0.5, least: 1 };
    const protection = protectionSettings.parse({ default: { anonymous: least, minimumSize: 1 } });
    const kept = storage.repository(beaconProtection);
    await kept.publish(
      { dataset: 'd', created: now, samples: ['a'], totals: { alleles: 0, calls: 0, samples: 1 } },
      now,
    );
    const tools = { policy: createPolicy(), datasets: recent(() => repository.datasets()) };
    const guarding = protectingGuard({ ...tools, repository, protection: kept, settings: protection, now: () => now });
    const guard = auditedGuard(guarding, { ...tools, audit: noAudit, protection });
    await guard.reads(anonymous).present({ assembly: 'GRCh37', contig: '1' }, ['d']);
    await guard.storeTallies?.();
    expect(await kept.tallies('d')).to.deep.equal([{ account: accountOf(anonymous), questions: 1, hits: 0 }]);
    await storage.close();
  });
});

describe('beacon: protection profiles', () => {
  it('make tables only if a dataset is protected', () => {
    const stored = (protection: object) =>
      plugin.contractsFor?.(beaconSettings.parse({ protection })).map(({ id }) => id);
    expect(stored({})).to.deep.equal([]);
    expect(stored({ default: 'open', datasets: { d: 'open' } })).to.deep.equal([]);
    expect(stored({ datasets: { d: 'careful' } })).to.deep.equal(['beacon-protection@1']);
  });

  it('are open unless they are configured, for all datasets or for one', () => {
    const open = protectionSettings.parse({});
    expect([protectsAny(open), protectionOfDataset(open, 'd')]).to.deep.equal([false, undefined]);
    expect(protectsAny(protectionSettings.parse({ datasets: { d: 'open' } }))).to.equal(false);
    const settings = protectionSettings.parse({
      default: 'strict',
      datasets: { d: 'open', e: { anonymous: 'none', batch: 7 }, toString: 'open' },
    });
    expect(protectsAny(settings)).to.equal(true);
    expect(protectionOfDataset(settings, 'd')).to.equal(undefined);
    expect(protectionOfDataset(settings, 'other')).to.deep.include({ anonymous: 'none', batch: 50 });
    expect(protectionOfDataset(settings, 'constructor')).to.deep.include({ anonymous: 'none' });
    expect(protectionOfDataset(settings, 'e')).to.deep.equal({
      ...{ anonymous: 'none', named: { budget: 0.5, least: 1 }, minimumSize: 100, batch: 7 },
    });
  });

  it('are refused unless their values make sense', () => {
    const refused = [
      { default: 'closed' },
      { default: { named: { budget: 1, least: 1 } } },
      { default: { named: { budget: 0, least: 1 } } },
      { datasets: { d: { named: { budget: 0.5, least: 0 } } } },
      { datasets: { d: { batch: 0 } } },
      { datasets: { d: { profile: 'open' } } },
      { datasets: { d: { other: 1 } } },
      { renewDays: 0 },
    ];
    for (const settings of refused) {
      expect(protectionSettings.safeParse(settings).success, JSON.stringify(settings)).to.equal(false);
    }
  });
});
