/** The audit's part in erasures: names go, entries stay and verify. */
import { expect } from 'chai';
import { AuditKeys } from '../../../core/audit/chain.js';
import { type AuditRepository, audit } from '../../../core/audit/contract.js';
import { auditEraser } from '../../../core/audit/eraser.js';
import { type ReadEntry, readEntries } from '../../../core/audit/read.js';
import { type AuditRecorder, createRecorder } from '../../../core/audit/recorder.js';
import { verifyAudit } from '../../../core/audit/verify.js';
import type { Eraser } from '../../../core/erasures/erasure.js';
import { tokenHolder } from '../../../core/policy/policy.js';
import { type OpenedStorage, sqlite } from '../../support/storages.js';
import { day, erasureOf } from '../erasures/erasure.js';

const keys = new AuditKeys('a secret of thirty-two characters');

describe('the audit in erasures', () => {
  let opened: OpenedStorage;
  let repository: AuditRepository;
  let recorder: AuditRecorder;
  let eraser: Eraser;
  let now = day(1);

  beforeEach(async () => {
    opened = await sqlite.open([audit]);
    repository = opened.storage.repository(audit);
    now = day(1);
    recorder = createRecorder({ repository, keys, now: () => now });
    eraser = auditEraser({
      repository,
      keys,
      record: recorder.record,
      settle: recorder.settle,
      lastLine: async () => 7,
    });
    await seen('sample:P1', 'case:P1', 'patient:P1', 'sample:P2', 'dataset:P1');
  });
  afterEach(() => opened.close());

  async function seen(...about: string[]): Promise<void> {
    await recorder.record(tokenHolder('lab', []), { action: 'a.b', about, because: 'API token', outcome: 'answered' });
  }

  async function entries(): Promise<ReadEntry[]> {
    const all: ReadEntry[] = [];
    for await (const page of readEntries({ repository, keys }, {})) all.push(...page);
    return all;
  }
  const named = async () =>
    (await entries()).flatMap(({ about }) => about.filter((name) => !/^(\(|forgotten:|list:)/.test(name)));
  const names = ['sample:P1', 'case:P1', 'patient:P1', 'sample:P2', 'dataset:P1'];

  it('forget a person as sample, case and patient, record that, and leave others; and can be repeated', async () => {
    expect(await eraser.find([erasureOf('P1')])).to.deep.include({
      what: 'names in the audit, whose entries stay',
      count: 3,
    });
    expect(await named()).to.deep.equal(names);
    expect((await eraser.erase([erasureOf('P1')]))[0]?.count).to.equal(3);
    expect(await named()).to.deep.equal(['sample:P2', 'dataset:P1']);
    expect((await eraser.erase([erasureOf('P1')]))[0]?.count).to.equal(0);
    const told = (await entries()).filter(({ action }) => action === 'erase');
    // The first says which names went, by what stands for them: those of the sample, the case and the patient.
    expect(told.map(({ about, detail }) => [about[0], about.length, detail])).to.deep.equal([
      ['list:erasures', 4, { ids: 1, scope: 'all', line: 7 }],
      ['list:erasures', 1, { ids: 1, scope: 'all', line: 7 }],
    ]);
    expect((await verifyAudit({ repository, keys })).findings).to.deep.equal([]);
  });

  it('forget what the id names only, and nobody of another holder or who objects to sharing', async () => {
    for (const other of [{ holder: { name: 'peer' } }, { scope: 'sharing' }] as const) {
      expect((await eraser.erase([erasureOf('P1', other)]))[0]?.count).to.equal(0);
    }
    expect(await named()).to.deep.equal(names);
    expect((await eraser.erase([erasureOf('P1', { names: 'patient' })]))[0]?.count).to.equal(1);
    expect(await named()).to.deep.equal(names.filter((name) => name !== 'patient:P1'));
  });

  it('repeated after a restore, forget what is older than the erasure, and say so only if there was any', async () => {
    now = day(5);
    await seen('sample:P3');
    const repeated = (id: string) => erasureOf(id, { before: day(3) });
    expect((await eraser.erase([repeated('P2'), repeated('P3')]))[0]?.count).to.equal(1);
    expect(await named()).to.deep.equal([...names.filter((name) => name !== 'sample:P2'), 'sample:P3']);
    expect((await eraser.erase([repeated('P2')]))[0]?.count).to.equal(0);
    expect((await entries()).map(({ action, outcome }) => [action, outcome])).to.deep.equal([
      ['a.b', 'answered'],
      ['a.b', 'answered'],
      ['audit.forget', 'repeated'],
    ]);
    expect((await verifyAudit({ repository, keys })).findings).to.deep.equal([]);
  });

  it('chain what is pending first, so that no name returns', async () => {
    const event = { action: 'a.b', about: ['sample:P1'], because: undefined, outcome: 'answered' };
    const { sealedEvent } = await import('../../../core/audit/chain.js');
    const content = { ...event, at: day(2), actor: 'token:lab' };
    await repository.submit([{ id: 'left', sealed: sealedEvent(keys, { content, settles: 'left' }) }]);
    await eraser.erase([erasureOf('P1')]);
    await recorder.settle();
    expect(await named()).to.deep.equal(['sample:P2', 'dataset:P1']);
    expect(await repository.pending(10)).to.deep.equal([]);
  });
});
