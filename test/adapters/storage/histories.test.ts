/**
 * Histories of loads, corrections and removals on every storage, as the kit's case has them, with seeds of their own:
 * TEST_HISTORIES sets their number (`.ci/long`).
 */
import { beacon } from '../../../plugins/beacon/contract.js';
import { compareHistory, type HistoryStep, historyStep } from '../../conformance/beacon/histories.js';
import { property } from '../../conformance/core.js';
import { memorySubject } from '../../kit/memory.js';
import { fewer } from '../../support/sample.js';
import { storages } from '../../support/storages.js';

const runs = Number(process.env.TEST_HISTORIES ?? fewer(3, 3));
/** The whole suite takes others of the first thousand each day. */
const seed = 100_000 + ((runs * Number(process.env.TEST_DAY ?? 0)) % 1000);

for (const subject of [memorySubject, ...storages]) {
  describe(`Observations on ${subject.name}`, function () {
    this.timeout(120_000 + runs * 5000);

    it(`are those of what remains after ${runs} random histories`, async () => {
      const { storage, discard } = await subject.open([beacon]);
      let given: unknown;
      try {
        const repository = storage.repository(beacon);
        let next = 0;
        const context = {
          ...{ storage, repository, capabilities: {}, seed },
          given(name: string, value: unknown) {
            if (name === 'steps') given = value;
          },
          open: () => Promise.reject(new Error('Not needed here')),
          again: () => Promise.reject(new Error('Not needed here')),
        };
        await property<HistoryStep>(context, {
          runs,
          generate: (random) => random.list(5, 25, () => historyStep(random)),
          check: (steps) => compareHistory(repository, `h${next++}`, steps),
        });
      } catch (error) {
        throw given === undefined ? error : new Error(JSON.stringify(given), { cause: error });
      } finally {
        await storage.close();
        await discard?.();
      }
    });
  });
}
