/** What answers and commands show of people, as events of the audit. */
import { expect } from 'chai';
import {
  type Actor,
  type Audit,
  type AuditEvent,
  disclosing,
  noAudit,
  recordShown,
} from '../../../core/audit/audit.js';
import { anonymous, createPolicy, defineRight, tokenHolder } from '../../../core/policy/policy.js';

const dataset = { noun: 'dataset', id: ({ id }: { id: string }) => id };
const right = defineRight<{ id: string }>({ scope: 'notes:read', summary: 'Read notes', of: dataset });

describe('what is shown of people', () => {
  let recorded: [Actor | undefined, AuditEvent][];
  beforeEach(() => {
    recorded = [];
  });
  const policy = createPolicy();
  const record: Audit['record'] = async (by, event) => void recorded.push([by, event]);
  const audit: Audit = { ...noAudit, enabled: true, record };

  it('is recorded with each name once, and the reason why the caller may see it', async () => {
    const caller = tokenHolder('lab', ['notes:read:cardio']);
    const about = { dataset: ['cardio'], sample: ['S1', 'S2', 'S1'], case: [undefined, '', 'F1'] };
    const event = { action: 'notes.read', about, by: right, of: { id: 'cardio' }, detail: { notes: 2 } };
    await disclosing({ audit, policy })({ principal: caller, id: 'request 1' }, event);
    const names = ['dataset:cardio', 'sample:S1', 'sample:S2', 'case:F1'];
    const common = { action: 'notes.read', outcome: 'answered', request: 'request 1' };
    expect(recorded).to.deep.equal([[caller, { ...common, about: names, because: 'API token', detail: { notes: 2 } }]]);
  });

  it('is recorded of anonymous callers, and for a reason in words', async () => {
    await disclosing({ audit, policy })({ id: 'r' }, { action: 'notes.read', about: {}, by: 'configured client' });
    const event = { action: 'notes.read', about: [], because: 'configured client', outcome: 'answered', request: 'r' };
    expect(recorded).to.deep.equal([[anonymous, event]]);
  });

  it('is not asked for without an audit', async () => {
    const asking = { ...policy, why: () => Promise.reject(new Error('asked')) };
    await disclosing({ audit: noAudit, policy: asking })({ id: 'r' }, { action: 'notes.read', about: {}, by: right });
    expect(recorded).to.deep.equal([]);
  });

  it('is recorded of a command, unless it is about no one', async () => {
    const context = {
      audit: { ...noAudit, enabled: true, record: async (event: AuditEvent) => record(anonymous, event) },
    };
    await recordShown(context, 'notes.list', { sample: [] });
    await recordShown(context, 'notes.list', { sample: ['S1'] }, { notes: 1 });
    const event = { action: 'notes.list', about: ['sample:S1'], because: 'command line', outcome: 'done' };
    expect(recorded).to.deep.equal([[anonymous, { ...event, detail: { notes: 1 } }]]);
  });
});
