/**
 * Servers killed at each step of settling, whose totals and matches must agree with the stored patients, and under load,
 * which must not lose what they answered.
 */
import { expect } from 'chai';
import type { Context } from 'mocha';
import { dealt } from '../../support/dealt.js';
import { engines } from '../../support/engines.js';
import { steps, thorough } from '../../support/steps.js';
import { type LabNode, makeNode } from './exchange/support/lab.js';
import { patient } from './support/serve.js';

/** Settling happens when totals are read after an addition, and within a deletion. */
const changes = [
  { name: 'an addition', steps: [...steps.settle, ...steps.settleAll] },
  { name: 'a deletion', steps: steps.settle },
] as const;

for (const engine of dealt(engines, 'postgres')) {
  describe(`matchmaker: settling killed at a step on ${engine.name}`, function () {
    this.timeout(300_000); // several processes
    /** With a running server and the patient `kept`. */
    let node: LabNode;
    let token: string;
    const make = async () => {
      node = await makeNode(engine);
      token = await node.client('scout');
      await node.start();
      await node.add(token, patient('kept'));
    };
    before(make);
    afterEach(async function (this: Context) {
      if (this.currentTest?.state === 'passed') return;
      await node.discard();
      await make();
    });
    after(() => node.discard());

    const cases = async (): Promise<number> =>
      (await node.request('GET', '/metrics', token)).body.metrics.numberOfCases;
    /** Ids of the stored patients that match a patient like them. */
    async function matched(): Promise<string[]> {
      const { status, body } = await node.request('POST', '/match', token, { patient: patient('query') });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.results.map((one: { patient: { id: string } }) => one.patient.id).sort();
    }
    it('keeps the record of every match that was answered', async () => {
      await node.stop();
      await node.startToKill();
      const asked = Array.from({ length: 60 }, (_, i) => `asked-${i}`);
      const answered = new Map<string, unknown>();
      let ended: Promise<void> | undefined;
      await Promise.allSettled(
        asked.map(async (id) => {
          const { status, body } = await node.request('POST', '/match', token, { patient: patient(id) });
          if (status === 200) answered.set(id, body.results);
          if (answered.size >= 20) ended ??= node.kill();
        }),
      );
      await ended;
      expect(answered.size).to.be.at.least(20);
      await node.start();
      for (const [id, results] of answered) {
        const records = await node.matches(token, id);
        expect(records.map((record) => record.results[0].patients)).to.deep.equal([results]);
      }
    });

    const remove = async () => (await node.request('DELETE', '/patient/delete/P', token)).status;

    for (const change of thorough ? changes : changes.slice(1)) {
      for (const step of change.steps) {
        it(`${change.name}: ${step}`, async () => {
          if (change.name === 'a deletion') await node.add(token, patient('P'));
          else expect(await remove()).to.be.oneOf([200, 404]);
          // Settles the changes so far.
          await cases();
          await node.stop();

          const { ended } = await node.startKilled(step);
          let acknowledged = false;
          try {
            if (change.name === 'an addition') await node.add(token, patient('P'));
            else expect(await remove()).to.equal(200);
            acknowledged = true;
            await cases();
          } catch (error) {
            // The kill breaks the connection.
            expect(error).to.be.instanceOf(TypeError);
          }
          expect((await ended).signal).to.equal('SIGKILL');

          await node.start();
          const stored = await matched();
          expect([['P', 'kept'], ['kept']]).to.deep.include(stored);
          if (change.name === 'an addition' && acknowledged) expect(stored).to.deep.equal(['P', 'kept']);
          expect(await cases()).to.equal(stored.length);
          if (change.name === 'an addition') await node.add(token, patient('P'));
          else if (stored.length === 2) expect(await remove()).to.equal(200);
          const wanted = change.name === 'an addition' ? ['P', 'kept'] : ['kept'];
          expect(await matched()).to.deep.equal(wanted);
          expect(await cases()).to.equal(wanted.length);
        });
      }
    }
  });
}
