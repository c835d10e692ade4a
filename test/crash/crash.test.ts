/** Every change killed at its steps: what is seen is as before or as after, and the change can be made again. */
import { sampled } from '../support/sample.js';
import { storages } from '../support/storages.js';
import { beaconChanges } from './changes/beacon.js';
import { coverageChanges } from './changes/coverage.js';
import { erasures } from './changes/erasures.js';
import { crash } from './harness.js';

const kills = [...beaconChanges, ...coverageChanges, ...erasures].flatMap((change) =>
  storages.flatMap((engine) => change.steps.map((step) => ({ change, engine, step }))),
);

describe('changes that are killed', function () {
  this.timeout(120_000); // several processes

  for (const { change, engine, step } of sampled(kills, 16)) {
    // Once a process ends before an arrival, it would not be killed at any later one.
    let isReached = true;
    for (let arrival = 1; arrival <= (change.arrivals ?? 1); arrival++) {
      const place = arrival === 1 ? step : `${step}, arrival ${arrival}`;
      it(`${change.name}, on ${engine.name} at ${place}`, async function () {
        if (!isReached) this.skip();
        isReached = await crash(engine, change, step, arrival);
      });
    }
  }
});
