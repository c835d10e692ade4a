/** Every change killed at its steps: what is seen is as before or as after, and the change can be made again. */
import { thorough } from '../support/steps.js';
import { storages } from '../support/storages.js';
import { beaconChanges } from './changes/beacon.js';
import { coverageChanges } from './changes/coverage.js';
import { erasures } from './changes/erasures.js';
import { crash } from './harness.js';

for (const change of [...beaconChanges, ...coverageChanges, ...erasures]) {
  for (const engine of storages) {
    const tried = thorough ? change.steps : (change.suite[engine.adapter] ?? []);
    if (tried.length === 0) continue;
    describe(`${change.name}, killed on ${engine.name}`, function () {
      this.timeout(120_000); // several processes

      for (const step of tried) {
        // Once a process ends before an arrival, it would not be killed at any later one.
        let isReached = true;
        for (let arrival = 1; arrival <= (change.arrivals ?? 1); arrival++) {
          it(arrival === 1 ? step : `${step}, arrival ${arrival}`, async function () {
            if (!isReached) this.skip();
            isReached = await crash(engine, change, step, arrival);
          });
        }
      }
    });
  }
}
