/**
 * A separate process that measures scenarios at two sizes: `{ names, measured: { [name]: [work of n, work of 2n] } }` on stdout.
 * Of what grows, the whole suite measures a sixth.
 */
import { sampled } from '../../support/sample.js';
import { startMeter, workOf } from './meter.js';

await startMeter();
const { scenarios } = await import('./scenarios.js');
const { commandScenarios, endCommands } = await import('./commands.js');
const { controls } = await import('./controls.js');
const { bounds, storedScenarios } = await import('./lists.js');
const { requestScenarios } = await import('./requests.js');
const requests = await requestScenarios();

const results: Record<string, [once: number, twice: number]> = { ...requests.limits };
const growing = Object.entries({ ...scenarios, ...storedScenarios, ...commandScenarios, ...requests.scenarios });
for (const [name, { size, prepare }] of [...sampled(growing, 6), ...Object.entries(controls)]) {
  // Excludes work done only once, such as loading a module.
  await (await prepare(Math.ceil(size / 10)))();
  const [once, twice] = [await prepare(size), await prepare(2 * size)];
  results[name] = [await workOf(once), await workOf(twice)];
}
for (const [name, { most, run }] of Object.entries(bounds)) results[name] = [await workOf(run), most];
await requests.end();
endCommands();
process.stdout.write(JSON.stringify({ names: growing.map(([name]) => name), measured: results }));
