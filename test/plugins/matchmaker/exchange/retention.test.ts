/** Records of matches and entries of the audit trail are deleted once they expire. */
import { expect } from 'chai';
import { matchmakerAudit } from '../../../../plugins/matchmaker/contract.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { contracts, patient, serveOn } from '../support/serve.js';
import { until } from './support/lab.js';

const day = 24 * 60 * 60 * 1000;

for (const engine of dealt(storages, 'sqlite')) {
  it(`matchmaker: records kept for some days on ${engine.name} are deleted after them, and not before`, async () => {
    const { storage, close } = await engine.open(contracts);
    const begin = new Date('2026-01-01T12:00:00Z');
    const after = (days: number) => new Date(begin.getTime() + days * day);
    try {
      /** Remaining records and audit entries after a server ran at this time and checked for expired ones. */
      const left = async (now: Date, settings: Record<string, unknown>, logs: RegExp) => {
        const server = await serveOn(storage, { settings, now: () => now });
        await until(() => logs.test(server.log()));
        // The check runs at the start, and ends before the server closes.
        await server.close();
        const records = await server.matches.matches({ patient: 'P', limit: 10 });
        const entries = await storage.repository(matchmakerAudit).entries({ limit: 10 });
        return [records.records.length, entries.map(({ action }) => action)];
      };
      const first = await serveOn(storage, { now: () => begin });
      await first.post('/patient/add', { patient: patient('P') });
      await first.post('/match', { patient: patient('Q') });
      await first.close();

      const settings = { retentionDays: 30, auditDays: 60 };
      const both = [1, ['add', 'match']];
      expect(await left(after(10_000), { retentionDays: 0, auditDays: 0 }, /./), 'kept for ever').to.eql(both);
      expect(await left(after(29.9), settings, /./)).to.eql(both);
      expect(await left(after(30.1), settings, /old records of matches deleted/)).to.eql([0, both[1]]);
      expect(await left(after(60.1), settings, /old entries of the audit trail deleted/)).to.eql([0, []]);
    } finally {
      await close();
    }
  });
}
