/** One mail a day for each submitter, where that is wanted. */
import { expect } from 'chai';
import { matchmakerMail, type ToldMatch } from '../../plugins/matchmaker/contract.js';
import { drain } from '../../plugins/matchmaker/mail/outbox.js';
import { mailSettings } from '../../plugins/matchmaker/mail/settings.js';
import { quiet, storages } from '../support/storages.js';
import { serveSink } from './support/sink.js';

for (const engine of storages) {
  it(`matchmaker: a digest on ${engine.name} holds all that is due for one address`, async () => {
    const [{ storage, close }, sink] = [await engine.open([matchmakerMail]), await serveSink()];
    try {
      const mail = storage.repository(matchmakerMail);
      const due = new Date('2026-04-01T06:00:00Z');
      const match = (id: string): ToldMatch => ({
        node: { id: 'n', label: 'N' },
        patient: { id, contact: { name: 'C', href: 'mailto:c@example.org' } },
        genes: ['SCN1A'],
      });
      const rows = [
        ['00000000-0000-4000-8000-000000000001', 'P1', 'a@example.org'],
        ['00000000-0000-4000-8000-000000000002', 'P2', 'b@example.org'],
        ['00000000-0000-4000-8000-000000000003', 'P3', 'a@example.org'],
      ] as const;
      for (const [id, patient, to] of rows) {
        await mail.add({ id, created: due, due, to: [to], patient: { id: patient }, matches: [match(`M-${patient}`)] });
      }
      const options = {
        mail,
        settings: mailSettings.parse({
          server: '127.0.0.1',
          port: sink.port,
          useTls: false,
          sender: 'mme@example.org',
          digest: true,
        }),
        log: quiet,
        signal: new AbortController().signal,
      };
      expect(await drain({ ...options, now: () => new Date(due.getTime() - 1) })).to.equal(0);
      expect(await drain({ ...options, now: () => due })).to.equal(2);
      expect(await drain({ ...options, now: () => due })).to.equal(0);
      const [toA, toB] = sink.mails.sort((one, other) => String(one.to).localeCompare(String(other.to)));
      expect([toA?.to, toB?.to]).to.deep.equal([['a@example.org'], ['b@example.org']]);
      for (const id of ['P1', 'M-P1', 'P3', 'M-P3']) expect(toA?.text).to.include(id);
      expect(toB?.text).to.include('P2').and.not.include('P1');
    } finally {
      await sink.close();
      await close();
    }
  });
}
